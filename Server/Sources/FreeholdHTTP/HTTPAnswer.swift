public import NIOHTTP1

/// The answer of a handler.
public struct HTTPAnswer: Sendable {
    public enum Body: Sendable {
        case text(String)
        case bytes([UInt8])
        /// A closure that returns the pieces of the body one after the other, and `nil` at the end. It is called for the next piece after the client
        /// has received the previous one. It isn't called any more after the client has closed the connection.
        case stream(@Sendable () async -> String?)
        /// Like `stream`, for bytes.
        case byteStream(@Sendable () async -> [UInt8]?)
    }

    public var status: HTTPResponseStatus
    public var type: String
    public var headers: [(String, String)] = []
    public var body: Body

    public init(status: HTTPResponseStatus = .ok, type: String = "text/plain; charset=utf-8", body: String) {
        (self.status, self.type, self.body) = (status, type, .text(body))
    }

    public init(status: HTTPResponseStatus = .ok, type: String, bytes: [UInt8]) {
        (self.status, self.type, body) = (status, type, .bytes(bytes))
    }

    public init(stream: @escaping @Sendable () async -> String?, type: String) {
        (status, self.type, body) = (.ok, type, .stream(stream))
    }

    public init(byteStream: @escaping @Sendable () async -> [UInt8]?, type: String) {
        (status, self.type, body) = (.ok, type, .byteStream(byteStream))
    }

    /// Creates an answer of the connection itself.
    ///
    /// - Parameter text: A sentence without characters that JSON escapes.
    public init(_ status: HTTPResponseStatus, code: String, text: String) {
        let body = "{\"error\":\"\(text)\",\"error_code\":\"\(code)\",\"link\":\"\"}"
        self.init(status: status, type: "application/json", body: body)
    }

    /// The bytes of the body, or `nil` for a stream.
    var byteCount: Int? {
        switch body {
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .stream, .byteStream: nil
        }
    }

    static let unexpected = HTTPAnswer(
        .expectationFailed,
        code: "BadRequest",
        text: "Only 100-continue can be expected."
    )
    static let unreadable = HTTPAnswer(.badRequest, code: "BadRequest", text: "The request isn't valid HTTP.")
    static let tooSlow = HTTPAnswer(.requestTimeout, code: "RequestTimeout", text: "The request was sent too slowly.")
    static let foreign = HTTPAnswer(.forbidden, code: "Forbidden", text: "Only pages of this machine may ask here.")

    /// The statuses with which a connection itself answers, for any route.
    public static let statusesOfConnections: Set<Int> = [400, 403, 408, 413, 417, 429, 503]
}
