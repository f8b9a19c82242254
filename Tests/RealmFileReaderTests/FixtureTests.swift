import Foundation
import FreeholdEngine
import RealmFileReader
import TestRealmFiles
import Testing

struct FixtureTests {
    @Test(arguments: RealmFixture.tables)
    func `the file has its format, version and classes`(_ fixture: RealmFixture) throws {
        let file = try fixture.open()
        expectEqual(file.formatVersion, fixture.formatVersion)
        expectEqual(file.schemaVersion, 7)
        expectEqual(file.isCopy, (fixture == .copy))
        expectEqual(file.isEncrypted, (fixture == .encrypted))
        expect(!file.isSynchronized)
        expect(file.otherTables.contains("metadata"))
        expectEqual(Set(file.classes.map(\.name)), fixture.classes)
        if fixture.has("child") { expectEqual(file.requireClass("Child").kind, .embedded) }
        expectEqual(file.requireClass("Everything").kind, .topLevel)
        expectEqual(file.requireClass("Everything").primaryKey?.name, "id")
        expectEqual(file.requireClass("Word").primaryKey?.type, .string)
        if fixture.classes.contains("Event") { expectEqual(file.requireClass("Event").kind, .asymmetric) }
    }

    @Test(arguments: RealmFixture.tables)
    func `properties have their types, options, indexes and targets`(_ fixture: RealmFixture) throws {
        let file = try fixture.open()
        let item = file.requireClass("Everything")
        func property(_ name: String) throws -> RealmFileProperty {
            try require(item.properties.first { $0.name == name })
        }
        let types: [(String, ColumnType)] = [
            ("bool", .bool), ("int", .int), ("float", .float), ("double", .double), ("string", .string),
            ("data", .data),
            ("date", .timestamp), ("decimal", .decimal128), ("oid", .objectId), ("uuid", .uuid),
        ]
        for (name, type) in types where fixture.has(name) {
            let required = try property(name)
            expect(required.type == type && !required.isOptional && required.collection == .none)
            let optional = try property("opt" + name.prefix(1).uppercased() + name.dropFirst())
            expect(optional.type == type && optional.isOptional)
        }
        if fixture.has("mixed") { try expectEqual(property("mixed").type, .mixed) }
        try expectEqual(property("string").index, .values)
        try expectEqual(property("int").index, .values)
        try expectEqual(property("double").index, .none)
        if fixture.has("text") { try expectEqual(property("text").index, .fullText) }
        try expectEqual(property("next").target, item.number)
        expect(try property("next").isOptional)
        if fixture.has("child") { try expectEqual(property("child").target, file.requireClass("Child").number) }
        try expectEqual(property("words").collection, .list)
        expect(try !property("words").isOptional)
        expect(try property("optStrings").isOptional)
        if fixture.has("wordSet") {
            try expectEqual(property("wordSet").collection, .set)
            try expectEqual(property("wordMap").collection, .dictionary)
            expect(try property("wordMap").isOptional)
        }
        expect(file.requireClass("Word").incoming.contains { $0.className == "Everything" && $0.property == "words" })
    }

    @Test(arguments: RealmFixture.tables)
    func `every value is read as written`(_ fixture: RealmFixture) throws {
        let file = try fixture.open()
        let objects = try file.objects(of: file.requireClass("Everything"))
        expectEqual(objects.count, FixtureTable.rows.count)
        for object in objects {
            guard case .int(let id)? = object.values["id"] else {
                Issue.record("an object has no id")
                continue
            }
            for (name, expected) in FixtureTable.values(Int(id) / 10) where fixture.has(name) {
                var found = object.values[name]
                // Before format 23, strings of sets have another order.
                if name == "stringSet", case .list(let list)? = found {
                    found = FixtureTable.list(list.values.sorted { Value.compare($0, with: $1) < 0 })
                }
                expectEqual(found, expected, "\(name) of \(id)")
            }
            if fixture.has("text") { expectEqual(object.values["text"], .string("some words to find \(id / 10)")) }
        }
        expectEqual(Set(objects.map { $0.values["id"] }), Set(FixtureTable.rows.map { .int(Int64($0 * 10)) }))
    }

