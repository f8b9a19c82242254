/// The limits of the depth and the size of documents, for reading and writing.
public struct BSONLimits: Hashable, Sendable {
    /// The largest nesting depth. It is 1 for a document without documents or arrays in it. A scope of JavaScript
    /// counts as 2.
    public let depth: Int
    /// The largest number of bytes of a document or of a JSON text.
    public let size: Int

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - depth: 1 to ``maximumDepth``. Other values are clamped to this range.
    ///   - size: 5 to 2³¹ − 1, the largest size in BSON. Other values are clamped to this range.
    public init(depth: Int = 200, size: Int = 64 << 20) {
        self.depth = min(max(depth, 1), Self.maximumDepth)
        self.size = min(max(size, 5), Int(Int32.max))
    }

    /// The limit of the depth. Swift releases nested values recursively, which has to fit in a thread's stack of 512
    /// KiB with a margin.
    public static let maximumDepth = 1000
}
