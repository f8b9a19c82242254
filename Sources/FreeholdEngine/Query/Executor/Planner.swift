/// A planner that creates plan nodes from predicates.
struct Planner {
    let view: DataView

    func node(_ predicate: Predicate, _ table: Table) -> PlanNode {
        switch predicate {
        case .and(let all): return and(all.map { node($0, table) })
        case .or(let all): return or(all.map { node($0, table) })
        case .not(let inner): return not(node(inner, table))
        default: return leaf(predicate, table)
        }
    }

    /// Returns the node of a condition that doesn't contain other conditions. This is a function of its own so that each level of nesting needs
    /// little stack.
    @inline(never)
    private func leaf(_ predicate: Predicate, _ table: Table) -> PlanNode {
        switch predicate {
        case .and, .or, .not: preconditionFailure("has been dealt with")
        case .constant(let value): return ConstantNode(view: view, value)
        case .comparison(let path, let op, let value):
            return node(path, ValueTest(.comparison(op, value)), in: table)
        case .between(let path, let lower, let upper, let isClosed):
            return node(path, ValueTest(.between(lower: lower, upper: upper, isClosed: isClosed)), in: table)
        case .oneOf(let path, let values): return node(path, ValueTest(.oneOf(values)), in: table)
        case .text(let path, let op, let pattern, let options):
            return node(path, ValueTest(.text(op, pattern, options)), in: table)
        case .operands(let a, let op, let b): return compare(a, op, to: b, in: table)
        case .texts(let a, let op, let b, let options): return compareTexts(a, op, to: b, options: options, in: table)
        case .elements(let path, let op, let values): return elements(path, op, values: values, in: table)
        case .fullText(let path, let query): return fullText(path, query, in: table)
        case .within(let path, let test): return within(path, test, in: table)
        case .objects(let keys):
            let all = Set(keys)
            return ObjectNode(view: view, contains: { all.contains($0) }) { [view] in
                let set = KeySet(table, in: view)
                for key in all { set.insert(key) }
                return set
            }
        }
    }

    func and(_ nodes: [PlanNode]) -> PlanNode {
        if nodes.contains(where: { $0.constant == false }) { return ConstantNode(view: view, false) }
        let rest = nodes.filter { $0.constant == nil }
        if rest.isEmpty { return ConstantNode(view: view, true) }
        return rest.count == 1 ? rest[0] : AndNode(view: view, rest)
    }

    private func or(_ nodes: [PlanNode]) -> PlanNode {
        if nodes.contains(where: { $0.constant == true }) { return ConstantNode(view: view, true) }
        let rest = nodes.filter { $0.constant == nil }
        if rest.isEmpty { return ConstantNode(view: view, false) }
        return rest.count == 1 ? rest[0] : OrNode(view: view, rest)
    }

    func not(_ child: PlanNode) -> PlanNode {
        child.constant.map { ConstantNode(view: view, !$0) } ?? NotNode(view: view, child)
    }

    // MARK: Paths

    /// Returns a node for the objects for which the test holds for the number of the path's values that its quantifier requires.
    func node(_ path: PropertyPath, _ test: ValueTest, in table: Table) -> PlanNode {
        var test = test
        test.isMixed = path.column?.type == .mixed
        PathReader(view: view).settle(path)
        switch path.quantifier {
        case .any: return any(path, at: 0, test: test, in: table)
        // All values pass if none fails.
        case .all: return not(any(path, at: 0, test: test.negated, in: table))
        case .none: return not(any(path, at: 0, test: test, in: table))
        }
    }

