import FreeholdEngine

/// Conditions as they are written become tests.
extension ObjectTest {
    init(_ condition: Condition) throws(ConditionError) {
        switch condition {
        case .truth(let truth): self = .truth(truth)
        case .and(let parts, _):
            var tests: [ObjectTest] = []
            for part in parts { tests.append(try ObjectTest(part)) }
            self = .all(tests)
        case .or(let parts, _):
            var tests: [ObjectTest] = []
            for part in parts { tests.append(try ObjectTest(part)) }
            self = .any(tests)
        case .not(let part): self = .not(try ObjectTest(part))
        case .between(.path(let path), let lower, let upper, let isClosed):
            let question = ValueQuestion.between(
                lower: try Self.value(lower),
                upper: try Self.value(upper),
                isClosed: isClosed
            )
            self = .values(try Self.path(path), path.quantifier ?? .any, question)
        case .compare(.path(let path), let relation, .constant(let constant), let options):
            self = try Self.comparison(path, relation, constant, options)
        case .compare(.constant(let constant), let relation, .path(let path), let options):
            guard let mirrored = relation.mirrored else { throw Self.unserved("A constant on the left side here") }
            self = try Self.comparison(path, mirrored, constant, options)
        case .term(.path(let path)):
            self = .values(try Self.path(path), path.quantifier ?? .any, .compare(.equal, .bool(true)))
        case .between, .compare: throw Self.unserved("A comparison of two properties, and arithmetic")
        case .fullText: throw Self.unserved("TEXT")
        case .within: throw Self.unserved("geoWithin")
        case .term: throw Self.unserved("A condition that is no comparison")
        }
    }

    private static func unserved(_ what: String, at position: Int? = nil) -> ConditionError {
        ConditionError(position: UInt64(position ?? 0), text: SyncString("\(what) isn't served."))
    }

    private static func comparison(
        _ path: NamedPath,
        _ relation: ConditionOperator,
        _ constant: Constant,
        _ options: TextOptions
    ) throws(ConditionError) -> ObjectTest {
        if path.suffix == .count {
            guard let comparison = relation.comparison else { throw unserved("@count with this operator") }
            return .count(try Self.path(path, suffix: .count), comparison, try value(constant))
        }
        let question = try question(relation, constant, options)
        return .values(try Self.path(path), path.quantifier ?? .any, question)
    }

    private static func question(
        _ relation: ConditionOperator,
        _ constant: Constant,
        _ options: TextOptions
    ) throws(ConditionError) -> ValueQuestion {
        guard options.isEmpty else { throw unserved("[c] and [d]") }
        if relation == .isIn {
            guard case .list(let constants, nil) = constant else { throw unserved("IN without a list") }
            var questions: [ValueQuestion] = []
            for constant in constants { questions.append(try question(.equal, constant, [])) }
            return .isIn(questions)
        }
        if case .objectWithPrimaryKey(let className, let key) = constant {
            guard let key = PrimaryKey(key), relation == .equal || relation == .notEqual else {
                throw unserved("An object with this operator")
            }
            return .compareLink(isEqual: relation == .equal, ObjectName(SyncString(className), key))
        }
        let value = try value(constant)
        if let comparison = relation.comparison { return .compare(comparison, value) }
        let bytes: [UInt8]
        switch value {
        case .string(let text): bytes = Array(text.utf8)
        case .data(let data): bytes = Array(data)
        default: throw unserved("\(relation.rawValue) with what is no string")
        }
        guard let question = BytesQuestion(relation, bytes) else { throw unserved(relation.rawValue) }
        return .text(question)
    }

    private static func path(_ path: NamedPath, suffix: NamedPath.Suffix? = nil) throws(ConditionError) -> ValuePath {
        guard path.suffix == suffix else { throw unserved("What is made of values", at: path.position) }
        var names: [SyncString] = []
        for step in path.steps {
            guard case .name(let name) = step else {
                throw unserved("A place in a collection, and @links", at: path.position)
            }
            names.append(SyncString(name))
        }
        guard !names.isEmpty else { throw unserved("SELF", at: path.position) }
        return ValuePath(names: names)
    }

    private static func value(_ constant: Constant) throws(ConditionError) -> Value {
        switch constant {
        case .value(let value):
            switch value {
            case .link, .objectLink, .list, .dictionary: throw unserved("This constant")
            default: return value
            }
        case .number(let text):
            if let whole = Int64(text) { return .int(whole) }
            if let number = Double(text) { return .double(number) }
            // As apps write constants of float properties: `1.5f`.
            if text.hasSuffix("f"), let number = Float(text.dropLast()) { return .float(number) }
            throw unserved("The number \(text)")
        case .list, .argument, .object, .objectWithPrimaryKey, .shape: throw unserved("This constant")
        }
    }
}

extension PrimaryKey {
    fileprivate init?(_ value: Value) {
        switch value {
        case .null: self = .null
        case .int(let value): self = .int(value)
        case .string(let value): self = .string(SyncString(value))
        case .objectId(let value): self = .objectId(value)
        case .uuid(let value): self = .uuid(value)
        default: return nil
        }
    }
}
