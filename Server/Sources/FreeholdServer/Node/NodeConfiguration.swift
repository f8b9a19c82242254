public import FreeholdHTTP
public import FreeholdSyncCore

/// The limits of a node. Times are in milliseconds.
public struct NodeLimits: Hashable, Sendable {
    /// The maximum number of connections of a listener, of all kinds.
    public var connections = 20_000
    /// The maximum number of connections of one address while at least half of ``connections`` are open: see
    /// `HTTPLimits.connectionsPerAddress`.
    public var connectionsPerAddress: Int?
    /// The maximum number of connections of a user, including change streams over HTTP.
    public var connectionsPerUser = 50
    /// The maximum number of sessions of a connection.
    public var sessions: UInt64 = 1_000
    /// The maximum size of a message's body before its compression, in bytes.
    public var messageBytes: UInt64 = 16 << 20
    /// The maximum size of a commit, in bytes, for any number of messages. A client returns a larger commit to its app.
    public var commitBytes: UInt64 = 256 << 20
    /// The maximum total size of the waiting bodies of HTTP requests, in bytes.
    public var bodyBytes = 64 << 20
    /// The maximum size of the waiting bodies of one user's HTTP requests, in bytes.
    public var userBodyBytes = 16 << 20
    /// The maximum number of bytes that the node keeps for one user: one half for connections and requests, the other half for sessions. One message,
    /// or one commit, may exceed it. A connection, a session or a request that would exceed it ends, or waits until bytes are released.
    public var userBytes = 64 << 20
    /// The number of bytes that the node keeps for the connections and requests of all users. The same number applies to all sessions. If the node
    /// keeps more, the share of each user is this number divided by the number of users.
    public var nodeBytes = 1 << 30
    /// The maximum number of bytes of the documents of one user in a stream: the bytes that the user's commits have added, minus the bytes that they
    /// have removed. 0 means no limit.
    public var userDiskBytes: UInt64 = 0
    /// The maximum size of the conditions of a query set, in bytes.
    public var queryBytes = 64 << 10
    /// The maximum number of bytes that wait for a receiver. A receiver with more waiting bytes is disconnected. It continues at its cursor when it
    /// connects again.
    public var waitingBytes = 64 << 20
    /// The maximum number of bytes of a connection that were read and aren't handled. Above it, reading stops.
    public var unhandledBytes = 4 << 20
    /// The maximum number of steps for the comparison of one object with the conditions of a query; see `WorkBudget`.
    public var objectSteps = 5_000_000
    /// The maximum number of requests of a user that the store has at the same time. Further requests wait.
    public var requestsPerUser = 8
    /// The time from the beginning of a connection to its first message, which must contain a token.
    public var greetingTimeout: Int64 = 10_000
    /// The time that a connection of HTTP may wait for its next request.
    public var keepAliveTimeout: Int64 = 60_000
    /// The maximum time between two receptions of bytes from a client.
    public var idleTimeout: Int64 = 120_000
    /// The time from the first byte of a message, or of an HTTP body, to its last.
    public var messageTimeout: Int64 = 600_000
    /// The maximum time in which a client reads none of the waiting bytes.
    public var stallTimeout: Int64 = 30_000
    /// The time for an answer of the store. After that, HTTP requests are answered with the status 503.
    public var storeTimeout: Int64 = 30_000

    public init() {}
}

/// An app that a node serves.
public struct NodeApp: Sendable {
    /// The users that may bind a stream of the app. In an app without rules, a user that may bind a stream may read and write all of it.
    public enum Access: String, Hashable, Sendable {
        /// The users that the rules permit. In an app without rules, no user.
        case nobody
        /// Every user.
        case everyone
        /// A user may bind the stream whose name is the user's name. The app's own stream can't be bound.
        case ownStream = "own-stream"
    }

    public var access: Access
    /// The names of streams that can be bound in addition to the app's own stream, by the same users. Other names are refused, so that clients
    /// can't create streams by naming them.
    public var streams: Set<SyncString> = []
    public var rules: MergeRules
    /// Returns whether a user belongs to the app. If the closure is `nil`, every user of an accepted token belongs to it.
    var isMember: (@Sendable (String) -> Bool)?
    /// The app's classes and rules.
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

/// Rights that permit nothing. They apply after an app's rules were removed, until its sessions are notified.
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
    /// The time for which a commit waits for other commits, in milliseconds, so that they are stored as one group. With 0, commits wait only while
    /// the store is busy.
    public var groupDelay: Int64 = 0
    /// A Boolean value that indicates whether messages of a KiB and more are compressed, for clients that accept compression. Compression takes
    /// processor time. A user that may write into another user's view, and that sees the lengths of messages, can learn something about the other
    /// contents of that view (`docs/sync-security.md`).
    public var compressesMessages = true
    /// The proxies that may name the address from which a request was sent.
    public var proxies = TrustedProxies.none
    /// A Boolean value that indicates whether requests of web pages are answered only if the page is this machine's own. If every user is
    /// trusted, pages of other machines could otherwise use the node through the browser.
    public var isForLoopback = false
    /// The origins of web pages that may use the documents and the accounts, such as `https://app.example.org`. `*` permits all origins.
    public var origins: [String] = []
    /// The secrets of the files under which submissions are written, or `nil` if the node creates its own files.
    public var writers: WriterSecrets?
    /// The path of sync on the node.
    public var path = "/sync"

    public init(apps: [SyncString: NodeApp]) { self.apps = apps }
}
