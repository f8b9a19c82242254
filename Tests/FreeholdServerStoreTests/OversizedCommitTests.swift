import Foundation
import FreeholdServerStore
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Commits that the store can never keep: they are refused to their author, and the stream continues.
struct OversizedCommitTests {
    /// A store in files alone.
    private struct FileWorld: WorldStore {
        let folder = NSTemporaryDirectory() + "freehold-oversized-" + UUID().uuidString
        let file: FileServerStore
        let problems: [String] = []

        init() throws {
            var options = FileServerStore.Options()
            options.mapSize = 1 << 30
            file = try FileServerStore(at: folder, epoch: 7, options: options)
        }

        func perform(_ request: ServerStoreRequest) -> ServerStoreAnswer { file.perform(request) }
        func contents(of stream: StreamName) -> [ObjectName: MergedObject] { [:] }
        func head(of stream: StreamName) -> StreamHead {
            if case .rows(let rows) = perform(ServerStoreRequest(stream, .read(RowQuery()))) { return rows.head }
            return StreamHead(epoch: 7)
        }
        func files(of stream: StreamName) -> [FileIdent: FileRow] { [:] }
        func ingested(of stream: StreamName) -> [ObjectName: [NewField]] { [:] }
        func reopen() {}
        func remove() { try? FileManager.default.removeItem(atPath: folder) }
    }

    enum Kind: CaseIterable {
        /// A key of more than half a value, which is doubled in the hidden table.
        case key
        /// Values out of line whose sum exceeds the size of one value.
        case rest
        /// A field that documents can't have, with large values.
        case meta
        /// Names of fields that are larger together than one value can be.
        case names
        /// A mixed value that grows by entries.
        case mixed
    }

    private let name = ObjectName("Note", 1)

    private func text(_ count: Int, _ letter: UInt8 = 97) -> SyncValue {
        .string(SyncString(String(repeating: Character(Unicode.Scalar(letter)), count: count)))
    }

    private func field(_ name: SyncString, _ value: SyncValue) -> NewField { NewField(name, .value(value)) }

    /// Commits of which the last one is too large.
    private func commits(_ kind: Kind) -> [[Change]] {
        switch kind {
        case .key:
            let key = String(repeating: "a", count: 8_600_000)
            return [[.create(ObjectName("Key", .string(SyncString(key))), [field("x", .int(1))])]]
        case .rest:
            let texts = (0..<3).map { field(SyncString("f\($0)"), text(7_000_000)) }
            return [
                [.create(ObjectName("Note", 2), (0..<3).map { field(SyncString("f\($0)"), .int(1)) })],
                [.create(name, texts)],
            ]
        case .meta:
            return [[.create(name, [field("a\0", text(9_000_000)), field("b\0", text(9_000_000))])]]
        case .names:
            let fields = (0..<3).map { number in
                field(
                    SyncString(String(repeating: Character(Unicode.Scalar(UInt8(97 + number))), count: 7_000_000)),
                    1
                )
            }
            return [[.create(name, fields)]]
        case .mixed:
            let entries = (0..<4).map { number -> Change in
                .set(Place(name, [.property("m"), .nested(SyncString("k\(number)"))]), text(5_000_000), .real)
            }
            return [[.create(name, [field("m", .dictionary(SyncDictionary()))])], entries]
        }
    }

    @Test(arguments: Kind.allCases) func `are refused whole, and commits of others are kept`(_ kind: Kind) throws {
        let store = try FileWorld()
        defer { store.remove() }
        var bench = ServerBench(store: store)
        let (ann, ben) = (
            bench.add([], user: "ann"), bench.add([ClassQuery(className: "Other", condition: "all")], user: "ben")
        )
        let commits = commits(kind)
        for changes in commits.dropLast() { bench.commit(ann, changes, [name: bench.clients[ann].versions.last ?? 0]) }
        let known = bench.clients[ann].versions.count
        expectEqual(known, commits.count - 1)
        // Both are in one group.
        bench.holdsGroups = true
        bench.commit(ann, commits[commits.count - 1], [name: bench.clients[ann].versions.last ?? 0])
        bench.commit(ben, [.create(ObjectName("Other", 1), [field("x", .int(1))])])
        bench.holdsGroups = false
        bench.run(.timer(.group(ServerBench.stream)))
        for _ in 0..<40 where !bench.clients[ben].pending.isEmpty { bench.tick() }
        expect(bench.clients[ben].pending.isEmpty)
        expect(bench.clients[ben].objects[ObjectName("Other", 1)] != nil)
        // The author receives the refused changes, and can continue.
        expect(bench.clients[ann].pending.isEmpty)
        expect(bench.clients[ann].faults.isEmpty)
        let refusals = bench.clients[ann].refusals
        expectEqual(refusals.map(\.index), Array(commits[commits.count - 1].indices))
        expect(refusals.allSatisfy { $0.reason == .tooLarge && $0.isOutline })
        bench.commit(ann, [.create(ObjectName("Other", 2), [field("x", .int(2))])])
        expect(bench.clients[ann].pending.isEmpty)
        expect(bench.clients[ben].objects[ObjectName("Other", 2)] != nil)
        // The author's file has the content that the answer leaves out.
        let own = Commit(
            number: refusals.first?.commit ?? 0,
            clock: .zero,
            base: 0,
            changes: commits[commits.count - 1]
        )
        expectEqual(refusals.map { $0.completed(by: own).change }, commits[commits.count - 1])
    }

    @Test func `answers to large commits that the rules refuse are stored and sent`() throws {
        let store = try FileWorld()
        defer { store.remove() }
        var bench = ServerBench(store: store) { configuration in
            var rules = MergeRules()
            rules.forbids = { _, _, name in name.className == "Secret" }
            configuration.apps["app"]?.merge = StreamMerge(rules)
        }
        let ann = bench.add([])
        let changes = (0..<20).map { Change.create(ObjectName("Secret", .int($0)), [field("x", text(1 << 20))]) }
        bench.commit(ann, changes)
        expect(bench.clients[ann].pending.isEmpty)
        expectEqual(bench.clients[ann].refusals.map(\.reason), Array(repeating: .forbidden, count: 20))
        // The answer is requested again after a restart.
        bench.killNode()
        bench.connect(ann)
        bench.commit(ann, [.create(ObjectName("Open", 1), [field("x", .int(1))])])
        expect(bench.clients[ann].pending.isEmpty)
        expectEqual(bench.clients[ann].refusals.count, 20)
    }
}
