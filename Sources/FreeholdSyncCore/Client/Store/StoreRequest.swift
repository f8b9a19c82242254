/// What the machine asks the file to do: one transaction each, in the order in which they are asked.
///
/// `ClientStore.perform` does them. All of a request happens, or nothing. After a request that failed the machine has to be started anew.
public enum StoreRequest: Hashable, Sendable {
    /// Reads what `bind` has to say.
    case describe
    /// Gives names and numbers to what was committed, and reads commits to send. One from before the horizon comes alone.
    case collect(after: UInt64, bytes: UInt64, horizon: StreamVersion = 0)
    /// Takes over what the server says that the file is.
    case bind(Bound)
    case acknowledge(Ack)
    /// All messages of one pair of cursors.
    case takeIn([Changes])
    /// Keeps bytes of a message that comes in parts.
    case keepPart(MessagePart)
    /// The last bytes of a message that comes in parts: it is taken in as if it had come at once.
    case takeParts(MessagePart)
    /// Takes back a commit that is too large for the server, and keeps it for the app.
    case giveUp(UInt64)
    case beginBootstrap(BootstrapBegin)
    case takeInChunk(BootstrapChunk)
    case endBootstrap(BootstrapEnd)
    /// The app's new queries.
    case subscribe([ClassQuery])
    /// The queries of this version were sent.
    case sentQueries(UInt64)
    case failQuery(QueryError)
    case setOffset(Int64)
    /// Which classes differ from these sums.
    case compare(Checksums)
    case reset(ResetMode)
}

/// What happens to a file whose server has another history of the stream (sync-design.md, section 11).
public enum ResetMode: Hashable, Sendable {
    /// Own work that the new store doesn't have is done again.
    case recover
    /// As `recover`; if that fails, as `discard`.
    case recoverOrDiscard
    /// Own work is handed to the app.
    case discard
    /// The app does it.
    case manual
}

/// What a request led to.
public enum StoreOutcome: Hashable, Sendable {
    case done
    case described(FileDescription)
    /// Commits to send, the lists that they come with, and whether there are more.
    case collected([UploadedCommit], oldLists: [OldList] = [], hasMore: Bool)
    case acknowledged(upTo: UInt64, [Refusal])
    /// The state is as far as the cursor.
    case tookIn(DownloadOutcome)
    /// - lost: if the file was reset, the commits that were set aside for the app.
    case bootstrapped(QuerySet?, DownloadOutcome, lost: Int?)
    case subscribed(QuerySet)
    case compared([SyncString])
    /// What the server said doesn't follow from what the file has.
    case misfit
}

/// What a file knows, for `bind` and for the machine's start.
public struct FileDescription: Hashable, Sendable {
    public var state: ClientState
    public var held: [HeldObject]
    public var leastBase: StreamVersion?
    public var pendingHashes: [RunningHash]
    public var hasLocalWork: Bool
    /// Of the classes that sync; nil if the file doesn't know.
    public var schema: SchemaClaim?

    /// What came of a message that comes in parts.
    public var partial: PartialMessage?

    /// Commits that the request set aside for the app.
    var lost = 0

    /// The file asks which of its commits another history has.
    public var isReset: Bool { state.isReset && !state.isPrepared }

    public var journal: JournalRange {
        if isReset { return JournalRange(acknowledged: state.firstKept - 1, hash: .empty, pending: pendingHashes) }
        return unansweredJournal
    }

    private var unansweredJournal: JournalRange {
        JournalRange(acknowledged: state.acknowledged, hash: state.acknowledgedHash, pending: pendingHashes)
    }
}

public struct DownloadOutcome: Hashable, Sendable {
    public var cursor: Cursor?
    /// Objects to be fetched.
    public var wanted: [ObjectName]
    /// Classes whose sums differ.
    public var mismatches: [SyncString]
    /// Own commits up to this one are in the confirmed state.
    public var confirmed: UInt64
    /// Local work came about: recovered work is to be sent.
    public var objects: UInt64
    /// Own work that gave way to other files' creates of the same keys.
    public var replaced: [Refusal] = []
}
