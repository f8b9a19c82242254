/// A condition on places: the columns with the coordinates, and the shape.
public struct GeoTest: Sendable {
    public let columns: GeoColumns
    public let shape: GeoShape
    /// The prepared shape, or `nil` for an invalid shape, which doesn't contain any place.
    let region: GeoRegion?

    /// - Complexity: like `GeoShape.validate()`.
    public init(_ columns: GeoColumns, in shape: GeoShape) {
        self.columns = columns
        self.shape = shape
        region = GeoRegion(shape)
    }
}

extension PropertyPath {
    /// The path with the link at its end as its last step.
    var reachingObjects: PropertyPath {
        guard let column else { return self }
        return PropertyPath(
            steps + [subscripts.first.map { .element(column, $0) } ?? .link(column)],
            nil,
            quantifier: quantifier
        )
    }

    var hasElementSteps: Bool { steps.contains { if case .element = $0 { true } else { false } } }
}

extension Planner {
    /// Returns a node for the objects whose path leads to a place inside the shape.
    func within(_ path: PropertyPath, _ test: GeoTest, in table: Table) -> PlanNode {
        guard let region = test.region else { return ConstantNode(view: view, path.quantifier == .none) }
        let place = GeoNode(view: view, columns: test.columns, region: region)
        let reached = path.reachingObjects
        PathReader(view: view).settle(reached)
        // All places match if none fails. Null doesn't match.
        if path.quantifier == .all {
            return not(reaching(reached, 0, node: not(place), matchesNull: true, in: table))
        }
        let any = GeoIndexNode(reaching(reached, 0, node: place, matchesNull: false, in: table)) { [view] in
            var path = path
            path.quantifier = .any
            guard !reached.steps.isEmpty, let access = placesAccess(path, test, in: table),
                access.cost < AccessCost.scan(place, of: view.schema.table(of: test.columns.type), in: view)
            else { return nil }
            let set = KeySet(table, in: view)
            for key in access.keys() { set.insert(key) }
            return set
        }
        return path.quantifier == .none ? not(any) : any
    }

    /// Returns a node for the objects whose path, after its first `i` steps, leads to an object that matches the node.
    private func reaching(
        _ path: PropertyPath,
        _ i: Int,
        node: PlanNode,
        matchesNull: Bool,
        in table: Table
    ) -> PlanNode {
        guard i < path.steps.count else { return node }
        func targets(_ link: Column) -> TargetSet {
            let target = view.schema.table(id: link.targetTableID!)!
            let inner = reaching(path, i + 1, node: node, matchesNull: matchesNull, in: target)
            return TargetSet(view: view, table: target, node: inner)
        }
        let matchesNoLink = matchesNull && !path.isToMany(from: i + 1)
        switch path.steps[i] {
        case .link(let link) where link.collection == .none:
            return LinkNode(view: view, column: link, targets: targets(link), matchesNoLink: matchesNoLink)
        case .link(let link), .element(let link, .all):
            let targets = targets(link)
            return LinksScan(view: view, column: link) { targets.contains($0) }
        case .element(_, .keys): return ConstantNode(view: view, false)
        case .element(let link, let place):
            let targets = targets(link)
            return RowNode(view: view, table: table) { [view] key in
                guard case .link(let target) = view.element(link, key, place: place) else { return matchesNoLink }
                return targets.contains(target)
            }
        case .backlink(let origin):
            let originTable = view.schema.table(id: origin.tableID)!
            let inner = reaching(path, i + 1, node: node, matchesNull: matchesNull, in: originTable)
            return backlink(origin, inner, originTable: originTable, in: table)
        }
    }
}

/// A node for objects whose paths lead to places. The objects are tested one by one along their paths, or all at once through the index of places if
/// that is faster.
private final class GeoIndexNode: PlanNode {
    private let path: PlanNode
    private let lookUp: () -> KeySet?
    private lazy var near = lookUp()

    init(_ path: PlanNode, _ lookUp: @escaping () -> KeySet?) {
        self.path = path
        self.lookUp = lookUp
        super.init(view: path.view)
    }

    override var cost: Int { path.cost }

    override func fill(_ cluster: Int, _ mask: Mask, count n: Int) {
        guard let near else { return path.fill(cluster, mask, count: n) }
        near.fill(mask, first: cluster * view.clusterSpan + 1, n)
    }

    override func test(_ key: ObjectKey) -> Bool { path.test(key) }
}
