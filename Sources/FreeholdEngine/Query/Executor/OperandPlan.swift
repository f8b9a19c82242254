/// A plan that reads an operand object by object. A plan is used by one thread.
final class OperandPlan {
    private enum Form {
        case constants([Value])
        case path(PropertyPath)
        case count(PropertyPath)
        case aggregate(Aggregate, PropertyPath)
        case type(PropertyPath)
        case length(PropertyPath)
        case matches(PropertyPath, TargetSet)
        case incomingLinks(PropertyPath, Table)
        case arithmetic(ArithmeticOperator, OperandPlan, OperandPlan)
        /// A path that leads to no table, which has no values.
        case nothing
    }

    private let reader: PathReader
    private let form: Form
    /// The number of the operand's values for which a comparison must hold.
    let quantifier: Quantifier
    /// A Boolean value that indicates whether the number of values can differ from one.
    let isToMany: Bool
    /// A Boolean value that indicates whether the values are names of types.
    let isType: Bool

    /// - Parameter table: the table of the objects for which the operand is read.
    init(_ operand: Operand, _ table: Table, planner: Planner) {
        let view = planner.view
        reader = PathReader(view: view)
        quantifier = operand.quantifier
        isToMany = operand.isToMany
        isType = if case .type = operand { true } else { false }
        switch operand {
        case .constant(let value): form = .constants([value])
        case .constants(let values, _): form = .constants(values)
        case .path(let path): form = .path(path)
        case .count(let path): form = .count(path)
        case .aggregate(let aggregate, let path): form = .aggregate(aggregate, path)
        case .type(let path): form = .type(path)
        case .length(let path): form = .length(path)
        case .matches(let path, let predicate):
            form =
                view.schema.targetTable(of: path).map { target in
                    .matches(path, TargetSet(view: view, table: target, node: planner.node(predicate, target)))
                } ?? .nothing
        case .incomingLinks(let steps):
            let path = PropertyPath(steps, nil)
            let target = steps.isEmpty ? table : view.schema.targetTable(of: path)
            form = target.map { .incomingLinks(path, $0) } ?? .nothing
            if let target {
                for origin in view.schema.linkColumns(to: target) { view.settleBacklinks(origin) }
                view.settleBacklinks(target.mixedInverse)
            }
        case .arithmetic(let op, let a, let b):
            form = .arithmetic(op, OperandPlan(a, table, planner: planner), OperandPlan(b, table, planner: planner))
        }
        if let path = operand.path { reader.settle(path) }
    }

    /// Calls `body` with each value until `body` returns false.
    /// - Returns: whether `body` returned true for all values.
    func forEach(_ key: ObjectKey, _ body: (Value) -> Bool) -> Bool {
        switch form {
        case .constants(let values): return values.allSatisfy(body)
        case .path(let path): return reader.forEach(path, key, body: body)
        case .count(let path): return body(.int(Int64(count(path, key))))
        case .aggregate(let aggregate, let path):
            var fold = ValueFold(aggregate, isMixed: path.column?.type == .mixed)
            reader.forEach(path, key) {
                fold.add($0)
                return true
            }
            return body(fold.result)
        case .type(let path): return reader.forEach(path, key) { body(.string(ValueTypeName.name(of: $0))) }
        case .length(let path): return reader.forEach(path, key) { body(Self.length($0)) }
        case .matches(let path, let targets):
            var count: Int64 = 0
            reader.forEach(path, key) {
                if case .link(let target) = $0, targets.contains(target) { count += 1 }
                return true
            }
            return body(.int(count))
        case .incomingLinks(let path, let table):
            var count = 0
            reader.forEach(path, key) {
                if case .link(let target) = $0 { count += reader.view.backlinkCount(table, target) }
                return true
            }
            return body(.int(Int64(count)))
        case .arithmetic(let op, let a, let b):
            if !b.isToMany {
                let right = b.values(key)[0]
                return a.forEach(key) { body(op.apply(to: $0, and: right)) }
            }
            let right = b.values(key)
            return a.forEach(key) { x in right.allSatisfy { body(op.apply(to: x, and: $0)) } }
        case .nothing: return body(.int(0))
        }
    }