    @Test(arguments: RealmFixture.tables)
    func `links lead to their targets`(_ fixture: RealmFixture) throws {
        let file = try fixture.open()
        let wordClass = file.requireClass("Word")
        let words = try file.objects(of: wordClass)
        expectEqual(words.count, FixtureTable.words.count)
        let wordKeys = Dictionary(
            uniqueKeysWithValues: words.map { word -> (Int, Int64) in
                if case .int(let rank)? = word.values["rank"] { (Int(rank), word.key) } else { (-1, 0) }
            }
        )
        let childClass = file.classes.first { $0.name == "Child" }
        let children = Dictionary(
            uniqueKeysWithValues: try childClass.map { try file.objects(of: $0).map { ($0.key, $0.values["name"]) } }
                ?? []
        )
        let objects = try file.objects(of: file.requireClass("Everything"))
        var keys: [Int: Int64] = [:]
        for object in objects { if case .int(let id)? = object.values["id"] { keys[Int(id) / 10] = object.key } }
        func word(_ i: Int) -> Value? { wordKeys[i].map { .link(ObjectKey($0)) } }
        for object in objects {
            guard case .int(let id)? = object.values["id"] else { continue }
            let i = Int(id) / 10
            expectEqual(object.values["next"], (keys[i - 1].map { .link(ObjectKey($0)) } ?? .null))
            expectEqual(object.values["words"], FixtureTable.list((0..<i).compactMap { word(19 - $0) }))
            guard fixture.has("child") else { continue }
            if case .link(let key)? = object.values["child"] {
                expectEqual(children[key.raw], .string("child\(i)"))
            } else {
                expectEqual(i % 2, 0)
            }
            guard case .list(let list)? = object.values["children"] else { continue }
            let names = list.values.map { value -> Value? in
                if case .link(let key) = value { children[key.raw] ?? nil } else { nil }
            }
            expectEqual(names, (0..<(i % 4)).map { .string("c\(i).\($0)") })
            guard fixture.has("wordSet") else { continue }
            let wordSet = FixtureTable.list((0..<i).compactMap { wordKeys[$0] }.sorted().map { .link(ObjectKey($0)) })
            expectEqual(object.values["wordSet"], wordSet)
            expectEqual(object.values["wordMap"], FixtureTable.dictionary(i == 0 ? [] : [("first", word(i) ?? .null)]))
            let objectLink = wordKeys[i].map {
                Value.objectLink(ObjectLink(tableID: wordClass.number, key: ObjectKey($0)))
            }
            // The element was removed together with the deleted object.
            let mixeds: [Value] = i == 0 ? [] : [.int(Int64(i)), .null, .string("m")] + (objectLink.map { [$0] } ?? [])
            expectEqual(object.values["mixeds"], FixtureTable.list(mixeds))
            if i == 11 {
                let third = ObjectLink(tableID: wordClass.number, key: ObjectKey(try require(wordKeys[3])))
                expectEqual(object.values["mixed"], .objectLink(third))
            }
        }
    }

    @Test(arguments: RealmFixture.tables)
    func `trees of several levels, holes and long values are read`(_ fixture: RealmFixture) throws {
        let file = try fixture.open()
        let many = try file.objects(of: file.requireClass("Many"))
        let left = (0..<600).filter { $0 * 3 % 21 != 0 }
        expectEqual(many.map { $0.values["n"] }, left.map { .int(Int64($0 * 3)) })
        expectEqual(
            many.map { $0.values["s"] },
            left.map { .string($0 % 50 != 0 ? "row\($0)" : String(repeating: "L", count: 80)) }
        )
        expectEqual(many.count, file.requireClass("Many").count)
        let big = try file.objects(of: file.requireClass("Big")).map(\.values)
        expectEqual(big.map { $0["s"] }, [.string(String(repeating: "q", count: 5000)), .null, .string("short")])
        expectEqual(big.map { $0["list"] }, [[], (0..<2500).map { .int($0) }, []].map { FixtureTable.list($0) })
    }

    @Test(arguments: [RealmFixture.format24, .copy, .encrypted])
    func `collections inside mixed values are read`(_ fixture: RealmFixture) throws {
        let file = try fixture.open()
        let words = file.requireClass("Word")
        let second = try require(try file.objects(of: words).first { $0.values["rank"] == .int(2) })
        let nested = try file.objects(of: file.requireClass("Nested")).map(\.values)
        let deep = FixtureTable.dictionary([
            ("deep", .timestamp(Timestamp(seconds: 5, nanoseconds: 6))),
            ("link", .objectLink(ObjectLink(tableID: words.number, key: ObjectKey(second.key)))),
        ])
        expectEqual(
            nested.map { $0["any"] },
            [
                FixtureTable.dictionary([("number", .int(1)), ("list", FixtureTable.list([.string("x"), deep]))]),
                FixtureTable.list([.int(0), .int(1), .int(2)]),
            ]
        )
    }
}
