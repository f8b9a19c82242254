import FreeholdBSON
import FreeholdEngine
import FreeholdSyncCore
import FreeholdSyncDocuments

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A class with every kind of property, and an embedded one.
enum TestClasses {
    static let tables = [
        TableSpec(
            "Thing",
            columns: [
                ColumnSpec("_id", .int), ColumnSpec("flag", .bool), ColumnSpec("count", .int),
                ColumnSpec("level", .int, optional: true), ColumnSpec("ratio", .double),
                ColumnSpec("single", .float, optional: true), ColumnSpec("text", .string),
                ColumnSpec("note", .string, optional: true), ColumnSpec("blob", .data, optional: true),
                ColumnSpec("at", .timestamp, optional: true), ColumnSpec("price", .decimal128, optional: true),
                ColumnSpec("oid", .objectId, optional: true), ColumnSpec("ref", .uuid, optional: true),
                ColumnSpec("any", .mixed), ColumnSpec("friend", .link, optional: true, target: "Thing"),
                ColumnSpec("home", .link, optional: true, target: "Home"),
                ColumnSpec("tags", .string, collection: .list),
                ColumnSpec("marks", .int, optional: true, collection: .list),
                ColumnSpec("friends", .link, collection: .list, target: "Thing"),
                ColumnSpec("homes", .link, collection: .list, target: "Home"),
                ColumnSpec("anything", .mixed, collection: .list), ColumnSpec("names", .string, collection: .set),
                ColumnSpec("mates", .link, collection: .set, target: "Thing"),
                ColumnSpec("scores", .int, collection: .dictionary),
                ColumnSpec("places", .link, optional: true, collection: .dictionary, target: "Home"),
                ColumnSpec("extras", .mixed, collection: .dictionary),
            ],
            primaryKey: "_id"
        ),
        TableSpec(
            "Home",
            columns: [
                ColumnSpec("city", .string), ColumnSpec("zip", .int, optional: true),
                ColumnSpec("lines", .string, collection: .list),
                ColumnSpec("owner", .link, optional: true, target: "Thing"),
                ColumnSpec("spot", .link, optional: true, target: "Spot"),
            ],
            isEmbedded: true
        ),
        TableSpec(
            "Spot",
            columns: [ColumnSpec("x", .double, optional: true), ColumnSpec("y", .double)],
            isEmbedded: true
        ),
        TableSpec("Named", columns: [ColumnSpec("_id", .string), ColumnSpec("size", .int)], primaryKey: "_id"),
    ]
    static let schema = DocumentSchema(tables)
    static let mapping = DocumentMapping(schema)
    /// Properties that a new thing needs may be missing.
    static let lenient = DocumentMapping(schema, options: .init(missingFields: .zero))

    static func thing(_ key: Int64) -> ObjectName { ObjectName("Thing", .int(key)) }
}

/// Documents of things.
struct RandomThings {
    var random: SeededRandom

    private static let words = ["a", "b", "größe", "日本", "x.y", "$z", ""]

    mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    mutating func word() -> String { random.pick(Self.words) }

    mutating func number() -> BSONValue {
        switch int(0...4) {
        case 0: .int32(Int32(int(-5...5)))
        case 1: .double(Double(int(-5...5)))
        case 2: .decimal128(Decimal128(Int64(int(-5...5))))
        default: .int64(Int64(int(-5...5)))
        }
    }

    mutating func mixed(_ depth: Int = 2) -> BSONValue {
        switch int(0...(depth > 0 ? 10 : 7)) {
        case 0: .null
        case 1: .bool(random.chance(50))
        case 2: .double(Double(int(-4...4)) / 2)
        case 3: .string(word())
        case 4: .datetime(BSONDateTime(milliseconds: Int64(int(-5_000...5_000))))
        case 5: .binary(BSONBinary(bytes: [1, 2]))
        case 6: ["$ref": "Thing", "$id": .int64(Int64(int(1...5)))]
        case 8: .array((0..<int(0...3)).map { _ in mixed(depth - 1) })
        case 9, 10:
            .document(
                BSONDocument(
                    ["p", "q", "größe"].filter { _ in random.chance(50) }.map { (key: $0, value: mixed(depth - 1)) }
                )
            )
        default: number()
        }
    }

