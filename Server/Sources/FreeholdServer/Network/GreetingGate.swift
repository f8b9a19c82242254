import NIOCore

/// A handler before the decoder of frames. The decoder keeps the bytes of a frame until the frame is complete. This handler limits the number of
/// bytes that a client can send before its token was checked.
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
