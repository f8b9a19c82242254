extension WriteTransaction {
    /// Makes the changes durable and allows the next writer to begin.
    ///
    /// - Parameter durably: whether the commit is durable on return. If it is false, a failure of the machine may undo this commit and later ones,
    ///   until one is made durable or `Database.makeDurable()` has returned. The file is valid in both cases. A commit that isn't durable takes one
    ///   flush instead of two.
    /// - Returns: the snapshot of the new version, or of the old version if nothing changed.
    /// - Throws: `.outOfDiskSpace`, `.mapFull`, `.environmentFailed`, `.io`. The file is unchanged, and the transaction has ended.
    public func commit(durably: Bool = true) throws(EngineError) -> Snapshot {
        precondition(isOpen, "commit of a transaction that is over")
        if timing != nil { timing!.commitBegan = .now }
        let snapshot: Snapshot
        do throws(EngineError) {
            snapshot = try commitChanges(durably)
            close()
            freeMemory()
        } catch {
            cancel()
            freeMemory()
            throw error
        }
        defer { timing?.tell(snapshot.version == base.version ? .unchanged : .committed, core) }
        // The next writer can work meanwhile. All threads that wait for the commit log share a flush.
        if durably, snapshot.version != base.version { try core.storage.waitUntilDurable(snapshot.version) }
        return snapshot
    }

    private func commitChanges(_ durably: Bool) throws(EngineError) -> Snapshot {
        closeChunks()
        try checkDamage()
        finishPlaceholders()
        deleteUnowned()
        if schemaChanged { try addImages() }
        noteImages()
        let record = settleAndRecord()
        try checkDamage()
        try checkUniqueness()
        try settleJournal()
        try checkDamage()
        guard hasChanges else {
            abortStorage()
            return base
        }
        // The remaining work is short, except for the disk.
        try WorkLimit.check()
        forgetDroppedBlocks()
        let history = record.encoded()
        // The slot is reserved before anything is durable, so that a commit isn't reported as failed because its version can't be read.
        let slot = try core.storage.reserveRead()
        let addresses = sealed.keys.sorted()
        let version: UInt64
        do throws(EngineError) {
            version = try storingInPlace { () throws(EngineError) in
                try writeBlocks(addresses)
                let writer = storageWriter!
                try removeDroppedBlocks(writer)
                try History.append(history, to: writer, version: nextVersion) {
                    core.storage.readerList().map(\.version).filter { $0 > 0 }.min() ?? base.version
                }
                let version = try writer.commit(durably: durably)
                if timing != nil { timing!.bytes = writer.bytesStored }
                return version
            }
        } catch {
            core.storage.giveUp(slot)
            throw error
        }
        storageWriter = nil
        let snapshot = try core.openCommitted(
            in: slot,
            base: base,
            lease: base.lease,
            changes: writtenBlocks(),
            emptied: emptied,
            version: version
        )
        core.publish(snapshot, record.made(version))
        if Diagnostics.wants(.maintenance) { for held in journalWarnings { Diagnostics.send(.heldJournal(held)) } }
        return snapshot
    }

    /// Runs the end of LMDB's transaction: on the caller's thread if the transaction hasn't begun yet, otherwise on the thread that began it.
    private func storingInPlace<R>(_ body: () throws(EngineError) -> R) throws(EngineError) -> R {
        guard storageWriter == nil else { return try core.storage.writer.sync(body) }
        return try core.storage.writer.syncInPlace { () throws(EngineError) in
            do throws(EngineError) { return try body() } catch {
                storageWriter?.abort()
                storageWriter = nil
                throw error
            }
        }
    }

    var hasChanges: Bool { schemaChanged || hasAssignments || !sealed.isEmpty || !spilled.isEmpty }

    private func writtenBlocks() -> [UInt32: [UInt64]] {
        var out: [UInt32: [UInt64]] = [:]
        func add(_ raw: UInt64) {
            let address = BlockAddress(raw: raw)
            out[address.segment, default: []].append(address.number)
        }
        for raw in sealed.keys { add(raw) }
        for raw in spilled.keys where sealed[raw] == nil { add(raw) }
        return out
    }

    /// Writes all pending changes as blocks and returns the record of the changes.
    private func settleAndRecord() -> ChangeRecord {
        for changes in backlinkChanges.values { settleBacklinks(changes.column) }
        for case let overlay? in tables { settleIndexes(overlay, relieving: true) }
        var changes: [TableChanges] = []
        let mixed = MixedLinkEdits(backlinkChanges.values)
        // Observers aren't notified of hidden tables.
        for case let overlay? in tables where !overlay.table.isHidden {
            let table = recordChanges(overlay, mixed)
            if !table.isEmpty { changes.append(table) }
        }
        closeChunks()
        for case let overlay? in tables { sealTable(overlay) }
        if schemaChanged { putSchema() }
        return ChangeRecord(
            version: nextVersion,
            tables: changes,
            schemaChanged: schemaChanged,
            origin: origin,
            stamp: .now
        )
    }

    func sealTable(_ overlay: TableOverlay) {
        let table = overlay.table
        for columns in overlay.columns {
            guard let columns else { continue }
            for cluster in Array(columns.buffers.keys) { seal(columns, cluster) }
        }
        for columns in overlay.backlinks.values {
            for cluster in Array(columns.buffers.keys) { seal(columns, cluster) }
        }
        for cluster in overlay.changedPresence {
            let live = overlay.counts[cluster] & ~TableCache.presenceFlag
            guard live > 0, let bits = overlay.presence[cluster] else {
                removeEmptyCluster(overlay, cluster)
                continue
            }
            let words = (clusterSpan + 63) >> 6
            putBlock(
                table.firstSegment + 1,
                UInt64(cluster),
                bytes: UnsafeRawBufferPointer(start: UnsafeRawPointer(bits), count: words * 8)
            )
        }
        if overlay.state.nextKey != overlay.baseState.nextKey, let last = overlay.counts.indices.last {
            overlay.changedCounts.insert(last)
        }
        for number in Set(overlay.changedCounts.map { $0 / TableCache.clustersPerBlock }) {
            let first = number * TableCache.clustersPerBlock
            let end = min(overlay.counts.count, first + TableCache.clustersPerBlock)
            overlay.counts[first..<end].withUnsafeBytes { putBlock(table.firstSegment + 2, UInt64(number), bytes: $0) }
        }
        if overlay.state != overlay.baseState {
            overlay.state.encoded().withUnsafeBytes { putBlock(table.firstSegment, 0, bytes: $0) }
        }
    }

    /// Removes the leaves of a cluster without objects.
    private func removeEmptyCluster(_ overlay: TableOverlay, _ cluster: Int) {
        let table = overlay.table
        overlay.counts[cluster] = 0
        removeBlock(table.firstSegment + 1, UInt64(cluster))
        for column in table.storedColumns { removeLeaf(column, .leaf, parts: .parts, cluster: cluster) }
        for column in currentSchema.linkColumns(to: table) {
            removeLeaf(column, .backlinkLeaf, parts: .backlinkParts, cluster: cluster)
        }
        removeLeaf(table.mixedInverse, .backlinkLeaf, parts: .backlinkParts, cluster: cluster)
    }

    private func removeLeaf(_ column: Column, _ leaf: ColumnSegment, parts: ColumnSegment, cluster: Int) {
        guard let bytes = block(column.segment(leaf), UInt64(cluster)) else { return }
        let stored = Leaf(bytes.baseAddress!)
        if stored.isSplit {
            for part in 0..<(1 << stored.partsLog2) {
                removeBlock(column.segment(parts), UInt64(cluster) << 6 | UInt64(part))
            }
        }
        removeBlock(column.segment(leaf), UInt64(cluster))
    }

    // MARK: The record

    /// The maximum number of recorded edits of lists and links. If there are more, the record is marked as incomplete.
    static let recordedEdits = 1 << 17

    private func recordChanges(_ overlay: TableOverlay, _ mixed: MixedLinkEdits) -> TableChanges {
        var out = TableChanges(
            table: overlay.table.id,
            firstInserted: ObjectKey(overlay.firstNewKey),
            nextKey: ObjectKey(overlay.state.nextKey)
        )
        recordDeletions(overlay, &out)
        func isGone(_ key: ObjectKey) -> Bool { !contains(overlay.table, key) }
        let hasDeletions = !out.deletedRuns.isEmpty || !out.insertedDeletedRuns.isEmpty
        for columns in overlay.columns {
            guard let columns, !columns.column.isHidden, !columns.modified.isEmpty || !columns.added.isEmpty else {
                continue
            }
            var keys: [ObjectKey] = []
            columns.forEachModified(clusterSpan: clusterSpan) { key in
                if !hasDeletions || !isGone(key) { keys.append(key) }
            }
            if !columns.added.isEmpty {
                keys += columns.added.keys.filter { !isGone($0) }
                keys.sortUnique()
            }
            if !keys.isEmpty { out.modified[columns.column.id] = keys }
        }
        out.listEdits = hasDeletions ? overlay.listEdits.filter { !isGone($0.key) } : overlay.listEdits
        out.isIncomplete = overlay.listEditsOverflow
        for column in overlay.table.columns {
            guard let links = backlinkChanges[column.firstSegment] else { continue }
            if links.logOverflow || links.log.count > Self.recordedEdits {
                out.isIncomplete = true
            } else {
                out.links += net(links.log, column)
            }
        }
        if mixed.isIncomplete {
            if overlay.table.columns.contains(where: { $0.type == .mixed }) { out.isIncomplete = true }
        } else {
            out.links += mixed.edits[overlay.table.id] ?? []
        }
        if out.listEdits.count + out.links.count > Self.recordedEdits {
            out.listEdits = []
            out.links = []
            out.isIncomplete = true
        }
        return out
    }

    /// Records the objects of the base version that this transaction deleted, and the deleted objects among those that it created.
    private func recordDeletions(_ overlay: TableOverlay, _ out: inout TableChanges) {
        let counts = base.tableCache(overlay.table).counts
        let words = (clusterSpan + 63) >> 6
        /// Returns the bits of 64 slots of a cluster in a view whose number of live objects is given.
        func bits(_ presence: UnsafePointer<UInt64>?, _ live: UInt16, word w: Int) -> UInt64 {
            if let presence { return presence[w] }
            let rest = Int(live & ~TableCache.presenceFlag) - w << 6
            return rest <= 0 ? 0 : rest >= 64 ? .max : 1 << UInt64(rest) - 1
        }
        for cluster in clustersWithDeletions(overlay) {
            let start = Int64(cluster * clusterSpan)
            let old = cluster < counts.count ? counts[cluster] : 0
            let oldPresence = old & TableCache.presenceFlag == 0 ? nil : base.presence(overlay.table, cluster: cluster)
            if overlay.counts[cluster] == 0, oldPresence == nil {
                out.deletedRuns.append(start..<start + Int64(old & ~TableCache.presenceFlag))
            } else {
                let new = presence(overlay.table, cluster: cluster)
                for w in 0..<words {
                    let gone = bits(oldPresence, old, word: w) & ~bits(new, overlay.counts[cluster], word: w)
                    if gone != 0 { out.deletedRuns.append(bits: gone, at: start + Int64(w << 6)) }
                }
            }
            let end = min(start + Int64(clusterSpan), overlay.state.nextKey)
            guard end > overlay.firstNewKey else { continue }
            let new = presence(overlay.table, cluster: cluster)
            for key in max(start, overlay.firstNewKey)..<end {
                let slot = Int(key - start)
                if bits(new, overlay.counts[cluster], word: slot >> 6) >> UInt64(slot & 63) & 1 == 0 {
                    out.insertedDeletedRuns.append(key..<key + 1)
                }
            }
        }
    }

    private func clustersWithDeletions(_ overlay: TableOverlay) -> [Int] {
        let emptied = Array(0..<overlay.emptiedClusters)
        return emptied + overlay.changedPresence.filter { $0 >= overlay.emptiedClusters }.sorted()
    }

    /// Returns the net changes of the recorded links, by origin and target.
    private func net(_ log: [BacklinkChanges.Change], _ column: Column) -> [LinkEdit] {
        let sorted = log.sorted { $0.origin != $1.origin ? $0.origin < $1.origin : $0.target < $1.target }
        var out: [LinkEdit] = []
        var i = 0
        while i < sorted.count {
            let first = sorted[i]
            var delta = 0
            while i < sorted.count, sorted[i].origin == first.origin, sorted[i].target == first.target {
                delta += Int(sorted[i].delta)
                i += 1
            }
            guard delta != 0 else { continue }
            out.append(
                LinkEdit(
                    column: column.id,
                    origin: ObjectKey(first.origin),
                    targetTable: column.targetTableID!,
                    target: ObjectKey(first.target),
                    delta: delta
                )
            )
        }
        return out
    }

    // MARK: The catalogue

    func putSchema() {
        let bytes = currentSchema.encoded()
        let size = BlockLimits.twoPages
        let blocks = (bytes.count + size - 1) / size
        for i in 0..<blocks {
            bytes[(i * size)..<min(bytes.count, (i + 1) * size)].withUnsafeBytes {
                putBlock(Catalogue.segment, Catalogue.firstSchemaBlock + UInt64(i), bytes: $0)
            }
        }
        for i in blocks..<max(blocks, Int(root.schemaBlocks)) {
            removeBlock(Catalogue.segment, Catalogue.firstSchemaBlock + UInt64(i))
        }
        root.schemaBlocks = UInt32(blocks)
        root.schemaLength = UInt32(bytes.count)
        root.schemaRevision += 1
        root.encoded().withUnsafeBytes { putBlock(Catalogue.segment, Catalogue.rootBlock, bytes: $0) }
    }
}
