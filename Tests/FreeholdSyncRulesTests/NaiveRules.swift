import FreeholdBSON
import FreeholdEngine
import FreeholdSyncRules

/// Evaluates an expression for a document directly from its JSON. It is slow, and shares no code with the tested
/// implementation.
struct NaiveRules {
    let user: RuleUser
    let document: BSONDocument
    /// Fields that count as empty if they are missing.
    var collections: Set<String> = ["tags", "marks", "notes", "names", "friends", "addresses"]
    var links: Set<String> = ["friend", "friends"]

    /// Returns `nil` if the expression has no answer.
    func says(_ expression: BSONValue) -> Bool? {
        switch expression {
        case .bool(let truth): return truth
        case .string("%%true"): return true
        case .string("%%false"): return false
        case .document(let parts): return and(parts.map { part($0.key, $0.value) })
        default: fatalError("no expression: \(expression)")
        }
    }

    private func part(_ key: String, _ value: BSONValue) -> Bool? {
        if key.hasPrefix("%%") {
            let known = expand(key)
            return test(value) { relation in relation.of(known.map { $0.arrayValue ?? [$0] }, known != nil) }
        }
        switch key.dropFirst() {
        case "and" where key != "and": return and(value.arrayValue!.map(says))
        case "or" where "$%".contains(key.first!): return or(value.arrayValue!.map(says))
        case "nor" where "$%".contains(key.first!): return or(value.arrayValue!.map(says)).map { !$0 }
        case "not" where "$%".contains(key.first!): return says(value).map { !$0 }
        default: break
        }
        let found = reach(key.split(separator: ".").map(String.init)[...], .document(document), isTop: true)
        let isLink = links.contains(key)
        return test(value) { relation in
            if isLink, case .compare(let sign, let other) = relation, sign != "eq", !other.isNull { return false }
            return relation.of(found.values, found.exists)
        }
    }

    /// A test of values.
    enum Relation {
        case compare(String, BSONValue)
        case exists

        func of(_ values: [BSONValue]?, _ exists: Bool) -> Bool? {
            switch self {
            case .exists: return exists
            case .compare(let sign, let other):
                guard let values else { return nil }
                return values.contains { NaiveRules.holds(sign, $0, other) }
            }
        }
    }

    private func test(_ test: BSONValue, _ ask: (Relation) -> Bool?) -> Bool? {
        guard case .document(let operators) = test else { return compare("eq", test, ask) }
        return and(
            operators.map { key, value in
                let name = String(key.dropFirst())
                switch name {
                case "eq", "gt", "gte", "lt", "lte": return compare(name, value, ask)
                case "ne": return compare("eq", value, ask).map { !$0 }
                case "in": return isIn(value, ask)
                case "nin": return isIn(value, ask).map { !$0 }
                case "all": return and(value.arrayValue!.map { compare("eq", $0, ask) })
                case "exists": return ask(.exists).map { $0 == value.boolValue! }
                case "not": return self.test(value, ask).map { !$0 }
                case "and": return and(value.arrayValue!.map { self.test($0, ask) })
                case "or": return or(value.arrayValue!.map { self.test($0, ask) })
                case "nor": return or(value.arrayValue!.map { self.test($0, ask) }).map { !$0 }
                default: return compare("eq", test, ask)
                }
            }
        )
    }

    private func compare(_ sign: String, _ operand: BSONValue, _ ask: (Relation) -> Bool?) -> Bool? {
        guard let value = operandValue(operand), value.arrayValue == nil else { return nil }
        return ask(.compare(sign, value))
    }

    private func isIn(_ list: BSONValue, _ ask: (Relation) -> Bool?) -> Bool? {
        let values: [BSONValue]?
        if case .string(let name) = list {
            values = expand(name)?.arrayValue
        } else {
            let all = list.arrayValue!.map(operandValue)
            values = all.contains { $0 == nil } ? nil : all.map { $0! }
        }
        guard let values else { return nil }
        // Without an answer, the result is `nil`.
        guard ask(.compare("eq", .null)) != nil else { return nil }
        return values.contains { ask(.compare("eq", $0)) == true }
    }

