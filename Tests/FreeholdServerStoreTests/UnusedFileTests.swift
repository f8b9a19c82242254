import Foundation
import FreeholdServerStore
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Files that never uploaded anything, in the store in memory and in the one in files.
struct UnusedFileTests {
    private static let stream = StreamName(app: "files")

    private struct Stores {
        var twin: TwinStore

        init() throws { twin = try TwinStore() }

        mutating func perform(_ kind: ServerStoreRequest.Kind) -> ServerStoreAnswer {
            twin.perform(ServerStoreRequest(stream, kind))
        }

        mutating func file(seen time: Int64, parents: [FileParent] = []) throws -> FileIdent {
            let secret = SecretHash(FileSecret(high: 1, low: 2))
            guard case .file(let row) = perform(.makeFile(user: "ann", secret: secret, parents: parents, clock: .zero))
            else { throw CodecError(.inconsistent, "There is no file.") }
            if time > 0 { _ = perform(.noteFile(row.ident, acknowledged: 0, leastBase: nil, time: time)) }
            return row.ident
        }

        mutating func isKnown(_ ident: FileIdent) -> Bool {
            guard case .bind(let answer) = perform(.bind(FileQuery(ident: ident, acknowledged: 0))) else {
                return false
            }
            return answer.file != nil
        }
    }

    @Test func `files that never uploaded anything are forgotten, and their numbers aren't used again`() throws {
        var stores = try Stores()
        defer { stores.twin.remove() }
        let queries = Queries(version: 1, queries: [ClassQuery(className: "A", condition: "TRUEPREDICATE")])
        let author = try stores.file(seen: 100)
        let (unused, subscribed, idle) = (
            try stores.file(seen: 100), try stores.file(seen: 100), try stores.file(seen: 10)
        )
        for ident in [subscribed, idle] { _ = stores.perform(.noteQueries(ident, queries, isComplete: true)) }
        _ = stores.perform(.noteQueries(unused, queries, isComplete: false))
        let fresh = try stores.file(seen: 900)
        let new = try stores.file(seen: 0)
        let copy = try stores.file(seen: 10, parents: [FileParent(ident: author, version: 0)])
        // The author's row records an upload.
        guard case .bind(let answer) = stores.perform(.bind(FileQuery(ident: author, acknowledged: 0))),
            var row = answer.file
        else {
            Issue.record("no file")
            return
        }
        row.last = 1
        var commit = StoreCommit(expected: answer.head, head: answer.head)
        commit.files = [author: row]
        _ = stores.perform(.commit(commit))
        let last = try stores.file(seen: 100)
        _ = stores.perform(.trimFiles(unused: 500, idle: 50))
        let known = [author, unused, subscribed, idle, fresh, new, copy, last].map { stores.isKnown($0) }
        expectEqual(known, [true, false, true, false, true, true, true, false])
        stores.twin.reopen()
        let next = try stores.file(seen: 100)
        expect(next > last)
        // Copies are found although rows between them are missing.
        var query = RowQuery()
        query.copies = [try stores.file(seen: 100, parents: [FileParent(ident: author, version: 0)])]
        _ = stores.perform(.read(query))
        expectEqual(stores.twin.problems, [])
    }

    @Test func `a commit of a removed file isn't kept`() throws {
        var stores = try Stores()
        defer { stores.twin.remove() }
        let (forgotten, known) = (try stores.file(seen: 100), try stores.file(seen: 900))
        let answer = StoredAnswer(
            answer: MergeAnswer(commit: 1, version: 1, clock: Clock(milliseconds: 5), refusals: []),
            hash: RunningHash.empty.appending([1], salt: 1)
        )
        guard case .bind(let bound) = stores.perform(.bind(FileQuery(ident: forgotten, acknowledged: 0))),
            let row = bound.file
        else {
            Issue.record("no file")
            return
        }
        _ = stores.perform(.trimFiles(unused: 500, idle: 500))
        let head = stores.twin.head(of: Self.stream)
        for isRow in [true, false] {
            var commit = StoreCommit(expected: head, head: head)
            commit.head.clock = Clock(milliseconds: 5)
            if isRow {
                commit.files = [forgotten: row]
            } else {
                commit.answers = [forgotten: [answer], known: [answer]]
            }
            guard case .failed(.moved) = stores.perform(.commit(commit)) else {
                Issue.record("a commit of a removed file was kept")
                return
            }
        }
        expectEqual(stores.twin.head(of: Self.stream), head)
        expectEqual(stores.twin.problems, [])
    }

