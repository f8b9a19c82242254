import Dispatch
public import FreeholdSyncCore

/// The file of a session, as its loop sees it: requests one after the other, each a transaction.
public protocol SessionStore: Sendable {
    /// - Parameter now: the device's clock, in milliseconds since 2015-01-01.
    /// - Parameter request: what is to be done.
    /// - Throws: if it isn't known whether the request was done. The session begins anew then.
    func perform(_ request: StoreRequest, now: Int64) async throws -> StoreOutcome

    /// Has `wake` called after commits to the file, by whomever. One session observes at a time.
    func observeCommits(_ wake: (@Sendable () -> Void)?)
}

/// Makes a `ClientStore` the store of a session: a queue of its own does the transactions, so that none blocks a task.
public final class QueuedStore<Store: ClientStore & Sendable>: SessionStore, @unchecked Sendable {
    // `store` and `wake` are touched on the queue only.
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

    /// Works on the store between two transactions of the session.
    ///
    /// - Complexity: waits for the transaction that is under way.
    public func withStore<Result: Sendable>(_ body: (inout Store) throws -> Result) rethrows -> Result {
        try queue.sync { try body(&store) }
    }

    /// As `withStore`, and wakes the session: for stores that don't tell of commits themselves.
    public func commit<Result: Sendable>(_ body: (inout Store) throws -> Result) rethrows -> Result {
        let (result, wake) = try queue.sync { (try body(&store), self.wake) }
        wake?()
        return result
    }
}
