import Dispatch

/// A queue with threads outside Swift's pool, which may block.
final class ConfinedQueue: TaskExecutor {
    /// The queue of reads. A read may wait for the writer's lock of a file when it opens the file.
    static let readers = ConfinedQueue(DispatchQueue(label: "freehold.read", qos: .default, attributes: .concurrent))
    /// The queue of blocks that hold a writer's lock. Its quality of service differs from that of the reads, so that
    /// reads that wait for the lock can't use up the threads of the writers.
    static let writers = ConfinedQueue(
        DispatchQueue(label: "freehold.write", qos: .userInitiated, attributes: .concurrent)
    )

    private let queue: DispatchQueue

    private init(_ queue: DispatchQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs the body on one thread, as a part of the calling task. The body can read the cancellation and the
    /// task-local values of the task.
    func run<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withTaskExecutorPreference(self) { try body() }
    }

    /// Runs an asynchronous body. This queue also resumes it, so it doesn't need Swift's pool before it ends.
    func runAsync<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) async throws -> R {
        try await withTaskExecutorPreference(self) { try await body() }
    }
}
