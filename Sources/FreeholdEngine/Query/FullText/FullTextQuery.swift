/// What is searched for in a full-text index.
public struct FullTextQuery: Sendable, Hashable {
    /// As it was written.
    public let text: String

    /// - Throws: `QueryError` where the text has no word, or a word both wanted and excluded.
    public init(_ text: String) throws(QueryError) {
        self.text = text
    }
}
