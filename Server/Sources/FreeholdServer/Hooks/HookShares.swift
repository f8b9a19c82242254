import Synchronization

/// The running calls of hooks. It bounds their number for each user and for the server, and ends them with the server.
final class HookShares: Sendable {
    struct Limits: Hashable, Sendable {
        /// The maximum number of simultaneous calls of one user, or of one address without a known user.
        var perUser = 8
        var total = 256
    }

    private struct State {
        var counts: [String: Int] = [:]
        var tasks: [UInt64: @Sendable () -> Void] = [:]
        var next: UInt64 = 0
        var isStopped = false
    }

    private let limits: Limits
    private let state = Mutex(State())

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// The number of running calls.
    var count: Int { state.withLock { $0.tasks.count } }

    /// Runs a call. It is cancelled if its caller is cancelled, and when the server ends.
    ///
    /// - Parameter owner: The user, or the address, that the call counts for.
    /// - Throws: `AccountError` if the owner or the server has too many calls, and the errors of `body`.
    func run<Result: Sendable>(
        for owner: String,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let number = try state.withLock { state throws(AccountError) in
            guard !state.isStopped else { throw AccountError.ending }
            guard state.counts[owner, default: 0] < limits.perUser else { throw AccountError.manyCalls }
            guard state.tasks.count < limits.total else { throw AccountError.busy }
            state.counts[owner, default: 0] += 1
            state.next += 1
            // The task doesn't exist yet.
            state.tasks[state.next] = {}
            return state.next
        }
        defer {
            state.withLock { state in
                state.tasks[number] = nil
                let left = (state.counts[owner] ?? 1) - 1
                state.counts[owner] = left > 0 ? left : nil
            }
        }
        let task = Task { try await body() }
        let isStopped = state.withLock { state in
            state.tasks[number] = { task.cancel() }
            return state.isStopped
        }
        if isStopped { task.cancel() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Refuses further calls, and cancels the running ones.
    func stop() {
        let tasks = state.withLock { state in
            state.isStopped = true
            return Array(state.tasks.values)
        }
        for cancel in tasks { cancel() }
    }
}
