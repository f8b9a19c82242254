/// The merge of a group of commits into the rows that they need.
public struct GroupWork: SlicedWork {
    /// Submissions have their numbers once they are merged.
    private(set) var items: [QueuedCommit]
    private let merge: StreamMerge
    private let copies: Set<FileIdent>
    private let salt: UInt64
    private let now: Int64
    /// The maximum size of one user's documents in the stream, in bytes. 0 for an unlimited size.
    private let quota: UInt64
    private let broken: Set<BrokenRule>
    /// The rows that the group read itself, in addition to those of the stream.
    private var rows: StoreRows
    private var added: [StoreRows]

    /// The missing rows. If there are any, all other results have no meaning.
    private(set) var missing: RowQuery?
    private(set) var transaction: GroupTransaction
    private(set) var results: [(item: QueuedCommit, answer: StoredAnswer)] = []
    private(set) var faults: [CommitFault] = []
    private(set) var originals: Set<FileIdent> = []
    /// The transaction to store. `nil` if there is nothing to store.
    private(set) var commit: StoreCommit?

    private var index = 0
    private var isPrepared = false

    /// - Parameters:
    ///   - rows: The known rows at the head of the stream.
    ///   - added: The rows that were read for the group since.
    init(
        _ items: [QueuedCommit],
        _ merge: StreamMerge,
        _ rows: StoreRows,
        adding added: [StoreRows],
        copies: Set<FileIdent>,
        salt: UInt64,
        now: Int64,
        quota: UInt64,
        broken: Set<BrokenRule> = []
    ) {
        self.broken = broken
        (self.items, self.merge, self.rows, self.added, self.copies) = (items, merge, rows, added, copies)
        (self.salt, self.now, self.quota) = (salt, now, quota)
        transaction = GroupTransaction(rows)
        transaction.broken = broken
    }

    mutating func run(_ slice: inout WorkSlice) -> ServerWorkResult? {
        if !isPrepared {
            let changes = items.reduce(0) { $0 + $1.commit.changes.count }
            guard slice.begin(changes * 4) else { return nil }
            isPrepared = true
            for new in added { rows = rows.adding(new) }
            added = []
            var query = RowQuery()
            for item in items {
                query.add(item, merge.rules, lacking: rows)
                if quota > 0, rows.users[item.user] == nil { query.users.insert(item.user) }
            }
            guard query.isEmpty else { return lack(query) }
            transaction = GroupTransaction(rows)
            transaction.broken = broken
        }
        while index < items.count {
            let item = items[index]
            guard slice.begin(16 + 16 * item.commit.changes.count) else { return nil }
            do { try merge(at: index) } catch let missing as RowsMissing { return lack(missing.query) } catch {
                let (fault, text) = Self.fault(error)
                faults.append(CommitFault(item, fault, text))
            }
            index += 1
        }
        return finish()
    }

    private mutating func lack(_ query: RowQuery) -> ServerWorkResult {
        missing = query
        transaction = GroupTransaction(StoreRows(head: rows.head))
        return .group(self)
    }

    private mutating func finish() -> ServerWorkResult {
        transaction.forgetRows()
        rows = StoreRows(head: rows.head)
        if !transaction.files.isEmpty {
            var commit = StoreCommit(expected: transaction.expected, head: transaction.head)
            commit.entries = transaction.entries
            commit.objects = transaction.objects.map { ($0.name, $0.after) }
            commit.ingested = transaction.ingested
            commit.files = transaction.files
            commit.answers = transaction.answers
            commit.growth = transaction.growth
            commit.finishedParts = items.filter(\.wasSplit).map {
                PartName(ident: $0.ident, commit: $0.commit.number)
            }
            self.commit = commit
        }
        return .group(self)
    }

    private static func fault(_ error: any Error) -> (SyncFault, SyncString) {
        switch error as? MergeError {
        case .gap?: (.transient(after: 1_000), "A commit before this one is missing.")
        case .unknownVersion?: (.violation, "The commit names a version that never was.")
        // The answer to the next bind contains the horizon.
        case .behindHorizon?: (.transient(after: 0), "The commit is older than what the server keeps.")
        case nil: (.transient(after: 1_000), "The commit can't be merged now.")
        }
    }

