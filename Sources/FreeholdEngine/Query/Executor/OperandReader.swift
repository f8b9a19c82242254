/// The values of paths and other operands for single objects.
struct OperandReader {
    let view: DataView

    func values(_ operand: Operand, _ key: ObjectKey) -> [Value] {
        switch operand {
        case .constant(let value): return [value]
        case .constants(let values, _): return values
        case .path(let path): return values(path, key)
        case .count(let path): return [.int(Int64(count(path, key)))]
        case .aggregate(let aggregate, let path):
            var fold = ValueFold(aggregate, isMixed: path.column?.type == .mixed)
            for value in values(path, key) { fold.add(value) }
            return [fold.result]
        case .type(let path): return values(path, key).map { .string(ValueTypeName.name(of: $0)) }
        case .length(let path): return values(path, key).map(Self.length)
        case .matches(let path, let predicate): return [.int(Int64(matches(path, predicate, key)))]
        case .incomingLinks(let steps): return [.int(Int64(incomingLinks(steps, key)))]
        case .arithmetic(let op, let a, let b):
            let right = values(b, key)
            return values(a, key).flatMap { x in right.map { op.apply(x, $0) } }
        }
    }

    // MARK: Paths

    func values(_ path: PropertyPath, _ key: ObjectKey) -> [Value] { values(path.steps[...], path, key) }

    private func values(_ steps: ArraySlice<PathStep>, _ path: PropertyPath, _ key: ObjectKey) -> [Value] {
        guard let step = steps.first else {
            guard let column = path.column else { return [.link(key)] }
            if !path.subscripts.isEmpty { return values(column, path.subscripts, key) }
            return column.collection == .none ? [view.value(column, key)] : view.listValues(column, key)
        }
        let rest = steps.dropFirst()
        switch step {
        case .link(let link) where link.collection == .none:
            guard case .link(let target) = view.value(link, key) else { return nothing(rest, path) }
            return values(rest, path, target)
        case .link(let link): return view.listLinks(link, key).flatMap { values(rest, path, $0) }
        case .backlink(let origin): return view.backlinks(origin, key).flatMap { values(rest, path, $0) }
        case .element(let link, let place):
            let targets = values(link, [place], key)
            if targets.isEmpty, !place.isToMany { return nothing(rest, path) }
            return targets.flatMap { target in
                if case .link(let target) = target { values(rest, path, target) } else { nothing(rest, path) }
            }
        }
    }

    /// What a path has beyond a link that is null.
    private func nothing(_ rest: ArraySlice<PathStep>, _ path: PropertyPath) -> [Value] {
        PropertyPath(Array(rest), path.column, subscripts: path.subscripts).isToMany ? [] : [.null]
    }

    // MARK: Places in collections

    private func values(_ column: Column, _ subscripts: [Subscript], _ key: ObjectKey) -> [Value] {
        var rest = subscripts[...]
        var found: [Value]
        if column.collection == .none {
            found = [view.value(column, key)]
        } else {
            found = elements(column, rest.removeFirst(), key)
        }
        while let place = rest.popFirst() { found = found.flatMap { Self.elements($0, place) } }
        return found
    }

    private func elements(_ column: Column, _ place: Subscript, _ key: ObjectKey) -> [Value] {
        switch place {
        case .all: return view.listValues(column, key)
        case .keys: return column.collection == .dictionary ? view.dictionaryKeys(column, key).map { .string($0) } : []
        case .key(let name):
            guard column.collection == .dictionary else { return [.null] }
            return [view.dictionaryValue(column, key, forKey: name) ?? .null]
        case .index, .first, .last:
            guard column.collection != .dictionary else { return [.null] }
            return [
                Self.position(place, of: view.listCount(column, key)).map { view.listValue(column, key, at: $0) }
                    ?? .null
            ]
        }
    }

