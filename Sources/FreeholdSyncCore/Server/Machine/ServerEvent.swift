/// Names a connection of a server node. Numbers aren't used again.
public typealias ConnectionNumber = UInt64
/// Names a request that a machine made of its store.
public typealias RequestNumber = UInt64

/// What happens to a `ServerMachine`.
public enum ServerEvent: Sendable {
    case opened(ConnectionNumber)
    case closed(ConnectionNumber)
    /// A message, which took so many bytes.
    case received(ConnectionNumber, ClientMessage, bytes: UInt64)
    /// The bytes of a message weren't understood.
    case unreadable(ConnectionNumber)
    /// The answer to a request. If nothing comes for long, `.failed(.unknown)` is due.
    case answered(RequestNumber, ServerStoreAnswer)
    case timer(ServerTimer)
    /// Work that was handed out is done.
    case worked(WorkNumber, ServerWorkResult)
    /// Another node committed to the stream. It is a hint: a node that isn't told finds out by itself, later.
    case moved(StreamName)
    /// Another node, or another writer of the same store, committed a step, and it is durable. A step that doesn't begin where the node's
    /// sessions are is a hint like `moved`.
    case committed(StreamName, StreamStep)
    /// Somebody wants changes done who has no file: a program that asks by HTTP, an import. It is answered by `ServerAction.submitted`.
    case submit(SubmissionNumber, Submission)
    /// What users may see, or whether they may bind, is another thing now: what they hold follows. Nil: of all users.
    case rightsChanged(Set<SyncString>?)
    /// Objects of these classes, by app, aren't taken for now, and those of all others are: where they go doesn't keep up. Commits with such
    /// objects wait, and what their devices made after them; nothing that goes down does.
    case hold([SyncString: Set<SyncString>])
    /// An app's schema has other versions now: its sessions bind anew.
    case schemaChanged(SyncString)
    /// The node goes away in so many milliseconds.
    case drain(after: UInt64)
}

/// Names a submission of a node. Numbers aren't used again.
public typealias SubmissionNumber = UInt64

/// Changes of somebody who has no file. They are merged as a device's commit whose author sees the newest state.
public struct Submission: Sendable {
    public var stream: StreamName
    public var user: SyncString
    /// Nothing in them names own elements or instances of other commits. The machine gives their own numbers the commit's number in place of
    /// all but the lowest 32 bits.
    public var changes: [Change]
    /// The version of each object that the author saw; of those that aren't named, the newest one.
    public var seen: [ObjectName: StreamVersion]
    /// How the author sees what is stored, and by which version of the schema the changes are written. Nil: as it is.
    public var lens: (any SessionLens)?
    public var schemaVersion: UInt64

    public init(
        stream: StreamName,
        user: SyncString,
        changes: [Change],
        seen: [ObjectName: StreamVersion] = [:],
        lens: (any SessionLens)? = nil,
        schemaVersion: UInt64 = 0
    ) {
        (self.stream, self.user, self.changes, self.seen) = (stream, user, changes, seen)
        (self.lens, self.schemaVersion) = (lens, schemaVersion)
    }
}

public enum SubmissionOutcome: Sendable {
    /// It is durable. Refused changes weren't done; the others were.
    case done(version: StreamVersion, refusals: [Refusal])
    /// Nothing was done; or, with `.transient`, nobody knows.
    case failed(SyncFault, text: SyncString)
}

/// What a `ServerMachine` wants done, in order.
public enum ServerAction: Sendable {
    case send(ConnectionNumber, ServerMessage)
    case close(ConnectionNumber)
    case request(RequestNumber, ServerStoreRequest)
    /// Work that takes long. It may be done on any thread, slice by slice; `ServerEvent.worked` is due then.
    case work(WorkNumber, ServerWork)
    /// The result of the work isn't needed any more.
    case cancelWork(WorkNumber)
    /// What became of a submission. Each is answered once, unless the node dies.
    case submitted(SubmissionNumber, SubmissionOutcome)
    /// The timer fires at this time. A new time replaces the old one.
    case setTimer(ServerTimer, at: Int64)
}

public enum ServerTimer: Hashable, Sendable {
    /// Commits that wait for more are to be merged.
    case group(StreamName)
    /// Time to look whether another node was there, and to try again what failed.
    case look(StreamName)
    /// Time to cut logs.
    case trim
}

/// What a server allows and how it behaves. Times are in milliseconds.
public struct ServerConfiguration: Sendable {
    /// The apps by name.
    public var apps: [SyncString: ServerApp]
    /// Who a token is, at a time in milliseconds since 2015-01-01. Nil if it isn't accepted.
    public var authenticate: @Sendable (AccessToken, Int64) -> SyncString?
    /// The bytes that a message takes: both sides must count alike, else credit leaks away.
    public var size: @Sendable (ServerMessage) -> UInt64 = \.estimatedSize

    /// The bytes that a commit takes of the credit for uploads. Both sides must count alike here, too.
    public var commitSize: @Sendable (Commit) -> UInt64 = { 64 + 64 * UInt64($0.changes.count) }

