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

/// The thread to which the write transactions of one environment belong, one after another. LMDB's lock belongs to a thread.
///
/// Jobs run one after another, in the order in which they were added. Signals of the program aren't delivered to this thread, and a write over the
/// file-size limit causes an error instead of SIGXFSZ.
///
/// It is a thread of the `WorkerPool` while there are jobs or an open transaction. At other times it doesn't exist, so a process can have thousands
/// of files open.
final class WriterThread: Sendable {
    private let core = Core()
    private let generation = ForkGeneration.current

    deinit { stop() }

    /// A Boolean value that indicates whether the caller runs on this thread.
    var isCurrent: Bool { core.identifier.load(ordering: .relaxed) == fh_thread_id() }

    /// Keeps the jobs on the current thread until `letGo`, because a transaction was begun on it.
    func hold() { core.hold(true) }

    func letGo() { core.hold(false) }

    /// Runs `body` on this thread and waits. If the caller is on this thread, `body` runs directly. It also does in a forked child: the thread
    /// doesn't exist there, and all objects of the parent refuse to be used.
    func sync<R>(_ body: () throws(EngineError) -> R) throws(EngineError) -> R {
        if isCurrent || !generation.isCurrent { return try body() }
        var result: Result<R, EngineError>?
        withoutActuallyEscaping({
            do throws(EngineError) { result = .success(try body()) } catch { result = .failure(error) }
        }) { run in
            let job = Job(run, isAwaited: true)
            precondition(core.enqueue(job), "The environment's writer thread has ended.")
            job.wait()
        }
        return try result!.get()
    }

    /// Runs `body` on the caller's thread, which acts as the writer thread meanwhile, so that no thread has to be woken. If the writer thread is busy
    /// or has an open transaction, it behaves like `sync`.
    ///
    /// - Parameter body: begins and ends LMDB's transaction itself, even if it throws.
    func syncInPlace<R>(_ body: () throws(EngineError) -> R) throws(EngineError) -> R {
        guard !isCurrent, generation.isCurrent, core.beginInPlace() else { return try sync(body) }
        let shield = SignalShield()
        defer {
            shield.end()
            core.endInPlace()
        }
        return try body()
    }

    /// Runs `body` on this thread, without waiting.
    func async(_ body: @escaping @Sendable () -> Void) {
        _ = core.enqueue(Job(body, isAwaited: false))
    }

    /// Runs the queued jobs and accepts no more. It waits for them, unless it is called on this thread.
    func stop() {
        if generation.isCurrent { core.stop(wait: !isCurrent) }
    }

    /// A job that is passed between threads. After it has been queued, only the writer thread uses `body`. The signal's lock guards `isDone`.
    private final class Job: @unchecked Sendable {
        private var body: (() -> Void)?
        private let done: ThreadSignal?
        private var isDone = false

        init(_ body: @escaping () -> Void, isAwaited: Bool) {
            self.body = body
            done = isAwaited ? ThreadSignal() : nil
        }

        func execute() {
            run()
            guard let done else { return }
            done.lock()
            isDone = true
            done.signal()
            done.unlock()
        }

        /// Runs the closure and releases it before the waiter is notified, because the closure may be on the waiter's stack.
        @inline(never)
        private func run() {
            body?()
            body = nil
        }

        func wait() {
            guard let done else { return }
            done.lock()
            while !isDone { done.wait() }
            done.unlock()
        }
    }

    /// The part of the writer thread that the running thread retains. The signal's lock guards all of it except the identifier.
    private final class Core: WorkerTask, @unchecked Sendable {
        let identifier = Atomic<UInt>(0)
        private let changed = ThreadSignal()
        private var queue: [Job] = []
        private var isStopping = false
        private var isHeld = false
        /// A Boolean value that indicates whether a thread runs the jobs.
        private var isServed = false

        func enqueue(_ job: Job) -> Bool {
            changed.lock()
            guard !isStopping else {
                changed.unlock()
                return false
            }
            queue.append(job)
            let isFirst = !isServed
            isServed = true
            if !isFirst { changed.broadcast() }
            changed.unlock()
            if isFirst { WorkerPool.current.run(self) }
            return true
        }

        /// - Returns: whether the caller's thread runs the jobs from now on.
        func beginInPlace() -> Bool {
            changed.withLock {
                guard !isServed, !isStopping else { return false }
                isServed = true
                identifier.store(fh_thread_id(), ordering: .relaxed)
                return true
            }
        }

        func endInPlace() {
            let hasJobs = changed.withLock {
                precondition(!isHeld, "A transaction was left open.")
                identifier.store(0, ordering: .relaxed)
                if !queue.isEmpty { return true }
                isServed = false
                changed.broadcast()
                return false
            }
            if hasJobs { WorkerPool.current.run(self) }
        }

        func hold(_ isHeld: Bool) { changed.withLock { self.isHeld = isHeld } }

        func stop(wait: Bool) {
            changed.withLock {
                isStopping = true
                changed.broadcast()
                while wait, isServed { changed.wait() }
            }
        }

        func run() {
            identifier.store(fh_thread_id(), ordering: .relaxed)
            while let job = next() { job.execute() }
        }

        private func next() -> Job? {
            changed.withLock {
                while queue.isEmpty {
                    if isStopping || !isHeld {
                        identifier.store(0, ordering: .relaxed)
                        isServed = false
                        changed.broadcast()
                        return nil
                    }
                    changed.wait()
                }
                return queue.removeFirst()
            }
        }
    }
}
