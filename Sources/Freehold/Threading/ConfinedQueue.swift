import Dispatch

/// Threads outside Swift's pool, which may block.
final class ConfinedQueue: TaskExecutor {
    /// May wait for a file's writer lock while it opens one.
    static let readers = ConfinedQueue(DispatchQueue(label: "freehold.read", qos: .default, attributes: .concurrent))
    /// Blocks that hold a writer lock: of another class of service than those that wait for it, so that these can't
    /// use up the threads that those need.
    static let writers = ConfinedQueue(
        DispatchQueue(label: "freehold.write", qos: .userInitiated, attributes: .concurrent)
    )

    private let queue: DispatchQueue

    private init(_ queue: DispatchQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs the body on one thread, as a part of the task that calls: the body sees the task's cancellation and its
    /// task-local values.
    func run<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withTaskExecutorPreference(self) { try body() }
    }

    /// Runs an asynchronous body, which this queue also resumes: Swift's pool isn't needed until it ends.
    func runAsync<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) async throws -> R {
        try await withTaskExecutorPreference(self) { try await body() }
    }
}
