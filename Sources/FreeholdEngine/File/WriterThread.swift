import CFreeholdShims
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The thread that LMDB's write transactions of one environment belong to.
///
/// Jobs run one after another in the order of their arrival. Signals of the program aren't delivered here, and a
/// write over the file-size limit gives an error instead of SIGXFSZ.
final class WriterThread: Sendable {
    private let core = Core()
    private let generation = ForkGeneration.current

    init() { core.start() }

    deinit { stop() }

    /// Whether the caller runs on this thread.
    var isCurrent: Bool { core.identifier.load(ordering: .relaxed) == fh_thread_id() }

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

    /// Runs `body` there, some time.
    func async(_ body: @escaping @Sendable () -> Void) {
        _ = core.enqueue(Job(body, isAwaited: false))
    }

    /// Runs what is queued, then ends the thread. Waits for that unless called on it.
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

    /// What the thread itself keeps alive. The queue is guarded by the signal's lock.
    private final class Core: @unchecked Sendable {
        let identifier = Atomic<UInt>(0)
        private let changed = ThreadSignal()
        private var queue: [Job] = []
        private var isStopping = false
        private var thread: pthread_t?

        func start() { thread = EngineThread.start { [self] in run() } }

        func enqueue(_ job: Job) -> Bool {
            changed.withLock {
                guard !isStopping else { return false }
                queue.append(job)
                changed.signal()
                return true
            }
        }

        func stop(wait: Bool) {
            let thread = changed.withLock {
                isStopping = true
                changed.signal()
                defer { self.thread = nil }
                return self.thread
            }
            guard let thread else { return }
            if wait { pthread_join(thread, nil) } else { pthread_detach(thread) }
        }

        private func run() {
            identifier.store(fh_thread_id(), ordering: .relaxed)
            while let job = next() { job.execute() }
            identifier.store(0, ordering: .relaxed)
        }

        private func next() -> Job? {
            changed.withLock {
                while queue.isEmpty {
                    if isStopping { return nil }
                    changed.wait()
                }
                return queue.removeFirst()
            }
        }
    }
}
