#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

extension VersionChanges {
    /// Creates the differences between two versions, for the tables and columns that both have.
    ///
    /// Leaves that weren't written have the same address in both versions, so most of them are skipped.
    /// - Complexity: O(clusters · columns + objects in changed leaves and in leaves with long values).
    init(comparing old: Snapshot, with new: Snapshot) {
        self.init(from: old.version, to: new.version)
        isCompared = true
        for table in new.schema.tables {
            guard let before = old.schema.table(id: table.id) else {
                tables[table.id] = TableDelta(all: new.keys(table))
                continue
            }
            let delta = TableComparison(old: old, new: new, before: before, after: table).delta()
            if let delta { tables[table.id] = delta }
        }
    }
}

extension VersionChanges.TableDelta {
    fileprivate init(all keys: [ObjectKey]) {
        inserted = keys
        edits = nil
    }
}

/// The comparison of two states of one table.
private struct TableComparison {
    let old: Snapshot
    let new: Snapshot
    let before: Table
    let after: Table

    /// Returns the differences, or `nil` if the states are equal.
    func delta() -> VersionChanges.TableDelta? {
        var out = VersionChanges.TableDelta()
        out.edits = nil
        let clusters = max(old.clusterCount(before), new.clusterCount(after))
        for cluster in 0..<clusters { comparePresence(cluster, &out) }
        for column in after.columns {
            guard let origin = before.columns.first(where: { $0.id == column.id }),
                origin.type == column.type, origin.collection == column.collection
            else { continue }
            var keys: [ObjectKey] = []
            for cluster in 0..<min(old.clusterCount(before), clusters)
            where !isSame(origin, as: column, inCluster: cluster) {
                old.forEachKey(before, cluster: cluster) { key in
                    guard new.contains(after, key), !isEqual(origin, to: column, key: key) else { return }
                    keys.append(key)
                    compareLinks(column, key, into: &out)
                }
            }
            if !keys.isEmpty { out.modified[column.id] = keys }
            for key in out.deleted { links(old, column, key: key, delta: -1, into: &out) }
            for key in out.inserted { links(new, column, key: key, delta: 1, into: &out) }
        }
        let isSame = out.inserted.isEmpty && out.deleted.isEmpty && out.modified.isEmpty
        return isSame ? nil : out
    }

    private func comparePresence(_ cluster: Int, _ out: inout VersionChanges.TableDelta) {
        let oldCount = cluster < old.clusterCount(before) ? old.liveCount(before, cluster: cluster) : 0
        let newCount = cluster < new.clusterCount(after) ? new.liveCount(after, cluster: cluster) : 0
        if oldCount == newCount {
            if oldCount == 0 { return }
            let a = old.presence(before, cluster: cluster)
            let b = new.presence(after, cluster: cluster)
            if a == b { return }
        }
        if oldCount > 0 {
            old.forEachKey(before, cluster: cluster) { if !new.contains(after, $0) { out.deleted.append($0) } }
        }
        if newCount > 0 {
            new.forEachKey(after, cluster: cluster) { if !old.contains(before, $0) { out.inserted.append($0) } }
        }
    }

    /// Returns whether a leaf is the same in both versions, if its own bytes are sufficient for the answer.
    private func isSame(_ a: Column, as b: Column, inCluster cluster: Int) -> Bool {
        guard let x = old.leaf(a, cluster: cluster), let y = new.leaf(b, cluster: cluster) else {
            return old.leaf(a, cluster: cluster) == nil && new.leaf(b, cluster: cluster) == nil
        }
        // Values that are stored outside of the leaf can change without a change of the leaf.
        let leaf = Leaf(y)
        if leaf.isSplit || leaf.hasReferences { return false }
        if x == y { return true }
        let number = UInt64(cluster)
        return old.hasSameSeal(as: new, segment: a.segment(.leaf), otherSegment: b.segment(.leaf), number: number)
    }

    private func isEqual(_ a: Column, to b: Column, key: ObjectKey) -> Bool {
        switch b.collection {
        case .none: return old.value(a, key) == new.value(b, key)
        case .list, .set: return old.listValues(a, key) == new.listValues(b, key)
        case .dictionary:
            let x = old.dictionaryEntries(a, key)
            let y = new.dictionaryEntries(b, key)
            return x.count == y.count && zip(x, y).allSatisfy { $0.key == $1.key && $0.value == $1.value }
        }
    }

    // MARK: Links

    private func compareLinks(_ column: Column, _ key: ObjectKey, into out: inout VersionChanges.TableDelta) {
        links(old, column, key: key, delta: -1, into: &out)
        links(new, column, key: key, delta: 1, into: &out)
    }

    private func links(
        _ view: Snapshot,
        _ column: Column,
        key: ObjectKey,
        delta: Int,
        into out: inout VersionChanges.TableDelta
    ) {
        guard column.type == .link || column.type == .mixed else { return }
        view.forEachTarget(column, key) { target in
            out.links.append(
                LinkEdit(
                    column: column.id,
                    origin: key,
                    targetTable: target.tableID,
                    target: target.key,
                    delta: delta
                )
            )
        }
    }
}
