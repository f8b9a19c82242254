/// The sync state of a file: one small record, which is written in the same transaction as the data that it describes.
public struct ClientState: Hashable, Sendable {
    /// The identity that the server gave the file. `nil` before the first bind.
    public var file: FileIdentity?
    /// The position up to which the file has the stream. `nil` before the end of the first bootstrap.
    public var cursor: Cursor?
    /// The view of which the file has the state.
    public var view: UInt64?

    // MARK: Own work

    /// The last commit that the server has answered, and the running hash up to it.
    public var acknowledged: UInt64 = 0
    public var acknowledgedHash = RunningHash.empty
    /// The last commit that this file may have sent.
    public var sealed: UInt64 = 0
    /// The last commit that has a number.
    public var lastCommit: UInt64 = 0
    /// The last number of an insert, a move or an embedded object.
    public var lastNumber: OwnNumber = 0
    /// The first commit that isn't answered, or whose answered changes aren't downloaded yet.
    public var firstPending: UInt64 = 1
    /// The first commit that is kept.
    public var firstKept: UInt64 = 1

    // MARK: Time

    public var clock = Clock.zero
    /// The difference between the server's time and the device's clock, in milliseconds. It is from the round trip that
    /// was shortest so far.
    public var offset: Int64 = 0

    // MARK: Views

    /// The query sets, newest last: the last complete one, and those after it.
    public var querySets: [QuerySet] = []
    public var bootstrap: BootstrapProgress?
    /// Commits under an older ident that aren't confirmed yet: their versions, and the objects that they are about.
    public var forked: [StreamVersion: [ObjectName]] = [:]
    /// Objects that are wrong or missing in the file. They are requested from the server.
    public var wanted: Set<ObjectName> = []
    /// Work that is done again as soon as the file has the state of the new store.
    public var recovery: [Recovery] = []
    /// A Boolean value that indicates whether the file has objects of another history.
    public var isReset = false

    /// A Boolean value that indicates whether the new store has reported which of the file's commits it has. The other
    /// commits are in `recovery`, or were discarded.
    public var isPrepared = false

    /// The mode of the current reset.
    public var resetMode = ResetMode.recover

    public init() {}
}

/// The queries of a file, and the progress of their bootstrap.
public struct QuerySet: Hashable, Sendable {
    public enum State: Hashable, Sendable {
        /// The server hasn't received the queries yet.
        case pending
        case bootstrapping
        case complete
        /// The server refused the queries of some classes. The objects of the other queries are complete if
        /// `isComplete` is true.
        case error
        /// A later query set replaced this one.
        case superseded
    }

    public let version: UInt64
    public let queries: [ClassQuery]
    public internal(set) var state = State.pending
    public internal(set) var errors: [QueryError] = []
    /// A Boolean value that indicates whether the file has all objects of the accepted queries.
    public internal(set) var isComplete = false

    public init(version: UInt64, queries: [ClassQuery]) {
        self.version = version
        self.queries = queries
    }
}

/// A bootstrap that has begun.
public struct BootstrapProgress: Hashable, Sendable {
    public var begin: BootstrapBegin
    /// The last chunk that the file has. `nil` before the first chunk.
    public var position: BootstrapPosition?
    public var objects: UInt64 = 0
    /// The last chunk of an earlier bootstrap that was cancelled. The file has objects of it, so the server needs this
    /// position until a bootstrap ends.
    public var earlier: BootstrapPosition?

    /// The position that is sent to the server at the next bind.
    public var reached: BootstrapPosition? { position ?? earlier }
}

/// A transaction of the app in a synced file, as the committing process recorded it. The process needs no sync client.
public struct LocalCommit: Hashable, Sendable {
    /// The number of the record in the file, counted without gaps.
    public let sequence: UInt64
    public let clock: Clock
    public let schemaVersion: UInt64
    /// Random bits that the transaction received when it was created. Copies of the file have the same bits. `nil` if
    /// an earlier version of the library created the record.
    public let identity: UInt64?
    public let edits: [LocalEdit]
    /// The earlier content of the objects that the edits are about, for objects without earlier work of the file.
    /// Objects that didn't exist are left out.
    public let before: [ObjectName: [SyncString: MergedContent]]

    public init(
        sequence: UInt64,
        clock: Clock,
        schemaVersion: UInt64 = 0,
        identity: UInt64? = nil,
        edits: [LocalEdit],
        before: [ObjectName: [SyncString: MergedContent]]
    ) {
        self.identity = identity
        self.sequence = sequence
        self.clock = clock
        self.schemaVersion = schemaVersion
        self.edits = edits
        self.before = before
    }
}

/// A commit in the form that the file's journal keeps.
public struct JournalCommit: Hashable, Sendable {
    public internal(set) var commit: Commit
    /// The random bits of the app's transaction: `LocalCommit.identity`.
    public internal(set) var identity: UInt64?
    /// The running hash of the file's commits up to this one. `nil` if the commit has no identity and isn't sealed yet.
    public internal(set) var hash: RunningHash?
    /// The version that the commit received. `nil` until the server has answered it.
    public internal(set) var version: StreamVersion?
    /// The time of the answer by the file's clock, in milliseconds since 2015-01-01.
    public internal(set) var answeredAt: Int64?

    /// Returns the commit without its changes of objects of some classes.
    package func without(_ classes: Set<SyncString>) -> JournalCommit {
        guard commit.changes.contains(where: { classes.contains($0.object.className) }) else { return self }
        var rest = self
        rest.commit = Commit(
            number: commit.number,
            clock: commit.clock,
            base: commit.base,
            seen: commit.seen,
            schemaVersion: commit.schemaVersion,
            changes: commit.changes.filter { !classes.contains($0.object.className) }
        )
        return rest
    }
}

/// Own work that was not applied. It is kept until the app takes it.
public enum LostWork: Hashable, Sendable {
    /// The server refused the change.
    case refused(Refusal)
    /// The commit wasn't sent, because the file was reset to the server's state.
    case discarded(Commit)
    /// The edits don't fit the content of the file.
    case misplaced([LocalEdit])
}
