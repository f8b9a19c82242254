import FreeholdEngine

/// A test of an object. Its result is true, false, or missing if the test fails.
indirect enum ObjectTest: Sendable {
    case truth(Bool)
    case all([ObjectTest])
    case any([ObjectTest])
    case not(ObjectTest)
    case values(ValueOperand, ValueQuestion)
    /// The values have a type with this name, or don't have it.
    case isType(ValuePath, String, isNegated: Bool)
    case operands(ValueOperand, Comparison, ValueOperand)
    case texts(ValueOperand, StringOperator, ValueOperand, TextOptions)
    /// A collection has exactly these elements, or hasn't exactly these.
    case elements(ValuePath, [ConditionConstant], isNegated: Bool)

    /// Returns the result, or `nil` if the test fails. A conjunction ends at its first part that isn't true. The first
    /// part of a conjunction, such as a right, therefore hides the others.
    ///
    /// If the budget is exceeded afterwards, the result is meaningless.
    func answer(_ root: ConditionRoot, budget: inout WorkBudget) -> Bool? {
        switch self {
        case .truth(let truth): return truth
        case .not(let test): return test.answer(root, budget: &budget).map { !$0 }
        case .all(let tests):
            for test in tests {
                let answer = test.answer(root, budget: &budget)
                if answer != true { return answer }
            }
            return true
        case .any(let tests):
            var isUnknown = false
            for test in tests {
                switch test.answer(root, budget: &budget) {
                case true?: return true
                case false?: break
                case nil: isUnknown = true
                }
                if budget.isOver { return nil }
            }
            return isUnknown ? nil : false
        case .values(.path(let path), let question):
            if let single = path.single(root) {
                guard budget.charge(question.steps(of: single)) else { return nil }
                return question.isTrue(of: single) == (path.quantifier != .none)
            }
            guard let values = path.values(root, budget: &budget) else { return nil }
            return path.quantifier.holds(values, budget: &budget, question.isTrue)
        case .values(let operand, let question):
            guard let values = operand.values(root, budget: &budget) else { return nil }
            return operand.quantifier.holds(values, budget: &budget, question.isTrue)
        case .isType(let path, let name, let isNegated):
            guard let values = path.values(root, budget: &budget) else { return nil }
            return path.quantifier.holds(values, budget: &budget) { value, budget in
                budget.charge() && ValueTypeName.isName(name, of: value.value) != isNegated
            }
        case .operands(let a, let comparison, let b):
            return Self.compare(a, b, comparison: comparison, root: root, budget: &budget)
        case .texts(let a, let op, let b, let options):
            return Self.pairs(a, b, root: root, budget: &budget) { value, pattern, budget in
                // A pattern that is used once has to be prepared first.
                let bytes = value.bytes + 2 * pattern.bytes
                guard budget.charge(bytes: options.isEmpty ? bytes : 8 * bytes) else { return false }
                var test = ValueTest(.text(op, pattern.value, options))
                test.isMixed = a.isMixed == true
                return test.matches(value.value)
            }
        case .elements(let path, let constants, let isNegated):
            return Self.hasElements(path, constants, in: root, budget: &budget).map { $0 != isNegated }
        }
    }

    /// Compares the values of both sides. The quantifier of the left side is the outer one.
    private static func pairs(
        _ a: ValueOperand,
        _ b: ValueOperand,
        root: ConditionRoot,
        budget: inout WorkBudget,
        holds: (ConditionValue, ConditionValue, inout WorkBudget) -> Bool
    ) -> Bool? {
        guard let left = a.values(root, budget: &budget), let right = b.values(root, budget: &budget) else {
            return nil
        }
        return a.quantifier.holds(left, budget: &budget) { x, budget in
            b.quantifier.holds(right, budget: &budget) { y, budget in holds(x, y, &budget) } ?? false
        }
    }

    private static func compare(
        _ a: ValueOperand,
        _ b: ValueOperand,
        comparison: Comparison,
        root: ConditionRoot,
        budget: inout WorkBudget
    ) -> Bool? {
        let isType = a.isType || b.isType
        return pairs(a, b, root: root, budget: &budget) { x, y, budget in
            guard budget.charge(bytes: min(x.bytes, y.bytes)) else { return false }
            if isType, case .plain(let x) = x, case .plain(let y) = y, !x.isNull, !y.isNull {
                guard comparison == .equal || comparison == .notEqual else { return false }
                return ValueTypeName.areOne(x, y) == (comparison == .equal)
            }
            return ConditionValue.holds(x, comparison, y)
        }
    }

    private static func hasElements(
        _ path: ValuePath,
        _ constants: [ConditionConstant],
        in root: ConditionRoot,
        budget: inout WorkBudget
    ) -> Bool? {
        guard var found = path.values(root, budget: &budget) else { return nil }
        if found.count == 1, case .plain(let value) = found[0], path.isOne(root, budget: &budget) {
            switch value {
            case .list(let list): found = list.values.map { .plain($0) }
            case .dictionary(let dictionary): found = dictionary.entries.map { .plain($0.value) }
            // A property without a schema may be an empty collection.
            case .null where path.types == nil: found = []
            default: return false
            }
        }
        guard found.count == constants.count else { return false }
        for (value, constant) in zip(found, constants) {
            let question = ValueQuestion(.compare(.equal, constant), isMixed: path.isMixed)
            guard budget.charge(8 + question.steps(of: value)) else { return nil }
            if !question.isTrue(of: value) { return false }
        }
        return true
    }
}

