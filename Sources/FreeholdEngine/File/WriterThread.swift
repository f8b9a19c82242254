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

/// The thread that LMDB's write transactions of one environment belong to, one after another: LMDB's lock is a thread's.
///
/// Jobs run one after another in the order of their arrival. Signals of the program aren't delivered here, and a
/// write over the file-size limit gives an error instead of SIGXFSZ.
///
/// It is a thread of the `WorkerPool` for as long as there are jobs or a transaction is open, and none at all else: so a
/// process can have thousands of files open.
final class WriterThread: Sendable {
    private let core = Core()
    private let generation = ForkGeneration.current

    deinit { stop() }

    /// A Boolean value that indicates whether the caller runs on this thread.
    var isCurrent: Bool { core.identifier.load(ordering: .relaxed) == fh_thread_id() }

    /// From here on the jobs run on the thread that runs this one, until `letGo`: a transaction was begun.
    func hold() { core.hold(true) }

    func letGo() { core.hold(false) }

    /// Runs `body` there and waits. On the thread itself it runs at once; so it does in a forked child, where the thread
    /// doesn't exist and all that belongs to the parent refuses to be used.
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

    /// Runs `body` on the caller's thread, which is the writer thread meanwhile: nobody has to be woken. Where the writer thread is
    /// at work, or has a transaction open, it is `sync`.
    ///
    /// - Parameter body: begins and ends LMDB's transaction itself, whatever it throws.
    func syncInPlace<R>(_ body: () throws(EngineError) -> R) throws(EngineError) -> R {
        guard !isCurrent, generation.isCurrent, core.beginInPlace() else { return try sync(body) }
        let shield = SignalShield()
        defer {
            shield.end()
            core.endInPlace()
        }
        return try body()
    }

    /// Runs `body` there, some time.
    func async(_ body: @escaping @Sendable () -> Void) {
        _ = core.enqueue(Job(body, isAwaited: false))
    }

    /// Runs what is queued, then takes no more. Waits for that unless called on the thread.
    func stop() {
        if generation.isCurrent { core.stop(wait: !isCurrent) }
    }

    /// One piece of work, handed from one thread to another: `body` is touched by the writer thread alone after it
    /// was queued, and `isDone` under the signal's lock.
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

        /// The closure is gone before the waiter hears of it: it may live on that one's stack.
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

    /// What the thread itself keeps alive. All but the identifier is guarded by the signal's lock.
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

        /// - Returns: whether the caller's thread is the one that runs jobs now.
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