    mutating func home() -> BSONValue {
        var home: BSONDocument = ["city": .string(word())]
        if random.chance(50) { home["zip"] = random.chance(20) ? .null : .int32(Int32(int(0...9))) }
        if random.chance(50) { home["lines"] = .array((0..<int(0...3)).map { _ in .string(word()) }) }
        if random.chance(30) { home["owner"] = .int64(Int64(int(1...5))) }
        if random.chance(30) { home["spot"] = ["y": .double(Double(int(0...4)))] }
        return .document(home)
    }

    mutating func value(_ name: String) -> BSONValue {
        func some(_ make: (inout RandomThings) -> BSONValue, _ things: inout RandomThings) -> BSONValue {
            .array((0..<things.int(0...5)).map { _ in make(&things) })
        }
        switch name {
        case "flag": return .bool(random.chance(50))
        case "count": return number()
        case "level": return random.chance(30) ? .null : number()
        case "ratio": return .double(Double(int(-9...9)) / 4)
        case "single": return random.chance(30) ? .null : .double(Double(int(-9...9)) / 4)
        case "text": return .string(word())
        case "note": return random.chance(30) ? .null : .string(word())
        case "blob": return .binary(BSONBinary(bytes: [UInt8(int(0...3))]))
        case "at": return .datetime(BSONDateTime(milliseconds: Int64(int(-5_000...5_000))))
        case "price":
            return random.chance(50) ? .decimal128(Decimal128("\(int(0...5)).50")!) : .int32(Int32(int(0...5)))
        case "oid": return .objectId(ObjectId("00000000000000000000000a"))
        case "ref": return .uuid(UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(int(0...3)))))
        case "any": return mixed()
        case "friend": return random.chance(30) ? .null : .int32(Int32(int(1...5)))
        case "home": return random.chance(30) ? .null : home()
        case "tags": return some({ .string($0.word()) }, &self)
        case "marks": return some({ $0.random.chance(30) ? .null : $0.number() }, &self)
        case "friends": return some({ .int64(Int64($0.int(1...5))) }, &self)
        case "homes": return some({ $0.home() }, &self)
        case "anything": return some({ $0.mixed() }, &self)
        case "names": return some({ .string($0.word()) }, &self)
        case "mates": return some({ .int64(Int64($0.int(1...5))) }, &self)
        case "scores":
            return .document(
                BSONDocument(["p", "q", "r s"].filter { _ in random.chance(50) }.map { (key: $0, value: number()) })
            )
        case "places":
            return .document(
                BSONDocument(
                    ["p", "q"].filter { _ in random.chance(50) }.map {
                        (key: $0, value: random.chance(20) ? .null : home())
                    }
                )
            )
        default:
            return .document(
                BSONDocument(["p", "q"].filter { _ in random.chance(50) }.map { (key: $0, value: mixed()) })
            )
        }
    }

    static let names = [
        "flag", "count", "level", "ratio", "single", "text", "note", "blob", "at", "price", "oid", "ref", "any",
        "friend", "home",
        "tags", "marks", "friends", "homes", "anything", "names", "mates", "scores", "places", "extras",
    ]
    static let required: Set<String> = ["flag", "count", "ratio", "text"]

    mutating func document(_ key: Int64, share: Int = 60, isWhole: Bool = true) -> BSONDocument {
        var document: BSONDocument = ["_id": random.chance(50) ? .int64(key) : .int32(Int32(key))]
        for name in Self.names.shuffled(using: &random)
        where random.chance(share) || (isWhole && Self.required.contains(name)) {
            document.append(name, value(name))
        }
        return document
    }
}
