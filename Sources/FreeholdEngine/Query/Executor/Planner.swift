/// Makes plan nodes of predicates.
struct Planner {
    let view: DataView

    func node(_ predicate: Predicate, _ table: Table) -> PlanNode {
        switch predicate {
        case .constant(let value): return ConstantNode(view: view, value)
        case .comparison(let path, let op, let value):
            return node(path, ValueTest(.comparison(op, value)), table)
        case .between(let path, let lower, let upper, let isClosed):
            return node(path, ValueTest(.between(lower: lower, upper: upper, isClosed: isClosed)), table)
        case .oneOf(let path, let values): return node(path, ValueTest(.oneOf(values)), table)
        case .text(let path, let op, let pattern, let options):
            return node(path, ValueTest(.text(op, pattern, options)), table)
        case .operands(let a, let op, let b):
            return rows(table, a, b) { op.holds($0, $1) }
        case .texts(let a, let op, let b, let options):
            return rows(table, a, b) { ValueTest(.text(op, $1, options)).matches($0) }
        case .elements(let path, let op, let values):
            let reader = OperandReader(view: view)
            return RowNode(view: view, table: table) { key in
                let found = reader.values(path, key)
                let isEqual = found.elementsEqual(values) { Comparison.equal.holds($0, $1) }
                return isEqual == (op == .equal)
            }
        case .fullText(let path, let query):
            return fullText(path, query, table)
        case .within(let path, let test):
            return within(path, test, table)
        case .objects(let keys):
            let view = view
            return ObjectNode(view: view) {
                let set = KeySet(table, in: view)
                for key in keys { set.insert(key) }
                return set
            }
        case .and(let all): return and(all.map { node($0, table) })
        case .or(let all): return or(all.map { node($0, table) })
        case .not(let inner):
            let child = node(inner, table)
            return child.constant.map { ConstantNode(view: view, !$0) } ?? NotNode(view: view, child)
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

    // MARK: Paths

    private func node(_ path: PropertyPath, _ test: ValueTest, _ table: Table) -> PlanNode {
        if path.isPlain, !path.steps.contains(where: { if case .element = $0 { true } else { false } }) {
            return node(path.steps[...], path.column, test, table)
        }
        var test = test
        test.isMixed = path.column?.type == .mixed
        let condition = test
        let reader = OperandReader(view: view)
        return RowNode(view: view, table: table) { key in
            path.quantifier.holds(reader.values(path, key)) { condition.matches($0) }
        }
    }

    /// A comparison of two operands, row by row.
    private func rows(
        _ table: Table,
        _ a: Operand,
        _ b: Operand,
        _ holds: @escaping (Value, Value) -> Bool
    ) -> PlanNode {
        let reader = OperandReader(view: view)
        return RowNode(view: view, table: table) { key in
            let right = reader.values(b, key)
            return a.quantifier.holds(reader.values(a, key)) { x in b.quantifier.holds(right) { holds(x, $0) } }
        }
    }

    private func node(
        _ steps: ArraySlice<PathStep>,
        _ column: Column?,
        _ test: ValueTest,
        _ table: Table
    ) -> PlanNode {
        guard let step = steps.first else { return node(column, test, table) }
        let rest = steps.dropFirst()
        switch step {
        case .link(let link):
            let targetTable = view.schema.table(id: link.targetTableID!)!
            if rest.isEmpty, column == nil {
                // The reached object is the link's value.
                return node(link, test, table)
            }
            let target = node(rest, column, test, targetTable)
            if link.collection == .none {
                let isToMany = PropertyPath(Array(rest), column).isToMany
                return LinkNode(
                    view: view,
                    column: link,
                    table: targetTable,
                    target: target,
                    matchesNoLink: !isToMany && test.matchesNull
                )
            }
            let set = LazyKeySet(TableScan(view: view, table: targetTable, node: target))
            return RowNode(view: view, table: table) { [view] key in
                view.listLinks(link, key).contains { set.keys.contains($0) }
            }
        case .element: preconditionFailure("Paths with subscripts are read row by row")
        case .backlink(let origin):
            let originTable = view.schema.table(id: origin.tableID)!
            let inner = node(rest, column, test, originTable)
            let view = view
            return ObjectNode(view: view) {
                let set = KeySet(table, in: view)
                TableScan(view: view, table: originTable, node: inner).forEachKey { key in
                    if origin.type == .mixed {
                        let values =
                            origin.collection == .none ? [view.value(origin, key)] : view.listValues(origin, key)
                        for value in values {
                            value.forEachObjectLink { if $0.tableID == table.id { set.insert($0.key) } }
                        }
                    } else if origin.collection != .none {
                        for target in view.listLinks(origin, key) { set.insert(target) }
                    } else if case .link(let target) = view.value(origin, key) {
                        set.insert(target)
                    }
                }
                return set
            }
        }
    }

    private func node(_ column: Column?, _ test: ValueTest, _ table: Table) -> PlanNode {
        guard let column else {
            return RowNode(view: view, table: table) { test.matches(.link($0)) }
        }
        var test = test
        test.isMixed = column.type == .mixed
        let condition = test
        if column.collection != .none {
            return RowNode(view: view, table: table) { [view] key in
                view.listValues(column, key).contains { condition.matches($0) }
            }
        }
        switch column.type {
        case .int: return IntScan(view: view, column: column, condition: test, set: test.intRanges)
        case .link: return IntScan(view: view, column: column, condition: test, set: test.storedLinkRanges)
        case .bool: return BoolScan(view: view, column: column, condition: test)
        case .float: return FloatScan(view: view, column: column, condition: test)
        case .double: return DoubleScan(view: view, column: column, condition: test)
        case .string, .data: return BytesScan(view: view, column: column, condition: test)
        case .timestamp: return TimestampScan(view: view, column: column, condition: test)
        case .mixed: return MixedScan(view: view, column: column, condition: test)
        case .decimal128, .objectId, .uuid: return FixedScan(view: view, column: column, condition: test)
        }
    }
}

/// The matching objects of a table, found when first asked for.
final class LazyKeySet {
    private let scan: TableScan
    lazy var keys: KeySet = {
        let set = KeySet(scan.table, in: scan.view)
        scan.forEachKey { set.insert($0) }
        return set
    }()

    init(_ scan: TableScan) { self.scan = scan }
}
