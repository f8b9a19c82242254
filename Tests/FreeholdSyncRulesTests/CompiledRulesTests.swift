import FreeholdBSON
import FreeholdEngine
import FreeholdSyncCore
import Testing

@testable import FreeholdSyncRules

struct CompiledRulesTests {
    private static let name = ObjectName("Item", .objectId(RuleModels.key))

    private func matches(_ condition: RuleCondition, _ document: BSONDocument) throws -> Bool {
        try QueryMatcher().compile("Item", SyncString(condition.text), in: RuleModels.schema.conditions)
            .matches(Self.name, RuleModels.contents(document))
    }

    @Test func `random rules decide on random users and documents like a naive reader`() throws {
        var rules = RandomRules(random: SeededRandom(test: "compiled rules"))
        var shown = 0
        var answered = 0
        for _ in TestBudget.range("CompiledRulesTests", usual: 1_200, soak: 60_000) {
            let source = rules.expression()
            let expression = try RuleExpression(source)
            for _ in 0..<2 {
                let user = rules.user()
                let condition = try expression.condition(for: user, className: "Item", schema: RuleModels.schema)
                for _ in 0..<3 {
                    let document = rules.document()
                    let naive = NaiveRules(user: user, document: document).says(source)
                    let isShown = try matches(condition, document)
                    expectEqual(
                        isShown,
                        (naive == true),
                        "\(source)\nfor \(user)\nis \(condition)\nof \(document)"
                    )
                    if isShown != (naive == true) { return }
                    shown += isShown ? 1 : 0
                    answered += naive != nil ? 1 : 0
                }
            }
        }
        expect(shown > 500)
        expect(answered > 1_500)
    }

    @Test func `apply_when decides on random users like a naive reader`() throws {
        var rules = RandomRules(random: SeededRandom(test: "apply_when"))
        var answers: [Bool?: Int] = [:]
        for _ in 0..<2_000 * soak {
            let source = rules.expression(ofUser: true)
            let user = rules.user()
            let answer = try RuleExpression(ofUser: source).answer(for: user)
            let naive = NaiveRules(user: user, document: [:]).says(source)
            expectEqual(answer, naive, "\(source)\nfor \(user)")
            answers[answer, default: 0] += 1
        }
        expectEqual(answers.count, 3)
    }

    @Test(arguments: RuleModels.words) func `the name of a user is never read as a query`(word: String) throws {
        let user = RuleUser(
            id: word,
            customData: ["team": .string(word), "teams": [.string(word)]],
            values: ["limit": .string(word)]
        )
        let mine: BSONDocument = ["owner": .string(word), "team": .string(word)]
        let theirs: BSONDocument = ["owner": "somebody", "team": "some team"]
        let sources: [BSONValue] = [
            ["owner": "%%user.id"], ["owner": ["$in": "%%user.custom_data.teams"]],
            ["$and": [["owner": "%%user.custom_data.team"], ["team": ["$eq": "%%values.limit"]]]],
            "owner == %%user.id", "owner IN %%user.custom_data.teams AND team == %%values.limit",
            "owner BEGINSWITH %%user.id AND owner ENDSWITH %%user.id AND owner == %%user.id",
        ]
        for source in sources {
            let condition = try RuleExpression(source)
                .condition(for: user, className: "Item", schema: RuleModels.schema)
            expect(try matches(condition, mine), "\(condition)")
            expect(try !matches(condition, theirs), "\(condition)")
        }
    }

