extension Planner {
    /// Returns the access through an index of places to the objects in the shape, or `nil` if there isn't a usable index.
    func placesAccess(_ path: PropertyPath, _ test: GeoTest, in table: Table) -> (any IndexAccess)? {
        let reached = path.reachingObjects
        guard path.quantifier == .any, !reached.hasElementSteps, let region = test.region,
            let places = GeoAccess(test.columns, region, in: view)
        else { return nil }
        // The index returns all places in the squares that cover the shape. The access for the last step of the path checks them exactly.
        var access: any IndexAccess = places
        var check: PlanNode? = GeoNode(view: view, columns: test.columns, region: region)
        var tables = [table]
        for step in reached.steps { tables.append(target(of: step)) }
        for (i, step) in reached.steps.enumerated().reversed() {
            switch step {
            case .link(let link):
                access = BacklinksAccess(view: view, table: tables[i], link: link, targets: access, check: check)
            case .backlink(let origin):
                access = LinkedAccess(view: view, table: tables[i], link: origin, origins: access, check: check)
            case .element: return nil
            }
            check = nil
        }
        return access
    }

    private func target(of step: PathStep) -> Table {
        switch step {
        case .link(let column), .element(let column, _): view.schema.table(id: column.targetTableID!)!
        case .backlink(let origin): view.schema.table(id: origin.tableID)!
        }
    }
}

/// An access to the places in the squares that cover a shape, through the index of places. It can return places outside of the shape.
struct GeoAccess: IndexAccess {
    private let view: DataView
    private let table: Table
    private let column: Column
    private let tree: IndexTree
    private let ranges: [ClosedRange<Int64>]
    let estimate: Int

    /// Returns `nil` if the column doesn't have an index of places.
    init?(_ columns: GeoColumns, _ region: GeoRegion, in view: DataView) {
        guard columns.coordinates.indexKind == .places, let tree = view.searchTree(columns.coordinates) else {
            return nil
        }
        self.view = view
        table = view.schema.table(of: columns.coordinates)
        column = columns.coordinates
        self.tree = tree
        ranges = region.covering()
        estimate = ranges.reduce(0) { total, range in
            total + Self.with(range) { tree.count(lower: $0, upper: $1, in: view) }
        }
    }

    var cost: Double {
        Double(ranges.count) * AccessCost.descent + Double(estimate) * AccessCost.entry
            + AccessCost.order(estimate, keySpace: view.clusterCount(table) * view.clusterSpan)
    }
    var isExact: Bool { false }
    var operation: QueryPlan.Operation { .places }
    var index: QueryIndex? { QueryIndex(column, of: table) }
    var subject: String { "\(table.name).\(column.name)" }

    func keys() -> [ObjectKey] {
        var keys: [ObjectKey] = []
        keys.reserveCapacity(estimate)
        for range in ranges {
            Self.with(range) { lower, upper in
                tree.keys(lower: lower, upper: upper, in: view) { key in
                    keys.append(ObjectKey(key))
                    return true
                }
            }
        }
        keys.restoreOrder(in: table, view, isUnique: true)
        return keys
    }

    private static func with<R>(_ range: ClosedRange<Int64>, _ body: (IndexTree.Bound, IndexTree.Bound) -> R) -> R {
        OrderedEncoding.withInt(range.lowerBound) { lower in
            OrderedEncoding.withInt(range.upperBound) { upper in
                body(.init(lower, inclusive: true), .init(upper, inclusive: true))
            }
        }
    }
}

/// An access to the objects that given objects link to.
struct LinkedAccess: IndexAccess {
    let view: DataView
    /// The table of the targets.
    let table: Table
    /// The link column of the origins. For mixed values, its target is the table.
    let link: Column
    /// The access to the origins of the links.
    let origins: any IndexAccess
    /// The check of a target, used if `origins` finds too many objects.
    let check: PlanNode?

    var estimate: Int { origins.estimate }
    var cost: Double {
        origins.cost + Double(estimate) * 100 + (check.map { AccessCost.tests($0, Double(estimate)) } ?? 0)
            + AccessCost.order(estimate, keySpace: view.clusterCount(table) * view.clusterSpan)
    }
    var isExact: Bool { check != nil || origins.isExact }
    var operation: QueryPlan.Operation { .backlinks }
    var subject: String { "\(view.schema.table(of: link).name).\(link.name)" }
    var parts: [any IndexAccess] { [origins] }

    func keys() -> [ObjectKey] {
        var keys: [ObjectKey] = []
        for origin in origins.keys() where check?.test(origin) ?? true { keys += linked(by: origin) }
        keys.restoreOrder(in: table, view, isUnique: false)
        return keys
    }

    private func linked(by key: ObjectKey) -> [ObjectKey] {
        if link.type == .mixed {
            var found: [ObjectKey] = []
            let values = link.collection == .none ? [view.value(link, key)] : view.listValues(link, key)
            for value in values {
                value.forEachObjectLink { if $0.tableID == table.id { found.append($0.key) } }
            }
            return found
        }
        if link.collection != .none { return view.listLinks(link, key) }
        return view.readLink(link, key).map { [$0] } ?? []
    }
}
