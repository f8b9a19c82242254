/// The rule by which an element of an observed collection, or an observed object, counts as modified.
public enum WatchedPaths: Sendable {
    /// The object, or an object to which it links over at most three links, changed.
    case deep
    /// A column of the object itself changed.
    case shallow
    /// One of the columns or links on these paths changed, including the column at the end of each path. Paths can contain links, collections,
    /// embedded objects and backlinks.
    case paths([PropertyPath])
}

/// The limits up to which changes are followed step by step.
struct ObservationLimits: Sendable {
    /// The query is run again if more objects than this, and more than a quarter of the result, have changed.
    var rerun = 1024
    /// The walk goes in the other direction if it would visit more objects than this, and more than four times the number of requested objects,
    /// between the changes and the objects that may be affected. 0 means always.
    var back = 1000

    func rerun(_ rows: Int) -> Int { rerun == 0 ? -1 : max(rerun, rows / 4) }
    func back(_ elements: Int) -> Int { back == 0 ? 0 : max(back, elements * 4) }
}

/// The watched modifications of objects of one table, in a prepared form.
struct ModificationWatch: Sendable {
    private enum Kind: Sendable {
        case deep(DeepReach)
        case paths(WatchTree)
        case none
    }

    private let kind: Kind
    private let table: Table
    private let limits: ObservationLimits

    init(
        _ watched: WatchedPaths,
        _ table: Table,
        in schema: DatabaseSchema,
        limits: ObservationLimits = ObservationLimits()
    ) {
        self.table = table
        self.limits = limits
        switch watched {
        case .deep: kind = .deep(DeepReach(table, in: schema))
        case .shallow:
            var tree = WatchTree(table)
            for column in table.columns { tree.add(PropertyPath(column)) }
            kind = .paths(tree)
        case .paths(let paths):
            var tree = WatchTree(table)
            for path in paths { tree.add(path) }
            kind = tree.isEmpty ? .none : .paths(tree)
        }
    }

    /// Returns the objects that count as modified, in ascending order of keys. The result may contain other objects.
    ///
    /// - Parameters:
    ///   - elements: the number of requested objects.
    ///   - all: returns the requested objects. Some may have been deleted.
    /// - Complexity: O(changes and the backlinks that are followed from them). If that is much more than `elements`, O(elements and the links that
    ///   are followed from them).
    func affected(
        by changes: VersionChanges,
        in view: Snapshot,
        elements: Int,
        all: () -> [ObjectKey]
    ) -> [ObjectKey] {
        let limit = limits.back(elements)
        switch kind {
        case .none: return []
        case .deep(let reach):
            if let found = reach.affected(by: changes, in: view, limit: limit) { return found }
            var walk = DeepWalk(changes, in: view)
            return rising(all(), view) { walk.reaches(table.id, $0) }
        case .paths(let tree):
            if let found = tree.affected(by: changes, in: view, limit: limit) { return found }
            var walk = PathWalk(tree, changes, in: view)
            return rising(all(), view) { walk.reaches($0) }
        }
    }

    private func rising(
        _ keys: [ObjectKey],
        _ view: Snapshot,
        isAffected: (ObjectKey) -> Bool
    ) -> [ObjectKey] {
        var found = keys.filter { view.contains(table, $0) && isAffected($0) }
        found.sortUnique()
        return found
    }
}
