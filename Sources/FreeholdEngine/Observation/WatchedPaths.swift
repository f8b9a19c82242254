/// When an element of an observed collection, or an observed object, counts as modified.
package enum WatchedPaths: Sendable {
    /// When it, or an object that it links to over at most three links, changed.
    case deep
    /// When one of its own columns changed.
    case shallow
    /// When something on one of these paths changed: the columns and links on them, and the column that each ends with.
    /// They can cross links, collections, embedded objects and, as a step, backlinks.
    case paths([PropertyPath])
}

/// The same, ready to be asked.
enum ModificationWatch: Sendable {
    case deep(DeepReach)
    case paths(WatchTree)
    case none

    /// - Parameter table: nil for elements that are no objects.
    init(_ watched: WatchedPaths, _ table: Table?, in schema: DatabaseSchema) {
        guard let table else {
            self = .none
            return
        }
        switch watched {
        case .deep: self = .deep(DeepReach(table, in: schema))
        case .shallow:
            var tree = WatchTree(table)
            for column in table.columns { tree.add(PropertyPath(column)) }
            self = .paths(tree)
        case .paths(let paths):
            var tree = WatchTree(table)
            for path in paths { tree.add(path) }
            self = tree.isEmpty ? .none : .paths(tree)
        }
    }

    /// The objects that count as modified, rising; some may be new or gone.
    func affected(by changes: VersionChanges, in view: Snapshot, limit: Int = .max) -> [ObjectKey]? {
        switch self {
        case .deep(let reach): reach.affected(by: changes, in: view, limit: limit)
        case .paths(let tree): tree.affected(by: changes, in: view, limit: limit)
        case .none: []
        }
    }
}
