import FreeholdEngine

/// The asynchronous writes of one realm, in the order in which they were asked for. Used where the realm is.
final class AsyncWrites {
    struct Item {
        let id: Realm.AsyncTransactionId
        /// Runs in the transaction, which it may end.
        let run: () -> Void
        /// Gets the error by which the write failed before it began.
        let fail: (any Error) -> Void
    }

    private unowned(unsafe) let core: RealmCore
    private var waiting: [Item] = []
    private var lastID: Realm.AsyncTransactionId = 0
    /// Whether the writer's lock was asked for.
    private var isBeginning = false
    /// Completions that haven't run.
    private var completions: [Realm.AsyncTransactionId: (any Error) -> Void] = [:]
    private var undelivered = 0

    init(_ core: RealmCore) { self.core = core }

    var isBusy: Bool { !waiting.isEmpty || isBeginning || undelivered > 0 }

    func newID() -> Realm.AsyncTransactionId {
        lastID &+= 1
        return lastID
    }

    func add(_ item: Item) {
        waiting.append(item)
        begin()
    }

    /// Whether it was waiting.
    func cancel(_ id: Realm.AsyncTransactionId) -> Bool {
        guard let i = waiting.firstIndex(where: { $0.id == id }) else { return false }
        waiting.remove(at: i)
        return true
    }

    /// Calls the completion at the realm's next turn.
    func complete(_ id: Realm.AsyncTransactionId, _ completion: @escaping () -> Void) {
        undelivered += 1
        completions[id] = { _ in }
        let core = core
        core.mailbox?.post {
            core.asyncWrites.undelivered -= 1
            if core.asyncWrites.completions.removeValue(forKey: id) != nil { completion() }
        }
    }

    /// The commit stands; nobody is told.
    func cancelCompletion(_ id: Realm.AsyncTransactionId) { completions[id] = nil }

    // MARK: The writer's lock

    private func begin() {
        guard !isBeginning, !waiting.isEmpty, let mailbox = core.mailbox else { return }
        isBeginning = true
        // Keeps the realm, and is used at its place only.
        let holder = CoreHolder(core: core)
        let database = core.database
        let configuration = core.configuration
        Task.detached {
            do {
                let transaction = Handover(try await database.beginWaiting(configuration))
                mailbox.post { holder.core.asyncWrites.run(transaction.take()) }
            } catch {
                mailbox.post { holder.core.asyncWrites.fail(error) }
            }
        }
    }

    private struct CoreHolder: @unchecked Sendable {
        let core: RealmCore
    }

    private func run(_ transaction: WriteTransaction) {
        isBeginning = false
        guard !waiting.isEmpty else { return transaction.cancel() }
        let item = waiting.removeFirst()
        do throws(Realm.Error) { try core.checkFits(transaction.schema) } catch {
            transaction.cancel()
            item.fail(error)
            return begin()
        }
        core.adopt(transaction)
        item.run()
        if core.transaction != nil { core.cancel() }
        begin()
    }

    private func fail(_ error: any Error) {
        isBeginning = false
        let failed = waiting
        waiting = []
        for item in failed { item.fail(error) }
    }
}
