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
    /// The request for the writer's lock for the writes that wait.
    private var beginning: AsyncTurn?
    /// Requests for it that haven't been taken.
    private var turns: [AsyncTurn] = []
    private let place = WritePlace()
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

    var isBusy: Bool { !waiting.isEmpty || beginning != nil || isRunning || undelivered > 0 || underWay > 0 }

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

    /// Asks for it. `take` begins the transaction.
    ///
    /// - Parameters:
    ///   - earlier: a turn for which nothing has begun.
    ///   - ready: is called once, on any thread, when there is something to take.
    func ask(after earlier: AsyncTurn?, ready: (@Sendable () -> Void)? = nil) -> AsyncTurn {
        let turn = AsyncTurn(core, place, after: earlier, ready: ready)
        turns.append(turn)
        return turn
    }

    /// Begins the transaction for a turn, or without one if the offer has lapsed and nothing else writes now.
    ///
    /// - Returns: nil if the realm has to ask again.
    func take(_ turn: AsyncTurn) throws -> WriteTransaction? {
        turns.removeAll { $0 === turn }
        if let begun = try turn.take() { return begun }
        do throws(EngineError) { return try core.database.beginWriteNow() } catch {
            throw Realm.Error(error, fileURL: core.configuration.fileURL)
        }
    }

    /// Takes the lock that is offered to an asynchronous write, for a synchronous one. Those that wait behind other writers
    /// stop waiting: they ask again when this place runs next.
    func overtake() throws(Realm.Error) -> WriteTransaction? {
        var begun: WriteTransaction?
        for turn in turns {
            guard let new = try turn.overtake() else { continue }
            assert(begun == nil, "a file has one writer")
            begun = new
        }
        return begun
    }

    /// - Parameter earlier: the turn after which the realm asks again.
    private func begin(after earlier: AsyncTurn? = nil) {
        guard beginning == nil, !waiting.isEmpty, let mailbox = core.mailbox else { return }
        // Keeps the realm, and is used at its place only.
        let holder = CoreHolder(core: core)
        let resident = mailbox.resident
        // The call runs at this place, and so after this function.
        beginning = ask(after: earlier) {
            // In a turn of its own: a cancellation that the place was given before the lock was offered comes first.
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
