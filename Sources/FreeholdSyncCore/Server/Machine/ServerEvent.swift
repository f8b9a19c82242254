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
    /// Another node committed to the stream. It is a hint: a node that isn't told finds out by itself, later.
    case moved(StreamName)
    /// The node goes away in so many milliseconds.
    case drain(after: UInt64)
}

/// What a `ServerMachine` wants done, in order.
public enum ServerAction: Sendable {
    case send(ConnectionNumber, ServerMessage)
    case close(ConnectionNumber)
    case request(RequestNumber, ServerStoreRequest)
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
    /// The most conditions of a query set and held objects of a bind.
    public var conditions = 1_000
    public var heldObjects = 100_000
    public var connections = 20_000

    public init(
        apps: [SyncString: ServerApp],
        authenticate: @escaping @Sendable (AccessToken, Int64) -> SyncString?
    ) {
        self.apps = apps
        self.authenticate = authenticate
    }
}

/// What a server knows of an app.
public struct ServerApp: Sendable {
    public var merge: StreamMerge
    /// The schema that files must have. Nil accepts any.
    public var schema: RunningHash?
    /// Whether a user may bind a stream.
    public var allows: @Sendable (_ user: SyncString, _ stream: SyncValue?) -> Bool = { _, _ in true }

    public init(rules: MergeRules = MergeRules(), schema: RunningHash? = nil) {
        merge = StreamMerge(rules)
        self.schema = schema
    }
}
