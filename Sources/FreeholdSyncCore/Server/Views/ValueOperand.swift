import FreeholdEngine

/// A side of a comparison that isn't a constant.
indirect enum ValueOperand: Sendable {
    case path(ValuePath)
    case count(ValuePath)
    case length(ValuePath)
    case type(ValuePath)
    case aggregate(Aggregate, ValuePath)
    /// The number of the path's embedded objects that meet a condition.
    case matches(ValuePath, ObjectTest)
    case arithmetic(ArithmeticOperator, ValueOperand, ValueOperand)
    /// A constant number in a calculation.
    case constant(ConditionConstant)

    /// The number of values for which a comparison must hold.
    var quantifier: Quantifier {
        switch self {
        case .path(let path), .type(let path), .length(let path): path.quantifier
        case .arithmetic(_, let a, let b): a.quantifier == .any ? b.quantifier : a.quantifier
        case .count, .aggregate, .matches, .constant: .any
        }
    }

    /// A Boolean value that indicates whether the values are those of a mixed property, or calculated from such values.
    /// `nil` if it is unknown.
    var isMixed: Bool? {
        switch self {
        case .path(let path): return path.isMixed
        case .aggregate(.minimum, let path), .aggregate(.maximum, let path): return path.isMixed
        case .arithmetic(_, let a, let b):
            guard let x = a.isMixed, let y = b.isMixed else { return nil }
            return x || y
        case .count, .length, .type, .aggregate, .matches, .constant: return false
        }
    }

    var isType: Bool { if case .type = self { true } else { false } }

    /// A Boolean value that indicates whether an object can have a link on a path.
    var canFail: Bool {
        switch self {
        case .path(let path), .count(let path), .length(let path), .type(let path), .aggregate(_, let path):
            path.canFail
        case .matches(let path, let test): path.types == nil || test.canFail
        case .arithmetic(_, let a, let b): a.canFail || b.canFail
        case .constant: false
        }
    }

    /// Returns the reason why the values can't be read. Returns `nil` if they can be read.
    func failure(_ root: ConditionRoot, budget: inout WorkBudget) -> ConditionFailure? {
        switch self {
        case .path(let path), .count(let path), .length(let path), .type(let path), .aggregate(_, let path):
            return path.failure(root, budget: &budget)
        case .matches(let path, let test):
            if let failure = path.failure(root, budget: &budget) { return failure }
            guard let objects = path.objects(root, budget: &budget) else {
                return ConditionFailure(text: ValuePath.throughLink(path.text), position: path.position)
            }
            for fields in objects {
                guard budget.charge() else { return nil }
                if let failure = test.failure(ConditionRoot(name: nil, fields: fields), budget: &budget) {
                    return failure
                }
            }
            return nil
        case .arithmetic(_, let a, let b): return a.failure(root, budget: &budget) ?? b.failure(root, budget: &budget)
        case .constant: return nil
        }
    }

    /// Returns the values. Returns `nil` if a path leads through a link, or if the budget is exceeded.
    func values(_ root: ConditionRoot, budget: inout WorkBudget) -> [ConditionValue]? {
        switch self {
        case .path(let path): return path.values(root, budget: &budget)
        case .count(let path): return path.count(root, budget: &budget).map { [.plain($0)] }
        case .length(let path): return path.values(root, budget: &budget)?.map { .plain(ValuePath.length($0.value)) }
        case .type(let path):
            return path.values(root, budget: &budget)?.map { .plain(.string(ValueTypeName.name(of: $0.value))) }
        case .aggregate(let aggregate, let path):
            guard let values = path.values(root, budget: &budget), budget.charge(2 * values.count) else { return nil }
            return [.plain(Self.fold(aggregate, values.map(\.value), path.isMixed))]
        case .matches(let path, let test):
            guard let objects = path.objects(root, budget: &budget) else { return nil }
            return Self.count(objects, test, budget: &budget)
        case .arithmetic(let op, let a, let b):
            guard let left = a.values(root, budget: &budget), let right = b.values(root, budget: &budget) else {
                return nil
            }
            // Each value of one side is combined with each value of the other side.
            let (pairs, overflow) = left.count.multipliedReportingOverflow(by: right.count)
            guard budget.charge(overflow ? .max : pairs) else { return nil }
            return left.flatMap { x in
                right.map { y in
                    .plain(
                        op.apply(
                            to: a.fitted(x, to: y, isMixed: b.isMixed),
                            and: b.fitted(y, to: x, isMixed: a.isMixed)
                        )
                    )
                }
            }
        case .constant: return [.null]
        }
    }

    /// Returns a constant as a number that fits the other side. Other values are returned without a change.
    ///
    /// - Parameter isMixed: The `isMixed` of the other side.
    private func fitted(_ value: ConditionValue, to other: ConditionValue, isMixed: Bool?) -> Value {
        guard case .constant(let constant) = self else { return value.value }
        let type: ColumnType = if isMixed != true, case .decimal128 = other.value { .decimal128 } else { .mixed }
        return (try? constant.fitting(type, .less)) ?? .null
    }

    private static func fold(_ aggregate: Aggregate, _ values: [Value], _ isMixed: Bool?) -> Value {
        var types: [ColumnType] = []
        for value in values { if let type = value.type, !types.contains(type) { types.append(type) } }
        // Values of several types are treated like those of a mixed property.
        let type = isMixed == true || (isMixed == nil && types.count > 1) ? .mixed : types.first ?? .int
        return ValueFold.fold(aggregate, values, of: type)
    }

    private static func count(
        _ objects: [[SyncString: MergedContent]],
        _ test: ObjectTest,
        budget: inout WorkBudget
    ) -> [ConditionValue]? {
        var count: Int64 = 0
        for fields in objects {
            guard budget.charge(), let answer = test.answer(ConditionRoot(name: nil, fields: fields), budget: &budget)
            else {
                return nil
            }
            if answer { count += 1 }
        }
        return [.plain(.int(count))]
    }
}

/// The reason why a condition fails.
struct ConditionFailure {
    let text: String
    /// The position in the condition, in characters.
    let position: Int?
}
