public import Foundation

public enum RLMHTTPMethod: String, Hashable, Sendable {
    case GET, POST, PATCH, PUT, DELETE
}

/// A request to an app's server.
public struct RLMRequest: Hashable, Sendable {
    public var method: RLMHTTPMethod
    public var url: String
    /// In seconds.
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
    /// Not 0 if there was no answer; `body` says why.
    public var customStatusCode: Int
    public var headers: [String: String]
    public var body: String

    public init(httpStatusCode: Int, customStatusCode: Int = 0, headers: [String: String] = [:], body: String = "") {
        (self.httpStatusCode, self.customStatusCode) = (httpStatusCode, customStatusCode)
        (self.headers, self.body) = (headers, body)
    }
}

extension RLMResponse {
    /// - Parameter text: The reason for which the answer is missing.
    init(failure text: String) { self.init(httpStatusCode: 0, customStatusCode: 1, body: text) }
}

/// Sends an app's requests. An app that wants its own way to the server gives one to its ``AppConfiguration``.
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

/// The bounds of an answer. A server that sends more loses the connection, and the request fails.
struct AnswerLimits: Sendable {
    /// The bytes before the body.
    var headBytes = 64 << 10
    var bodyBytes = 4 << 20

    static let tooLong = "The answer is too long."
    static let notAsked = "The answer is compressed, which wasn't asked for."

    /// The headers that a request has beside its own. Answers are taken as they are: a compressed one may be a thousand times as long as what is
    /// received.
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
