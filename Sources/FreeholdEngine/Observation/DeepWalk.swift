/// A walk forward from objects to changed objects. It is used if the walk backwards from the changed objects would visit too many objects.
struct DeepWalk {
    private let view: Snapshot
    private let changed: [Int: Set<ObjectKey>]
    /// The columns that lead towards a changed object, by the number of remaining links and the table id.
    private var columns: [[Int: [Column]]] = [[:]]
    /// The known results, by the number of remaining links and the table id.
    private var known: [[Int: [ObjectKey: Bool]]]

    init(_ changes: VersionChanges, in view: Snapshot) {
        self.view = view
        changed = changes.tables.compactMapValues { delta in
            if delta.modified.isEmpty { return nil }
            return delta.modified.values.reduce(into: []) { $0.formUnion($1) }
        }
        known = Array(repeating: [:], count: DeepReach.depth + 1)
        var leading = Set(changed.keys)
        for _ in 0..<DeepReach.depth {
            var next: [Int: [Column]] = [:]
            for table in view.schema.tables {
                let found = table.columns.filter { column in
                    column.type == .mixed ? !leading.isEmpty : column.targetTableID.map(leading.contains) ?? false
                }
                if !found.isEmpty { next[table.id] = found }
            }
            columns.append(next)
            leading.formUnion(next.keys)
        }
    }

    /// Returns whether an object changed, or one to which it links over at most `left` links.
    mutating func reaches(_ tableID: Int, _ key: ObjectKey, links left: Int = DeepReach.depth) -> Bool {
        if changed[tableID]?.contains(key) ?? false { return true }
        guard let columns = columns[left][tableID] else { return false }
        if let found = known[left][tableID]?[key] { return found }
        var found = false
        for column in columns where !found {
            var targets: [ObjectLink] = []
            view.forEachTarget(column, key) { targets.append($0) }
            found = targets.contains { reaches($0.tableID, $0.key, links: left - 1) }
        }
        known[left][tableID, default: [:]][key] = found
        return found
    }
}

/// Like `DeepWalk`, along watched paths.
struct PathWalk {
    private let tree: WatchTree
    private let view: Snapshot
    /// The objects that changed themselves, or gained or lost a watched link, by node.
    private var changed: [Set<ObjectKey>]
    private var known: [[ObjectKey: Bool]]

    init(_ tree: WatchTree, _ changes: VersionChanges, in view: Snapshot) {
        self.tree = tree
        self.view = view
        changed = tree.nodes.map { Set(tree.own($0, changes)) }
        known = Array(repeating: [:], count: tree.nodes.count)
        for (i, node) in tree.nodes.enumerated() {
            for case (.backlink(let origin), _) in node.children {
                for link in changes.tables[origin.tableID]?.links ?? []
                where link.column == origin.id && link.targetTable == node.tableID { changed[i].insert(link.target) }
            }
        }
    }

    mutating func reaches(_ key: ObjectKey, node: Int = 0) -> Bool {
        if changed[node].contains(key) { return true }
        if tree.nodes[node].children.isEmpty { return false }
        if let found = known[node][key] { return found }
        var found = false
        for (step, child) in tree.nodes[node].children where !found {
            let targets: [ObjectKey]
            switch step {
            case .link(let column):
                var all: [ObjectKey] = []
                view.forEachTarget(column, key) { all.append($0.key) }
                targets = all
            case .backlink(let origin): targets = view.backlinks(origin, key)
            }
            found = targets.contains { reaches($0, node: child) }
        }
        known[node][key] = found
        return found
    }
}
