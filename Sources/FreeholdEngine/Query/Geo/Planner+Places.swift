extension Planner {
    /// The objects whose path leads to a place inside the shape. An invalid shape has nothing inside.
    func within(_ path: PropertyPath, _ columns: PlaceColumns, _ shape: GeoShape, _ table: Table) -> PlanNode {
        let places = view.schema.table(of: columns.type)
        guard let region = GeoRegion(shape) else { return ConstantNode(view: view, path.quantifier == .none) }
        let place = PlaceNode(view: view, columns: columns, region: region)
        var steps = path.steps
        if let column = path.column {
            steps.append(path.subscripts.first.map { .element(column, $0) } ?? .link(column))
        }
        let hasElement = steps.contains { if case .element = $0 { true } else { false } }
        if !hasElement, path.quantifier != .all {
            let found: PlanNode
            if let near = indexed(columns, region) {
                found = ObjectNode(view: view) { [view] in
                    PlaceLookup(view: view, place: place).owners(near.places(in: view), steps[...], places, table)
                }
            } else {
                found = owners(steps[...], place, table)
            }
            return path.quantifier == .none ? NotNode(view: view, found) : found
        }
        // Places in collections, and conditions on all of them: object by object.
        let reader = OperandReader(view: view)
        let reached = PropertyPath(steps, nil)
        return RowNode(view: view, table: table) { key in
            path.quantifier.holds(reader.values(reached, key)) { value in
                if case .link(let target) = value { place.test(target) } else { false }
            }
        }
    }

    /// Where the index has all places inside; nil where there is none, or it would save nothing.
    private func indexed(_ columns: PlaceColumns, _ region: GeoRegion) -> PlacesAccess? {
        guard columns.coordinates.indexKind == .places, let access = PlacesAccess(columns, region, view) else {
            return nil
        }
        return access.count * 8 <= view.count(view.schema.table(of: columns.type)) ? access : nil
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
            let node = owners(rest, place, owner)
            let set = LazyKeySet(TableScan(view: view, table: owner, node: node))
            return RowNode(view: view, table: table) { [view] key in
                view.backlinks(origin, key).contains { set.keys.contains($0) }
            }
        case .element: preconditionFailure("Paths with subscripts are read row by row")
        }
    }
}

/// What the index of places has inside a shape, or near it.
struct PlacesAccess {
    private let columns: PlaceColumns
    private let tree: IndexTree
    private let ranges: [ClosedRange<Int64>]
    /// How many entries there are to look at.
    let count: Int

    /// Nil where the column has no index.
    init?(_ columns: PlaceColumns, _ region: GeoRegion, _ view: DataView) {
        guard columns.coordinates.indexKind == .places, let tree = view.searchTree(columns.coordinates) else {
            return nil
        }
        self.columns = columns
        self.tree = tree
        ranges = region.covering()
        var count = 0
        for range in ranges {
            count += Self.with(range) { tree.count(lower: $0, upper: $1, in: view) }
        }
        self.count = count
    }

    /// The objects that the index has in these squares, in no order.
    func places(in view: DataView) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        keys.reserveCapacity(count)
        for range in ranges {
            Self.with(range) { lower, upper in
                tree.keys(lower: lower, upper: upper, in: view) { key in
                    keys.append(ObjectKey(key))
                    return true
                }
            }
        }
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

/// From places back along a path to the objects that it starts from.
struct PlaceLookup {
    let view: DataView
    let place: PlaceNode

    /// - Parameter steps: links and inverse links only.
    func owners(
        _ candidates: [ObjectKey],
        _ steps: ArraySlice<PathStep>,
        _ places: Table,
        _ table: Table
    ) -> KeySet {
        var keys = candidates.filter { place.test($0) }
        for (i, step) in steps.enumerated().reversed() {
            let isFirst = i == 0
            var found: [ObjectKey] = []
            switch step {
            case .link(let link):
                for key in keys { found += view.backlinks(link, key) }
            case .backlink(let origin):
                for key in keys { found += targets(origin, key) }
            case .element: preconditionFailure("Paths with subscripts are read row by row")
            }
            // Many may have led to one.
            keys = isFirst ? found : Array(Set(found))
        }
        let set = KeySet(table, in: view)
        for key in keys { set.insert(key) }
        return set
    }

    private func targets(_ origin: Column, _ key: ObjectKey) -> [ObjectKey] {
        if origin.type == .mixed {
            var found: [ObjectKey] = []
            let values = origin.collection == .none ? [view.value(origin, key)] : view.listValues(origin, key)
            for value in values {
                value.forEachObjectLink { if $0.tableID == origin.targetTableID { found.append($0.key) } }
            }
            return found
        }
        if origin.collection != .none { return view.listLinks(origin, key) }
        return view.readLink(origin, key).map { [$0] } ?? []
    }
}
