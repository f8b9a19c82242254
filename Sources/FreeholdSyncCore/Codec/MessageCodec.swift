/// A message without its session. It is encoded and compressed once, and then sent in many sessions.
public struct SharedMessage: Hashable, Sendable {
    let kind: MessageKind
    let isCompressed: Bool
    /// The bytes after the session.
    let tail: [UInt8]

    /// Returns the frame for a session.
    ///
    /// - Complexity: O(*n*), for a copy of the bytes
    public func frame(for session: SessionNumber?) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(tail.count + 7)
        bytes.append(kind.rawValue)
        bytes.append(isCompressed ? MessageCodec.compressedFlag : 0)
        bytes.appendVarint(UInt64(session?.rawValue ?? 0))
        bytes.append(contentsOf: tail)
        return bytes
    }

    /// The approximate number of bytes of a frame.
    public var byteCount: Int { tail.count + 7 }

    /// Returns the same message with compression if that makes it shorter.
    ///
    /// - Parameter threshold: The size in bytes below which bodies aren't compressed.
    /// - Complexity: O(*n*)
    public func compressed(
        by compression: some MessageCompression,
        threshold: Int = MessageCodec.usualThreshold
    ) -> SharedMessage {
        guard !isCompressed, tail.count >= threshold, let compressed = compression.compressed(tail),
            compressed.count < tail.count
        else { return self }
        var short: [UInt8] = []
        short.reserveCapacity(compressed.count + 9)
        short.appendVarint(tail.count)
        short.append(contentsOf: compressed)
        return SharedMessage(kind: kind, isCompressed: true, tail: short)
    }
}

extension MessageCodec {
    static let compressedFlag: UInt8 = 1

    // MARK: Writing

    /// Returns the frame of a message. Equal messages have equal frames.
    ///
    /// - Throws: `CodecError` if the message is nested too deeply, is too large, or has a value of a kind that is
    ///   invalid at its place.
    public func encode(_ message: ClientMessage) throws(CodecError) -> [UInt8] {
        let root = ColumnWriter()
        let kind = try root.message(message)
        return try shared(kind, root).frame(for: message.session)
    }

    /// Returns the frame of a message. Equal messages have equal frames.
    public func encode(_ message: ServerMessage) throws(CodecError) -> [UInt8] {
        try shared(message).frame(for: message.session)
    }

    /// Returns the message in a form for any number of sessions. The session of `message` is ignored.
    public func shared(_ message: ServerMessage) throws(CodecError) -> SharedMessage {
        let root = ColumnWriter()
        let kind = try root.message(message)
        return try shared(kind, root)
    }

    func shared(_ kind: MessageKind, _ root: ColumnWriter) throws(CodecError) -> SharedMessage {
        var (body, names) = ([UInt8](), [SyncString: Int]())
        root.append(to: &body, &names)
        guard body.count <= limit else {
            throw CodecError(.tooLarge, "The message has \(body.count) bytes, the limit is \(limit)")
        }
        let message = SharedMessage(kind: kind, isCompressed: false, tail: body)
        return compression.map { message.compressed(by: $0, threshold: threshold) } ?? message
    }

    // MARK: Reading

    /// Returns the size of a frame's body after decompression, according to the beginning of the frame. Reading the
    /// frame fails if the announced size is wrong.
    public static func bodyBytes(of frame: [UInt8]) -> Int {
        guard frame.count > 1, frame[1] & compressedFlag != 0 else { return frame.count }
        let announced = frame.withUnsafeBytes { bytes in
            Result { () throws(CodecError) -> UInt64 in
                var cursor = ByteCursor(bytes)
                _ = try cursor.byte()
                _ = try cursor.byte()
                _ = try cursor.varint()
                return try cursor.varint()
            }
        }
        return max(frame.count, (try? announced.get()).map { Int(clamping: $0) } ?? 0)
    }

    /// Returns the message of a frame. All inputs are safe, and the memory for the message is proportional to the size
    /// of the body.
    ///
    /// - Returns: `nil` if the message has an unknown kind that may be ignored.
    /// - Throws: `CodecError` with the offset of the error.
    public func clientMessage(_ frame: [UInt8]) throws(CodecError) -> ClientMessage? {
        try sizedClientMessage(frame)?.message
    }

