/// Compresses the bodies of messages. The platform brings it, since this module depends on nothing.
public protocol MessageCompression: Sendable {
    var kind: CompressionKind { get }

    /// The bytes compressed, or nil to send them as they are.
    func compressed(_ bytes: [UInt8]) -> [UInt8]?

    /// The bytes that were compressed.
    ///
    /// - Parameter count: how many there must be. The result may have another length, but the implementation never makes more than one
    ///   byte beyond it: so it needs no more memory, whatever the input is.
    /// - Returns: nil if the input isn't what `compressed(_:)` makes.
    func inflated(_ bytes: UnsafeRawBufferPointer, count: Int) -> [UInt8]?
}

/// How a connection writes and reads messages: what both sides agreed on in `hello` and `welcome`.
public struct MessageCodec: Sendable {
    /// Nil: nothing is compressed, and compressed messages are refused.
    public var compression: (any MessageCompression)?
    /// The most bytes of a body, for reading and for writing.
    public var limit: Int
    /// Bodies of fewer bytes aren't compressed.
    public var threshold: Int

    /// Below it compressing costs more than it saves.
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

    /// Levels of nested values that a message may have: an element of a collection is a level below it, and so is a field of an embedded
    /// object.
    public static let greatestDepth = 120
}
