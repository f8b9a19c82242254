public import Foundation

public enum RLMHTTPMethod: String, Hashable, Sendable {
    case GET, POST, PATCH, PUT, DELETE
}

/// A request to an app's server.
public struct RLMRequest: Hashable, Sendable {
    public var method: RLMHTTPMethod
    public var url: String
    /// The maximum time from the request to the end of its answer, in seconds.
    public var timeout: TimeInterval
    public var headers: [String: String]
    public var body: String

    public init(
        method: RLMHTTPMethod,
        url: String,
        timeout: TimeInterval = 60,
        headers: [String: String] = [:],
        body: String = ""
    ) {
        (self.method, self.url, self.timeout) = (method, url, timeout)
        (self.headers, self.body) = (headers, body)
    }
}

/// The answer to a request.
public struct RLMResponse: Hashable, Sendable {
    public var httpStatusCode: Int
    /// A number other than 0 if the server didn't answer. Then `body` has the reason.
    public var customStatusCode: Int
    public var headers: [String: String]
    public var body: String

    public init(httpStatusCode: Int, customStatusCode: Int = 0, headers: [String: String] = [:], body: String = "") {
        (self.httpStatusCode, self.customStatusCode) = (httpStatusCode, customStatusCode)
        (self.headers, self.body) = (headers, body)
    }
}

extension RLMResponse {
    /// - Parameter text: The reason why the answer is missing.
    init(failure text: String) { self.init(httpStatusCode: 0, customStatusCode: 1, body: text) }
}

/// A transport for an app's requests. An app with a transport of its own sets it in its ``AppConfiguration``.
public protocol RLMNetworkTransport: AnyObject, Sendable {
    /// Sends the request, and calls `completion` once, on any thread.
    func sendRequestToServer(_ request: RLMRequest, completion: @escaping @Sendable (RLMResponse) -> Void)
}

extension RLMNetworkTransport {
    func send(_ request: RLMRequest) async -> RLMResponse {
        await withCheckedContinuation { continuation in
            sendRequestToServer(request) { continuation.resume(returning: $0) }
        }
    }
}

/// The limits of an answer. If a server sends more, the connection is closed and the request fails.
struct AnswerLimits: Sendable {
    /// The maximum number of bytes before the body.
    var headBytes = 64 << 10
    var bodyBytes = 4 << 20

    static let tooLong = "The answer is too long."
    static let notAsked = "The answer is compressed, which wasn't asked for."

    /// The headers that are added to a request. Answers must not be compressed, because a decompressed answer may be a
    /// thousand times as long as the received bytes.
    static let headers = ["Accept-Encoding": "identity", "User-Agent": "Freehold"]

    /// A Boolean value that indicates whether a value of `Content-Encoding` leaves the body as it is.
    static func isPlain(_ encoding: String?) -> Bool {
        guard let encoding else { return true }
        let name = encoding.trimmingCharacters(in: .whitespaces).lowercased()
        return name.isEmpty || name == "identity"
    }
}

enum UsualTransport {
    /// Sends the requests of apps whose configuration has no transport.
    #if Sync
        static let shared: any RLMNetworkTransport = SocketTransport()
    #else
        static let shared: any RLMNetworkTransport = URLSessionTransport()
    #endif
}
