public import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import NIOTLS
import NIOWebSocket
import Synchronization

/// A port on which an application answers requests, over HTTP/1.1 and, with a certificate, over HTTP/2 (selected by ALPN).
public final class HTTPListener: Sendable {
    private let channel: any Channel
    private let connections: OpenConnections

    /// The address of the port. If port 0 was requested, it has the number that the system has chosen.
    public var address: SocketAddress? { channel.localAddress }
    public var port: Int { channel.localAddress?.port ?? 0 }

    private init(_ channel: any Channel, _ connections: OpenConnections) {
        (self.channel, self.connections) = (channel, connections)
    }

    /// Opens a port for an application.
    ///
    /// - Parameters:
    ///   - tls: The certificate, or `nil` if connections aren't encrypted, for example behind a proxy that encrypts or on loopback.
    ///   - webSocket: The WebSocket that the port accepts, or `nil` for none.
    /// - Throws: The system's error if the port can't be opened.
    public static func listen(
        _ application: HTTPApplication,
        host: String,
        port: Int,
        tls: TLSContexts? = nil,
        webSocket: HTTPWebSocket? = nil,
        group: any EventLoopGroup
    ) async throws -> HTTPListener {
        let connections = OpenConnections()
        let setup = ConnectionSetup(
            application: application,
            webSocket: webSocket,
            tls: tls,
            load: ListenerLoad(application.limits, proxies: application.proxies),
            connections: connections
        )
        let channel = try await bootstrap(group) { channel in
            channel.eventLoop.makeCompletedFuture { try setup.open(channel) }
        }.bind(host: host, port: port).get()
        return HTTPListener(channel, connections)
    }

    /// Stops accepting connections. Open connections aren't closed.
    public func close() async { try? await channel.close() }

    /// Closes connections that wait for a request, and all other connections after their current answers. WebSockets aren't closed.
    ///
    /// - Parameter milliseconds: The maximum time that the function waits. Connections whose answers take longer aren't closed when it returns.
    public func drain(within milliseconds: Int64) async {
        let loop = channel.eventLoop
        let end = loop.makePromise(of: Void.self)
        let late = loop.scheduleTask(in: .milliseconds(max(milliseconds, 0))) { end.succeed(()) }
        connections.drain { end.succeed(()) }
        try? await end.futureResult.get()
        late.cancel()
        // The event loop may end before the remaining connections do, so they mustn't call the closure later.
        connections.stopWaiting()
    }

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
            // Bytes for a slow receiver are kept in this process, which counts them, instead of in the buffer of the system.
            .childChannelOption(.tcpOption(NIOBSDSocket.Option(rawValue: notSentLowWater)), value: 128 << 10)
            // The buffer of a read adapts to the size of the messages. An idle connection has no buffer.
            .childChannelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 2_048, maximum: 65_536)
            )
    }
}

/// The HTTP connections of a listener. Any thread may use it.
private final class OpenConnections: Sendable {
    private struct Connection {
        let channel: any Channel
        let isHTTP2: Bool

        func end() {
            let pipeline = channel.pipeline
            if isHTTP2 {
                pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
            } else {
                pipeline.fireUserInboundEventTriggered(DrainEvent())
            }
        }
    }

    private struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        var isDraining = false
        var whenEmpty: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    func add(_ channel: any Channel, isHTTP2: Bool) {
        let connection = Connection(channel: channel, isHTTP2: isHTTP2)
        let isDraining = state.withLock { state in
            state.connections[ObjectIdentifier(channel)] = connection
            return state.isDraining
        }
        channel.closeFuture.whenComplete { _ in self.remove(channel) }
        if isDraining { connection.end() }
    }

    /// Removes a connection that has closed, or that has become a WebSocket.
    func remove(_ channel: any Channel) {
        let whenEmpty = state.withLock { state -> (@Sendable () -> Void)? in
            state.connections[ObjectIdentifier(channel)] = nil
            guard state.connections.isEmpty else { return nil }
            defer { state.whenEmpty = nil }
            return state.whenEmpty
        }
        whenEmpty?()
    }

