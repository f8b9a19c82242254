/// The members of a value of the calling language that is stored as an embedded object. Such a value is compared with objects member by member.
package struct MemberValues: Sendable {
    package let className: String
    package let members: [(name: String, value: Value)]

    package init(className: String, members: [(name: String, value: Value)]) {
        self.className = className
        self.members = members
    }
}

/// The comparison of a path's objects with one such value or, for IN, with several. `nil` stands for null.
package struct MemberComparison {
    let values: [MemberValues?]
    /// A Boolean value that indicates whether the operator is `!=`.
    let isNegated: Bool

    package init(_ values: [MemberValues?], isNegated: Bool) {
        self.values = values
        self.isNegated = isNegated
    }

    /// - Parameter isToMany: whether the path can have several values. If it can, all members must be members of one object, and the condition counts
    ///   the objects.
    package func condition(on path: NamedPath, isToMany: Bool) -> Condition {
        var whole = path
        whole.quantifier = nil
        guard isToMany else {
            // For one value, the quantifiers any and all mean the same, and none is their opposite.
            let isOne = isOne(at: whole)
            return (path.quantifier == Quantifier.none) != isNegated ? .not(isOne) : isOne
        }
        switch (path.quantifier ?? .any, isNegated) {
        case (.any, false): return equalsAny(whole)
        case (.any, true): return differsFromAny(whole)
        case (.all, false), (.none, true): return .not(differsFromAny(whole))
        case (.all, true), (.none, false): return .not(equalsAny(whole))
        }
    }

    private var hasNull: Bool { values.contains { $0 == nil } }

    /// Returns the condition that one of the path's values equals one of `values`.
    private func equalsAny(_ path: NamedPath) -> Condition {
        let isThere = Condition.compare(equalObjects(path), .greater, .constant(.value(.int(0))), [])
        guard hasNull else { return isThere }
        return .or([isThere, .compare(objects(path), .less, .path(path.with(.count)), [])])
    }

    /// Returns the condition that one of the path's values differs from all of `values`: the path has more values than equal ones.
    private func differsFromAny(_ path: NamedPath) -> Condition {
        .compare(equalObjects(path), .less, hasNull ? objects(path) : .path(path.with(.count)), [])
    }

    /// Returns the number of the path's values that aren't null.
    private func objects(_ path: NamedPath) -> Term { .subquery(path, variable: "$element", .truth(true)) }

    private func equalObjects(_ path: NamedPath) -> Term {
        let conditions = values.compactMap { $0.map { Self.equal($0, at: NamedPath()) } }
        return .subquery(path, variable: "$element", conditions.count == 1 ? conditions[0] : .or(conditions))
    }

    /// Returns the condition that the path's single value equals one of `values`.
    private func isOne(at path: NamedPath) -> Condition {
        let conditions = values.map { value -> Condition in
            func null(_ op: ConditionOperator) -> Condition {
                .compare(.path(path), op, .constant(.value(.null)), [])
            }
            // For an object without members, only the presence of the object is compared.
            return value.map { .and([null(.notEqual), Self.equal($0, at: path)]) } ?? null(.equal)
        }
        return conditions.count == 1 ? conditions[0] : .or(conditions)
    }

    private static func equal(_ value: MemberValues, at path: NamedPath) -> Condition {
        let conditions = value.members.map { member -> Condition in
            var path = path
            path.steps.append(.name(member.name))
            return .compare(.path(path), .equal, .constant(.value(member.value)), [])
        }
        return conditions.count == 1 ? conditions[0] : .and(conditions)
    }
}

extension QueryCompiler {
    /// Returns a comparison of objects with values that are stored as embedded objects, or `nil` if none of the values is.
    func members(
        _ side: Side,
        _ op: ConditionOperator,
        written: Constant,
        options: TextOptions
    ) throws(QueryError) -> Predicate? {
        guard side.type == .column(.link), let named = side.named, let resolved = side.resolved,
            resolved.suffix == nil, let (values, isList) = try values(written)
        else { return nil }
        try check(op, side)
        if !options.isEmpty || (isList && op != .isIn) {
            throw error(.type, "'\(side.name)' is compared with a list of values: use IN.", path: side.named)
        }
        let name = resolved.target.map { names.className(of: $0) }
        for case let value? in values where value.className != name {
            throw error(
                .type,
                "'\(side.name)' can't be compared with a value that is stored as \(value.className).",
                path: side.named
            )
        }
        let comparison = MemberComparison(values, isNegated: op == .notEqual)
        return try predicate(comparison.condition(on: named, isToMany: resolved.path.isToMany))
    }

    /// Returns `nil` if none of the values is stored as an object.
    private func values(_ written: Constant) throws(QueryError) -> (values: [MemberValues?], isList: Bool)? {
        let constants: [Constant]
        switch written {
        case .argument(let argument):
            if let one = try names.members(of: argument) { return ([one], false) }
            guard let elements = ArgumentValue.elements(argument) else { return nil }
            constants = elements.map { .argument($0) }
        case .list(let all, let quantifier):
            guard quantifier == nil || quantifier == .any else { return nil }
            constants = all
        default: return nil
        }
        var values: [MemberValues?] = []
        for constant in constants {
            switch constant {
            case .value(.null): values.append(nil)
            case .argument(let argument):
                if let one = try names.members(of: argument) {
                    values.append(one)
                } else if case .value(.null)? = try names.constant(argument, for: nil, of: nil) {
                    values.append(nil)
                } else {
                    return nil
                }
            default: return nil
            }
        }
        return values.contains { $0 != nil } ? (values, true) : nil
    }
}
