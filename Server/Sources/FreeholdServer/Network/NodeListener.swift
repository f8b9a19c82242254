import FreeholdBSON
import FreeholdSyncCore
import Logging
public import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import Synchronization

/// Takes connections for a node.
public final class NodeListener: Sendable {
    private let channel: any Channel
    private let node: ServerNode

    /// Where it listens: the port that was found, if 0 was asked for.
    public var address: SocketAddress? { channel.localAddress }
    public var port: Int { channel.localAddress?.port ?? 0 }

    private init(_ channel: any Channel, _ node: ServerNode) { (self.channel, self.node) = (channel, node) }

    /// Listens for clients, and answers `/health` and `/ready`.
    ///
    /// - Parameter tls: nil behind a proxy that encrypts, or on loopback.
    public static func listen(
        _ node: ServerNode,
        host: String,
        port: Int,
        tls: TLSContexts? = nil,
        group: any EventLoopGroup
    ) async throws -> NodeListener {
        try await listen(node, host: host, port: port, tls: tls, services: [], group: group)
    }

    static func listen(
        _ node: ServerNode,
        host: String,
        port: Int,
        tls: TLSContexts?,
        services: [HTTPService],
        group: any EventLoopGroup
    ) async throws -> NodeListener {
        let (circles, load) = (Circles(node.configuration.limits), ListenerLoad(node.configuration.limits))
        let channel = try await bootstrap(group) { channel in
            channel.eventLoop.makeCompletedFuture {
                try open(channel, node, tls, services, circles.circle(channel.eventLoop), load)
            }
        }.bind(host: host, port: port).get()
        return NodeListener(channel, node)
    }

    /// Listens for the administrator: `/metrics`, `/status`, `/sessions`, `/health` and `/ready`. It asks for no token, so that it belongs on
    /// loopback.
    ///
    /// - Parameter metrics: the text of `/metrics`.
    public static func listenForAdministrator(
        _ node: ServerNode,
        host: String,
        port: Int,
        group: any EventLoopGroup,
        metrics: @escaping @Sendable () -> String
    ) async throws -> NodeListener {
        let channel = try await bootstrap(group) { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                try pipeline.addHandler(LingeringClose(limit: node.configuration.limits.greetingTimeout))
                try pipeline.configureHTTPServerPipeline()
                try OneAnswer.add(to: pipeline)
                let timer = ConnectionTimer(channel, limit: node.configuration.limits.greetingTimeout)
                // A page whose name was made to lead to this machine could read what the port answers without a token.
                let responder = HTTPResponder(timer, services: [node.sessionsService], allows: Loopback.allows) {
                    node.answer($0, $1, metrics)
                }
                try pipeline.addHandler(responder)
            }
        }.bind(host: host, port: port).get()
        return NodeListener(channel, node)
    }

    /// Takes no more connections. Those that are there stay.
    public func close() async { try? await channel.close() }

    /// The number of the option `TCP_NOTSENT_LOWAT`.
    #if canImport(Darwin)
        private static let notSentLowWater: CInt = 0x201
    #else
        private static let notSentLowWater: CInt = 25
    #endif

    private static func bootstrap(
        _ group: any EventLoopGroup,
        _ initialize: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1_024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer(initialize)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // What a slow receiver is sent waits here, where it is counted, and not in the system.
            .childChannelOption(.tcpOption(NIOBSDSocket.Option(rawValue: notSentLowWater)), value: 128 << 10)
            // Reads take what a message usually needs; a connection that is idle keeps nothing.
            .childChannelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 2_048, maximum: 65_536)
            )
    }

    private static func open(
        _ channel: any Channel,
        _ node: ServerNode,
        _ tls: TLSContexts?,
        _ services: [HTTPService],
        _ circle: PeerCircle,
        _ load: ListenerLoad
    ) throws {
        let (configuration, limits) = (node.configuration, node.configuration.limits)
        guard load.open() else { return channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in load.close() }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(LingeringClose(limit: limits.greetingTimeout))
        if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls.context)) }
        let allows: @Sendable (HTTPHeaders) -> Bool = { !configuration.isForLoopback || Loopback.allows($0) }
        // Before the upgrade a client gets little time and little room.
        let timer = ConnectionTimer(channel, limit: limits.greetingTimeout)
        let upgrader = NIOTypedWebSocketServerUpgrader<Void>(
            maxFrameSize: Int(clamping: min(limits.messageBytes &+ 64, UInt64(UInt32.max))),
            enableAutomaticErrorHandling: false,
            // What isn't to be upgraded doesn't come so far.
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(HTTPHeaders()) },
            upgradePipelineHandler: { channel, _ in
                timer.stop()
                return channel.eventLoop.makeCompletedFuture {
                    let (pipeline, peer) = (channel.pipeline.syncOperations, Peer(node, channel, circle))
                    let frames = try pipeline.handler(type: ByteToMessageHandler<WebSocketFrameDecoder>.self)
                    try pipeline.addHandler(GreetingGate(peer), position: .before(frames))
                    try pipeline.addHandler(peer)
                    // WebSockets have a close of their own.
                    pipeline.removeHandler(try pipeline.handler(type: LingeringClose.self), promise: nil)
                }
            }
        )
        let upgrade = NIOTypedHTTPServerUpgradeConfiguration<Void>(upgraders: [upgrader]) { channel in
            channel.eventLoop.makeCompletedFuture {
                let responder = HTTPResponder(
                    timer,
                    proxies: configuration.proxies,
                    services: services,
                    load: load,
                    memory: node.memory,
                    limits: limits,
                    allows: allows
                ) { node.answer($0, $1, nil) }
                try channel.pipeline.syncOperations.addHandler(responder)
            }
        }
        var http = NIOUpgradableHTTPServerPipelineConfiguration(upgradeConfiguration: upgrade)
        http.decoderConfiguration.maxHeaderFieldSize = 8_192
        http.decoderConfiguration.maxHeaderListSize = 32_768
        http.decoderConfiguration.maxHeaderFieldCount = 64
        _ = try pipeline.configureUpgradableHTTPServerPipeline(configuration: http)
        try OneAnswer.add(to: pipeline)
        let filter = RequestFilter(path: configuration.path) { allows($0.headers) && !node.isDraining }
        let upgrading = try pipeline.handler(type: NIOTypedHTTPServerUpgradeHandler<Void>.self)
        try pipeline.addHandler(filter, position: .before(upgrading))
    }
}

