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

/// Something that a worker runs.
protocol WorkerTask: AnyObject, Sendable {
    func run()
}

/// Threads of the engine that wait for work: as many as have worked at once lately. One that nobody needs for a while ends.
final class WorkerPool: Sendable {
    private static let perProcess = PerProcess<WorkerPool> { _ in WorkerPool() }
    /// This process's: a forked child has none of its parent's threads.
    static var current: WorkerPool { perProcess.value }

    /// How long a worker waits for work.
    private let patience: Duration
    private let workers = Mutex(Workers())

    private struct Workers {
        /// Those that wait: who came last is asked first.
        var idle: [Worker] = []
        var count = 0
    }

    init(patience: Duration = .seconds(5)) { self.patience = patience }

    /// Threads that work or wait.
    var threadCount: Int { workers.withLock { $0.count } }

    /// Runs the task on a thread of the pool, at once.
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
                    // Else it was chosen at this moment, and is about to be given something.
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

        /// - Returns: nil where nothing was given for so long.
        func take(_ patience: Duration) -> (any WorkerTask)? {
            given.withLock {
                if task == nil { given.wait(for: patience) }
                defer { task = nil }
                return task
            }
        }
    }
}
