/// How deep and how large documents may be, for reading and for writing.
public struct BSONLimits: Hashable, Sendable {
    /// The greatest nesting: 1 is a document without documents or arrays in it. A scope of JavaScript counts 2.
    public let depth: Int
    /// The most bytes of a document, or of a JSON text.
    public let size: Int

    /// - Parameters:
    ///   - depth: 1 to ``maximumDepth``; other values are brought into that range.
    ///   - size: 5 to 2³¹ − 1, the greatest that BSON can express; other values are brought into that range.
    public init(depth: Int = 200, size: Int = 64 << 20) {
        self.depth = min(max(depth, 1), Self.maximumDepth)
        self.size = min(max(size, 5), Int(Int32.max))
    }

    /// Swift releases nested values by recursion, which has to fit into a thread's stack of 512 KiB with room to spare.
    public static let maximumDepth = 1000
}
