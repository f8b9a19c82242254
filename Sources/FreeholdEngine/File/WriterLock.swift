import CFreeholdShims
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
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
        var waiters: [Waiter] = []
        var nextTicket = 0
        /// Tasks that were cancelled before they had queued.
        var cancelled: Set<Int> = []
        /// Used by whoever has taken the lock in the process. Negative where the file was deleted and couldn't be opened
        /// again: who takes the lock next tries anew.
        var descriptor: Int32 = -1
        var isClosed = false
    }

    private enum Waiter {
        case thread(ThreadWaiter)
        case task(Int, UnsafeContinuation<Bool, Never>)

        func wake() {
            switch self {
            case .thread(let waiter): waiter.wake()
            case .task(_, let continuation): continuation.resume(returning: true)
            }
        }
    }

    /// `isAwake` is guarded by the signal.
    private final class ThreadWaiter: @unchecked Sendable {
        private let signal = ThreadSignal()
        private var isAwake = false

        func wake() {
            signal.withLock {
                isAwake = true
                signal.signal()
            }
        }

        func wait() {
            signal.withLock {
                while !isAwake { signal.wait() }
            }
        }
    }

    /// - Parameter path: the lock's file, created where missing; nil if no other process can reach the database.
    init(path: String?) throws(EngineError) {
        self.path = path
        if path != nil { try openFile() }
    }

    deinit { close() }

    // MARK: Taking and giving

    /// Waits for the lock, blocking the thread.
    func acquire() throws(EngineError) {
        try checkProcess()
        let waiter = state.withLock { state -> ThreadWaiter? in
            guard state.isTaken else {
                state.isTaken = true
                return nil
            }
            let waiter = ThreadWaiter()
            state.waiters.append(.thread(waiter))
            return waiter
        }
        waiter?.wait()
        do {
            _ = try lockFile(wait: true)
        } catch {
            passOn()
            throw error
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

    /// Waits for the lock without blocking a thread of the cooperative pool.
    ///
    /// - Throws: `.io` with `underlying` ECANCELED if the task was cancelled.
    func acquireAsync() async throws(EngineError) {
        try checkProcess()
        guard await waitForTurn() else { throw Self.cancellation(path) }
        do {
            if try !lockFile(wait: false) { try await lockFileElsewhere() }
        } catch {
            passOn()
            throw error
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
            state.isClosed = true
            Self.closeFile(&state)
        }
    }

    private static func closeFile(_ state: inout State) {
        if state.descriptor >= 0 { Platform.close(state.descriptor) }
        state.descriptor = -1
    }

    private static func cancellation(_ path: String?) -> EngineError {
        EngineError(.io, "The task was cancelled while it waited to write.", path: path, underlying: ECANCELED)
    }

    private func checkProcess() throws(EngineError) {
        guard generation.isCurrent else {
            throw EngineError(
                .environmentClosed,
                "The file was opened before a fork: open it again in the child process.",
                path: path
            )
        }
    }

    /// How many threads and tasks of this process stand in the queue; the holder isn't one of them.
    var waitingCount: Int { state.withLock { $0.waiters.count } }

    // MARK: Inside the process

    /// Lets the next in the queue take its turn.
    private func passOn() {
        let next = state.withLock { state -> Waiter? in
            guard !state.waiters.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.wake()
    }

    /// False if the task was cancelled while it stood in the queue.
    private func waitForTurn() async -> Bool {
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        defer { state.withLock { _ = $0.cancelled.remove(ticket) } }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if state.cancelled.contains(ticket) { return false }
                    guard state.isTaken else {
                        state.isTaken = true
                        return true
                    }
                    state.waiters.append(.task(ticket, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                let place = state.waiters.firstIndex {
                    if case .task(ticket, _) = $0 { true } else { false }
                }
                if let place { return state.waiters.remove(at: place) }
                state.cancelled.insert(ticket)
                return nil
            }
            if case .task(_, let continuation) = waiter { continuation.resume(returning: false) }
        }
    }

    // MARK: Across processes

    /// Waits on a thread made for it: another process may hold the lock for long.
    private func lockFileElsewhere() async throws(EngineError) {
        let result: Result<Void, EngineError> = await withUnsafeContinuation { continuation in
            let thread = WriterThread()
            thread.async {
                do throws(EngineError) {
                    _ = try self.lockFile(wait: true)
                    continuation.resume(returning: .success(()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
                withExtendedLifetime(thread) {}
            }
        }
        try result.get()
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

    /// Whether the file is still the one that others find: somebody may have deleted it.
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
