public import FreeholdSyncCore

/// The identity of one run of a node's process: the node's name, and the number of the start. The store assigns a greater number (incarnation) to
/// each start. A lease contains both the name and the number, so a restarted node isn't confused with its run before the restart.
public struct NodeIdentity: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let name: SyncString
    public let incarnation: UInt64

    public init(name: SyncString, incarnation: UInt64) { (self.name, self.incarnation) = (name, incarnation) }

    public var description: String { "\(name.string)/\(incarnation)" }

    public static func < (a: NodeIdentity, b: NodeIdentity) -> Bool {
        (a.name, a.incarnation) < (b.name, b.incarnation)
    }
}

/// The right to merge the commits of a stream. It is stored next to the stream's head, and each commit names the lease under which it was made.
///
/// The store decides about a commit by its expected head. The lease only prevents several nodes from merging the same commits.
public struct StreamLease: Hashable, Sendable {
    /// The number of times that nodes acquired or released the lease in this history of the store.
    public var term: UInt64
    /// The node that merges, or `nil` if no node does.
    public var holder: NodeIdentity?

    public init(term: UInt64 = 0, holder: NodeIdentity? = nil) { (self.term, self.holder) = (term, holder) }
}

/// The row of a node in the store. Its changes show other nodes that the node is running.
public struct PresenceRow: Hashable, Sendable {
    public enum State: Hashable, Sendable {
        case serving
        /// The node drains and acquires no leases.
        case leaving
        /// The node has ended.
        case ended
    }

    public var identity: NodeIdentity
    /// A number that rises with each beat. No clocks are compared.
    public var beat: UInt64
    public var state: State

    public init(identity: NodeIdentity, beat: UInt64, state: State) {
        (self.identity, self.beat, self.state) = (identity, beat, state)
    }
}
