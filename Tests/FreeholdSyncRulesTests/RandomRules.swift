import FreeholdBSON
import FreeholdEngine
import FreeholdSyncRules

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Random documents, users and expressions about `RuleModels`' class.
struct RandomRules {
    var random: SeededRandom

    // MARK: Values

    mutating func string() -> BSONValue { .string(random.pick(RuleModels.words)) }
    mutating func int() -> BSONValue {
        let value = random.chance(10) ? random.pick([Int.min, Int.max]) : Int.random(in: -2...3, using: &random)
        return random.chance(30) ? .int32(Int32(truncatingIfNeeded: value)) : .int64(Int64(value))
    }
    mutating func half() -> Double { Double(Int.random(in: -4...6, using: &random)) / 2 }
    mutating func decimal() -> BSONValue { .decimal128(Decimal128("\(half())")!) }
    mutating func date() -> BSONValue {
        .datetime(BSONDateTime(milliseconds: Int64.random(in: -2...2, using: &random) * 500))
    }
    mutating func data() -> BSONValue { .binary(BSONBinary(bytes: random.pick([[], [0], [1, 2], [1, 3], [255]]))) }
    mutating func id() -> BSONValue { .objectId(random.pick(RuleModels.ids)) }
    mutating func uuid() -> BSONValue { .binary(BSONBinary(random.pick(RuleModels.uuids))) }

    mutating func any() -> BSONValue {
        switch Int.random(in: 0..<11, using: &random) {
        case 0: .null
        case 1: .bool(random.chance(50))
        case 2: int()
        case 3: .double(random.chance(10) ? random.pick([.nan, .infinity, -.infinity]) : half())
        case 4: decimal()
        case 5: date()
        case 6: data()
        case 7: id()
        case 8: uuid()
        default: string()
        }
    }

    // MARK: Documents

    mutating func document() -> BSONDocument {
        var document: BSONDocument = ["_id": .objectId(RuleModels.key)]
        func put(_ name: String, _ value: BSONValue, isOptional: Bool = true) {
            if random.chance(15) { return }
            document[name] = isOptional && random.chance(20) ? .null : value
        }
        put("owner", string(), isOptional: false)
        put("team", string())
        put("age", .int64(Int64.random(in: -2...3, using: &random)), isOptional: false)
        put("level", int().asInt64().map { .int64($0) }!)
        put("score", .double(half()))
        put("rate", .double(half()), isOptional: false)
        put("price", decimal())
        put("at", date())
        put("flag", .bool(random.chance(50)))
        put("ref", uuid())
        put("blob", data())
        put("oid", id())
        put("any", any())
        put("AND", string())
        put("a b\"c", string())
        put("friend", id())
        put("address", .document(address()))
        put("tags", .array((0..<count()).map { _ in string() }), isOptional: false)
        put(
            "marks",
            .array((0..<count()).map { _ in .int64(Int64.random(in: -2...3, using: &random)) }),
            isOptional: false
        )
        put("notes", .array((0..<count()).map { _ in random.chance(30) ? .null : string() }), isOptional: false)
        put("friends", .array((0..<count()).map { _ in id() }), isOptional: false)
        put("addresses", .array((0..<count()).map { _ in .document(address()) }), isOptional: false)
        put("names", .document(["a": string()]), isOptional: false)
        return document
    }

    private mutating func count() -> Int { Int.random(in: 0...2, using: &random) }

    private mutating func address() -> BSONDocument {
        var address: BSONDocument = ["zip": .int64(Int64.random(in: -1...2, using: &random))]
        if random.chance(80) { address["city"] = random.chance(20) ? .null : string() }
        if random.chance(80) { address["labels"] = .array((0..<count()).map { _ in string() }) }
        return address
    }

    // MARK: Users

    mutating func user() -> RuleUser {
        func some(_ value: BSONValue, _ random: inout SeededRandom) -> BSONValue? { random.chance(75) ? value : nil }
        var custom = BSONDocument()
        custom["team"] = some(random.chance(20) ? any() : string(), &random)
        custom["teams"] = some(.array((0..<count()).map { _ in random.chance(20) ? any() : string() }), &random)
        custom["level"] = some(any(), &random)
        custom["oid"] = some(random.chance(50) ? id() : .string(random.pick(RuleModels.ids).description), &random)
        custom["inner"] = some(.document(["team": string()]), &random)
        return RuleUser(
            id: random.chance(50) ? random.pick(RuleModels.words) : random.pick(RuleModels.ids).description,
            data: random.chance(50) ? ["email": string()] : [:],
            customData: custom,
            identities: (0..<count()).map { _ in ["provider_type": string()] },
            values: random.chance(70) ? ["limit": any(), "all": .array([string(), any()])] : [:]
        )
    }

