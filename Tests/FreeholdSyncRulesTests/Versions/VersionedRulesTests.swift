import FreeholdBSON
import FreeholdEngine
import Testing

@testable import FreeholdSyncCore
@testable import FreeholdSyncRules
@testable import SyncWorlds

/// Rules in the newest version's names, on what is stored.
struct VersionedRulesTests {
    private func mapped(_ text: String) throws -> RuleSet {
        try RuleSet(extendedJSON: text).mapped(to: VersionModels.versions())
    }

    @Test func `rules are translated to stored names`() throws {
        let rules = try mapped(
            """
            {"classes": {"Hound": {"roles": [{
              "name": "r", "apply_when": {"%%user.custom_data.title": "x"},
              "document_filters": {
                "read": {"$or": [{"title": "%%user.id"}, {"house.road": {"$in": ["a", "%%values.b"]}}, {"$not": {"nick": 3}}]},
                "write": "title == %%user.id AND house.road == 'x'"},
              "insert": "ANY places.road == 'x' OR nick == 1", "delete": true,
              "fields": {"title": {"read": true}, "house": {"fields": {"road": {"write": true}}}, "unknown": {"read": true}},
              "additional_fields": {"read": true}
            }]}}}
            """
        )
        let expected = try RuleSet(
            extendedJSON: """
                {"classes": {"Dog": {"roles": [{
                  "name": "r", "apply_when": {"%%user.custom_data.title": "x"},
                  "document_filters": {
                    "read": {"$or": [{"name": "%%user.id"}, {"home.street": {"$in": ["a", "%%values.b"]}}, {"$not": {"nick_2": 3}}]},
                    "write": "name == %%user.id && home.street == \\"x\\""},
                  "insert": "ANY places.street == \\"x\\" || nick_2 == 1", "delete": true,
                  "fields": {"name": {"read": true}, "home": {"fields": {"street": {"write": true}}}, "unknown": {"read": true}},
                  "additional_fields": {"read": true}
                }]}}}
                """
        )
        expectEqual(rules, expected)
        try expectEqual(
            rules.problems(schema: RuleSchema(VersionModels.versions().storage)).map(\.reason),
            [
                "fields: The class has no field 'unknown'."
            ]
        )
    }

    @Test func `names of earlier versions lead to the same properties, and present names take precedence`() throws {
        let role =
            #"{"roles": [{"name": "r", "apply_when": {}, "document_filters": {"read": {"name": "x"}, "write": false}, "read": true}]}"#
        let rules = try mapped(#"{"classes": {"Dog": \#(role), "Cat": \#(role)}}"#)
        expectEqual(rules.classes.map(\.className), ["Dog", "Cat"])
        expectEqual(rules.classes[0].roles[0].readFilter?.source, ["name": "x"])
        let other = role.replacing("\"r\"", with: "\"today\"")
        let both = try mapped(#"{"classes": {"Dog": \#(role), "Hound": \#(other)}}"#)
        expectEqual(both.classes.map { $0.roles[0].name }, ["today"])
    }

    @Test func `default roles become those of each class`() throws {
        let rules = try mapped(
            #"{"default": {"roles": [{"name": "d", "apply_when": {}, "document_filters": {"read": {"title": "x"}, "write": true}, "read": true}]}}"#
        )
        let filters = Dictionary(
            uniqueKeysWithValues: rules.classes.map { ($0.className, $0.roles[0].readFilter?.source) }
        )
        expectEqual(
            filters,
            ["Dog": ["name": "x"], "Person": ["title": "x"], "Cat": ["title": "x"], "Bird": ["title": "x"]]
        )
        let same = try RuleSet(extendedJSON: #"{"default": {"roles": []}}"#)
        try expectEqual(same.mapped(to: SchemaVersions(VersionModels.first)), same)
    }

    @Test func `rights apply to apps of all versions`() throws {
        let rules = try RuleSet(
            extendedJSON: """
                {"classes": {"Hound": {"roles": [{"name": "own", "apply_when": {},
                  "document_filters": {"read": {"title": {"$ne": "secret"}}, "write": {"title": "%%user.id"}},
                  "insert": true, "delete": false, "fields": {"breed": {"read": false}, "title": {"read": true, "write": true},
                  "nick": {"read": false}, "age": {"read": true, "write": true}}, "additional_fields": {"read": true, "write": true}}]}}}
                """
        )
        let versions = try VersionModels.versions()
        let stored = try rules.mapped(to: versions)
        let schema = RuleSchema(versions.storage)
        var bench = VersionBench(versions) { configuration in
            configuration.apps["app"]?.rights = { user, _ in
                UserRights(stored, user: RuleUser(id: user.string), schema: schema)
            }
        }
        let (old, new) = (bench.add(0, ["Dog"]), bench.add(5, ["Hound"]))
        let (dog, hound) = (ObjectName("Dog", 1), ObjectName("Hound", 1))
        bench.commit(old, [.create(dog, [NewField("name", .value("anna")), NewField("nick", .value("R"))])])
        expectEqual(bench.bench.clients[old].refusals, [])
        bench.commit(new, [.set(Place(hound, "age"), 4, .real), .delete(hound, .edit)])
        expectEqual(
            bench.bench.clients[new].refusals.map(\.change),
            [
                .set(Place(hound, "age"), 4, .real), .delete(hound, .edit),
            ]
        )
        bench.commit(new, [.set(Place(hound, "age"), 4, .real)])
        expectEqual(bench.value(old, dog, "age"), 4)
        bench.commit(old, [.create(ObjectName("Dog", 2), [NewField("name", .value("ben"))])])
        expectEqual(
            bench.bench.clients[old].refusals.map(\.change),
            [
                .create(ObjectName("Dog", 2), [NewField("name", .value("ben"))])
            ]
        )
        // The rule hides the newest version's `nick`, and not that of old apps.
        expectEqual(bench.value(old, dog, "nick"), "R")
        expect(bench.fields(new, hound)?["nick"] == nil)
        // A query for it is an error with the app's names.
        bench.bench.clients[new].queries = Queries(
            version: 2,
            queries: [ClassQuery(className: "Hound", condition: "nick == 1")]
        )
        bench.bench.say(new, .queries(1, bench.bench.clients[new].queries))
        expectEqual(bench.bench.clients[new].queryErrors.map(\.text), ["'Hound' has no field 'nick' for the user."])
        expectEqual(bench.bench.clients[new].queryErrors.map(\.className), ["Hound"])
    }
}
