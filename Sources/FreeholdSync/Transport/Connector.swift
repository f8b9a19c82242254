#if Sync
    import NIOCore
    import NIOHTTP1
    import NIOPosix
    import NIOSSL
    import NIOWebSocket

    /// Opens WebSockets.
    struct Connector: Sendable {
        let endpoint: SyncEndpoint
        let settings: ConnectionSettings

        /// Opens a WebSocket.
        ///
        /// - Parameters:
        ///   - progress: A closure that is called on the loop with the number of bytes of each read. A read may contain
        ///     a part of a message.
        ///   - receive: A closure that receives messages, on the loop.
        ///   - end: A closure that is called once at the end of the connection, on the loop. It isn't called if no
        ///     connection was opened.
        /// - Returns: The channel. The future fails with `TransportError`.
        func connect(
            on loop: any EventLoop,
            progress: @escaping @Sendable (Int) -> Void = { _ in },
            receive: @escaping @Sendable ([UInt8]) -> Void,
            end: @escaping @Sendable (TransportError?) -> Void
        ) -> EventLoopFuture<any Channel> {
            let limit = settings.frameBytes
            let tls: NIOSSLContext?
            do {
                tls =
                    try endpoint.isSecure
                    ? NIOSSLContext(configuration: settings.tls ?? .makeClientConfiguration()) : nil
            } catch {
                return loop.makeFailedFuture(TransportError(.tlsFailed, "TLS can't be set up."))
            }
            let (endpoint, head) = (endpoint, head)
            let upgraded = loop.makePromise(of: (any Channel)?.self)
            let bootstrap = ClientBootstrap(group: loop)
                .connectTimeout(.milliseconds(settings.connectTimeout))
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelOption(.tcpOption(.tcp_notsent_lowat), value: ConnectionSettings.unsentBytes)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.addHandler(ByteMeter(progress))
                        if let tls {
                            // The certificate is checked for addresses, too, but only names can be sent to the server.
                            let name = endpoint.host.isAddress ? nil : endpoint.host
                            try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name))
                        }
                        let upgrader = NIOTypedWebSocketClientUpgrader<(any Channel)?>(
                            maxFrameSize: limit,
                            enableAutomaticErrorHandling: false
                        ) { channel, _ in
                            channel.eventLoop.makeCompletedFuture {
                                let handler = FrameHandler(limit: limit, receive: receive, end: end)
                                try channel.pipeline.syncOperations.addHandler(handler)
                                return channel
                            }
                        }
                        let upgrade = NIOTypedHTTPClientUpgradeConfiguration<(any Channel)?>(
                            upgradeRequestHead: head,
                            upgraders: [upgrader]
                        ) { channel in channel.eventLoop.makeSucceededFuture(Optional<any Channel>.none) }
                        var configuration = NIOUpgradableHTTPClientPipelineConfiguration(upgradeConfiguration: upgrade)
                        // The first message of a server may arrive together with the answer to the upgrade.
                        configuration.leftOverBytesStrategy = .forwardBytes
                        try pipeline.configureUpgradableHTTPClientPipeline(configuration: configuration)
                            .cascade(to: upgraded)
                    }
                }
            let timeout = settings.connectTimeout
            let connected = bootstrap.connect(host: endpoint.host, port: endpoint.port)
            // If the connection failed, no other event ends the wait for the upgrade.
            connected.whenFailure { upgraded.fail($0) }
            return connected.flatMap { opening -> EventLoopFuture<any Channel> in
                // The timeout of the bootstrap doesn't include encryption and the upgrade.
                let timer = loop.scheduleTask(in: .milliseconds(timeout)) {
                    upgraded.fail(TransportError(.timedOut, "\(endpoint) doesn't answer."))
                    opening.close(promise: nil)
                }
                opening.closeFuture.whenComplete { _ in
                    upgraded.fail(TransportError(.closed, "The connection ended before it was one for sync."))
                }
                return upgraded.futureResult.flatMapThrowing { channel -> any Channel in
                    timer.cancel()
                    guard let channel else {
                        throw TransportError(.rejected, "The server offers no sync at \(endpoint).")
                    }
                    return channel
                }.flatMapErrorThrowing { error in
                    timer.cancel()
                    opening.close(promise: nil)
                    throw error
                }
            }.flatMapErrorThrowing { throw Self.named($0, endpoint) }
        }

        private var head: HTTPRequestHead {
            var headers = HTTPHeaders(settings.headers.map { ($0.name, $0.value) })
            headers.replaceOrAdd(name: "Host", value: endpoint.authority)
            headers.replaceOrAdd(name: "Content-Length", value: "0")
            return HTTPRequestHead(version: .http1_1, method: .GET, uri: endpoint.path, headers: headers)
        }

        private static func named(_ error: any Error, _ endpoint: SyncEndpoint) -> TransportError {
            switch error {
            case let error as TransportError: return error
            case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
                return TransportError(.tlsFailed, "No encrypted connection to \(endpoint): \(error)")
            case ChannelError.connectTimeout: return TransportError(.timedOut, "\(endpoint) doesn't answer.")
            case is NIOConnectionError: return TransportError(.unreachable, "\(endpoint) can't be reached.")
            default: return TransportError(.unreachable, "No connection to \(endpoint): \(error)")
            }
        }
    }

    /// Reports the bytes of a connection when they arrive, because a large frame is complete only after a long time.
    private final class ByteMeter: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = ByteBuffer

        private let report: @Sendable (Int) -> Void

        init(_ report: @escaping @Sendable (Int) -> Void) { self.report = report }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            report(unwrapInboundIn(data).readableBytes)
            context.fireChannelRead(data)
        }
    }

    extension NIOBSDSocket.Option {
        /// Limits the number of bytes that the system buffers before sending them. The bytes that the system accepts
        /// then show the speed of the network.
        #if canImport(Darwin)
            fileprivate static let tcp_notsent_lowat = NIOBSDSocket.Option(rawValue: 0x201)
        #else
            fileprivate static let tcp_notsent_lowat = NIOBSDSocket.Option(rawValue: 25)
        #endif
    }

    extension String {
        fileprivate var isAddress: Bool { (try? SocketAddress(ipAddress: self, port: 0)) != nil }
    }
#endif
