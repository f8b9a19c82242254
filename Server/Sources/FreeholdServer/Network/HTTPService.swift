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
}

/// A request, as it came.
struct HTTPRequest: Sendable {
    var head: HTTPRequestHead
    var body: [UInt8]
    /// Of the client.
    var address: String
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
                    let read = try AccountRequest(request.head, body: request.body, address: request.address)
                    return HTTPAnswer(await self.answer(read))
                } catch { return HTTPAnswer(AccountAnswer(error as? AccountError ?? .noRoute)) }
            },
            tooLarge: HTTPAnswer(AccountAnswer(.tooLarge))
        )
    }
}
