import NIOCore
import NIOHTTP1

/// An event that ends an HTTP/1.1 connection after its present request.
struct DrainEvent {}

/// A handler that answers the requests of an HTTP/1.1 connection, one after the other, or the one request of an HTTP/2 stream.
///
/// The handlers before it deliver the next request after the end of the previous answer, and don't read until then. A connection therefore keeps at
/// most one request, one answer, and the bytes of one read.
final class HTTPConnection: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    let application: HTTPApplication
    let timer: ConnectionTimer
    let isHTTP2: Bool
    /// The load of the listener.
    private let load: ListenerLoad
    private(set) var exchange: Exchange?
    /// The number of requests that the connection has received.
    private var count = 0
    private var isReading = true
    /// A Boolean value that indicates whether the connection handles no further requests.
    private var isOver = false
    /// A Boolean value that indicates whether the connection ends with the answer to its present request.
    private var isDraining = false

    init(_ application: HTTPApplication, timer: ConnectionTimer, load: ListenerLoad, isHTTP2: Bool = false) {
        (self.application, self.timer, self.load, self.isHTTP2) = (application, timer, load, isHTTP2)
    }

    func handlerAdded(context: ChannelHandlerContext) { timer.onLate { self.late(context) } }

    func handlerRemoved(context: ChannelHandlerContext) { timer.onLate(nil) }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head, context)
        case .body(let bytes): take(bytes, context)
        case .end: end(context)
        }
    }

    private func begin(_ came: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard exchange == nil else { return }
        let head = came.resolved
        count += 1
        // The timer for the first request was started when the connection was opened.
        if count > 1 { timer.start() }
        // The context's own address isn't available in streams of HTTP/2.
        let isTrusted = context.channel.remoteAddress?.ipAddress.map { application.proxies.trusts($0) } ?? false
        let exchange = Exchange(
            head,
            id: Exchange.identifier(head, isTrusted: isTrusted),
            began: context.eventLoop.now,
            budget: application.budget()
        )
        exchange.isFromProxy = isTrusted
        self.exchange = exchange
        guard head.isReadable(isHTTP2: isHTTP2) else { return respond(.unreadable, exchange, context) }
        guard application.allows(head.headers) else { return respond(.foreign, exchange, context) }
        if let expectation = head.expectation, expectation != "100-continue" {
            return respond(.unexpected, exchange, context)
        }
        // The preflight request of a browser has no token.
        if let answer = application.origins?.preflight(head) {
            exchange.refusal = answer
            return
        }
        guard let group = application.group(head) else { return respond(.unreadable, exchange, context) }
        (exchange.route, exchange.parameters, exchange.refusal) = group.match(head)
        exchange.bodyLimit = exchange.route?.bodyLimit ?? group.bodyLimit
        guard let limit = exchange.bodyLimit else {
            // The bytes of the body are read and dropped.
            if head.expectation != nil { ask(exchange, context) }
            return
        }
        exchange.group = group
        if let length = head.bodyLength, length > limit { return respond(group.tooLarge, exchange, context) }
        guard let identify = exchange.route?.identify ?? group.identify else { return accept(exchange, context) }
        exchange.isIdentifying = true
        timer.stop()
        let loop = context.eventLoop
        let bound = NIOLoopBound((self, exchange, context), eventLoop: loop)
        exchange.work = Task {
            let found = await identify(head)
            // The connection has ended, and its loop may have ended too.
            if Task.isCancelled { return }
            loop.execute {
                let (connection, exchange, context) = bound.value
                connection.identified(found, exchange, context)
            }
        }
    }

    private func identified(_ found: HTTPIdentification, _ exchange: Exchange, _ context: ChannelHandlerContext) {
        exchange.isIdentifying = false
        setReading(true, context.channel)
        guard exchange === self.exchange, exchange.phase == .reading, !isOver, context.channel.isActive else { return }
        switch found {
        case .refused(let answer): respond(answer, exchange, context)
        case .known(let user):
            exchange.user = user
            exchange.budget?.belong(to: user.user)
            (exchange.recentBegan, exchange.recent) = (context.eventLoop.now, 0)
            if exchange.isRead, exchange.route?.streamsBody != true { return ask(exchange, context) }
            timer.start()
            accept(exchange, context)
        }
    }

    /// Accepts the body, after the head has shown that it is needed.
    private func accept(_ exchange: Exchange, _ context: ChannelHandlerContext) {
        if exchange.head.expectation != nil, exchange.bodyBytes == 0, !exchange.isRead {
            let head = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
        }
        guard exchange.route?.streamsBody == true else { return }
        let (loop, bound) = (context.eventLoop, NIOLoopBound((self, exchange, context), eventLoop: context.eventLoop))
        let stream = HTTPBodyStream { bytes in
            loop.execute {
                let (connection, exchange, context) = bound.value
                exchange.budget?.giveBody(bytes)
                guard exchange === connection.exchange, exchange.stream?.isFull == false else { return }
                connection.setReading(true, context.channel)
            }
        }
        exchange.stream = stream
        // The pieces that arrived while the group identified the user.
        let body = exchange.body
        exchange.body = []
        if !body.isEmpty { stream.add(body) }
        if exchange.isRead { stream.finish(.success(())) }
        ask(exchange, context)
    }

    private func take(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard let exchange, let group = exchange.group, let limit = exchange.bodyLimit else { return }
        guard exchange.phase == .reading || exchange.stream != nil, exchange.phase != .sending else { return }
        exchange.bodyBytes += bytes.readableBytes
        guard exchange.bodyBytes <= limit else { return refuse(group.tooLarge, exchange, context) }
        if let refusal = exchange.budget?.takeBody(bytes.readableBytes, total: exchange.bodyBytes) {
            return refuse(refusal, exchange, context)
        }
        if let stream = exchange.stream {
            stream.add(Array(bytes.readableBytesView))
            if stream.isFull { setReading(false, context.channel) }
        } else {
            exchange.body += bytes.readableBytesView
        }
        if exchange.isIdentifying {
            if exchange.bodyBytes > HTTPLimits.unknownBody { setReading(false, context.channel) }
        } else if exchange.user != nil {
            guard flows(bytes.readableBytes, exchange, context.eventLoop.now) else { return late(context) }
            timer.start()
        }
    }

    /// Returns a Boolean value that indicates whether a long body arrives fast enough. A fast part doesn't compensate for a slow one.
    private func flows(_ bytes: Int, _ exchange: Exchange, _ now: NIODeadline) -> Bool {
        exchange.recent += bytes
        let time = now - exchange.recentBegan
        guard time > timer.limit else { return true }
        guard Int64(exchange.recent) >= time.nanoseconds / 1_000_000 * HTTPLimits.leastRate / 1_000,
            now - exchange.began <= .milliseconds(application.limits.bodyTimeout)
        else { return false }
        (exchange.recentBegan, exchange.recent) = (now, 0)
        return true
    }

    private func end(_ context: ChannelHandlerContext) {
        guard let exchange else {
            // The end of a request has arrived without a head.
            let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
            let exchange = Exchange(head, id: "", began: context.eventLoop.now, budget: nil)
            self.exchange = exchange
            return respond(.unreadable, exchange, context)
        }
        exchange.isRead = true
        if let stream = exchange.stream {
            timer.stop()
            stream.finish(.success(()))
        }
        guard exchange.phase == .reading, !exchange.isIdentifying else { return }
        ask(exchange, context)
    }

    private func setReading(_ reads: Bool, _ channel: any Channel) {
        guard reads != isReading else { return }
        isReading = reads
        try? channel.syncOptions?.setOption(.autoRead, value: reads)
        // The time doesn't count while the handler doesn't read the body.
        if let stream = exchange?.stream, exchange?.isRead == false {
            if reads { timer.start() } else if stream.isFull { timer.stop() }
        }
    }

    /// Ends a request because its body isn't accepted.
    private func refuse(_ answer: HTTPAnswer, _ exchange: Exchange, _ context: ChannelHandlerContext) {
        if let stream = exchange.stream {
            exchange.work?.cancel()
            stream.finish(.failure(HTTPBodyStream.Broken()))
        }
        respond(answer, exchange, context)
    }

    /// Ends the connection because the request or the client was too slow, or because the next request didn't arrive in time. A slow request is
    /// answered first.
    private func late(_ context: ChannelHandlerContext) {
        guard let exchange, exchange.phase != .sending, !exchange.isRead else { return context.close(promise: nil) }
        refuse(.tooSlow, exchange, context)
    }

    // MARK: Answering

    /// Calls the handler of the request's route, and sends its answer.
    private func ask(_ exchange: Exchange, _ context: ChannelHandlerContext) {
        guard let route = exchange.route else { return respond(exchange.refusal, exchange, context) }
        let peer = context.channel.remoteAddress
        let proxies = application.proxies
        let request = HTTPRequest(
            head: exchange.head,
            id: exchange.id,
            operation: route.operation,
            parameters: exchange.parameters,
            body: exchange.body,
            stream: exchange.stream,
            address: proxies.client(peer?.ipAddress ?? "unknown", exchange.head.headers[proxies.header]),
            local: context.channel.localAddress,
            user: exchange.user,
            budget: exchange.budget,
            compresses: route.compresses,
            isFromProxy: exchange.isFromProxy
        )
        exchange.phase = .working
        exchange.body = []
        if exchange.stream == nil || exchange.isRead { timer.stop() }
        let loop = context.eventLoop
        let bound = NIOLoopBound((self, exchange, context), eventLoop: loop)
        exchange.work = Task { [application] in
            let answer = await application.answer(request) { request in
                let answer = await route.answer(request)
                let status = Int(answer.status.code)
                assert(
                    route.statuses.contains(status) || HTTPAnswer.statusesOfConnections.contains(status),
                    "'\(route.operation)' answers \(status), which its route doesn't declare."
                )
                return answer
            }
            if !request.body.isEmpty { request.budget?.giveBody(request.body.count) }
            // The connection has ended, and its loop may have ended too.
            if Task.isCancelled { return }
            loop.execute {
                let (connection, exchange, context) = bound.value
                connection.respond(answer, exchange, context)
            }
        }
    }

    /// Returns a Boolean value that indicates whether the connection may have another request after an exchange.
    private func keeps(_ exchange: Exchange) -> Bool {
        let head = exchange.head
        return !isDraining && exchange.isRead && head.version == .http1_1 && head.isKeepAlive && head.method != .CONNECT
            && count < application.limits.requestsPerConnection && application.keepsConnections() && !load.isHigh
    }

    private func respond(_ answer: HTTPAnswer, _ exchange: Exchange, _ context: ChannelHandlerContext) {
        guard exchange === self.exchange, exchange.phase != .sending, !isOver else { return }
        exchange.phase = .sending
        exchange.dropBody()
        guard context.channel.isActive else { return }
        let isLast = !isHTTP2 && !keeps(exchange)
        let head = head(of: answer, exchange, isLast: isLast)
        let record = HTTPRecord(
            id: exchange.id,
            operation: exchange.route?.operation,
            method: exchange.head.method,
            status: Int(answer.status.code),
            nanoseconds: (context.eventLoop.now - exchange.began).nanoseconds
        )
        for observer in application.observers { observer.answered(record) }
        timer.start()
        guard exchange.head.method != .HEAD, answer.status != .noContent else {
            return send([.head(head)], exchange, isLast: isLast, context)
        }
        switch answer.body {
        case .text(let text):
            send(head, body: context.channel.allocator.buffer(string: text), exchange, isLast: isLast, context)
        case .bytes(let bytes):
            send(head, body: context.channel.allocator.buffer(bytes: bytes), exchange, isLast: isLast, context)
        case .stream(let next):
            context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
            stream({ await next().map { ByteBuffer(string: $0) } }, exchange, isLast: isLast, context)
        case .byteStream(let next):
            context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
            stream({ await next().map { ByteBuffer(bytes: $0) } }, exchange, isLast: isLast, context)
        }
    }

    private func head(of answer: HTTPAnswer, _ exchange: Exchange, isLast: Bool) -> HTTPResponseHead {
        var headers = HTTPHeaders()
        headers.add(name: "Content-Type", value: answer.type)
        if let count = answer.byteCount, answer.status != .noContent {
            headers.add(name: "Content-Length", value: "\(count)")
        }
        if !answer.headers.contains(where: { $0.0 == "Cache-Control" }) {
            headers.add(name: "Cache-Control", value: "no-store")
        }
        headers.add(name: "X-Content-Type-Options", value: "nosniff")
        if !exchange.id.isEmpty { headers.add(name: "X-Request-ID", value: exchange.id) }
        for (name, value) in application.origins?.headers(exchange.head) ?? [] { headers.add(name: name, value: value) }
        if isLast { headers.add(name: "Connection", value: "close") }
        for (name, value) in answer.headers { headers.add(name: name, value: value) }
        // A client of HTTP/1.0 doesn't support chunks. The end of the connection marks the end of its answer.
        let isOld = !isHTTP2 && exchange.head.version.minor == 0 && answer.byteCount == nil
        return HTTPResponseHead(version: isOld ? .http1_0 : .http1_1, status: answer.status, headers: headers)
    }

    /// Sends a head and a body in pieces. The client must receive each piece within the time limit of a request.
    private func send(
        _ head: HTTPResponseHead,
        body: ByteBuffer,
        _ exchange: Exchange,
        isLast: Bool,
        _ context: ChannelHandlerContext
    ) {
        guard body.readableBytes > 0 else { return send([.head(head)], exchange, isLast: isLast, context) }
        exchange.budget?.keepAnswer(body.readableBytes)
        var (rest, parts) = (body, [HTTPServerResponsePart.head(head)])
        while let piece = rest.readSlice(length: min(rest.readableBytes, HTTPLimits.pieceBytes)),
            piece.readableBytes > 0
        { parts.append(.body(.byteBuffer(piece))) }
        send(parts, exchange, isLast: isLast, context)
    }

    private func send(
        _ parts: [HTTPServerResponsePart],
        _ exchange: Exchange,
        isLast: Bool,
        _ context: ChannelHandlerContext
    ) {
        var waiting = parts.count
        for part in parts {
            let taken = context.eventLoop.makePromise(of: Void.self)
            context.write(wrapOutboundOut(part), promise: taken)
            taken.futureResult.assumeIsolated().whenSuccess {
                waiting -= 1
                if waiting == 0 { self.finish(exchange, isLast: isLast, context) } else { self.timer.start() }
            }
        }
        context.flush()
    }

    /// Sends the pieces of a stream as soon as they are available. The connection is closed if the client doesn't receive a piece within the time
    /// limit of a request.
    private func stream(
        _ next: @escaping @Sendable () async -> ByteBuffer?,
        _ exchange: Exchange,
        isLast: Bool,
        _ context: ChannelHandlerContext
    ) {
        // No time limit applies while the client waits for the next piece.
        timer.stop()
        let loop = context.eventLoop
        let bound = NIOLoopBound((self, exchange, context), eventLoop: loop)
        exchange.work = Task {
            while !Task.isCancelled, let piece = await next() {
                // The connection has ended, and its loop may have ended too: a loop that has ended runs nothing.
                if Task.isCancelled { return }
                let isSent: Void? = try? await loop.flatSubmit { () -> EventLoopFuture<Void> in
                    let (connection, _, context) = bound.value
                    guard context.channel.isActive else { return loop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
                    connection.timer.start()
                    let sent = context.writeAndFlush(connection.wrapOutboundOut(.body(.byteBuffer(piece))))
                    return sent.map { bound.value.0.timer.stop() }
                }.get()
                guard isSent != nil else { return }
            }
            if Task.isCancelled { return }
            loop.execute {
                let (connection, exchange, context) = bound.value
                guard context.channel.isActive else { return }
                connection.timer.start()
                connection.finish(exchange, isLast: isLast, context)
            }
        }
    }

    /// Ends the exchange after the client has received the answer. The next request may arrive during the last write.
    private func finish(_ exchange: Exchange, isLast: Bool, _ context: ChannelHandlerContext) {
        guard exchange === self.exchange else { return }
        exchange.work?.cancel()
        exchange.stream?.finish(.failure(HTTPBodyStream.Broken()))
        self.exchange = nil
        // The server may have begun to drain after it has sent the head, which then has no `Connection: close`.
        let ends = isDraining && !isLast && !isHTTP2
        // The remaining bytes of an HTTP/2 request are dropped, within the time limit of a request.
        isOver = isLast || isHTTP2 || ends
        setReading(true, context.channel)
        if isOver {
            timer.start()
        } else {
            timer.waitForRequest(.milliseconds(application.limits.keepAliveTimeout))
        }
        guard ends else { return context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil) }
        let (channel, written) = (context.channel, context.eventLoop.makePromise(of: Void.self))
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        isOver = true
        if let exchange {
            exchange.work?.cancel()
            exchange.stream?.finish(.failure(HTTPBodyStream.Broken()))
            exchange.dropBody()
        }
        exchange = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // After an error, the decoder reports this error for each further read. The first error may be handled only after the end of the present
        // answer.
        if error is ByteToMessageDecoderError { return }
        // NIO's handler answers bytes that can't be parsed. If an answer is being sent, the connection ends after that answer.
        let isAnswered = error is HTTPParserError
        if isAnswered, exchange?.phase == .sending { return }
        isOver = true
        exchange?.work?.cancel()
        exchange?.stream?.finish(.failure(HTTPBodyStream.Broken()))
        if isAnswered { timer.start() } else { context.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is DrainEvent else { return context.fireUserInboundEventTriggered(event) }
        isDraining = true
        if exchange == nil { context.close(promise: nil) }
    }
}
