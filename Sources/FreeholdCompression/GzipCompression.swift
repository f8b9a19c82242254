import Synchronization

/// Compresses answers of HTTP in the format gzip (RFC 1952), by the system's zlib.
///
/// Each answer is compressed by itself. Any thread may use it.
public final class GzipCompression: Sendable {
    public static let shared = GzipCompression()

    /// Streams that no thread uses now.
    private let deflaters = Mutex<[Deflater]>([])
    private let level: Int32
    private static let capacity = 4

    /// - Parameter level: The level, from 1, the fastest, to 9, the smallest. Other values count as the nearest of them.
    public init(level: Int = 3) { self.level = Int32(min(max(level, 1), 9)) }

    /// Returns the compressed bytes, or `nil` if they wouldn't be fewer, or if memory is short.
    ///
    /// - Complexity: O(*n*)
    public func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        guard let deflater = deflaters.withLock({ $0.popLast() }) ?? Deflater(level: level, isGzip: true) else {
            return nil
        }
        defer { deflaters.withLock { if $0.count < Self.capacity { $0.append(deflater) } } }
        return deflater.compressed(bytes)
    }

    /// Returns the bytes of a compressed answer, or `nil` if they aren't one whole stream of the format, or are more than `count`.
    ///
    /// - Complexity: O(`count`)
    public func inflated(_ bytes: UnsafeRawBufferPointer, count: Int) -> [UInt8]? {
        Inflater(isGzip: true)?.inflated(bytes, count: count)
    }
}