    @Test func `the bytes of users' documents are kept`() throws {
        var stores = try Stores()
        defer { stores.twin.remove() }
        func used() -> [SyncString: UInt64] {
            var query = RowQuery()
            query.users = ["ann", "ben"]
            guard case .rows(let rows) = stores.perform(.read(query)) else { return [:] }
            return rows.users
        }
        _ = try stores.file(seen: 100)
        expectEqual(used(), ["ann": 0, "ben": 0])
        for growth in [["ann": 70, "ben": 5], ["ann": -30], ["ben": -9]] as [[SyncString: Int64]] {
            let head = stores.twin.head(of: Self.stream)
            var commit = StoreCommit(expected: head, head: head)
            commit.growth = growth
            _ = stores.perform(.commit(commit))
        }
        expectEqual(used(), ["ann": 40, "ben": 0])
        stores.twin.reopen()
        expectEqual(used(), ["ann": 40, "ben": 0])
        expectEqual(stores.twin.problems, [])
    }
}

/// Files of submissions, in the store in memory and in the one in files.
struct WriterRowTests {
    private static let stream = StreamName(app: "writers")

    private static func secret(_ number: UInt64) -> SecretHash { SecretHash(FileSecret(high: 9, low: number)) }

    /// Writes a commit of a file without changes.
    private static func commit(_ ident: FileIdent, _ twin: inout TwinStore, at time: Int64) {
        let query = FileQuery(ident: ident, acknowledged: 0)
        guard case .bind(let answer) = twin.perform(ServerStoreRequest(stream, .bind(query))), var row = answer.file
        else {
            Issue.record("no file")
            return
        }
        var head = answer.head
        (head.version, head.hash) = (head.version + 1, head.hash.appending([1], salt: UInt64(time)))
        head.now = time
        row.last += 1
        row.hash = row.hash.appending([2], salt: UInt64(time))
        var commit = StoreCommit(expected: answer.head, head: head)
        commit.files = [ident: row]
        let merged = MergeAnswer(commit: row.last, version: head.version, clock: .zero, refusals: [])
        commit.answers = [ident: [StoredAnswer(answer: merged, hash: row.hash)]]
        let author = PartName(ident: ident, commit: row.last)
        commit.entries = [
            LogEntry(version: head.version, hash: head.hash, clock: .zero, time: time, author: author, changes: [])
        ]
        guard case .done = twin.perform(ServerStoreRequest(stream, .commit(commit))) else {
            Issue.record("the commit isn't kept")
            return
        }
    }

    @Test func `one file belongs to a secret, and old ones are removed behind the horizon`() throws {
        var twin = try TwinStore()
        defer { twin.remove() }
        func perform(_ kind: ServerStoreRequest.Kind) -> ServerStoreAnswer {
            twin.perform(ServerStoreRequest(Self.stream, kind))
        }
        func writer(_ number: UInt64) throws -> FileIdent {
            guard case .file(let row) = perform(.openWriter(Self.secret(number))) else {
                throw CodecError(.inconsistent, "There is no file.")
            }
            return row.ident
        }
        func make(_ user: SyncString, _ parents: [FileParent] = []) throws -> FileIdent {
            let kind = ServerStoreRequest.Kind.makeFile(
                user: user,
                secret: Self.secret(100),
                parents: parents,
                clock: .zero
            )
            guard case .file(let row) = perform(kind) else { throw CodecError(.inconsistent, "There is no file.") }
            return row.ident
        }
        func isKnown(_ ident: FileIdent) -> Bool {
            guard case .bind(let answer) = perform(.bind(FileQuery(ident: ident, acknowledged: 0))) else {
                return false
            }
            return answer.file != nil
        }
        let (device, earlier, unused, parent) = (try make("ann"), try make(""), try make(""), try make(""))
        _ = try make("ann", [FileParent(ident: parent, version: 0)])
        let (first, other) = (try writer(1), try writer(2))
        expect(first != other)
        expectEqual(try writer(1), first)
        twin.reopen()
        expectEqual(try writer(1), first)
        for ident in [device, earlier, parent, first, other] { Self.commit(ident, &twin, at: 1_000) }
        let all = [device, earlier, unused, parent, first, other]
        // Nothing is behind the horizon, so only the file without commits is removed.
        _ = perform(.trimWriters(keeping: Self.secret(1)))
        expectEqual(all.map(isKnown), [true, true, false, true, true, true])
        Self.commit(first, &twin, at: 9_000)
        _ = perform(.trim(log: 5_000, horizon: 5_000))
        expectEqual(twin.head(of: Self.stream).horizon, 5)
        _ = perform(.trimWriters(keeping: Self.secret(1)))
        expectEqual(all.map(isKnown), [true, false, false, true, true, false])
        // Numbers aren't given again, and the secret of a file that was removed gets a new one.
        let again = try writer(2)
        expect(again > other)
        expectEqual(try writer(2), again)
        expectEqual(try writer(1), first)
        expectEqual(twin.problems, [])
    }

