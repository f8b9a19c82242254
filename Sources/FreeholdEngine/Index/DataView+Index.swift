#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The look-up of objects by value, and the update of indexes.
extension DataView {
    /// Returns the index of a column, after merging all pending changes into it, or `nil` if the column doesn't have an index.
    func searchTree(_ column: Column) -> IndexTree? {
        guard column.hasIndex || column.isPrimaryKey else { return nil }
        settleIndex(column)
        let state = columnState(column)
        return IndexTree(
            segment: column.segment(.index),
            root: state.indexRoot,
            height: state.indexHeight,
            count: state.indexCount
        )
    }

    /// Returns the object with that primary key, or `nil` if it doesn't exist or the table doesn't have a primary key.
    /// - Complexity: O(log n).
    public func find(primaryKey value: Value, in table: Table) -> ObjectKey? {
        guard let column = table.primaryKey else { return nil }
        if let pending = pendingPrimaryKey(value, table) { return pending }
        return firstKey(value, column)
    }

    /// Returns the object whose primary key is that integer.
    /// - Complexity: O(log n).
    package func find(primaryKey value: Int64, in table: Table) -> ObjectKey? {
        guard self is Snapshot, let column = table.primaryKey else { return find(primaryKey: .int(value), in: table) }
        return find(value, primaryKey: column)
    }

    /// Returns the object with that integer in a primary key column of integers.
    /// - Precondition: the view isn't a write transaction.
    /// - Complexity: O(log n).
    package func find(_ value: Int64, primaryKey column: Column) -> ObjectKey? {
        guard let tree = searchTree(column) else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { room in
            let length = OrderedEncoding.int(value, room.baseAddress!)
            return tree.find(UnsafeRawBufferPointer(start: room.baseAddress!, count: length), in: self)
                .map { ObjectKey($0) }
        }
    }

    func firstKey(_ value: Value, _ column: Column) -> ObjectKey? {
        guard let tree = searchTree(column) else { return nil }
        let found = OrderedEncoding.with(value) { bytes -> ObjectKey? in
            if !OrderedEncoding.needsCheck(bytes) { return tree.find(bytes, in: self).map { ObjectKey($0) } }
            var found: ObjectKey?
            tree.forEach(bytes, in: self) { key in
                if self.value(column, ObjectKey(key)) == value { found = ObjectKey(key) }
                return found == nil
            }
            return found
        }
        return found ?? nil
    }

    /// Returns the objects whose indexed column has that value, in ascending order of keys. Returns an empty array if the column doesn't have an
    /// index.
    /// - Complexity: O(log n + matches).
    public func find(_ value: Value, indexed column: Column) -> [ObjectKey] {
        indexLookup(column, value) ?? []
    }

    /// Like `find(_:indexed:)`, but returns `nil` if the column doesn't have an index of values, or if more than `limit` entries have the value.
    func indexLookup(_ column: Column, _ value: Value, atMost limit: Int = .max) -> [ObjectKey]? {
        guard column.isIndexed || column.isPrimaryKey, let tree = searchTree(column) else { return nil }
        var keys: [ObjectKey] = []
        var isComplete = true
        _ = OrderedEncoding.with(value, column.type) { bytes in
            tree.forEach(bytes, in: self) { key in
                isComplete = keys.count < limit
                if isComplete { keys.append(ObjectKey(key)) }
                return isComplete
            }
            guard OrderedEncoding.needsCheck(bytes) else { return }
            if column.type == .mixed {
                keys.removeAll { !Value.areEqual(self.value(column, $0), value) }
            } else {
                keys.removeAll { self.value(column, $0) != value }
            }
        }
        return isComplete ? keys : nil
    }
}

extension IndexOverlay {
    @inline(__always)
    func insert(_ value: Value, _ key: ObjectKey) {
        if case .int(let v) = value, !isMixed {
            changes.insertInt(v, key: key.raw)
            if v > greatestInt { greatestInt = v }
        } else if let words {
            value.withText { words.insert($0, key.raw, in: changes) }
        } else {
            changes.insert(value, key, type: column.type)
        }
    }

    @inline(__always)
    func remove(_ value: Value, _ key: ObjectKey) {
        if case .int(let v) = value, !isMixed {
            changes.removeInt(v, key: key.raw)
        } else if let words {
            value.withText { words.remove($0, key.raw, in: changes) }
        } else {
            changes.remove(value, key, type: column.type)
        }
    }

    func replace(_ old: Value, with new: Value, of key: ObjectKey) {
        if let words {
            old.withText { old in new.withText { words.replace(old, with: $0, key: key.raw, in: changes) } }
        } else {
            remove(old, key)
            insert(new, key)
        }
    }
}

extension WriteTransaction {
    func index(_ column: Column) -> IndexOverlay { index(column, overlay(currentSchema.table(of: column))) }

    @inline(__always)
    func index(_ column: Column, _ table: TableOverlay) -> IndexOverlay {
        if let found = table.indexes[column.index] { return found }
        return openIndex(column, table)
    }

