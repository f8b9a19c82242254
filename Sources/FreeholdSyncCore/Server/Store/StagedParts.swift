/// The limits of incomplete commits in stores. They are public for stores in other packages.
public enum StagedParts {
    /// The maximum number of a user's files with an incomplete commit.
    public static let files = 100
    /// The maximum total size of these commits in bytes, according to the sizes that they announce.
    public static let bytes: UInt64 = 1 << 30

    /// The incomplete commit of a file.
    public struct Entry: Sendable {
        public let ident: FileIdent
        /// The announced size in bytes.
        public let count: UInt64
        /// The time at which the last part was added.
        public let time: Int64

        public init(ident: FileIdent, count: UInt64, time: Int64) {
            (self.ident, self.count, self.time) = (ident, count, time)
        }
    }

    /// Returns the files of a user whose incomplete commits are removed to make room for a new one: those to which
    /// nothing was added for the longest time.
    public static func evicted(_ entries: [Entry], for count: UInt64) -> [FileIdent] {
        var rest = entries.sorted { ($0.time, $0.ident) > ($1.time, $1.ident) }
        var sum = rest.reduce(count) { $0.addingOrMax($1.count) }
        var evicted: [FileIdent] = []
        while let last = rest.last, sum > bytes || rest.count >= files {
            sum -= min(last.count, sum)
            evicted.append(last.ident)
            rest.removeLast()
        }
        return evicted
    }
}
