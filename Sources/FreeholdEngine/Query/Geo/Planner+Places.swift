/// A condition on places: the columns that make them, and the shape.
public struct PlaceTest: Sendable {
    public let columns: PlaceColumns
    public let shape: GeoShape
    /// Nil for an invalid shape, which has nothing inside.
    let region: GeoRegion?

    /// - Complexity: as `GeoShape.validate()`.
    public init(_ columns: PlaceColumns, in shape: GeoShape) {
        self.columns = columns
        self.shape = shape
        region = GeoRegion(shape)
    }
}

extension PropertyPath {
    /// The same with a link at the end as its last step.
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
    /// The objects whose path leads to a place inside the shape.
    func within(_ path: PropertyPath, _ test: PlaceTest, _ table: Table) -> PlanNode {
        guard let region = test.region else { return ConstantNode(view: view, path.quantifier == .none) }
        let place = PlaceNode(view: view, columns: test.columns, region: region)
        let reached = path.reachingObjects
        if reached.steps.isEmpty { return path.quantifier == .none ? NotNode(view: view, place) : place }
        let reader = OperandReader(view: view)
        func rows(_ quantifier: Quantifier) -> PlanNode {
            RowNode(view: view, table: table) { key in
                quantifier.holds(reader.values(reached, key)) { value in
                    if case .link(let target) = value { place.test(target) } else { false }
                }
            }
        }
        // Places in collections, and conditions on all of them: object by object.
        if reached.hasElementSteps || path.quantifier == .all { return rows(path.quantifier) }
        let node = PlacePathNode(rows: rows(.any), places: owners(reached.steps[...], place, table)) { [view] in
            guard let access = placesAccess(path, test, table),
                access.cost < AccessCost.scan(place, view.schema.table(of: test.columns.type), view)
            else { return nil }
            let set = KeySet(table, in: view)
            for key in access.keys() { set.insert(key) }
            return set
        }
        return path.quantifier == .none ? NotNode(view: view, node) : node
    }

    private func owners(_ steps: ArraySlice<PathStep>, _ place: PlaceNode, _ table: Table) -> PlanNode {
        guard let step = steps.first else { return place }
        let rest = steps.dropFirst()
        switch step {
        case .link(let link):
            let target = view.schema.table(id: link.targetTableID!)!
            let node = owners(rest, place, target)
            if link.collection == .none {
                return LinkNode(view: view, column: link, table: target, target: node, matchesNoLink: false)
            }
            let set = LazyKeySet(TableScan(view: view, table: target, node: node))
            return RowNode(view: view, table: table) { [view] key in
                view.listLinks(link, key).contains { set.keys.contains($0) }
            }
        case .backlink(let origin):
            let owner = view.schema.table(id: origin.tableID)!
            let set = LazyKeySet(TableScan(view: view, table: owner, node: owners(rest, place, owner)))
            return RowNode(view: view, table: table) { [view] key in
                view.backlinks(origin, key).contains { set.keys.contains($0) }
            }
        case .element: preconditionFailure("Paths with subscripts are read row by row")
        }
    }
}

/// Objects that lead to places. One object is asked by following its path; a table through the index of places where
/// that is quicker, else by looking at all places first.
private final class PlacePathNode: PlanNode {
    private let rows: PlanNode
    private let places: PlanNode
    private let lookUp: () -> KeySet?
    private lazy var near = lookUp()

    init(rows: PlanNode, places: PlanNode, _ lookUp: @escaping () -> KeySet?) {
        self.rows = rows
        self.places = places
        self.lookUp = lookUp
        super.init(view: rows.view)
    }

    override var cost: Int { 300 }

    override func fill(_ cluster: Int, _ mask: Mask, _ n: Int) {
        guard let near else { return places.fill(cluster, mask, n) }
        near.fill(mask, first: cluster * view.clusterSpan + 1, n)
    }

    override func test(_ key: ObjectKey) -> Bool { rows.test(key) }
}
