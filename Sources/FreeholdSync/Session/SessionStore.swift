import Dispatch
public import FreeholdSyncCore

/// The file of a session, from the point of view of its loop. It performs one request after the other, each in a
/// transaction.
public protocol SessionStore: Sendable {
    /// - Parameter now: The device's time, in milliseconds since 2015-01-01.
    /// - Parameter request: The request.
    /// - Throws: An error if it is unknown whether the request was performed. The session then begins again.
    func perform(_ request: StoreRequest, now: Int64) async throws -> StoreOutcome

    /// Sets a closure that is called after each commit to the file by any process. `nil` removes it. One session
    /// observes the file at a time.
    func observeCommits(_ wake: (@Sendable () -> Void)?)
}

/// A `ClientStore` as the store of a session. The transactions run on a queue, so that they don't block a task.
public final class QueuedStore<Store: ClientStore & Sendable>: SessionStore, @unchecked Sendable {
    // `store` and `wake` are only used on the queue.
    private let queue = DispatchQueue(label: "freehold.sync.store")
    private var store: Store
    private var care = StoreCare()
    private var wake: (@Sendable () -> Void)?

    public init(_ store: Store) { self.store = store }

    public func perform(_ request: StoreRequest, now: Int64) async throws -> StoreOutcome {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                var random = SystemRandomNumberGenerator()
                continuation.resume(
                    with: Result { try self.store.perform(request, now: now, random: &random, care: &self.care) }
                )
            }
        }
    }

    public func observeCommits(_ wake: (@Sendable () -> Void)?) { queue.async { self.wake = wake } }

    /// Calls a closure with the store, between two transactions of the session.
    ///
    /// - Complexity: The call waits for the end of a running transaction.
    public func withStore<Result: Sendable>(_ body: (inout Store) throws -> Result) rethrows -> Result {
        try queue.sync { try body(&store) }
    }

    /// Like `withStore`, except that it notifies the session afterwards, for stores that don't report commits
    /// themselves.
    public func commit<Result: Sendable>(_ body: (inout Store) throws -> Result) rethrows -> Result {
        let (result, wake) = try queue.sync { (try body(&store), self.wake) }
        wake?()
        return result
    }
}
