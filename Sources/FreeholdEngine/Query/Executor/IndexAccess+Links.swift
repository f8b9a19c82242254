/// An access to the objects that link to given objects, through the inverse of the links.
struct BacklinksAccess: IndexAccess {
    let view: DataView
    /// The table of the linking objects.
    let table: Table
    let link: Column
    /// The access to the targets of the links.
    let targets: any IndexAccess
    /// The check of an object, used if `targets` finds too many objects.
    let check: PlanNode?

    var estimate: Int {
        let each = Double(view.count(table)) / Double(Swift.max(1, view.count(targetTable)))
        return Int(Double(targets.estimate) * each.rounded(.up))
    }

    var cost: Double {
        var cost = targets.cost + Double(targets.estimate) * 150 + Double(estimate) * AccessCost.entry
        if let check { cost += AccessCost.tests(check, Double(targets.estimate)) }
        return cost + AccessCost.order(estimate, keySpace: view.clusterCount(table) * view.clusterSpan)
    }

    private var targetTable: Table { view.schema.table(id: link.targetTableID!)! }
    var isExact: Bool { true }
    var operation: QueryPlan.Operation { .backlinks }
    var subject: String { "\(table.name).\(link.name)" }
    var parts: [any IndexAccess] { [targets] }

    func keys() -> [ObjectKey] {
        var keys: [ObjectKey] = []
        for target in targets.keys() where check?.test(target) ?? true { keys += view.backlinks(link, target) }
        keys.restoreOrder(in: table, view, isUnique: false)
        return keys
    }
}

extension Planner {
    /// Returns the access across the path's first step, a link or a collection of links, or `nil` if no index finds the objects after it.
    func linkAccess(_ path: PropertyPath, _ test: ValueTest, in table: Table) -> (any IndexAccess)? {
        guard case .link(let link) = path.steps.first ?? path.column.map({ .link($0) }), link.type == .link,
            let target = view.schema.table(id: link.targetTableID!)
        else { return nil }
        let rest = PropertyPath(Array(path.steps.dropFirst()), path.steps.isEmpty ? nil : path.column)
        // An object without the link has the value null.
        if link.collection == .none, !rest.isToMany, test.matchesNull { return nil }
        if rest.steps.isEmpty, rest.column == nil {
            guard let given = test.linkedObjects else { return nil }
            return BacklinksAccess(
                view: view,
                table: table,
                link: link,
                targets: ObjectsAccess(given: given, view: view, table: target),
                check: nil
            )
        }
        guard let targets = pathAccess(rest, test, in: target) else { return nil }
        return BacklinksAccess(
            view: view,
            table: table,
            link: link,
            targets: targets,
            check: targets.isExact ? nil : pathNode(rest, test, in: target)
        )
    }
}

extension ValueTest {
    /// The objects, if the test compares with given objects.
    fileprivate var linkedObjects: [ObjectKey]? {
        let values: [Value]
        switch kind {
        case .comparison(.equal, let value): values = [value]
        case .oneOf(let all): values = all
        default: return nil
        }
        var keys: [ObjectKey] = []
        for value in values {
            guard case .link(let key) = value else {
                if value.isNull { return nil }
                continue
            }
            keys.append(key)
        }
        return keys
    }
}
