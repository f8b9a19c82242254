import FreeholdEngine

/// Turns names and values of a query into columns and values of the engine.
///
/// What doesn't fit the schema is a programmer error: key paths make it impossible but for names given as text.
struct QueryCompiler {
    let core: RealmCore
    /// The table that is queried.
    let table: ManagedTable

    // MARK: Paths

    func path(_ names: [String]) -> PropertyPath { resolve(names).path }

    /// The columns that names stand for, and the table that the last of them links to.
    private func resolve(_ names: [String]) -> (path: PropertyPath, target: ManagedTable?) {
        var steps: [PathStep] = []
        var table = table
        for (i, name) in names.enumerated() {
            let isLast = i == names.count - 1
            guard let index = table.info.index(named: name) else {
                programmerError(
                    "Class \(table.info.className) has no property '\(name)' (in '\(names.joined(separator: "."))'). "
                        + "Name a persisted property."
                )
            }
            let property = table.info.properties[index]
            if let column = table.columns[index] {
                if isLast {
                    return (PropertyPath(steps, column), property.target == nil ? nil : table.target(of: index))
                }
                steps.append(.link(column))
            } else {
                steps.append(.backlink(originColumn(property, table)))
            }
            guard property.target != nil else {
                programmerError(
                    "\(table.info.className).\(name) is no link, so that nothing follows it in "
                        + "'\(names.joined(separator: "."))'. Follow links only."
                )
            }
            table = table.target(of: index)
        }
        return (PropertyPath(steps, nil), table)
    }

    private func originColumn(_ property: PropertyInfo, _ table: ManagedTable) -> Column {
        let origin = table.target(of: property.index)
        guard let name = property.origin, let index = origin.info.index(named: name), let column = origin.columns[index]
        else {
            programmerError(
                "\(table.info.className).\(property.name) has no origin property \(property.origin ?? "") in class "
                    + "\(origin.info.className). Name a link or list of links in `originProperty:`."
            )
        }
        return column.aimed(at: table.table)
    }

    private func operand(_ path: QueryPath) -> Operand {
        let resolved = self.path(path.names)
        return switch path.aggregate {
        case nil: .path(resolved)
        case .count: .count(resolved)
        case .min: .aggregate(.minimum, resolved)
        case .max: .aggregate(.maximum, resolved)
        case .sum: .aggregate(.sum, resolved)
        case .average: .aggregate(.average, resolved)
        }
    }

    // MARK: Conditions

    func predicate(_ node: QueryNode) -> Predicate {
        switch node {
        case .truth(let value): .constant(value)
        case .and(let nodes): .and(nodes.map(predicate))
        case .or(let nodes): .or(nodes.map(predicate))
        case .not(let node): .not(predicate(node))
        case .operand: predicate(node.condition)
        case .compare(.path(let a), let comparison, .path(let b), let options): columns(a, comparison, b, options)
        case .compare(.path(let path), let comparison, .constant(let value), let options):
            compare(path, comparison, value, options)
        case .compare(.constant, _, _, _):
            programmerError("A query compares a constant with something. Put the property on the left.")
        case .range(let operand, let lower, let upper, let closed): range(operand, lower, upper, closed)
        case .oneOf(let operand, let values): oneOf(operand, values)
        }
    }

    private func compare(
        _ path: QueryPath,
        _ comparison: QueryComparison,
        _ value: Any?,
        _ options: StringOptions
    ) -> Predicate {
        let (resolved, target) = resolve(path.names)
        guard let constant = self.constant(value, in: target, of: resolved) else {
            // An object that no link leads to: equal to nothing.
            return .constant(comparison == .notEqual)
        }
        if path.aggregate != nil {
            return .operand(operand(path), comparison.engine!, constant)
        }
        if options.isEmpty, let comparison = comparison.engine {
            return .comparison(resolved, comparison, constant)
        }
        return string(resolved, comparison, constant, options)
    }

    private func string(
        _ path: PropertyPath,
        _ comparison: QueryComparison,
        _ constant: Value,
        _ options: StringOptions
    ) -> Predicate {
        if options.contains(.diacriticInsensitive) {
            programmerError("Queries that ignore accents aren't supported. Leave out `.diacriticInsensitive`.")
        }
        let pattern: String?
        switch constant {
        case .null, .string: break
        // No string, so that it is neither equal to one nor part of one.
        case _ where path.column?.type == .mixed: return .constant(comparison == .notEqual)
        default: break
        }
        switch constant {
        case .null: pattern = nil
        case .string(let text): pattern = text
        case .data(let data):
            guard let text = String(validating: data, as: UTF8.self) else {
                programmerError("A data query's pattern must be UTF-8. Compare the whole value instead.")
            }
            pattern = text
        default: programmerError("A string condition was given \(constant). Give it a string.")
        }
        let ignoringCase = options.contains(.caseInsensitive)
        return .string(path, comparison.string, pattern, ignoringCase: ignoringCase)
    }

