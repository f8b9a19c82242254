/// The file's own work on fields of an object that another file created under the same key. It is recorded before an
/// update that may replace it.
struct ContestedWork {
    private let name: ObjectName
    /// The content of the fields according to answered work.
    private let mine: [SyncString: MergedContent]
    private let commit: UInt64

    /// Returns `nil` if the file has no such work on the fields.
    init?(_ fields: [ContestedField], of name: ObjectName, in transaction: some ClientTransaction) throws {
        let shadow = try transaction.shadow(of: name)
        let held = try (shadow.map(\.version) ?? transaction.version(of: name)) ?? 0
        let new = Set(fields.filter { $0.version > held }.map(\.name))
        guard !new.isEmpty,
            let contents = try shadow.map(\.answeredContents) ?? transaction.contents(of: name)
        else { return nil }
        let work = try Self.work(on: new, of: name, shadow, in: transaction)
        guard let commit = work.values.max() else { return nil }
        self.name = name
        self.commit = commit
        mine = contents.filter { work[$0.key] != nil }
    }

    /// Returns the file's last answered commit that wrote to each field.
    private static func work(
        on fields: Set<SyncString>,
        of name: ObjectName,
        _ shadow: Shadow?,
        in transaction: some ClientTransaction
    ) throws -> [SyncString: UInt64] {
        var work: [SyncString: UInt64] = [:]
        func note(_ change: Change, _ commit: UInt64) {
            guard change.object == name else { return }
            for field in change.writtenFields where fields.contains(field) { work[field] = commit }
        }
        let state = transaction.state
        var number = state.firstKept
        while number < state.firstPending {
            for change in try transaction.commit(number)?.commit.changes ?? [] { note(change, number) }
            number += 1
        }
        for pending in shadow?.pending ?? [] where pending.version != nil { note(pending.change, pending.commit) }
        return work
    }

    /// Returns the part of the work that the update replaced. Returns `nil` if it replaced nothing.
    func refusal(_ transaction: some ClientTransaction) throws -> Refusal? {
        let shadow = try transaction.shadow(of: name)
        guard let now = try shadow.map(\.confirmedContents) ?? transaction.contents(of: name) else { return nil }
        var resolver = EditResolver(commit: commit, objects: [:], lastNumber: 0)
        let lost = mine.sorted { $0.key < $1.key }.compactMap { field, content in
            content.lost(in: now[field]).map { resolver.newField(field, $0, .real) }
        }
        if lost.isEmpty { return nil }
        return Refusal(commit: commit, index: 0, change: .create(name, lost), reason: .replaced)
    }
}

extension Change {
    /// The fields of the object that the change writes to.
    fileprivate var writtenFields: [SyncString] {
        switch self {
        case .create(_, let fields): fields.filter { $0.origin == .real }.map(\.name)
        case .delete: []
        default: if case .property(let name)? = place?.path.first { [name] } else { [] }
        }
    }
}
