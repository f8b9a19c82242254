/// What a synced file knows of itself: one small record, written with what it is about.
public struct ClientState: Hashable, Sendable {
    /// Nil until the server gave it.
    public var file: FileIdentity?
    /// Up to where the file has the stream. Nil before the first bootstrap's end.
    public var cursor: Cursor?
    /// The view that the file's state is of.
    public var view: UInt64?

    // MARK: Own work

    /// The last commit that was answered, and the running hash up to it.
    public var acknowledged: UInt64 = 0
    public var acknowledgedHash = RunningHash.empty
    /// The last commit that this file may have sent.
    public var sealed: UInt64 = 0
    /// The last commit that has a number.
    public var lastCommit: UInt64 = 0
    /// The last number of an insert, a move or an embedded object.
    public var lastNumber: OwnNumber = 0
    /// The first commit that is answered but not yet in what was downloaded, or not answered.
    public var firstPending: UInt64 = 1
    /// The first commit that is kept.
    public var firstKept: UInt64 = 1

    // MARK: Time

    public var clock = Clock.zero
    /// What is to be added to the device's clock, in milliseconds; of the shortest round trip so far.
    public var offset: Int64 = 0

    // MARK: Views

    /// The newest at the end. One that is complete, and those behind it.
    public var querySets: [QuerySet] = []
    public var bootstrap: BootstrapProgress?
    /// Commits under an older ident that aren't confirmed yet: their versions, and the objects that they are about.
    public var forked: [StreamVersion: [ObjectName]] = [:]
    /// Objects that the file has wrong or not at all: they are asked for.
    public var wanted: Set<ObjectName> = []
    /// What is to be played again once the file has the state of the new store.
    public var recovery: [Recovery] = []
    /// The file holds objects of another history.
    public var isReset = false

    /// The store said which of the file's commits it has: the others lie in `recovery`, or were given up.
    public var isPrepared = false

    /// How the file is reset.
    public var resetMode = ResetMode.recover

    public init() {}
}

/// What a file subscribes to, and how far that is.
public struct QuerySet: Hashable, Sendable {
    public enum State: Hashable, Sendable {
        /// The server doesn't know of it yet.
        case pending
        case bootstrapping
        case complete
        /// Queries of some classes weren't understood. The others are there once `isComplete`.
        case error
        /// A later one took its place.
        case superseded
    }

    public let version: UInt64
    public let queries: [ClassQuery]
    public internal(set) var state = State.pending
    public internal(set) var errors: [QueryError] = []
    /// All that it asks for, and that was understood, is in the file.
    public internal(set) var isComplete = false

    public init(version: UInt64, queries: [ClassQuery]) {
        self.version = version
        self.queries = queries
    }
}

/// A bootstrap that has begun.
public struct BootstrapProgress: Hashable, Sendable {
    public var begin: BootstrapBegin
    /// Nil before the first chunk.
    public var position: BootstrapPosition?
    public var objects: UInt64 = 0
    /// Where one that was given up had got to: the file has objects of it, which the server has to know of until a bootstrap ends.
    public var earlier: BootstrapPosition?

    /// What the server is told at the next bind.
    public var reached: BootstrapPosition? { position ?? earlier }
}

/// What one transaction of the app did to a synced file, as whoever committed wrote it down: any process, with or without a sync client.
public struct LocalCommit: Hashable, Sendable {
    /// Counts what the file writes down, without gaps.
    public let sequence: UInt64
    public let clock: Clock
    public let schemaVersion: UInt64
    /// Random bits that the transaction got when it was made, so that a copy of the file has them, too. `nil` if a version made it that gave none.
    public let identity: UInt64?
    public let edits: [LocalEdit]
    /// The objects that the edits are about and that had no work of the file's own before, as they were. Those that weren't there aren't
    /// named.
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

/// A commit as the file's journal keeps it.
public struct JournalCommit: Hashable, Sendable {
    public internal(set) var commit: Commit
    /// Random bits of the transaction that it was: `LocalCommit.identity`.
    public internal(set) var identity: UInt64?
    /// The running hash of the file's commits up to this one. `nil` until it is sealed, if the transaction has no identity.
    public internal(set) var hash: RunningHash?
    /// The version that it took. Nil until it is answered.
    public internal(set) var version: StreamVersion?
    /// When it was answered, by the file's clock, in milliseconds since 2015-01-01.
    public internal(set) var answeredAt: Int64?

    /// The same without what it did in some classes.
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

/// Work that was given up. It is kept until the app takes it.
public enum LostWork: Hashable, Sendable {
    /// The server didn't do it.
    case refused(Refusal)
    /// It was never sent, since the file was reset to what the server has.
    case discarded(Commit)
    /// It doesn't fit what the file holds.
    case misplaced([LocalEdit])
}
