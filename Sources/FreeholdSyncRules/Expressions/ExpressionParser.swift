import FreeholdBSON

/// Parses the documents of expressions.
struct ExpressionParser {
    enum Scope {
        /// An expression of `apply_when`, which has no object.
        case user
        case object
    }

    let limits: RuleLimits
    let scope: Scope

    func expression(_ value: BSONValue, _ path: [String]) throws(RuleError) -> RuleExpression {
        RuleExpression(source: value, node: try node(value, path, depth: 1))
    }

    private func node(_ value: BSONValue, _ path: [String], depth: Int) throws(RuleError) -> ExpressionNode {
        guard depth <= limits.depth else {
            throw RuleError(path, "The expression nests deeper than \(limits.depth) levels.")
        }
        switch value {
        case .bool(let truth): return .truth(truth)
        case .string(let text):
            if text == "%%true" { return .truth(true) }
            if text == "%%false" { return .truth(false) }
            guard scope == .object else {
                throw RuleError(
                    path,
                    "'apply_when' is an object, true or false: there is no object yet that a query could ask of."
                )
            }
            return .query(try QueryTemplate(text, path))
        case .document(let document):
            var parts: [ExpressionNode] = []
            for (key, value) in document { parts.append(try part(key, value, path + [key], depth)) }
            return parts.count == 1 ? parts[0] : .all(parts)
        default:
            throw RuleError(path, "An expression is an object, true, false or a query, not \(value.typeName).")
        }
    }

    private func part(_ key: String, _ value: BSONValue, _ path: [String], _ depth: Int) throws(RuleError)
        -> ExpressionNode
    {
        if key.hasPrefix("%%") { return .expansion(try Expansion(key, path), try test(value, path, depth)) }
        guard let name = Self.operatorName(key) else {
            guard scope == .object else {
                throw RuleError(
                    path,
                    "'apply_when' is decided when a session begins, before any object is seen: it can't ask of the field '\(key)'. "
                        + "Ask of it in 'document_filters'."
                )
            }
            return .field(try Self.field(key, path), try test(value, path, depth))
        }
        switch name {
        case "and": return .all(try nodes(value, path, depth))
        case "or": return .any(try nodes(value, path, depth))
        case "nor": return .not(.any(try nodes(value, path, depth)))
        case "not": return .not(try node(value, path, depth: depth + 1))
        case "function":
            throw RuleError(path, "There are no functions that rules could call.")
        default: throw RuleError(path, "'\(key)' can't stand here: $and, $or, $nor, $not, a field or an expansion can.")
        }
    }

    private func nodes(_ value: BSONValue, _ path: [String], _ depth: Int) throws(RuleError) -> [ExpressionNode] {
        var nodes: [ExpressionNode] = []
        for (index, value) in try elements(value, path).enumerated() {
            nodes.append(try node(value, path + ["\(index)"], depth: depth + 1))
        }
        return nodes
    }

    private func elements(_ value: BSONValue, _ path: [String]) throws(RuleError) -> [BSONValue] {
        guard case .array(let values) = value else {
            throw RuleError(path, "An array has to stand here, not \(value.typeName).")
        }
        guard !values.isEmpty else { throw RuleError(path, "The array is empty.") }
        return values
    }

    // MARK: Tests of a value

    private func test(_ value: BSONValue, _ path: [String], _ depth: Int) throws(RuleError) -> ValueTest {
        guard depth < limits.depth else {
            throw RuleError(path, "The expression nests deeper than \(limits.depth) levels.")
        }
        guard case .document(let document) = value, Self.hasOperators(document) else {
            return .compare(.equal, try operand(value, path))
        }
        var tests: [ValueTest] = []
        for (key, value) in document {
            let path = path + [key]
            guard let name = Self.operatorName(key) else {
                throw RuleError(path, "Operators and other keys can't stand side by side.")
            }
            tests.append(try test(name, key, value, path, depth))
        }
        return tests.count == 1 ? tests[0] : .all(tests)
    }

