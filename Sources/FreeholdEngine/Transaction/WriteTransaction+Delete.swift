/// The deletion of objects, with the links to them and the data that they store outside of their slots.
extension WriteTransaction {
    /// Deletes an object. Links to it become null, and lists and sets lose it. Its own links, lists and long values are deleted, and so are the
    /// embedded objects that it owns, to any depth, and the objects that the rules of its links delete with it. It does nothing if the object doesn't
    /// exist. It doesn't check whether a rule denies the deletion: see `checkDeletable`.
    /// - Complexity: O(columns + incoming and outgoing links), and the same for each object that is deleted with it.
    public func delete(_ table: Table, _ key: ObjectKey) {
        guard contains(table, key) else { return }
        // Links to the object's placeholders become links to the object.
        if !table.isHidden { resolvePlaceholders() }
        spillIfOverBudget()
        noteFollowers(table, CollectionOfOne(key))
        delete(overlay(table), currentSchema.linkColumns(to: table), key: key)
        deleteOrphans()
    }

    /// Deletes the objects that exist.
    public func delete(_ table: Table, _ keys: [ObjectKey]) {
        if !table.isHidden { resolvePlaceholders() }
        if areAll(keys, of: table) { return deleteAll(table) }
        noteFollowers(table, keys)
        leaveCollections(table, keys)
        delete(table, keys, incoming: currentSchema.linkColumns(to: table)) { deleteOrphans() }
    }

    /// - Parameters:
    ///   - incoming: the columns whose links to the objects have to be removed.
    ///   - afterCluster: a closure that is called when the objects of a cluster have been deleted.
    func delete(_ table: Table, _ keys: [ObjectKey], incoming: [Column], afterCluster: () -> Void) {
        let overlay = overlay(table)
        let columns = table.storedColumns.filter(Self.keepsOutside)
        var from = 0
        while from < keys.count {
            let cluster = locate(keys[from]).cluster
            var to = from + 1
            while to < keys.count, keys[to] > keys[to - 1], locate(keys[to]).cluster == cluster { to += 1 }
            if incoming.isEmpty, to - from > 8, !hasMixedLinks(to: table, cluster: cluster) {
                delete(overlay, columns, cluster: cluster, keys: keys[from..<to].filter { contains(table, $0) })
            } else {
                for key in keys[from..<to] where contains(table, key) {
                    delete(overlay, incoming, columns: columns, key: key)
                }
            }
            from = to
            afterCluster()
        }
    }

    /// Deletes live objects of one cluster, in ascending order and without incoming links, one column at a time.
    private func delete(_ overlay: TableOverlay, _ columns: [Column], cluster: Int, keys: [ObjectKey]) {
        if let journal { for key in keys { journal.rowGone(overlay.table, key, in: self) } }
        if hasHiddenLinks(overlay.table.id) { for key in keys { dropHiddenLinks(of: overlay.table, key) } }
        if !overlay.table.compounds.isEmpty { for key in keys { releaseCompounds(overlay, key) } }
        let isWhole = keys.count == liveCount(overlay.table, cluster: cluster)
        for column in columns where !release(column, overlay, cluster: cluster, keys: keys, isWhole: isWhole) {
            for key in keys { release(column, overlay, key: key) }
        }
        removeRows(overlay, cluster, keys: keys)
    }

    /// Releases the values of objects in the common cases, for which the leaf is sufficient.
    ///
    /// - Parameter isWhole: whether the objects are all objects of the cluster, whose leaves are then deleted.
    /// - Returns: false if the objects have to be released one by one.
    private func release(
        _ column: Column,
        _ overlay: TableOverlay,
        cluster: Int,
        keys: [ObjectKey],
        isWhole: Bool
    ) -> Bool {
        if column.collection != .none {
            guard column.type != .link, column.type != .mixed, !column.hasIndex else { return false }
            if isWhole, buffer(column, cluster: cluster) == nil { return !hasReferences(column, cluster) }
            clearCollections(column, overlay, cluster: cluster, keys: keys)
            return true
        }
        guard buffer(column, cluster: cluster) == nil else { return false }
        guard let leaf = leaf(column, cluster: cluster).map({ Leaf($0) }) else {
            return !column.hasIndex && !column.isPrimaryKey
        }
        if leaf.isSplit || leaf.hasReferences { return false }
        if column.hasIndex || column.isPrimaryKey { return removeEntries(column, overlay, leaf: leaf, keys: keys) }
        return column.type != .link && column.type != .mixed
    }

