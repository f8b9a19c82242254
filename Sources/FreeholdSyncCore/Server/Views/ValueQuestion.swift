import FreeholdEngine

/// A comparison of a value with constants.
///
/// The constants are converted as for a property of the value's type: `1.1` is the nearest float for a float, and a
/// decimal for a decimal. For a mixed property they aren't converted.
struct ValueQuestion: Sendable {
    enum Kind: Sendable {
        case compare(Comparison, ConditionConstant)
        case between(ConditionConstant, ConditionConstant, isClosed: Bool)
        case isIn([ConditionConstant])
        case text(StringOperator, ConditionConstant, TextOptions)
        /// The value equals one of several texts, without regard to case or accents.
        case isInTexts([ConditionConstant], TextOptions)
    }

    private let kind: Kind
    /// The tests for values of all types that aren't in `special`.
    private let common: [ValueTest]
    /// The tests for values of types for which the constants are converted.
    private let special: [ColumnType: [ValueTest]]
    /// A Boolean value that indicates whether all strings and data pass, because null is less than all of them.
    private let aboveNull: Bool
    /// The constants that are objects.
    let links: Set<ObjectName>
    /// The cost of reading a byte, as a multiple of the cost in a plain comparison. Folding and patterns with `?` are
    /// slow.
    private let weight: Int

    /// - Parameter isMixed: A Boolean value that indicates whether the values are those of a mixed property. `nil` if
    ///   it is unknown.
    init(_ kind: Kind, links: Set<ObjectName> = [], isMixed: Bool?) {
        (self.kind, self.links) = (kind, links)
        weight = kind.weight
        var common = Self.tests(kind, .mixed)
        if isMixed == true { for index in common.indices { common[index].isMixed = true } }
        self.common = common
        var special: [ColumnType: [ValueTest]] = [:]
        if isMixed != true {
            for type in kind.constants.reduce(into: Set<ColumnType>(), { $0.formUnion($1.specialTypes) }) {
                special[type] = Self.tests(kind, type)
            }
        }
        self.special = special
        if isMixed != true, case .compare(let comparison, .value(.null)) = kind {
            aboveNull = comparison == .greater || comparison == .greaterOrEqual
        } else {
            aboveNull = false
        }
    }

    func isTrue(of value: ConditionValue) -> Bool {
        switch value {
        case .link(let name):
            if !links.isEmpty { return isNegated != links.contains(name) }
            return isTrue(of: value.value)
        case .object: return isTrue(of: value.value)
        case .plain(let value):
            if case .compare = kind, !links.isEmpty { return isNegated }
            return isTrue(of: value)
        }
    }

    /// Like `isTrue(of:)`, with a budget. If the budget is exceeded afterwards, the result is meaningless.
    func isTrue(of value: ConditionValue, budget: inout WorkBudget) -> Bool {
        budget.charge(steps(of: value)) && isTrue(of: value)
    }

    /// Returns the number of steps for a value.
    func steps(of value: ConditionValue) -> Int {
        guard case .plain(let value) = value else { return 1 }
        let bytes = value.bytes
        guard bytes > 0 else { return common.count }
        // The steps to read the bytes, for each test.
        return common.count * (1 + (bytes * weight) >> 6)
    }

    private var isNegated: Bool { if case .compare(.notEqual, _) = kind { true } else { false } }

    private func isTrue(of value: Value) -> Bool {
        guard let type = value.type else { return common.contains { $0.matches(value) } }
        if aboveNull, type == .string || type == .data { return true }
        return (special[type] ?? common).contains { $0.matches(value) }
    }

    // MARK: Tests

    private static func tests(_ kind: Kind, _ type: ColumnType) -> [ValueTest] {
        switch kind {
        case .compare(let comparison, let constant):
            return [ValueTest(.comparison(comparison, constant.fitted(type, comparison.written)))]
        case .between(let lower, let upper, let isClosed):
            let (from, to) = (lower.fitted(type, .less), upper.fitted(type, .less))
            return [ValueTest(.between(lower: from, upper: to, isClosed: isClosed))]
        case .isIn(let constants): return [ValueTest(.oneOf(constants.map { $0.fitted(type, .isIn) }))]
        case .text(let op, let constant, let options):
            return [ValueTest(.text(op, constant.fitted(type, op.written), options))]
        case .isInTexts(let constants, let options):
            return constants.map { ValueTest(.text(.equal, $0.fitted(type, .isIn), options)) }
        }
    }
}

extension ValueQuestion.Kind {
    /// The cost of a byte of a value, as a multiple of the cost in a comparison.
    fileprivate var weight: Int {
        switch self {
        case .compare, .between, .isIn: 1
        case .isInTexts: 8
        case .text(let op, let constant, let options):
            (options.isEmpty ? 1 : 8) + (op == .like ? constant.wildWeight : 0)
        }
    }