    func stopWaiting() { state.withLock { $0.whenEmpty = nil } }

    func drain(_ whenEmpty: @escaping @Sendable () -> Void) {
        let (connections, isEmpty) = state.withLock { state -> ([Connection], Bool) in
            let wasDraining = state.isDraining
            state.isDraining = true
            state.whenEmpty = state.connections.isEmpty ? nil : whenEmpty
            return (wasDraining ? [] : Array(state.connections.values), state.connections.isEmpty)
        }
        if isEmpty { whenEmpty() }
        for connection in connections { connection.end() }
    }
}

/// Adds the handlers to the connections of a listener.
private struct ConnectionSetup: Sendable {
    let application: HTTPApplication
    let webSocket: HTTPWebSocket?
    let tls: TLSContexts?
    let load: ListenerLoad
    let connections: OpenConnections

    func open(_ channel: any Channel) throws {
        let address = channel.remoteAddress?.ipAddress
        guard load.open(from: address) else { return channel.close(promise: nil) }
        channel.closeFuture.whenComplete { [load] _ in load.close(from: address) }
        let pipeline = channel.pipeline.syncOperations
        // A client has to send its first request within this time.
        let timer = ConnectionTimer(channel, limit: application.limits.requestTimeout)
        try pipeline.addHandler(LingeringClose(limit: application.limits.requestTimeout))
        guard let tls else {
            try addHTTP1(channel, timer)
            return
        }
        try pipeline.addHandler(NIOSSLServerHandler(context: tls.context))
        let setup = self
        let negotiation = ApplicationProtocolNegotiationHandler { result, channel in
            channel.eventLoop.makeCompletedFuture {
                switch result {
                case .negotiated("h2"): try setup.addHTTP2(channel, timer)
                case .negotiated("http/1.1"), .fallback: try setup.addHTTP1(channel, timer)
                case .negotiated: return channel.close(promise: nil)
                }
            }
        }
        try pipeline.addHandler(negotiation)
    }

