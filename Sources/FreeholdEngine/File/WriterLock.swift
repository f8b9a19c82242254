import CFreeholdShims
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// The right to write to one file: held by one transaction at a time, in this process and in all others.
///
/// Inside the process, threads and tasks wait in one queue and are served in order. Across processes the head of
/// the queue takes two locks on a file of its own: first the turnstile, then the holder's; with the second it gives
/// up the first. So a process that releases and wants it again stands behind one that waits. The kernel releases
/// both when a process dies. Nothing is ever written to that file.
final class WriterLock: Sendable {
    private static let turnstile: Int64 = 0
    private static let holder: Int64 = 1

    private let path: String?
    private let generation = ForkGeneration.current
    private let state = Mutex(State())

    private struct State {
        /// Someone in the process holds the lock, or is the one who waits for other processes.
        var isTaken = false
        /// In the order of their tickets.
        var waiters: [WriterWaiter] = []
        var lastTicket: UInt64 = 0
        /// Used by whoever has taken the lock in the process. Negative where the file was deleted and couldn't be opened
        /// again: who takes the lock next tries anew.
        var descriptor: Int32 = -1
        /// A thread waits for other processes, for somebody who may have given up meanwhile.
        var isWaitingElsewhere = false
        /// The file was to be closed while that thread waited; the thread closes it.
        var closesLater = false
        var isClosed = false
    }

    /// - Parameter path: the lock's file, created where missing, or `nil` if no other process can reach the database.
    init(path: String?) throws(EngineError) {
        self.path = path
        if path != nil { try openFile() }
    }

    deinit { close() }

    // MARK: Taking and giving

    /// Waits for the lock, blocking the thread.
    ///
    /// - Throws: `.busy` if others have it at the deadline.
    func acquire(until deadline: ContinuousClock.Instant? = nil) throws(EngineError) {
        try checkProcess()
        let waiter = WriterWaiter(ticket: newTicket())
        if !enqueue(waiter) { try settle(waiter, waiter.wait(until: deadline)) }
        guard try lockFileAtOnce(wait: deadline == nil) else {
            let waiter = WriterWaiter()
            lockFileElsewhere(waiter)
            return try settle(waiter, waiter.wait(until: deadline))
        }
    }

    /// Takes the lock if nobody has it or waits for it.
    func tryAcquire() throws(EngineError) -> Bool {
        try checkProcess()
        let isMine = state.withLock { state in
            guard !state.isTaken else { return false }
            state.isTaken = true
            return true
        }
        guard isMine else { return false }
        do {
            if try lockFile(wait: false) { return true }
        } catch {
            passOn()
            throw error
        }
        passOn()
        return false
    }

    /// Waits for the lock without blocking a thread of the cooperative pool. A task that is cancelled leaves at once.
    ///
    /// - Throws: `.cancelled` if the task was cancelled; `.busy` if others have the lock at the deadline.
    func acquireAsync(until deadline: ContinuousClock.Instant? = nil) async throws(EngineError) {
        try checkProcess()
        if Task.isCancelled { throw Self.cancellation(path) }
        let waiter = WriterWaiter(ticket: newTicket())
        if !enqueue(waiter) { try settle(waiter, await outcome(of: waiter, until: deadline)) }
        if try !lockFileAtOnce(wait: false) {
            let waiter = WriterWaiter()
            lockFileElsewhere(waiter)
            try settle(waiter, await outcome(of: waiter, until: deadline))
        }
        if Task.isCancelled {
            release()
            throw Self.cancellation(path)
        }
    }

    /// Gives the lock up. Any thread may.
    func release() {
        guard generation.isCurrent else { return }
        let descriptor = state.withLock { state in
            precondition(state.isTaken, "The writer lock isn't held.")
            return state.descriptor
        }
        if path != nil { _ = fh_ofd_unlock(descriptor, Self.holder, 1) }
        passOn()
    }

    /// Closes the file, which also gives up what is held. In a forked child it does nothing: the lock is the
    /// parent's.
    func close() {
        guard generation.isCurrent else { return }
        state.withLock { state in
            if state.isWaitingElsewhere {
                state.closesLater = true
                return
            }
            state.isClosed = true
            Self.closeFile(&state)
        }
    }

    private static func closeFile(_ state: inout State) {
        if state.descriptor >= 0 { Platform.close(state.descriptor) }
        state.descriptor = -1
    }

    static func cancellation(_ path: String?) -> EngineError {
        EngineError(.cancelled, "The task was cancelled while it waited to write.", path: path, underlying: ECANCELED)
    }

    func checkProcess() throws(EngineError) {
        guard generation.isCurrent else {
            throw EngineError(
                .environmentClosed,
                "The file was opened before a fork: open it again in the child process.",
                path: path
            )
        }
    }

    /// The lock's file, in which nothing is ever written, or `nil` if there is none.
    var fileDescriptor: Int32? { state.withLock { $0.descriptor < 0 ? nil : $0.descriptor } }

    /// How many threads and tasks of this process stand in the queue; the holder isn't one of them.
    var waitingCount: Int { state.withLock { $0.waiters.count } }

    // MARK: Inside the process

