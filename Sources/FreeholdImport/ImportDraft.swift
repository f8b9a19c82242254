import FreeholdEngine

/// A file that is being made, by one transaction after another.
///
/// Memory: the budget of a transaction, and the keys of embedded objects whose owner hasn't come yet.
final class ImportDraft {
    private let database: Database
    private(set) var transaction: WriteTransaction
    /// Transactions until now.
    private(set) var parts = 1

    init(_ path: String, _ options: Database.Options) throws(EngineError) {
        var options = options
        options.isDraft = true
        database = try Database.open(at: path, options: options)
        transaction = try database.beginWrite()
    }

    // Does nothing after a commit.
    deinit { transaction.cancel() }

    /// Commits what is there if it is large. To be called between clusters: tables stay good, iterators of the transaction don't.
    func endPart() throws(EngineError) {
        guard transaction.isLarge else { return }
        let waiting = transaction.takeUnowned()
        // Only the last one has to be on the disk before the file gets its name: it takes the others with it.
        _ = try transaction.commit(durably: false)
        database.releasePages()
        transaction = try database.beginWrite()
        transaction.wait(for: waiting)
        parts += 1
    }

    /// Commits the rest; the file is durable.
    func finish() throws(EngineError) -> Snapshot {
        let snapshot = try transaction.commit()
        // A transaction without changes takes nothing with it.
        if parts > 1 { try database.makeDurable() }
        return snapshot
    }
}
