package import FreeholdEngine
import Foundation

/// The content of the fixtures `…-cases`, by the rule of the program that wrote them.
package enum CaseTable {
    /// The property that names an object of each class.
    package static let names = [
        "StringKey": "n", "IntKey": "n", "IdKey": "n", "UuidKey": "n", "Shape": "a", "Hub": "name", "Spoke": "n",
        "Outer": "id", "Any": "id", "Tree": "id", "Limits": "i", "Bulk": "count", "Choice": "n",
    ]

    /// The classes of a format's file, without the class Deep, whose objects have no names.
    package static func classes(_ format: Int) -> Set<String> {
        var names: Set = ["StringKey", "IntKey", "Shape", "Hub", "Spoke", "Limits", "Bulk", "Choice"]
        if format >= 20 { names.formUnion(["IdKey", "Outer"]) }
        if format >= 21 { names.formUnion(["UuidKey", "Any"]) }
        if format >= 24 { names.insert("Tree") }
        return names
    }

    package static func link(_ name: String, _ id: Value) -> Value { .string("→ \(name) \(id)") }

    package static let deepCount = 65_000
    /// The value of object i of the class Deep: a thousand of the 66,000 objects were deleted.
    package static func deep(_ i: Int) -> Value { .int(Int64(i < 1000 ? i % 4 : (i + 1000) % 4)) }

    /// The values of all objects of a class.
    package static func objects(_ name: String, _ format: Int) -> [[String: Value]] {
        switch name {
        case "StringKey": stringKeys
        case "IntKey": keys([.null, .int(0), .int(-1), .int(.max), .int(.min), .int(42)])
        case "IdKey": keys([.null] + (1...5).map { .objectId(FixtureTable.objectId($0)) })
        case "UuidKey": keys([.null] + (1...5).map { .uuid(FixtureTable.uuid($0)) })
        case "Shape": (0..<300).map(shape)
        case "Hub": (0..<2).map { ["name": .string("hub\($0)")] }
        case "Spoke": (0..<300).map { spoke($0, format) }
        case "Outer": (0..<4).map { outer($0, format) }
        case "Any": (0..<26).map { any($0, format) }
        case "Tree": (0..<7).map(tree)
        case "Limits": (0..<16).map { limits($0, format) }
        case "Bulk": [0, 3, 1050].map { bulk($0, format) }
        case "Choice":
            (0..<300).map { i in
                let colors: [Value] = [.string("red"), .null, .string("green"), .string("")]
                return ["n": .int(Int64(i)), "color": colors[i % 4]]
            }
        default: []
        }
    }

    static func list(_ values: some Sequence<Value>) -> Value { FixtureTable.list(Array(values)) }

    static func set(_ values: some Sequence<Value>) -> Value { list(values.sorted { Value.compare($0, with: $1) < 0 }) }

    static func hub(_ i: Int) -> Value { link("Hub", .string("hub\(i)")) }

    private static var stringKeys: [[String: Value]] {
        let texts = ["", "a"] + (0..<300).map { "Key \($0)" } + ["long " + String(repeating: "x", count: 95)]
        return keys([.null] + texts.map { .string($0) }).enumerated().map { i, values in
            values.merging(["next": i == 0 ? .null : link("StringKey", .int(Int64(i - 1)))]) { $1 }
        }
    }

    private static func keys(_ keys: [Value]) -> [[String: Value]] {
        keys.enumerated().map { ["key": $1, "n": .int(Int64($0))] }
    }

    /// A class of which columns were removed, added and renamed.
    private static func shape(_ i: Int) -> [String: Value] {
        [
            "a": .int(Int64(i)), "b": .string("b\(i)"), "renamed": .double(Double(i) / 4),
            "d": i % 3 == 0 ? .null : .int(Int64(i)),
        ]
    }

    private static func spoke(_ i: Int, _ format: Int) -> [String: Value] {
        var values: [String: Value] = [
            "n": .int(Int64(i)), "hub": hub(i % 3 == 0 ? 1 : 0),
            "hubs": list(i % 100 == 0 ? [hub(0), hub(1), hub(0)] : []),
            "me": i % 2 == 0 ? link("Spoke", .int(Int64(i))) : .null,
        ]
        guard format >= 21 else { return values }
        let isFull = i % 100 == 0
        values["hubSet"] = set(isFull ? [hub(0), hub(1)] : [])
        values["hubMap"] = FixtureTable.dictionary(isFull ? [("one", hub(1)), ("none", .null), ("zero", hub(0))] : [])
        return values
    }

    private static func outer(_ i: Int, _ format: Int) -> [String: Value] {
        func inner(_ n: Int, _ outer: Value = .null) -> Value {
            FixtureTable.dictionary([("n", .int(Int64(n))), ("outer", outer)])
        }
        func middle(_ name: String, _ single: Value = .null, _ inners: [Value] = []) -> Value {
            FixtureTable.dictionary([("name", .string(name)), ("inner", single), ("inners", list(inners))])
        }
        let own = middle("m\(i)", inner(i * 100, link("Outer", .int(Int64(i)))), (0..<i).map { inner($0) })
        var values: [String: Value] = [
            "id": .int(Int64(i)), "middle": i % 2 == 1 ? own : .null,
            "middles": list((0..<i).map { middle("l\(i).\($0)") }),
        ]
        guard format >= 21 else { return values }
        let entries = (0..<i).map { ("k\($0)", middle("d\(i).\($0)")) }
        values["map"] = FixtureTable.dictionary(entries + (i == 3 ? [("null", .null)] : []))
        return values
    }

    /// A value of each type that a mixed one can be of.
    package static let kinds: [Value] = [
        .null, .int(7), .int(1 << 40), .int(-5), .int(.min), .bool(true), .bool(false), .string(""), .string("text"),
        .string(String(repeating: "m", count: 300)), .data(Data()), .data(Data([0, 1, 2, 0])),
        .data(Data((0..<300).map { UInt8(truncatingIfNeeded: $0) })), .timestamp(Timestamp(seconds: 5, nanoseconds: 6)),
        .timestamp(Timestamp(seconds: -5, nanoseconds: -6)), .float(1.5), .double(-2.25),
        .decimal128(Decimal128("1.10" as String)!), .decimal128(Decimal128("-9.999E+200" as String)!),
        .objectId(FixtureTable.objectId(7)), .uuid(FixtureTable.uuid(8)), link("Any", .int(0)),
    ]

    private static func any(_ i: Int, _ format: Int) -> [String: Value] {
        // Then a text and data of the same bytes were equal, as are here those without any.
        let different = format < 23 ? kinds.filter { $0 != .data(Data()) } : kinds
        let map = kinds.enumerated().map { ($0 < 10 ? "k0\($0)" : "k\($0)", $1) }
        return [
            "id": .int(Int64(i)), "any": i < 22 ? kinds[i] : .null,
            "list": list(i == 22 ? kinds : i == 25 ? (0..<1100).map { kinds[$0 % 9] } : []),
            "set": set(i == 23 ? different : []), "map": FixtureTable.dictionary(i == 24 ? map : []),
        ]
    }

    /// Collections inside mixed values.
    private static func tree(_ i: Int) -> [String: Value] {
        func nest(_ depth: Int) -> Value {
            if depth == 0 { return .int(0) }
            return depth % 2 == 1
                ? list([.string("d"), nest(depth - 1)])
                : FixtureTable.dictionary([("level", .int(Int64(depth))), ("next", nest(depth - 1))])
        }
        let (empty, none) = (list([]), FixtureTable.dictionary([]))
        let root = link("Tree", .int(0))
        let any: Value =
            switch i {
            case 0: nest(10)
            case 1: empty
            case 2: none
            case 3: list((0..<1200).map { .int($0) })
            case 4:
                FixtureTable.dictionary([
                    ("a", empty), ("b", none), ("c", list([none, empty, .null])), ("link", root),
                ])
            case 6: FixtureTable.dictionary((0..<1200).map { ("k\($0)", .int($0)) })
            default: .null
            }
        let elements = [
            .int(1), list([.int(2), list([.int(3)])]), FixtureTable.dictionary([("k", list([.int(4)]))]), root,
        ]
        let entries = [("x", list([.int(1), FixtureTable.dictionary([("y", .int(2))])])), ("z", none)]
        return [
            "id": .int(Int64(i)), "any": any, "list": list(i == 5 ? elements : []),
            "map": FixtureTable.dictionary(i == 5 ? entries : []),
        ]
    }
}
