/// When an element of an observed collection, or an observed object, counts as modified.
public enum WatchedPaths: Sendable {
    /// When it, or an object that it links to over at most three links, changed.
    case deep
    /// When one of its own columns changed.
    case shallow
    /// When something on one of these paths changed: the columns and links on them, and the column that each ends with.
    /// They can cross links, collections, embedded objects and, as a step, backlinks.
    case paths([PropertyPath])
}

/// Up to how much change is followed step by step.
struct ObservationLimits: Sendable {
    /// More changed objects than this, and than a quarter of the result: the query is run again.
    var rerun = 1024
    /// More objects than this, and than four times as many as are asked about, between what changed and what may be
    /// affected: it is walked the other way. 0: always.
    var back = 1000

    func rerun(_ rows: Int) -> Int { rerun == 0 ? -1 : max(rerun, rows / 4) }
    func back(_ elements: Int) -> Int { back == 0 ? 0 : max(back, elements * 4) }
}

/// What is watched for modifications of objects of one table, ready to be asked.
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

    /// Those of some objects that count as modified, and maybe others, rising.
    ///
    /// - Parameters:
    ///   - elements: how many objects are asked about.
    ///   - all: these; some may be gone.
    /// - Complexity: O(changes and the links that lead back from them), or, where that is far more than `elements`, these
    ///   and the links that lead on from them.
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
        _ isAffected: (ObjectKey) -> Bool
    ) -> [ObjectKey] {
        var found = keys.filter { view.contains(table, $0) && isAffected($0) }
        found.sortUnique()
        return found
    }
}
