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
    /// Requests for it that haven't been taken.
    private var turns: [AsyncTurn] = []
    /// Completions that haven't run, with what they will be told.
    private var completions: [Realm.AsyncTransactionId: Completion] = [:]
    private var undelivered = 0
    /// Those that wait until commits before them have reached the disk, in order.
    private var unflushed: [Realm.AsyncTransactionId] = []
    private var isFlushing = false
    private var isRunning = false
    private static let groupLimit = 64

    private struct Completion {
        var error: (any Error)?
        let run: ((any Error)?) -> Void
    }

    init(_ core: RealmCore) { self.core = core }

    /// Writes that wait for the lock by `ask`, or run in what it gave them.
    var underWay = 0

    var isBusy: Bool { !waiting.isEmpty || isBeginning || isRunning || undelivered > 0 || underWay > 0 }

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

    /// Calls the completion at a later turn of the realm, after those before it.
    ///
    /// - Parameter isDurable: if false, not before the disk has the commit; until then others join the group.
    func complete(
        _ id: Realm.AsyncTransactionId,
        _ error: (any Error)?,
        isDurable: Bool = true,
        _ completion: @escaping ((any Error)?) -> Void
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

    /// Makes the commits of the group durable, on no thread of the realm's.
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
        // Those that came meanwhile are a group of their own.
        if !isRunning, waiting.isEmpty { flush() }
    }

    /// The commit stands; nobody is told.
    func cancelCompletion(_ id: Realm.AsyncTransactionId) { completions[id] = nil }

    // MARK: The writer's lock

    /// Asks for it. What comes of it is to be taken by `take`.
    func ask() -> AsyncTurn {
        let turn = AsyncTurn(core.database, core.configuration)
        turns.append(turn)
        return turn
    }

    /// What was begun for a turn; nil if a synchronous write was faster.
    func take(_ turn: AsyncTurn) throws -> WriteTransaction? {
        turns.removeAll { $0 === turn }
        return try turn.take()
    }

    /// For a synchronous write: what was begun for an asynchronous one that hasn't come to take it. Those that wait behind
    /// other writers stop waiting: they ask again when this place comes to them.
    func overtake() -> WriteTransaction? {
        let begun = turns.compactMap { $0.overtake() }
        assert(begun.count < 2, "a file has one writer")
        return begun.first
    }

    private func begin() {
        guard !isBeginning, !waiting.isEmpty, let mailbox = core.mailbox else { return }
        isBeginning = true
        // Keeps the realm, and is used at its place only.
        let holder = CoreHolder(core: core)
        let turn = ask()
        let resident = mailbox.resident
        Task.detached {
            await turn.wait()
            mailbox.post { holder.core.asyncWrites.didBegin(turn) }
            withExtendedLifetime(resident) {}
        }
    }

    private struct CoreHolder: @unchecked Sendable {
        let core: RealmCore
    }

    private func didBegin(_ turn: AsyncTurn) {
        isBeginning = false
        do {
            if let transaction = try take(turn) { run(transaction) }
        } catch {
            fail(error)
        }
        if !isRunning, waiting.isEmpty { flush() }
        begin()
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