    public var limits = MessageLimits()
    /// The secret of the file under which a stream's submissions are written. All nodes and imports that use the store have to derive the same
    /// one. Nil: each machine has a file of its own.
    public var writerSecret: (@Sendable (StreamName) -> FileSecret)?
    /// Ways to compress messages that whoever sends and reads them can do. A client gets the first that it names, too.
    public var compressions: Set<CompressionKind> = []
    /// What a session may upload at first, and may have waiting.
    public var uploadCredit: UInt64 = 4 << 20
    public var groupDelay: Int64 = 5
    /// The changes that end a group's wait.
    public var groupChanges = 500
    public var chunkObjects = 1_000
    public var chunkBytes: UInt64 = 256 << 10
    /// The objects of a step. A file that is further behind gets several.
    public var stepObjects = 5_000
    public var lookInterval: Int64 = 1_000
    public var trimInterval: Int64 = 3_600_000
    public var logAge: Int64 = 7 * 86_400_000
    public var horizonAge: Int64 = 30 * 86_400_000
    /// The most conditions of a query set.
    public var conditions = 1_000
    /// The most held objects that a session keeps of those that its client names, and the most objects that a client asks for at once.
    public var heldObjects = HeldObject.mostNamed
    /// The most bytes of the schema's documents in a bind.
    public var schemaBytes = 1 << 20
    /// The requests of one user that the store has at the same time. Others wait for them.
    public var requestsPerUser = 8
    /// The steps that one object may cost when a condition is compared with it; see `WorkBudget`. If more are needed, the object
    /// isn't shown, and the client is sent an error of the query.
    public var objectSteps = 5_000_000
    /// The steps of work that are done at once. Work that needs more is handed out.
    public var inlineSteps = 5_000
    /// The bytes of objects that a node remembers for merges, of all streams together.
    public var rowBytes = 64 << 20
    /// The bytes that the stored objects may have together that a commit changes.
    public var groupBytes = 256 << 20
    /// The most commits of a bind that weren't answered.
    public var pendingCommits = JournalRange.mostPending
    /// The bytes that the sessions of one user may keep together. One message or commit may exceed them.
    public var userBytes = 32 << 20
    /// The bytes that all sessions may keep together. Above it each user's share is smaller.
    public var nodeBytes = 1 << 30
    /// The bytes that the objects of one user may take in a stream. 0: any number.
    public var userDiskBytes: UInt64 = 0
    /// The bytes of a query set.
    public var queryBytes = 64 << 10
    /// Messages that are several times as large are sent in parts of so many bytes, to clients that take that.
    public var partBytes: UInt64 = 16 << 10
    /// Parts of an incomplete commit are given to the store once there are so many bytes of them, or after so many milliseconds.
    public var keptBytes: UInt64 = 1 << 20
    public var keepDelay: Int64 = 2_000
    /// The bytes that wait for the sessions of one connection. Once there are so many, its other sessions wait.
    public var outgoingBytes: UInt64 = 64 << 20
    /// How long an incomplete commit is kept to which nothing is added.
    public var partAge: Int64 = 86_400_000
    /// How long a file is known that never uploaded anything and never had all objects that it asked for. One that had them is known for
    /// `horizonAge`.
    public var unusedFileAge: Int64 = 86_400_000
    public var connections = 20_000
    /// Rules that a test breaks.
    var broken: Set<BrokenRule> = []

    /// The bytes above which a message is sent in parts.
    var partedBytes: UInt64 { partBytes &* 4 }

    public init(
        apps: [SyncString: ServerApp],
        authenticate: @escaping @Sendable (AccessToken, Int64) -> SyncString?
    ) {
        limits.commitBytes = 256 << 20
        self.apps = apps
        self.authenticate = authenticate
    }
}

/// What becomes of a file that comes with a schema of its own.
public struct SchemaJudgement: Sendable {
    public var verdict: SchemaVerdict
    /// The app took classes over that say more of merges.
    public var rules: MergeRules?
    /// How the file's app sees what is stored. Nil: as it is.
    public var lens: (any SessionLens)?

    public init(_ verdict: SchemaVerdict, rules: MergeRules? = nil, lens: (any SessionLens)? = nil) {
        (self.verdict, self.rules, self.lens) = (verdict, rules, lens)
    }
}

/// What a server knows of an app.
public struct ServerApp: Sendable {
    public var merge: StreamMerge
    /// What becomes of a file with a schema of its own. Nil accepts any.
    public var judge: (@Sendable (SchemaClaim) -> SchemaJudgement)?
    /// What a user may see and write in a stream. Nil: everything, as far as ``allows`` says.
    public var rights: (@Sendable (_ user: SyncString, _ stream: SyncValue?) -> any SessionRights)?
    /// The stored classes, as far as they are known now: conditions are checked against them.
    public var schema: @Sendable () -> ConditionSchema? = { nil }
    /// Whether a user may bind a stream.
    public var allows: @Sendable (_ user: SyncString, _ stream: SyncValue?) -> Bool = { _, _ in true }

    public init(rules: MergeRules = MergeRules()) { merge = StreamMerge(rules) }
}
