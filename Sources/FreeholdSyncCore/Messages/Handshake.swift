/// The first message of a client.
public struct Hello: Hashable, Sendable {
    /// The versions of the protocol that the client speaks, the preferred one first.
    public var versions: [UInt16]
    /// The ways to compress that the client knows, the preferred one first.
    public var compressions: [CompressionKind]
    /// The device's clock, in milliseconds since 2015-01-01.
    public var deviceTime: Int64
    public var token: AccessToken
    /// The client's name and version, for logs.
    public var agent: SyncString?
    /// A Boolean value that indicates whether the client takes messages in parts.
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

/// How a body is compressed.
public enum CompressionKind: UInt8, Hashable, Sendable, CaseIterable {
    /// The zlib format (RFC 1950).
    case zlib = 1
}

/// What a client proves by who it is. It prints as dots.
public struct AccessToken: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    public let text: SyncString

    public init(_ text: SyncString) { self.text = text }

    public var description: String { "…" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The server's answer to `hello`.
public struct Welcome: Hashable, Sendable {
    /// The version of the protocol that both speak from here on.
    public var version: UInt16
    /// How bodies may be compressed from here on. Nil: not at all.
    public var compression: CompressionKind?
    public var limits: MessageLimits
    /// The server's clock, in milliseconds since 2015-01-01.
    public var serverTime: Int64
    /// The bytes that each session may upload at first.
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

/// What a server accepts.
public struct MessageLimits: Hashable, Sendable {
    /// The most bytes of a message's body before it is compressed.
    public var messageBytes: UInt64
    /// The most changes of one commit, its parts taken together.
    public var commitChanges: UInt64
    /// The most sessions of a connection.
    public var sessions: UInt64
    /// The most bytes of a commit that comes in parts. 0 if the server takes no parts.
    public var commitBytes: UInt64 = 0

    public init(messageBytes: UInt64 = 16 << 20, commitChanges: UInt64 = 10_000_000, sessions: UInt64 = 1_000) {
        self.messageBytes = messageBytes
        self.commitChanges = commitChanges
        self.sessions = sessions
    }
}

/// Asks whether the other side is there, and what time it is.
public struct Ping: Hashable, Sendable {
    /// The device's clock, in milliseconds since 2015-01-01.
    public var deviceTime: Int64

    public init(deviceTime: Int64) { self.deviceTime = deviceTime }
}

/// The answer to `ping`.
public struct Pong: Hashable, Sendable {
    /// What the ping said.
    public var deviceTime: Int64
    /// The server's clock, in milliseconds since 2015-01-01.
    public var serverTime: Int64

    public init(deviceTime: Int64, serverTime: Int64) {
        self.deviceTime = deviceTime
        self.serverTime = serverTime
    }
}
