import FreeholdEngine

/// The asynchronous writes of one realm, in the order of their calls. They are used only where the realm is.
final class AsyncWrites {
    struct Item {
        let id: Realm.AsyncTransactionId
        /// A closure that runs in the transaction and may end it.
        let run: () -> Void
        /// A closure that receives the error if the write failed before it began.
        let fail: (any Error) -> Void
    }

    private unowned(unsafe) let core: RealmCore
    private var waiting: [Item] = []
    private var lastID: Realm.AsyncTransactionId = 0
    /// The request for the writer's lock for the waiting writes.
    private var beginning: AsyncTurn?
    /// The requests whose offers haven't been accepted.
    private var turns: [AsyncTurn] = []
    private let place = WritePlace()
    /// The completions that haven't run, and their results.
    private var completions: [Realm.AsyncTransactionId: Completion] = [:]
    private var undelivered = 0
    /// The completions that wait until the commits before them have reached the disk, in order.
    private var unflushed: [Realm.AsyncTransactionId] = []
    private var isFlushing = false
    private var isRunning = false
    private static let groupLimit = 64

    private struct Completion {
        var error: (any Error)?
        let run: ((any Error)?) -> Void
    }

    init(_ core: RealmCore) { self.core = core }

    /// The number of writes that wait for the lock through `ask`, or run in its transaction.
    var underWay = 0

    var isBusy: Bool { !waiting.isEmpty || beginning != nil || isRunning || undelivered > 0 || underWay > 0 }

    func newID() -> Realm.AsyncTransactionId {
        lastID &+= 1
        return lastID
    }

    func add(_ item: Item) {
        waiting.append(item)
        begin()
    }

    /// Cancels a write. Returns whether the write was waiting.
    func cancel(_ id: Realm.AsyncTransactionId) -> Bool {
        guard let i = waiting.firstIndex(where: { $0.id == id }) else { return false }
        waiting.remove(at: i)
        return true
    }

    /// Calls the completion at a later turn of the realm, after the earlier completions.
    ///
    /// - Parameter isDurable: If false, the completion waits until the commit is on the disk. Further commits may join
    ///   the group until then.
    func complete(
        _ id: Realm.AsyncTransactionId,
        _ error: (any Error)?,
        isDurable: Bool = true,
        completion: @escaping ((any Error)?) -> Void
    ) {
        undelivered += 1
        completions[id] = Completion(error: error, run: completion)
        if isDurable, unflushed.isEmpty, !isFlushing {
            let holder = CoreHolder(core: core)
            core.mailbox?.post { holder.core.asyncWrites.deliver([id]) }
            return
        }
        unflushed.append(id)
        if isDurable || !isRunning || unflushed.count >= Self.groupLimit { flush() }
    }

    private func deliver(_ ids: [Realm.AsyncTransactionId]) {
        undelivered -= ids.count
        for id in ids {
            guard let completion = completions.removeValue(forKey: id) else { continue }
            completion.run(completion.error)
        }
    }

    /// Makes the commits of the group durable, on a thread that doesn't belong to the realm.
    private func flush() {
        guard !isFlushing, !unflushed.isEmpty, let mailbox = core.mailbox else { return }
        isFlushing = true
        let group = unflushed
        unflushed = []
        let holder = CoreHolder(core: core)
        let database = core.database
        let resident = mailbox.resident
        Task.detached {
            defer { withExtendedLifetime(resident) {} }
            var failure: EngineError?
            do throws(EngineError) { try database.makeDurable() } catch { failure = error }
            let found = failure
            mailbox.post { holder.core.asyncWrites.didFlush(group, found) }
        }
    }

    private func didFlush(_ group: [Realm.AsyncTransactionId], _ failure: EngineError?) {
        isFlushing = false
        if let failure {
            let error = Realm.Error(failure, fileURL: core.configuration.fileURL)
            for id in group where completions[id]?.error == nil { completions[id]?.error = error }
        }
        deliver(group)
        // Commits that were made meanwhile form a new group.
        if !isRunning, waiting.isEmpty { flush() }
    }

    /// Removes a completion. The commit remains valid.
    func cancelCompletion(_ id: Realm.AsyncTransactionId) { completions[id] = nil }

    // MARK: The writer's lock

    /// Requests the lock. `take` then begins the transaction.
    ///
    /// - Parameters:
    ///   - earlier: A request that ended without a transaction.
    ///   - ready: A closure that is called once, on any thread, when an offer or an error is available.
    func ask(after earlier: AsyncTurn?, ready: (@Sendable () -> Void)? = nil) -> AsyncTurn {
        let turn = AsyncTurn(core, place, after: earlier, ready: ready)
        turns.append(turn)
        return turn
    }

    /// Begins the transaction for a request. If the offer has expired, the transaction begins if no other writer is
    /// active.
    ///
    /// - Returns: The transaction, or nil if the realm has to make a new request.
    func take(_ turn: AsyncTurn) throws -> WriteTransaction? {
        turns.removeAll { $0 === turn }
        if let begun = try turn.take() { return begun }
        do throws(EngineError) { return try core.database.beginWriteNow() } catch {
            throw Realm.Error(error, fileURL: core.configuration.fileURL)
        }
    }

    /// Begins a synchronous write with a lock that is offered to an asynchronous write. Asynchronous requests that wait
    /// for other writers end, and are made again when this place runs next.
    func overtake() throws(Realm.Error) -> WriteTransaction? {
        var begun: WriteTransaction?
        for turn in turns {
            guard let new = try turn.overtake() else { continue }
            assert(begun == nil, "a file has one writer")
            begun = new
        }
        return begun
    }

    /// - Parameter earlier: The request after which the realm makes a new one.
    private func begin(after earlier: AsyncTurn? = nil) {
        guard beginning == nil, !waiting.isEmpty, let mailbox = core.mailbox else { return }
        // The holder keeps the realm alive, and is used only at the realm's place.
        let holder = CoreHolder(core: core)
        let resident = mailbox.resident
        // The closure runs at this place, so it runs after this function.
        beginning = ask(after: earlier) {
            // The call has its own turn, so that a cancellation that was sent to the place earlier is processed first.
            mailbox.postTurn { holder.core.asyncWrites.didBegin() }
            withExtendedLifetime(resident) {}
        }
    }

    private struct CoreHolder: @unchecked Sendable {
        let core: RealmCore
    }

    private func didBegin() {
        guard let turn = beginning else { return }
        beginning = nil
        var earlier: AsyncTurn?
        do {
            if let transaction = try take(turn) { run(transaction) } else { earlier = turn }
        } catch {
            fail(error)
        }
        if !isRunning, waiting.isEmpty { flush() }
        begin(after: earlier)
    }

    private func run(_ transaction: WriteTransaction) {
        guard !waiting.isEmpty else { return transaction.cancel() }
        let item = waiting.removeFirst()
        isRunning = true
        do throws(Realm.Error) {
            try core.checkFits(transaction.schema)
            core.adopt(transaction)
            core.file.willRunBlock(transaction)
            item.run()
            if core.transaction != nil { core.cancel() }
        } catch {
            transaction.cancel()
            item.fail(error)
        }
        isRunning = false
    }

    private func fail(_ error: any Error) {
        let failed = waiting
        waiting = []
        for item in failed { item.fail(error) }
    }
}
