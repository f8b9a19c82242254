import NIOCore
import NIOHTTP1

/// Stands before the upgrader, and has each request's head say its target in one form. A wish for an upgrade is taken out of a request that
/// doesn't get one: the upgrader would drop its head, and nobody would answer. So a client that offers HTTP/2 beside is answered in HTTP/1.1.
/// It goes when it has seen the first head.
final class RequestFilter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let path: String
    private let isOpen: @Sendable (HTTPRequestHead) -> Bool

    /// - Parameters:
    ///   - path: where a WebSocket is.
    ///   - isOpen: whether whoever asks gets one now.
    init(path: String, isOpen: @escaping @Sendable (HTTPRequestHead) -> Bool) {
        (self.path, self.isOpen) = (path.withSingleSlashes, isOpen)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let came) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        var head = came.resolved
        if head.headers.contains(name: "Upgrade"), !isTaken(head) { head.removeUpgrade() }
        context.fireChannelRead(wrapInboundOut(.head(head)))
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    /// Whether it is all that the upgrader wants.
    private func isTaken(_ head: HTTPRequestHead) -> Bool {
        let headers = head.headers
        func has(_ token: String, in name: String) -> Bool {
            headers[canonicalForm: name].contains { $0.lowercased() == token }
        }
        let hasBody =
            headers.contains(name: "Transfer-Encoding") || headers["Content-Length"].contains { UInt64($0) != 0 }
        return head.uri == path && head.method == .GET && !hasBody && has("websocket", in: "Upgrade")
            && has("upgrade", in: "Connection") && headers["Sec-WebSocket-Key"].count == 1
            && headers["Sec-WebSocket-Version"] == ["13"] && head.isReadable && isOpen(head)
    }
}

extension HTTPRequestHead {
    /// With an absolute target (`GET http://host/path`) as the path and the host that it stands for: the header `Host` doesn't count then
    /// (RFC 9112, 3.2.2). What can't be resolved stays, and is no readable request. Slashes that follow each other in a path count as one.
    var resolved: HTTPRequestHead {
        guard !uri.hasPrefix("/") else {
            var head = self
            head.uri = uri.withSingleSlashes
            return head
        }
        let lowered = uri.prefix(8).lowercased()
        guard let scheme = ["http://", "https://"].first(where: lowered.hasPrefix) else { return self }
        let rest = uri.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard Loopback.isAuthority(authority), headers["Host"].count <= 1 else { return self }
        let path = rest[authority.endIndex...]
        var head = self
        head.uri = (path.hasPrefix("/") ? String(path) : "/" + path).withSingleSlashes
        head.headers.replaceOrAdd(name: "Host", value: String(authority))
        return head
    }

    /// Whether it is clear what is asked of whom, and where its body ends. Servers and proxies that understand one request in two ways let
    /// somebody smuggle another one in.
    var isReadable: Bool {
        guard version.major == 1, uri.hasPrefix("/") || (uri == "*" && method == .OPTIONS) else { return false }
        let hosts = headers["Host"]
        guard hosts.count == 1 || (hosts.isEmpty && version.minor == 0) else { return false }
        guard hosts.allSatisfy({ $0.isEmpty || Loopback.isAuthority($0[...]) }) else { return false }
        let (lengths, codings) = (headers["Content-Length"], headers[canonicalForm: "Transfer-Encoding"])
        guard lengths.isEmpty || (codings.isEmpty && lengths.count == 1) else { return false }
        return codings.isEmpty || (version.minor > 0 && codings.count == 1 && codings[0].lowercased() == "chunked")
    }

    /// What its body has, as it says. Nil if it doesn't say.
    var bodyLength: Int? { headers["Content-Length"].first.flatMap { Int($0) } }

    /// What the client wants to hear before it sends a body.
    var expectation: String? {
        guard version.minor > 0 else { return nil }
        let said = headers["Expect"].joined(separator: ",").lowercased()
        return said.isEmpty ? nil : said
    }

    fileprivate mutating func removeUpgrade() {
        let rest = headers[canonicalForm: "Connection"].filter {
            !["upgrade", "http2-settings"].contains($0.lowercased())
        }
        for name in ["Upgrade", "HTTP2-Settings", "Connection"] { headers.remove(name: name) }
        if !rest.isEmpty { headers.add(name: "Connection", value: rest.joined(separator: ", ")) }
    }
}
