/// What stores keep of commits that aren't whole.
package enum StagedParts {
    /// The files of one user that may have an incomplete commit.
    package static let files = 100
    /// The bytes that their commits may have together, by what they say of themselves.
    package static let bytes: UInt64 = 1 << 30

    /// A file's incomplete commit.
    package struct Entry: Sendable {
        package let ident: FileIdent
        /// The bytes that it will have.
        package let count: UInt64
        /// The time at which the last part was added.
        package let time: Int64

        package init(ident: FileIdent, count: UInt64, time: Int64) {
            (self.ident, self.count, self.time) = (ident, count, time)
        }
    }

    /// Returns the files of a user whose incomplete commits give way to a new one: those that nothing was added to for longest.
    package static func evicted(_ entries: [Entry], for count: UInt64) -> [FileIdent] {
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
