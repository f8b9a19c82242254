import FreeholdStudio
import NIOCore
import NIOWebSocket

/// The WebSocket of a page. It answers no other messages before it has received a `hello` with the key.
final class StudioSocket: ChannelInboundHandler, @unchecked Sendable {
    // It is Sendable because all variables are used on the channel's loop only.
    typealias InboundIn = WebSocketFrame

    /// The maximum size of a message.
    static let mostBytes = 4 << 20
    /// The maximum size of a message before the page has sent the key.
    private static let mostGreetingBytes = 1_024
    /// The maximum number of unanswered requests. Above it, no further requests are read.
    private static let mostWaiting = 64
    /// The maximum time until the page closes the connection after the server has sent a close frame.
    private static let closingTime = TimeAmount.seconds(1)

    private let channel: any Channel
    private let program: any StudioHost
    private let key: StudioKey
    private let greetingTime: TimeAmount
    private let attempts: KeyAttempts
    private let sessions: OpenSessions
    private var session: (any StudioPageSession)?
    private var message: [UInt8] = []
    private var isFragmented = false
    private var isClosing = false
    private var hasGreeted = false
    private var waiting = 0
    private var isReading = true
    private var deadline: Scheduled<Void>?

    init(
        _ channel: any Channel,
        _ program: any StudioHost,
        key: StudioKey,
        greetingTime: TimeAmount,
        attempts: KeyAttempts,
        sessions: OpenSessions
    ) {
        (self.channel, self.program, self.key, self.greetingTime) = (channel, program, key, greetingTime)
        (self.attempts, self.sessions) = (attempts, sessions)
    }

    // MARK: Life

    func handlerAdded(context: ChannelHandlerContext) {
        deadline = channel.eventLoop.scheduleTask(in: greetingTime) { [weak self] in
            self?.refuse("late", "No key was sent.")
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        isClosing = true
        deadline?.cancel()
        session?.close()
        session = nil
        sessions.remove(channel)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength: close(.messageTooLarge)
        case is NIOWebSocketError: close(.protocolError)
        default: channel.close(promise: nil)
        }
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard !isClosing else {
            if frame.opcode == .connectionClose { channel.close(promise: nil) }
            return
        }
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else { return close(.protocolError) }
        switch frame.opcode {
        case .text, .continuation: take(frame)
        case .ping: write(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData))
        case .pong: break
        case .connectionClose: close(.normalClosure)
        default: close(.unacceptableData)
        }
    }

    private func take(_ frame: WebSocketFrame) {
        guard (frame.opcode == .continuation) == isFragmented else { return close(.protocolError) }
        let data = frame.unmaskedData
        let limit = session == nil ? Self.mostGreetingBytes : Self.mostBytes
        guard message.count + data.readableBytes <= limit else { return close(.messageTooLarge) }
        message += data.readableBytesView
        isFragmented = !frame.fin
        guard frame.fin else { return }
        let whole = message
        message = []
        guard let session else { return greet(whole) }
        waiting += 1
        if waiting >= Self.mostWaiting { setReading(false) }
        let loop = channel.eventLoop
        session.receive(whole) { [weak self] in loop.execute { [weak self] in self?.answered() } }
    }

    private func answered() {
        waiting -= 1
        if waiting < Self.mostWaiting / 2, channel.isWritable { setReading(true) }
    }

    private func setReading(_ reads: Bool) {
        guard reads != isReading else { return }
        isReading = reads
        try? channel.syncOptions?.setOption(.autoRead, value: reads)
    }

    /// Stops reading requests while the page doesn't read the answers.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        setReading(channel.isWritable && waiting < Self.mostWaiting)
        context.fireChannelWritabilityChanged()
    }

    // MARK: The key

    private func greet(_ bytes: [UInt8]) {
        // Only one key is examined for each connection. Messages that arrive during the examination are dropped.
        guard !hasGreeted else { return }
        hasGreeted = true
        deadline?.cancel()
        let delay = attempts.delay
        guard delay > 0 else { return examine(bytes) }
        channel.eventLoop.scheduleTask(in: .milliseconds(delay)) { [weak self] in self?.examine(bytes) }
    }

    private func examine(_ bytes: [UInt8]) {
        guard !isClosing else { return }
        guard let hello = try? StudioJSON(parsing: bytes), let given = hello["hello"]?.text else {
            return refuse("key", "The first message is a hello with the key.")
        }
        guard key.matches(given) else {
            attempts.noteWrong()
            return refuse("key", "The key is wrong. Open the address that the program printed.")
        }
        guard hello["protocol"]?.int == 1 else {
            return refuse("protocol", "The page is of another version of Studio. Load it again.")
        }
        let loop = channel.eventLoop
        let isAdded = sessions.add(channel) { [weak self] in loop.execute { [weak self] in self?.close(.goingAway) } }
        guard isAdded else { return refuse("full", "At most 16 pages can be open.") }
        session = program.open { [weak self] message in self?.send(message) }
        send(program.welcome.bytes)
    }

    // MARK: Writing

    /// Sends a message. Any thread may call it.
    private func send(_ bytes: [UInt8]) {
        let channel = channel
        channel.eventLoop.execute { [weak self] in
            guard let self, !isClosing else { return }
            write(WebSocketFrame(fin: true, opcode: .text, data: channel.allocator.buffer(bytes: bytes)))
        }
    }

    private func write(_ frame: WebSocketFrame) { channel.writeAndFlush(frame, promise: nil) }

    private func refuse(_ code: String, _ text: String) {
        guard !isClosing else { return }
        let refusal: StudioJSON = ["refused": ["code": .string(code), "message": .string(text)]]
        write(WebSocketFrame(fin: true, opcode: .text, data: channel.allocator.buffer(bytes: refusal.bytes)))
        close(.policyViolation)
    }

    private func close(_ code: WebSocketErrorCode) {
        guard !isClosing else { return }
        isClosing = true
        deadline?.cancel()
        var data = channel.allocator.buffer(capacity: 2)
        data.write(webSocketErrorCode: code)
        write(WebSocketFrame(fin: true, opcode: .connectionClose, data: data))
        // A connection that is closed while it has unread bytes is reset, and the page could lose the last message.
        let channel = channel
        channel.eventLoop.scheduleTask(in: Self.closingTime) { channel.close(promise: nil) }
    }
}
