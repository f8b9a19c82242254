import NIOCore

/// Stands before the decoder of frames, which keeps what came of a frame until it is whole: what somebody sends who hasn't proved who it is,
/// is bounded here.
final class GreetingGate: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let peer: Peer

    init(_ peer: Peer) { self.peer = peer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard peer.admits(unwrapInboundIn(data).readableBytes) else { return }
        context.fireChannelRead(data)
        peer.noteIncomplete()
    }
}
