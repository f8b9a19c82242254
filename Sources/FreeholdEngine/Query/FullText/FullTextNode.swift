extension Planner {
    /// Returns a node for the objects whose string has the words. For a path across links, the quantifier decides whether any, all or none of the
    /// reached objects must have them. Behind a null link there isn't an object, and therefore no string.
    func fullText(_ path: PropertyPath, _ query: FullTextQuery, in table: Table) -> PlanNode {
        guard let column = path.column, column.type == .string, column.collection == .none else {
            return ConstantNode(view: view, false)
        }
        let view = view
        if path.steps.isEmpty {
            let node = FullTextNode(view: view, column: column, query: query)
            return path.quantifier == .none ? NotNode(view: view, node) : node
        }
        let owner = view.schema.table(of: column)
        let matches = FullTextNode(view: view, column: column, query: query)
        let isElement = path.steps.contains { if case .element = $0 { true } else { false } }
        guard path.quantifier == .any, !isElement else {
            let reader = PathReader(view: view)
            let objects = PropertyPath(path.steps, nil)
            reader.settle(objects)
            return RowNode(view: view, table: table) { key in
                let reached = reader.values(objects, key).filter { !$0.isNull }
                return path.quantifier.holds(reached) { value in
                    if case .link(let target) = value { matches.test(target) } else { false }
                }
            }
        }
        for case .link(let link) in path.steps { view.settleBacklinks(link) }
        return ObjectNode(view: view) {
            var set = matches.keySet()
            var steps = path.steps
            while let step = steps.popLast() {
                let origin = steps.isEmpty ? table : view.schema.targetTable(of: PropertyPath(steps, nil)) ?? owner
                set = Self.origins(of: set, step, origin, in: view)
            }
            return set
        }
    }

    /// Returns the objects from which a step leads to an object of the set.
    private static func origins(of targets: KeySet, _ step: PathStep, _ table: Table, in view: DataView) -> KeySet {
        let out = KeySet(table, in: view)
        targets.forEach { target in
            switch step {
            case .link(let link), .element(let link, _):
                for origin in view.backlinks(link, target) { out.insert(origin) }
            case .backlink(let link):
                // For backlinks, the origins are the objects that the target links to.
                if link.type == .mixed {
                    let values = link.collection == .none ? [view.value(link, target)] : view.listValues(link, target)
                    for value in values {
                        value.forEachObjectLink { if $0.tableID == table.id { out.insert($0.key) } }
                    }
                } else if link.collection != .none {
                    for origin in view.listLinks(link, target) { out.insert(origin) }
                } else if case .link(let origin) = view.value(link, target) {
                    out.insert(origin)
                }
            }
        }
        return out
    }
}

/// A node for the objects whose string has the words. The index finds all objects at once, or the string of a single object is read. Every string is
/// read if the column doesn't have an index for the query's kind of words.
final class FullTextNode: PlanNode {
    let column: Column
    let query: FullTextQuery
    private let table: Table
    private lazy var matcher = FullTextMatcher(query)
    private var found: KeySet?
    private var tested = 0

    init(view: DataView, column: Column, query: FullTextQuery) {
        self.column = column
        self.query = query
        table = view.schema.table(of: column)
        super.init(view: view)
        // Pending index changes are settled here, because the node may be used while a collection is being read.
        view.settleIndex(column)
    }

    override var cost: Int { 50 }

    /// Returns all objects that were found.
    func keySet() -> KeySet {
        if let found { return found }
        let set = KeySet(table, in: view)
        if let search = FullTextSearch(view, column, query: query) {
            for key in search.keys() { set.insert(key) }
        } else {
            view.forEachKey(table) { if holds($0) { set.insert($0) } }
        }
        found = set
        return set
    }

    override func fill(_ cluster: Int, _ mask: Mask, count n: Int) {
        keySet().fill(mask, first: cluster * view.clusterSpan + 1, n)
    }

    /// Tests an object. The strings of the first objects are read, and the index is used after that.
    override func test(_ key: ObjectKey) -> Bool {
        if found == nil, tested < 100 {
            tested += 1
            return holds(key)
        }
        return keySet().contains(key)
    }

    private func holds(_ key: ObjectKey) -> Bool { view.withBytes(column, key) { matcher.matches($0) } }
}
