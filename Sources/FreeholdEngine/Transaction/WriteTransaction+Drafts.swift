/// Files that aren't opened elsewhere before they are complete: see `Database.Options.isDraft`.
extension WriteTransaction {
    /// Commits a part of a draft, so that LMDB can write its pages and release them. It is called on the writer thread.
    func commitEarly(_ writer: StorageWriter) throws(EngineError) {
        storageWriter = nil
        _ = try writer.commit(durably: false)
        earlyCommits += 1
        storageWriter = try beginStorage()
    }

    /// The maximum number of edits of lists and links that are kept for the record. It is 0 for a draft, because the changes of a draft aren't
    /// observed.
    var keptEdits: Int { core.isDraft ? 0 : linkLogLimit }

    /// The version that a commit creates.
    var nextVersion: UInt64 { base.version + earlyCommits + 1 }

    func beginStorage() throws(EngineError) -> StorageWriter {
        let writer = try core.storage.beginWrite(core.envelope)
        let expected = nextVersion - 1
        guard writer.baseVersion == expected else {
            writer.abort()
            throw EngineError(
                .invalidDatabase,
                "Another program wrote to the file without the writer lock (version \(writer.baseVersion) after \(expected)).",
                path: core.path
            )
        }
        return writer
    }
}
