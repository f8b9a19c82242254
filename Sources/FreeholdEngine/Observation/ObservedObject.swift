/// An observed object, with the changes of its properties from version to version.
///
/// It is a value, which only one thread at a time may use.
public struct ObservedObject: Sendable {
    public enum Change: Equatable, Sendable {
        case deleted
        /// - columns: the ids of the object's own watched columns that were set, in ascending order.
        /// - paths: the positions of the watched paths with changes, in ascending order. Without paths, it is empty.
        case modified(columns: [Int], paths: [Int])
    }

    public let table: Table
    public let key: ObjectKey
    public private(set) var snapshot: Snapshot
    public private(set) var isDeleted: Bool
    private let paths: [ModificationWatch]?
    /// The ids of the columns with which the paths begin, or `nil` for all columns.
    private let columns: Set<Int>?

    /// - Parameter paths: the watched paths (see `WatchedPaths.paths`), or `nil` for all columns of the object itself.
    /// - Parameter key: the key of the object.
    /// - Parameter snapshot: the first version.
    /// - Parameter table: the table of the object.
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

    /// Advances to a later version and returns the change.
    ///
    /// - Parameter changes: the changes between this version and the later one.
    /// - Parameter next: the later version.
    /// - Returns: the change, or `nil` if nothing that is watched was set.
    /// - Complexity: O(columns · log changes). With paths over links, O(changes and the backlinks that are followed from them).
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
    /// Returns whether an array in ascending order contains a key.
    /// - Complexity: O(log n).
    func containsSorted(_ key: ObjectKey) -> Bool {
        let i = partitionIndex { $0 < key }
        return i < count && self[i] == key
    }
}