    @Test func `imports and lives of a server share one file, also in a copied store`() throws {
        let folder = NSTemporaryDirectory() + "freehold-writers-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try FileServerStore(at: folder, epoch: 7)
        func node() -> LocalNode {
            LocalNode(store, app: "writers", ServerApp()) { _ in FileSecret(high: 1, low: 2) }
        }
        func submit(_ number: Int64, _ node: inout LocalNode) {
            let change = Change.create(ObjectName("Dog", .int(number)), [NewField("list", .list(first: 1, [1, 2]))])
            let outcome = node.submit(Submission(stream: Self.stream, user: "", changes: [change]))
            guard case .done(_, let refusals) = outcome, refusals.isEmpty else {
                Issue.record("\(outcome)")
                return
            }
        }
        var (one, two) = (node(), node())
        for number in 0..<6 as Range<Int64> {
            submit(number * 2, &one)
            submit(number * 2 + 1, &two)
        }
        for number in 20..<23 as Range<Int64> {
            var node = node()
            submit(number, &node)
        }
        try store.wasCopied(epoch: 8)
        submit(30, &one)
        var later = node()
        submit(31, &later)
        expectEqual(try store.streamFiles().map(\.files), [1])
        expectEqual(try store.streamFiles().map(\.version), [17])
    }
}

/// Keys that are longer than those of new objects.
struct LongKeyRowTests {
    private static let stream = StreamName(app: "keys")

    @Test func `longer keys are found in tables and beside them, and the file is sound`() throws {
        let folder = NSTemporaryDirectory() + "freehold-keys-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try FileServerStore(at: folder, epoch: 7)
        func text(_ letter: Character, _ count: Int) -> PrimaryKey {
            .string(SyncString(String(repeating: letter, count: count)))
        }
        let names = [
            ObjectName("Word", text("a", 1_024)), ObjectName("Word", text("b", 1_025)),
            ObjectName("Word", text("é", 600)), ObjectName("Number", .int(1)),
            // The class has a table whose keys are integers.
            ObjectName("Number", text("c", 3_000)),
        ]
        for (index, name) in names.enumerated() {
            let version = StreamVersion(index + 1)
            guard case .rows(let rows) = store.perform(ServerStoreRequest(Self.stream, .read(RowQuery()))) else {
                Issue.record("no head")
                return
            }
            var commit = StoreCommit(expected: rows.head, head: rows.head)
            (commit.head.version, commit.head.hash) = (version, rows.head.hash.appending([1], salt: version))
            let ident = FileIdent(rawValue: 1)
            let author = Author(stamp: Stamp(clock: .zero, ident: ident), version: version, seen: 0)
            commit.objects = [(name, MergedObject([NewField("n", .value(.int(1)))], author))]
            commit.entries = [
                LogEntry(
                    version: version,
                    hash: commit.head.hash,
                    clock: .zero,
                    time: 0,
                    author: PartName(ident: ident, commit: version),
                    changes: [BeforeImage(name: name, object: nil)]
                )
            ]
            guard case .done = store.perform(ServerStoreRequest(Self.stream, .commit(commit))) else {
                Issue.record("\(name) isn't stored")
                return
            }
        }
        let found = try store.longKeys(of: Self.stream).sorted { $0.bytes < $1.bytes }
        expectEqual(found.map(\.className), ["Word", "Word", "Number"])
        expectEqual(found.map(\.bytes), [1_025, 1_200, 3_000])
        expectEqual(found[1].beginning, String(repeating: "é", count: 40))
        expectEqual(try store.verify(Self.stream), [])
        expectEqual(try store.longKeys(of: StreamName(app: "none")), [])
    }
}
