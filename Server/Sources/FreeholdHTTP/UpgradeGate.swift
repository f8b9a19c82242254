public import NIOCore
public import NIOHTTP1
import NIOWebSocket

/// A WebSocket on the port of an application.
public struct HTTPWebSocket: Sendable {
    /// The path, without a query.
    public var path: String
    /// The maximum size of a frame, in bytes.
    public var frameBytes: Int
    /// A closure that decides whether a request becomes a WebSocket. Otherwise it is answered like other requests.
    public var isOpen: @Sendable (HTTPHeaders) -> Bool
    /// Adds the handlers after the decoder of frames, on the channel's loop.
    public var open: @Sendable (any Channel) throws -> Void
    /// WebSockets at other paths, which need a decision about each request.
    public var family: HTTPWebSocketFamily?

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

/// WebSockets at several paths.
public struct HTTPWebSocketFamily: Sendable {
    /// A closure that returns whether a path without its query belongs to the family.
    public var matches: @Sendable (_ path: String) -> Bool
    /// A closure that decides about a request. Without an admission, the request is answered like other requests.
    public var admit: @Sendable (HTTPRequestHead) async -> HTTPWebSocketAdmission?

    public init(
        matches: @escaping @Sendable (_ path: String) -> Bool,
        admit: @escaping @Sendable (HTTPRequestHead) async -> HTTPWebSocketAdmission?
    ) {
        (self.matches, self.admit) = (matches, admit)
    }
}

/// The permission of a request to become a WebSocket.
public struct HTTPWebSocketAdmission: Sendable {
    /// The headers of the answer, such as the selected sub-protocol.
    public var headers: HTTPHeaders
    /// Adds the handlers after the decoder of frames, on the channel's loop.
    public var open: @Sendable (any Channel) throws -> Void

    public init(headers: HTTPHeaders, open: @escaping @Sendable (any Channel) throws -> Void) {
        (self.headers, self.open) = (headers, open)
    }
}

/// A handler before the connection's handler. When it receives a WebSocket request, it adds NIO's upgrade handler, which then handles the request.
/// The upgrade handler isn't added earlier, because proxies also send such a request on a connection that has already had other requests. From all
/// other requests, the gate removes the headers that request an upgrade.
final class UpgradeGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let webSocket: HTTPWebSocket?
    private let allows: @Sendable (HTTPHeaders) -> Bool
    private let upgrade: (ChannelHandlerContext, HTTPWebSocketAdmission?) throws -> Void
    private var isUpgrading = false
    /// The parts of a request that wait for the decision about it. Their number is small, because such a request has no body.
    private var waiting: [NIOAny]?

    /// - Parameter upgrade: A closure that adds NIO's upgrade handler after the gate.
    init(
        _ webSocket: HTTPWebSocket?,
        allows: @escaping @Sendable (HTTPHeaders) -> Bool,
        upgrade: @escaping (ChannelHandlerContext, HTTPWebSocketAdmission?) throws -> Void
    ) {
        (self.webSocket, self.allows, self.upgrade) = (webSocket, allows, upgrade)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if waiting != nil {
            waiting?.append(data)
            return
        }
        guard !isUpgrading, case .head(let came) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        var head = came.resolved
        guard head.headers.contains(name: "Upgrade") else {
            return context.fireChannelRead(wrapInboundOut(.head(head)))
        }
        if let webSocket, head.isForWebSocket(at: webSocket.path), allows(head.headers), webSocket.isOpen(head.headers)
        {
            isUpgrading = true
            do { try upgrade(context, nil) } catch { return context.close(promise: nil) }
        } else if let webSocket, let family = webSocket.family, family.matches(head.plainPath),
            head.isForWebSocket(at: head.uri), allows(head.headers), webSocket.isOpen(head.headers)
        {
            return ask(family, head, context)
        } else {
            head.removeUpgrade()
            // The decoder doesn't read bytes after such a request.
            head.headers.replaceOrAdd(name: "Connection", value: "close")
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// Waits for the decision about a request.
    private func ask(_ family: HTTPWebSocketFamily, _ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        waiting = []
        let (gate, loop) = (NIOLoopBound(self, eventLoop: context.eventLoop), context.eventLoop)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        Task {
            let admission = await family.admit(head)
            loop.execute { gate.value.decided(admission, head, bound.value) }
        }
    }

    private func decided(
        _ admission: HTTPWebSocketAdmission?,
        _ head: HTTPRequestHead,
        _ context: ChannelHandlerContext
    ) {
        guard let parts = waiting, context.channel.isActive else { return }
        waiting = nil
        var head = head
        if let admission {
            isUpgrading = true
            do { try upgrade(context, admission) } catch { return context.close(promise: nil) }
        } else {
            head.removeUpgrade()
            head.headers.replaceOrAdd(name: "Connection", value: "close")
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
        for part in parts { context.fireChannelRead(part) }
        context.fireChannelReadComplete()
    }
}

extension HTTPRequestHead {
    /// The path without its query, with single slashes.
    var plainPath: String {
        let path = uri.prefix { $0 != "?" }
        return String(path).withSingleSlashes
    }
}
