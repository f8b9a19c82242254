import FreeholdEngine

/// The compilation of conditions into tests.
extension ObjectTest {
    init(_ condition: Condition, in source: ConditionSource) throws(ConditionError) {
        switch condition {
        case .truth(let truth): self = .truth(truth)
        case .and(let parts, _): self = .all(try Self.tests(parts, in: source))
        case .or(let parts, _): self = .any(try Self.tests(parts, in: source))
        case .not(let part): self = .not(try ObjectTest(part, in: source))
        case .between(let term, let lower, let upper, let isClosed):
            let operand = try ValueOperand(term, in: source)
            let bounds = (try Self.value(lower, in: source), try Self.value(upper, in: source))
            let kind = ValueQuestion.Kind.between(bounds.0, bounds.1, isClosed: isClosed)
            self = .values(operand, ValueQuestion(kind, isMixed: operand.isMixed))
        case .compare(.constant, _, .constant, _): throw source.unserved("A comparison of two constants")
        case .compare(.constant(.list(_, _?)), _, _, _):
            throw source.unserved("A list with a quantifier")
        case .compare(let term, let relation, .constant(let constant), let options):
            self = try Self.comparison(term, relation, to: constant, options: options, in: source)
        case .compare(.constant(let constant), let relation, let term, let options):
            guard let mirrored = relation.mirrored else {
                throw source.error("\(relation.rawValue) needs the property on its left.")
            }
            self = try Self.comparison(term, mirrored, to: constant, options: options, in: source)
        case .compare(let a, let relation, let b, let options):
            let (left, right) = (try ValueOperand(a, in: source), try ValueOperand(b, in: source))
            self = try Self.comparison(left, relation, to: right, options: options, in: source)
        case .term(let term): self = try Self.comparison(term, .equal, to: .value(.bool(true)), options: [], in: source)
        case .fullText(let path, _): throw source.unserved("TEXT", at: path.position)
        case .within(let path, _): throw source.unserved("geoWithin", at: path.position)
        }
    }

    private static func tests(_ conditions: [Condition], in source: ConditionSource) throws(ConditionError)
        -> [ObjectTest]
    {
        var tests: [ObjectTest] = []
        for condition in conditions { tests.append(try ObjectTest(condition, in: source)) }
        return tests
    }

    // MARK: Comparisons

    private static func comparison(
        _ a: ValueOperand,
        _ relation: ConditionOperator,
        to b: ValueOperand,
        options: TextOptions,
        in source: ConditionSource
    ) throws(ConditionError) -> ObjectTest {
        let relation = relation == .isIn ? .equal : relation
        if options.isEmpty, let comparison = relation.comparison { return .operands(a, comparison, b) }
        guard let text = relation.text, text != .matches else { throw source.unserved(relation.rawValue) }
        return .texts(a, text, b, options)
    }

    private static func comparison(
        _ term: Term,
        _ relation: ConditionOperator,
        to constant: Constant,
        options: TextOptions,
        in source: ConditionSource
    ) throws(ConditionError) -> ObjectTest {
        let operand = try ValueOperand(term, in: source)
        if case .type(let path) = operand { return try isType(path, relation, to: constant, in: source) }
        func question(_ kind: ValueQuestion.Kind, _ links: Set<ObjectName> = []) -> ObjectTest {
            .values(operand, ValueQuestion(kind, links: links, isMixed: operand.isMixed))
        }
        if relation == .isIn {
            guard case .list(let all, let quantifier) = constant, quantifier == nil || quantifier == .any else {
                throw source.unserved("IN without a list")
            }
            let (constants, links) = try values(all, in: source)
            guard !options.isEmpty else { return question(.isIn(constants), links) }
            guard links.isEmpty else { throw source.unserved("An object without regard to case") }
            return question(.isInTexts(constants, options))
        }
        switch constant {
        case .list(let all, let quantifier):
            guard case .path(let path) = operand, quantifier == nil, !path.isQuantified,
                relation == .equal || relation == .notEqual, options.isEmpty
            else { throw source.unserved("A list with this operator") }
            let (constants, links) = try values(all, in: source)
            guard links.isEmpty else { throw source.unserved("A list of objects") }
            return .elements(path, constants, isNegated: relation == .notEqual)
        case .objectWithPrimaryKey(let className, let key):
            guard let name = ObjectName(className, key), options.isEmpty, let comparison = relation.comparison,
                comparison == .equal || comparison == .notEqual
            else { throw source.unserved("An object with this operator") }
            return question(.compare(comparison, .value(.null)), [name])
        default: break
        }
        let value = try value(constant, in: source)
        if options.isEmpty, let comparison = relation.comparison { return question(.compare(comparison, value)) }
        guard let text = relation.text, text != .matches else { throw source.unserved(relation.rawValue) }
        switch value {
        case .value(.string(let pattern)): try check(pattern, text, in: source)
        case .value(.data), .value(.null): break
        // Values of other types aren't strings, so the options for the case don't matter.
        default:
            guard let comparison = relation.comparison else {
                throw source.error("\(relation.rawValue) needs a string.")
            }
            return question(.compare(comparison, value))
        }
        return question(.text(text, value, options))
    }

