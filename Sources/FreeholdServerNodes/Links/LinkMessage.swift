public import FreeholdSyncCore

/// A connection between two nodes. The node that opens it forwards commits, and the other one sends steps.
public enum LinkConnection: Hashable, Sendable {
    /// A connection that the node opened. The machine chooses the number.
    case outgoing(UInt64)
    /// A connection that the node accepted. The caller chooses the number. A number isn't used again.
    case incoming(UInt64)
}

/// A message of a link with the fields that all messages have.
public struct LinkFrame: Sendable {
    /// The number of the message in its direction, counted from 1. A message with another number ends the link.
    public var number: UInt64
    /// The greatest generation of the store that the sender has seen.
    public var generation: UInt64
    public var message: LinkMessage

    public init(number: UInt64, generation: UInt64, message: LinkMessage) {
        (self.number, self.generation, self.message) = (number, generation, message)
    }
}

/// The first message of the node that opens a link.
public struct LinkHello: Hashable, Sendable {
    /// The versions of the link protocol that the sender's build understands.
    public var versions: ClosedRange<UInt32>
    /// The proof that the sender has the secret of the cluster.
    public var proof: [UInt8]
    public var sender: NodeIdentity
    public var receiver: NodeIdentity
    /// The number that the sender assigned to the link. It is greater than the numbers of the sender's earlier links to
    /// the receiver.
    public var link: UInt64

    public init(
        versions: ClosedRange<UInt32>,
        proof: [UInt8],
        sender: NodeIdentity,
        receiver: NodeIdentity,
        link: UInt64
    ) {
        (self.versions, self.proof, self.sender) = (versions, proof, sender)
        (self.receiver, self.link) = (receiver, link)
    }
}

/// A message between nodes.
public enum LinkMessage: Sendable {
    // From the node that opened the link.
    case hello(LinkHello)
    case ping
    /// Subscribes to the steps of a stream after a position.
    case subscribe(StreamName, Cursor)
    case unsubscribe(StreamName)
    /// Commits for the holder, in order. A round begins with the index 0 and contains all commits that wait.
    case forward(StreamName, round: UInt64, index: UInt64, [ForwardedCommit])
    /// Changes of a program without a file.
    case submit(SubmissionNumber, Submission)

    // From the node that accepted the link.
    /// The version of the protocol, and the identity of the sender.
    case welcome(version: UInt32, NodeIdentity)
    case pong
    /// A forward of the round wasn't received. The node that forwards has to begin another round.
    case again(StreamName, round: UInt64)
    /// The node doesn't hold the stream. It has discarded all forwards that it wasn't merging, and has ended the
    /// subscription.
    case returned(StreamName)
    /// A forwarded commit has a version.
    case done(StreamName, PartName, StreamVersion)
    /// A forwarded commit can't be merged.
    case failed(StreamName, PartName, SyncFault, text: SyncString)
    /// A step that the store confirmed.
    case step(StreamName, StreamStep)
    /// The stream has new versions that the receiver has to read from the store.
    case hint(StreamName)
    /// The outcome of a submission, or `nil` if the node did nothing because it doesn't hold the stream.
    case submitted(SubmissionNumber, SubmissionOutcome?)
}
