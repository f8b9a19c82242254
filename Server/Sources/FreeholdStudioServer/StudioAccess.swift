import FreeholdHTTP
import NIOHTTP1

/// The rules for accepting requests, and the headers of all answers.
enum StudioAccess {
    /// Returns a Boolean value that indicates whether a request may be answered: its `Host` is an address of this machine, and its `Origin`, if it
    /// has one, is exactly this server.
    ///
    /// Another site can change the address of its own host name to that of this machine (DNS rebinding). The requests of its pages then have that
    /// name in `Host`.
    static func allows(_ headers: HTTPHeaders) -> Bool {
        guard let host = host(headers) else { return false }
        let origins = headers["Origin"]
        return origins.isEmpty || origins == ["http://\(host)"]
    }

    /// Returns a Boolean value that indicates whether a request is sent by a page of this server. Upgrades and uploads need it.
    static func isOwnPage(_ headers: HTTPHeaders) -> Bool { allows(headers) && headers["Origin"].count == 1 }

    /// The value of `Host`, if it is `localhost` or a literal loopback address, with any port.
    static func host(_ headers: HTTPHeaders) -> String? {
        let hosts = headers["Host"]
        guard hosts.count == 1, Loopback.isAuthority(hosts[0][...]), let host = Loopback.host(hosts[0][...]),
            Loopback.contains(host)
        else { return nil }
        return hosts[0]
    }

    /// The headers of all answers. They contain no permission for other origins, and no cookie.
    static func headers(_ request: HTTPHeaders) -> [(String, String)] {
        let host = host(request) ?? "localhost"
        return [
            (
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self' ws://\(host); "
                    + "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
            ),
            ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ]
    }

    static let forbidden = error(.forbidden, code: "permission", text: "Only the page of this server may ask here.")
    static let missing = error(.notFound, code: "notFound", text: "There is nothing at this address.")

    /// Returns an answer with an error in the form of the messages.
    ///
    /// - Parameter text: A sentence without characters that JSON escapes.
    static func error(_ status: HTTPResponseStatus, code: String, text: String) -> HTTPAnswer {
        let body = "{\"error\":{\"code\":\"\(code)\",\"message\":\"\(text)\"}}"
        return HTTPAnswer(status: status, type: "application/json", body: body)
    }
}

/// Adds the headers of the server to each answer.
struct StudioHeaders: HTTPMiddleware {
    func answer(_ request: HTTPRequest, next: @Sendable (HTTPRequest) async -> HTTPAnswer) async -> HTTPAnswer {
        var answer = await next(request)
        answer.headers = StudioAccess.headers(request.head.headers) + answer.headers
        return answer
    }
}
