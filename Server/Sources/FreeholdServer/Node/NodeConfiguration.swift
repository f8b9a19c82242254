public import FreeholdSyncCore

/// What a node allows. Times are in milliseconds.
public struct NodeLimits: Hashable, Sendable {
    public var connections = 20_000
    public var connectionsPerUser = 50
    /// Of a connection.
    public var sessions: UInt64 = 1_000
    /// Of a message's body, before it is compressed.
    public var messageBytes: UInt64 = 16 << 20
    /// What may wait to be taken by a receiver. One that is slower is dropped: it catches up by its cursor when it comes again.
    public var waitingBytes = 64 << 20
    /// What may have been read of a connection and isn't done yet. Then no more is read.
    public var unhandledBytes = 4 << 20
    /// From the connection to the first message, which has to prove who it is.
    public var greetingTimeout: Int64 = 10_000
    /// Without a byte from the other side.
    public var idleTimeout: Int64 = 120_000
    /// Without taking a byte of those that wait.
    public var stallTimeout: Int64 = 30_000
    /// For an answer of the store.
    public var storeTimeout: Int64 = 30_000

    public init() {}
}

/// An app that a node serves.
public struct NodeApp: Sendable {
    /// Who may bind a stream of the app. Until rules say more, whoever may bind a stream reads and writes all of it.
    public enum Access: String, Hashable, Sendable {
        case nobody
        /// Every user, every stream.
        case everyone
        /// A user has the stream whose name is the user's; nobody has the app's own stream.
        case ownStream = "own-stream"
    }

    public var access: Access
    public var rules: MergeRules
    /// Who belongs to the app; nil: every user that a token names.
    var isMember: (@Sendable (String) -> Bool)?

    public init(access: Access = .nobody, rules: MergeRules = MergeRules()) {
        self.access = access
        self.rules = rules
    }

    func serverApp() -> ServerApp {
        var app = ServerApp(rules: rules)
        let (access, isMember) = (access, isMember)
        app.allows = { user, stream in
            if let isMember, !isMember(user.string) { return false }
            return switch access {
            case .nobody: false
            case .everyone: true
            case .ownStream: stream == .string(user)
            }
        }
        return app
    }
}

public struct NodeConfiguration: Sendable {
    public var apps: [SyncString: NodeApp]
    public var limits = NodeLimits()
    /// How long commits wait for others, in milliseconds. 0: only while the store is busy, which groups as many as come meanwhile.
    public var groupDelay: Int64 = 0
    /// Messages of a KiB and more are compressed, for clients that take that. It costs time of the processor, and whoever may write into a
    /// user's view and sees how long messages are can learn something of what else is in them (`docs/sync-security.md`).
    public var compressesMessages = true
    /// Where on the node sync is.
    public var path = "/sync"

    public init(apps: [SyncString: NodeApp]) { self.apps = apps }
}
