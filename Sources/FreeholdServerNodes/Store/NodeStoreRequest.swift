public import FreeholdSyncCore

/// A request of a node for presence and leases. Each request is one transaction of one row, except that `beat` also reads the rows of all nodes.
public enum NodeStoreRequest: Hashable, Sendable {
    /// Registers the start of the node with this name. The incarnation of its row becomes greater than the present one, and at least the given one.
    case join(SyncString, atLeast: UInt64)
    /// Writes the row of a node, unless the row in the store has a greater incarnation. The answer has the rows of all nodes.
    case beat(PresenceRow)
    /// Reads the lease of a stream.
    case lease(StreamName)
    /// Replaces the lease of a stream with the next term and the given holder, if the lease is the expected one. The answer contains the lease after
    /// the request, whether it was replaced or not.
    case take(StreamName, expected: StreamLease, holder: NodeIdentity?)
}

/// The answer to a `NodeStoreRequest`.
public enum NodeStoreAnswer: Hashable, Sendable {
    case joined(NodeIdentity)
    case peers([PresenceRow])
    case lease(StreamLease)
    /// The request may have been performed, may be performed later, or never.
    case failed
}
