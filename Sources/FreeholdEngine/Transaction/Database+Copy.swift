internal import Synchronization

extension Snapshot {
    /// Writes this version to a new file, without the history of changes and without free pages.
    ///
    /// Writers and readers continue meanwhile. The pages of this version aren't reused before the copy ends, so the file grows by the size of their
    /// changes. The memory use doesn't depend on the file's size.
    ///
    /// - Parameters:
    ///   - key: the encryption key of the copy, or `nil` for a plain file.
    ///   - keepsJournal: whether the copy has the journal and its cursors. This is for a copy that replaces the file. A copy that is used beside the
    ///     file shouldn't have them, because a reader of both journals would read the same history twice.
    ///   - path: the path of the copy.
    /// - Throws: `.fileExists` if a file exists at the destination, `.fileNotFound` if its folder is missing, `.permissionDenied`, `.outOfDiskSpace`,
    ///   `.io`; `.invalidDatabase` if a block of an encrypted file is damaged. After an error, no file is left at the destination.
    /// - Complexity: O(size of the data).
    public func copy(
        to path: String,
        key: EncryptionKey? = nil,
        keepsJournal: Bool = true
    ) throws(EngineError) {
        try copy(to: path, key: key, keepsJournal: keepsJournal, isWritable: false)
    }

    /// - Parameter isWritable: whether the owner may write to the copy even if the source is write-protected.
    func copy(
        to path: String,
        key: EncryptionKey?,
        keepsJournal: Bool = true,
        isWritable: Bool
    ) throws(EngineError) {
        let copy = try BlockCopy(to: path)
        try copy.checkDestination()
        let storage = core.storage
        let mode = isWritable ? storage.fileMode | 0o200 : storage.fileMode
        var source = core.copySource
        source.trees = pin.reader.trees
        source.leavesJournal = !keepsJournal
        let stored = storedBlock(FileDigest.address)
        source.digest = try FileDigest.find(stored, version: version, core.envelope, path: core.path)
        try copy.write(from: source, key: key, mode: mode, faults: storage.options.faults) {
            from throws(EngineError) in try run(from: from)
        }
        try copy.finish()
    }

    /// Returns a run of blocks. Two threads must not use LMDB's transaction at the same time, but they may read its bytes.
    func run(from address: BlockAddress) throws(EngineError) -> BlockRun {
        var run: BlockRun = []
        try core.fillLock.withLock { _ throws(EngineError) in run = try pin.reader.run(from: address) }
        return run
    }
}

extension DatabaseCore {
    fileprivate var copySource: BlockCopy.Source {
        BlockCopy.Source(header: header, envelope: envelope, room: storage.copyRoom)
    }
}

extension WriteTransaction {
    /// Writes the present state of this transaction, without committing it, to a new file; see `Snapshot.copy`.
    ///
    /// The changes move into LMDB's transaction for this, as they do when they exceed the memory budget.
    ///
    /// - Throws: like `Snapshot.copy`; `.uniqueConstraint`; an earlier failure of the transaction.
    public func copy(
        to path: String,
        key: EncryptionKey? = nil,
        keepsJournal: Bool = true
    ) throws(EngineError) {
        precondition(isOpen, "copy of a transaction that is over")
        let copy = try BlockCopy(to: path)
        try copy.checkDestination()
        try settleIntoStorage()
        let writer = storageWriter!
        let storage = core.storage
        var source = core.copySource
        source.leavesJournal = !keepsJournal
        try copy.write(from: source, key: key, mode: storage.fileMode, faults: storage.options.faults) {
            from throws(EngineError) in
            let run = try storage.writer.sync { () throws(EngineError) in try writer.run(from: from) }
            return try droppedSegments.isEmpty ? run : keptBlocks(run, writer)
        }
        try copy.finish()
    }

    /// Writes all pending changes as blocks into LMDB's transaction.
    private func settleIntoStorage() throws(EngineError) {
        try checkDamage()
        for changes in backlinkChanges.values { settleBacklinks(changes.column) }
        for case let overlay? in tables { settleIndexes(overlay) }
        try checkUniqueness()
        for case let overlay? in tables { sealTable(overlay) }
        if schemaChanged { putSchema() }
        forgetDroppedBlocks()
        spill()
        try checkDamage()
    }

    /// Returns the blocks without those of dropped tables and columns, which are removed only by the commit. A run that consists only of dropped
    /// blocks is replaced by the next run, because an empty run would be the end.
    private func keptBlocks(_ run: BlockRun, _ writer: StorageWriter) throws(EngineError) -> BlockRun {
        var run = run
        while let last = run.last {
            let kept = run.filter { !isDropped($0.address.raw) }
            if !kept.isEmpty { return kept }
            run = try core.storage.writer.sync { () throws(EngineError) in
                try writer.run(from: BlockAddress(raw: last.address.raw + 1))
            }
        }
        return []
    }
}
