import Dispatch
public import FreeholdSyncCore

/// What a node asks for what must outlive it. Answers may come late, twice or never, on any thread.
public protocol NodeStore: Sendable {
    /// Does a request and says what came of it. It must not block.
    func perform(_ request: ServerStoreRequest, _ answer: @escaping @Sendable (ServerStoreAnswer) -> Void)
}

/// A store that answers at once, and blocks meanwhile.
public protocol BlockingServerStore {
    /// Does a request as one transaction.
    mutating func perform(_ request: ServerStoreRequest) -> ServerStoreAnswer
}

extension MemoryServerStore: BlockingServerStore {}

/// Makes a store that blocks one for nodes: it works on a queue of its own, a request after the other.
public final class QueuedServerStore<Store: BlockingServerStore & Sendable>: NodeStore, @unchecked Sendable {
    // Touched on the queue only.
    private var store: Store
    private let queue = DispatchQueue(label: "freehold.server.store")

    public init(_ store: Store) { self.store = store }

    public func perform(_ request: ServerStoreRequest, _ answer: @escaping @Sendable (ServerStoreAnswer) -> Void) {
        queue.async { answer(self.store.perform(request)) }
    }

    /// Works on the store between two requests.
    public func withStore<Result: Sendable>(_ body: (inout Store) throws -> Result) rethrows -> Result {
        try queue.sync { try body(&store) }
    }
}
