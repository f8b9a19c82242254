import FreeholdCompression
import FreeholdRealmFront
import FreeholdSyncCore
import Logging
import Metrics
import NIOCore
import NIOWebSocket
import Synchronization

/// The connection of a client after the upgrade to a WebSocket. It reads the client's messages, and writes those of the node.
final class Peer: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    // Members are used on the channel's loop only, except those with another rule in their comments.
    let number: ConnectionNumber
    let node: ServerNode
    let channel: any Channel
    let limits: NodeLimits
    /// The codec of messages. It compresses once `welcome` has named the compression to the client.
    private var codec: MessageCodec
    private let circle: PeerCircle
    /// The bytes that the node keeps for the connection.
    let memory: MemoryAccount
    /// The front end of the connection of an official Realm client. `nil` for a Freehold client.
    var front: RealmFront?
    /// The number of bytes of the front end that are counted at present.
    var frontBytes = 0
    /// The last reports of the front end's sessions, and their time.
    var reported = NIODeadline.now()

    /// A Boolean value that indicates whether the machine knows the connection. Used on the node's loop.
    var isOpened = false
    /// The user, once the connection is counted for it. It is written before a message is handled in the user's turns, and read during these
    /// turns.
    var countedUser: SyncString?
    /// The client's name and version, as the client sent it. It is written and read like `countedUser`.
    var agent = ""
    /// The number of sessions that are counted for the connection. Used on the node's loop.
    var countedSessions = 0

    /// A Boolean value that indicates whether the connection has ended. Any thread may read it.
    private let left = Atomic(false)
    var hasLeft: Bool { left.load(ordering: .acquiring) }
    /// The owner of the turns in which messages of the connection are handled: the user, or the connection itself until the user is known.
    private(set) var turn: SyncString
    /// The bytes of messages that were passed on and that the machine hasn't handled. Any thread may use it.
    private let unhandled = Atomic(0)
    /// A Boolean value that indicates whether reading is stopped because too many bytes are unhandled.
    private var isFull = false
    /// A Boolean value that indicates whether reading is stopped because too many messages wait for the check of a token.
    private var isHeld = false
    private var isReading = true
    private var parts: ByteBuffer?
    /// The bytes of frames that aren't complete.
    private var undecoded = 0
    /// The bytes of incomplete frames and messages that are counted.
    private var countedIncomplete = 0
    /// The time at which the first byte of an incomplete message was received.
    private var partBegan: NIODeadline?
    /// A Boolean value that indicates whether nothing is read until the machine has handled the messages that were read. Any thread may use it.
    private let isPaused = Atomic(false)

    /// Messages that were received while a token is being checked, and their sizes.
    var inbox: [(ClientMessage, Int)] = []
    var inboxBytes = 0
    var isIdentifying = false
    var identity: Identity?
    /// A Boolean value that indicates whether a `hello` was received.
    var hasGreeted = false
    /// The number of bytes that were received from an unknown user. It is counted until the `hello`, and then again from 0 until its token was
    /// checked.
    var unproven = 0
    private let opened = NIODeadline.now()
    /// The maximum size of a message of an unknown user, and the approximate bound of waiting bytes of such a user. Each connection may also have
    /// as many unsent bytes, so that a user over the share receives errors.
    private static let greetingBytes = 64 << 10
    /// The bytes of an incomplete message that each connection may have, even if its user is over the share.
    private static let leastFragment = 16 << 10

    /// The bytes that were written to the channel and not yet to the socket, and the memory of their frames.
    var waiting = 0
    /// The memory that a waiting frame takes beside its bytes: its buffers, the channel's entries and promises. Messages such as `pong` have a few bytes.
    private static let frameOverhead = 640
    /// Grants of credit that wait because the client doesn't read fast enough.
    var heldCredits: [(ClientMessage, Int)] = []
    var isFinishing = false
    var lastRead = NIODeadline.now()
    var lastProgress = NIODeadline.now()
    private var buffered = 0
    /// A Boolean value that indicates whether the answer to a ping is being written.
    private var isAnsweringPing = false
    /// The data of the newest ping. It is answered after the present answer was written.
    private var duePong: ByteBuffer?

    init(_ node: ServerNode, _ channel: any Channel, _ circle: PeerCircle, realm: RealmAdmission? = nil) {
        number = node.nextConnection()
        turn = SyncString("connection \(number)")
        (self.node, self.channel, self.circle) = (node, channel, circle)
        limits = node.configuration.limits
        memory = MemoryAccount(node.memory)
        codec = MessageCodec(limit: Int(clamping: limits.messageBytes))
        (front, identity) = (realm?.front, realm?.identity)
        agent = realm?.agent ?? ""
    }

    /// Assigns later messages of the connection to the turns of a user.
    func takeTurns(as user: SyncString) { turn = user }

    // MARK: Reading

    func handlerAdded(context: ChannelHandlerContext) {
        circle.add(self)
        if front != nil { openFront() }
        node.opened(self)
        if let actions = front?.open(now: node.now()) { perform(actions) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        isFinishing = true
        left.store(true, ordering: .releasing)
        // Messages are counted until they are handled. Those in the inbox will never be handled.
        keepInbox([])
        memory.set(.fragments, to: 0)
        memory.set(.unsent, to: 0)
        circle.remove(self)
        node.realmClients.remove(number)
        node.closed(self)
        context.fireChannelInactive()
    }

    /// Counts received bytes before they are decoded.
    ///
    /// - Returns: A Boolean value that indicates whether the bytes are to be decoded. The limit is twice the size of a message, because one read
    ///   may contain the `hello` and bytes after it.
    func admits(_ bytes: Int) -> Bool {
        // Each read counts as activity, because a large frame takes a long time on a slow network.
        lastRead = .now()
        undecoded += bytes
        guard identity == nil else { return true }
        unproven += bytes
        if isIdentifying {
            if unproven > Self.greetingBytes { holdReading(true) }
            return true
        }
        guard unproven > 2 * Self.greetingBytes else { return true }
        if !isFinishing { refuseLarge() }
        return false
    }

    /// Counts the bytes of incomplete frames and messages, after the frames of a read were handled.
    func noteIncomplete() {
        let bytes = undecoded + (parts?.readableBytes ?? 0)
        if bytes == 0 { partBegan = nil } else if partBegan == nil { partBegan = .now() }
        guard bytes != countedIncomplete else { return }
        countedIncomplete = bytes
        if !memory.set(.fragments, to: bytes), bytes > Self.leastFragment, !isFinishing { endOverShare() }
    }

    /// Ends the connection, since its user keeps more than the share.
    private func endOverShare() {
        node.metrics.overShare.increment()
        node.logger.info("a user's connections keep too much", metadata: ["connection": "\(number)"])
        parts = nil
        end(.transient(after: 10_000), "The user's connections keep too much.")
    }

    /// The maximum size of a message, in bytes.
    private var messageLimit: UInt64 {
        identity == nil ? min(limits.messageBytes, UInt64(Self.greetingBytes)) : limits.messageBytes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastRead = .now()
        let frame = unwrapInboundIn(data)
        undecoded = max(undecoded - frame.byteCount, 0)
        // RFC 6455, 5.1 and 5.2: a client must mask its frames. The reserved bits need an extension, and none was negotiated.
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
            return isFinishing ? channel.close(promise: nil) : refuse("A frame isn't masked, or has reserved bits.")
        }
        if frame.opcode == .connectionClose {
            if isFinishing { return channel.close(promise: nil) }
            isFinishing = true
            write(.connectionClose, frame.unmaskedData)
            return channel.close(promise: nil)
        }
        guard !isFinishing else { return }
        switch frame.opcode {
        case .binary, .continuation: take(frame)
        case .ping: answerPing(frame.unmaskedData)
        case .pong: break
        default: refuse("A frame holds no message.")
        }
    }

    private func take(_ frame: WebSocketFrame) {
        var data = frame.unmaskedData
        guard (frame.opcode == .continuation) == (parts != nil) else { return refuse("Frames don't make a message.") }
        guard data.readableBytes + (parts?.readableBytes ?? 0) <= Int(clamping: messageLimit) else {
            return refuseLarge()
        }
        if parts != nil { parts?.writeBuffer(&data) }
        guard frame.fin else {
            if parts == nil { parts = data }
            return
        }
        let whole = parts ?? data
        parts = nil
        partBegan = nil
        node.metrics.messagesIn.increment()
        node.metrics.bytesIn.increment(by: whole.readableBytes)
        // A large message is refused before it is decompressed and decoded.
        let frameBytes = Array(whole.readableBytesView)
        if front != nil { return takeFront(frameBytes) }
        guard MessageCodec.bodyBytes(of: frameBytes) <= Self.greetingBytes || memory.isWithinShare else {
            return endOverShare()
        }
        do {
            guard let read = try codec.sizedClientMessage(frameBytes) else { return }
            take(read.message, max(read.bytes, whole.readableBytes))
        } catch {
            if error.code == .tooLarge { return refuseLarge() }
            refuse(error.reason)
        }
    }

    private func take(_ message: ClientMessage, _ bytes: Int) {
        if isIdentifying {
            // A client should wait for `welcome`. A few earlier messages are accepted. A client that is renewing its token may continue.
            guard identity != nil || inbox.count < 100 else {
                return refuse("There are too many messages before the token was checked.")
            }
            inbox.append((message, bytes))
            inboxBytes += bytes + 64
            if !memory.add(bytes + 64, of: .messages) || isInboxFull { holdReading(true) }
        } else if case .hello(let hello) = message {
            identify(hello, bytes)
        } else {
            hand(message, bytes)
        }
    }

    func hand(_ message: ClientMessage, _ bytes: Int) {
        if case .credit = message, waiting > limits.waitingBytes / 8 {
            // The client doesn't read what was sent. With more credit, more messages would be sent and would wait here.
            guard heldCredits.count < 10_000 else { return refuse("Too much credit is granted.") }
            return heldCredits.append((message, bytes))
        }
        let sum = unhandled.add(bytes + 64, ordering: .relaxed).newValue
        // Reading is also stopped while the user is over the share, until the messages that were read are handled.
        if !memory.add(bytes + 64, of: .messages) || sum > limits.unhandledBytes {
            isFull = true
            isPaused.store(true, ordering: .relaxed)
            updateReading()
        }
        node.received(message, bytes, from: self)
    }

    /// Counts a message that the machine has handled. Called on the node's loop.
    func handled(_ bytes: Int) {
        let left = unhandled.subtract(bytes + 64, ordering: .relaxed).newValue
        memory.add(-(bytes + 64), of: .messages)
        // A paused connection continues once, when half of the allowed bytes are handled. If its user is over the share, all bytes must be
        // handled.
        guard left <= limits.unhandledBytes / 2, isPaused.load(ordering: .relaxed), left == 0 || memory.isWithinShare
        else { return }
        channel.eventLoop.execute {
            self.isPaused.store(false, ordering: .relaxed)
            self.isFull = false
            self.updateReading()
        }
    }

    var isInboxFull: Bool { inbox.count >= 100 || inboxBytes > limits.unhandledBytes }

    /// Stops reading while too many messages wait for the check of a token, or continues to read.
    func holdReading(_ isHeld: Bool) {
        guard isHeld != self.isHeld else { return }
        self.isHeld = isHeld
        updateReading()
    }

    private func updateReading() {
        let reads = !isFull && !isHeld
        guard reads != isReading else { return }
        isReading = reads
        try? channel.syncOptions?.setOption(.autoRead, value: reads)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength: refuseLarge()
        case is NIOWebSocketError: refuse("The frames can't be read.")
        default: context.close(promise: nil)
        }
    }

    private func refuse(_ reason: String) {
        node.metrics.unreadable.increment()
        node.logger.info("unreadable message", metadata: ["connection": "\(number)", "reason": "\(reason)"])
        parts = nil
        node.unreadable(self)
    }

    private func refuseLarge() {
        node.metrics.unreadable.increment()
        node.logger.info("a message is too large", metadata: ["connection": "\(number)"])
        end(.tooLarge(limit: messageLimit), "The message is too large.")
    }

    // MARK: Writing

    /// Sends messages to many connections. Each event loop is woken once for all of its connections.
    static func send(_ batches: [(Peer, [OutgoingMessage])]) {
        guard batches.count > 1 else {
            for (peer, messages) in batches { peer.send(messages) }
            return
        }
        for group in Dictionary(grouping: batches, by: { ObjectIdentifier($0.0.channel.eventLoop) }).values {
            group[0].0.channel.eventLoop.execute { for (peer, messages) in group { peer.write(messages) } }
        }
    }

    func send(_ messages: [OutgoingMessage]) { channel.eventLoop.execute { self.write(messages) } }

    private func write(_ messages: [OutgoingMessage]) {
        guard !isFinishing, channel.isActive else { return }
        if front != nil { return takeFront(messages) }
        var (bytes, frames) = (0, [WebSocketFrame]())
        for message in messages {
            do throws(CodecError) {
                let data = channel.allocator.buffer(
                    bytes: try message.frame.bytes(for: message.session, codec.compression)
                )
                if case .welcome(let welcome) = message.frame.message {
                    codec.compression = welcome.compression == .zlib ? ZlibCompression.shared : nil
                }
                bytes += data.readableBytes
                frames.append(WebSocketFrame(fin: true, opcode: .binary, data: data))
            } catch {
                node.logger.error("a message can't be written", metadata: ["reason": "\(error.reason)"])
                return cut()
            }
        }
        write(frames, bytes)
    }

    /// Writes frames with this number of bytes.
    func write(_ all: [WebSocketFrame], _ bytes: Int) {
        var frames = all
        guard let last = frames.popLast() else { return }
        let sum = bytes + all.count * Self.frameOverhead
        node.metrics.messagesOut.increment(by: all.count)
        node.metrics.bytesOut.increment(by: bytes)
        if waiting == 0 { lastProgress = .now() }
        waiting += sum
        let isWithinShare = memory.set(.unsent, to: waiting) || waiting <= Self.greetingBytes
        guard isWithinShare, waiting <= limits.waitingBytes else { return drop() }
        for frame in frames { channel.write(frame, promise: nil) }
        let written = channel.eventLoop.makePromise(of: Void.self)
        channel.writeAndFlush(last, promise: written)
        written.futureResult.whenSuccess { self.took(sum) }
    }

    private func took(_ bytes: Int) {
        waiting -= bytes
        memory.set(.unsent, to: waiting)
        lastProgress = .now()
        if front != nil, !isFinishing, waiting <= limits.waitingBytes / 16 { flushFront() }
        guard !heldCredits.isEmpty, waiting <= limits.waitingBytes / 16 else { return }
        let credits = heldCredits
        heldCredits = []
        for (message, bytes) in credits { hand(message, bytes) }
    }

    /// Answers a ping. While the client doesn't read an answer, only the newest of several pings is answered (RFC 6455, 5.5.3), so at most two
    /// answers are kept.
    private func answerPing(_ data: ByteBuffer) {
        guard !isAnsweringPing else { return duePong = data }
        isAnsweringPing = true
        let written = channel.eventLoop.makePromise(of: Void.self)
        channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .pong, data: data), promise: written)
        written.futureResult.whenSuccess {
            self.isAnsweringPing = false
            guard let due = self.duePong else { return }
            self.duePong = nil
            if !self.isFinishing { self.answerPing(due) }
        }
    }

    private func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer) {
        channel.writeAndFlush(WebSocketFrame(fin: true, opcode: opcode, data: data), promise: nil)
    }

    // MARK: The end

    /// Ends the connection with an error, without the machine.
    func end(_ fault: SyncFault, _ text: SyncString) {
        if front != nil { return endFront(fault) }
        write([OutgoingMessage(session: nil, frame: SharedFrame(.error(nil, ErrorMessage(fault, text: text))))])
        finishNow()
    }

    /// Ends the connection once everything is written. Any thread may call it.
    func finish() { channel.eventLoop.execute { self.finishNow() } }

    ///
    /// - Parameter reason: The code of the close frame. An official Realm client has to look for the server again when the node ends.
    func finishNow(_ reason: UInt16? = nil) {
        guard !isFinishing else { return }
        isFinishing = true
        var code = channel.allocator.buffer(capacity: 2)
        code.write(webSocketErrorCode: WebSocketErrorCode(codeNumber: Int(reason ?? (front == nil ? 1000 : 4003))))
        write(.connectionClose, code)
        // If a socket with unread bytes is closed, the last written bytes can be lost. The client therefore gets time to close the connection first.
        channel.eventLoop.scheduleTask(in: .seconds(2)) { self.cut() }
    }

    /// Closes the connection at once. Any thread may call it.
    func cut() { channel.close(promise: nil) }

    private func drop() {
        node.metrics.slow.increment()
        node.logger.info("a slow receiver is dropped", metadata: ["connection": "\(number)"])
        isFinishing = true
        cut()
    }

    /// Ends the connection if the client is silent, doesn't read what it is sent, or has a token that has expired. Called at intervals.
    func check(_ now: NIODeadline, _ time: Double) {
        guard !isFinishing else { return }
        // Messages other than `hello` don't extend the time.
        if !hasGreeted, now - opened > .milliseconds(limits.greetingTimeout) { return idle() }
        if now - lastRead > .milliseconds(limits.idleTimeout) { return idle() }
        if let partBegan, now - partBegan > .milliseconds(limits.messageTimeout) {
            node.metrics.idle.increment()
            return end(.transient(after: 0), "A message took too long.")
        }
        if waiting > 0 {
            let left = (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
            if left < buffered { lastProgress = now }
            buffered = left
            if now - lastProgress > .milliseconds(limits.stallTimeout) { return drop() }
        }
        if let expires = identity?.expires, expires < time { end(.auth, "The token has expired.") }
        if front != nil, !isFinishing { reportFront(now) }
    }

    /// Ends the connection if it was opened with one of these log-ins, which have ended. Called on the channel's loop.
    func end(ifOf logins: Set<String>) {
        guard !isFinishing, let login = identity?.login, logins.contains(login) else { return }
        end(.auth, "The log-in has ended.")
    }

    private func idle() {
        node.metrics.idle.increment()
        end(.transient(after: 0), "Nothing was received for a while.")
    }
}

extension WebSocketFrame {
    /// The number of bytes of the frame on the network, if its length was written in the shortest form.
    fileprivate var byteCount: Int {
        let head = length < 126 ? 2 : length <= 65_535 ? 4 : 10
        return head + (maskKey == nil ? 0 : 4) + length
    }
}