    @Test(arguments: [
        (#"{"owner": "%%user.id"}"#, #"owner == "ada""#),
        (#"{"team": {"$in": "%%user.custom_data.teams"}}"#, #"team IN {"red", "blue"}"#),
        (#"{"team": {"$nin": ["a"]}}"#, #"NOT (team == "a")"#),
        (#"{"%%user.custom_data.isAdmin": true}"#, "TRUEPREDICATE"),
        (#"{"%%user.custom_data.isAdmin": false, "age": 3}"#, "FALSEPREDICATE"),
        (#"{"$or": [{"%%user.custom_data.isAdmin": true}, {"owner": "%%user.id"}]}"#, "TRUEPREDICATE"),
        (#"{"$or": [{"%%user.type": "server"}, {"owner": "%%user.id"}]}"#, #"owner == "ada""#),
        (#"{"owner": "%%user.custom_data.missing"}"#, "FALSEPREDICATE"),
        (#"{"owner": {"$ne": "%%user.custom_data.missing"}}"#, "FALSEPREDICATE"),
        (#"{"$nor": [{"owner": "%%user.custom_data.missing"}, {"age": 3}]}"#, "FALSEPREDICATE"),
        (#"{"%%user.custom_data.missing": {"$exists": false}}"#, "TRUEPREDICATE"),
        (#"{"age": "three"}"#, "FALSEPREDICATE"),
        (#"{"age": {"$gt": 2.5}}"#, "age > 2"),
        (#"{"age": {"$lt": 2.5}}"#, "age < 3"),
        (#"{"age": {"$lte": 1e30}}"#, "age != NULL"),
        (#"{"age": 2.5}"#, "FALSEPREDICATE"),
        (#"{"age": {"$numberDecimal": "7.0"}}"#, "age == 7"),
        (#"{"flag": {"$gt": false}}"#, "flag == true"),
        (#"{"team": null}"#, "team == NULL"),
        (#"{"team": {"$exists": true}}"#, "team != NULL"),
        (#"{"tags": {"$exists": true}}"#, "TRUEPREDICATE"),
        (#"{"tags": {"$ne": "a"}}"#, #"NOT (tags == "a")"#),
        (#"{"at": {"$gte": {"$date": "2020-01-01T00:00:00Z"}}}"#, "at >= T1577836800:0"),
        (#"{"oid": {"%stringToOid": "65a1b2c3d4e5f60718293a4b"}}"#, "oid == oid(65a1b2c3d4e5f60718293a4b)"),
        (
            #"{"ref": {"%stringToUuid": "00000000-0000-4000-8000-000000000001"}}"#,
            "ref == uuid(00000000-0000-4000-8000-000000000001)"
        ),
        (
            #"{"friend": {"$oid": "65a1b2c3d4e5f60718293a4b"}}"#,
            #"friend == obj("Person", oid(65a1b2c3d4e5f60718293a4b))"#
        ),
        (
            #""owner == %%user.id && (age > 3 || tags == '%%user.id')""#,
            #"owner == "ada" && (age > 3 || tags == "%%user.id")"#
        ),
        (#""team IN %%user.custom_data.teams""#, #"team IN {"red", "blue"}"#),
        (#""NOT (owner == %%user.custom_data.missing OR age == 3)""#, "FALSEPREDICATE"),
        (#"{"AND": 1, "a b\"c": "x"}"#, "FALSEPREDICATE"),
    ])
    func `an expression becomes a folded condition`(source: String, condition: String) throws {
        let user = RuleUser(id: "ada", customData: ["teams": ["red", "blue"], "isAdmin": true])
        let expression = try RuleExpression(BSONValue(extendedJSON: source))
        let compiled = try expression.condition(for: user, className: "Item", schema: RuleModels.schema)
        expectEqual(compiled.text, condition)
        expectEqual((compiled.truth != nil), ["TRUEPREDICATE", "FALSEPREDICATE"].contains(condition))
    }

    @Test(arguments: [
        (#"{"nothing": 1}"#, "has no field 'nothing'"),
        (#"{"address.nothing": 1}"#, "The class 'Address' has no field"),
        (#"{"friend.name": "x"}"#, "is a link"),
        (#"{"owner.name": "x"}"#, "holds no objects"),
        (#"{"names.a": "x"}"#, "holds no objects"),
        (#"{"names": "x"}"#, "is a dictionary"),
        (#"{"addresses": null}"#, "name the fields inside"),
        (#"{"addresses.labels": {"$exists": true}}"#, "inside of others"),
    ])
    func `a rule that the class can't answer is refused for every user`(source: String, reason: String) throws {
        let expression = try RuleExpression(BSONValue(extendedJSON: source))
        for user in [RuleUser(id: ""), RuleUser(id: "ada", customData: ["a": 1])] {
            let error = #expect(throws: RuleError.self) {
                try expression.condition(for: user, className: "Item", schema: RuleModels.schema)
            }
            expectEqual(error?.reason.contains(reason), true, "\(error?.description ?? "")")
        }
    }
}