    private static func elements(_ value: Value, _ place: Subscript) -> [Value] {
        switch (value, place) {
        case (.list(let list), .all): list.values
        case (.list(let list), .index), (.list(let list), .first), (.list(let list), .last):
            [position(place, of: list.values.count).map { list.values[$0] } ?? .null]
        case (.dictionary(let dictionary), .all): dictionary.entries.map(\.value)
        case (.dictionary(let dictionary), .keys): dictionary.entries.map { .string($0.key) }
        case (.dictionary(let dictionary), .key(let name)):
            [dictionary.entries.first { $0.key == name }?.value ?? .null]
        default: place.isToMany ? [] : [.null]
        }
    }

    private static func position(_ place: Subscript, of count: Int) -> Int? {
        switch place {
        case .index(let i): i >= 0 && i < count ? i : nil
        case .first: count > 0 ? 0 : nil
        case .last: count > 0 ? count - 1 : nil
        case .key, .all, .keys: nil
        }
    }

    // MARK: One value of many

    private func count(_ path: PropertyPath, _ key: ObjectKey) -> Int {
        if path.steps.isEmpty, path.subscripts.isEmpty, let column = path.column {
            if column.collection != .none { return view.listCount(column, key) }
        }
        // The number of elements of a collection inside a mixed value.
        if let column = path.column, column.type == .mixed, !path.isToMany {
            switch values(path, key).first {
            case .list(let list): return list.values.count
            case .dictionary(let dictionary): return dictionary.entries.count
            default: break
            }
        }
        if path.column == nil, path.steps.count == 1 {
            switch path.steps[0] {
            case .backlink(let origin): return view.backlinkCount(origin, key)
            case .link(let link) where link.collection != .none: return view.listCount(link, key)
            default: break
            }
        }
        return values(path, key).count
    }

    private func matches(_ path: PropertyPath, _ predicate: Predicate, _ key: ObjectKey) -> Int {
        var node: PlanNode?
        var count = 0
        let table = view.schema.targetTable(of: path)
        for value in values(path, key) {
            guard case .link(let target) = value, let table else { continue }
            if node == nil { node = Planner(view: view).node(predicate, table) }
            if node!.test(target) { count += 1 }
        }
        return count
    }

    private func incomingLinks(_ steps: [PathStep], _ key: ObjectKey) -> Int {
        let path = PropertyPath(steps, nil)
        guard let table = steps.isEmpty ? nil : view.schema.targetTable(of: path) else { return 0 }
        return values(path, key).reduce(0) { total, value in
            guard case .link(let target) = value else { return total }
            return total + view.schema.linkColumns(to: table).reduce(0) { $0 + view.backlinkCount($1, target) }
        }
    }

    private static func length(_ value: Value) -> Value {
        switch value {
        case .string(let text): .int(Int64(text.utf8.count))
        case .data(let data): .int(Int64(data.count))
        default: .null
        }
    }
}

extension Quantifier {
    func holds(_ values: [Value], _ condition: (Value) -> Bool) -> Bool {
        switch self {
        case .any: values.contains(where: condition)
        case .all: values.allSatisfy(condition)
        case .none: !values.contains(where: condition)
        }
    }
}

extension Operand {
    /// For how many of its values a comparison must hold.
    var quantifier: Quantifier {
        switch self {
        case .constants(_, let quantifier): quantifier
        case .path(let path), .type(let path), .length(let path): path.quantifier
        default: .any
        }
    }
}

extension ArithmeticOperator {
    func apply(_ a: Value, _ b: Value) -> Value {
        .null
    }
}

/// The names that `@type` gives and takes.
enum ValueTypeName {
    static func name(of value: Value) -> String {
        "\(value.type)"
    }
}

extension DatabaseSchema {
    /// The table of the objects that a path leads to.
    func targetTable(of path: PropertyPath) -> Table? {
        if let column = path.column { return column.targetTableID.flatMap { table(id: $0) } }
        switch path.steps.last {
        case .link(let column), .element(let column, _): return column.targetTableID.flatMap { table(id: $0) }
        case .backlink(let column): return table(id: column.tableID)
        case nil: return nil
        }
    }
}
