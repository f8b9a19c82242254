import FreeholdBSON
import FreeholdEngine

extension ResolvedField {
    private var name: String { path.text }

    func checkComparable() throws(RuleError) {
        if isMany, isOptional, manyOnTheWay != nil {
            throw RuleError(
                [name],
                "'\(name)' is a collection inside of others, whose elements can be null: it can't be asked."
            )
        }
        switch kind {
        case .plain, .link: return
        case .embedded where !isMany: return
        case .embedded: throw RuleError([name], "'\(name)' holds embedded objects: name the fields inside.")
        case .dictionary: throw RuleError([name], "'\(name)' is a dictionary: only $exists can ask of it.")
        }
    }

    /// The condition that the field exists and isn't null. A collection exists if its container exists.
    var exists: Condition {
        get throws(RuleError) {
            var isCollection = isMany
            if case .dictionary = kind { isCollection = true }
            guard isCollection else { return compare(.notEqual, .null) }
            guard manyOnTheWay == nil else {
                throw RuleError([name], "'\(name)' is a collection inside of others: $exists can't ask of it.")
            }
            guard path.steps.count > 1 else { return .truth(true) }
            var parent = path
            parent.steps.removeLast()
            return .compare(.path(parent), .notEqual, .constant(.value(.null)), [])
        }
    }

    func compares(_ relation: ValueTest.Relation, _ value: BSONValue) -> Condition {
        Value(rule: value).map { compares(relation, $0) } ?? .truth(false)
    }

    private func compares(_ relation: ValueTest.Relation, _ value: Value) -> Condition {
        switch (relation, value) {
        case (.less, .null), (.greater, .null): return .truth(false)
        case (_, .null): return isNull
        default: break
        }
        switch kind {
        case .link(let className, let key):
            // Keys behind links have no order.
            guard relation == .equal, Self.isKey(value, key) else { return .truth(false) }
            return .compare(
                .path(path),
                .equal,
                .constant(.objectWithPrimaryKey(className: className, value)),
                []
            )
        case .plain(let type): return plain(relation, value, type)
        case .embedded, .dictionary: return .truth(false)
        }
    }

    func isIn(_ values: [BSONValue]) -> Condition {
        var parts: [Condition] = []
        var constants: [Constant] = []
        for value in values {
            guard let value = Value(rule: value) else { continue }
            if case .plain(let type) = kind, case .value(let fitting)? = Self.fitting(.equal, value, type) {
                if !value.isNull, !value.isRuleNaN {
                    constants.append(.value(fitting))
                    continue
                }
            }
            parts.append(compares(.equal, value))
        }
        if constants.count == 1 {
            parts.append(.compare(.path(path), .equal, .constant(constants[0]), []))
        } else if !constants.isEmpty {
            parts.append(.compare(.path(path), .isIn, .constant(.list(constants)), []))
        }
        return .some(of: parts)
    }

    // MARK: Parts

    private func compare(_ relation: ConditionOperator, _ value: Value) -> Condition {
        if relation == .equal, value.isRuleNaN { return isNaN }
        return .compare(.path(path), relation, .constant(.value(value)), [])
    }

    /// The condition for NaN. In the query language NaN equals nothing, including itself. Several numbers include NaN
    /// if not all of them are less than or equal to infinity.
    private var isNaN: Condition {
        guard isMany || manyOnTheWay != nil else { return .compare(.path(path), .notEqual, .path(path), []) }
        let all = Term.path(path.quantified(.all))
        return .not(.compare(all, .lessOrEqual, .constant(.value(.double(.infinity))), []))
    }

    /// The condition for null. A missing collection is empty, not null.
    private var isNull: Condition {
        let isNull = compare(.equal, .null)
        if isMany, !isOptional { return .truth(false) }
        guard var count = isMany ? path : manyOnTheWay else { return isNull }
        count.suffix = .count
        return .every([isNull, .compare(.path(count), .greater, .constant(.value(.int(0))), [])])
    }

    private func plain(_ relation: ValueTest.Relation, _ value: Value, _ type: ColumnType) -> Condition {
        switch Self.fitting(relation, value, type) {
        case .truth(let truth)?:
            // Each number matches, and null doesn't.
            return truth ? compare(.notEqual, .null) : .truth(false)
        case .value(.bool(let bool))? where relation != .equal:
            // The query language has no order of bools.
            let passing = [false, true].filter { relation.holds(.bool($0), .bool(bool)) }
            return .some(of: passing.map { compare(.equal, .bool($0)) })
        case .value(let value)?:
            if value.isRuleNaN, relation != .equal {
                return relation.holds(value, value) ? compare(.equal, value) : .truth(false)
            }
            return compare(relation.written, value)
        case nil: return .truth(false)
        }
    }

    private enum Fitting {
        case truth(Bool)
        case value(Value)
    }

    /// Returns the constant for a column of a type. Returns `nil` if no value of the type can match.
    private static func fitting(_ relation: ValueTest.Relation, _ value: Value, _ type: ColumnType) -> Fitting? {
        switch type {
        case .mixed: return .value(value)
        case .int:
            guard value.isRuleNumber else { return nil }
            return whole(relation, value)
        case .float:
            guard value.isRuleNumber else { return nil }
            if relation == .equal, case .double(let number) = value, !number.isNaN, Double(Float(number)) != number {
                return nil
            }
            return .value(value)
        case .double, .decimal128: return value.isRuleNumber ? .value(value) : nil
        case .link: return nil
        default: return value.type == type ? .value(value) : nil
        }
    }

    /// Returns the number with which whole numbers are compared in the place of a number with a fraction, or of a
    /// number outside of the range of whole numbers.
    private static func whole(_ relation: ValueTest.Relation, _ value: Value) -> Fitting? {
        if case .int = value { return .value(value) }
        if value.isRuleNaN { return nil }
        let least = Value.int(.min)
        let greatest = Value.int(.max)
        if Value.compare(value, with: least) < 0 {
            return relation == .greater || relation == .greaterOrEqual ? .truth(true) : nil
        }
        if Value.compare(value, with: greatest) > 0 {
            return relation == .less || relation == .lessOrEqual ? .truth(true) : nil
        }
        // Finds the greatest whole number that isn't above the value by bisection, without arithmetic that could round.
        var low = Int64.min
        var high = Int64.max
        while low < high {
            let distance = UInt64(bitPattern: high &- low)
            let middle = low &+ Int64(bitPattern: distance / 2 + distance % 2)
            if Value.compare(.int(middle), with: value) <= 0 { low = middle } else { high = middle - 1 }
        }
        if Value.compare(.int(low), with: value) == 0 { return .value(.int(low)) }
        switch relation {
        case .equal: return nil
        case .greater, .greaterOrEqual: return low == .max ? nil : .value(.int(relation == .greater ? low : low + 1))
        case .less, .lessOrEqual: return .value(.int(relation == .lessOrEqual ? low : low == .max ? low : low + 1))
        }
    }

    private static func isKey(_ value: Value, _ type: ColumnType) -> Bool {
        switch value {
        case .int, .string, .objectId, .uuid: value.type == type
        default: false
        }
    }
}
