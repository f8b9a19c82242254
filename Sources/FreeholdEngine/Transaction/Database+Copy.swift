internal import Synchronization

extension Snapshot {
    /// Writes this version to a new file, without the history of changes and without free pages.
    ///
    /// Writers and readers go on meanwhile; but no page of this version is used again before it ends, so the file grows
    /// by what they change. The memory it takes doesn't depend on the file's size.
    ///
    /// - Parameters:
    ///   - key: what the copy is encrypted with, or `nil` for a plain file.
    ///   - keepsJournal: whether the copy has the journal and its cursors: for one that takes the file's place. A copy that lives
    ///     beside the file shouldn't: what its readers would read twice is one history.
    ///   - path: of the copy.
    /// - Throws: `.fileExists` where something is at the destination, `.fileNotFound` where its folder isn't,
    ///   `.permissionDenied`, `.outOfDiskSpace`, `.io`; `.invalidDatabase` where a block of an encrypted file is damaged.
    ///   Then nothing is left at the destination.
    /// - Complexity: O(size of the data).
    public func copy(
        to path: String,
        key: EncryptionKey? = nil,
        keepsJournal: Bool = true
    ) throws(EngineError) {
        try copy(to: path, key: key, keepsJournal: keepsJournal, isWritable: false)
    }

    /// - Parameter isWritable: whether its owner may write to it even where the source is write-protected.
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

    /// LMDB's transaction isn't for two threads at once; its bytes are.
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
    /// Writes the state that this transaction has made so far, committed or not, to a new file; see `Snapshot.copy`.
    ///
    /// The changes move into LMDB's transaction for it, as they do past the memory budget.
    ///
    /// - Throws: as `Snapshot.copy`; `.uniqueConstraint`; the failure of the transaction, where it has had one.
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

    /// All that is pending becomes blocks in LMDB's transaction.
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

    /// Without the blocks of dropped tables and columns, which are removed by the commit only. A run of nothing else
    /// is replaced by the next, so that it isn't taken for the end.
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
