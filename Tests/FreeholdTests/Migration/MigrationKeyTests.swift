import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

@Suite("Keys, names and indexes that a migration changes")
struct MigrationKeyTests {
    private func old(_ key: String?) -> ObjectSchema {
        person(
            Property("id", .int, primaryKey: key == "id"),
            Property("name", .string, primaryKey: key == "name"),
            Property("twin", .int)
        )
    }

    private func write(_ base: Realm.Configuration, _ key: String?) throws {
        try writeFile(migrationConfiguration(base, 1, [old(key)])) { realm in
            for i in 0..<50 {
                let name = i < 25 ? "n\(i)" : String(repeating: "long", count: 50) + "\(i)"
                realm.dynamicCreate("Person", value: ["id": i, "name": name, "twin": i / 2] as [String: Any])
            }
        }
    }

    @Test(arguments: [nil, "id", "name"], [nil, "id", "name"])
    func `a primary key is added, changed and removed`(from: String?, to: String?) throws {
        try withNewFile { base in
            try write(base, from)
            try readFile(migrationConfiguration(base, 2, [old(to)])) { realm in
                expectEqual(realm.core.view.schema.table(named: "Person")?.primaryKey?.name, to)
                expectEqual(realm.dynamicObjects("Person").map { $0["id"] as! Int }, Array(0..<50))
                guard let to else { return }
                for i in [0, 30] {
                    let object = realm.dynamicObjects("Person")[i]
                    expectEqual(realm.dynamicObject(ofType: "Person", forPrimaryKey: object[to]!)?["id"] as? Int, i)
                    // The key is guarded again.
                    let copy = [to: object[to]!]
                    #expect(throws: Realm.Error.self) { try realm.write { realm.dynamicCreate("Person", value: copy) } }
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func `two objects with one primary key are found at the end`(areMended: Bool) throws {
        try withNewFile { base in
            try write(base, "id")
            let new = person(
                Property("id", .int),
                Property("name", .string),
                Property("twin", .int, primaryKey: true)
            )
            let configuration = migrationConfiguration(base, 2, [new]) { migration, _ in
                if areMended {
                    migration.enumerateObjects(ofType: "Person") { $1!["twin"] = 1000 - ($0!["id"] as! Int) }
                }
            }
            guard areMended else {
                let error = try expectRefused(configuration, .duplicatePrimaryKey)
                expect(error?.className == "Person" && error?.property == "twin")
                return
            }
            try readFile(configuration) { realm in
                expectEqual(realm.dynamicObject(ofType: "Person", forPrimaryKey: 999)?["id"] as? Int, 1)
            }
        }
    }

    @Test(arguments: ["id", "name"])
    func `the block can write primary keys that stay, and exchange them`(key: String) throws {
        try withNewFile { base in
            try write(base, key)
            try expectRefused(
                migrationConfiguration(base, 2, [old(key)]) { migration, _ in
                    migration.enumerateObjects(ofType: "Person") { old, new in
                        if old!["id"] as! Int == 40 { new!["id"] = 30 }
                        if old!["id"] as! Int == 40 { new!["name"] = String(repeating: "long", count: 50) + "30" }
                    }
                },
                .duplicatePrimaryKey
            )
            let turned = migrationConfiguration(base, 2, [old(key)]) { migration, _ in
                migration.enumerateObjects(ofType: "Person") { old, new in
                    new!["id"] = 49 - (old!["id"] as! Int)
                    new!["name"] = "\(49 - (old!["id"] as! Int))"
                }
                let made = migration.create("Person", value: ["id": 50, "name": "50"] as [String: Any])
                expectEqual(made["id"] as? Int, 50)
            }
            try readFile(turned) { realm in
                let found = realm.dynamicObject(ofType: "Person", forPrimaryKey: key == "id" ? 9 as Any : "9" as Any)
                expectEqual(found?["twin"] as? Int, 20)
                expectEqual(realm.dynamicObjects("Person").count, 51)
            }
        }
    }

    @Test
    func `a renamed property keeps number, values and index; it may become optional, or the key`() throws {
        try withNewFile { base in
            try write(base, "id")
            let before = try readFile(migrationConfiguration(base, 1, [old("id")])) { realm in
                realm.core.view.schema.table(named: "Person")!.columns.map(\.id)
            }
            let new = person(
                Property("number", .int, primaryKey: true),
                Property("label", .string, optional: true, indexed: true),
                Property("twin", .int)
            )
            let configuration = migrationConfiguration(base, 2, [new]) { migration, _ in
                migration.renameProperty(onType: "Person", from: "id", to: "number")
                migration.enumerateObjects(ofType: "Person") { old, new in
                    expectEqual(new!["number"] as? Int, old!["id"] as? Int)
                    expect(new!["label"] == nil)
                }
                migration.renameProperty(onType: "Person", from: "name", to: "label")
                migration.enumerateObjects(ofType: "Person") { old, new in
                    expectEqual(new!["label"] as? String, old!["name"] as? String)
                    if old!["id"] as! Int == 4 { new!["label"] = nil }
                }
            }
            try readFile(configuration) { realm in
                let table = try require(realm.core.view.schema.table(named: "Person"))
                expect(table.columns.map(\.id) == before && table.columns.map(\.name) == ["number", "label", "twin"])
                expect(table.primaryKey?.name == "number" && table.columns[1].isOptional && table.columns[1].isIndexed)
                expectEqual(realm.dynamicObject(ofType: "Person", forPrimaryKey: 8)?["label"] as? String, "n8")
                expectEqual(realm.core.view.find(.string("n9"), indexed: table.columns[1]), [ObjectKey(9)])
                expectEqual(realm.core.view.find(.null, indexed: table.columns[1]), [ObjectKey(4)])
            }
        }
    }

    @Test
    func `opening throws invalid renames`() throws {
        try withNewFile { base in
            let first = person(Property("a", .int), Property("b", .string, optional: true), Property("c", .int))
            try writeFile(migrationConfiguration(base, 1, [first])) { $0.dynamicCreate("Person", value: ["a": 1]) }
            let new = person(Property("c", .int), Property("x", .int), Property("text", .string))
            let log = ObjectSchema("Log", properties: [Property("x", .int)])
            let renames: [(String, String, String)] = [
                ("Nobody", "a", "x"), ("Log", "a", "x"), ("Person", "nothing", "x"), ("Person", "c", "x"),
                ("Person", "a", "nothing"), ("Person", "a", "text"), ("Person", "b", "text"),
            ]
            for (type, from, to) in renames {
                try expectRefused(
                    migrationConfiguration(base, 2, [new, log]) { migration, _ in
                        migration.renameProperty(onType: type, from: from, to: to)
                    },
                    .schemaMismatch
                )
            }
            for (from, to) in [("Nobody", "Log"), ("Person", "Nobody"), ("Person", "Log")] {
                try expectRefused(
                    migrationConfiguration(base, 2, [new, log]) {
                        $0.renameClass(from: from, to: to); _ = $1
                    },
                    .schemaMismatch
                )
            }
        }
    }

    @Test("a renamed class keeps its objects, and all links to them")
    func renameClass() throws {
        try withNewFile { base in
            func classes(_ name: String, _ more: Property...) -> [ObjectSchema] {
                [
                    ObjectSchema(
                        name,
                        properties: [
                            Property("id", .int, primaryKey: true), Property("next", .object, objectClassName: name),
                        ] + more
                    ),
                    ObjectSchema(
                        "Owner",
                        properties: [
                            Property("one", .object, objectClassName: name),
                            Property("many", .object, collection: .list, objectClassName: name),
                            Property("map", .object, collection: .map, objectClassName: name), Property("any", .any),
                        ]
                    ),
                ]
            }
            try writeFile(migrationConfiguration(base, 1, classes("Dog"))) { realm in
                var dogs: [DynamicObject] = []
                for i in 0..<20 {
                    let dog = realm.dynamicCreate("Dog", value: ["id": i])
                    dog["next"] = dogs.last
                    dogs.append(dog)
                }
                let owner = realm.dynamicCreate("Owner")
                owner["one"] = dogs[3]
                owner["many"] = [dogs[4], dogs[5], dogs[4]]
                owner["map"] = ["a": dogs[6]]
                owner["any"] = AnyRealmValue.object(dogs[7])
            }
            let new = classes("Pet", Property("name", .string, defaultValue: "new"))
            let configuration = migrationConfiguration(base, 2, new) { migration, _ in
                migration.renameClass(from: "Dog", to: "Pet")
                migration.enumerateObjects(ofType: "Pet") { old, new in
                    expectEqual(old!["id"] as? Int, new!["id"] as? Int)
                    if old!["id"] as! Int == 3 { new!["name"] = "Rex" }
                }
                migration.create("Pet", value: ["id": 20])
            }
            try readFile(configuration) { realm in
                expectEqual(realm.storedSchema.objectSchema.map(\.className).sorted(), ["Owner", "Pet"])
                expectEqual(realm.dynamicObjects("Pet").map { $0["id"] as! Int }, Array(0...20))
                expectEqual(realm.dynamicObjects("Pet").filter { $0["name"] as? String == "new" }.count, 20)
                let owner = realm.dynamicObjects("Owner")[0]
                expectEqual((owner["one"] as? DynamicObject)?["name"] as? String, "Rex")
                expectEqual(owner.dynamicList("many").map { $0["id"] as! Int }, [4, 5, 4])
                expectEqual(owner.dynamicMap("map")["a"]??["id"] as? Int, 6)
                expectEqual((realm.dynamicObjects("Pet")[9]["next"] as? DynamicObject)?["id"] as? Int, 8)
                try realm.write { realm.delete(realm.dynamicObjects("Pet")[4]) }
                expectEqual(owner.dynamicList("many").map { $0["id"] as! Int }, [5])
            }
            try readFile(configuration) { _ in }
        }
    }

    @Test
    func `indexes of every kind are added and removed, and a unique one is checked`() throws {
        func classes(_ indexed: Bool) -> ObjectSchema {
            var words = Property("words", .string)
            words.index = indexed ? .fullText : .none
            return ObjectSchema(
                "Person",
                properties: [Property("a", .int, indexed: indexed), Property("b", .int), words],
                compoundIndexes: indexed ? [CompoundIndex(["a", "b"], isUnique: true)] : []
            )
        }
        try withNewFile { base in
            try writeFile(migrationConfiguration(base, 1, [classes(false)])) { realm in
                for i in 0..<40 {
                    realm.dynamicCreate("Person", value: ["a": i / 2, "b": 0, "words": "the w\(i)"] as [String: Any])
                }
            }
            try expectRefused(migrationConfiguration(base, 2, [classes(true)]), .uniqueConstraint)
            let mended = migrationConfiguration(base, 2, [classes(true)]) { migration, _ in
                var i = 0
                migration.enumerateObjects(ofType: "Person") { _, new in
                    new!["b"] = i % 2
                    i += 1
                }
            }
            try readFile(mended) { realm in
                let table = try require(realm.core.view.schema.table(named: "Person"))
                expectEqual(realm.core.view.find(.int(3), indexed: table.columns[0]).map(\.raw), [6, 7])
                expectEqual(table.compounds.count, 1)
            }
            // A later block breaks the uniqueness. It is checked although the index existed before.
            try expectRefused(
                migrationConfiguration(base, 3, [classes(true)]) { migration, _ in
                    migration.enumerateObjects(ofType: "Person") { $1!["b"] = 0 }
                },
                .uniqueConstraint
            )
            try readFile(migrationConfiguration(base, 3, [classes(false)])) { realm in
                expectEqual(realm.core.view.schema.table(named: "Person")?.compounds.isEmpty, true)
            }
        }
    }
}
