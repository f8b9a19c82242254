public import FreeholdHTTP
public import FreeholdSyncCore

/// What a node allows. Times are in milliseconds.
public struct NodeLimits: Hashable, Sendable {
    /// Of a listener, whatever they are for.
    public var connections = 20_000
    /// Change streams over HTTP are among them.
    public var connectionsPerUser = 50
    /// Of a connection.
    public var sessions: UInt64 = 1_000
    /// Of a message's body, before it is compressed.
    public var messageBytes: UInt64 = 16 << 20
    /// The bytes of one commit, however many messages it takes. A client hands a larger one back to its app.
    public var commitBytes: UInt64 = 256 << 20
    /// Of bodies of HTTP requests that wait, all together.
    public var bodyBytes = 64 << 20
    /// The bytes that the waiting bodies of one user's HTTP requests may have.
    public var userBodyBytes = 16 << 20
    /// The bytes that the node keeps for one user: half of them for connections and requests, half of them for sessions. One message, or one
    /// commit, may exceed that. A connection, a session or a request that would keep more ends, or isn't read until there is room.
    public var userBytes = 64 << 20
    /// The bytes that the node keeps for all users, for connections and requests, and again for sessions. Above it, each user's share is that of
    /// the bound that there is for each of them.
    public var nodeBytes = 1 << 30
    /// The bytes that the documents of one user may take in a stream: what the user's commits added, less what they removed. 0: any number.
    public var userDiskBytes: UInt64 = 0
    /// The bytes of the conditions of a query set.
    public var queryBytes = 64 << 10
    /// What may wait to be taken by a receiver. One that is slower is dropped: it catches up by its cursor when it comes again.
    public var waitingBytes = 64 << 20
    /// What may have been read of a connection and isn't done yet. Then no more is read.
    public var unhandledBytes = 4 << 20
    /// The steps that one object may cost when it is compared with the conditions of a query; see `WorkBudget`.
    public var objectSteps = 5_000_000
    /// The requests of a user that the store has at the same time. Others wait for them.
    public var requestsPerUser = 8
    /// From the connection to the first message, which has to prove who it is.
    public var greetingTimeout: Int64 = 10_000
    /// The time that a connection of HTTP may wait for its next request.
    public var keepAliveTimeout: Int64 = 60_000
    /// Without a byte from the other side.
    public var idleTimeout: Int64 = 120_000
    /// From the first byte of a message, or of a body of HTTP, to its last.
    public var messageTimeout: Int64 = 600_000
    /// Without taking a byte of those that wait.
    public var stallTimeout: Int64 = 30_000
    /// For an answer of the store. Programs without a file are told 503 then.
    public var storeTimeout: Int64 = 30_000

    public init() {}
}

/// An app that a node serves.
public struct NodeApp: Sendable {
    /// Who may bind a stream of the app. In an app without rules whoever may bind a stream reads and writes all of it.
    public enum Access: String, Hashable, Sendable {
        /// In an app with rules: whom they let.
        case nobody
        /// Every user.
        case everyone
        /// A user has the stream whose name is the user's; nobody has the app's own stream.
        case ownStream = "own-stream"
    }

    public var access: Access
    /// What may be bound beside the app's own stream, by whoever may bind that. Without it nobody makes streams by naming them.
    public var streams: Set<SyncString> = []
    public var rules: MergeRules
    /// Who belongs to the app; nil: every user that a token names.
    var isMember: (@Sendable (String) -> Bool)?
    /// Its classes and rules.
    var served: ServedApp?

    public init(access: Access = .nobody, rules: MergeRules = MergeRules()) {
        self.access = access
        self.rules = rules
    }

    func serverApp() -> ServerApp {
        let (access, streams, isMember, served, base) = (access, streams, isMember, served, rules)
        var app = ServerApp(rules: served?.mergeRules(base) ?? base)
        if let served {
            app.schema = { served.conditions }
            if served.hasSchema { app.judge = { served.judge($0, base) } }
            if served.hasRules { app.rights = { user, _ in served.rights(of: user.string) ?? NoRights() } }
        }
        app.allows = { user, stream in
            if let isMember, !isMember(user.string) { return false }
            let isThere = if case .string(let name)? = stream { streams.contains(name) } else { stream == nil }
            return switch access {
            case .nobody: isThere && served?.hasRules == true
            case .everyone: isThere
            case .ownStream: stream == .string(user)
            }
        }
        return app
    }
}

/// Between the moment at which an app's rules are taken away and the one at which its sessions hear of it.
private struct NoRights: SessionRights {
    func narrowed(_ query: ClassQuery) throws(ConditionError) -> SyncString { "FALSEPREDICATE" }
    func mask(of className: SyncString) -> FieldMask? { FieldMask.none }
    func writesAll(of className: SyncString) -> Bool { false }
    func allows(
        _ name: ObjectName,
        before: [SyncString: MergedContent]?,
        after: [SyncString: MergedContent]?
    ) -> Bool { false }
}

public struct NodeConfiguration: Sendable {
    public var apps: [SyncString: NodeApp]
    public var limits = NodeLimits()
    /// How long commits wait for others, in milliseconds. 0: only while the store is busy, which groups as many as come meanwhile.
    public var groupDelay: Int64 = 0
    /// Messages of a KiB and more are compressed, for clients that take that. It costs time of the processor, and whoever may write into a
    /// user's view and sees how long messages are can learn something of what else is in them (`docs/sync-security.md`).
    public var compressesMessages = true
    /// Who may say where a request comes from.
    public var proxies = TrustedProxies.none
    /// Whoever asks in the name of a web page is heard only if the page is this machine's own: where everybody is trusted, pages of others
    /// could use the node by way of the browser.
    public var isForLoopback = false
    /// The origins of web pages that may use the documents and the accounts, such as `https://app.example.org`. `*`: all.
    public var origins: [String] = []
    /// The secrets of the files under which submissions are written. Nil: the node makes files of its own.
    public var writers: WriterSecrets?
    /// Where on the node sync is.
    public var path = "/sync"

    public init(apps: [SyncString: NodeApp]) { self.apps = apps }
}