    private static func isType(
        _ path: ValuePath,
        _ relation: ConditionOperator,
        to constant: Constant,
        in source: ConditionSource
    ) throws(ConditionError) -> ObjectTest {
        var names = [constant]
        if relation == .isIn, case .list(let all, nil) = constant { names = all }
        var tests: [ObjectTest] = []
        for constant in names {
            guard case .value(.string(let name)) = constant, ValueTypeName.isKnown(name),
                relation == .equal || relation == .notEqual || relation == .isIn
            else { throw source.error("@type is compared with the name of a type by == and !=.", at: path.position) }
            tests.append(.isType(path, name, isNegated: relation == .notEqual))
        }
        // A quantifier would apply to all names together.
        guard tests.count == 1 || path.quantifier == .any else { throw source.unserved("@type with IN here") }
        return tests.count == 1 ? tests[0] : .any(tests)
    }

    /// The maximum length of a part of a `LIKE` pattern between two stars that contains a `?`. Each 64 bytes of such a
    /// part cost one step for each byte of a text.
    private static let longestWildSegment = 256

    private static func check(_ pattern: String, _ text: StringOperator, in source: ConditionSource)
        throws(ConditionError)
    {
        guard text == .like, pattern.utf8.contains(UInt8(ascii: "?")) else { return }
        for segment in pattern.utf8.split(separator: UInt8(ascii: "*"))
        where segment.count > longestWildSegment && segment.contains(UInt8(ascii: "?")) {
            throw source.unserved("LIKE with a '?' in more than \(longestWildSegment) bytes without a '*'")
        }
    }

    // MARK: Constants

    private static func values(_ constants: [Constant], in source: ConditionSource) throws(ConditionError) -> (
        [ConditionConstant], Set<ObjectName>
    ) {
        var (values, links): ([ConditionConstant], Set<ObjectName>) = ([], [])
        for constant in constants {
            if case .objectWithPrimaryKey(let className, let key) = constant {
                guard let name = ObjectName(className, key) else { throw source.unserved("This object") }
                links.insert(name)
            } else {
                values.append(try value(constant, in: source))
            }
        }
        return (values, links)
    }

    private static func value(
        _ constant: Constant,
        in source: ConditionSource
    ) throws(ConditionError) -> ConditionConstant {
        switch constant {
        case .value(.link), .value(.objectLink), .value(.list), .value(.dictionary): break
        case .value(let value): return .value(value)
        case .number(let text):
            let number = ConditionConstant.number(text)
            if (try? number.fitting(.mixed, .equal)) != nil { return number }
            throw source.error("\(text) is out of range.")
        case .list, .argument, .object, .objectWithPrimaryKey, .shape: break
        }
        throw source.unserved("This constant")
    }
}

extension ObjectName {
    /// Returns `nil` if the value can't be a key.
    fileprivate init?(_ className: String, _ key: Value) {
        let found: PrimaryKey
        switch key {
        case .null: found = .null
        case .int(let value): found = .int(value)
        case .string(let value): found = .string(SyncString(value))
        case .objectId(let value): found = .objectId(value)
        case .uuid(let value): found = .uuid(value)
        default: return nil
        }
        self.init(SyncString(className), found)
    }
}
