/// A request of the machine to the file. Each request is one transaction, and requests are performed in order.
///
/// `ClientStore.perform` performs a request completely or not at all. After a failed request, a new machine has to be
/// started.
public enum StoreRequest: Hashable, Sendable {
    /// Reads the state that `bind` sends.
    case describe
    /// Resolves recorded transactions of the app, and reads commits to send. A commit whose base is before the horizon
    /// is returned alone.
    case collect(after: UInt64, bytes: UInt64, horizon: StreamVersion = 0)
    /// Stores the server's answer to a bind.
    case bind(Bound)
    case acknowledge(Ack)
    /// Applies all messages between one pair of cursors.
    case takeIn([Changes])
    /// Keeps bytes of a message that arrives in parts.
    case keepPart(MessagePart)
    /// Completes a message that arrives in parts, and applies it like a message that arrived as a whole.
    case takeParts(MessagePart)
    /// Removes the effects of a commit that is too large for the server, and keeps the commit for the app.
    case giveUp(UInt64)
    case beginBootstrap(BootstrapBegin)
    case takeInChunk(BootstrapChunk)
    case endBootstrap(BootstrapEnd)
    /// Stores the app's new queries.
    case subscribe([ClassQuery])
    /// Records that the queries of this version were sent.
    case sentQueries(UInt64)
    case failQuery(QueryError)
    case setOffset(Int64)
    /// Compares checksums of the server with those of the file.
    case compare(Checksums)
    case reset(ResetMode)
}

/// The handling of a file whose server has another history of the stream (sync-design.md, section 11).
public enum ResetMode: Hashable, Sendable {
    /// Own work that the new store doesn't have is done again.
    case recover
    /// Like `recover`, or like `discard` if the recovery fails.
    case recoverOrDiscard
    /// Own work isn't applied. It is kept for the app.
    case discard
    /// The app resets the file.
    case manual
}

/// The result of a request.
public enum StoreOutcome: Hashable, Sendable {
    case done
    case described(FileDescription)
    /// The commits to send, the lists that belong to them, and whether more commits can be sent.
    case collected([UploadedCommit], oldLists: [OldList] = [], hasMore: Bool)
    case acknowledged(upTo: UInt64, [Refusal], wanted: [ObjectName] = [])
    /// The changes were applied. The outcome has the new cursor.
    case tookIn(DownloadOutcome)
    /// The end of a bootstrap. `lost` is the number of commits that were set aside for the app, if the file was reset.
    case bootstrapped(QuerySet?, DownloadOutcome, lost: Int?)
    case subscribed(QuerySet)
    case compared([SyncString])
    /// The server's message doesn't fit the state of the file.
    case misfit
}

/// The state of a file, for `bind` and for the start of the machine.
public struct FileDescription: Hashable, Sendable {
    public var state: ClientState
    public var held: [HeldObject]
    public var leastBase: StreamVersion?
    public var pendingHashes: [RunningHash]
    public var hasLocalWork: Bool
    /// The schema of the classes that sync. `nil` if the file doesn't have it.
    public var schema: SchemaClaim?

    /// The received part of a message that arrives in parts.
    public var partial: PartialMessage?

    /// The number of commits that the request set aside for the app.
    var lost = 0

    /// A Boolean value that indicates whether the file asks which of its commits another history has.
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
    /// The objects to request.
    public var wanted: [ObjectName]
    /// The classes whose checksums differ.
    public var mismatches: [SyncString]
    /// The last own commit that is part of the confirmed state, together with all commits before it.
    public var confirmed: UInt64
    /// The number of objects in the downloaded messages.
    public var objects: UInt64
    /// Own work that was replaced by other files' creates of the same keys.
    public var replaced: [Refusal] = []
}