    @inline(never)
    private func openIndex(_ column: Column, _ table: TableOverlay) -> IndexOverlay {
        if let found = table.indexes[column.index] { return found }
        let state = table.state.columns[column.id] ?? .init()
        let tree = IndexTree(
            segment: column.segment(.index),
            root: state.indexRoot,
            height: state.indexHeight,
            count: state.indexCount
        )
        let greatest = tree.maximum(in: self) { bytes, _ in OrderedEncoding.decodedInt(bytes) } ?? .min
        let made = IndexOverlay(column: column, tree: tree, greatestInt: greatest)
        table.indexes[column.index] = made
        return made
    }

    /// Returns the result of the pending changes of a primary key's index. Every creation searches this index, so pending changes are searched
    /// instead of merged.
    func pendingInIndex(_ value: Value, _ table: Table) -> ObjectKey?? {
        guard let column = table.primaryKey, let overlay = tables[table.id],
            let index = overlay.indexes[column.index], !index.changes.isEmpty
        else { return nil }
        let answer = OrderedEncoding.with(value) { bytes -> ObjectKey?? in
            if OrderedEncoding.needsCheck(bytes) {
                settleIndexes(overlay)
                return nil
            }
            switch index.changes.find(bytes) {
            case .inserted(let key): return .some(ObjectKey(key))
            case .removed: return .some(nil)
            case .unchanged: return .some(index.tree.find(bytes, in: self).map { ObjectKey($0) })
            }
        }
        return answer ?? nil
    }

    /// Merges the pending changes of a table's indexes into their trees.
    ///
    /// - Parameter relieving: whether the memory budget is kept meanwhile. In this case, callers must not hold pointers into blocks or decoded
    ///   leaves.
    func settleIndexes(_ overlay: TableOverlay, relieving: Bool = false) {
        indexNewObjects(overlay)
        if !overlay.compounds.isEmpty { settleCompounds(overlay) }
        for index in overlay.indexes {
            if let index { settle(index, overlay, relieving: relieving) }
        }
    }

    private func settle(_ index: IndexOverlay, _ overlay: TableOverlay, relieving: Bool = false) {
        guard !index.changes.isEmpty else { return }
        index.tree.apply(index.changes, in: self) { _ in if relieving { spillIfOverBudget() } }
        var state = overlay.state.columns[index.column.id] ?? .init()
        state.indexRoot = index.tree.root
        state.indexHeight = index.tree.height
        state.indexCount = index.tree.count
        overlay.state.columns[index.column.id] = state
    }

    /// Merges the pending changes of an index when they exceed the memory budget.
    @inline(__always)
    func flushIfLarge(_ index: IndexOverlay, _ overlay: TableOverlay) {
        if index.changes.memory > core.memoryBudget { settle(index, overlay) }
    }

    /// Fills a new index with the existing objects.
    func fillIndex(_ column: Column) {
        let table = currentSchema.table(of: column)
        let overlay = overlay(table)
        let index = index(column)
        for cluster in overlay.counts.indices {
            indexCluster(table, column, in: index, cluster: cluster, from: 0)
            flushIfLarge(index, overlay)
        }
    }

    /// Adds the objects that were created since the last settling to search indexes, column by column.
    private func indexNewObjects(_ overlay: TableOverlay) {
        let first = overlay.unindexedFrom
        guard first < overlay.state.nextKey else { return }
        overlay.unindexedFrom = overlay.state.nextKey
        fillCompounds(overlay, from: first)
        for column in overlay.table.storedColumns where column.hasIndex && !column.isPrimaryKey {
            let index = index(column)
            for cluster in Int(first) / clusterSpan..<overlay.counts.count {
                indexCluster(overlay.table, column, in: index, cluster: cluster, from: first)
                flushIfLarge(index, overlay)
            }
        }
    }

    private func indexCluster(
        _ table: Table,
        _ column: Column,
        in index: IndexOverlay,
        cluster: Int,
        from first: Int64
    ) {
        if column.indexKind == .places {
            forEachKey(table, cluster: cluster) { if $0.raw >= first { index.insertPlace($0, in: self) } }
            return
        }
        let leaf = leaf(column, cluster: cluster).map { Leaf($0) }
        forEachKey(table, cluster: cluster) { key in
            guard key.raw >= first else { return }
            let slot = Int(key.raw) % clusterSpan
            guard let leaf, !leaf.isSplit, slot < leaf.count, !leaf.isNull(slot) else {
                index.insert(value(column, key), key)
                return
            }
            if column.type == .int {
                index.changes.insertInt(leaf.int(slot), key: key.raw)
            } else if let words = index.words, !leaf.isReference(slot) {
                words.insert(leaf.bytes(slot), key.raw, in: index.changes)
            } else if column.type == .string, !leaf.isReference(slot) {
                withUnsafeTemporaryAllocation(byteCount: 80, alignment: 8) { room in
                    let length = OrderedEncoding.string(leaf.bytes(slot), room.baseAddress!)
                    index.changes.insert(UnsafeRawBufferPointer(start: room.baseAddress!, count: length), key.raw)
                }
            } else {
                index.insert(value(column, key), key)
            }
        }
    }
}
