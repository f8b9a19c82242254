import Dispatch
public import FreeholdServerStore
public import FreeholdSyncCore

/// The store of a node. It contains all data that is kept after the end of the node.
///
/// Files, a database behind a pool of connections, and a replica in front of a database can be such a store. `docs/sync-store.md` explains the
/// rules with their reasons.
///
/// **Transactions.** Each request is one transaction. It takes effect whole or not at all, and the effect is durable before the answer. No
/// transaction spans requests, so the store keeps nothing for a node between two requests, except caches.
///
/// **Order.** The requests of one stream that one node makes take effect in the order in which they are made. The exceptions are `page`, `keys`,
/// `objects` and `step`, which name a version and may be executed at any time after they are made. Requests of different streams have no order,
/// and a request must not wait for a request of another stream. Answers may arrive in any order.
///
/// **Commits.** A commit takes effect only if the stream's head has the epoch, version, hash and horizon that the commit expects, and if each
/// file that the commit names has a row. Otherwise nothing is done, and the answer is `.failed(.moved)`. Several nodes and imports can therefore
/// use one store.
///
/// **Answers.** An answer may be late, repeated or missing: the node takes the first one, and treats a request without an answer like
/// `.failed(.unknown)` after `NodeLimits.storeTimeout`. `.failed(.unavailable)`, `.failed(.limit)` and `.failed(.moved)` promise that nothing was
/// done and that nothing will be. A store that can't promise this, for instance because its connection was cut, answers `.failed(.unknown)`. The
/// request may then take effect once, now or later. The node reads the stream before it repeats work, and finds its own commits by their hashes.
///
/// **Heads.** An answer that names a head names one that was current at some time between request and answer. A store with replicas
/// answers `bind` and `read` from the primary, or from a replica that has reached the newest head that was answered to the node before. The other
/// reads can be answered by any replica that has the version.
///
/// **Threads.** Any thread calls `perform`, also several at once. The closure can be called on any thread, also before `perform` returns.
///
/// **Cancellation.** A request that was made can't be withdrawn. A caller that doesn't need the answer any more ignores it. A store may drop a read
/// without an answer, but never a write, except by `.failed(.unknown)`.
public protocol NodeStore: Sendable {
    /// Executes a request and calls a closure with the answer. It must not block.
    func perform(_ request: ServerStoreRequest, _ answer: @escaping @Sendable (ServerStoreAnswer) -> Void)

    /// The objects of asymmetric classes, for sinks, or `nil` if the store doesn't support sinks.
    var ingest: (any IngestStore)? { get }

    /// The access of programs with SQL, or `nil` if the store isn't a database.
    var sql: (any SQLStore)? { get }

    /// Returns figures of the database, or `nil` if the store isn't a database.
    func databaseFigures() async throws -> DatabaseFigures?
}

extension NodeStore {
    public var ingest: (any IngestStore)? { nil }
    public var sql: (any SQLStore)? { nil }
    public func databaseFigures() async throws -> DatabaseFigures? { nil }
}

/// A store that blocks the calling thread until it has the answer.
public protocol BlockingServerStore {
    /// Executes a request as one transaction.
    mutating func perform(_ request: ServerStoreRequest) -> ServerStoreAnswer
}

extension MemoryServerStore: BlockingServerStore {}

/// An adapter that makes a blocking store usable for nodes. It executes one request after the other on a separate queue.
public final class QueuedServerStore<Store: BlockingServerStore & Sendable>: NodeStore, @unchecked Sendable {
    // Used on the queue only.
    private var store: Store
    private let queue = DispatchQueue(label: "freehold.server.store")

    public init(_ store: Store) { self.store = store }

    public func perform(_ request: ServerStoreRequest, _ answer: @escaping @Sendable (ServerStoreAnswer) -> Void) {
        queue.async { answer(self.store.perform(request)) }
    }

    /// Calls a closure with the store between two requests.
    public func withStore<Result: Sendable>(_ body: (inout Store) throws -> Result) rethrows -> Result {
        try queue.sync { try body(&store) }
    }
}
