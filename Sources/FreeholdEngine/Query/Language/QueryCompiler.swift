/// Turns names and constants of a query into columns and values.
package struct QueryCompiler<Names: QueryNames> {
    package let names: Names
    /// The class that is queried.
    package let cls: Names.Class
    /// Added to every condition on strings that ignores case or accents.
    package var textOptions: TextOptions = []

    package init(_ names: Names, _ cls: Names.Class, textOptions: TextOptions = []) {
        self.names = names
        self.cls = cls
        self.textOptions = textOptions
    }

    // MARK: Paths

    /// A path with what its names stand for.
    package struct ResolvedPath {
        package var path: PropertyPath
        /// Of the objects reached, where the path's values are objects.
        package var target: Names.Class?
    }

    package func resolve(_ named: NamedPath) throws(QueryError) -> ResolvedPath {
        var path = PropertyPath([], nil, quantifier: named.quantifier ?? .any)
        var cls: Names.Class? = cls
        // The column whose values the path has so far; it becomes a step when another name follows.
        var column: Column?
        func step(_ named: NamedPath) throws(QueryError) {
            guard let last = column else { return }
            guard cls != nil else {
                throw error(.type, "'\(last.name)' is no link, so that nothing can follow it.", named)
            }
            path.steps.append(path.subscripts.first.map { .element(last, $0) } ?? .link(last))
            path.subscripts = []
            column = nil
        }
        for part in named.steps {
            switch part {
            case .name(let name):
                try step(named)
                guard let owner = cls, let property = names.property(named: name, of: owner) else {
                    let owner = cls.map { names.className(of: $0) } ?? ""
                    throw QueryError(
                        .unknownName,
                        "Class \(owner) has no property '\(name)'.",
                        position: named.position,
                        suggestions: cls.map { NearNames.of(name, names.propertyNames(of: $0)) } ?? []
                    )
                }
                cls = property.target
                switch property.kind {
                case .column(let found): column = found
                case .inverse(let origin): path.steps.append(.backlink(origin))
                }
            case .links(let className, let property):
                try step(named)
                guard let origin = names.cls(named: className) else {
                    throw error(.unknownName, "There is no class '\(className)'.", named)
                }
                guard case .column(let found)? = names.property(named: property, of: origin)?.kind,
                    found.type == .link || found.type == .mixed, let owner = cls
                else { throw error(.unknownName, "'\(className).\(property)' is no link.", named) }
                path.steps.append(.backlink(found.aimed(at: names.table(of: owner))))
                cls = origin
            case .place(let place):
                guard let column else {
                    throw error(.type, "Only collections and mixed values have elements to ask for.", named)
                }
                if path.subscripts.isEmpty, column.collection == .none, column.type != .mixed {
                    throw error(.type, "'\(column.name)' is no collection, so that it has no elements.", named)
                }
                path.subscripts.append(place)
            }
        }
        // A link at the end stands for the object it leads to.
        path.column = column
        return ResolvedPath(path: path, target: cls)
    }

    private func error(_ code: QueryError.Code, _ message: String, _ path: NamedPath) -> QueryError {
        QueryError(code, message, position: path.position)
    }

    package func operand(_ named: NamedPath) throws(QueryError) -> Operand {
        let path = try resolve(named).path
        return switch named.suffix {
        case nil: .path(path)
        case .count: .count(path)
        case .aggregate(let aggregate): .aggregate(aggregate, path)
        case .type: .type(path)
        case .length: .length(path)
        case .incomingLinks: .incomingLinks(path.steps)
        }
    }

    // MARK: Conditions

    package func predicate(_ condition: Condition) throws(QueryError) -> Predicate {
        switch condition {
        case .truth(let value): return .constant(value)
        case .and(let all): return .and(try predicates(all))
        case .or(let all): return .or(try predicates(all))
        case .not(let inner): return .not(try predicate(inner))
        case .term(let term): return try predicate(.compare(term, .equal, .constant(.value(.bool(true))), []))
        case .compare(let left, let op, let right, let options): return try compare(left, op, right, options)
        case .between(let term, let lower, let upper, let isClosed):
            return try between(term, lower, upper, isClosed)
        case .fullText(let path, let constant):
            let resolved = try resolve(path)
            guard case .value(.string(let text))? = try self.constant(constant, resolved) else {
                throw error(.constant, "A full-text search needs a string.", path)
            }
            return .fullText(resolved.path, try FullTextQuery(text))
        case .within(let path, let constant):
            let resolved = try resolve(path)
            guard case .shape(let shape)? = try self.constant(constant, resolved) else {
                throw error(.constant, "geoWithin needs a box, a circle or a polygon.", path)
            }
            try shape.validate()
            return .within(resolved.path, PlaceTest(try places(path, resolved), in: shape))
        }
    }

    private func predicates(_ all: [Condition]) throws(QueryError) -> [Predicate] {
        var out: [Predicate] = []
        for condition in all { out.append(try predicate(condition)) }
        return out
    }

    private func compare(
        _ left: Term,
        _ op: ConditionOperator,
        _ right: Term,
        _ options: TextOptions
    ) throws(QueryError) -> Predicate {
        let options = options.isEmpty ? options : options.union(textOptions)
        switch (left, right) {
        case (.path(let path), .constant(let constant)): return try compare(path, op, constant, options)
        case (.constant(let constant), .path(let path)):
            guard let mirrored = op.mirrored else {
                throw error(.type, "\(op.rawValue) needs the property on the left.", path)
            }
            return try compare(path, mirrored, constant, options)
        default:
            let (a, b) = (try operand(left), try operand(right))
            if options.isEmpty, let comparison = op.comparison { return .operands(a, comparison, b) }
            if op == .isIn { return .operands(a, .equal, b) }
            guard let text = op.text else {
                throw QueryError(.type, "Strings can only be ordered without options.")
            }
            return .texts(a, text, b, options)
        }
    }

    private func operand(_ term: Term) throws(QueryError) -> Operand {
        switch term {
        case .path(let path): return try operand(path)
        case .constant(let constant):
            return .constant(try value(constant, ResolvedPath(path: PropertyPath([], nil), target: nil)) ?? .null)
        case .subquery(let path, _, let condition):
            let resolved = try resolve(path)
            guard let target = resolved.target else {
                throw error(.type, "A subquery needs a collection of objects.", path)
            }
            let inner = QueryCompiler(names, target, textOptions: textOptions)
            return .matches(resolved.path, try inner.predicate(condition))
        case .arithmetic(let op, let a, let b): return .arithmetic(op, try operand(a), try operand(b))
        }
    }

    private func compare(
        _ named: NamedPath,
        _ op: ConditionOperator,
        _ constant: Constant,
        _ options: TextOptions
    ) throws(QueryError) -> Predicate {
        let resolved = try resolve(named)
        if op == .isIn { return try oneOf(named, resolved, constant) }
        guard let value = try value(constant, resolved) else {
            // An object that no link leads to: equal to nothing.
            return .constant(op == .notEqual)
        }
        if named.suffix != nil { return .operands(try operand(named), op.comparison ?? .equal, .constant(value)) }
        if options.isEmpty, let comparison = op.comparison { return .comparison(resolved.path, comparison, value) }
        guard let text = op.text else {
            throw error(.type, "Strings can only be ordered without options.", named)
        }
        switch value {
        case .null, .string, .data: break
        // No string, so that it is neither equal to one nor part of one.
        case _ where resolved.path.column?.type == .mixed: return .constant(op == .notEqual)
        default: throw error(.type, "\(op.rawValue) needs a string.", named)
        }
        return .text(resolved.path, text, value, options)
    }

    private func oneOf(
        _ named: NamedPath,
        _ resolved: ResolvedPath,
        _ constant: Constant
    ) throws(QueryError) -> Predicate {
        guard case .list(let constants, _)? = try self.constant(constant, resolved) else {
            throw error(.type, "IN needs a list on its right side.", named)
        }
        var values: [Value] = []
        for constant in constants {
            if let value = try value(constant, resolved) { values.append(value) }
        }
        if named.suffix == nil { return .oneOf(resolved.path, values) }
        let operand = try operand(named)
        return .or(values.map { .operands(operand, .equal, .constant($0)) })
    }

    private func between(
        _ term: Term,
        _ lower: Constant,
        _ upper: Constant,
        _ isClosed: Bool
    ) throws(QueryError) -> Predicate {
        guard case .path(let named) = term else {
            let operand = try operand(term)
            let nowhere = ResolvedPath(path: PropertyPath([], nil), target: nil)
            return range(operand, try value(lower, nowhere) ?? .null, try value(upper, nowhere) ?? .null, isClosed)
        }
        let resolved = try resolve(named)
        guard let lower = try value(lower, resolved), let upper = try value(upper, resolved) else {
            return .constant(false)
        }
        if named.suffix == nil { return .between(resolved.path, lower: lower, upper: upper, isClosed: isClosed) }
        return range(try operand(named), lower, upper, isClosed)
    }

    private func range(_ operand: Operand, _ lower: Value, _ upper: Value, _ isClosed: Bool) -> Predicate {
        .and([
            .operands(operand, .greaterOrEqual, .constant(lower)),
            .operands(operand, isClosed ? .lessOrEqual : .less, .constant(upper)),
        ])
    }

    // MARK: Constants

    /// With arguments replaced by what they stand for; nil for an object that no link can lead to.
    private func constant(_ constant: Constant, _ path: ResolvedPath) throws(QueryError) -> Constant? {
        guard case .argument(let argument) = constant else { return constant }
        return try names.constant(argument, for: path.path.column, of: path.target)
    }

    private func value(_ constant: Constant, _ path: ResolvedPath) throws(QueryError) -> Value? {
        switch try self.constant(constant, path) {
        case .value(let value): return value
        case .object(let tableID, let key):
            guard path.path.column?.type == .mixed, let tableID else { return .link(key) }
            return .objectLink(ObjectLink(tableID: tableID, key: key))
        case .objectWithPrimaryKey(let className, let primaryKey):
            guard let cls = names.cls(named: className) else {
                throw QueryError(.unknownName, "There is no class '\(className)'.")
            }
            guard let key = names.view.find(primaryKey: primaryKey, in: names.table(of: cls)) else { return nil }
            return .link(key)
        case nil: return nil
        case .list, .shape, .argument: throw QueryError(.type, "A list or a shape can't be compared with a value.")
        }
    }
}

extension ConditionOperator {
    /// Nil for operators of strings and lists only.
    package var comparison: Comparison? {
        switch self {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        case .contains, .beginsWith, .endsWith, .like, .isIn: nil
        }
    }

    package var text: StringOperator? {
        switch self {
        case .equal: .equal
        case .notEqual: .notEqual
        case .contains: .contains
        case .beginsWith: .beginsWith
        case .endsWith: .endsWith
        case .like: .like
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn: nil
        }
    }

    /// The same with the sides exchanged; nil where that isn't possible.
    package var mirrored: ConditionOperator? {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        // `3 IN list`: any element is 3.
        case .isIn: .equal
        case .contains, .beginsWith, .endsWith, .like: nil
        }
    }
}

/// Names that may have been meant.
enum NearNames {
    static func of(_ name: String, _ all: [String]) -> [String] { [] }
}
