internal import Synchronization

/// The requests of one place for the writer lock. A place is a queue, an actor or a thread with a run loop.
package final class WritePlace: Sendable {
    private let turns = Mutex<[ObjectIdentifier: WriteTurn]>([:])

    package init() {}

    fileprivate func add(_ turn: WriteTurn) { turns.withLock { $0[ObjectIdentifier(turn)] = turn } }

    fileprivate func remove(_ turn: WriteTurn) { _ = turns.withLock { $0.removeValue(forKey: ObjectIdentifier(turn)) } }

    /// Removes all waiting turns of the place from the queue for the lock, because the place is busy.
    fileprivate func withdraw() {
        let all = turns.withLock { Array($0.values) }
        for turn in all { turn.withdraw() }
    }
}

/// One request for a write transaction by a place that does other work in the meantime.
///
/// The lock is offered to the place as soon as it is free. The place accepts the offer when it runs the next time. The place may be busy for any
/// time, so an offer lapses after ``patience``, and the next writer receives the lock. The place then requests the lock again when it runs, with the
/// same ticket, so that it is the first in the queue.
package final class WriteTurn: Sendable {
    /// The time for which the lock is held for a place that doesn't accept it.
    package static let patience = Duration.milliseconds(10)

    private enum Stage {
        case waiting(WriterWaiter?)
        /// The lock is held for the place.
        case offered
        case failed(EngineError)
        /// The offer was accepted or has lapsed, or the turn was given up.
        case over
    }

    private struct State {
        var stage = Stage.waiting(nil)
        var alarm: AlarmClock.Alarm?
        var ready: (@Sendable () -> Void)?
    }

    private let database: Database
    private let place: WritePlace
    private let timing: WriteTiming?
    private let state: Mutex<State>
    /// The position in the order of all requests of the process.
    package let ticket: UInt64

    /// Requests the lock.
    ///
    /// - Parameters:
    ///   - ticket: the ticket of an earlier turn that has ended without a transaction.
    ///   - deadline: the end of the wait for other writers.
    ///   - ready: a closure that is called once when the place can call `take`, on any thread, possibly before this initialiser returns.
    package init(
        _ database: Database,
        _ place: WritePlace,
        ticket: UInt64? = nil,
        until deadline: ContinuousClock.Instant? = nil,
        ready: @escaping @Sendable () -> Void
    ) {
        self.database = database
        self.place = place
        self.ticket = ticket ?? database.core.writerLock.newTicket()
        timing = Diagnostics.start(.writes).map { WriteTiming(asked: $0) }
        state = Mutex(State(ready: ready))
        place.add(self)
        start(deadline)
    }

    private var lock: WriterLock { database.core.writerLock }

    private func start(_ deadline: ContinuousClock.Instant?) {
        do throws(EngineError) {
            try database.checkWritable()
            try lock.checkProcess()
        } catch {
            return end(.failed(error))
        }
        let waiter = WriterWaiter(ticket: ticket) { [self] outcome in
            guard case .granted = outcome else { return }
            takeFile()
        }
        state.withLock { $0.stage = .waiting(waiter) }
        if lock.enqueue(waiter) { takeFile() }
        guard let deadline else { return }
        state.withLock { state in
            guard case .waiting = state.stage else { return }
            state.alarm = AlarmClock.current.set(deadline) { [self] in giveUp(.failed(lock.busyError)) }
        }
    }

    /// Takes the locks of the file. The turn holds the process's turn.
    private func takeFile() {
        do throws(EngineError) {
            if try lock.lockFileAtOnce(wait: false) { return offer() }
        } catch {
            return end(.failed(error))
        }
        let waiter = WriterWaiter { [self] outcome in
            switch outcome {
            case .granted: offer()
            case .failed(let error): end(.failed(error))
            case .cancelled, .late: break
            }
        }
        let isWaiting = state.withLock { state in
            guard case .waiting = state.stage else { return false }
            state.stage = .waiting(waiter)
            return true
        }
        if isWaiting { lock.lockFileElsewhere(waiter) } else { lock.passOn() }
    }

    /// Offers the lock to the place for a limited time.
    private func offer() {
        let isOffered = state.withLock { state in
            guard case .waiting = state.stage else { return false }
            state.stage = .offered
            state.alarm?.cancel()
            // The alarm retains this turn, and with it the lock, until it runs.
            state.alarm = AlarmClock.current.set(.now + Self.patience) { [self] in lapse() }
            return true
        }
        if isOffered { callReady() } else { lock.release() }
    }

    private func lapse() {
        let isLapsed = state.withLock { state in
            guard case .offered = state.stage else { return false }
            state.stage = .over
            return true
        }
        guard isLapsed else { return }
        place.remove(self)
        // Otherwise the next turn of the place would be offered the lock and would hold it for the same time.
        place.withdraw()
        lock.release()
    }

    /// Ends a wait that is in progress, and notifies the place.
    ///
    /// - Parameter waiter: The waiter that leaves the queue, before the place is notified. If the lock was granted in between, the waiter's block
    ///   releases it.
    private func end(_ stage: Stage, leaving waiter: WriterWaiter? = nil) {
        let isEnded = state.withLock { state in
            guard case .waiting = state.stage else { return false }
            state.stage = stage
            state.alarm?.cancel()
            state.alarm = nil
            return true
        }
        if let waiter { lock.leave(waiter, .cancelled) }
        guard isEnded else { return }
        if case .failed(let error) = stage { database.tell(timing, error) }
        place.remove(self)
        callReady()
    }

    /// Like `end(_:)`, and also removes the turn from the queue.
    private func giveUp(_ stage: Stage) {
        let waiter = state.withLock { state -> WriterWaiter? in
            guard case .waiting(let waiter) = state.stage else { return nil }
            return waiter
        }
        end(stage, leaving: waiter)
    }

    private func callReady() {
        let ready = state.withLock { state in
            defer { state.ready = nil }
            return state.ready
        }
        ready?()
    }

    fileprivate func withdraw() { giveUp(.over) }

    /// Cancels the request if the lock hasn't been offered. `take` then throws `.cancelled`. Any thread may call it.
    package func cancel() { giveUp(.failed(WriterLock.cancellation(database.path))) }

    /// Accepts the lock if it is offered, and begins the transaction. The place calls it after `ready`.
    ///
    /// - Returns: the transaction, or `nil` if the turn has ended without one. The place then requests the lock again.
    /// - Throws: the reason why the lock wasn't offered, or why a transaction can't begin.
    package func take() throws(EngineError) -> WriteTransaction? {
        switch close() {
        case .offered: return try database.begin(timing)
        case .failed(let error): throw error
        case .waiting, .over: return nil
        }
    }

    /// Accepts the lock if it is offered, for a synchronous write of the place. Otherwise the turn ends, because a place that waits for the lock
    /// can't accept an offer.
    package func overtake() throws(EngineError) -> WriteTransaction? {
        giveUp(.over)
        let isOffered = state.withLock { state -> Bool in
            if case .offered = state.stage { return true }
            return false
        }
        return isOffered ? try take() : nil
    }

    private func close() -> Stage {
        let stage = state.withLock { state in
            let stage = state.stage
            if case .waiting = stage { return stage }
            state.stage = .over
            state.alarm?.cancel()
            state.alarm = nil
            return stage
        }
        if case .waiting = stage { giveUp(.over) }
        place.remove(self)
        return stage
    }
}
