import FreeholdBSON
import FreeholdEngine
import FreeholdSyncCore
import Testing

@testable import FreeholdSyncRules

struct NarrowedQueriesTests {
    private static let name = ObjectName("Item", .objectId(RuleModels.key))

    private static let open = RuleSet(
        defaultRoles: [Role("open", readFilter: .always, read: true)]
    )
    private static let closed = RuleSet()

    private static func others(_ rules: RuleSet) -> (String) -> ClassRights {
        { rules.rights(of: RuleUser(id: "ada"), className: $0, schema: RuleModels.schema) }
    }

    private func rights(_ more: String = #""read": true, "write": true"#) throws -> ClassRights {
        let role = """
            {"name": "a", "apply_when": {}, "document_filters": {"read": {"owner": "%%user.id"}, "write": {"owner": "%%user.id"}}, \(more)}
            """
        return try RuleSet(extendedJSON: #"{"roles": [\#(role)]}"#)
            .rights(of: RuleUser(id: "ada"), className: "Item", schema: RuleModels.schema)
    }

    @Test(arguments: [
        ("age > 3", #"owner == "ada" && age > 3"#),
        ("TRUEPREDICATE", #"owner == "ada""#),
        ("FALSEPREDICATE", "FALSEPREDICATE"),
        ("age > 3 OR age < 1", #"owner == "ada" && (age > 3 || age < 1)"#),
        ("age > 3 AND team == 'x'", #"owner == "ada" && age > 3 && team == "x""#),
        ("owner == 'ada'", #"owner == "ada""#),
        (#"team == "x) || (TRUEPREDICATE""#, #"owner == "ada" && team == "x) || (TRUEPREDICATE""#),
        ("NOT age == 3", #"owner == "ada" && NOT (age == 3)"#),
    ])
    func `a query is narrowed to what can be read`(query: String, narrowed: String) throws {
        try expectEqual(
            rights().narrowed(SyncString(query), schema: RuleModels.schema, others: Self.others(Self.closed)).string,
            narrowed
        )
    }

    @Test(arguments: ["age > 3) || (TRUEPREDICATE", "age >", "TRUEPREDICATE SORT(age ASC)", "", "age > $0"])
    func `a query that can't be read is refused, not mended`(query: String) throws {
        let rights = try rights()
        #expect(throws: ConditionError.self) {
            try rights.narrowed(SyncString(query), schema: RuleModels.schema, others: Self.others(Self.closed))
        }
    }

    @Test func `without a right, a query has no result`() throws {
        let closed = RuleSet().rights(of: RuleUser(id: "ada"), className: "Item", schema: RuleModels.schema)
        try expectEqual(
            closed.narrowed("TRUEPREDICATE || age > 3", schema: RuleModels.schema, others: Self.others(Self.open))
                .string,
            "FALSEPREDICATE"
        )
    }

    @Test(arguments: [
        ("score > 1", true), ("age > 3 AND score == NULL", true), ("NOT (1 < score)", true),
        ("address.city == 'x'", true),
        ("address.zip == 1", false), ("address != NULL", false), ("@links.Person.item.@count > 0", true),
        ("ANY addresses.city == 'x'", true), ("SUBQUERY(addresses, $a, $a.city == 'x').@count > 0", true),
        ("SUBQUERY(addresses, $a, $a.zip == 1).@count > 0", false), ("age + score > 3", true),
        ("score BETWEEN {1, 2}", true),
        ("score.@type == 'int'", true), ("friends.@count > 0", false), ("friends.name == 'x'", true),
        ("any.name == 1", true),
        ("age > 3 AND owner == 'x'", false), ("_id == NULL", false),
    ])
    func `a query can't ask for what is hidden`(query: String, isRefused: Bool) throws {
        let rights = try rights(
            """
            "fields": {"score": {}, "address": {"read": true, "fields": {"city": {"read": false}}},
                       "addresses": {"read": true, "fields": {"city": {"read": false}}}},
            "additional_fields": {"read": true}
            """
        )
        do throws(ConditionError) {
            _ = try rights.narrowed(SyncString(query), schema: RuleModels.schema, others: Self.others(Self.closed))
            expect(!isRefused)
        } catch {
            expect(isRefused)
            expect(error.text.string.contains("has no field"))
        }
    }

    @Test(arguments: [
        ("friend.name == 'x'", true), ("friend.name BEGINSWITH 'x' OR age > 3", true),
        ("@links.Person.item.@count > 0", true),
        ("@links.@count > 0", false), ("any.name == 'x'", false), ("friend == NULL", true),
    ])
    func `conditions through links need classes that are wholly readable`(query: String, isServed: Bool) throws {
        let rights = try rights()
        func narrowed(_ others: RuleSet) throws -> SyncString {
            try rights.narrowed(SyncString(query), schema: RuleModels.schema, others: Self.others(others))
        }
        if isServed { #expect(throws: Never.self) { try narrowed(Self.open) } }
        if query != "friend == NULL" { #expect(throws: ConditionError.self) { try narrowed(Self.closed) } }
        if !isServed { #expect(throws: ConditionError.self) { try narrowed(Self.open) } }
    }

    @Test func `random queries with random rights show exactly the objects that fulfil both`() throws {
        var rules = RandomRules(random: SeededRandom(test: "narrowed queries"))
        for _ in 0..<500 * soak {
            let user = rules.user()
            let set = try RuleSet(["roles": .array([.document(rules.role("a"))])])
            let rights = set.rights(of: user, className: "Item", schema: RuleModels.schema)
            let query = try RuleExpression(rules.expression())
                .condition(for: user, className: "Item", schema: RuleModels.schema)
            guard
                let narrowed = try? rights.narrowed(
                    SyncString(query.text),
                    schema: RuleModels.schema,
                    others: Self.others(Self.closed)
                )
            else { continue }
            let (matcher, schema) = (QueryMatcher(), RuleModels.schema.conditions)
            let both = try matcher.compile("Item", narrowed, in: schema)
            let first = try matcher.compile("Item", SyncString(query.text), in: schema)
            let second = try matcher.compile("Item", SyncString(rights.read.text), in: schema)
            for _ in 0..<3 {
                let contents = RuleModels.contents(rules.document())
                let isShown = first.matches(Self.name, contents) && second.matches(Self.name, contents)
                expectEqual(both.matches(Self.name, contents), isShown, "\(query)\n\(rights.read)\n\(narrowed)")
            }
        }
    }
}
