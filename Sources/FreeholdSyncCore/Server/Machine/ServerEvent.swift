/// The number of a connection of a node. A number isn't used again.
public typealias ConnectionNumber = UInt64
/// The number of a request of a machine to its store.
public typealias RequestNumber = UInt64

/// An event that a `ServerMachine` handles.
public enum ServerEvent: Sendable {
    case opened(ConnectionNumber)
    case closed(ConnectionNumber)
    /// A message, and its size.
    case received(ConnectionNumber, ClientMessage, bytes: UInt64)
    /// A message that can't be decoded.
    case unreadable(ConnectionNumber)
    /// The answer to a request. If the answer is missing for a long time, the caller passes `.failed(.unknown)`.
    case answered(RequestNumber, ServerStoreAnswer)
    case timer(ServerTimer)
    /// The result of work that the caller executed outside of the machine: see `ServerAction.work`.
    case worked(WorkNumber, ServerWorkResult)
    /// Another node committed to the stream. The event is a hint: without it, the node finds the commit when its timer `look` fires.
    case moved(StreamName)
    /// Another node, or another writer of the same store, committed a step, and the step is durable. A step that doesn't begin at the published
    /// head is a hint like `moved`.
    case committed(StreamName, StreamStep)
    /// A program without a file requests changes, for example an HTTP request or an import. The answer is `ServerAction.submitted`.
    case submit(SubmissionNumber, Submission)
    /// The rights of users, or their permission to bind, have changed. Their sessions receive the difference. Nil stands for all users.
    case rightsChanged(Set<SyncString>?)
    /// Objects of these classes, by app, aren't accepted for now, because their destination doesn't keep up. The objects of all other classes are
    /// accepted. Commits with such objects wait, and so do the later commits of their devices. Downloads continue.
    case hold([SyncString: Set<SyncString>])
    /// The versions of an app's schema have changed. The sessions of the app end and bind again.
    case schemaChanged(SyncString)
    /// An instruction for a node that shares the merges of streams with other nodes.
    case coordinated(StreamCommand)
    /// The node ends after this number of milliseconds.
    case drain(after: UInt64)
}

/// The number of a submission of a node. A number isn't used again.
public typealias SubmissionNumber = UInt64

/// Changes of a program that has no file. They are merged like a device's commit whose author sees the newest state.
public struct Submission: Sendable {
    public var stream: StreamName
    public var user: SyncString
    /// The changes. They must not name elements or instances that other commits of the same file created. In the numbers of new elements and
    /// instances, the machine keeps the lowest 32 bits and replaces the others with the number of the commit.
    public var changes: [Change]
    /// The versions of objects that the author has seen. For other objects, the author has seen the newest version.
    public var seen: [ObjectName: StreamVersion]
    /// The translation between the author's version of the schema and the stored one. Nil if they are equal.
    public var lens: (any SessionLens)?
    /// The version of the schema under which the changes were written.
    public var schemaVersion: UInt64
    /// A Boolean value that indicates whether the author is an administrator, for whom the rights of users don't apply.
    public var isUnrestricted = false

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
    /// The changes are durable, except the refused ones, which weren't made.
    case done(version: StreamVersion, refusals: [Refusal])
    /// No change was made. With `.transient`, it isn't known whether changes were made.
    case failed(SyncFault, text: SyncString)
}

/// An action that a `ServerMachine` requests. The caller executes actions in their order.
public enum ServerAction: Sendable {
    case send(ConnectionNumber, ServerMessage)
    case close(ConnectionNumber)
    case request(RequestNumber, ServerStoreRequest)
    /// A long calculation. Any thread may execute it, slice by slice. The caller passes the result with `ServerEvent.worked`.
    case work(WorkNumber, ServerWork)
    /// Requests that the caller stops the work, because its result isn't needed any more.
    case cancelWork(WorkNumber)
    /// The outcome of a submission. Each submission has one outcome, unless the node ends before.
    case submitted(SubmissionNumber, SubmissionOutcome)
    /// The timer fires at this time. A new time replaces the old one.
    case setTimer(ServerTimer, at: Int64)
}

public enum ServerTimer: Hashable, Sendable {
    /// The machine merges the waiting commits of the stream.
    case group(StreamName)
    /// The machine checks whether another node has committed, and repeats failed requests.
    case look(StreamName)
    /// The machine removes old commits from the logs of streams.
    case trim
}

/// The settings of a server. Times are in milliseconds.
public struct ServerConfiguration: Sendable {
    /// The apps by name.
    public var apps: [SyncString: ServerApp]
    /// Returns the user of a token at a time in milliseconds since 2015-01-01. Returns `nil` if the token isn't accepted.
    public var authenticate: @Sendable (AccessToken, Int64) -> SyncString?
    /// Returns the credit that a message uses, in bytes. Client and server must calculate the same number. Otherwise credit is lost.
    public var size: @Sendable (ServerMessage) -> UInt64 = \.estimatedSize

    /// Returns the credit for uploads that a commit uses, in bytes. Client and server must calculate the same number.
    public var commitSize: @Sendable (Commit) -> UInt64 = { 64 + 64 * UInt64($0.changes.count) }

