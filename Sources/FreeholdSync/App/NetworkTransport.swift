public import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

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

/// Requests by Foundation's `URLSession`. It follows no redirections, which would carry tokens elsewhere, and keeps neither cookies nor
/// answers.
final class URLSessionTransport: NSObject, RLMNetworkTransport, URLSessionTaskDelegate, @unchecked Sendable {
    static let shared = URLSessionTransport()

    // Set once, by `init`.
    private var session: URLSession!

    /// In bytes. A longer answer counts as none; it has been received whole by then.
    private static let limit = 16 << 20

    override init() {
        super.init()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }

    func sendRequestToServer(_ request: RLMRequest, completion: @escaping @Sendable (RLMResponse) -> Void) {
        guard let url = URL(string: request.url) else {
            return completion(RLMResponse(httpStatusCode: 0, customStatusCode: 1, body: "The address is no URL."))
        }
        var sent = URLRequest(url: url, timeoutInterval: request.timeout)
        sent.httpMethod = request.method.rawValue
        for (name, value) in request.headers { sent.setValue(value, forHTTPHeaderField: name) }
        if request.method != .GET, !request.body.isEmpty { sent.httpBody = Data(request.body.utf8) }
        session.dataTask(with: sent) { data, response, error in
            guard let response = response as? HTTPURLResponse else {
                let reason = error.map { $0.localizedDescription } ?? "There was no answer."
                return completion(RLMResponse(httpStatusCode: 0, customStatusCode: 1, body: reason))
            }
            guard data?.count ?? 0 <= Self.limit else {
                return completion(RLMResponse(httpStatusCode: 0, customStatusCode: 1, body: "The answer is too long."))
            }
            var headers: [String: String] = [:]
            for (name, value) in response.allHeaderFields { headers["\(name)"] = "\(value)" }
            completion(
                RLMResponse(
                    httpStatusCode: response.statusCode,
                    headers: headers,
                    body: data.map { String(decoding: $0, as: UTF8.self) } ?? ""
                )
            )
        }
        .resume()
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) { completionHandler(nil) }
}
