public import NIOCore
public import NIOHTTP1
import NIOWebSocket

/// A WebSocket on the port of an application.
public struct HTTPWebSocket: Sendable {
    /// The path, without a query.
    public var path: String
    /// The maximum size of a frame, in bytes.
    public var frameBytes: Int
    /// Decides whether a request becomes a WebSocket now. Otherwise it is answered like other requests.
    public var isOpen: @Sendable (HTTPHeaders) -> Bool
    /// Adds the handlers behind the decoder of frames, on the channel's loop.
    public var open: @Sendable (any Channel) throws -> Void

    public init(
        path: String,
        frameBytes: Int,
        isOpen: @escaping @Sendable (HTTPHeaders) -> Bool,
        open: @escaping @Sendable (any Channel) throws -> Void
    ) {
        (self.path, self.frameBytes) = (path.withSingleSlashes, frameBytes)
        (self.isOpen, self.open) = (isOpen, open)
    }
}

/// A handler in front of the connection's handler. For a WebSocket request, it adds NIO's upgrade handler, which then handles the request. The
/// handler is added this late because proxies send such a request also on connections with earlier requests. In other requests, the gate removes
/// the request for an upgrade.
final class UpgradeGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let webSocket: HTTPWebSocket?
    private let allows: @Sendable (HTTPHeaders) -> Bool
    private let upgrade: (ChannelHandlerContext) throws -> Void
    private var isUpgrading = false

    /// - Parameter upgrade: Adds NIO's handler behind the gate.
    init(
        _ webSocket: HTTPWebSocket?,
        allows: @escaping @Sendable (HTTPHeaders) -> Bool,
        upgrade: @escaping (ChannelHandlerContext) throws -> Void
    ) {
        (self.webSocket, self.allows, self.upgrade) = (webSocket, allows, upgrade)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isUpgrading, case .head(let came) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        var head = came.resolved
        guard head.headers.contains(name: "Upgrade") else {
            return context.fireChannelRead(wrapInboundOut(.head(head)))
        }
        if let webSocket, head.isForWebSocket(at: webSocket.path), allows(head.headers), webSocket.isOpen(head.headers)
        {
            isUpgrading = true
            do { try upgrade(context) } catch { return context.close(promise: nil) }
        } else {
            head.removeUpgrade()
            // The decoder reads nothing behind such a request.
            head.headers.replaceOrAdd(name: "Connection", value: "close")
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}