    private func columns(
        _ a: QueryPath,
        _ comparison: QueryComparison,
        _ b: QueryPath,
        _ options: StringOptions
    ) -> Predicate {
        guard options.isEmpty, let comparison = comparison.engine else {
            programmerError(
                "Two properties ('\(a.names.joined(separator: "."))', '\(b.names.joined(separator: "."))') can only be "
                    + "compared with == != < <= > >=, without options."
            )
        }
        return .operands(operand(a), comparison, operand(b))
    }

    private func range(_ operand: QueryOperand, _ lower: Any, _ upper: Any, _ closed: Bool) -> Predicate {
        guard case .path(let path) = operand, let lower = constant(lower), let upper = constant(upper) else {
            programmerError("A range was asked of a constant. Ask it of a property.")
        }
        if path.aggregate == nil {
            return .between(self.path(path.names), lower: lower, upper: upper, isClosed: closed)
        }
        let value = self.operand(path)
        return .and([
            .operand(value, .greaterOrEqual, lower), .operand(value, closed ? .lessOrEqual : .less, upper),
        ])
    }

    private func oneOf(_ operand: QueryOperand, _ values: [Any?]) -> Predicate {
        guard case .path(let path) = operand else {
            programmerError("`in` was asked of a constant. Ask it of a property.")
        }
        let (resolved, target) = resolve(path.names)
        let constants = values.compactMap { constant($0, in: target, of: resolved) }
        if path.aggregate == nil { return .oneOf(resolved, constants) }
        let value = self.operand(path)
        return .or(constants.map { .operand(value, .equal, $0) })
    }

    // MARK: Constants

    /// Nil for an object that no link can lead to: one that is unmanaged or deleted, or of another table than the one
    /// that the property links to.
    private func constant(_ value: Any?, in target: ManagedTable? = nil) -> Value? {
        guard let value = PlainValue.unwrap(value) else { return .null }
        if let object = value as? ObjectBase {
            if object._core != nil && object._core !== core {
                programmerError("A query was given an object of another realm. Give it one of \(core).")
            }
            guard object._isManaged, !object.isInvalidated, object._table?.table.id == target?.table.id else {
                return nil
            }
            return .link(object._key)
        }
        if let value = value as? any RealmCollectionValue, let stored = stored(value) { return stored }
        if let value = value as? any RawRepresentable { return constant(value.rawValue) }
        programmerError("\(PlainValue.describe(value)) can't be used in a query. Use a value that can be stored.")
    }

    /// For a mixed property any value is a constant.
    private func constant(_ value: Any?, in target: ManagedTable?, of path: PropertyPath) -> Value? {
        guard path.column?.type == .mixed, let value = PlainValue.unwrap(value) else {
            return constant(value, in: target)
        }
        guard let content = AnyRealmValue.content(of: value, depth: 0) else {
            programmerError("\(PlainValue.describe(value)) can't be used in a query. Use a value that can be stored.")
        }
        if case .object(let object?) = content {
            if object._core != nil && object._core !== core {
                programmerError("A query was given an object of another realm. Give it one of \(core).")
            }
            if object.isInvalidated { return nil }
        }
        return core.sought(content)
    }

    private func stored<V: RealmCollectionValue>(_ value: V) -> Value? {
        guard case .value(let stored) = V._rlmContent(value) else { return nil }
        return stored
    }
}

extension QueryComparison {
    /// Nil for operators of strings only.
    fileprivate var engine: FreeholdEngine.Comparison? {
        switch self {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        case .contains, .beginsWith, .endsWith, .like: nil
        }
    }

    fileprivate var string: FreeholdEngine.StringOperator {
        switch self {
        case .equal: .equal
        case .notEqual: .notEqual
        case .contains: .contains
        case .beginsWith: .beginsWith
        case .endsWith: .endsWith
        case .like: .like
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            programmerError("Strings can only be ordered without options. Leave the options out.")
        }
    }
}
