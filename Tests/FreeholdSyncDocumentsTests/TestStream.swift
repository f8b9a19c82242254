import FreeholdBSON
import FreeholdEngine
import FreeholdSyncDocuments
import Testing

@testable import FreeholdSyncCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A stream in memory, which accepts commits like a server's machine.
struct TestStream {
    static let name = StreamName(app: "app")

    private(set) var store = MemoryServerStore(epoch: 7)
    private let merge = StreamMerge(MergeRules())
    private var numbers: [FileIdent: UInt64] = [:]
    private var clock: Int64 = 1_000

    mutating func file() -> FileIdent {
        let secret = SecretHash(FileSecret(high: 1, low: 2))
        let kind = ServerStoreRequest.Kind.makeFile(user: "anna", secret: secret, parents: [], clock: .zero)
        guard case .file(let row) = store.perform(ServerStoreRequest(Self.name, kind)) else { fatalError("no file") }
        return row.ident
    }

    var head: StreamHead { store.head(of: Self.name) }

    func contents(_ name: ObjectName) -> [SyncString: MergedContent]? {
        store.contents(of: Self.name)[name]?.contents
    }

    func stored(_ names: [ObjectName]) -> [ObjectName: DocumentImport.Stored] {
        let all = store.contents(of: Self.name)
        var stored: [ObjectName: DocumentImport.Stored] = [:]
        for name in names { stored[name] = all[name].flatMap { DocumentImport.Stored($0) } }
        return stored
    }

    mutating func nextNumber(of ident: FileIdent) -> UInt64 { (numbers[ident] ?? 0) + 1 }

    mutating func tick() -> Clock {
        clock += 10
        return Clock(milliseconds: clock)
    }

    /// A commit of changes to objects as they are now.
    mutating func commit(_ changes: [Change], from ident: FileIdent) -> Commit {
        let names = Array(Set(changes.map(\.object)))
        return Commit(
            number: nextNumber(of: ident),
            clock: tick(),
            base: head.version,
            seen: stored(names).mapValues(\.version),
            changes: changes
        )
    }

    /// - Returns: what was refused.
    @discardableResult
    mutating func take(_ commit: Commit, from ident: FileIdent) throws -> [Refusal] {
        var rows = StoreRows(head: head)
        while true {
            var transaction = GroupTransaction(rows)
            do {
                let answer = try merge.apply(commit, from: ident, now: clock, to: &transaction)
                var done = StoreCommit(expected: transaction.expected, head: transaction.head)
                done.entries = transaction.entries
                done.objects = transaction.objects.map { ($0.name, $0.after) }
                done.files = transaction.files
                done.answers = transaction.answers
                guard case .done = store.perform(ServerStoreRequest(Self.name, .commit(done))) else {
                    fatalError("not done")
                }
                numbers[ident] = commit.number
                return answer.refusals
            } catch let missing as RowsMissing {
                guard case .rows(let new) = store.perform(ServerStoreRequest(Self.name, .read(missing.query))) else {
                    fatalError("no rows")
                }
                rows.objects.merge(new.objects) { $1 }
                rows.files.merge(new.files) { $1 }
                rows.clocks.merge(new.clocks) { $1 }
                rows.head = new.head
            }
        }
    }

    mutating func step(after cursor: Cursor, objects: Int = 1) -> StreamStep? {
        guard
            case .step(let step) = store.perform(
                ServerStoreRequest(Self.name, .step(after: cursor, objects: objects))
            )
        else { return nil }
        return step
    }
}

/// How often random tests run.
let soak = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] != nil ? 50 : 1

extension MergedContent {
    /// Returns the content without the values of properties that were never written: nulls and empty collections, at
    /// any depth.
    var packed: MergedContent? {
        switch self {
        case .value(.null): nil
        case .value, .set([:]), .list([]), .dictionary([:]):
            self == .set([:]) || self == .list([]) || self == .dictionary([:]) ? nil : self
        case .embedded(let fields): .embedded(fields.compactMapValues(\.packed))
        case .list(let elements): .list(elements.map { $0.packed ?? .value(.null) })
        case .set: self
        case .dictionary(let entries): .dictionary(entries.mapValues { $0.packed ?? .value(.null) })
        }
    }
}

extension [SyncString: MergedContent] {
    var packed: [SyncString: MergedContent] { compactMapValues(\.packed) }
}