    /// Returns whether a cluster's leaf that isn't decoded refers to data outside of it.
    private func hasReferences(_ column: Column, _ cluster: Int) -> Bool {
        guard let leaf = leaf(column, cluster: cluster).map({ Leaf($0) }) else { return false }
        if !leaf.isSplit { return leaf.hasReferences }
        return (0..<1 << leaf.partsLog2).contains { part in
            leafPart(column, cluster: cluster, part: part).map { Leaf($0).hasReferences } ?? false
        }
    }

    /// Empties the collections of deleted objects, if their values are stored nowhere else.
    private func clearCollections(
        _ column: Column,
        _ overlay: TableOverlay,
        cluster: Int,
        keys: [ObjectKey]
    ) {
        let columns = columnOverlay(column)
        var buffer = writable(columns, cluster)
        for key in keys {
            let slot = locate(key).slot
            if buffer.isReference(slot) {
                release(column, overlay, key: key)
                // The buffer may have been encoded and released.
                buffer = writable(columns, cluster)
            } else if buffer.byteCount(slot) > 0 {
                buffer.setBytes(slot, UnsafeRawBufferPointer(start: nil, count: 0))
            }
        }
    }

    /// - Returns: false, without changes, for values whose index entries need more than the leaf's bytes.
    private func removeEntries(
        _ column: Column,
        _ overlay: TableOverlay,
        leaf: Leaf,
        keys: [ObjectKey]
    ) -> Bool {
        guard !leaf.hasNulls, column.type == .int || (column.type == .string && !column.isOptional) else {
            return false
        }
        let index = index(column)
        if index.words != nil { return false }
        let limit = column.isPrimaryKey ? Int64.max : overlay.unindexedFrom
        if column.type == .int {
            for key in keys where key.raw < limit {
                let slot = locate(key).slot
                index.changes.removeInt(slot < leaf.count ? leaf.int(slot) : 0, key: key.raw)
            }
        } else {
            withUnsafeTemporaryAllocation(byteCount: 80, alignment: 8) { room in
                let none = UnsafeRawBufferPointer(start: nil, count: 0)
                for key in keys where key.raw < limit {
                    let slot = locate(key).slot
                    let bytes = slot < leaf.count ? leaf.bytes(slot) : none
                    let length = OrderedEncoding.string(bytes, room.baseAddress!)
                    index.changes.remove(UnsafeRawBufferPointer(start: room.baseAddress!, count: length), key.raw)
                }
            }
        }
        flushIfLarge(index, overlay)
        return true
    }

    /// Deletes one object, without the objects that follow it.
    func delete(_ overlay: TableOverlay, _ incoming: [Column], key: ObjectKey) {
        delete(overlay, incoming, columns: overlay.table.storedColumns.filter(Self.keepsOutside), key: key)
    }

    private func delete(_ overlay: TableOverlay, _ incoming: [Column], columns: [Column], key: ObjectKey) {
        if hasHiddenLinks(overlay.table.id) { dropHiddenLinks(of: overlay.table, key) }
        journal?.rowGone(overlay.table, key, in: self)
        _ = hideLinks(to: overlay.table, key)
        followingDeletion {
            for column in incoming { unlink(column, from: key) }
            unlinkMixed(overlay.table, from: key)
        }
        if !overlay.table.compounds.isEmpty { releaseCompounds(overlay, key) }
        for column in columns { release(column, overlay, key: key) }
        removeRow(overlay, key)
    }

    /// Returns whether a column's values store data outside of their slot: an index entry, a link's inverse or chunks.
    private static func keepsOutside(_ column: Column) -> Bool {
        column.collection != .none || column.hasIndex || column.isPrimaryKey || column.type == .link
            || LeafBuffer.kind(of: column.type) == .bytes
    }

    /// Deletes all objects of a table, even if the rules of links deny it.
    /// - Complexity: see `deleteAll(_:)` of several tables.
    public func deleteAll(_ table: Table) { deleteAll([table]) }

    /// Deletes all objects of a table in the general way.
    func deleteOneByOne(_ table: Table) {
        if !table.isHidden { resolvePlaceholders() }
        if currentSchema.deletions[table.id] != nil {
            for cluster in 0..<clusterCount(table) { noteFollowers(table, keys(table, cluster: cluster)) }
        }
        if !keepsLinks(to: table) { emptyCollections(of: table) }
        for cluster in 0..<clusterCount(table) {
            let keys = keys(table, cluster: cluster)
            delete(table, keys, incoming: currentSchema.linkColumns(to: table)) { deleteOrphans() }
        }
    }

