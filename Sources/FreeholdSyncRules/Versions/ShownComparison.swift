import FreeholdEngine
import FreeholdSyncCore

/// A comparison with a single value whose shown form differs from the stored one: a fill in the place of null, or a
/// truncated number.
///
/// It is translated into a condition on stored values that is true for the same objects. For example, `age == 5` for a
/// value that is shown as an integer becomes `age >= 5 && age < 6`. The condition is also true for null if null is
/// shown as 5.
struct ShownComparison {
    let condition: Condition

    /// - Parameters:
    ///   - written: The comparison in the app's names.
    ///   - mapped: The comparison in stored names.
    /// - Returns: `nil` if the comparison has the same result for stored values.
    init?(_ written: Condition, _ mapped: Condition, _ end: PathEnd) {
        let property = end.property
        let numbers = property.numbers.flatMap { $0.isNarrow ? $0 : nil }
        guard numbers != nil || property.fill != nil, let question = Question(written) else { return nil }
        var condition = mapped
        let stored = numbers.flatMap { Self.stored(question, end.path, $0) }
        var isSame = stored == nil
        if let stored { condition = stored }
        if numbers?.type == .int {
            guard let truth = question.isTrue(of: .int(0)) else { return nil }
            // NaN isn't in any range.
            let onNaN = stored == nil ? question.isTrue(of: .double(.nan)) : question.isNotEqual
            if truth != onNaN {
                // NaN is the only number that isn't equal to itself.
                let isNaN = Condition.compare(.path(end.path), .notEqual, .path(end.path), [])
                condition = Self.with(condition, isNaN, truth)
                isSame = false
            }
        }
        if let fill = property.fill {
            guard let truth = question.isTrue(of: fill) else { return nil }
            if truth != question.isTrue(of: .null) {
                condition = Self.with(condition, Self.isNull(end.path), truth)
                isSame = false
            }
        }
        if isSame { return nil }
        self.condition = condition
    }

    /// Returns the condition for null. A value in a missing object isn't null, because no value is shown for it.
    private static func isNull(_ path: NamedPath) -> Condition {
        let isNull = Condition.compare(.path(path), .equal, .constant(.value(.null)), [])
        guard path.steps.count > 1 else { return isNull }
        var parent = path
        parent.steps.removeLast()
        parent.stepPositions = []
        return .every([isNull, .compare(.path(parent), .notEqual, .constant(.value(.null)), [])])
    }

    private static func with(_ condition: Condition, _ isSpecial: Condition, _ truth: Bool) -> Condition {
        truth ? .some(of: [condition, isSpecial]) : .every([condition, .not(isSpecial)])
    }

    // MARK: Numbers

    /// Returns the condition on stored numbers. Returns `nil` for a question that isn't about the order of numbers.
    private static func stored(_ question: Question, _ path: NamedPath, _ numbers: NumberLens) -> Condition? {
        switch question.kind {
        case .compare(let relation, let constant): return stored(relation, constant, path, numbers)
        case .isIn(let constants):
            var parts: [Condition] = []
            for constant in constants {
                if let part = stored(.equal, constant, path, numbers) {
                    parts.append(part)
                } else if numbers.type != .int {
                    // The constant is NaN. No integer equals a value that isn't a number.
                    parts.append(.compare(.path(path), .equal, .constant(constant), []))
                }
            }
            return .some(of: parts)
        case .between(let lower, let upper, let isClosed):
            guard let from = stored(.greaterOrEqual, lower, path, numbers),
                let to = stored(isClosed ? .lessOrEqual : .less, upper, path, numbers)
            else { return nil }
            return .every([from, to])
        case .isTrue: return nil
        }
    }

