import FreeholdSyncCore

/// The state of a stream at a node.
struct StreamPlace: Sendable {
    enum State: Hashable, Sendable {
        /// The lease isn't known, or was reported to have changed.
        case unknown
        /// No node holds the stream.
        case free
        case following(NodeIdentity)
        /// The node has requested the lease.
        case acquiring
        /// A read showed the node's own lease. Another node may have taken it since.
        case holding
    }

    /// Forwarded commits that wait until the node knows whether it holds the stream.
    struct Kept: Sendable {
        let link: UInt64
        let commits: [ForwardedCommit]
    }

    /// A submission that waits for a holder, or for the outcome at the holder.
    struct WaitingSubmission: Sendable {
        let number: SubmissionNumber
        let submission: Submission
        let since: Int64
        var sentOver: UInt64?
    }

    var state = State.unknown
    /// The lease that the last answer of the store showed.
    var lease: StreamLease?
    /// The request for the lease that isn't answered, and its time.
    var asked: (number: RequestNumber, at: Int64)?
    /// A Boolean value that indicates whether the lease is read again after the present request.
    var isDue = false
    /// The time of the next read.
    var nextRead: Int64 = 0

    // MARK: At the holder

    /// The position up to which each subscriber has steps or hints, by the numbers of incoming links.
    var subscribers: [UInt64: Cursor] = [:]
    /// The next forward of each incoming link.
    var expected: [UInt64: (round: UInt64, index: UInt64)] = [:]
    var kept: [Kept] = []
    var isDraining = false

    // MARK: At the other nodes

    /// The outgoing link over which the node subscribes.
    var subscribed: UInt64?
    /// The present round of forwards. 0 before the first one.
    var round: UInt64 = 0
    var index: UInt64 = 0
    /// The last commit of each file that was sent in this round.
    var sent: [FileIdent: UInt64] = [:]
    var sentAt: Int64 = 0
    var submissions: [WaitingSubmission] = []
    /// The times at which the stream was taken from a living holder, and the time before which it isn't taken again.
    var takings: [Int64] = []
    var pausedUntil: Int64 = 0
    /// A Boolean value that indicates whether the sessions may belong to a history that the store has left. Their commits aren't forwarded.
    var isUnchecked = false

    var isHolding: Bool { state == .holding }

    var holder: NodeIdentity? { if case .following(let node) = state { node } else { nil } }

    mutating func begin(round number: UInt64) {
        round = number
        index = 0
        sent = [:]
    }
}

/// A node that this node has seen in the store.
struct Peer: Sendable {
    var row: PresenceRow
    /// The time since which reads have shown the same beat.
    var since: Int64
    /// The life whose host refused a connection after it had ended one.
    var refused: NodeIdentity?
}

/// A link that this node opens.
struct OutgoingLink: Sendable {
    enum State: Sendable {
        case dialling
        case greeting
        case open
    }

    let number: UInt64
    let peer: NodeIdentity
    var state = State.dialling
    var sent: UInt64 = 0
    var received: UInt64 = 0
    /// The time of the last message, or of the attempt.
    var heard: Int64
    var pinged: Int64
}

/// A link that another node opened.
struct IncomingLink: Sendable {
    /// The node that opened it. Nil before its first message.
    var peer: NodeIdentity?
    var sent: UInt64 = 0
    var received: UInt64 = 0
    var heard: Int64
}
