import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

private func classes(embedded: Bool) -> [ObjectSchema] {
    [
        ObjectSchema(
            "Owner",
            properties: [
                Property("id", .int, primaryKey: true), Property("one", .object, objectClassName: "Part"),
                Property("many", .object, collection: .list, objectClassName: "Part"),
                Property("map", .object, collection: .map, objectClassName: "Part"),
            ]
        ),
        ObjectSchema(
            "Part",
            isEmbedded: embedded,
            properties: [
                Property("n", .int), Property("tags", .string, collection: .list),
                Property("below", .object, objectClassName: "Part"),
            ]
        ),
    ]
}

@Suite("Migrations to and from embedded classes")
struct MigrationEmbeddedTests {
    /// Owner 0 has parts 0 to 3, each its own.
    private func write(_ base: Realm.Configuration, _ more: (Realm, [DynamicObject], DynamicObject) -> Void) throws {
        try writeFile(migrationConfiguration(base, 1, classes(embedded: false))) { realm in
            let parts = (0..<4).map {
                realm.dynamicCreate("Part", value: ["n": $0, "tags": ["t\($0)"]] as [String: Any])
            }
            let owner = realm.dynamicCreate("Owner", value: ["id": 0])
            owner["one"] = parts[0]
            owner["many"] = [parts[1]]
            owner["map"] = ["a": parts[2]]
            parts[2]["below"] = parts[3]
            more(realm, parts, owner)
        }
    }

    private func check(_ realm: Realm, parts: Int) throws {
        let owner = try require(realm.dynamicObject(ofType: "Owner", forPrimaryKey: 0))
        expectEqual((owner["one"] as? DynamicObject)?["n"] as? Int, 0)
        expectEqual(owner.dynamicList("many").map { $0["n"] as! Int }, [1])
        let third = try require(owner.dynamicMap("map")["a"] ?? nil)
        expectEqual((third["below"] as? DynamicObject)?["n"] as? Int, 3)
        expectEqual(Array(third["tags"] as! List<String>), ["t2"])
        expectEqual(realm.dynamicObjects("Part").count, parts)
    }

    @Test
    func `a class whose objects have one link each becomes embedded, and top-level again`() throws {
        try withNewFile { base in
            try write(base) { _, _, _ in }
            let embedded = migrationConfiguration(base, 2, classes(embedded: true))
            try readFile(embedded) { realm in
                try check(realm, parts: 4)
                try realm.write { realm.delete(realm.dynamicObjects("Owner")) }
                expect(realm.dynamicObjects("Part").isEmpty)
                let parts = ["one": ["n": 0], "many": [["n": 1]]] as [String: Any]
                try realm.write { realm.dynamicCreate("Owner", value: parts) }
            }
            try readFile(migrationConfiguration(base, 3, classes(embedded: false))) { realm in
                try realm.write { realm.delete(realm.dynamicObjects("Owner")) }
                expectEqual(realm.dynamicObjects("Part").map { $0["n"] as! Int }.sorted(), [0, 1])
                try realm.write { realm.dynamicCreate("Part", value: ["n": 7]) }
            }
            try readFile(migrationConfiguration(base, 3, classes(embedded: false))) { _ in }
        }
    }

    @Test(arguments: [false, true])
    func `objects without a link or with several are an error, or are resolved`(resolves: Bool) throws {
        try withNewFile { base in
            try write(base) { realm, parts, owner in
                realm.dynamicCreate("Part", value: ["n": 9])
                let lonely = realm.dynamicCreate("Part", value: ["n": 10])
                lonely["below"] = realm.dynamicCreate("Part", value: ["n": 11])
                for i in 1...2 {
                    let other = realm.dynamicCreate("Owner", value: ["id": i])
                    other["one"] = parts[2]
                    other["many"] = [parts[0], parts[2], parts[2]]
                    other["map"] = ["x": parts[1], "y": nil]
                }
            }
            var configuration = migrationConfiguration(base, 2, classes(embedded: true))
            configuration.resolvesOwnersInMigrations = resolves
            guard resolves else {
                try expectRefused(configuration, .schemaMismatch)
                return
            }
            try readFile(configuration) { realm in
                // Each of the two other owners has a copy of 0, of 1, and three of 2 with the objects below it.
                try check(realm, parts: 4 + 2 * (1 + 1 + 3 * 2))
                for i in 1...2 {
                    let other = try require(realm.dynamicObject(ofType: "Owner", forPrimaryKey: i))
                    expectEqual(other.dynamicList("many").map { $0["n"] as! Int }, [0, 2, 2])
                    expectEqual(other.dynamicMap("map")["x"]??["n"] as? Int, 1)
                    let below = (other["one"] as? DynamicObject)?["below"] as? DynamicObject
                    expect(below?["n"] as? Int == 3 && Array(below?["tags"] as! List<String>) == ["t3"])
                }
                try realm.write { realm.delete(realm.dynamicObjects("Owner")) }
                expect(realm.dynamicObjects("Part").isEmpty)
            }
        }
    }

    @Test
    func `the block can assign the owners itself`() throws {
        try withNewFile { base in
            try write(base) { realm, _, _ in realm.dynamicCreate("Part", value: ["n": 9]) }
            let configuration = migrationConfiguration(base, 2, classes(embedded: true)) { migration, _ in
                migration.enumerateObjects(ofType: "Part") { if $0!["n"] as! Int == 9 { migration.delete($1!) } }
            }
            try readFile(configuration) { try check($0, parts: 4) }
        }
    }

    @Test(arguments: [false, true])
    func `objects that own themselves in a cycle can't become embedded`(resolves: Bool) throws {
        try withNewFile { base in
            try write(base) { _, parts, owner in parts[3]["below"] = parts[2] }
            var configuration = migrationConfiguration(base, 2, classes(embedded: true))
            configuration.resolvesOwnersInMigrations = resolves
            try expectRefused(configuration, .schemaMismatch)
        }
    }

    @Test(arguments: [false, true])
    func `a class that is the target of mixed values can't become embedded`(resolves: Bool) throws {
        try withNewFile { base in
            let log = ObjectSchema("Log", properties: [Property("any", .any)])
            try writeFile(migrationConfiguration(base, 1, classes(embedded: false) + [log])) { realm in
                let part = realm.dynamicCreate("Part", value: ["n": 1])
                realm.dynamicCreate("Owner", value: ["one": part])
                realm.dynamicCreate("Log")["any"] = AnyRealmValue.object(part)
            }
            var configuration = migrationConfiguration(base, 2, classes(embedded: true) + [log])
            configuration.resolvesOwnersInMigrations = resolves
            try expectRefused(configuration, .schemaMismatch)
        }
    }
}
