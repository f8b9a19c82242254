/// Files that nobody opens before they are complete: see `Database.Options.isDraft`.
extension WriteTransaction {
    /// Of a draft: lets LMDB write its pages, and let go of them. On the writer thread.
    func commitEarly(_ writer: StorageWriter) throws(EngineError) {
        storageWriter = nil
        _ = try writer.commit(durably: false)
        earlyCommits += 1
        storageWriter = try beginStorage()
    }

    /// Edits of lists and links that are kept for the record. Nobody asks what changed in a draft.
    var keptEdits: Int { core.isDraft ? 0 : linkLogLimit }

    /// The version that a commit makes.
    var nextVersion: UInt64 { base.version + earlyCommits + 1 }

    func beginStorage() throws(EngineError) -> StorageWriter {
        let writer = try core.storage.beginWrite(core.envelope)
        let expected = nextVersion - 1
        guard writer.baseVersion == expected else {
            writer.abort()
            throw EngineError(
                .invalidDatabase,
                "Somebody wrote to the file past the writer lock (version \(writer.baseVersion) after \(expected)).",
                path: core.path
            )
        }
        return writer
    }
}