    private mutating func merge(at index: Int) throws {
        try number(at: index)
        let item = items[index]
        let isCopy = copies.contains(item.ident) && !originals.contains(item.ident)
        guard let file = transaction.file(item.ident) else {
            throw RowsMissing { $0.files = [item.ident] }
        }
        // The store was restored to an earlier state, and has assigned the number to another file since.
        if let secret = item.secret, secret != file.secret {
            faults.append(.lostFile(item))
            return
        }
        if item.commit.number <= file.last {
            guard let stored = transaction.storedAnswer(to: item.commit.number, of: item.ident) else {
                throw MergeError.gap(expected: file.last + 1)
            }
            guard stored.hash == item.hash else {
                // A copy of the file sent another commit with this number first. The next bind determines which commits both files have.
                faults.append(CommitFault(item, .transient(after: 0), "The file is used twice."))
                return
            }
            results.append((item, stored))
            return
        }
        guard item.commit.number > file.last + 1 || item.previous == file.hash else {
            faults.append(CommitFault(item, .transient(after: 0), "The file is used twice."))
            return
        }
        if isCopy, item.submission == nil, item.commit.number == file.last + 1 {
            if let copied = try transaction.copied(item.hash, of: item.ident) {
                let answer = try transaction.adopt(copied, as: item.commit.number, of: item.ident)
                results.append((item, answer))
                return
            }
            originals.insert(item.ident)
        }
        (transaction.commitHash, transaction.commitFront) = (item.hash, item.front)
        transaction.salt = salt &+ transaction.version
        let refusal = try item.refusal ?? quotaRefusal(of: item).map { CommitRefusal($0) }
        let changed = quota > 0 && item.refusal == nil ? Set(item.commit.changes.map(\.object)) : []
        let before = try transaction.bytes(of: changed)
        let answer = try merge.apply(
            item.commit,
            from: item.ident,
            oldLists: item.oldLists,
            rights: item.rights,
            isShared: item.submission != nil,
            lensed: item.lensed,
            refusing: refusal,
            now: now,
            to: &transaction
        )
        results.append((item, StoredAnswer(answer: answer, hash: item.hash)))
        let growth = try transaction.bytes(of: changed) - before
        if growth != 0 { transaction.grow(item.user, by: growth) }
    }

    /// Assigns to a submission the number after the last commit of its file. The submission keeps its number if that number is already the next one,
    /// or if the stored answer shows that the commit with this number is the submission itself. Another process that writes under the same file may
    /// have used the number. Then no earlier attempt was stored, and none can be stored later: each attempt names the head on which it is based, and
    /// the store refuses it because that head has changed.
    private mutating func number(at index: Int) throws {
        let item = items[index]
        guard item.submission != nil, let file = transaction.file(item.ident) else { return }
        let number = item.commit.number
        if number > 0, number <= file.last {
            let stored = transaction.storedAnswer(to: number, of: item.ident)
            // Without an answer, it isn't known which commit took the number: the submission fails.
            guard let stored, stored.hash != item.hash else { return }
        } else if number == file.last + 1, item.previous == file.hash {
            return
        }
        items[index] = item.following(file)
    }

    /// Returns the reason to refuse a commit that might exceed its author's quota. Returns `nil` if the commit isn't refused. Deletions are always
    /// accepted.
    private func quotaRefusal(of item: QueuedCommit) throws -> RefusalReason? {
        guard quota > 0 else { return nil }
        let added = item.commit.changes.reduce(UInt64(0)) { sum, change in
            if case .delete = change { sum } else { sum.addingOrMax(change.estimatedSize) }
        }
        guard added > 0, try transaction.usedBytes(of: item.user).addingOrMax(added) > quota else { return nil }
        return .tooLarge
    }
}

extension StoreRows {
    /// Returns these rows together with other rows of the same head. Returns the other rows if their head differs,
    /// because rows of different heads must not be mixed.
    fileprivate func adding(_ new: StoreRows) -> StoreRows {
        var rows = self
        return rows.merge(new) ? rows : new
    }
}

/// A commit that can't be merged, and the reason for its author.
struct CommitFault: Sendable {
    let item: QueuedCommit
    let fault: SyncFault
    let text: SyncString
    /// A Boolean value that indicates whether the store doesn't have the file of the commit any more.
    private(set) var isFileLost = false

    init(_ item: QueuedCommit, _ fault: SyncFault, _ text: SyncString) {
        (self.item, self.fault, self.text) = (item, fault, text)
    }

    /// The fault of a commit whose file the store doesn't have any more. The client binds again and gets another file.
    static func lostFile(_ item: QueuedCommit) -> CommitFault {
        var fault = CommitFault(item, .transient(after: 1_000), "The file isn't known any more.")
        fault.isFileLost = true
        return fault
    }
}
