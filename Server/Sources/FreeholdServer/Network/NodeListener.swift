import FreeholdCompression
public import FreeholdHTTP
import FreeholdSyncCore
import Logging
public import NIOCore
import NIOHTTP1
import NIOWebSocket
import Synchronization

/// A port on which a node accepts connections.
public final class NodeListener: Sendable {
    private let listener: HTTPListener

    /// The address of the port. If port 0 was requested, it has the number of the port that was found.
    public var address: SocketAddress? { listener.address }
    public var port: Int { listener.port }

    private init(_ listener: HTTPListener) { self.listener = listener }

    /// Listens for clients, and answers `/health` and `/ready`.
    ///
    /// - Parameter tls: The certificate, or `nil` behind a proxy that encrypts, or on loopback.
    public static func listen(
        _ node: ServerNode,
        host: String,
        port: Int,
        tls: TLSContexts? = nil,
        group: any EventLoopGroup
    ) async throws -> NodeListener {
        try await listen(node, host: host, port: port, tls: tls, services: [], group: group)
    }

    /// - Parameters:
    ///   - services: The groups of routes in addition to those of the node itself.
    ///   - observers: The observers, which receive a record of each answered request.
    static func listen(
        _ node: ServerNode,
        host: String,
        port: Int,
        tls: TLSContexts?,
        services: [HTTPGroup],
        observers: [any HTTPObserver] = [],
        group: any EventLoopGroup
    ) async throws -> NodeListener {
        let configuration = node.configuration
        let limits = configuration.limits
        var application = HTTPApplication(groups: services + [node.plainGroup])
        application.limits = limits.http
        application.observers = observers
        application.proxies = configuration.proxies
        application.origins = configuration.origins.isEmpty ? nil : HTTPOrigins(configuration.origins)
        application.middleware = [TracingMiddleware()]
        if configuration.compressesMessages {
            application.middleware.append(.documents(node))
        }
        let allows: @Sendable (HTTPHeaders) -> Bool = { !configuration.isForLoopback || Loopback.allows($0) }
        application.allows = allows
        application.keepsConnections = { !node.isDraining }
        let bodies = BodyLoad(limits)
        application.budget = { RequestBudget(MemoryAccount(node.memory), bodies, limits) }
        let circles = Circles(limits)
        var webSocket = HTTPWebSocket(
            path: configuration.path,
            frameBytes: Int(clamping: min(limits.messageBytes &+ 64, UInt64(UInt32.max))),
            isOpen: { _ in !node.isDraining },
            open: { channel in
                let pipeline = channel.pipeline.syncOperations
                let peer = Peer(node, channel, circles.circle(channel.eventLoop))
                let frames = try pipeline.handler(type: ByteToMessageHandler<WebSocketFrameDecoder>.self)
                try pipeline.addHandler(GreetingGate(peer), position: .before(frames))
                try pipeline.addHandler(peer)
            }
        )
        let realm = RealmEndpoint(node)
        webSocket.family = HTTPWebSocketFamily(matches: { realm.app(of: $0) != nil }) { head in
            await realm.admit(head) { channel, admission in
                let pipeline = channel.pipeline.syncOperations
                let peer = Peer(node, channel, circles.circle(channel.eventLoop), realm: admission)
                let client = RealmClients.Client(
                    agent: admission.agent,
                    app: admission.app,
                    user: admission.identity.user
                )
                node.realmClients.add(peer.number, client)
                let frames = try pipeline.handler(type: ByteToMessageHandler<WebSocketFrameDecoder>.self)
                try pipeline.addHandler(GreetingGate(peer), position: .before(frames))
                try pipeline.addHandler(peer)
            }
        }
        return NodeListener(
            try await HTTPListener.listen(
                application,
                host: host,
                port: port,
                tls: tls,
                webSocket: webSocket,
                group: group
            )
        )
    }

    /// Listens for the administrator: `/metrics`, `/status`, `/sessions`, `/health` and `/ready`. Requests need no token, so the port should be
    /// on loopback.
    ///
    /// - Parameter metrics: A closure that returns the text of `/metrics`.
    public static func listenForAdministrator(
        _ node: ServerNode,
        host: String,
        port: Int,
        group: any EventLoopGroup,
        metrics: @escaping @Sendable () -> String
    ) async throws -> NodeListener {
        try await listenForAdministrator(node, host: host, port: port, services: [], group: group, metrics: metrics)
    }

    /// - Parameter services: The groups of routes in addition to those of the node itself.
    static func listenForAdministrator(
        _ node: ServerNode,
        host: String,
        port: Int,
        services: [HTTPGroup],
        group: any EventLoopGroup,
        metrics: @escaping @Sendable () -> String
    ) async throws -> NodeListener {
        var application = HTTPApplication(groups: services + [node.administratorGroup(metrics)])
        application.limits = node.configuration.limits.http
        // Otherwise a web page whose host name leads to this machine could read the answers of the port without a token.
        application.allows = Loopback.allows
        return NodeListener(try await HTTPListener.listen(application, host: host, port: port, group: group))
    }

    /// Stops accepting connections. Open connections aren't closed.
    public func close() async { await listener.close() }

    /// Ends the connections of HTTP, each after its present answer.
    ///
    /// - Parameter milliseconds: The maximum time for the answers.
    func drain(within milliseconds: Int64) async { await listener.drain(within: milliseconds) }
}

extension HTTPMiddleware where Self == CompressionMiddleware {
    /// Compresses answers with documents. The compression takes turns with other long work of the user.
    fileprivate static func documents(_ node: ServerNode) -> CompressionMiddleware {
        CompressionMiddleware { request, bytes in
            let user = SyncString(request.user?.user ?? "")
            return try? await node.work.run(for: user) { GzipCompression.shared.compressed(bytes) }
        }
    }
}

/// The `PeerCircle` of each event loop.
private final class Circles: Sendable {
    private let circles = Mutex<[ObjectIdentifier: PeerCircle]>([:])
    private let limits: NodeLimits

    init(_ limits: NodeLimits) { self.limits = limits }

    func circle(_ loop: any EventLoop) -> PeerCircle {
        circles.withLock { circles in
            if let circle = circles[ObjectIdentifier(loop)] { return circle }
            let circle = PeerCircle(loop, limits)
            circles[ObjectIdentifier(loop)] = circle
            return circle
        }
    }
}
