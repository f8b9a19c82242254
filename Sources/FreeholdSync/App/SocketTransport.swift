#if Sync
    import Foundation
    import NIOCore
    import NIOHTTP1
    import NIOPosix
    import NIOSSL

    /// A transport with one connection for each request.
    ///
    /// The limits also hold against a hostile server, or a device of a foreign network that answers in its place. Bytes
    /// are counted before they are parsed, no answer is decompressed, and the timeout of the request includes the whole
    /// answer. Redirections aren't followed, because they could send tokens to another server. Cookies and answers
    /// aren't stored. Proxies of the environment aren't used.
    final class SocketTransport: RLMNetworkTransport {
        private let limits: AnswerLimits
        private let group: any EventLoopGroup
        /// The TLS context. It is created once, because reading the system's certificates is slow.
        private let tls = Result { try NIOSSLContext(configuration: .makeClientConfiguration()) }

        init(limits: AnswerLimits = AnswerLimits(), group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton) {
            (self.limits, self.group) = (limits, group)
        }

        func sendRequestToServer(_ request: RLMRequest, completion: @escaping @Sendable (RLMResponse) -> Void) {
            guard let target = Target(request.url) else {
                return completion(RLMResponse(failure: "The address isn't an HTTP URL."))
            }
            let loop = group.next()
            let answer = loop.makePromise(of: RLMResponse.self)
            answer.futureResult.whenComplete { result in
                switch result {
                case .success(let response): completion(response)
                case .failure(let error): completion(RLMResponse(failure: Self.text(error, target)))
                }
            }
            let milliseconds = Int64(min(max(request.timeout, 0.001), 86_400) * 1_000)
            let timer = loop.scheduleTask(in: .milliseconds(milliseconds)) {
                answer.fail(ExchangeError("There was no answer in time."))
            }
            let bootstrap = ClientBootstrap(group: loop).connectTimeout(.milliseconds(milliseconds))
            bootstrap.connect(host: target.host, port: target.port).whenComplete { result in
                do {
                    let channel = try result.get()
                    // The connection is closed for each result of the request.
                    answer.futureResult.whenComplete { _ in
                        timer.cancel()
                        channel.close(promise: nil)
                    }
                    // Connections to other addresses of the host, which were opened at the same time and not chosen,
                    // have no handlers.
                    try self.prepare(channel, target, answer)
                    let body = request.method == .GET ? [] : Array(request.body.utf8)
                    channel.write(HTTPClientRequestPart.head(target.head(request, body.count)), promise: nil)
                    if !body.isEmpty {
                        channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
                    }
                    channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
                } catch {
                    timer.cancel()
                    answer.fail(error)
                }
            }
        }

        /// Adds the handlers of a connection, on its event loop.
        private func prepare(_ channel: any Channel, _ target: Target, _ answer: EventLoopPromise<RLMResponse>) throws {
            let pipeline = channel.pipeline.syncOperations
            if target.isSecure {
                let isAddress = (try? SocketAddress(ipAddress: target.host, port: 0)) != nil
                let name = isAddress ? nil : target.host
                try pipeline.addHandler(NIOSSLClientHandler(context: tls.get(), serverHostname: name))
            }
            let meter = AnswerMeter(limits)
            try pipeline.addHandler(meter)
            try pipeline.addHTTPClientHandlers()
            try pipeline.addHandler(AnswerHandler(limits, meter, answer))
        }

        private static func text(_ error: any Error, _ target: Target) -> String {
            switch error {
            case let error as ExchangeError: error.text
            case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
                "No encrypted connection to \(target.authority): \(error)"
            case is NIOConnectionError, is ChannelError: "\(target.authority) can't be reached."
            default: "There was no answer of \(target.authority): \(error)"
            }
        }

        /// The parts of a URL.
        struct Target: Hashable, Sendable {
            let host: String
            let port: Int
            let isSecure: Bool
            /// The path and the query of the URL.
            let path: String

            init?(_ address: String) {
                guard let parts = URLComponents(string: address), var host = parts.host, !host.isEmpty else {
                    return nil
                }
                switch parts.scheme?.lowercased() {
                case "http": isSecure = false
                case "https": isSecure = true
                default: return nil
                }
                if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
                self.host = host
                port = parts.port ?? (isSecure ? 443 : 80)
                guard (1...65_535).contains(port) else { return nil }
                let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
                self.path = path + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
            }

            /// The value of the header `Host`.
            var authority: String {
                let host = host.contains(":") ? "[\(host)]" : host
                return port == (isSecure ? 443 : 80) ? host : "\(host):\(port)"
            }

            fileprivate func head(_ request: RLMRequest, _ bytes: Int) -> HTTPRequestHead {
                var headers = HTTPHeaders(AnswerLimits.headers.map { ($0.key, $0.value) })
                for (name, value) in request.headers { headers.replaceOrAdd(name: name, value: value) }
                headers.replaceOrAdd(name: "Host", value: authority)
                headers.replaceOrAdd(name: "Connection", value: "close")
                if request.method != .GET { headers.replaceOrAdd(name: "Content-Length", value: "\(bytes)") }
                let method = HTTPMethod(rawValue: request.method.rawValue)
                return HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: headers)
            }
        }
    }

    /// The reason why a request has no answer.
    private struct ExchangeError: Error {
        let text: String

        init(_ text: String) { self.text = text }
    }

    /// Counts the bytes of an answer before they are parsed. Heads, chunk sizes and trailers are included.
    private final class AnswerMeter: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = ByteBuffer

        private let limits: AnswerLimits
        private var count = 0
        /// A Boolean value that indicates whether the body has begun.
        var hasHead = false

        init(_ limits: AnswerLimits) { self.limits = limits }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            // The read that ends the head may contain a part of the body. Small chunks add more bytes for their sizes
            // than they contain.
            let isTooLong = hasHead ? count > limits.headBytes + 2 * limits.bodyBytes : count > limits.headBytes
            count += unwrapInboundIn(data).readableBytes
            guard !isTooLong else {
                context.fireErrorCaught(ExchangeError(AnswerLimits.tooLong))
                return context.close(promise: nil)
            }
            context.fireChannelRead(data)
        }
    }

    /// Collects the parts of an answer.
    private final class AnswerHandler: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart

        private let limits: AnswerLimits
        private let meter: AnswerMeter
        private let answer: EventLoopPromise<RLMResponse>
        private var response: RLMResponse?
        private var body: [UInt8] = []
        private var hasEnded = false

        init(_ limits: AnswerLimits, _ meter: AnswerMeter, _ answer: EventLoopPromise<RLMResponse>) {
            (self.limits, self.meter, self.answer) = (limits, meter, answer)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !hasEnded else { return }
            switch unwrapInboundIn(data) {
            // Responses with a status below 200 precede the answer.
            case .head(let head) where head.status.code < 200: break
            case .head(let head):
                meter.hasHead = true
                guard head.headers["Content-Encoding"].allSatisfy({ AnswerLimits.isPlain($0) }) else {
                    return fail(context, AnswerLimits.notAsked)
                }
                if let count = head.headers.first(name: "Content-Length").flatMap({ Int($0) }), count > limits.bodyBytes
                {
                    return fail(context, AnswerLimits.tooLong)
                }
                var headers: [String: String] = [:]
                for (name, value) in head.headers { headers[name] = headers[name].map { "\($0), \(value)" } ?? value }
                response = RLMResponse(httpStatusCode: Int(head.status.code), headers: headers)
            case .body(let bytes):
                guard body.count + bytes.readableBytes <= limits.bodyBytes else {
                    return fail(context, AnswerLimits.tooLong)
                }
                body += bytes.readableBytesView
            case .end:
                guard var response else { return }
                hasEnded = true
                response.body = String(decoding: body, as: UTF8.self)
                answer.succeed(response)
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            fail(context, "The connection ended before the answer.")
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            guard !hasEnded else { return }
            hasEnded = true
            answer.fail(error)
            context.close(promise: nil)
        }

        private func fail(_ context: ChannelHandlerContext, _ text: String) {
            errorCaught(context: context, error: ExchangeError(text))
        }
    }
#endif
