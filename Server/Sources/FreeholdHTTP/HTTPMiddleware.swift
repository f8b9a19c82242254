import NIOHTTP1
public import Tracing

/// A step around the handlers of all routes.
///
/// Answers of the connection itself, such as those to unreadable requests, don't pass through the middleware. An ``HTTPObserver`` receives records of
/// them, too.
public protocol HTTPMiddleware: Sendable {
    /// Answers a request, usually by calling the next step.
    func answer(_ request: HTTPRequest, next: @Sendable (HTTPRequest) async -> HTTPAnswer) async -> HTTPAnswer
}

/// A middleware that records a span for each request with the tracer that the program has set up with swift-distributed-tracing. Without a tracer, it
/// does nothing.
///
/// The span continues the trace of a trusted proxy. Other clients can't choose a trace: each of their requests begins a new one.
public struct TracingMiddleware: HTTPMiddleware {
    private struct HeaderExtractor: Extractor {
        func extract(key: String, from carrier: HTTPHeaders) -> String? { carrier.first(name: key) }
    }

    private let tracer: (any Tracer)?

    /// - Parameter tracer: The tracer, or `nil` for the tracer of the program.
    public init(tracer: (any Tracer)? = nil) { self.tracer = tracer }

    public func answer(_ request: HTTPRequest, next: @Sendable (HTTPRequest) async -> HTTPAnswer) async -> HTTPAnswer {
        let tracer = tracer ?? InstrumentationSystem.tracer
        var context = ServiceContext.current ?? .topLevel
        if request.isFromProxy { tracer.extract(request.head.headers, into: &context, using: HeaderExtractor()) }
        return await tracer.withAnySpan(request.operation ?? "HTTP", context: context, ofKind: .server) { span in
            span.attributes["http.request.method"] = request.head.method.rawValue
            span.attributes["http.request.id"] = request.id
            span.attributes["client.address"] = request.address
            let answer = await next(request)
            span.attributes["http.response.status_code"] = Int(answer.status.code)
            if answer.status.code >= 500 { span.setStatus(SpanStatus(code: .error)) }
            return answer
        }
    }
}

/// A middleware that compresses the answers of routes that allow it (``HTTPRoute/compresses``), for clients that accept `gzip`.
///
/// Answers with a content coding, streams, answers whose type isn't text, and answers of less than ``leastBytes`` aren't compressed.
public struct CompressionMiddleware: HTTPMiddleware {
    /// The minimum size of an answer that is compressed, in bytes. For shorter answers, compression wouldn't save packets.
    public static let leastBytes = 1_024

    private let compress: @Sendable (HTTPRequest, [UInt8]) async -> [UInt8]?

    /// - Parameter compress: A closure that returns the bytes in the format gzip, or `nil` if the compressed form isn't shorter.
    public init(compress: @escaping @Sendable (HTTPRequest, [UInt8]) async -> [UInt8]?) { self.compress = compress }

    public func answer(_ request: HTTPRequest, next: @Sendable (HTTPRequest) async -> HTTPAnswer) async -> HTTPAnswer {
        var answer = await next(request)
        guard request.compresses, Self.isText(answer.type),
            !answer.headers.contains(where: { $0.0.lowercased() == "content-encoding" })
        else { return answer }
        let bytes: [UInt8]
        switch answer.body {
        case .text(let text): bytes = Array(text.utf8)
        case .bytes(let all): bytes = all
        case .stream, .byteStream: return answer
        }
        guard bytes.count >= Self.leastBytes else { return answer }
        answer.headers.append(("Vary", "Accept-Encoding"))
        guard request.accepts("gzip"), let packed = await compress(request, bytes), packed.count < bytes.count else {
            return answer
        }
        answer.body = .bytes(packed)
        answer.headers.append(("Content-Encoding", "gzip"))
        return answer
    }

    private static func isText(_ type: String) -> Bool {
        let plain = type.prefix { $0 != ";" }.lowercased()
        return plain.hasPrefix("text/") || plain == "application/json" || plain.hasSuffix("+json")
    }
}

/// The web pages of other origins that may send requests (CORS). A page sets the header with the token itself, so the browser's own credentials
/// are never allowed.
public struct HTTPOrigins: Hashable, Sendable {
    private let origins: Set<String>
    private static let methods = "GET, POST, PUT, PATCH, DELETE"
    private static let headers = "Authorization, Content-Type, If-Match, Last-Event-ID, X-Request-ID"
    private static let exposed = "ETag, X-Request-ID, Retry-After"

    /// - Parameter origins: Origins such as `https://app.example.org`, as browsers write them. `*` allows all.
    public init(_ origins: some Sequence<String>) { self.origins = Set(origins.map { $0.lowercased() }) }

    /// Returns the origin of a request, if it is allowed.
    private func allowed(_ headers: HTTPHeaders) -> String? {
        let said = headers["Origin"]
        guard said.count == 1, let origin = said.first else { return nil }
        return origins.contains("*") ? "*" : origins.contains(origin.lowercased()) ? origin : nil
    }

    /// Returns the answer to the preflight request of a browser, or `nil` if the request isn't one.
    func preflight(_ head: HTTPRequestHead) -> HTTPAnswer? {
        guard head.method == .OPTIONS, head.headers.contains(name: "Access-Control-Request-Method"),
            allowed(head.headers) != nil
        else { return nil }
        var answer = HTTPAnswer(status: .noContent, body: "")
        answer.headers = [
            ("Access-Control-Allow-Methods", Self.methods), ("Access-Control-Allow-Headers", Self.headers),
            ("Access-Control-Max-Age", "600"),
        ]
        return answer
    }

    /// Returns the headers that an answer has for a browser.
    func headers(_ head: HTTPRequestHead) -> [(String, String)] {
        guard let origin = allowed(head.headers) else { return [("Vary", "Origin")] }
        return [
            ("Access-Control-Allow-Origin", origin), ("Access-Control-Expose-Headers", Self.exposed),
            ("Vary", "Origin"),
        ]
    }
}
