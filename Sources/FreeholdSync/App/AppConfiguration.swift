public import Foundation

/// The address of an app's server, and the settings of its connections. A value that may be used on any thread. An
/// ``App`` copies it.
public struct AppConfiguration: Sendable {
    /// The URL of the server, such as `https://sync.example.org`. It has no default, because you run the server.
    /// Without a URL, log-ins fail with `missingBaseURL`.
    public var baseURL: String?
    /// The transport of HTTP requests. If it is `nil`, each request has a connection of its own that doesn't use
    /// proxies, and an answer may have at most 4 MiB.
    public var transport: (any RLMNetworkTransport)?
    /// The maximum time from a request to the end of its answer, in milliseconds.
    public var defaultRequestTimeoutMS: UInt
    /// A value without effect, for source compatibility. The sessions of a user always share a connection.
    public var enableSessionMultiplexing: Bool
    public var syncTimeouts: SyncTimeoutOptions
    /// The folder of the users and their realms. `nil` stands for `Realm.Configuration.defaultDirectory`. This is an
    /// addition to RealmSwift's API.
    public var rootDirectory: URL?
    /// A key of 64 bytes that encrypts the file of users, which contains their tokens. Without a key the file isn't
    /// encrypted, and only its owner may read it. This is an addition to RealmSwift's API.
    public var metadataEncryptionKey: Data?
    /// The transport of sync, in the place of connections to the server.
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

/// The timeouts of connections, in milliseconds.
public struct SyncTimeoutOptions: Hashable, Sendable {
    /// The maximum time to open a connection.
    public var connectTimeout: UInt
    /// A value without effect. Freehold closes a connection without sessions immediately.
    public var connectionLingerTime: UInt
    /// A value without effect. Sessions send a ping every 30 seconds.
    public var pingKeepalivePeriod: UInt
    /// The time without received or sent bytes after which a connection ends that waits for an answer of the server.
    public var pongKeepaliveTimeout: UInt
    /// A value without effect.
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
