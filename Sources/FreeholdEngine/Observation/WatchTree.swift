/// The changes of a database that can affect objects of one table. The columns and links that conditions, sort keys or key paths read form a tree of
/// steps from the object.
///
/// A walk backwards from the changes finds the objects that may be affected.
struct WatchTree: Sendable {
    /// The step from the objects of the parent node to those of a node.
    enum Step: Sendable {
        /// A link column, single or in a collection.
        case link(Column)
        /// The step from the target to each object whose column links to it.
        case backlink(Column)
    }

    struct Node: Sendable {
        let tableID: Int
        /// The ids of the columns whose changes matter.
        var columns: Set<Int> = []
        /// A Boolean value that indicates whether every link to the object, from any class, matters.
        var incoming = false
        /// The child nodes, by their positions in `nodes`.
        var children: [(step: Step, node: Int)] = []
    }

    /// The nodes. The first one is that of the queried table, and each node follows its parent.
    private(set) var nodes: [Node]

    init(_ table: Table) { nodes = [Node(tableID: table.id)] }

    /// A Boolean value that indicates whether nothing is watched.
    var isEmpty: Bool { nodes.count == 1 && nodes[0].columns.isEmpty && !nodes[0].incoming }

    // MARK: Watched columns and links

    private mutating func walk(_ steps: [PathStep], from start: Int) -> Int {
        var at = start
        for step in steps {
            switch step {
            case .link(let column), .element(let column, _):
                nodes[at].columns.insert(column.id)
                at = child(of: at, .link(column), column.targetTableID!)
            case .backlink(let origin): at = child(of: at, .backlink(origin), origin.tableID)
            }
        }
        return at
    }

    private mutating func child(of parent: Int, _ step: Step, _ table: Int) -> Int {
        if let found = nodes[parent].children.first(where: { $0.step == step }) { return found.node }
        nodes.append(Node(tableID: table))
        nodes[parent].children.append((step, nodes.count - 1))
        return nodes.count - 1
    }

    mutating func add(_ path: PropertyPath, from start: Int = 0) {
        let end = walk(path.steps, from: start)
        if let column = path.column { nodes[end].columns.insert(column.id) }
    }

    mutating func add(_ key: SortKey) {
        guard let distance = key.distance else { return add(key.path) }
        addPlaces(key.path, distance.columns, from: 0)
    }

    private mutating func addPlaces(_ path: PropertyPath, _ columns: GeoColumns, from start: Int) {
        let end = walk(path.reachingObjects.steps, from: start)
        nodes[end].columns.formUnion([columns.type.id, columns.coordinates.id])
    }

    mutating func add(_ predicate: Predicate, from start: Int = 0) {
        switch predicate {
        case .constant, .objects: break
        case .comparison(let path, _, _), .between(let path, _, _, _), .oneOf(let path, _), .text(let path, _, _, _),
            .elements(let path, _, _), .fullText(let path, _):
            add(path, from: start)
        case .operands(let a, _, let b), .texts(let a, _, let b, _):
            add(a, from: start)
            add(b, from: start)
        case .within(let path, let test): addPlaces(path, test.columns, from: start)
        case .and(let all), .or(let all): for one in all { add(one, from: start) }
        case .not(let inner): add(inner, from: start)
        }
    }

    mutating func add(_ operand: Operand, from start: Int = 0) {
        switch operand {
        case .constant, .constants: break
        case .path(let path), .count(let path), .aggregate(_, let path), .type(let path), .length(let path):
            add(path, from: start)
        case .matches(let path, let condition):
            var steps = path.steps
            if let column = path.column { steps.append(.link(column)) }
            add(condition, from: walk(steps, from: start))
        case .incomingLinks(let steps):
            let end = walk(steps, from: start)
            nodes[end].incoming = true
        case .arithmetic(_, let a, let b):
            add(a, from: start)
            add(b, from: start)
        }
    }

    // MARK: Affected objects

    /// Returns the table's objects that the changes may affect, in ascending order of keys. Some may be new or deleted.
    ///
    /// - Parameter limit: the approximate maximum number of visited objects.
    /// - Returns: the objects, or `nil` if the limit was exceeded.
    /// - Complexity: O(changes and the backlinks that are followed from them).
    func affected(by changes: VersionChanges, in view: Snapshot, limit: Int) -> [ObjectKey]? {
        var found = [[ObjectKey]](repeating: [], count: nodes.count)
        var budget = limit
        for i in nodes.indices.reversed() {
            let node = nodes[i]
            var keys = own(node, changes)
            if let table = view.schema.table(id: node.tableID) {
                for (step, child) in node.children {
                    guard
                        collect(
                            step,
                            node,
                            in: table,
                            targets: found[child],
                            changes: changes,
                            view: view,
                            keys: &keys,
                            budget: &budget
                        )
                    else { return nil }
                }
            }
            keys.sortUnique()
            budget -= keys.count
            if budget < 0 { return nil }
            found[i] = keys
        }
        return found[0]
    }

    /// Returns the node's objects that changed themselves.
    func own(_ node: Node, _ changes: VersionChanges) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        if let delta = changes.tables[node.tableID] {
            for (column, modified) in delta.modified where node.columns.contains(column) { keys += modified }
        }
        if node.incoming {
            for delta in changes.tables.values {
                for link in delta.links where link.targetTable == node.tableID { keys.append(link.target) }
            }
        }
        return keys
    }

    /// Collects the node's objects from which a step leads, or led, to the child's objects.
    /// - Returns: false if the budget was exceeded.
    private func collect(
        _ step: Step,
        _ node: Node,
        in table: Table,
        targets: [ObjectKey],
        changes: VersionChanges,
        view: Snapshot,
        keys: inout [ObjectKey],
        budget: inout Int
    ) -> Bool {
        switch step {
        case .link(let column):
            guard let targetTable = view.schema.table(id: column.targetTableID!) else { return true }
            for target in targets where view.contains(targetTable, target) {
                budget -= view.backlinkCount(column, target)
                if budget < 0 { return false }
                keys += view.backlinks(column, target)
            }
        case .backlink(let origin):
            if let delta = changes.tables[origin.tableID] {
                for link in delta.links where link.column == origin.id && link.targetTable == node.tableID {
                    keys.append(link.target)
                }
            }
            guard let originTable = view.schema.table(id: origin.tableID) else { return true }
            for key in targets where view.contains(originTable, key) {
                view.forEachTarget(origin, key) { if $0.tableID == table.id { keys.append($0.key) } }
                if keys.count > budget { return false }
            }
        }
        return true
    }
}

extension WatchTree.Step: Equatable {
    static func == (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (.link(let a), .link(let b)), (.backlink(let a), .backlink(let b)):
            a.id == b.id && a.tableID == b.tableID && a.targetTableID == b.targetTableID
        default: false
        }
    }
}
