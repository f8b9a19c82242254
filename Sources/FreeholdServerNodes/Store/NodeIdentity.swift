public import FreeholdSyncCore

/// A life of a node: its name, and the number of its start.
///
/// The store gives each start a greater incarnation. A lease names both, so a node that was restarted isn't taken for its earlier life.
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
/// The head decides about commits. The lease only keeps nodes from merging the same commits.
public struct StreamLease: Hashable, Sendable {
    /// The number of times that the lease was taken or released in this history of the store.
    public var term: UInt64
    /// The node that merges. Nil if no node does.
    public var holder: NodeIdentity?

    public init(term: UInt64 = 0, holder: NodeIdentity? = nil) { (self.term, self.holder) = (term, holder) }
}

/// The row of a node in the store, by which other nodes see that it is alive.
public struct PresenceRow: Hashable, Sendable {
    public enum State: Hashable, Sendable {
        case serving
        /// The node drains and doesn't take leases.
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