    private func addHTTP1(_ channel: any Channel, _ timer: ConnectionTimer) throws {
        let pipeline = channel.pipeline.syncOperations
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = application.limits.fieldBytes
        limits.maxHeaderListSize = application.limits.headBytes
        limits.maxHeaderFieldCount = application.limits.fields
        let encoder = HTTPResponseEncoder()
        let decoder = ByteToMessageHandler(
            HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits)
        )
        let (first, last) = (FirstBytes(timer), LastAnswer())
        let (order, form) = (HTTPServerPipelineHandler(), NIOHTTPResponseHeadersValidator())
        let (errors, connection) = (
            HTTPServerProtocolErrorHandler(), HTTPConnection(application, timer: timer, load: load)
        )
        let gate = UpgradeGate(webSocket, allows: application.allows) { context, admission in
            guard let gate = context.handler as? UpgradeGate else { return }
            let upgrade = NIOTypedHTTPServerUpgradeHandler<Void>(
                httpEncoder: encoder,
                extraHTTPHandlers: [first, decoder, last, order, form, errors, gate, connection],
                upgradeConfiguration: upgrade(timer, admission)
            )
            try context.pipeline.syncOperations.addHandler(upgrade, position: .after(gate))
        }
        try pipeline.addHandlers([encoder, last, first, decoder, order, form, errors, gate, connection])
        connections.add(channel, isHTTP2: false)
    }

    private func upgrade(
        _ timer: ConnectionTimer,
        _ admission: HTTPWebSocketAdmission?
    ) -> NIOTypedHTTPServerUpgradeConfiguration<Void> {
        let (webSocket, connections) = (webSocket, connections)
        let headers = admission?.headers ?? HTTPHeaders()
        let upgrader = NIOTypedWebSocketServerUpgrader<Void>(
            maxFrameSize: webSocket?.frameBytes ?? 0,
            enableAutomaticErrorHandling: false,
            // `UpgradeGate` has already admitted the request.
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(headers) },
            upgradePipelineHandler: { channel, _ in
                timer.stop()
                connections.remove(channel)
                return channel.eventLoop.makeCompletedFuture {
                    if let admission { try admission.open(channel) } else { try webSocket?.open(channel) }
                    // The protocol of WebSockets has its own messages for the end of a connection.
                    let pipeline = channel.pipeline.syncOperations
                    pipeline.removeHandler(try pipeline.handler(type: LingeringClose.self), promise: nil)
                }
            }
        )
        return NIOTypedHTTPServerUpgradeConfiguration(upgraders: [upgrader]) { channel in
            channel.close()
        }
    }

    // MARK: HTTP/2

    private func addHTTP2(_ channel: any Channel, _ timer: ConnectionTimer) throws {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: application.limits.streamsPerConnection),
            HTTP2Setting(parameter: .maxHeaderListSize, value: application.limits.headBytes),
        ]
        connection.targetWindowSize = 1 << 20
        // The maximum number of answers to pings and settings that wait because the client doesn't read them.
        connection.maximumBufferedControlFrames = 1_000
        var stream = NIOHTTP2Handler.StreamConfiguration()
        stream.outboundBufferSizeHighWatermark = 64 << 10
        stream.outboundBufferSizeLowWatermark = 16 << 10
        let end = NIOHTTP2ServerConnectionManagementHandler(
            eventLoop: channel.eventLoop,
            configuration: .init(
                maxIdleTime: nil,
                maxAge: nil,
                maxGraceTime: .milliseconds(application.limits.bodyTimeout),
                keepalive: nil
            )
        )
        let keepAlive = TimeAmount.milliseconds(application.limits.keepAliveTimeout)
        let streams = StreamCount(timer, keepAlive: keepAlive, next: end.http2StreamDelegate)
        let (application, load) = (application, load)
        let pipeline = channel.pipeline.syncOperations
        _ = try pipeline.configureHTTP2Pipeline(
            mode: .server,
            connectionConfiguration: connection,
            streamConfiguration: stream,
            streamDelegate: streams
        ) { channel in
            channel.eventLoop.makeCompletedFuture {
                let timer = ConnectionTimer(channel, limit: application.limits.requestTimeout)
                try channel.pipeline.syncOperations.addHandlers([
                    HTTP2FramePayloadToHTTP1ServerCodec(),
                    HTTPConnection(application, timer: timer, load: load, isHTTP2: true),
                ])
            }
        }
        try pipeline.addHandlers([end, ProtocolErrors()])
        connections.add(channel, isHTTP2: true)
    }
}

/// A handler that closes an HTTP/2 connection after its client has violated the protocol. NIO's handler sends the reason to the client, but doesn't
/// stop reading.
private final class ProtocolErrors: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A stream that has ended may still receive frames that were sent before.
        if error is NIOHTTP2Errors.StreamClosed { return }
        context.close(promise: nil)
    }
}

/// A delegate that limits the time in which an HTTP/2 connection has no open stream. The limit is that of an HTTP/1.1 connection between two
/// requests.
private final class StreamCount: NIOHTTP2StreamDelegate, Sendable {
    private let timer: ConnectionTimer
    private let keepAlive: TimeAmount
    private let next: any NIOHTTP2StreamDelegate
    private let count = Atomic(0)

    init(_ timer: ConnectionTimer, keepAlive: TimeAmount, next: any NIOHTTP2StreamDelegate & Sendable) {
        (self.timer, self.keepAlive, self.next) = (timer, keepAlive, next)
    }

    func streamCreated(_ id: HTTP2StreamID, channel: any Channel) {
        if count.add(1, ordering: .relaxed).newValue == 1 { timer.stop() }
        next.streamCreated(id, channel: channel)
    }

    func streamClosed(_ id: HTTP2StreamID, channel: any Channel) {
        if count.subtract(1, ordering: .relaxed).newValue == 0 { timer.waitForRequest(keepAlive) }
        next.streamClosed(id, channel: channel)
    }
}
