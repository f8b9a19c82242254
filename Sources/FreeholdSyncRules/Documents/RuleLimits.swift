/// The limits of documents of rules and schemas.
public struct RuleLimits: Hashable, Sendable {
    /// The maximum size of a text in bytes.
    public var size: Int
    /// The maximum depth of an expression. `{"owner": "%%user.id"}` has the depth 1.
    public var depth: Int
    /// The maximum number of roles of a class, of fields of a role, and of classes of a document.
    public var count: Int

    /// - Parameters:
    ///   - size: The maximum size of a text in bytes. The default is 1 MiB.
    ///   - depth: The maximum depth of an expression, from 1 to 28. The default is 20. The upper limit keeps compiled
    ///     conditions within the depth of a query.
    ///   - count: The maximum number of roles, fields or classes. The default is 1,000.
    public init(size: Int = 1 << 20, depth: Int = 20, count: Int = 1_000) {
        self.size = size
        self.depth = min(max(depth, 1), 28)
        self.count = count
    }
}