    fileprivate var constants: [ConditionConstant] {
        switch self {
        case .compare(_, let constant), .text(_, let constant, _): [constant]
        case .between(let lower, let upper, _): [lower, upper]
        case .isIn(let constants), .isInTexts(let constants, _): constants
        }
    }
}

extension ValueQuestion {
    /// The constants to which each matching value is equal. `nil` if other values can match.
    fileprivate var equals: [ConditionConstant]? {
        switch kind {
        case .compare(.equal, let constant): links.isEmpty ? [constant] : []
        case .isIn(let constants): constants
        default: nil
        }
    }

    /// The values to which each matching value is equal, for an index of values. `nil` if other values can match.
    var values: [SyncValue]? {
        guard let equals else { return nil }
        var values = links.map { SyncValue.link($0) }
        for constant in equals {
            guard let own = constant.indexed else { return nil }
            values += own
        }
        return values
    }

    /// The keys to which each matching key is equal. `nil` if other keys can match.
    var keys: Set<PrimaryKey>? {
        guard let equals else { return nil }
        var keys: Set<PrimaryKey> = []
        for constant in equals {
            if case .value(.null) = constant {
                keys.insert(.null)
            } else {
                for value in constant.indexed ?? [] { if let key = PrimaryKey(value) { keys.insert(key) } }
            }
        }
        return keys
    }
}

/// A constant of a comparison.
enum ConditionConstant: Sendable {
    case value(Value)
    /// A number in the form in which it is written.
    case number(String)

    /// Returns the value with which values of a type are compared.
    func fitting(_ type: ColumnType, _ op: ConditionOperator) throws(ConstantMisfit) -> Value {
        switch self {
        case .value(let value): try Constant.value(value).fitting(type, op)
        case .number(let text): try Constant.number(text).fitting(type, op)
        }
    }
}

extension ConditionConstant {
    /// The cost of a `?` in a pattern of `LIKE` for each byte of a text.
    fileprivate var wildWeight: Int {
        guard case .value(.string(let pattern)) = self, pattern.utf8.contains(UInt8(ascii: "?")) else { return 1 }
        return 8
    }

    /// Returns the constant as a value for a type. If the type can't be compared with the constant, returns the
    /// constant itself, which isn't equal to any value of the type.
    fileprivate func fitted(_ type: ColumnType, _ op: ConditionOperator) -> Value {
        (try? fitting(type, op)) ?? (try? fitting(.mixed, op)) ?? .null
    }

    /// The types of values for which the constant is converted to another value.
    fileprivate var specialTypes: Set<ColumnType> {
        switch self {
        case .number: return [.float, .decimal128, .bool]
        case .value(.double): return [.float, .decimal128]
        case .value(.float): return [.decimal128]
        case .value(.int): return [.bool]
        case .value(.string):
            let types: [ColumnType] = [.data, .objectId, .uuid, .int, .float, .double, .decimal128]
            return Set(types.filter { (try? fitting($0, .less)) != nil })
        default: return []
        }
    }

    /// The integers, texts, ObjectIds and UUIDs to which the constant is equal. `nil` for null, and for numbers that
    /// aren't whole.
    fileprivate var indexed: [SyncValue]? {
        switch self {
        case .value(.string(let text)):
            var values: [SyncValue] = [.string(SyncString(text))]
            if case .objectId(let id)? = try? fitting(.objectId, .equal) { values.append(.objectId(id)) }
            if case .uuid(let id)? = try? fitting(.uuid, .equal) { values.append(.uuid(id)) }
            if case .int(let number)? = try? fitting(.int, .equal) { values.append(.int(number)) }
            return values
        case .value(.objectId(let id)): return [.objectId(id)]
        case .value(.uuid(let id)): return [.uuid(id)]
        case .number, .value(.int), .value(.float), .value(.double), .value(.decimal128):
            if case .int(let number)? = try? fitting(.int, .equal) { return [.int(number)] }
            return nil
        default: return nil
        }
    }
}

extension PrimaryKey {
    fileprivate init?(_ value: SyncValue) {
        switch value {
        case .int(let value): self = .int(value)
        case .string(let value): self = .string(value)
        case .objectId(let value): self = .objectId(value)
        case .uuid(let value): self = .uuid(value)
        default: return nil
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

extension StringOperator {
    fileprivate var written: ConditionOperator {
        switch self {
        case .equal: .equal
        case .notEqual: .notEqual
        case .beginsWith: .beginsWith
        case .endsWith: .endsWith
        case .contains: .contains
        case .like: .like
        case .matches: .matches
        }
    }
}