    public var limits = MessageLimits()
    /// Returns the secret of the file under which the submissions of a stream are written. All nodes and imports that use the store must derive
    /// the same secret. If the closure is `nil`, each machine creates a file of its own.
    public var writerSecret: (@Sendable (StreamName) -> FileSecret)?
    /// The kinds of compression that the transport of the node supports. A client uses the first kind in its list that is one of these.
    public var compressions: Set<CompressionKind> = []
    /// The number of bytes that a session may upload before it receives further credit. It is also the maximum size of the waiting uploads of a
    /// session, in bytes.
    public var uploadCredit: UInt64 = 4 << 20
    public var groupDelay: Int64 = 5
    /// The number of waiting changes at which a group begins without a further delay.
    public var groupChanges = 500
    public var chunkObjects = 1_000
    public var chunkBytes: UInt64 = 256 << 10
    /// The maximum number of objects of a step. A file that lacks more changed objects receives several steps.
    public var stepObjects = 5_000
    public var lookInterval: Int64 = 1_000
    public var trimInterval: Int64 = 3_600_000
    public var logAge: Int64 = 7 * 86_400_000
    public var horizonAge: Int64 = 30 * 86_400_000
    /// The maximum number of conditions of a query set.
    public var conditions = 1_000
    /// The maximum number of held objects that a session keeps, of those that its client names.
    public var heldObjects = HeldObject.mostNamed
    /// The maximum number of objects that one session may request at the same time.
    public var fetchedObjects = HeldObject.mostNamed
    /// The maximum size of the schema's documents in a bind, in bytes.
    public var schemaBytes = 1 << 20
    /// The maximum number of requests of one user that the store has at the same time. Further requests wait.
    public var requestsPerUser = 8
    /// The maximum number of steps for the comparison of one object with a condition; see `WorkBudget`. If more are needed, the object isn't
    /// shown, and the client receives an error of the query.
    public var objectSteps = 5_000_000
    /// The maximum number of steps of work that the machine executes immediately. It returns longer work as `ServerAction.work`.
    public var inlineSteps = 5_000
    /// The maximum size of the objects of all streams that a node keeps for merges, in bytes.
    public var rowBytes = 64 << 20
    /// The maximum total size of the stored objects that are read for one commit, in bytes.
    public var groupBytes = 256 << 20
    /// The maximum number of unanswered commits in a bind.
    public var pendingCommits = JournalRange.mostPending
    /// The maximum size of the data that a node keeps for all sessions of one user, in bytes. One message or commit may exceed it.
    public var userBytes = 32 << 20
    /// The maximum size of the data that a node keeps for all sessions, in bytes. If the data is larger, each user's share is reduced.
    public var nodeBytes = 1 << 30
    /// The maximum size of the objects of one user in a stream, in bytes. 0 means no limit.
    public var userDiskBytes: UInt64 = 0
    /// The maximum size of a query set, in bytes.
    public var queryBytes = 64 << 10
    /// The size of the parts of a message, in bytes. A message that is several times as large is sent in parts to a client that accepts parts.
    public var partBytes: UInt64 = 16 << 10
    /// The size in bytes, and the time in milliseconds, after which the received parts of an incomplete commit are written to the store.
    public var keptBytes: UInt64 = 1 << 20
    public var keepDelay: Int64 = 2_000
    /// The maximum size of the waiting messages in parts of one connection, in bytes. When it is reached, the other sessions of the connection wait.
    public var outgoingBytes: UInt64 = 64 << 20
    /// The time for which the store keeps an incomplete commit that receives no new parts.
    public var partAge: Int64 = 86_400_000
    /// The time for which the store keeps a file that has never uploaded anything and has never received all objects that it requested. Other
    /// files are kept for `horizonAge`.
    public var unusedFileAge: Int64 = 86_400_000
    public var connections = 20_000
    /// A Boolean value that indicates whether nodes share the merges of streams. Then the machine forwards the commits of all streams, except
    /// those in which `StreamCommand.role` lets it merge.
    public var isCoordinated = false
    /// Rules that a test breaks.
    var broken: Set<BrokenRule> = []

    /// The size in bytes above which a message is sent in parts.
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

/// The result of the check of a client's schema.
public struct SchemaJudgement: Sendable {
    public var verdict: SchemaVerdict
    /// The app's merge rules, if classes of the client's schema were added to the app. Nil if the rules are unchanged.
    public var rules: MergeRules?
    /// The translation between the client's version of the schema and the stored one. Nil if they are equal.
    public var lens: (any SessionLens)?

    public init(_ verdict: SchemaVerdict, rules: MergeRules? = nil, lens: (any SessionLens)? = nil) {
        (self.verdict, self.rules, self.lens) = (verdict, rules, lens)
    }
}

/// An app that a server serves.
public struct ServerApp: Sendable {
    public var merge: StreamMerge
    /// Checks the schema of a client. If the closure is `nil`, any schema is accepted.
    public var judge: (@Sendable (SchemaClaim) -> SchemaJudgement)?
    /// Returns the rights of a user in a stream. If the closure is `nil`, a user may see and write everything in the streams that ``allows``
    /// permits.
    public var rights: (@Sendable (_ user: SyncString, _ stream: SyncValue?) -> any SessionRights)?
    /// Returns the stored classes that are known now. Conditions are checked against them.
    public var schema: @Sendable () -> ConditionSchema? = { nil }
    /// Returns whether a user may bind a stream.
    public var allows: @Sendable (_ user: SyncString, _ stream: SyncValue?) -> Bool = { _, _ in true }

    public init(rules: MergeRules = MergeRules()) { merge = StreamMerge(rules) }
}
