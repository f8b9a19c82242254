public import Foundation

/// Where an app's server is, and how to talk to it. A value that may cross threads; an ``App`` copies it.
public struct AppConfiguration: Sendable {
    /// Such as `https://sync.example.org`. There is no default: you run the server. Without one log-ins fail with `missingBaseURL`.
    public var baseURL: String?
    /// The transport of HTTP requests. If it is `nil`, requests have connections of their own, which don't use proxies, and answers have at most 4 MiB.
    public var transport: (any RLMNetworkTransport)?
    /// The time for the whole answer of a request, in milliseconds.
    public var defaultRequestTimeoutMS: UInt
    /// Whether the sessions of a user share a connection. They always do: it is there for source compatibility.
    public var enableSessionMultiplexing: Bool
    public var syncTimeouts: SyncTimeoutOptions
    /// Where users and their realms are kept. Nil: in `Realm.Configuration.defaultDirectory`. Ours.
    public var rootDirectory: URL?
    /// 64 bytes that the file of users, with their tokens, is encrypted with. Without it the file is readable by its owner only. Ours.
    public var metadataEncryptionKey: Data?
    /// The way of sync, in place of connections to the server.
    package var syncTransport: (@Sendable (User) -> any SyncTransport)?

    public init(
        baseURL: String? = nil,
        transport: (any RLMNetworkTransport)? = nil,
        defaultRequestTimeoutMS: UInt? = nil,
        enableSessionMultiplexing: Bool? = nil,
        syncTimeouts: SyncTimeoutOptions? = nil
    ) {
        self.baseURL = baseURL
        self.transport = transport
        self.defaultRequestTimeoutMS = defaultRequestTimeoutMS ?? 60_000
        self.enableSessionMultiplexing = enableSessionMultiplexing ?? true
        self.syncTimeouts = syncTimeouts ?? SyncTimeoutOptions()
    }
}

/// Times of connections, in milliseconds.
public struct SyncTimeoutOptions: Hashable, Sendable {
    /// For a connection to come about.
    public var connectTimeout: UInt
    /// How long a connection is kept that nobody uses. Freehold closes it at once.
    public var connectionLingerTime: UInt
    /// Between signs of life.
    public var pingKeepalivePeriod: UInt
    /// For the answer to one.
    public var pongKeepaliveTimeout: UInt
    /// How soon after a connection came about its end counts as a failure. Freehold has no use for it.
    public var fastReconnectLimit: UInt

    public init(
        connectTimeout: UInt? = nil,
        connectionLingerTime: UInt? = nil,
        pingKeepalivePeriod: UInt? = nil,
        pongKeepaliveTimeout: UInt? = nil,
        fastReconnectLimit: UInt? = nil
    ) {
        self.connectTimeout = connectTimeout ?? 120_000
        self.connectionLingerTime = connectionLingerTime ?? 30_000
        self.pingKeepalivePeriod = pingKeepalivePeriod ?? 60_000
        self.pongKeepaliveTimeout = pongKeepaliveTimeout ?? 120_000
        self.fastReconnectLimit = fastReconnectLimit ?? 60_000
    }
}