    private func operandValue(_ operand: BSONValue) -> BSONValue? {
        switch operand {
        case .string(let name) where name.hasPrefix("%%"): return expand(name)
        case .document(let conversion):
            guard let inner = operandValue(conversion[0].value) else { return nil }
            switch conversion[0].key.dropFirst() {
            case "stringToOid": return inner.stringValue.flatMap { ObjectId($0) }.map { .objectId($0) }
            case "oidToString": return inner.objectIdValue.map { .string("\($0)") }
            default: fatalError("no conversion")
            }
        default: return operand
        }
    }

    private func expand(_ name: String) -> BSONValue? {
        let parts = name.dropFirst(2).split(separator: ".").map(String.init)
        var at: BSONValue
        var rest = parts.dropFirst()
        switch parts[0] {
        case "true": return true
        case "false": return false
        case "values": at = .document(user.values)
        default:
            switch rest.removeFirst() {
            case "id": return .string(user.id)
            case "type": return .string(user.type)
            case "data": at = .document(user.data)
            case "custom_data": at = .document(user.customData)
            default:
                let found = user.identities.compactMap { $0[rest.first!] }
                return found.isEmpty ? nil : .array(found)
            }
        }
        for name in rest {
            guard let next = at.documentValue?[name] else { return nil }
            at = next
        }
        return at
    }

    /// Returns all values at a path's end. A missing value is null, except a missing collection.
    private func reach(_ path: ArraySlice<String>, _ value: BSONValue?, isTop: Bool = false)
        -> (values: [BSONValue], exists: Bool)
    {
        guard let name = path.first else {
            guard let value, !value.isNull else { return ([.null], false) }
            return (value.arrayValue ?? [value], true)
        }
        switch value {
        case .document(let document)?:
            let inner = document[name]
            if path.count == 1, isCollection(name, isTop) {
                let elements = inner?.arrayValue ?? []
                return (elements, true)
            }
            if path.count > 1, isCollection(name, isTop) {
                let all = (inner?.arrayValue ?? []).map { reach(path.dropFirst(), $0) }
                let values = all.flatMap(\.values)
                return (values, values.contains { !$0.isNull })
            }
            return reach(path.dropFirst(), inner)
        default: return (isCollection(path.last!, false) ? [] : [.null], false)
        }
    }

    private func isCollection(_ name: String, _ isTop: Bool) -> Bool {
        isTop ? collections.contains(name) : name == "labels"
    }

    // MARK: Values

    static func holds(_ sign: String, _ a: BSONValue, _ b: BSONValue) -> Bool {
        guard let order = order(a, b) else { return false }
        switch sign {
        case "eq": return order == 0
        case "gt": return order > 0
        case "gte": return order >= 0
        case "lt": return order < 0
        default: return order <= 0
        }
    }

    /// Returns `nil` for values that can't be compared.
    private static func order(_ a: BSONValue, _ b: BSONValue) -> Int? {
        func sign<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a == b ? 0 : 1 }
        func bytes(_ a: [UInt8], _ b: [UInt8]) -> Int {
            a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
        }
        if let a = number(a), let b = number(b) {
            return a.isNaN || b.isNaN ? (a.isNaN && b.isNaN ? 0 : nil) : sign(a, b)
        }
        switch (a, b) {
        case (.null, .null): return 0
        case (.bool(let a), .bool(let b)): return sign(a ? 1 : 0, b ? 1 : 0)
        case (.string(let a), .string(let b)): return bytes(Array(a.utf8), Array(b.utf8))
        case (.datetime(let a), .datetime(let b)): return sign(a.milliseconds, b.milliseconds)
        case (.objectId(let a), .objectId(let b)): return bytes(Array("\(a)".utf8), Array("\(b)".utf8))
        case (.binary(let a), .binary(let b)): return a.subtype == b.subtype ? bytes(a.bytes, b.bytes) : nil
        default: return nil
        }
    }

    /// Those of the tests are exact as doubles.
    private static func number(_ value: BSONValue) -> Double? {
        switch value {
        case .int32(let value): Double(value)
        case .int64(let value): Double(value)
        case .double(let value): value
        case .decimal128(let value): value.doubleValue
        default: nil
        }
    }

    private func and(_ answers: [Bool?]) -> Bool? {
        answers.contains(false) ? false : answers.contains(nil) ? nil : true
    }

    private func or(_ answers: [Bool?]) -> Bool? {
        answers.contains(true) ? true : answers.contains(nil) ? nil : false
    }
}
