/// The limits of a listener and of its connections. Times are in milliseconds.
public struct HTTPLimits: Hashable, Sendable {
    /// The maximum number of connections of a listener. Further connections are closed immediately.
    public var connections = 20_000
    /// The maximum number of connections of one address while at least half of ``connections`` are open. All IPv6 addresses with the same first 64
    /// bits count as one address. The limit doesn't apply to trusted proxies. If `nil`, the limit is an eighth of ``connections``, but at least 64.
    public var connectionsPerAddress: Int?
    /// The maximum time from the first byte of a request, or from the beginning of a connection, to the end of the request. The same time applies to
    /// each 64 KiB of an answer that the client receives.
    public var requestTimeout: Int64 = 10_000
    /// The time that a connection may wait for its next request.
    public var keepAliveTimeout: Int64 = 60_000
    /// The maximum time for a long body of an identified user. The body must also arrive with at least ``leastRate``.
    public var bodyTimeout: Int64 = 600_000
    /// The number of requests after which a connection is closed.
    public var requestsPerConnection = 10_000
    /// The maximum number of simultaneous requests of an HTTP/2 connection.
    public var streamsPerConnection = 64
    /// The maximum number of bytes of a header field. The next two properties are the maximum number of bytes of a head, and of its fields.
    public var fieldBytes = 8_192
    public var headBytes = 32_768
    public var fields = 64

    /// The maximum number of bytes of a body that are read before the user is identified.
    static let unknownBody = 64 << 10
    /// The minimum number of bytes of a body per second, measured over the last seconds.
    static let leastRate: Int64 = 1 << 10
    /// The maximum number of bytes of an answer that are sent in one piece.
    static let pieceBytes = 64 << 10

    var effectiveConnectionsPerAddress: Int { connectionsPerAddress ?? max(connections / 8, 64) }

    public init() {}
}
