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

/// The lock for writing to one file. One transaction holds it at a time, in this process and in all others.
///
/// Inside the process, threads and tasks wait in one queue and are served in order. Between processes, the head of the queue takes two locks on a
/// separate file: first the turnstile and then the holder's lock. When it has the second one, it releases the first. A process that releases the lock
/// and requests it again therefore follows a waiting process. The kernel releases both locks when a process ends. Nothing is ever written to that
/// file.
final class WriterLock: Sendable {
    private static let turnstile: Int64 = 0
    private static let holder: Int64 = 1

    private let path: String?
    private let generation = ForkGeneration.current
    private let state = Mutex(State())

    private struct State {
        /// A Boolean value that indicates whether a thread or task of this process holds the lock or is waiting for other processes.
        var isTaken = false
        /// The waiters in the order of their tickets.
        var waiters: [WriterWaiter] = []
        var lastTicket: UInt64 = 0
        /// The descriptor of the lock's file. The holder of the process's turn uses it. It is negative if the file was deleted and couldn't be opened
        /// again. The next holder then tries again.
        var descriptor: Int32 = -1
        /// A Boolean value that indicates whether a thread waits for other processes, on behalf of a waiter that may have given up in the meantime.
        var isWaitingElsewhere = false
        /// A Boolean value that indicates whether that thread has to close the file, because the lock was closed while it waited.
        var closesLater = false
        var isClosed = false
    }

    /// - Parameter path: the lock's file, which is created if it is missing, or `nil` if other processes can't access the database.
    init(path: String?) throws(EngineError) {
        self.path = path
        if path != nil { try openFile() }
    }

    deinit { close() }

    // MARK: Acquiring and releasing

    /// Waits for the lock and blocks the thread.
    ///
    /// - Throws: `.busy` if the lock isn't available at the deadline.
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

    /// Takes the lock if it is free and has no waiters.
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

    /// Waits for the lock without blocking a thread of the cooperative pool. A cancelled task stops waiting immediately.
    ///
    /// - Throws: `.cancelled` if the task was cancelled; `.busy` if the lock isn't available at the deadline.
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

    /// Releases the lock. Any thread may call it.
    func release() {
        guard generation.isCurrent else { return }
        let descriptor = state.withLock { state in
            precondition(state.isTaken, "The writer lock isn't held.")
            return state.descriptor
        }
        if path != nil { _ = fh_ofd_unlock(descriptor, Self.holder, 1) }
        passOn()
    }

    /// Closes the file, which also releases the held locks. In a forked child it does nothing, because the lock belongs to the parent.
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

    /// The descriptor of the lock's file, to which nothing is ever written, or `nil` without a file.
    var fileDescriptor: Int32? { state.withLock { $0.descriptor < 0 ? nil : $0.descriptor } }

    /// The number of threads and tasks of this process in the queue, without the holder.
    var waitingCount: Int { state.withLock { $0.waiters.count } }

    // MARK: Inside the process

    /// Returns a place in the queue after all places that were returned before.
    func newTicket() -> UInt64 {
        state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
    }

    /// Takes the process's turn, or adds the waiter to the queue at the place of its ticket.
    ///
    /// - Returns: true if the caller has the turn.
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

    /// Passes the process's turn to the next waiter in the queue. Waiters that have left are skipped.
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

    /// Ends a wait that is in progress.
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
            // After a timeout, the thread removes its waiter itself.
            state.withLock { $0.waiters.removeAll { $0 === waiter } }
            throw busyError
        }
    }

    var busyError: EngineError { EngineError(.busy, "Other writers were at work for too long.", path: path) }

    // MARK: Across processes

    /// Takes the locks of the file. The caller has the process's turn, which is passed on if that fails.
    ///
    /// - Returns: false if another process has the locks, and `wait` is false.
    func lockFileAtOnce(wait: Bool) throws(EngineError) -> Bool {
        do { return try lockFile(wait: wait) } catch {
            passOn()
            throw error
        }
    }

    /// Waits for other processes on a new thread, which can't be interrupted, and then ends the waiter's wait. If the waiter has given up before, the
    /// thread passes the turn on.
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

    /// Takes the locks of the file. Returns false if they aren't free and `wait` is false. Only the holder of the process's turn may call it.
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

    /// Returns whether the file is still the one at its path. It may have been deleted.
    private func isLinked(_ descriptor: Int32) -> Bool {
        var mine = stat()
        var found = stat()
        guard let path, fstat(descriptor, &mine) == 0, stat(path, &found) == 0 else { return false }
        return FileIdentity(mine) == FileIdentity(found)
    }

    private func openFile() throws(EngineError) {
        guard let path else { return }
        let descriptor = Platform.open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode: 0o644)
        guard descriptor >= 0 else { throw .system(errno, "The writer lock's file can't be opened.", path: path) }
        let isLate = state.withLock { state in
            if !state.isClosed { state.descriptor = descriptor }
            return state.isClosed
        }
        if isLate { Platform.close(descriptor) }
    }
}
