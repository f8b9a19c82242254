/// The first message of a client.
public struct Hello: Hashable, Sendable {
    /// The versions of the protocol that the client supports, the preferred one first.
    public var versions: [UInt16]
    /// The compressions that the client supports, the preferred one first.
    public var compressions: [CompressionKind]
    /// The device's time, in milliseconds since 2015-01-01.
    public var deviceTime: Int64
    public var token: AccessToken
    /// The client's name and version, for logs.
    public var agent: SyncString?
    /// A Boolean value that indicates whether the client accepts messages in parts.
    public var takesParts = false

    public init(
        versions: [UInt16] = [1],
        compressions: [CompressionKind] = [],
        deviceTime: Int64,
        token: AccessToken,
        agent: SyncString? = nil
    ) {
        self.versions = versions
        self.compressions = compressions
        self.deviceTime = deviceTime
        self.token = token
        self.agent = agent
    }
}

/// The compression of a body.
public enum CompressionKind: UInt8, Hashable, Sendable, CaseIterable {
    /// The zlib format (RFC 1950).
    case zlib = 1
}

/// The token with which a client authenticates its user. Its description shows only dots.
public struct AccessToken: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    public let text: SyncString

    public init(_ text: SyncString) { self.text = text }

    public var description: String { "…" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The server's answer to `hello`.
public struct Welcome: Hashable, Sendable {
    /// The version of the protocol that both sides use from now on.
    public var version: UInt16
    /// The compression that both sides may use from now on. `nil` if bodies aren't compressed.
    public var compression: CompressionKind?
    public var limits: MessageLimits
    /// The server's time, in milliseconds since 2015-01-01.
    public var serverTime: Int64
    /// The number of bytes that each session may upload before it receives more credit.
    public var credit: UInt64

    public init(
        version: UInt16 = 1,
        compression: CompressionKind? = nil,
        limits: MessageLimits = MessageLimits(),
        serverTime: Int64,
        credit: UInt64
    ) {
        self.version = version
        self.compression = compression
        self.limits = limits
        self.serverTime = serverTime
        self.credit = credit
    }
}

/// The limits of a server.
public struct MessageLimits: Hashable, Sendable {
    /// The maximum size of a message's body before compression, in bytes.
    public var messageBytes: UInt64
    /// The maximum number of changes of one commit, including all of its parts.
    public var commitChanges: UInt64
    /// The maximum number of sessions of a connection.
    public var sessions: UInt64
    /// The maximum size of a commit in parts, in bytes. 0 if the server doesn't accept parts.
    public var commitBytes: UInt64 = 0

    public init(messageBytes: UInt64 = 16 << 20, commitChanges: UInt64 = 10_000_000, sessions: UInt64 = 1_000) {
        self.messageBytes = messageBytes
        self.commitChanges = commitChanges
        self.sessions = sessions
    }
}

/// A request for the other side's time, which also checks the connection.
public struct Ping: Hashable, Sendable {
    /// The device's time, in milliseconds since 2015-01-01.
    public var deviceTime: Int64

    public init(deviceTime: Int64) { self.deviceTime = deviceTime }
}

/// The answer to `ping`.
public struct Pong: Hashable, Sendable {
    /// The device's time from the ping.
    public var deviceTime: Int64
    /// The server's time, in milliseconds since 2015-01-01.
    public var serverTime: Int64

    public init(deviceTime: Int64, serverTime: Int64) {
        self.deviceTime = deviceTime
        self.serverTime = serverTime
    }
}
