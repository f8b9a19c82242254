/// A part of a message that is sent in parts, because it is too large for slow networks or for one message.
///
/// Both sides keep received parts after a connection ends, and the next connection continues after them. The parts
/// together are the frame of the message in session 1, without compression. Its size has no limit except
/// `PartedMessage.count`.
public struct MessagePart: Hashable, Sendable {
    public var message: PartedMessage
    /// The offset of the first byte in the whole message.
    public var offset: UInt64
    public var bytes: [UInt8]

    public init(message: PartedMessage, offset: UInt64, bytes: [UInt8]) {
        (self.message, self.offset, self.bytes) = (message, offset, bytes)
    }

    /// The offset after the last byte.
    public var end: UInt64 { offset.addingOrMax(UInt64(bytes.count)) }
}

/// The identity of a message that is sent in parts.
public struct PartedMessage: Hashable, Sendable {
    /// The number by which the sender finds the message again: the number of the commit for uploads, the version after
    /// the changes for `changes`, and 0 for other messages of the server.
    public var number: UInt64
    /// A hash of all bytes. Messages with equal hashes are equal.
    public var hash: RunningHash
    /// The total number of bytes.
    public var count: UInt64

    public init(number: UInt64, hash: RunningHash, count: UInt64) {
        (self.number, self.hash, self.count) = (number, hash, count)
    }

    init(number: UInt64, _ bytes: [UInt8]) {
        self.init(number: number, hash: RunningHash.empty.appending(bytes), count: UInt64(bytes.count))
    }
}

/// The received beginning of a message that is sent in parts.
public struct PartialMessage: Hashable, Sendable {
    public var message: PartedMessage
    /// The number of received bytes, from the start of the message.
    public var received: UInt64

    public init(message: PartedMessage, received: UInt64) { (self.message, self.received) = (message, received) }
}

/// A message that is being sent in parts.
struct OutgoingParts: Sendable {
    let message: PartedMessage
    let bytes: [UInt8]
    var offset: UInt64

    /// - Parameter known: The beginning of a message that the receiver has. It may be the beginning of another message.
    init(number: UInt64, _ bytes: [UInt8], known: PartialMessage?) {
        self.init(PartedMessage(number: number, bytes), bytes, known: known)
    }

    init(_ message: PartedMessage, _ bytes: [UInt8], known: PartialMessage?) {
        (self.message, self.bytes) = (message, bytes)
        offset = known.map { $0.message == message && $0.received < message.count ? $0.received : 0 } ?? 0
    }

    var isDone: Bool { offset >= message.count }

    /// Returns the next part.
    mutating func next(bytes count: UInt64) -> MessagePart {
        let end = min(offset.addingOrMax(max(count, 1)), message.count)
        defer { offset = end }
        return MessagePart(message: message, offset: offset, bytes: Array(bytes[Int(offset)..<Int(end)]))
    }
}

/// A message that is being received in parts. A part of it is stored, and the rest is in memory.
struct IncomingParts: Sendable {
    let message: PartedMessage
    /// The number of stored bytes.
    var kept: UInt64
    /// The number of bytes after these that are being stored.
    var keeping: UInt64 = 0
    /// The bytes after these.
    var buffer: [UInt8] = []
    /// The time at which the buffer received its first byte, in milliseconds.
    var since: Int64 = 0

    init(_ message: PartedMessage, kept: UInt64) { (self.message, self.kept) = (message, kept) }

    var received: UInt64 { kept + keeping + UInt64(buffer.count) }
    var isWhole: Bool { received == message.count }

    /// Adds a part. Returns `false` if it isn't the next part of the message.
    mutating func take(_ part: MessagePart, now: Int64) -> Bool {
        guard part.message == message, part.offset == received, !part.bytes.isEmpty, part.end <= message.count else {
            return false
        }
        if buffer.isEmpty { since = now }
        buffer += part.bytes
        return true
    }

    /// Returns whether the buffer is large enough or old enough to be stored.
    func isDue(_ now: Int64, bytes: UInt64, delay: Int64) -> Bool {
        !buffer.isEmpty && (UInt64(buffer.count) >= bytes || now &- since >= delay)
    }

    /// Returns the buffer as a part to store, and empties it.
    mutating func flush() -> MessagePart {
        let part = MessagePart(message: message, offset: kept + keeping, bytes: buffer)
        keeping += UInt64(buffer.count)
        buffer = []
        return part
    }

    /// Counts the bytes that were being stored as stored.
    mutating func wasKept() { (kept, keeping) = (kept + keeping, 0) }
}

extension MessageCodec {
    /// The codec of the frame that parts form together.
    package static let whole = MessageCodec(limit: .max)
}