    private func test(_ name: String, _ key: String, _ value: BSONValue, _ path: [String], _ depth: Int)
        throws(RuleError)
        -> ValueTest
    {
        switch name {
        case "eq": return .compare(.equal, try operand(value, path))
        case "ne": return .not(.compare(.equal, try operand(value, path)))
        case "gt": return .compare(.greater, try operand(value, path))
        case "gte": return .compare(.greaterOrEqual, try operand(value, path))
        case "lt": return .compare(.less, try operand(value, path))
        case "lte": return .compare(.lessOrEqual, try operand(value, path))
        case "in": return .isIn(try list(value, path))
        case "nin": return .not(.isIn(try list(value, path)))
        case "all":
            var tests: [ValueTest] = []
            for (index, value) in try elements(value, path).enumerated() {
                tests.append(.compare(.equal, try operand(value, path + ["\(index)"])))
            }
            return .all(tests)
        case "not": return .not(try test(value, path, depth + 1))
        case "and": return .all(try tests(value, path, depth))
        case "or": return .any(try tests(value, path, depth))
        case "nor": return .not(.any(try tests(value, path, depth)))
        case "exists":
            switch value {
            case .bool(let exists): return .exists(exists)
            case .string("%%true"): return .exists(true)
            case .string("%%false"): return .exists(false)
            default: throw RuleError(path, "'\(key)' is true or false, not \(value.typeName).")
            }
        default:
            if Conversion(rawValue: name) != nil {
                return .compare(.equal, try operand(.document([key: value]), Array(path.dropLast())))
            }
            throw RuleError(
                path,
                name == "function"
                    ? "There are no functions that rules could call."
                    : "There is no operator '\(key)': $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $all, $exists, $and, $or, $nor, $not are there."
            )
        }
    }

    private func tests(_ value: BSONValue, _ path: [String], _ depth: Int) throws(RuleError) -> [ValueTest] {
        var tests: [ValueTest] = []
        for (index, value) in try elements(value, path).enumerated() {
            tests.append(try test(value, path + ["\(index)"], depth + 1))
        }
        return tests
    }

    // MARK: Operands

    private func operand(_ value: BSONValue, _ path: [String], depth: Int = 0) throws(RuleError) -> Operand {
        switch value {
        case .string(let text) where text.hasPrefix("%%"): return .expansion(try Expansion(text, path))
        case .document(let document):
            guard document.count == 1, depth < 4, let name = Self.operatorName(document[0].key),
                let conversion = Conversion(rawValue: name)
            else {
                throw RuleError(
                    path,
                    "Values are compared, not whole documents: name the fields inside ('address.city')."
                )
            }
            let inner = try operand(document[0].value, path + [document[0].key], depth: depth + 1)
            if case .value(let value) = inner, conversion.value(value) == nil {
                throw RuleError(path, "\(document[0].key) can't convert \(value).")
            }
            return .converted(conversion, inner)
        case .array:
            throw RuleError(path, "Arrays aren't compared as a whole: ask with $in, or for each element with $and.")
        case .null, .bool, .int32, .int64, .double, .decimal128, .string, .objectId, .datetime: return .value(value)
        case .binary(let binary) where binary.uuid != nil || binary.subtype == .generic: return .value(value)
        default: throw RuleError(path, "A value of the type \(value.typeName) can't be compared.")
        }
    }

    private func list(_ value: BSONValue, _ path: [String]) throws(RuleError) -> OperandList {
        switch value {
        case .string(let text) where text.hasPrefix("%%"): return .expansion(try Expansion(text, path))
        case .array(let values):
            var operands: [Operand] = []
            for (index, value) in values.enumerated() { operands.append(try operand(value, path + ["\(index)"])) }
            return .list(operands)
        default: throw RuleError(path, "A list of values or an expansion has to stand here, not \(value.typeName).")
        }
    }

    // MARK: Names

    /// Returns `eq` for `$eq` and `%eq`. Returns `nil` for keys that aren't operators.
    private static func operatorName(_ key: String) -> String? {
        guard key.hasPrefix("$") || key.hasPrefix("%"), !key.hasPrefix("%%") else { return nil }
        return String(key.dropFirst())
    }

    private static func hasOperators(_ document: BSONDocument) -> Bool {
        document.contains { operatorName($0.key) != nil }
    }

    private static func field(_ key: String, _ path: [String]) throws(RuleError) -> [String] {
        let names = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !names.contains(""), names.count <= 32 else { throw RuleError(path, "'\(key)' isn't a path of fields.") }
        if names.contains(where: { $0.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } }) {
            throw RuleError(path, "'\(key)': a place in an array can't be asked for.")
        }
        return names
    }
}
