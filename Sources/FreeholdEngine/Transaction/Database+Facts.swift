/// Facts about the file of a database, for programs that describe files.
extension Database {
    /// A Boolean value that indicates whether commits use a commit log beside the file.
    package var hasCommitLog: Bool { core.header.requiredFeatures.contains(.commitLog) }
}

extension Snapshot {
    /// A Boolean value that indicates whether commits are journalled, because the file has a cursor.
    package var hasJournal: Bool { root.hasJournal }
}
