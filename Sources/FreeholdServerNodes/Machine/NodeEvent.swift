public import FreeholdSyncCore

/// The times that a caller passes with an event, in milliseconds.
public struct NodeTime: Hashable, Sendable {
    /// A time that never decreases. Time-outs use it.
    public var monotonic: Int64
    /// The time of the node's clock since 2015-01-01. It may be wrong, and it may decrease.
    public var wall: Int64

    public init(monotonic: Int64, wall: Int64) { (self.monotonic, self.wall) = (monotonic, wall) }
}

/// An event that a `NodeMachine` handles.
public enum NodeEvent: Sendable {
    /// The process has started. This is the first event.
    case started
    /// The time of `NodeAction.setTimer` has come.
    case timer
    /// A client connected. It has seen this generation of the store, or 0.
    case opened(ConnectionNumber, generation: UInt64)
    /// An event of the server's machine, except `opened`, `answered`, `drain` and `coordinated`.
    case server(ServerEvent)
    /// The answer to `NodeAction.request`, and the generation of the store that gave it.
    case answered(RequestNumber, ServerStoreAnswer, generation: UInt64)
    /// The answer to `NodeAction.requestNode`, and the generation of the store that gave it.
    case answeredNode(RequestNumber, NodeStoreAnswer, generation: UInt64)
    /// A connection that `NodeAction.dial` requested is open.
    case dialled(UInt64)
    /// The host of another node refused a connection that `NodeAction.dial` requested. No process listens there.
    case refused(UInt64)
    /// Another node opened a connection.
    case accepted(UInt64)
    case received(LinkConnection, LinkFrame)
    /// A connection between nodes ended, or a message of it couldn't be decoded.
    case ended(LinkConnection)
    /// The node is to end within this number of milliseconds.
    case drain(within: Int64)
}

/// An action that a `NodeMachine` requests. The caller executes actions in their order.
public enum NodeAction: Sendable {
    /// An action of the server's machine, except `request`.
    case server(ServerAction)
    /// A request to the store. The store must refuse a commit if the stream doesn't have the given lease.
    case request(RequestNumber, ServerStoreRequest, lease: StreamLease?)
    case requestNode(RequestNumber, NodeStoreRequest)
    /// Close the connections to the store and connect again, because a database server that was replaced has answered.
    case reconnectStore
    /// The generation of the store that a client with this connection has to remember.
    case generation(ConnectionNumber, UInt64)
    /// Open a connection with this number to a node.
    case dial(UInt64, SyncString)
    case sendLink(LinkConnection, LinkFrame)
    /// Close a connection between nodes. `NodeEvent.ended` doesn't follow.
    case closeLink(LinkConnection)
    /// The timer fires at this monotonic time. There is one timer.
    case setTimer(at: Int64)
    /// The node has drained, or the store has a greater incarnation of it. The process must end.
    case end
}

/// The settings of a node. Times are in milliseconds.
public struct NodeConfiguration: Sendable {
    /// The node's name, which no other running node has.
    public var name: SyncString
    /// The proof that the node has the secret of the cluster.
    public var proof: [UInt8]
    public var beatInterval: Int64 = 300
    /// The time after which a node is suspected if its beat hasn't changed.
    public var suspicion: Int64 = 1_200
    /// The time without messages after which a link is closed, and the time without a link to the holder after which the node acquires the lease of a
    /// stream.
    public var linkTimeout: Int64 = 1_500
    public var tick: Int64 = 100
    /// The time between reads of a lease whose holder can't be reached, and of other leases.
    public var nearRead: Int64 = 200
    public var farRead: Int64 = 10_000
    /// The time after which commits are forwarded again.
    public var forwardTimeout: Int64 = 5_000
    /// The time after which a request for presence or a lease counts as lost.
    public var requestTimeout: Int64 = 3_000
    /// The pause after the node acquired the lease of a holder that may be running. It doubles with each repetition within 30 s, up to `mostPause`.
    public var leastPause: Int64 = 500
    public var mostPause: Int64 = 8_000
    /// The maximum number of forwarded commits of a stream that wait for its lease.
    public var waitingForwards = 10_000
    /// The maximum size of a step that is sent over a link, in bytes of memory. A hint is sent instead of a larger step.
    public var stepBytes = StreamStep.mostBytes
    /// The versions of the link protocol that this build understands.
    public var versions: ClosedRange<UInt32> = 1...1
    /// Rules that a test breaks.
    package var broken: Set<NodeRule> = []

    public init(name: SyncString, proof: [UInt8]) { (self.name, self.proof) = (name, proof) }
}

/// A rule of nodes (`docs/nodes.md`). Tests break one rule at a time, to show that simulations fail without it.
package enum NodeRule: CaseIterable, Sendable {
    /// The holder of a lease is identified by its name and its incarnation.
    case comparesIncarnations
    /// Other nodes acquire the leases of a node whose beat doesn't change.
    case suspects
    /// A node accepts a lease that it reads, even if its term is lower than a known one.
    case acceptsReturnedTerms
    /// A commit whose result isn't known doesn't count as stored.
    case distinguishesUnknown
    /// The store refuses a commit that was made under another lease than the stored one.
    case namesLease
    /// The store refuses a commit that is based on another head than the stored one.
    case namesHead
    /// A node ignores answers of a store that was replaced.
    case comparesGenerations
    /// A node that doesn't hold a stream returns the forwards.
    case returnsForwards
    /// A node that receives forwards for a stream that it doesn't hold reads the lease.
    case readsLeaseOnForward
    /// Forwards are sent again after a new link, term or holder, and after a while.
    case sendsAgain
    /// The messages and the links of a node are numbered.
    case numbersLinks
    /// A node that drains releases its streams after their commits are written.
    case releases
}
