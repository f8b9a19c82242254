/// How large and how deep documents of rules and of schemas may be.
public struct RuleLimits: Hashable, Sendable {
    /// The most bytes of a text.
    public var size: Int
    /// The greatest nesting of an expression: 1 is `{"owner": "%%user.id"}`.
    public var depth: Int
    /// The most roles of a class, fields of a role, classes of a document.
    public var count: Int

    /// - Parameters:
    ///   - size: 1 MiB unless told otherwise.
    ///   - depth: 20 unless told otherwise; 28 is the most, so that what is compiled is a query that may nest so deeply.
    ///   - count: 1,000 unless told otherwise.
    public init(size: Int = 1 << 20, depth: Int = 20, count: Int = 1_000) {
        self.size = size
        self.depth = min(max(depth, 1), 28)
        self.count = count
    }
}
