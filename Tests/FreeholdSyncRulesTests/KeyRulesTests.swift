import FreeholdEngine
import FreeholdSyncCore
import Testing

@testable import FreeholdSyncRules

/// Rules that name the key, for objects as a store has them: the key isn't among their contents.
struct KeyRulesTests {
    private static let schema = RuleSchema([
        TableSpec(
            "Doc",
            columns: [ColumnSpec("_id", .string), ColumnSpec("x", .int), ColumnSpec("any", .mixed)],
            primaryKey: "_id"
        )
    ])

    private static let keys = ["ada", "bob", "config", "secret", "zoe"]

    private func rights(_ filter: String) throws -> UserRights {
        let role = """
            {"name": "a", "apply_when": {}, "document_filters": {"read": \(filter), "write": \(filter)},
             "read": true, "write": true, "insert": true, "delete": true}
            """
        let rules = try RuleSet(extendedJSON: #"{"roles": [\#(role)]}"#)
        expectEqual(rules.problems(schema: Self.schema), [])
        return UserRights(rules, user: RuleUser(id: "ada"), schema: Self.schema)
    }

    private func contents(_ key: String) -> [SyncString: MergedContent] {
        ["x": .value(.int(key == "zoe" ? 1 : 0)), "any": .value(.string("s"))]
    }

    static let cases: [(String, [String])] = [
        (#"{"_id": "%%user.id"}"#, ["ada"]), (#"{"_id": {"$ne": "secret"}}"#, ["ada", "bob", "config", "zoe"]),
        (#"{"_id": {"$nin": ["secret", "config"]}}"#, ["ada", "bob", "zoe"]),
        (#"{"$nor": [{"_id": "secret"}, {"_id": "config"}]}"#, ["ada", "bob", "zoe"]),
        (#"{"_id": {"$not": {"$eq": "secret"}}}"#, ["ada", "bob", "config", "zoe"]),
        (#"{"_id": {"$in": ["bob", "%%user.id", "none"]}}"#, ["ada", "bob"]),
        (#"{"_id": {"$gt": "bob", "$lt": "secret"}}"#, ["config"]),
        (#"{"_id": {"$gte": "secret"}}"#, ["secret", "zoe"]),
        (#"{"$or": [{"_id": "%%user.id"}, {"x": 1}]}"#, ["ada", "zoe"]),
        (#"{"$and": [{"_id": {"$ne": "ada"}}, {"x": 0}]}"#, ["bob", "config", "secret"]),
        (#"{"_id": {"$exists": true}}"#, Self.keys), (#"{"_id": {"$exists": false}}"#, []), (#"{"_id": null}"#, []),
        (#"{"_id": {"$ne": null}}"#, Self.keys), (#"{"_id": 7}"#, []),
        (#"{"_id": {"$ne": "%%user.id"}}"#, ["bob", "config", "secret", "zoe"]),
    ]

    @Test(arguments: cases)
    func `what rules show and let write`(filter: String, expected: [String]) throws {
        let rights = try rights(filter)
        let query = try rights.narrowed(ClassQuery(className: "Doc", condition: "TRUEPREDICATE"))
        let sight = try ObjectSight("Doc", "TRUEPREDICATE", QueryMatcher(), rights)
        let condition = try QueryMatcher().compile("Doc", query)
        for key in Self.keys {
            let (name, contents) = (ObjectName("Doc", .string(SyncString(key))), contents(key))
            let isShown = expected.contains(key)
            expectEqual(condition.matches(name, contents), isShown, "\(key): \(query)")
            expectEqual(sight.contents(name, contents) != nil, isShown, "\(key)")
            expectEqual(rights.allows(name, before: nil, after: contents), isShown, "\(key) is made")
            expectEqual(rights.allows(name, before: contents, after: nil), isShown, "\(key) is deleted")
            var changed = contents
            changed["any"] = .value(.int(2))
            expectEqual(rights.allows(name, before: contents, after: changed), isShown, "\(key) is changed")
        }
        if let keys = condition.keys { expect(Set(expected.map { .string(SyncString($0)) }).isSubset(of: keys)) }
    }

    @Test func `a user's own object is found by its key`() throws {
        let rights = try rights(#"{"_id": "%%user.id"}"#)
        let query = try rights.narrowed(ClassQuery(className: "Doc", condition: "x == 0"))
        expectEqual(query, #"_id == "ada" && x == 0"#)
        try expectEqual(QueryMatcher().compile("Doc", query).keys, ["ada"])
    }
}