    func keys(_ table: Table, cluster: Int) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        forEachKey(table, cluster: cluster) { keys.append($0) }
        return keys
    }

    /// Runs the body, whose changes of other objects are recorded as consequences of a deletion.
    @inline(__always)
    func followingDeletion(_ body: () -> Void) {
        guard let journal else { return body() }
        let cause = journal.cause
        journal.cause = .followsDeletion
        body()
        journal.cause = cause
    }

    /// Returns whether the transaction has set the value of an older object.
    func isModified(_ column: Column, _ key: ObjectKey) -> Bool {
        let (cluster, slot) = locate(key)
        guard let bits = tables[column.tableID]?.columns[column.index]?.modified[cluster] else { return false }
        return bits[slot >> 6] & 1 << UInt64(slot & 63) != 0
    }

    /// Removes all links of a column to an object.
    private func unlink(_ column: Column, from target: ObjectKey) {
        guard backlinkCount(column, target) > 0 else { return }
        var last: ObjectKey?
        for origin in backlinks(column, target) where origin != last {
            last = origin
            switch column.collection {
            case .none:
                journal?.followed(column, origin, value: .null, wasSet: isModified(column, origin))
                writeLink(column, origin, to: nil)
            case .list: listRemoveAll(column, origin, of: target)
            case .set: setRemoveLink(column, origin, to: target)
            case .dictionary: dictionaryNullLinks(column, origin, to: target)
            }
        }
    }

    /// Releases the data that a column stores outside of the slot of a deleted object.
    private func release(_ column: Column, _ overlay: TableOverlay, key: ObjectKey) {
        if column.collection != .none {
            listClear(column, key, isRecorded: false)
            return
        }
        if column.type == .link {
            if let target = readLink(column, key) {
                backlinks(of: column).add(target: target.raw, origin: key.raw, delta: -1)
                // The slot is cleared, so that a later read of the stale leaf finds null.
                let (cluster, slot) = locate(key)
                if let buffer = buffer(column, cluster: cluster) { buffer.setInt(slot, 0) }
                if currentSchema.ownsTargets(column) { ownershipChanged(column, target, by: -1) }
            }
            return
        }
        if column.isPrimaryKey || (column.hasIndex && key.raw < overlay.unindexedFrom) {
            let index = index(column)
            index.remove(value(column, key), key)
            flushIfLarge(index, overlay)
        }
        if column.type == .mixed, hasLinks(column, key) {
            linksChanged(column, key, removed: [value(column, key)], added: [])
        }
        if LeafBuffer.kind(of: column.type) == .bytes { releaseLong(column, key) }
    }

    private func hasLinks(_ column: Column, _ key: ObjectKey) -> Bool { value(column, key).hasObjectLinks }

    private func releaseLong(_ column: Column, _ key: ObjectKey) {
        var (cluster, slot) = locate(key)
        if let buffer = buffer(column, cluster: cluster) {
            if buffer.isReference(slot) {
                freeLong(buffer, slot, segment: column.segment(.blobs))
                buffer.setDefault(slot)
            }
        } else if let leaf = locatedLeaf(column, cluster: cluster, slot: &slot), leaf.isReference(slot) {
            freeLong(leaf.reference(slot), column.segment(.blobs))
        }
    }

    private func removeRow(_ overlay: TableOverlay, _ key: ObjectKey) {
        removeRows(overlay, locate(key).cluster, keys: CollectionOfOne(key))
    }

    /// Removes live objects of a cluster from its bitmap.
    @inline(__always)
    private func removeRows(_ overlay: TableOverlay, _ cluster: Int, keys: some Collection<ObjectKey>) {
        let bits = presenceBits(overlay, cluster)
        for key in keys {
            let slot = locate(key).slot
            bits[slot >> 6] &= ~(1 << UInt64(slot & 63))
            if overlay.isEmbedded { overlay.unowned.remove(key.raw) }
        }
        let live = overlay.counts[cluster] & ~TableCache.presenceFlag
        overlay.counts[cluster] = (live - UInt16(keys.count)) | TableCache.presenceFlag
        if overlay.lastDeletionCluster != cluster {
            overlay.lastDeletionCluster = cluster
            overlay.changedCounts.insert(cluster)
            overlay.changedPresence.insert(cluster)
        }
        overlay.state.count -= keys.count
        overlay.cache = nil
    }
}
