extension Snapshot {
    /// Another one where the file's tables, columns or indexes have changed.
    public var schemaRevision: UInt64 { root.schemaRevision }
}

extension ObservedQuery {
    /// How the objects changed since this query was followed with the columns of another schema: a plan of that time
    /// could look for indexes that are gone.
    ///
    /// - Parameters:
    ///   - old: the same query, at an earlier version.
    ///   - changes: what lies between its version and this one.
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
