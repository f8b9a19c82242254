/// A compression of message bodies. The caller provides it, because this module has no dependencies.
public protocol MessageCompression: Sendable {
    var kind: CompressionKind { get }

    /// Returns the compressed bytes, or `nil` if the message should be sent without compression.
    func compressed(_ bytes: [UInt8]) -> [UInt8]?

    /// Returns the decompressed bytes.
    ///
    /// - Parameter count: The expected number of bytes. The result may have another length, but an implementation never
    ///   produces more than one additional byte. It therefore needs no more memory than that, for any input.
    /// - Returns: `nil` if the input isn't a result of `compressed(_:)`.
    func inflated(_ bytes: UnsafeRawBufferPointer, count: Int) -> [UInt8]?
}

/// The encoding of messages on a connection, according to `hello` and `welcome`.
public struct MessageCodec: Sendable {
    /// The compression of bodies. `nil` if bodies aren't compressed and compressed messages are refused.
    public var compression: (any MessageCompression)?
    /// The maximum size of a body in bytes, for reading and writing.
    public var limit: Int
    /// The size in bytes below which bodies aren't compressed.
    public var threshold: Int

    /// The usual threshold. Below it, compression costs more than it saves.
    public static let usualThreshold = 1 << 10

    public init(
        compression: (any MessageCompression)? = nil,
        limit: Int = 16 << 20,
        threshold: Int = MessageCodec.usualThreshold
    ) {
        self.compression = compression
        self.limit = limit
        self.threshold = threshold
    }

    /// The maximum depth of nested values in a message. An element of a collection, and a field of an embedded object,
    /// is one level below its container.
    public static let greatestDepth = 120
}