/// A circle for each loop.
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

extension ServerNode {
    /// `/sessions`: how many there are of each app, by the `schemaVersion` of their files.
    fileprivate var sessionsService: HTTPService {
        HTTPService(
            root: "/sessions",
            bodyLimit: 0,
            answer: { [self] _ in
                guard let apps = try? await sessionsByVersion() else {
                    return HTTPAnswer(status: .serviceUnavailable, body: "The node ends.\n")
                }
                var body: BSONDocument = [:]
                for (app, versions) in apps.sorted(by: { $0.key < $1.key }) {
                    let counts = versions.sorted { $0.key < $1.key }
                    let document = BSONDocument(counts.map { (key: "\($0.key)", value: .int64(Int64($0.value))) })
                    body.append(app, .document(document))
                }
                return HTTPAnswer(type: "application/json", body: ((try? body.extendedJSON()) ?? "{}") + "\n")
            },
            tooLarge: HTTPAnswer(status: .payloadTooLarge, body: "Nothing is read here.\n")
        )
    }

    /// What HTTP requests get.
    ///
    /// - Parameter metrics: `nil` for requests to the public port.
    fileprivate func answer(_ method: HTTPMethod, _ path: String, _ metrics: (() -> String)?) -> HTTPAnswer {
        let status = readiness
        switch (path, metrics) {
        case ("/health", _): return HTTPAnswer(body: "alive\n")
        case ("/ready", _):
            // Names of streams are for the administrator.
            var blocked = status.blocked.isEmpty ? "" : "blocked streams: \(status.blocked.count)\n"
            if metrics != nil {
                for stream in status.blocked.prefix(100) {
                    blocked += "\(stream.app) \(stream.stream): \(stream.reason.loggable)\n"
                }
            }
            if status.isReady { return HTTPAnswer(body: "ready\n" + blocked) }
            return HTTPAnswer(
                status: .serviceUnavailable,
                body: status.isDraining ? "draining\n" : "the store fails\n"
            )
        case ("/metrics", let metrics?):
            return HTTPAnswer(type: "text/plain; version=0.0.4; charset=utf-8", body: metrics())
        case (configuration.path.withSingleSlashes, nil) where status.isDraining:
            return HTTPAnswer(status: .serviceUnavailable, body: "draining\n")
        case ("/status", _?): return HTTPAnswer(type: "application/json", body: self.status.json + "\n")
        default: return HTTPAnswer(status: .notFound, body: "There is nothing here.\n")
        }
    }
}

extension ServerNode.Status {
    public var json: String {
        let streams = blocked.map { stream -> BSONValue in
            [
                "app": .string(stream.app), "stream": .string(stream.stream),
                "failures": .int64(Int64(stream.failures)), "reason": .string(stream.reason),
            ]
        }
        let lists = BSONDocument([
            (key: "blocked", value: .array(streams)), (key: "memory", value: .document(memory.document)),
        ])
        let list = (try? lists.extendedJSON()) ?? "{}"
        return """
            {"ready":\(isReady),"draining":\(isDraining),"connections":\(connections),"sessions":\(sessions),"commits":\(commits),\
            \(list.dropFirst())
            """
    }
}
