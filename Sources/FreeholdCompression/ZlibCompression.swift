public import FreeholdSyncCore
import Synchronization

/// Compresses messages in the zlib format (RFC 1950), by the system's zlib.
///
///     let codec = MessageCodec(compression: ZlibCompression.shared)
///
/// Each message is compressed by itself, so nothing of one can be learned from the length of another. Any thread may use it.
public final class ZlibCompression: MessageCompression {
    /// What connections and stores use. It keeps no more than a few streams, however many use it.
    public static let shared = ZlibCompression()

    public let kind = CompressionKind.zlib

    /// Streams that nobody uses now. Making one takes longer than compressing a short message.
    private let deflaters = Mutex<[Deflater]>([])
    private let inflaters = Mutex<[Inflater]>([])
    private let level: Int32
    private static let capacity = 4

    /// - Parameter level: from 1, the fastest, to 9, the smallest; what lies outside is brought to the nearest end.
    public init(level: Int = 3) { self.level = Int32(min(max(level, 1), 9)) }

    /// - Returns: nil if the bytes wouldn't become fewer, or there is no memory.
    /// - Complexity: O(*n*)
    public func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        guard let deflater = deflaters.withLock({ $0.popLast() }) ?? Deflater(level: level) else { return nil }
        defer { deflaters.withLock { if $0.count < Self.capacity { $0.append(deflater) } } }
        return deflater.compressed(bytes)
    }

    /// - Returns: nil if the bytes aren't one stream of the format, whole and with nothing behind it, or if it is longer than `count` bytes.
    /// - Complexity: O(`count`)
    public func inflated(_ bytes: UnsafeRawBufferPointer, count: Int) -> [UInt8]? {
        guard let inflater = inflaters.withLock({ $0.popLast() }) ?? Inflater() else { return nil }
        defer { inflaters.withLock { if $0.count < Self.capacity { $0.append(inflater) } } }
        return inflater.inflated(bytes, count: count)
    }
}