    /// Returns a place in the order of the queue, behind all that were given before.
    func newTicket() -> UInt64 {
        state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
    }

    /// Takes the process's turn, or adds the waiter to the queue for it, at the place of its ticket.
    ///
    /// - Returns: true if the turn is the caller's.
    func enqueue(_ waiter: WriterWaiter) -> Bool {
        state.withLock { state in
            guard state.isTaken else {
                state.isTaken = true
                return true
            }
            let place = state.waiters.lastIndex { $0.ticket <= waiter.ticket }.map { $0 + 1 } ?? 0
            state.waiters.insert(waiter, at: place)
            return false
        }
    }

    /// Gives the process's turn to the next in the queue. Waiters that have left get none.
    func passOn() {
        while true {
            let next = state.withLock { state -> WriterWaiter? in
                guard !state.waiters.isEmpty else {
                    state.isTaken = false
                    return nil
                }
                return state.waiters.removeFirst()
            }
            guard let next, !next.finish(.granted) else { return }
        }
    }

    /// Ends a wait that hasn't ended.
    func leave(_ waiter: WriterWaiter, _ outcome: WriterWaiter.Outcome) {
        if waiter.finish(outcome) { state.withLock { $0.waiters.removeAll { $0 === waiter } } }
    }

    private func outcome(
        of waiter: WriterWaiter,
        until deadline: ContinuousClock.Instant?
    ) async -> WriterWaiter.Outcome {
        let timer = deadline.map { deadline in
            Task.detached {
                guard (try? await Task.sleep(until: deadline, clock: .continuous)) != nil else { return }
                self.leave(waiter, .late)
            }
        }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await waiter.wait()
        } onCancel: {
            leave(waiter, .cancelled)
        }
    }

    private func settle(_ waiter: WriterWaiter, _ outcome: WriterWaiter.Outcome) throws(EngineError) {
        switch outcome {
        case .granted: return
        case .failed(let error): throw error
        case .cancelled: throw Self.cancellation(path)
        case .late:
            // A thread ends its wait itself.
            state.withLock { $0.waiters.removeAll { $0 === waiter } }
            throw busyError
        }
    }

    var busyError: EngineError { EngineError(.busy, "Other writers were at work for too long.", path: path) }

    // MARK: Across processes

    /// Takes the locks of the file as the one whose turn it is, and gives the turn up if that fails.
    ///
    /// - Returns: false if another process has them, and `wait` is false.
    func lockFileAtOnce(wait: Bool) throws(EngineError) -> Bool {
        do { return try lockFile(wait: wait) } catch {
            passOn()
            throw error
        }
    }

    /// Waits for other processes on a thread made for it, which nothing can interrupt, and then ends the waiter's wait. A
    /// waiter may give up before: then the thread passes the turn on.
    func lockFileElsewhere(_ waiter: WriterWaiter) {
        state.withLock { $0.isWaitingElsewhere = true }
        let thread = WriterThread()
        thread.async {
            var failure: EngineError?
            do throws(EngineError) { _ = try self.lockFile(wait: true) } catch { failure = error }
            let isClosing = self.state.withLock { state in
                state.isWaitingElsewhere = false
                return state.closesLater
            }
            if isClosing { self.close() }
            if let failure {
                self.passOn()
                _ = waiter.finish(.failed(failure))
            } else if !waiter.finish(.granted) {
                self.release()
            }
            withExtendedLifetime(thread) {}
        }
    }

    /// Takes the locks of the file; false if that would take waiting and `wait` is. Only by the one whose turn it
    /// is in the process.
    private func lockFile(wait: Bool) throws(EngineError) -> Bool {
        guard path != nil else { return true }
        while true {
            let (descriptor, isClosed) = state.withLock { ($0.descriptor, $0.isClosed) }
            if isClosed { throw EngineError(.environmentClosed, "The file has been closed.", path: path) }
            guard descriptor >= 0 else {
                try openFile()
                continue
            }
            for byte in [Self.turnstile, Self.holder] {
                let code = fh_ofd_lock(descriptor, byte, 1, 1, wait ? 1 : 0)
                guard code == 0 else {
                    _ = fh_ofd_unlock(descriptor, 0, 2)
                    if !wait, code == EAGAIN || code == EACCES { return false }
                    throw .system(code, "The writer lock can't be taken.", path: path)
                }
            }
            _ = fh_ofd_unlock(descriptor, Self.turnstile, 1)
            if isLinked(descriptor) { return true }
            state.withLock { Self.closeFile(&$0) }
        }
    }

    /// Returns whether the file is still the one that others find: somebody may have deleted it.
    private func isLinked(_ descriptor: Int32) -> Bool {
        var mine = stat()
        var found = stat()
        guard let path, fstat(descriptor, &mine) == 0, stat(path, &found) == 0 else { return false }
        return FileIdentity(mine) == FileIdentity(found)
    }

    private func openFile() throws(EngineError) {
        guard let path else { return }
        let descriptor = Platform.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .system(errno, "The writer lock's file can't be opened.", path: path) }
        let isLate = state.withLock { state in
            if !state.isClosed { state.descriptor = descriptor }
            return state.isClosed
        }
        if isLate { Platform.close(descriptor) }
    }
}
