/// The limits of a listener and of its connections. Times are in milliseconds.
public struct HTTPLimits: Hashable, Sendable {
    /// The number of connections of a listener. Further ones are closed at once.
    public var connections = 20_000
    /// The number of connections of one address while a listener has more than half of ``connections``. Addresses of one IPv6 network of 64 bits
    /// count as one. Trusted proxies have no such limit. With `nil`, an eighth of ``connections``, and at least 64.
    public var connectionsPerAddress: Int?
    /// The time from the first byte of a request, or from the beginning of a connection, to the end of the request. An answer has the same time
    /// for each 64 KiB that its client receives.
    public var requestTimeout: Int64 = 10_000
    /// The time that a connection may wait for its next request.
    public var keepAliveTimeout: Int64 = 60_000
    /// The time of a long body of a known user. It also needs ``leastRate``.
    public var bodyTimeout: Int64 = 600_000
    /// The number of requests after which a connection is closed.
    public var requestsPerConnection = 10_000
    /// The number of requests that one HTTP/2 connection may have open at the same time.
    public var streamsPerConnection = 64
    /// The bytes of one field of a head, of a whole head, and the number of its fields.
    public var fieldBytes = 8_192
    public var headBytes = 32_768
    public var fields = 64

    /// The bytes of a body that a user may send before the user is known.
    static let unknownBody = 64 << 10
    /// The bytes of a body per second, over the last seconds.
    static let leastRate: Int64 = 1 << 10
    /// The bytes of an answer that are sent to a client at once.
    static let pieceBytes = 64 << 10

    var effectiveConnectionsPerAddress: Int { connectionsPerAddress ?? max(connections / 8, 64) }

    public init() {}
}
