/// The task of a node in a stream that several nodes serve.
public enum StreamRole: Hashable, Sendable {
    /// The node merges the commits of its sessions, and those that other nodes forward.
    case merging
    /// The node keeps the commits of its sessions for the node that merges, until it reads the answers in the stream's log.
    case forwarding
}

/// The name of a forward's sender at the node that merges. The caller chooses it, for example the number of a link.
public typealias ForwardOrigin = UInt64

/// A commit of a session, in the form in which a node forwards it to the node that merges.
public struct ForwardedCommit: Sendable {
    public let ident: FileIdent
    /// The secret of the author's file. The node that merges compares it with that of the stored file.
    let secret: SecretHash?
    /// The author. The node that merges finds the author's rights.
    public let user: SyncString
    /// The commit in stored names.
    public let commit: Commit
    /// The running hashes of the file's commits up to this one, and up to the one before it.
    public let hash: RunningHash
    public let previous: RunningHash
    /// The original commit and its translation. Nil if the author uses stored names.
    let lensed: LensedCommit?
    let wasSplit: Bool
    let oldLists: [OldList]?
    let front: FrontBytes?

    public var name: PartName { PartName(ident: ident, commit: commit.number) }

    init(_ item: QueuedCommit) {
        (ident, secret, user) = (item.ident, item.secret, item.user)
        (commit, hash, previous) = (item.commit, item.hash, item.previous)
        (lensed, wasSplit, oldLists, front) = (item.lensed, item.wasSplit, item.oldLists, item.front)
    }
}

/// An instruction for a `ServerMachine` of a node that shares streams with other nodes.
public enum StreamCommand: Sendable {
    /// The role of the node in the stream from now on. The machine keeps a state of a stream in which it merges.
    case role(StreamName, StreamRole)
    /// Commits that another node forwards, in the order in which it sent them.
    case forwarded(StreamName, ForwardOrigin, [ForwardedCommit])
    /// Removes the forwarded commits that aren't being merged. Their senders keep them.
    case returnForwards(StreamName)
    /// The node that merges reported that a commit of a session can't be merged. The session ends with the error.
    case forwardFailed(StreamName, PartName, SyncFault, text: SyncString)
    /// The node that merges reported that the log has a commit of a session at a version.
    case forwardDone(StreamName, PartName, StreamVersion)
}

/// A report of a `ServerMachine` for the coordination of nodes. See `ServerMachine.takeSignals()`.
public enum StreamSignal: Sendable {
    /// Commits wait in a stream in which the node doesn't merge.
    case commitsWait(StreamName)
    /// A step that the store confirmed and that was published to the node's sessions.
    case published(StreamName, StreamStep)
    /// A forwarded commit has a version. Its sender reads the answer in the log.
    case forwardDone(StreamName, ForwardOrigin, PartName, StreamVersion)
    /// A forwarded commit can't be merged.
    case forwardFailed(StreamName, ForwardOrigin, PartName, SyncFault, text: SyncString)
    /// The machine discarded its state of the stream, and with it all forwarded commits.
    case discarded(StreamName)
}
