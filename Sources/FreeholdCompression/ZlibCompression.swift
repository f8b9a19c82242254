public import FreeholdSyncCore
import Synchronization

/// A compression of messages in the zlib format (RFC 1950), with the system's zlib.
///
///     let codec = MessageCodec(compression: ZlibCompression.shared)
///
/// Each message is compressed on its own, so that the size of one message reveals nothing about another. Any thread may
/// use it.
public final class ZlibCompression: MessageCompression {
    /// The compression that connections and stores share. It caches a few streams only, regardless of the number of
    /// users.
    public static let shared = ZlibCompression()

    public let kind = CompressionKind.zlib

    /// The cached streams. The creation of a stream takes longer than the compression of a short message.
    private let deflaters = Mutex<[Deflater]>([])
    private let inflaters = Mutex<[Inflater]>([])
    private let level: Int32
    private static let capacity = 4

    /// - Parameter level: A level from 1, the fastest, to 9, the smallest. Other values are clamped.
    public init(level: Int = 3) { self.level = Int32(min(max(level, 1), 9)) }

    /// - Returns: `nil` if the result wouldn't be smaller, or if there isn't enough memory.
    /// - Complexity: O(*n*)
    public func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        guard let deflater = deflaters.withLock({ $0.popLast() }) ?? Deflater(level: level) else { return nil }
        defer { deflaters.withLock { if $0.count < Self.capacity { $0.append(deflater) } } }
        return deflater.compressed(bytes)
    }

    /// - Returns: `nil` if the bytes aren't exactly one complete stream, or if its content is longer than `count`
    ///   bytes.
    /// - Complexity: O(`count`)
    public func inflated(_ bytes: UnsafeRawBufferPointer, count: Int) -> [UInt8]? {
        guard let inflater = inflaters.withLock({ $0.popLast() }) ?? Inflater() else { return nil }
        defer { inflaters.withLock { if $0.count < Self.capacity { $0.append(inflater) } } }
        return inflater.inflated(bytes, count: count)
    }
}
