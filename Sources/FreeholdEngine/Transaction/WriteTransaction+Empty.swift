/// The deletion of all objects of tables. Effects outside of the tables, if there are any, are handled object by object. Then the blocks of the
/// tables are deleted as a whole.
extension WriteTransaction {
    /// Deletes all objects of some tables, even if the rules of links deny it.
    ///
    /// - Complexity: for a table that has links only from these tables, in a file without a journal and delete rules, O(blocks), and O(links) for its
    ///   links to tables that remain. Otherwise the sum of the deletions of all objects.
    public func deleteAll(_ tables: [Table]) {
        if tables.contains(where: { !$0.isHidden }) { resolvePlaceholders() }
        var rest = tables
        while !rest.isEmpty {
            let going = emptiable(rest)
            if going.isEmpty {
                deleteOneByOne(rest.removeFirst())
            } else {
                empty(rest.filter { going.contains($0.id) }, going)
                rest.removeAll { going.contains($0.id) }
            }
        }
    }

    /// Returns whether the keys are all keys of the table.
    func areAll(_ keys: [ObjectKey], of table: Table) -> Bool {
        guard keys.count == count(table), !keys.isEmpty else { return false }
        for i in keys.indices {
            if i > 0, keys[i] <= keys[i - 1] { return false }
            if !contains(table, keys[i]) { return false }
        }
        return true
    }

    // MARK: Selection

    /// Returns the ids of the tables that can be emptied together: other tables don't link to their objects, and single deletions don't have to be
    /// reported.
    private func emptiable(_ tables: [Table]) -> Set<Int> {
        guard journal == nil, currentSchema.deletions.isEmpty, failure == nil else { return [] }
        var going = Set(tables.filter { !$0.isHidden && !hasMixedLinks(to: $0) }.map(\.id))
        while true {
            let linked = going.filter { id in
                guard let table = currentSchema.table(id: id) else { return true }
                return currentSchema.linkColumns(to: table).contains { column in
                    !going.contains(column.tableID) && count(currentSchema.table(of: column)) > 0
                }
            }
            if linked.isEmpty { return going }
            going.subtract(linked)
        }
    }

    /// Returns whether mixed values may contain links to objects of the table.
    private func hasMixedLinks(to table: Table) -> Bool {
        guard currentSchema.hasMixedColumns else { return false }
        let inverse = table.mixedInverse
        if backlinkChanges[inverse.firstSegment] != nil || tables[table.id]?.backlinks[inverse.firstSegment] != nil {
            return true
        }
        var isStored = false
        base.forEachBlock(inverse.segment(.backlinkLeaf)) { _, _ in
            isStored = true
            return false
        }
        return isStored
    }

    // MARK: Removal

    /// - Parameter going: the ids of the tables.
    private func empty(_ emptied: [Table], _ going: Set<Int>) {
        let tables = emptied.filter { count($0) > 0 }
        for table in tables { leaveOthers(table, going) }
        for changes in backlinkChanges.values { settleBacklinks(changes.column) }
        closeChunks()
        var segments: Set<UInt32> = []
        for table in tables {
            for column in table.storedColumns where going.contains(column.targetTableID ?? -1) {
                // The objects with such links are deleted as well, so the links aren't recorded.
                backlinkChanges[column.firstSegment]?.log = []
            }
            segments.formUnion(drop(table))
        }
        if segments.isEmpty { return }
        removeBlocks(in: segments)
        collectRetired()
    }

    /// Removes the data that the objects of a table store outside of it.
    private func leaveOthers(_ table: Table, _ going: Set<Int>) {
        let links = table.storedColumns.filter {
            ($0.type == .link && !going.contains($0.targetTableID ?? -1)) || $0.type == .mixed
        }
        let hasHidden = hasHiddenLinks(table.id)
        if links.isEmpty, !hasHidden { return }
        for cluster in 0..<clusterCount(table) {
            for key in keys(table, cluster: cluster) {
                spillIfOverBudget()
                if hasHidden { dropHiddenLinks(of: table, key) }
                for column in links { leaveTargets(column, key) }
            }
            deleteOrphans()
        }
    }

    private func leaveTargets(_ column: Column, _ key: ObjectKey) {
        switch column.collection {
        case .none where column.type == .link:
            guard let target = readLink(column, key) else { return }
            linksChanged(column, key, removed: [.link(target)], added: [])
        case .none:
            let value = value(column, key)
            if value.hasObjectLinks { linksChanged(column, key, removed: [value], added: []) }
        case .list, .set, .dictionary:
            guard listCount(column, key) > 0 else { return }
            linksChanged(column, key, removed: linkedValues(column, key), added: [])
        }
    }

    private func linkedValues(_ column: Column, _ key: ObjectKey) -> [Value] {
        column.collection == .dictionary
            ? dictionaryEntries(column, key).map(\.value) : listValues(column, key)
    }

    /// Removes the state of a table's objects.
    /// - Returns: the segments whose blocks have to be removed.
    private func drop(_ table: Table) -> Set<UInt32> {
        let overlay = overlay(table)
        var segments: Set<UInt32> = [table.firstSegment + 1]
        for column in table.storedColumns {
            for kind in [ColumnSegment.leaf, .parts, .blobs, .index] { segments.insert(column.segment(kind)) }
        }
        for compound in table.compounds { segments.insert(compound.entries.segment(.index)) }
        for column in currentSchema.linkColumns(to: table) + [table.mixedInverse] {
            for kind in [ColumnSegment.backlinkLeaf, .backlinkParts, .backlinkBlobs] {
                segments.insert(column.segment(kind))
            }
        }
        for case let columns? in overlay.columns { forget(columns, isBacklink: false) }
        for columns in overlay.backlinks.values { forget(columns, isBacklink: true) }
        overlay.empty()
        return segments
    }
}

extension TableOverlay {
    fileprivate func empty() {
        columns = Array(repeating: nil, count: columns.count)
        indexes = Array(repeating: nil, count: indexes.count)
        compounds = [:]
        backlinks = [:]
        for bits in presence.values { bits.deallocate() }
        presence = [:]
        changedPresence = []
        lastDeletionCluster = -1
        listEdits = []
        unowned = KeyBits()
        unindexedFrom = state.nextKey
        state.count = 0
        for id in state.columns.keys {
            state.columns[id]!.indexRoot = 0
            state.columns[id]!.indexHeight = 0
            state.columns[id]!.indexCount = 0
        }
        emptiedClusters = counts.count
        counts = Array(repeating: 0, count: counts.count)
        for cluster in stride(from: 0, to: counts.count, by: TableCache.clustersPerBlock) {
            changedCounts.insert(cluster)
        }
        cache = nil
    }
}
