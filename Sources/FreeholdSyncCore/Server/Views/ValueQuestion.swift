import FreeholdEngine

/// What is asked of a value: a comparison with constants.
///
/// The constants are made what they are to a property of the value's type: `1.1` is the nearest float to a float, and a decimal to a decimal. To
/// a mixed property they are what they are by themselves.
struct ValueQuestion: Sendable {
    enum Kind: Sendable {
        case compare(Comparison, ConditionConstant)
        case between(ConditionConstant, ConditionConstant, isClosed: Bool)
        case isIn([ConditionConstant])
        case text(StringOperator, ConditionConstant, TextOptions)
        /// One of several texts, without regard to case or accents.
        case isInTexts([ConditionConstant], TextOptions)
    }

    private let kind: Kind
    /// The tests for values of all types that aren't in `special`.
    private let common: [ValueTest]
    /// The tests for values of types with which the constants are compared as other values.
    private let special: [ColumnType: [ValueTest]]
    /// Whether every string and data passes: null is less than all of them.
    private let aboveNull: Bool
    /// The constants that are objects.
    let links: Set<ObjectName>
    /// How much longer a look at a byte takes than in a plain comparison: folding and patterns with `?` are slow.
    private let weight: Int

    /// - Parameter isMixed: whether the values are those of a mixed property. Nil if that isn't known.
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

    /// The same, charged to a budget. If the budget is over afterwards, the answer says nothing.
    func isTrue(of value: ConditionValue, budget: inout WorkBudget) -> Bool {
        budget.charge(steps(of: value)) && isTrue(of: value)
    }

    /// The steps that an answer about a value takes.
    func steps(of value: ConditionValue) -> Int {
        guard case .plain(let value) = value else { return 1 }
        let bytes = value.bytes
        guard bytes > 0 else { return common.count }
        // The steps of a look at the bytes, for each test.
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
    /// The time that a byte of a value takes, as a multiple of that in a comparison.
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
    /// The constants of which every value is one of which the answer is yes. Nil if others can be, too.
    fileprivate var equals: [ConditionConstant]? {
        switch kind {
        case .compare(.equal, let constant): links.isEmpty ? [constant] : []
        case .isIn(let constants): constants
        default: nil
        }
    }

    /// The values of which each value is one that an index holds, if the answer is yes. Nil if others can be, too.
    var values: [SyncValue]? {
        guard let equals else { return nil }
        var values = links.map { SyncValue.link($0) }
        for constant in equals {
            guard let own = constant.indexed else { return nil }
            values += own
        }
        return values
    }

    /// The keys of which each key is one, if the answer is yes. Nil if there can be others.
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

/// A constant that a condition compares with.
enum ConditionConstant: Sendable {
    case value(Value)
    /// A number as it is written.
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
    /// The time that a `?` in a pattern of `LIKE` adds for each byte of a text.
    fileprivate var wildWeight: Int {
        guard case .value(.string(let pattern)) = self, pattern.utf8.contains(UInt8(ascii: "?")) else { return 1 }
        return 8
    }

    /// The value that a constant is to values of a type. If they don't compare, it is what it is by itself: equal to none of them.
    fileprivate func fitted(_ type: ColumnType, _ op: ConditionOperator) -> Value {
        (try? fitting(type, op)) ?? (try? fitting(.mixed, op)) ?? .null
    }

    /// The types of values with which the constant is compared as another value than it is by itself.
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

    /// The integers, texts, ObjectIds and UUIDs that the constant is equal to. Nil for null and for numbers that aren't whole.
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
