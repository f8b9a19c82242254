import FreeholdSyncCore

/// The state of a stream at a node.
struct StreamPlace: Sendable {
    enum State: Hashable, Sendable {
        /// The lease isn't known, or it may have changed.
        case unknown
        /// No node holds the stream.
        case free
        case following(NodeIdentity)
        /// The node has requested the lease.
        case acquiring
        /// The last read showed that this node has the lease. Another node may have acquired it since.
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
    /// The lease in the last answer of the store.
    var lease: StreamLease?
    /// The unanswered request for the lease, and its time.
    var asked: (number: RequestNumber, at: Int64)?
    /// A Boolean value that indicates whether the lease is read again after the present request.
    var isDue = false
    /// The time of the next read.
    var nextRead: Int64 = 0

    // MARK: At the holder

    /// The position up to which each subscriber has received steps or hints, by the numbers of incoming links.
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
    /// The times at which this node acquired the lease of a holder that may have been running, and the time before which it doesn't do so again.
    var takings: [Int64] = []
    var pausedUntil: Int64 = 0
    /// A Boolean value that indicates whether the sessions may belong to a history that the store no longer has. Their commits aren't forwarded until
    /// a read has compared the histories.
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
    /// The time of the first read that showed the present beat.
    var since: Int64
    /// The process whose host refused a connection, after an earlier connection had ended. The process has therefore ended.
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
