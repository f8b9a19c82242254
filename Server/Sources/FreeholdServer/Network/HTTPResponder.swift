import FreeholdSyncCore
import NIOCore
import NIOHTTP1

/// Answers what isn't sync: health, readiness, accounts, and on the administrator's port metrics and the node's state.
final class HTTPResponder: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    typealias Answer = HTTPAnswer

    private let answer: @Sendable (HTTPMethod, String) -> Answer
    private let services: [HTTPService]
    private let timer: ConnectionTimer
    private let proxies: TrustedProxies
    private let load: ListenerLoad
    /// The bytes that the node keeps for the request and its answer.
    private let memory: MemoryAccount
    private let limits: NodeLimits
    private let allows: @Sendable (HTTPHeaders) -> Bool
    private var head: HTTPRequestHead?
    private var began = NIODeadline.distantPast
    /// The time at which the count `recent` began.
    private var recentBegan = NIODeadline.distantPast
    private var recent = 0
    private var body: [UInt8] = []
    private var identity: Identity?
    /// Whether it is being found out who asks.
    private var isIdentifying = false
    private var isReading = true
    private var isAnswered = false
    /// Whether all of the request came.
    private var isRead = false
    /// What makes or streams an answer.
    private var work: Task<Void, Never>?

    /// In bytes: what is taken of somebody who isn't known.
    private static let unknownLimit = 64 << 10
    /// In bytes of a body a second, over the last seconds.
    private static let leastRate: Int64 = 1 << 10

    /// - Parameters:
    ///   - timer: stands still while an answer is made.
    ///   - services: answer what lies under their paths.
    ///   - load: counts the bodies that wait.
    ///   - memory: counts what the request keeps.
    ///   - allows: whether whoever asks is answered at all.
    init(
        _ timer: ConnectionTimer,
        proxies: TrustedProxies = .none,
        services: [HTTPService] = [],
        load: ListenerLoad = ListenerLoad(NodeLimits()),
        memory: MemoryLedger? = nil,
        limits: NodeLimits = NodeLimits(),
        allows: @escaping @Sendable (HTTPHeaders) -> Bool = { _ in true },
        _ answer: @escaping @Sendable (HTTPMethod, String) -> Answer
    ) {
        (self.timer, self.answer, self.services, self.proxies) = (timer, answer, services, proxies)
        (self.load, self.allows, self.limits) = (load, allows, limits)
        self.memory = MemoryAccount(memory ?? MemoryLedger(limits))
    }

    func handlerAdded(context: ChannelHandlerContext) { timer.onLate { self.late(context) } }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head) where !isAnswered: begin(head, context)
        case .head: break
        case .body(let bytes): take(bytes, context)
        case .end:
            isRead = true
            guard !isAnswered else { return }
            guard let head else {
                return respond(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/"), .unreadable, context)
            }
            guard !isIdentifying else { return }
            respond(head, context)
        }
    }

    private func begin(_ came: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard self.head == nil else { return }
        let head = came.resolved
        (self.head, began) = (head, context.eventLoop.now)
        guard head.isReadable else { return respond(head, .unreadable, context) }
        guard allows(head.headers) else { return respond(head, .foreign, context) }
        if let expectation = head.expectation, expectation != "100-continue" {
            return respond(head, .unexpected, context)
        }
        guard let service = service(head) else {
            // Its body isn't wanted.
            if head.expectation != nil { respond(head, context) }
            return
        }
        if let length = head.bodyLength, length > service.bodyLimit { return respond(head, service.tooLarge, context) }
        guard let identify = service.identify else { return inviteBody(head, context) }
        isIdentifying = true
        timer.stop()
        let promise = context.eventLoop.makePromise(of: HTTPIdentification.self)
        work = Task { promise.succeed(await identify(head)) }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        promise.futureResult.whenSuccess { found in
            let (handler, context) = bound.value
            handler.identified(head, found, context)
        }
    }

    private func identified(_ head: HTTPRequestHead, _ found: HTTPIdentification, _ context: ChannelHandlerContext) {
        isIdentifying = false
        setReading(true, context.channel)
        guard !isAnswered, context.channel.isActive else { return }
        switch found {
        case .refused(let answer): respond(head, answer, context)
        case .known(let identity):
            self.identity = identity
            memory.belong(to: SyncString(identity.user))
            (recentBegan, recent) = (context.eventLoop.now, 0)
            if isRead { return respond(head, context) }
            inviteBody(head, context)
            timer.start()
        }
    }

    /// Tells a client that waits with its body to send it.
    private func inviteBody(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard head.expectation != nil, body.isEmpty, !isRead else { return }
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    }

    private func take(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard !isAnswered, let head, let service = service(head) else { return }
        let count = body.count + bytes.readableBytes
        guard count <= service.bodyLimit else { return respond(head, service.tooLarge, context) }
        // The last quarter of the room is for short bodies, and for users that have little.
        let ofUser = memory.bytesOfUser(.bodies)
        guard ofUser <= limits.userBodyBytes, memory.add(bytes.readableBytes, of: .bodies) else {
            return respond(head, .overShare, context)
        }
        let isLong = count > Self.unknownLimit && ofUser > limits.bodyBytes / 64
        guard load.takeBody(bytes.readableBytes, isLong: isLong) else {
            memory.add(-bytes.readableBytes, of: .bodies)
            return respond(head, .busy, context)
        }
        body += bytes.readableBytesView
        if isIdentifying {
            if count > Self.unknownLimit { setReading(false, context.channel) }
        } else if identity != nil {
            // A long body may take long, but it has to flow: a fast part doesn't pay for a slow one.
            recent += bytes.readableBytes
            let now = context.eventLoop.now
            let time = now - recentBegan
            if time > timer.limit {
                guard Int64(recent) >= time.nanoseconds / 1_000_000 * Self.leastRate / 1_000,
                    now - began <= .milliseconds(limits.messageTimeout)
                else { return late(context) }
                (recentBegan, recent) = (now, 0)
            }
            timer.start()
        }
    }

    private func setReading(_ reads: Bool, _ channel: any Channel) {
        guard reads != isReading else { return }
        isReading = reads
        try? channel.syncOptions?.setOption(.autoRead, value: reads)
    }

    /// The request, or what takes the answer, was too slow.
    private func late(_ context: ChannelHandlerContext) {
        guard let head, !isAnswered else { return context.close(promise: nil) }
        respond(head, .tooSlow, context)
    }

    private func service(_ head: HTTPRequestHead) -> HTTPService? { services.first { head.uri.hasPrefix($0.root) } }

    // MARK: Answering

    private func respond(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        if let service = service(request) { return ask(service, request, context) }
        let path = String(request.uri.prefix { $0 != "?" })
        let answer =
            request.method == .GET || request.method == .HEAD
            ? answer(request.method, path) : .wrongMethod
        respond(request, answer, context)
    }

    private func ask(_ service: HTTPService, _ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let peer = context.channel.remoteAddress?.ipAddress ?? "unknown"
        let address = proxies.client(peer, head.headers[proxies.header])
        let request = HTTPRequest(
            head: head,
            body: body,
            address: address,
            local: context.channel.localAddress,
            identity: identity,
            memory: memory
        )
        // A connection asks once.
        isAnswered = true
        body = []
        timer.stop()
        let promise = context.eventLoop.makePromise(of: Answer.self)
        work = Task { [load, memory] in
            let answer = await service.answer(request)
            load.giveBody(request.body.count)
            memory.add(-request.body.count, of: .bodies)
            promise.succeed(answer)
        }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        promise.futureResult.whenSuccess { answer in
            let (handler, context) = bound.value
            handler.respond(head, answer, context)
        }
    }

    /// What came of a body isn't needed.
    private func dropBody() {
        load.giveBody(body.count)
        memory.add(-body.count, of: .bodies)
        body = []
    }

    private func respond(_ request: HTTPRequestHead, _ answer: Answer, _ context: ChannelHandlerContext) {
        isAnswered = true
        dropBody()
        guard context.channel.isActive else { return }
        var headers = HTTPHeaders()
        headers.add(name: "Content-Type", value: answer.type)
        if case .text(let text) = answer.body { headers.add(name: "Content-Length", value: "\(text.utf8.count)") }
        headers.add(name: "Cache-Control", value: "no-store")
        headers.add(name: "X-Content-Type-Options", value: "nosniff")
        headers.add(name: "Connection", value: "close")
        for (name, value) in answer.headers { headers.add(name: name, value: value) }
        if answer.status == .noContent { headers.remove(name: "Content-Length") }
        let head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        switch answer.body {
        case .stream(let next) where request.method != .HEAD: return stream(next, context)
        case .text(let text) where request.method != .HEAD && !text.isEmpty:
            memory.set(.documents, to: 0)
            memory.set(.unsent, to: text.utf8.count)
            context.write(
                wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(string: text)))),
                promise: nil
            )
        case .text, .stream: break
        }
        timer.start()
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    /// Sends pieces as they come. Who doesn't take one within the time of a connection's greeting is hung up on.
    private func stream(_ next: @escaping @Sendable () async -> String?, _ context: ChannelHandlerContext) {
        context.flush()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        work = Task {
            while !Task.isCancelled, let piece = await next() {
                // The connection has ended, and its loop may have ended too: a loop that has ended runs nothing.
                if Task.isCancelled { return }
                let isSent: Void? = try? await loop.flatSubmit { () -> EventLoopFuture<Void> in
                    let (handler, context) = bound.value
                    guard context.channel.isActive else { return loop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
                    handler.timer.start()
                    let buffer = context.channel.allocator.buffer(string: piece)
                    let sent = context.writeAndFlush(handler.wrapOutboundOut(.body(.byteBuffer(buffer))))
                    return sent.map { bound.value.0.timer.stop() }
                }.get()
                guard isSent != nil else { return }
            }
            if Task.isCancelled { return }
            loop.execute {
                let (handler, context) = bound.value
                guard context.channel.isActive else { return }
                handler.timer.start()
                context.writeAndFlush(handler.wrapOutboundOut(.end(nil)), promise: nil)
            }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        work?.cancel()
        isAnswered = true
        dropBody()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // What comes behind a request that is being answered may be anything. The answer goes out, and then the connection ends.
        if isAnswered, error is HTTPParserError { return }
        context.close(promise: nil)
    }
}