    /// Like `clientMessage`, with the size of the body before its compression in bytes. The memory that a message can
    /// take depends on this size, and not on the size of the frame.
    public func sizedClientMessage(_ frame: [UInt8]) throws(CodecError) -> (message: ClientMessage, bytes: Int)? {
        try read(frame) { (kind, session, root) throws(CodecError) in try root.clientMessage(kind, session) }
    }

    /// Returns the message of a server's frame, like `clientMessage(_:)`.
    public func serverMessage(_ frame: [UInt8]) throws(CodecError) -> ServerMessage? {
        try read(frame) { (kind, session, root) throws(CodecError) in try root.serverMessage(kind, session) }?.message
    }

    private func read<Message>(
        _ frame: [UInt8],
        _ body: (MessageKind, SessionNumber, ColumnReader) throws(CodecError) -> Message
    ) throws(CodecError) -> (message: Message, bytes: Int)? {
        let result = frame.withUnsafeBytes { bytes in
            Result { () throws(CodecError) in try read(bytes, body) }
        }
        return try result.get()
    }

    private func read<Message>(
        _ frame: UnsafeRawBufferPointer,
        _ make: (MessageKind, SessionNumber, ColumnReader) throws(CodecError) -> Message
    ) throws(CodecError) -> (message: Message, bytes: Int)? {
        var cursor = ByteCursor(frame)
        let raw = try cursor.byte()
        guard let kind = MessageKind(rawValue: raw) else {
            if raw >= MessageKind.firstIgnorable { return nil }
            throw CodecError(.unknownKind, "\(raw) isn't a kind of message", offset: 0)
        }
        let flags = try cursor.byte()
        guard flags & ~Self.compressedFlag == 0 else {
            throw CodecError(.unsupported, "The message has the flags \(flags), which aren't known", offset: 1)
        }
        guard let session = UInt32(exactly: try cursor.varint()), kind.hasSession.map({ $0 == (session != 0) }) ?? true
        else { throw CodecError(.invalidNumber, "The message can't be of that session", offset: 2) }

        func message(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> (message: Message, bytes: Int) {
            guard bytes.count <= limit else {
                throw CodecError(.tooLarge, "The message has \(bytes.count) bytes, the limit is \(limit)")
            }
            var (cursor, names) = (ByteCursor(bytes), ColumnReader.Names())
            let root = try ColumnReader(&cursor, &names)
            guard cursor.remaining == 0 else { throw cursor.error(.leftover, "Bytes follow the message") }
            let message = try make(kind, SessionNumber(rawValue: session), root)
            try root.finish()
            return (message, bytes.count)
        }

        let rest = UnsafeRawBufferPointer(rebasing: frame[cursor.position...])
        guard flags & Self.compressedFlag != 0 else { return try message(rest) }
        let body = try inflated(&cursor)
        let result = body.withUnsafeBytes { bytes in Result { () throws(CodecError) in try message(bytes) } }
        return try result.get()
    }

    private func inflated(_ cursor: inout ByteCursor) throws(CodecError) -> [UInt8] {
        guard let compression else { throw cursor.error(.unsupported, "The message needs 'compression'") }
        let count = try cursor.varint()
        guard count <= UInt64(max(limit, 0)) else {
            throw cursor.error(.tooLarge, "The message has \(count) bytes, the limit is \(limit)")
        }
        // A deflated byte expands to at most 1,032 bytes.
        guard count / 1032 <= UInt64(cursor.remaining) else {
            throw cursor.error(.compression, "\(count) bytes can't come from \(cursor.remaining)")
        }
        let compressed = UnsafeRawBufferPointer(rebasing: cursor.bytes[cursor.position..<cursor.end])
        guard let body = compression.inflated(compressed, count: Int(count)), body.count == Int(count) else {
            throw cursor.error(.compression, "The compressed bytes aren't \(count) bytes")
        }
        return body
    }
}
