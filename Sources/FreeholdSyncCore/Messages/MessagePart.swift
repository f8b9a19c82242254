/// Bytes of a message that is sent in parts, since it is too large for slow networks, or for one message.
///
/// Both ends keep what came over connections: the next one goes on where the last one was cut. The bytes of the parts, put together, are the message's
/// frame as one of session 1, without compression. So it has no limit but those of `PartedMessage.count`.
public struct MessagePart: Hashable, Sendable {
    public var message: PartedMessage
    /// The place of the first byte in the whole message.
    public var offset: UInt64
    public var bytes: [UInt8]

    public init(message: PartedMessage, offset: UInt64, bytes: [UInt8]) {
        (self.message, self.offset, self.bytes) = (message, offset, bytes)
    }

    /// The place behind the last byte.
    public var end: UInt64 { offset.addingOrMax(UInt64(bytes.count)) }
}

/// Names a message that is sent in parts.
public struct PartedMessage: Hashable, Sendable {
    /// By which its sender finds it again: the number of the commit that it holds, for uploads; the version to which `changes` lead, for those of the
    /// server; 0 for its other messages.
    public var number: UInt64
    /// A hash of all bytes. Equal hashes are equal messages.
    public var hash: RunningHash
    /// The number of all bytes.
    public var count: UInt64

    public init(number: UInt64, hash: RunningHash, count: UInt64) {
        (self.number, self.hash, self.count) = (number, hash, count)
    }

    init(number: UInt64, _ bytes: [UInt8]) {
        self.init(number: number, hash: RunningHash.empty.appending(bytes), count: UInt64(bytes.count))
    }
}

/// How much of a message that is sent in parts its receiver keeps.
public struct PartialMessage: Hashable, Sendable {
    public var message: PartedMessage
    /// Bytes from the start on.
    public var received: UInt64

    public init(message: PartedMessage, received: UInt64) { (self.message, self.received) = (message, received) }
}

/// A message on its way out in parts.
struct OutgoingParts: Sendable {
    let message: PartedMessage
    let bytes: [UInt8]
    var offset: UInt64

    /// - Parameter known: what the receiver has of some message, which may be this one.
    init(number: UInt64, _ bytes: [UInt8], known: PartialMessage?) {
        self.init(PartedMessage(number: number, bytes), bytes, known: known)
    }

    init(_ message: PartedMessage, _ bytes: [UInt8], known: PartialMessage?) {
        (self.message, self.bytes) = (message, bytes)
        offset = known.map { $0.message == message && $0.received < message.count ? $0.received : 0 } ?? 0
    }

    var isDone: Bool { offset >= message.count }

    /// Takes the next part.
    mutating func next(bytes count: UInt64) -> MessagePart {
        let end = min(offset.addingOrMax(max(count, 1)), message.count)
        defer { offset = end }
        return MessagePart(message: message, offset: offset, bytes: Array(bytes[Int(offset)..<Int(end)]))
    }
}

/// A message that comes in parts: what of it is kept elsewhere, and what isn't yet.
struct IncomingParts: Sendable {
    let message: PartedMessage
    /// The bytes that are kept elsewhere.
    var kept: UInt64
    /// The bytes behind those that are being kept.
    var keeping: UInt64 = 0
    /// The bytes behind those.
    var buffer: [UInt8] = []
    /// The time at which the buffer got its first byte.
    var since: Int64 = 0

    init(_ message: PartedMessage, kept: UInt64) { (self.message, self.kept) = (message, kept) }

    var received: UInt64 { kept + keeping + UInt64(buffer.count) }
    var isWhole: Bool { received == message.count }

    /// Adds a part. False if it isn't the one that follows.
    mutating func take(_ part: MessagePart, now: Int64) -> Bool {
        guard part.message == message, part.offset == received, !part.bytes.isEmpty, part.end <= message.count else {
            return false
        }
        if buffer.isEmpty { since = now }
        buffer += part.bytes
        return true
    }

    /// Whether so much is in memory, or for so long, that it should be kept.
    func isDue(_ now: Int64, bytes: UInt64, delay: Int64) -> Bool {
        !buffer.isEmpty && (UInt64(buffer.count) >= bytes || now &- since >= delay)
    }

    /// Takes the buffer, to be kept.
    mutating func flush() -> MessagePart {
        let part = MessagePart(message: message, offset: kept + keeping, bytes: buffer)
        keeping += UInt64(buffer.count)
        buffer = []
        return part
    }

    /// The buffer was kept.
    mutating func wasKept() { (kept, keeping) = (kept + keeping, 0) }
}

extension MessageCodec {
    /// What the bytes of parts make together.
    package static let whole = MessageCodec(limit: .max)
}
