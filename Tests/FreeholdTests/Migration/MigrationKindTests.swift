import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

/// A type of property with a few values, rising; the first is what null becomes.
struct MigrationKind: Sendable, CustomStringConvertible {
    let type: PropertyType
    let values: [Value]
    var description: String { "\(type)" }

    static let all: [MigrationKind] = [
        MigrationKind(type: .bool, values: [.bool(false), .bool(true)]),
        MigrationKind(type: .int, values: [.int(0), .int(-7), .int(.max), .int(300)]),
        MigrationKind(type: .float, values: [.float(0), .float(-1.5), .float(.infinity)]),
        MigrationKind(type: .double, values: [.double(0), .double(-1.5), .double(1e300)]),
        MigrationKind(
            type: .string,
            values: [.string(""), .string("ä"), .string(String(repeating: "long ", count: 2000)), .string("z")]
        ),
        MigrationKind(type: .data, values: [.data(Data()), .data(Data([1, 2])), .data(Data(count: 5000))]),
        MigrationKind(
            type: .date,
            values: [
                .timestamp(Timestamp(seconds: 0, nanoseconds: 0)),
                .timestamp(Timestamp(seconds: -5, nanoseconds: -500_000_000)),
                .timestamp(Timestamp(seconds: 1_700_000_000, nanoseconds: 250_000_000)),
            ]
        ),
        MigrationKind(
            type: .decimal128,
            values: [.decimal128(Decimal128(0)), .decimal128(Decimal128(-3)), .decimal128(Decimal128(12))]
        ),
        MigrationKind(
            type: .objectId,
            values: [
                .objectId(try! ObjectId(string: "000000000000000000000000")),
                .objectId(try! ObjectId(string: "0123456789abcdef01234567")),
            ]
        ),
        MigrationKind(
            type: .UUID,
            values: [
                .uuid(UUID(uuidString: "00000000-0000-0000-0000-000000000000")!),
                .uuid(UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF")!),
            ]
        ),
    ]
}

private let count = 40

/// Returns the elements of object i, by kind of collection.
private func elements(_ kind: MigrationKind, _ i: Int, optional: Bool) -> [Value] {
    let choice = optional ? [.null] + kind.values : kind.values
    // Every length, and one list that doesn't fit inline.
    return (0..<(i == 7 ? 400 : i % 5)).map { choice[($0 + i) % choice.count] }
}

private func fill(_ realm: Realm, _ kind: MigrationKind, optional: Bool) throws {
    let transaction = try require(realm.core.transaction)
    let table = try require(transaction.schema.table(named: "Person"))
    let choice = optional ? [.null] + kind.values : kind.values
    for i in 0..<count {
        let key = try transaction.create(table)
        try transaction.set(table.column(named: "one")!, key, to: choice[i % choice.count])
        try transaction.set(table.column(named: "rest")!, key, to: .string("rest"))
        try transaction.listAssign(table.column(named: "list")!, key, values: elements(kind, i, optional: optional))
        try transaction.setAssign(table.column(named: "set")!, key, values: elements(kind, i, optional: optional))
        try transaction.dictionaryAssign(
            table.column(named: "map")!,
            key,
            entries: elements(kind, i, optional: optional).enumerated().map { ("k\($0.offset)", $0.element) }
        )
    }
}

private func properties(_ type: PropertyType, optional: Bool, _ indexed: Bool) -> ObjectSchema {
    person(
        Property("one", type, optional: optional, indexed: indexed),
        Property("list", type, optional: optional, collection: .list),
        Property("set", type, optional: optional, collection: .set),
        Property("map", type, optional: optional, collection: .map),
        Property("rest", .string, defaultValue: "rest")
    )
}

@Suite("Types that a migration changes")
struct MigrationKindTests {
    static let indexable: Set<PropertyType> = [.bool, .int, .string, .date, .objectId, .UUID]

    @Test(arguments: MigrationKind.all)
    func `required becomes optional and back: values stay, null becomes zero or empty`(kind: MigrationKind) throws {
        let isIndexed = Self.indexable.contains(kind.type)
        try withNewFile { base in
            for optional in [false, true] {
                let old = migrationConfiguration(
                    base,
                    optional ? 3 : 1,
                    [properties(kind.type, optional: optional, isIndexed)]
                )
                var start = old
                start.deleteRealmIfMigrationNeeded = true
                try writeFile(start) { try fill($0, kind, optional: optional) }
                // The properties become required and optional again, and keep their values.
                let versions = optional ? [false, true] : [true, false]
                for (step, now) in versions.enumerated() {
                    let new = properties(kind.type, optional: now, isIndexed)
                    let version = (optional ? 3 : 1) + UInt64(step) + 1
                    try readFile(migrationConfiguration(base, version, [new])) { realm in
                        try check(realm, kind, hadNull: optional, becameZero: optional)
                        expectEqual(realm.storedSchema["Person"]?["one"]?.isOptional, now)
                    }
                }
            }
        }
    }

