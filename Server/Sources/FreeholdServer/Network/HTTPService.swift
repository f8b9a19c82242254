import NIOCore
import NIOHTTP1

/// Answers the requests under a path.
struct HTTPService: Sendable {
    /// Such as `/api/client/v2.0/`.
    let root: String
    /// In bytes; what is longer is refused before it is read.
    let bodyLimit: Int
    let answer: @Sendable (HTTPRequest) async -> HTTPAnswer
    /// What is said of a body that is too long.
    let tooLarge: HTTPAnswer
    /// Finds out who asks, by the head. Until that is known little is taken of the body. Nil: bodies are small, and hold what proves it.
    var identify: (@Sendable (HTTPRequestHead) async -> HTTPIdentification)?
}

enum HTTPIdentification: Sendable {
    case known(Identity)
    case refused(HTTPAnswer)
}

/// A request, as it came.
struct HTTPRequest: Sendable {
    var head: HTTPRequestHead
    var body: [UInt8]
    /// Of the client.
    var address: String
    /// The address and port of this machine at which the request arrived.
    var local: SocketAddress?
    /// Who asks, if the service wanted to know it.
    var identity: Identity?
    /// Counts what is kept for the request.
    var memory: MemoryAccount?
}

extension HTTPRequestHead {
    /// The token of `Authorization`. The scheme's letters may be large or small.
    var bearer: String? {
        let authorization = headers["Authorization"]
        guard authorization.count == 1 else { return nil }
        let scheme = authorization[0].prefix { $0 != " " }
        let token = authorization[0].dropFirst(scheme.count).drop { $0 == " " }
        guard scheme.lowercased() == "bearer", !token.isEmpty, !token.contains(" ") else { return nil }
        return String(token)
    }
}

struct HTTPAnswer: Sendable {
    enum Body: Sendable {
        case text(String)
        /// Sent piece by piece, until there is no more or the client is gone. The next piece is made when the one before is sent.
        case stream(@Sendable () async -> String?)
    }

    var status: HTTPResponseStatus
    var type: String
    var headers: [(String, String)] = []
    var body: Body

    init(status: HTTPResponseStatus = .ok, type: String = "text/plain; charset=utf-8", body: String) {
        (self.status, self.type, self.body) = (status, type, .text(body))
    }

    init(stream: @escaping @Sendable () async -> String?, type: String) {
        (status, self.type, body) = (.ok, type, .stream(stream))
    }

    /// What the connection itself refuses, whatever it is for.
    ///
    /// - Parameter text: a sentence that JSON takes as it is.
    private init(_ status: HTTPResponseStatus, _ code: String, _ text: String) {
        let body = "{\"error\":\"\(text)\",\"error_code\":\"\(code)\"}"
        self.init(status: status, type: "application/json", body: body)
    }

    static let wrongMethod = {
        var answer = HTTPAnswer(status: .methodNotAllowed, body: "Only GET is answered here.\n")
        answer.headers = [("Allow", "GET, HEAD")]
        return answer
    }()
    static let unexpected = HTTPAnswer(.expectationFailed, "BadRequest", "Only 100-continue can be expected.")
    static let unreadable = HTTPAnswer(.badRequest, "BadRequest", "This is no request.")
    static let tooSlow = HTTPAnswer(.requestTimeout, "RequestTimeout", "The request came too slowly.")
    static let foreign = HTTPAnswer(.forbidden, "Forbidden", "Only pages of this machine may ask here.")
    static let busy = {
        var answer = HTTPAnswer(.serviceUnavailable, "ServerBusy", "Too many requests wait at once.")
        answer.headers = [("Retry-After", "2")]
        return answer
    }()

    static let overShare = {
        var answer = HTTPAnswer(.tooManyRequests, "TooManyRequests", "The user's requests keep too much at once.")
        answer.headers = [("Retry-After", "2")]
        return answer
    }()

    init(_ answer: AccountAnswer) {
        self.init(
            status: HTTPResponseStatus(statusCode: answer.status),
            type: "application/json",
            body: answer.text
        )
    }
}

extension AccountService {
    var http: HTTPService {
        HTTPService(
            root: AccountRequest.root,
            bodyLimit: AccountRequest.bodyLimit,
            answer: { request in
                do {
                    let read = try AccountRequest(request)
                    return HTTPAnswer(await self.answer(read))
                } catch { return HTTPAnswer(AccountAnswer(error as? AccountError ?? .noRoute)) }
            },
            tooLarge: HTTPAnswer(AccountAnswer(.tooLarge))
        )
    }
}
