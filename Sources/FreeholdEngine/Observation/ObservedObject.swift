/// One object, and which of its properties change from version to version.
///
/// A value; one thread at a time.
public struct ObservedObject: Sendable {
    public enum Change: Equatable, Sendable {
        case deleted
        /// - columns: the ids of the object's own columns that were set, rising; of those watched.
        /// - paths: the positions, rising, of the watched paths on which something changed; none without paths.
        case modified(columns: [Int], paths: [Int])
    }

    public let table: Table
    public let key: ObjectKey
    public private(set) var snapshot: Snapshot
    public private(set) var isDeleted: Bool
    private let paths: [ModificationWatch]?
    /// Ids of the columns that the paths begin with, or `nil` for all.
    private let columns: Set<Int>?

    /// - Parameter paths: what is watched (see `WatchedPaths.paths`), or `nil` for all columns of the object itself.
    /// - Parameter key: the object's key.
    /// - Parameter snapshot: the version that it begins with.
    /// - Parameter table: the object's table.
    public init(_ table: Table, _ key: ObjectKey, paths: [PropertyPath]? = nil, in snapshot: Snapshot) {
        self.table = table
        self.key = key
        self.snapshot = snapshot
        isDeleted = !snapshot.contains(table, key)
        self.paths = paths?.map { ModificationWatch(.paths([$0]), table, in: snapshot.schema) }
        columns = paths.map { paths in
            var tree = WatchTree(table)
            for path in paths { tree.add(path) }
            return tree.nodes[0].columns
        }
    }

    /// Moves on to a later version.
    ///
    /// - Parameter changes: what lies between this version and that one.
    /// - Parameter next: the later version.
    /// - Returns: nil where nothing that is watched was set.
    /// - Complexity: O(columns · log changes); with paths over links O(changes and the links that lead back from them).
    public mutating func advance(to next: Snapshot, _ changes: VersionChanges) -> Change? {
        precondition(changes.from == snapshot.version && changes.to == next.version, "changes of other versions")
        snapshot = next
        if isDeleted { return nil }
        guard next.contains(table, key) else {
            isDeleted = true
            return .deleted
        }
        let modified = changes.tables[table.id]?.modified ?? [:]
        var columns: [Int] = []
        for (id, keys) in modified where keys.containsSorted(key) {
            if self.columns?.contains(id) ?? true { columns.append(id) }
        }
        columns.sort()
        var fired: [Int] = []
        for (i, path) in (paths ?? []).enumerated() {
            let affected = path.affected(by: changes, in: next, elements: 1) { [key] }
            if affected.containsSorted(key) { fired.append(i) }
        }
        return columns.isEmpty && fired.isEmpty ? nil : .modified(columns: columns, paths: fired)
    }
}

extension [ObjectKey] {
    /// Of rising keys. - Complexity: O(log n).
    func containsSorted(_ key: ObjectKey) -> Bool {
        let i = partitionIndex { $0 < key }
        return i < count && self[i] == key
    }
}