    private static func stored(
        _ relation: Comparison,
        _ constant: Constant,
        _ path: NamedPath,
        _ numbers: NumberLens
    ) -> Condition? {
        guard let value = constant.value(numbers.type), let least = numbers.threshold(value, isAbove: false),
            let above = numbers.threshold(value, isAbove: true)
        else {
            // Null is compared without a change.
            if case .value(.null) = constant {
                return .compare(.path(path), relation.written, .constant(constant), [])
            }
            return nil
        }
        func reaches(_ threshold: NumberLens.Threshold, _ isReached: Bool) -> Condition {
            switch threshold {
            case .everything: return isReached ? isThere : .truth(false)
            case .nothing: return isReached ? .truth(false) : isThere
            case .number(let number):
                guard let (bound, isIncluded) = numbers.preimage(number) else {
                    return isReached ? isThere : .truth(false)
                }
                let relation: ConditionOperator =
                    isReached ? (isIncluded ? .greaterOrEqual : .greater) : (isIncluded ? .less : .lessOrEqual)
                return .compare(.path(path), relation, .constant(.value(bound)), [])
            }
        }
        // The condition for any number. NaN isn't included.
        var isThere: Condition { .compare(.path(path), .lessOrEqual, .constant(.value(.double(.infinity))), []) }
        switch relation {
        case .greaterOrEqual: return reaches(least, true)
        case .greater: return reaches(above, true)
        case .less: return reaches(least, false)
        case .lessOrEqual: return reaches(above, false)
        case .equal: return .every([reaches(least, true), reaches(above, false)])
        case .notEqual: return .not(.every([reaches(least, true), reaches(above, false)]))
        }
    }

    // MARK: Questions

    /// A question about a value.
    private struct Question {
        enum Kind {
            case compare(Comparison, Constant)
            case isIn([Constant])
            case between(Constant, Constant, isClosed: Bool)
            case isTrue
        }

        let kind: Kind
        /// The same question about a property `v`.
        private let condition: Condition

        init?(_ condition: Condition) {
            let path = Term.path(NamedPath([.name("v")]))
            switch condition {
            case .compare(.path, let relation, .constant(let constant), let options):
                guard let kind = Self.kind(relation, constant) else { return nil }
                self.kind = kind
                self.condition = .compare(path, relation, .constant(constant), options)
            case .compare(.constant(let constant), let relation, .path, let options):
                guard let mirrored = relation.mirrored, let kind = Self.kind(mirrored, constant) else { return nil }
                self.kind = kind
                self.condition = .compare(path, mirrored, .constant(constant), options)
            case .between(.path, let lower, let upper, let isClosed):
                kind = .between(lower, upper, isClosed: isClosed)
                self.condition = .between(path, lower: lower, upper: upper, isClosed: isClosed)
            case .term(.path):
                kind = .isTrue
                self.condition = .term(path)
            default: return nil
            }
        }

        private static func kind(_ relation: ConditionOperator, _ constant: Constant) -> Kind? {
            if let comparison = relation.comparison { return .compare(comparison, constant) }
            if relation == .isIn, case .list(let constants, nil) = constant { return .isIn(constants) }
            return .isTrue
        }

        var isNotEqual: Bool { if case .compare(.notEqual, _) = kind { true } else { false } }

        /// Returns the answer for a value, or `nil` if the question can't be compiled.
        func isTrue(of value: SyncValue) -> Bool? {
            let text = SyncString(QueryPrinter.text(condition) { _ in nil })
            guard let compiled = try? QueryMatcher().compile("", text) else { return nil }
            return compiled.matches(ObjectName("", .null), ["v": .value(value)])
        }
    }
}

extension Comparison {
    fileprivate var written: ConditionOperator {
        switch self {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        }
    }
}

extension Constant {
    /// Returns the number that is compared with a property of a type. Returns `nil` for constants that aren't numbers.
    fileprivate func value(_ type: ColumnType) -> Value? {
        switch self {
        case .value(let value):
            switch value {
            case .int, .float, .double, .decimal128: return value
            default: return nil
            }
        case .number(let text):
            if let whole = Int64(text) { return .int(whole) }
            // A property of type float is compared with the nearest float.
            if type == .float, let float = Float(text) { return .float(float) }
            if let double = Double(text) { return .double(double) }
            return text.hasSuffix("f") ? Float(text.dropLast()).map { .float($0) } : nil
        case .list, .argument, .object, .objectWithPrimaryKey, .shape: return nil
        }
    }
}