    // MARK: Expressions

    mutating func expansion() -> String {
        random.pick([
            "%%user.id", "%%user.type", "%%user.data.email", "%%user.custom_data.team", "%%user.custom_data.teams",
            "%%user.custom_data.level", "%%user.custom_data.inner.team", "%%user.custom_data.inner.x", "%%values.limit",
            "%%values.all", "%%user.identities.provider_type", "%%true", "%%false",
        ])
    }

    private mutating func operand() -> BSONValue {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5: return literal()
        case 5: return ["%stringToOid": "%%user.id"]
        case 6:
            return random.chance(50)
                ? ["%stringToOid": "%%user.custom_data.oid"] : ["%oidToString": "%%user.custom_data.oid"]
        default: return .string(expansion())
        }
    }

    /// A text that begins with two per cent signs is an expansion.
    private mutating func literal() -> BSONValue {
        let value = any()
        return value.stringValue?.hasPrefix("%%") == true ? "plain" : value
    }

    private mutating func test(_ depth: Int) -> BSONValue {
        if random.chance(35) { return operand() }
        var operators = BSONDocument()
        for _ in 0..<(random.chance(80) ? 1 : 2) {
            let sign = random.pick(["$", "%"])
            switch Int.random(in: 0..<13, using: &random) {
            case 0: operators[sign + "eq"] = operand()
            case 12: operators[sign + "all"] = .array([operand(), operand()])
            case 1: operators[sign + "ne"] = operand()
            case 2: operators[sign + "gt"] = operand()
            case 3: operators[sign + "gte"] = operand()
            case 4: operators[sign + "lt"] = operand()
            case 5: operators[sign + "lte"] = operand()
            case 6: operators[sign + "in"] = list()
            case 7: operators[sign + "nin"] = list()
            case 8: operators[sign + "exists"] = .bool(random.chance(50))
            case 9 where depth > 0: operators[sign + "not"] = test(depth - 1)
            case 10 where depth > 0: operators[sign + "or"] = .array([test(depth - 1), test(depth - 1)])
            case 11 where depth > 0: operators[sign + "nor"] = .array([test(depth - 1)])
            default: operators[sign + "and"] = .array([operand()])
            }
        }
        return .document(operators)
    }

    private mutating func list() -> BSONValue {
        if random.chance(50) { return .string(random.pick(["%%user.custom_data.teams", "%%values.all", "%%user.id"])) }
        return .array((0...count()).map { _ in operand() })
    }

    mutating func expression(ofUser isOfUser: Bool = false, depth: Int = 2) -> BSONValue {
        if random.chance(4) { return .bool(random.chance(50)) }
        var parts = BSONDocument()
        for _ in 0..<(random.chance(70) ? 1 : 2) {
            let sign = random.pick(["$", "%"])
            switch Int.random(in: 0..<10, using: &random) {
            case 0 where depth > 0:
                parts[sign + "and"] = .array([expression(ofUser: isOfUser, depth: depth - 1)])
            case 1 where depth > 0:
                parts[sign + "or"] = .array((0..<2).map { _ in expression(ofUser: isOfUser, depth: depth - 1) })
            case 2 where depth > 0: parts[sign + "nor"] = .array([expression(ofUser: isOfUser, depth: depth - 1)])
            case 3 where depth > 0: parts[sign + "not"] = expression(ofUser: isOfUser, depth: depth - 1)
            case 4: parts[expansion()] = test(depth)
            default:
                if isOfUser {
                    parts[expansion()] = test(depth)
                } else {
                    parts[field()] = test(depth)
                }
            }
        }
        return .document(parts)
    }

    private mutating func field() -> String {
        random.pick([
            "_id", "owner", "team", "age", "level", "score", "rate", "price", "at", "flag", "ref", "blob", "oid", "any",
            "tags",
            "marks", "notes", "friend", "friends", "address", "AND", "a b\"c", "address.city", "address.zip",
            "address.labels",
            "addresses.city", "addresses.zip",
        ])
    }
}