    /// Returns a node for the objects with a value after the first `i` steps that passes the test.
    private func any(_ path: PropertyPath, at i: Int, test: ValueTest, in table: Table) -> PlanNode {
        guard i < path.steps.count else { return any(path.column, path.subscripts, test: test, in: table) }
        let isLast = i + 1 == path.steps.count && path.column == nil
        func targets(_ link: Column) -> TargetSet {
            let target = view.schema.table(id: link.targetTableID!)!
            return TargetSet(view: view, table: target, node: any(path, at: i + 1, test: test, in: target))
        }
        // The value is null if a link in the middle is null.
        let matchesNoLink = !path.isToMany(from: i + 1) && test.matchesNull
        switch path.steps[i] {
        case .link(let link) where link.collection == .none:
            // The object at the end is the link's value.
            if isLast { return any(link, [], test: test, in: table) }
            return LinkNode(view: view, column: link, targets: targets(link), matchesNoLink: matchesNoLink)
        case .link(let link), .element(let link, .all):
            if isLast {
                let keys = test.storedLinkRanges
                return LinksScan(view: view, column: link) { keys.contains($0.raw + 1) }
            }
            let targets = targets(link)
            return LinksScan(view: view, column: link) { targets.contains($0) }
        case .element(_, .keys): return ConstantNode(view: view, false)
        case .element(let link, let place):
            let targets = targets(link)
            return SubscriptScan(view: view, column: link, place) { value in
                guard case .link(let target) = value else { return matchesNoLink }
                return targets.contains(target)
            }
        case .backlink(let origin):
            let originTable = view.schema.table(id: origin.tableID)!
            return backlink(
                origin,
                any(path, at: i + 1, test: test, in: originTable),
                originTable: originTable,
                in: table
            )
        }
    }

    /// Returns a node for the targets of links from matching objects.
    func backlink(_ origin: Column, _ node: PlanNode, originTable: Table, in table: Table) -> PlanNode {
        let view = view
        return ObjectNode(
            view: view,
            contains: { key in !view.forEachBacklink(origin, key) { !node.test($0) } },
            {
                let set = KeySet(table, in: view)
                TableScan(view: view, table: originTable, node: node).forEachKey { key in
                    if origin.type == .mixed {
                        let values =
                            origin.collection == .none ? [view.value(origin, key)] : view.listValues(origin, key)
                        for value in values {
                            value.forEachObjectLink { if $0.tableID == table.id { set.insert($0.key) } }
                        }
                    } else if origin.collection != .none {
                        _ = view.forEachLink(origin, key) {
                            set.insert($0)
                            return true
                        }
                    } else if let target = view.readLink(origin, key) {
                        set.insert(target)
                    }
                }
                return set
            }
        )
    }

    /// Returns a node for the objects whose value in the column, or at these places in it, passes the test.
    private func any(_ column: Column?, _ places: [Subscript], test: ValueTest, in table: Table) -> PlanNode {
        guard let column else {
            let keys = test.storedLinkRanges
            return RowNode(view: view, table: table) { keys.contains($0.raw + 1) }
        }
        if places.isEmpty || (places == [.all] && column.collection != .none) {
            let scan = scan(column, test)
            return column.collection == .none ? scan : ElementScan(view: view, column: column, kernel: scan)
        }
        if places == [.keys], column.collection == .dictionary {
            var test = test
            test.isMixed = false
            return ElementScan(view: view, column: column, part: .keys, kernel: scan(column.keysColumn, test))
        }
        if places.count == 1, column.collection != .none, !places[0].isToMany {
            return SubscriptScan(view: view, column: column, places[0]) { test.matches($0) }
        }
        let reader = PathReader(view: view)
        let path = PropertyPath([], column, subscripts: places)
        return RowNode(view: view, table: table) { key in !reader.forEach(path, key) { !test.matches($0) } }
    }

    private func scan(_ column: Column, _ test: ValueTest) -> ColumnScan {
        switch column.type {
        case .int: IntScan(view: view, column: column, condition: test, set: test.intRanges)
        case .link: IntScan(view: view, column: column, condition: test, set: test.storedLinkRanges)
        case .bool: BoolScan(view: view, column: column, condition: test)
        case .float: FloatScan(view: view, column: column, condition: test)
        case .double: DoubleScan(view: view, column: column, condition: test)
        case .string, .data: BytesScan(view: view, column: column, condition: test)
        case .timestamp: TimestampScan(view: view, column: column, condition: test)
        case .mixed: MixedScan(view: view, column: column, condition: test)
        case .decimal128, .objectId, .uuid: FixedScan(view: view, column: column, condition: test)
        }
    }
}
