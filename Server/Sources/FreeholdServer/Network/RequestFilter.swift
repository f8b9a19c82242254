import NIOCore
import NIOHTTP1

/// Stands before the upgrader, and takes the wish for an upgrade out of a request that doesn't get one: the upgrader would drop its head, and
/// nobody would answer. So a client that offers HTTP/2 beside is answered in HTTP/1.1. It goes when it has seen the first head.
final class UpgradeFilter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let path: String
    private let isOpen: @Sendable (HTTPRequestHead) -> Bool

    /// - Parameters:
    ///   - path: where a WebSocket is.
    ///   - isOpen: whether whoever asks gets one now.
    init(path: String, isOpen: @escaping @Sendable (HTTPRequestHead) -> Bool) {
        (self.path, self.isOpen) = (path, isOpen)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
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
            && headers["Sec-WebSocket-Version"] == ["13"] && isOpen(head)
    }
}

extension HTTPRequestHead {
    fileprivate mutating func removeUpgrade() {
        let rest = headers[canonicalForm: "Connection"].filter {
            !["upgrade", "http2-settings"].contains($0.lowercased())
        }
        for name in ["Upgrade", "HTTP2-Settings", "Connection"] { headers.remove(name: name) }
        if !rest.isEmpty { headers.add(name: "Connection", value: rest.joined(separator: ", ")) }
    }
}