    func values(_ key: ObjectKey) -> [Value] {
        if case .constants(let values) = form { return values }
        var out: [Value] = []
        _ = forEach(key) {
            out.append($0)
            return true
        }
        return out
    }

    /// Returns whether a condition holds for the number of values that the quantifier requires.
    func holds(_ key: ObjectKey, _ condition: (Value) -> Bool) -> Bool {
        switch quantifier {
        case .any: !forEach(key) { !condition($0) }
        case .all: forEach(key, condition)
        case .none: forEach(key) { !condition($0) }
        }
    }

    private func count(_ path: PropertyPath, _ key: ObjectKey) -> Int {
        let view = reader.view
        if path.subscripts.isEmpty, let collection = path.countedCollection { return view.listCount(collection, key) }
        if path.column == nil, path.steps.count == 1, case .backlink(let origin) = path.steps[0] {
            return view.backlinkCount(origin, key)
        }
        var count = 0
        let isNested = path.column?.type == .mixed && !path.isToMany
        reader.forEach(path, key) { value in
            guard isNested else {
                count += 1
                return true
            }
            // The elements of a collection inside the value. Other values have no elements.
            switch value {
            case .list(let list): count += list.values.count
            case .dictionary(let dictionary): count += dictionary.entries.count
            default: break
            }
            return true
        }
        return count
    }

    private static func length(_ value: Value) -> Value {
        switch value {
        case .string(let text): .int(Int64(text.utf8.count))
        case .data(let data): .int(Int64(data.count))
        default: .null
        }
    }
}

extension PropertyPath {
    /// The collection of a path whose values are the elements of exactly one collection, each once.
    var countedCollection: Column? {
        guard subscripts.isEmpty else { return nil }
        if steps.isEmpty, let column, column.collection != .none { return column }
        // Null entries of a dictionary of links don't lead to objects.
        if column == nil, steps.count == 1, case .link(let link) = steps[0],
            link.collection == .list || link.collection == .set
        {
            return link
        }
        return nil
    }
}

extension Operand {
    /// The number of the operand's values for which a comparison must hold.
    var quantifier: Quantifier {
        switch self {
        case .constants(_, let quantifier): quantifier
        case .path(let path), .type(let path), .length(let path): path.quantifier
        case .arithmetic(_, let a, let b): a.quantifier == .any ? b.quantifier : a.quantifier
        case .constant, .count, .aggregate, .matches, .incomingLinks: .any
        }
    }

    /// A Boolean value that indicates whether the number of values can differ from one.
    var isToMany: Bool {
        switch self {
        case .constants: true
        case .path(let path), .type(let path), .length(let path): path.isToMany
        case .arithmetic(_, let a, let b): a.isToMany || b.isToMany
        case .constant, .count, .aggregate, .matches, .incomingLinks: false
        }
    }

    fileprivate var path: PropertyPath? {
        switch self {
        case .path(let path), .type(let path), .length(let path), .count(let path), .aggregate(_, let path),
            .matches(let path, _):
            path
        case .incomingLinks(let steps): PropertyPath(steps, nil)
        case .constant, .constants, .arithmetic: nil
        }
    }
}

extension DatabaseSchema {
    /// Returns the table of the objects that a path leads to.
    func targetTable(of path: PropertyPath) -> Table? {
        if let column = path.column { return column.targetTableID.flatMap { table(id: $0) } }
        switch path.steps.last {
        case .link(let column), .element(let column, _): return column.targetTableID.flatMap { table(id: $0) }
        case .backlink(let column): return table(id: column.tableID)
        case nil: return nil
        }
    }
}
