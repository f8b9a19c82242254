import FreeholdSyncCore
import NIOCore
import Synchronization

/// A queue that runs the long work that users cause, in slices. It uses neither the machine's loop nor the threads of Swift's tasks. Users take
/// turns, and each user occupies one thread at most.
final class WorkQueue: Sendable {
    private let queue: TurnQueue<SyncString>
    /// For each piece of a machine's work that hasn't ended, a Boolean value that indicates whether it is cancelled.
    private let works = Mutex<[WorkNumber: Bool]>([:])
    private let isStopped = Atomic(false)

    init(width: Int = max(4, System.coreCount)) { queue = TurnQueue(width: width) }

    // MARK: Work of machines

    /// Adds work of a machine.
    func add(_ number: WorkNumber, _ work: ServerWork, _ done: @escaping @Sendable (ServerWorkResult) -> Void) {
        works.withLock { $0[number] = false }
        continueWork(number, work, done)
    }

    private func continueWork(
        _ number: WorkNumber,
        _ work: ServerWork,
        _ done: @escaping @Sendable (ServerWorkResult) -> Void
    ) {
        queue.add(work.user) {
            let isCancelled = self.works.withLock { $0[number] ?? true }
            guard !self.isStopped.load(ordering: .acquiring), !isCancelled else { return self.forget(number) }
            var work = work
            guard let result = work.runSlice() else { return self.continueWork(number, work, done) }
            self.forget(number)
            done(result)
        }
    }

    /// Cancels work of a machine, which ends after the slice that is running. Work that has ended is ignored.
    func cancel(_ number: WorkNumber) {
        works.withLock { works in if works[number] != nil { works[number] = true } }
    }

    private func forget(_ number: WorkNumber) { works.withLock { $0[number] = nil } }

    /// The number of pieces of machines' work that are known.
    var known: Int { works.withLock { $0.count } }

    // MARK: Work of requests

    /// Runs a slice of a request's work when it is the user's turn.
    ///
    /// - Throws: `CancellationError` if the task was cancelled before the turn or the node ends, or the error of the closure.
    func run<Result: Sendable>(
        for user: SyncString,
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        let isCancelled = Latch()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.add(user) {
                    guard !isCancelled.isSet, !self.isStopped.load(ordering: .acquiring) else {
                        return continuation.resume(throwing: CancellationError())
                    }
                    continuation.resume(with: Swift.Result { try body() })
                }
            }
        } onCancel: {
            isCancelled.set()
        }
    }

    /// The number of pieces of work that wait or run.
    var waiting: Int { queue.count }

    /// Ends all work after the slices that are running.
    func stop() { isStopped.store(true, ordering: .releasing) }

    private final class Latch: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }
}
