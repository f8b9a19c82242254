internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A task that a worker runs.
protocol WorkerTask: AnyObject, Sendable {
    func run()
}

/// The threads of the engine that wait for work. There are as many as have recently worked at the same time. A thread that hasn't been needed for a
/// while ends.
final class WorkerPool: Sendable {
    private static let perProcess = PerProcess<WorkerPool> { _ in WorkerPool() }
    /// The pool of this process. A forked child needs its own, because the threads of its parent don't exist in it.
    static var current: WorkerPool { perProcess.value }

    /// The time for which a worker waits for work.
    private let patience: Duration
    private let workers = Mutex(Workers())

    private struct Workers {
        /// The waiting workers. The last one to arrive is used first.
        var idle: [Worker] = []
        var count = 0
    }

    init(patience: Duration = .seconds(5)) { self.patience = patience }

    /// The number of threads that work or wait.
    var threadCount: Int { workers.withLock { $0.count } }

    /// Runs the task on a thread of the pool, without delay.
    func run(_ task: some WorkerTask) {
        let worker = workers.withLock { (workers) -> Worker? in
            if workers.idle.isEmpty { workers.count += 1 }
            return workers.idle.popLast()
        }
        if let worker { return worker.give(task) }
        pthread_detach(EngineThread.start { [self] in work(Worker(), task) })
    }

    private func work(_ worker: Worker, _ first: some WorkerTask) {
        var task: any WorkerTask = first
        while true {
            task.run()
            workers.withLock { $0.idle.append(worker) }
            while true {
                if let next = worker.take(patience) {
                    task = next
                    break
                }
                let hasEnded = workers.withLock { workers in
                    // If the worker isn't in the list, it was chosen just now and is about to receive a task.
                    guard let index = workers.idle.firstIndex(where: { $0 === worker }) else { return false }
                    workers.idle.remove(at: index)
                    workers.count -= 1
                    return true
                }
                if hasEnded { return }
            }
        }
    }

    private final class Worker: @unchecked Sendable {
        private let given = ThreadSignal()
        /// Guarded by the signal's lock.
        private var task: (any WorkerTask)?

        func give(_ task: some WorkerTask) {
            given.withLock {
                self.task = task
                given.signal()
            }
        }

        /// - Returns: the task, or `nil` if none was given in time.
        func take(_ patience: Duration) -> (any WorkerTask)? {
            given.withLock {
                if task == nil { given.wait(for: patience) }
                defer { task = nil }
                return task
            }
        }
    }
}