extension Quantifier {
    /// Returns whether a condition holds for as many values as the quantifier requires. Returns `nil` if the budget is
    /// exceeded.
    func holds(
        _ values: [ConditionValue],
        budget: inout WorkBudget,
        _ condition: (ConditionValue, inout WorkBudget) -> Bool
    ) -> Bool? {
        for value in values {
            let isTrue = condition(value, &budget)
            if budget.isOver { return nil }
            switch self {
            case .any: if isTrue { return true }
            case .all: if !isTrue { return false }
            case .none: if isTrue { return false }
            }
        }
        return self != .any
    }
}

// MARK: - Properties of all objects that fulfil a condition

extension ObjectTest {
    /// The maximum number of comparisons for a result.
    var comparisons: Int {
        switch self {
        case .truth: 0
        case .all(let tests), .any(let tests): tests.reduce(0) { $0 + $1.comparisons }
        case .not(let test): test.comparisons
        case .values(.matches(_, let test), _): 1 + test.comparisons
        case .values, .isType, .operands, .texts: 1
        case .elements(_, let constants, _): 1 + constants.count
        }
    }

    /// A Boolean value that indicates whether the test can fail for an object.
    var canFail: Bool {
        switch self {
        case .truth: false
        case .all(let tests), .any(let tests): tests.contains(where: \.canFail)
        case .not(let test): test.canFail
        case .values(let operand, _): operand.canFail
        case .isType(let path, _, _), .elements(let path, _, _): path.canFail
        case .operands(let a, _, let b), .texts(let a, _, let b, _): a.canFail || b.canFail
        }
    }

    /// Returns the reason why a part of the condition fails. Returns `nil` if no part fails.
    func failure(_ root: ConditionRoot, budget: inout WorkBudget) -> ConditionFailure? {
        switch self {
        case .truth: return nil
        case .all(let tests), .any(let tests):
            for test in tests {
                guard budget.charge() else { return nil }
                if let failure = test.failure(root, budget: &budget) { return failure }
            }
            return nil
        case .not(let test): return test.failure(root, budget: &budget)
        case .values(let operand, _): return operand.failure(root, budget: &budget)
        case .isType(let path, _, _), .elements(let path, _, _): return path.failure(root, budget: &budget)
        case .operands(let a, _, let b), .texts(let a, _, let b, _):
            return a.failure(root, budget: &budget) ?? b.failure(root, budget: &budget)
        }
    }

    /// A property and its possible values in objects that pass the test.
    var equality: ConditionEquality? {
        switch self {
        case .all(let tests):
            for test in tests { if let equality = test.equality { return equality } }
            return nil
        case .values(.path(let path), let question) where path.quantifier == .any && !path.isKey:
            return path.property.flatMap { name in question.values.flatMap { ConditionEquality(name, $0) } }
        default: return nil
        }
    }

    /// The keys of all objects that can fulfil the test. `nil` if any key is possible.
    var keys: Set<PrimaryKey>? {
        switch self {
        case .truth(false): return []
        case .all(let tests): return tests.compactMap(\.keys).min { $0.count < $1.count }
        case .any(let tests):
            var all: Set<PrimaryKey> = []
            for test in tests {
                guard let keys = test.keys else { return nil }
                all.formUnion(keys)
            }
            return all
        case .values(.path(let path), let question) where path.quantifier != .none:
            if path.steps.isEmpty, !question.links.isEmpty, question.values != nil {
                return Set(question.links.map(\.key))
            }
            return path.isKey ? question.keys : nil
        default: return nil
        }
    }
}
