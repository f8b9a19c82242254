extension Snapshot {
    /// A number that changes with the tables, columns or indexes of the file.
    public var schemaRevision: UInt64 { root.schemaRevision }
}

extension ObservedQuery {
    /// Returns the changes of the objects since this query was observed with the columns of another schema. The old plan can't be continued, because
    /// it could search indexes that have been removed.
    ///
    /// - Parameters:
    ///   - old: the same query at an earlier version.
    ///   - changes: the changes between that version and this one.
    /// - Complexity: O(n)
    public func changes(since old: ObservedQuery, _ changes: VersionChanges) -> CollectionChanges? {
        if old.isOwnerDeleted { return nil }
        var out = SequenceDifference.changes(from: old.keys, to: keys)
        let modified = plan.watch.affected(by: changes, in: snapshot, elements: keys.count) { keys.array }
        if !modified.isEmpty {
            let wanted = Set(modified)
            var positions: [Int] = []
            old.keys.forEachPosition { i, key in if wanted.contains(key) { positions.append(i) } }
            out.setModifications(positions)
        }
        return out.isEmpty ? nil : out
    }
}
