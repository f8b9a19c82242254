#if Sync
    import FreeholdSyncCore
    import NIOCore
    import NIOWebSocket

    /// Converts the frames of a WebSocket into the bytes of messages, and the reverse.
    final class FrameHandler: ChannelInboundHandler {
        typealias InboundIn = WebSocketFrame
        typealias OutboundOut = WebSocketFrame

        private let limit: Int
        private let receive: ([UInt8]) -> Void
        /// A closure that is called at the end. `nil` means that the other side closed the connection in an orderly
        /// way.
        private let end: (TransportError?) -> Void
        private var parts: ByteBuffer?
        private var hasEnded = false

        init(limit: Int, receive: @escaping ([UInt8]) -> Void, end: @escaping (TransportError?) -> Void) {
            (self.limit, self.receive, self.end) = (limit, receive, end)
        }

        static func frame(_ bytes: [UInt8], _ allocator: ByteBufferAllocator) -> WebSocketFrame {
            WebSocketFrame(
                fin: true,
                opcode: .binary,
                maskKey: .random(),
                data: allocator.buffer(bytes: bytes)
            )
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !hasEnded else { return }
            let frame = unwrapInboundIn(data)
            // RFC 6455, 5.1 and 5.2: a server doesn't mask its frames, and no extension was agreed on.
            guard frame.maskKey == nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
                return finish(context, TransportError(.unreadable, "The server sent a frame that no server may send."))
            }
            switch frame.opcode {
            case .binary, .continuation: take(frame, context)
            case .ping:
                let pong = WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: frame.unmaskedData)
                context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
            case .pong: break
            case .connectionClose: finish(context, nil)
            default: finish(context, TransportError(.unreadable, "The server sent a frame that holds no message."))
            }
        }

        private func take(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) {
            var data = frame.unmaskedData
            guard (frame.opcode == .continuation) == (parts != nil) else {
                return finish(context, TransportError(.unreadable, "The server's frames don't make a message."))
            }
            guard data.readableBytes + (parts?.readableBytes ?? 0) <= limit else {
                return finish(context, TransportError(.unreadable, "The server sent a message that is too large."))
            }
            if parts != nil { parts?.writeBuffer(&data) }
            guard frame.fin else {
                if parts == nil { parts = data }
                return
            }
            let whole = parts ?? data
            parts = nil
            receive(Array(whole.readableBytesView))
        }

        func channelInactive(context: ChannelHandlerContext) {
            finish(context, TransportError(.closed, "The connection ended."))
            context.fireChannelInactive()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            finish(context, TransportError(.closed, "The connection failed: \(type(of: error))."))
        }

        private func finish(_ context: ChannelHandlerContext, _ error: TransportError?) {
            guard !hasEnded else { return }
            hasEnded = true
            end(error)
            context.close(promise: nil)
        }
    }
#endif