    private func check(_ realm: Realm, _ kind: MigrationKind, hadNull: Bool, becameZero: Bool) throws {
        let view = realm.core.view
        let table = try require(view.schema.table(named: "Person"))
        func column(_ name: String) -> Column { table.column(named: name)! }
        func fit(_ value: Value) -> Value { value.isNull && becameZero ? kind.values[0] : value }
        let choice = hadNull ? [.null] + kind.values : kind.values
        for (i, key) in view.keys(table).enumerated() {
            let expected = elements(kind, i, optional: hadNull).map(fit)
            expectEqual(view.value(column("one"), key), fit(choice[i % choice.count]))
            expectEqual(view.listValues(column("list"), key), expected)
            expectEqual(Set(view.listValues(column("set"), key)), Set(expected))
            expectEqual(view.listCount(column("set"), key), Set(expected).count)
            let entries = view.dictionaryEntries(column("map"), key)
            expectEqual(
                Dictionary(entries.map { ($0.key, $0.value) }) { a, _ in a },
                Dictionary(expected.enumerated().map { ("k\($0.offset)", $0.element) }) { a, _ in a }
            )
            expectEqual(view.value(column("rest"), key), .string("rest"))
        }
        if column("one").isIndexed {
            let wanted = (0..<count).filter { fit(choice[$0 % choice.count]) == kind.values[0] }
            expectEqual(view.find(kind.values[0], indexed: column("one")).map { Int($0.raw) }, wanted)
        }
    }

    @Test(arguments: MigrationKind.all, [false, true])
    func `a property with a changed type starts empty, and the block can copy values`(kind: MigrationKind, copies: Bool)
        throws
    {
        try withNewFile { base in
            try writeFile(migrationConfiguration(base, 1, [properties(kind.type, optional: false, false)])) {
                try fill($0, kind, optional: false)
            }
            let new = person(
                Property("one", .any),
                Property("list", .any, collection: .list),
                Property("set", .any, collection: .set),
                Property("map", .any, collection: .map),
                Property("rest", .string)
            )
            let configuration = migrationConfiguration(base, 2, [new]) { migration, _ in
                guard copies else { return }
                migration.enumerateObjects(ofType: "Person") { old, new in
                    for name in ["one", "list", "set", "map"] { new![name] = old![name] }
                }
            }
            try readFile(configuration) { realm in
                let view = realm.core.view
                let table = try require(view.schema.table(named: "Person"))
                for (i, key) in view.keys(table).enumerated() {
                    let expected = copies ? elements(kind, i, optional: false) : []
                    let one = copies ? kind.values[i % kind.values.count] : .null
                    expectEqual(view.value(table.column(named: "one")!, key), one)
                    expectEqual(view.listValues(table.column(named: "list")!, key), expected)
                    expectEqual(view.listCount(table.column(named: "set")!, key), Set(expected).count)
                    expectEqual(view.dictionaryCount(table.column(named: "map")!, key), expected.count)
                    expectEqual(view.value(table.column(named: "rest")!, key), .string("rest"))
                }
            }
        }
    }

    @Test
    func `removed properties lose their values, links, indexes and embedded objects`() throws {
        try withNewFile { base in
            let part = ObjectSchema("Part", isEmbedded: true, properties: [Property("n", .int)])
            let old = person(
                Property("id", .int, primaryKey: true),
                Property("name", .string, indexed: true),
                Property("friend", .object, objectClassName: "Person"),
                Property("friends", .object, collection: .list, objectClassName: "Person"),
                Property("part", .object, objectClassName: "Part"),
                Property("parts", .object, collection: .map, objectClassName: "Part"),
                Property("any", .any),
                Property("anys", .any, collection: .map)
            )
            try writeFile(migrationConfiguration(base, 1, [old, part])) { realm in
                var last: DynamicObject?
                for i in 0..<30 {
                    let made = realm.dynamicCreate(
                        "Person",
                        value: [
                            "id": i, "name": String(repeating: "n\(i)", count: 1 + i * 100), "part": ["n": i],
                            "parts": ["a": ["n": -i]],
                        ] as [String: Any]
                    )
                    if let last {
                        made["friend"] = last
                        made["friends"] = [last, made]
                        made["any"] = AnyRealmValue.object(last)
                        made["anys"] = ["x": AnyRealmValue.object(last)]
                    }
                    last = made
                }
            }
            let new = person(Property("id", .int, primaryKey: true))
            try readFile(migrationConfiguration(base, 2, [new, part])) { realm in
                expectEqual(realm.dynamicObjects("Person").map { $0["id"] as! Int }, Array(0..<30))
                expect(realm.dynamicObjects("Part").isEmpty)
                expectEqual(realm.dynamicObject(ofType: "Person", forPrimaryKey: 17)?["id"] as? Int, 17)
                try realm.write { realm.delete(realm.dynamicObjects("Person")[3]) }
            }
            try expectEqual(
                readFile(migrationConfiguration(base, 2, [new, part])) { $0.dynamicObjects("Person").count },
                29
            )
        }
    }

    @Test
    func `new properties have the values of a new object`() throws {
        try withNewFile { base in
            try writeFile(migrationConfiguration(base, 1, [person(Property("a", .int))])) { realm in
                for i in 0..<10 { realm.dynamicCreate("Person", value: ["a": i]) }
            }
            let new = person(
                Property("a", .int),
                Property("text", .string, defaultValue: "new"),
                Property("n", .int),
                Property("o", .int, optional: true, defaultValue: 5),
                Property("id", .UUID),
                Property("list", .int, collection: .list),
                Property("link", .object, objectClassName: "Person")
            )
            try readFile(migrationConfiguration(base, 2, [new])) { realm in
                let people = realm.dynamicObjects("Person")
                expect(
                    people.allSatisfy { $0["text"] as? String == "new" && $0["n"] as? Int == 0 && $0["o"] as? Int == 5 }
                )
                expectEqual(Set(people.map { $0["id"] as! UUID }).count, 10)
                expect(people.allSatisfy { $0["link"] == nil && ($0["list"] as? List<Int>)?.isEmpty == true })
            }
        }
    }
}
