import FreeholdEngine

/// A file that is created by several transactions.
///
/// Its memory is the budget of a transaction, and the keys of embedded objects whose owner hasn't been created yet.
final class ImportDraft {
    private let database: Database
    private(set) var transaction: WriteTransaction
    /// The number of transactions so far.
    private(set) var parts = 1

    init(_ path: String, _ options: Database.Options) throws(EngineError) {
        var options = options
        options.isDraft = true
        database = try Database.open(at: path, options: options)
        transaction = try database.beginWrite()
    }

    // The call has no effect after a commit.
    deinit { transaction.cancel() }

    /// Commits the present data if it is large. Must be called between clusters: tables remain valid, but iterators of
    /// the transaction don't.
    func endPart() throws(EngineError) {
        guard transaction.isLarge else { return }
        let waiting = transaction.takeUnowned()
        // Only the last commit has to be on the disk before the file gets its name. It also makes the earlier ones
        // durable.
        _ = try transaction.commit(durably: false)
        database.releasePages()
        transaction = try database.beginWrite()
        transaction.wait(for: waiting)
        parts += 1
    }

    /// Commits the remaining data. The file is then durable.
    func finish() throws(EngineError) -> Snapshot {
        let snapshot = try transaction.commit()
        // A transaction without changes doesn't make earlier ones durable.
        if parts > 1 { try database.makeDurable() }
        return snapshot
    }
}
