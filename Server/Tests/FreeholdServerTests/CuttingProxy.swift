import NIOCore
import NIOPosix
import Synchronization

/// A proxy between clients and a server that cuts, delays and splits their bytes.
final class CuttingProxy: Sendable {
    struct Behaviour: Sendable {
        /// The number of bytes in both directions after which a connection is cut. `nil` for no cut.
        var cut: Int?
        /// The greatest number of bytes that are passed on in one piece.
        var piece = Int.max
        /// The rate of each direction. Above the rate the proxy stops reading, so that the sender keeps the rest. `nil`
        /// for no limit.
        var bytesPerSecond: Int?
        /// Nothing is passed on, but connections stay open.
        var isStalled = false
        /// New connections are closed immediately.
        var isDown = false
    }

    private let state = Mutex(State())
    private let target: Int
    private let server = Mutex<(any Channel)?>(nil)

    private struct State {
        var behaviour = Behaviour()
        var channels: [ObjectIdentifier: any Channel] = [:]
        var connections = 0
        var cuts = 0
        var bytesUp = 0
        var bytesDown = 0
        var waits: [(cuts: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    var port: Int { server.withLock { $0?.localAddress?.port ?? 0 } }
    var connections: Int { state.withLock { $0.connections } }
    var cuts: Int { state.withLock { $0.cuts } }
    /// The bytes that were passed on to the server and to clients.
    var bytes: (up: Int, down: Int) { state.withLock { ($0.bytesUp, $0.bytesDown) } }

    init(to target: Int) async throws {
        self.target = target
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in self.join(channel) }
            .bind(host: "127.0.0.1", port: 0).get()
        server.withLock { $0 = channel }
    }

    func set(_ behaviour: Behaviour) {
        state.withLock { $0.behaviour = behaviour }
        // Passes on what waited while the proxy was stalled.
        if !behaviour.isStalled {
            for channel in channels { channel.pipeline.fireUserInboundEventTriggered(Relay.Go()) }
        }
    }

    /// Cuts every connection.
    func cutAll() { for channel in channels { channel.close(promise: nil) } }

    /// Waits until more than this number of connections were cut.
    func waitForCut(after cuts: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.cuts > cuts { return true }
                state.waits.append((cuts, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    private func noteCut() {
        let done = state.withLock { state in
            state.cuts += 1
            defer { state.waits.removeAll { $0.cuts < state.cuts } }
            return state.waits.filter { $0.cuts < state.cuts }.map(\.continuation)
        }
        for continuation in done { continuation.resume() }
    }

    func close() async {
        let channel = server.withLock { $0 }
        try? await channel?.close()
        cutAll()
    }

    private var channels: [any Channel] { state.withLock { Array($0.channels.values) } }

    private func join(_ inner: any Channel) -> EventLoopFuture<Void> {
        let isDown = state.withLock { state in
            state.connections += 1
            return state.behaviour.isDown
        }
        guard !isDown else { return inner.close() }
        let spent = Spent()
        return ClientBootstrap(group: inner.eventLoop).channelInitializer { outer in
            outer.eventLoop.makeCompletedFuture {
                try outer.pipeline.syncOperations.addHandler(Relay(self, inner, spent, isUp: false))
            }
        }.connect(host: "127.0.0.1", port: target).flatMapThrowing { outer in
            try inner.pipeline.syncOperations.addHandler(Relay(self, outer, spent, isUp: true))
            for channel in [inner, outer] {
                self.state.withLock { $0.channels[ObjectIdentifier(channel)] = channel }
                channel.closeFuture.whenComplete { _ in
                    self.state.withLock { _ = $0.channels.removeValue(forKey: ObjectIdentifier(channel)) }
                }
            }
        }
    }

    /// The bytes of a connection in both directions. Only its event loop uses it.
    private final class Spent: @unchecked Sendable {
        var bytes = 0
    }

    private final class Relay: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        struct Go: Sendable {}

        private let proxy: CuttingProxy
        private let other: any Channel
        private let spent: Spent
        private let isUp: Bool
        private var waiting: [ByteBuffer] = []
        /// The rate is used up for this interval.
        private var isResting = false
        private static let rest: Int64 = 5

        init(_ proxy: CuttingProxy, _ other: any Channel, _ spent: Spent, isUp: Bool) {
            (self.proxy, self.other, self.spent, self.isUp) = (proxy, other, spent, isUp)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            waiting.append(unwrapInboundIn(data))
            pass(context)
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event is Go { pass(context) } else { context.fireUserInboundEventTriggered(event) }
        }

        private func pass(_ context: ChannelHandlerContext) {
            let behaviour = proxy.state.withLock { $0.behaviour }
            guard !behaviour.isStalled, !isResting else { return }
            var budget = behaviour.bytesPerSecond.map { max($0 * Int(Self.rest) / 1_000, 1) } ?? .max
            while budget > 0, var buffer = waiting.first {
                var count = min(buffer.readableBytes, behaviour.piece, budget)
                if let cut = behaviour.cut { count = min(count, max(cut - spent.bytes, 0)) }
                if count > 0, let piece = buffer.readSlice(length: count) {
                    spent.bytes += count
                    budget -= count
                    proxy.state.withLock { [isUp] in if isUp { $0.bytesUp += count } else { $0.bytesDown += count } }
                    other.writeAndFlush(piece, promise: nil)
                }
                if buffer.readableBytes > 0 { waiting[0] = buffer } else { waiting.removeFirst() }
                if let cut = behaviour.cut, spent.bytes >= cut {
                    proxy.noteCut()
                    waiting = []
                    // The passed-on bytes arrive before the connection is closed.
                    let (a, b) = (other, context.channel)
                    other.eventLoop.execute {
                        a.close(promise: nil)
                        b.close(promise: nil)
                    }
                    return
                }
            }
            guard behaviour.bytesPerSecond != nil else { return }
            isResting = true
            let isFull = !waiting.isEmpty
            if isFull { try? context.channel.syncOptions?.setOption(.autoRead, value: false) }
            let channel = context.channel
            context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(Self.rest)) {
                self.isResting = false
                if isFull, self.waiting.isEmpty || channel.isActive {
                    try? channel.syncOptions?.setOption(.autoRead, value: true)
                }
                channel.pipeline.fireUserInboundEventTriggered(Go())
            }
        }

        func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
