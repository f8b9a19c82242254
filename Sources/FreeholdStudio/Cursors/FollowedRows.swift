import FreeholdEngine

/// The objects of a query at one version, followed from version to version.
///
/// The objects of a whole class have no list of keys: their positions are computed from the table. All other results hold eight bytes for each
/// object.
struct FollowedRows: Sendable {
    private enum Content {
        case table(Snapshot)
        case query(ObservedQuery)
    }

    private let table: Table
    private var content: Content

    /// The changes between two versions.
    struct Change: Equatable {
        /// The first position at which objects were inserted, deleted or moved.
        var movedFrom: Int?
        /// A Boolean value that indicates whether an object was modified.
        var isModified = false
    }

    /// - Complexity: O(1) for a whole class, otherwise like running the query.
    init(_ compiled: TableQuery.Compiled, in snapshot: Snapshot) {
        table = compiled.table
        content =
            compiled.isWhole
            ? .table(snapshot)
            : .query(ObservedQuery(compiled.query, from: compiled.origin, watching: .paths([]), in: snapshot))
    }

    var snapshot: Snapshot {
        switch content {
        case .table(let snapshot): snapshot
        case .query(let query): query.snapshot
        }
    }

    var count: Int {
        switch content {
        case .table(let snapshot): snapshot.count(table)
        case .query(let query): query.keys.count
        }
    }

    /// The memory of the keys in bytes.
    var keyBytes: Int {
        switch content {
        case .table: 0
        case .query(let query): query.keys.count * MemoryLayout<ObjectKey>.size
        }
    }

    /// Returns the keys at a range of positions. Positions after the end are ignored.
    /// - Complexity: O(positions · log n)
    func keys(_ range: Range<Int>) -> [ObjectKey] {
        let range = range.clamped(to: 0..<count)
        switch content {
        case .table(let snapshot): return range.map { snapshot.key(at: $0, in: table) }
        case .query(let query): return range.map { query.keys[$0] }
        }
    }

    /// Returns the position of an object, or `nil` if the result doesn't contain it.
    /// - Complexity: O(1) for a whole class, otherwise O(n).
    func position(of key: ObjectKey) -> Int? {
        switch content {
        case .table(let snapshot): snapshot.index(of: key, in: table)
        case .query(let query): query.keys.firstIndex(of: key)
        }
    }

    /// Advances to a later version with the same schema.
    /// - Complexity: O(1) for a whole class, otherwise like `ObservedQuery.advance`.
    mutating func advance(to next: Snapshot, _ changes: VersionChanges) -> Change {
        let delta = changes.tables[table.id]
        var change = Change()
        change.isModified = delta?.modified.isEmpty == false
        switch content {
        case .table(let old):
            if let first = delta?.deleted.first { change.movedFrom = old.index(of: first, in: table) ?? 0 }
            if delta?.inserted.isEmpty == false {
                change.movedFrom = min(change.movedFrom ?? .max, old.count(table))
            }
            content = .table(next)
        case .query(var query):
            // The copy in `content` would make each edit of the keys copy them.
            content = .table(next)
            if let found = query.advance(to: next, changes) {
                change.movedFrom = [found.deletions.first, found.insertions.first].compactMap { $0 }.min()
            }
            content = .query(query)
        }
        return change
    }
}
