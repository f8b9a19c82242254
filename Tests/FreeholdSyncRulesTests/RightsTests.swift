import FreeholdBSON
import FreeholdEngine
import FreeholdSyncCore
import Testing

@testable import FreeholdSyncRules

struct RightsTests {
    private static let name = ObjectName("Item", .objectId(RuleModels.key))

    /// Roles about `RuleModels`' class from the inside of a `roles` array.
    private func rules(_ roles: String) throws -> RuleSet {
        try RuleSet(extendedJSON: #"{"classes": {"Item": {"roles": [\#(roles)]}}}"#)
    }

    private func judge(_ roles: String, _ user: RuleUser) throws -> RightsJudge {
        try RightsJudge(rules(roles).rights(of: user, className: "Item", schema: RuleModels.schema))
    }

    private static let ownership = """
        {"name": "admin", "apply_when": {"%%user.custom_data.isAdmin": true},
         "document_filters": {"read": true, "write": true}, "read": true, "write": true, "insert": true, "delete": true},
        {"name": "owner", "apply_when": {},
         "document_filters": {"read": {"$or": [{"owner": "%%user.id"}, {"flag": true}]}, "write": {"owner": "%%user.id"}},
         "insert": true, "delete": {"age": {"$lt": 3}},
         "fields": {"price": {"read": true}, "score": {}, "address": {"read": true, "fields": {"zip": {"write": true}}}},
         "additional_fields": {"read": true, "write": true}}
        """

    @Test func `the first role that applies decides`() throws {
        let rules = try rules(Self.ownership)
        let admin = RuleUser(id: "root", customData: ["isAdmin": true])
        let rights = rules.rights(of: admin, className: "Item", schema: RuleModels.schema)
        expectEqual(rights.role, "admin")
        expectEqual(rights.read, .always)
        expect(rights.fields.readsAll)
        let ada = rules.rights(of: RuleUser(id: "ada"), className: "Item", schema: RuleModels.schema)
        expectEqual(ada.role, "owner")
        expectEqual(ada.read.text, #"owner == "ada" || flag == true"#)
        expectEqual(ada.delete.text, #"age < 3 && owner == "ada""#)
        expect(!ada.fields.canRead(["score"]))
        expect(ada.fields.canRead(["price"]))
        expect(!ada.fields.canWrite(["price"]))
        expect(ada.fields.canWrite(["address", "zip"]))
        expect(!ada.fields.canWrite(["address", "city"]))
        expect(!ada.fields.canWrite(["address"]))
        expect(ada.fields.canRead(["_id"]))
        expect(!ada.fields.canWrite(["_id"]))
    }

    @Test func `a class without rules is closed, and a class with rules never uses the default ones`() throws {
        let none = RuleSet().rights(of: RuleUser(id: "ada"), className: "Item", schema: RuleModels.schema)
        expect(none.role == nil)
        expectEqual(none.read, .never)
        expectEqual(none.denial, "There are no default roles.")
        let everybody = try Role(
            BSONValue(
                extendedJSON:
                    #"{"name": "all", "apply_when": {}, "document_filters": {"read": true, "write": true}, "read": true}"#
            )
        )
        var rules = RuleSet(defaultRoles: [everybody])
        expectEqual(rules.rights(of: RuleUser(id: "ada"), className: "Item", schema: RuleModels.schema).role, "all")
        rules.classes = [ClassRules("Item", roles: [])]
        expect(rules.rights(of: RuleUser(id: "ada"), className: "Item", schema: RuleModels.schema).role == nil)
    }

    @Test(arguments: [
        #"{"name": "a", "apply_when": {}, "read": true}"#,
        #"{"name": "a", "apply_when": {}, "document_filters": {"read": true}, "read": true}"#,
        #"{"name": "a", "apply_when": {}, "document_filters": {"read": {"nothing": 1}, "write": true}, "read": true}"#,
        #"""
        {"name": "a", "apply_when": {}, "document_filters": {"read": true, "write": true},
         "fields": {"any": {"fields": {"x": {"read": true}}}}}
        """#,
    ])
    func `a role that sync can't use gives no right, and no later role is used`(role: String) throws {
        let next = #"{"name": "b", "apply_when": {}, "document_filters": {"read": true, "write": true}, "read": true}"#
        let rules = try rules(role + "," + next)
        let rights = rules.rights(of: RuleUser(id: "ada"), className: "Item", schema: RuleModels.schema)
        expect(rights.role == nil)
        expectEqual(rights.denial?.hasPrefix("The role 'a' can't be used"), true)
        expect(rules.problems(schema: RuleModels.schema).contains { $0.className == "Item" && $0.role == "a" })
    }

    @Test func `fields are hidden from users that can't read them`() throws {
        let judge = try judge(Self.ownership, RuleUser(id: "ada"))
        let contents = RuleModels.contents(["_id": .objectId(RuleModels.key), "owner": "ada", "score": 1.5, "price": 1])
        expectEqual(judge.readable(Self.name, contents)?.keys.sorted(), ["owner", "price"])
        let theirs = RuleModels.contents(["owner": "bob"])
        expect(judge.readable(Self.name, theirs) == nil)
    }

    @Test func `nested fields are hidden inside embedded objects, and inside lists of them`() throws {
        let judge = try judge(
            """
            {"name": "a", "apply_when": {}, "document_filters": {"read": true, "write": false},
             "fields": {"address": {"read": true, "fields": {"city": {"read": false}}},
                        "addresses": {"fields": {"zip": {"read": true}}}}}
            """,
            RuleUser(id: "ada")
        )
        let home: BSONValue = ["city": "Bern", "zip": 3000]
        let contents = RuleModels.contents(["owner": "bob", "address": home, "addresses": .array([home, home])])
        let zip: [SyncString: MergedContent] = ["zip": .value(.int(3000))]
        expectEqual(
            judge.readable(Self.name, contents),
            ["address": .embedded(zip), "addresses": .list([.embedded(zip), .embedded(zip)])]
        )
        expect(!judge.rights.fields.canRead(["address", "city"]))
        expect(judge.rights.fields.canRead(["addresses"]))
    }

    /// A change of an object, and the reason of its refusal.
    struct Write: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var before: BSONDocument?
        var after: BSONDocument?
        var reason: WriteRefusal.Reason?
    }

    static let mine: BSONDocument = ["owner": "ada", "age": 1, "price": 1, "address": ["city": "Bern", "zip": 3000]]
    static let shown: BSONDocument = ["owner": "bob", "flag": true]
    static let hidden: BSONDocument = ["owner": "bob"]

    static func with(_ document: BSONDocument, _ name: String, _ value: BSONValue) -> BSONDocument {
        var document = document
        document[name] = value
        return document
    }

    @Test(arguments: [
        Write(testDescription: "own object", before: mine, after: with(mine, "age", 2)),
        Write(testDescription: "nothing changes", before: shown, after: shown),
        Write(testDescription: "null is nothing", before: mine, after: with(mine, "score", .null)),
        Write(testDescription: "another's", before: shown, after: with(shown, "age", 2), reason: .write),
        Write(testDescription: "unseen", before: hidden, after: with(hidden, "age", 2), reason: .notReadable),
        Write(testDescription: "unseen goes", before: hidden, after: nil, reason: .notReadable),
        Write(testDescription: "given away", before: mine, after: with(mine, "owner", "bob"), reason: .result),
        Write(testDescription: "taken", before: shown, after: with(shown, "owner", "ada"), reason: .write),
        Write(testDescription: "fixed field", before: mine, after: with(mine, "price", 2), reason: .field(["price"])),
        Write(
            testDescription: "inner field",
            before: mine,
            after: with(mine, "address", ["city": "Bern", "zip": 3001])
        ),
        Write(
            testDescription: "fixed inner field",
            before: mine,
            after: with(mine, "address", ["city": "Biel", "zip": 3000]),
            reason: .field(["address", "city"])
        ),
        Write(
            testDescription: "embedded goes",
            before: mine,
            after: with(mine, "address", .null),
            reason: .field(["address"])
        ),
        Write(testDescription: "deleted", before: mine, after: nil),
        Write(testDescription: "too old to go", before: with(mine, "age", 7), after: nil, reason: .delete),
        Write(testDescription: "shown goes", before: shown, after: nil, reason: .delete),
        Write(testDescription: "created", before: nil, after: ["_id": .objectId(RuleModels.key), "owner": "ada"]),
        Write(testDescription: "created for another", before: nil, after: hidden, reason: .insert),
        Write(
            testDescription: "created with a fixed field",
            before: nil,
            after: with(mine, "address", .null),
            reason: .field(["price"])
        ),
        Write(testDescription: "nothing at all"),
    ])
    func `a write is allowed or refused with its reason`(_ write: Write) throws {
        let judge = try judge(Self.ownership, RuleUser(id: "ada"))
        let refusal = judge.refusal(
            Self.name,
            before: write.before.map { RuleModels.contents($0) },
            after: write.after.map { RuleModels.contents($0) }
        )
        expectEqual(refusal?.reason, write.reason)
        expectEqual(refusal?.role, (write.reason == nil ? nil : "owner"))
        let nobody = RightsJudge.Contents()
        let closed = try RightsJudge(
            RuleSet().rights(of: RuleUser(id: "ada"), className: "Item", schema: RuleModels.schema)
        )
        expectEqual(closed.refusal(Self.name, before: nobody, after: nil)?.reason, .noRole)
    }

    @Test func `a refusal doesn't depend on hidden data`() throws {
        let judge = try judge(Self.ownership, RuleUser(id: "ada"))
        var random = RandomRules(random: SeededRandom(test: "refusals"))
        for _ in 0..<200 * soak {
            var before = random.document()
            before["owner"] = "bob"
            before["flag"] = false
            let after = random.random.chance(30) ? nil : random.document()
            let refusal = judge.refusal(
                Self.name,
                before: RuleModels.contents(before),
                after: after.map { RuleModels.contents($0) }
            )
            expectEqual(refusal?.reason, .notReadable)
        }
    }

    @Test func `problems with a schema are found before a user connects`() throws {
        let rules = try RuleSet(
            extendedJSON: #"""
                {"classes": {"Nothing": {"roles": [{"name": "a", "apply_when": {}}]},
                             "Address": {"roles": [{"name": "a", "apply_when": {}}]},
                             "Person": {"roles": [{"name": "p", "apply_when": {}, "fields": {"nick": {"read": true}},
                                "document_filters": {"read": true, "write": true}}]},
                             "Item": {"roles": [
                                {"name": "b", "apply_when": {}, "document_filters": {"read": "friend.name == 'x'", "write": true}},
                                {"name": "c", "apply_when": {}, "document_filters": {"read": "owner TEXT 'x'", "write": true}},
                                {"name": "d", "apply_when": {}, "fields": {"nick": {"read": true}}}]}}}
                """#
        )
        let problems = rules.problems(schema: RuleModels.schema).map(\.description)
        expect(problems.contains("Nothing, role 'a': The class isn't in the schema."))
        expect(problems.contains("Address, role 'a': Embedded objects go with their owner's rights."))
        expect(problems.contains("Person, role 'p': fields: The class has no field 'nick'."))
        expect(problems.contains("Item, role 'c': document_filters.read: TEXT isn't served."))
        // This problem is reported beside any other one.
        let lacking = "Item, role 'd': document_filters: Sync needs 'document_filters' with 'read' and 'write'."
        expect(problems.contains(lacking))
        expect(
            problems.contains(
                "Item, role 'b': document_filters.read: friend.name: 'friend' is a link: a right depends on its object's own fields only."
            )
        )
    }

    @Test func `a dry run shows which role applies, and why the other ones don't`() throws {
        let rules = try rules(Self.ownership)
        let report = rules.report(
            of: RuleUser(id: "ada", customData: ["isAdmin": false]),
            className: "Item",
            schema: RuleModels.schema
        )
        expectEqual(report.steps.map(\.applies), [false, true])
        expectEqual(report.steps[0].reason?.hasPrefix("%%user.custom_data.isAdmin is false"), true)
        expectEqual(report.hiddenFields, ["score"])
        expectEqual(report.fixedFields, ["_id", "score", "price", "address"])
        expect(report.description.contains(#"changes  owner == "ada""#))
        let admin = rules.report(
            of: RuleUser(id: "root", customData: ["isAdmin": true]),
            className: "Item",
            schema: RuleModels.schema
        )
        expectEqual(admin.steps[1].reason, "It isn't asked: 'admin' applies.")
        let old = RuleModels.contents(["owner": "ada", "age": 7])
        try expectEqual(report.objections(to: Self.name, old), ["It can't be deleted: this isn't true of it: age < 3"])
        let closed = RuleSet().report(of: RuleUser(id: "ada"), className: "Item", schema: RuleModels.schema)
        expect(closed.description.contains("nothing is allowed: There are no default roles."))
        let missing = rules.report(of: RuleUser(id: "ada"), className: "Item", schema: RuleModels.schema)
        expectEqual(missing.steps[0].reason, "%%user.custom_data.isAdmin is missing.")
    }

    @Test func `a dry run shows the required fields that prevent all creates`() throws {
        func report(_ fields: String, insert: Bool = true) throws -> RightsReport {
            try rules(
                #"""
                {"name": "all", "apply_when": {}, "document_filters": {"read": true, "write": true}, "insert": \#(insert),
                 "delete": true, "fields": {\#(fields)}, "additional_fields": {"read": true, "write": true}}
                """#
            ).report(of: RuleUser(id: "ada"), className: "Item", schema: RuleModels.schema)
        }
        let prevented = try report(#""age": {"read": true}, "rate": {}, "score": {}, "tags": {}, "any": {}"#)
        expectEqual(prevented.preventingFields, ["age", "rate"])
        expect(
            prevented.description.contains("creates  nothing: every object has age, rate, which the role can't write")
        )
        let allowed = try report(#""score": {}, "tags": {}, "friend": {}, "address": {}"#)
        expectEqual(allowed.preventingFields, [])
        expect(!allowed.description.contains("nothing"), "\(allowed)")
        // Nothing can be created anyway.
        try expectEqual(report(#""age": {}"#, insert: false).preventingFields, [])
    }

    @Test func `the field for which a write is forbidden is named`() throws {
        let rights = try UserRights(rules(Self.ownership), user: RuleUser(id: "ada"), schema: RuleModels.schema)
        let old: BSONDocument = ["owner": "ada", "age": 1]
        let new: BSONDocument = ["owner": "ada", "age": 1, "price": 2]
        func field(_ before: BSONDocument?, _ after: BSONDocument?) -> SyncString? {
            let (before, after) = (before.map { RuleModels.contents($0) }, after.map { RuleModels.contents($0) })
            return rights.forbiddenField(of: Self.name, before: before, after: after)
        }
        expectEqual(field(nil, new), "price")
        expectEqual(field(old, new), "price")
        expectEqual(field(nil, old), nil)
        expectEqual(field(nil, ["owner": "bob"]), nil, "the object as a whole is the cause")
        expectEqual(field(["owner": "bob"], nil), nil)
        let (here, there): (BSONValue, BSONValue) = (["city": "a", "zip": 1], ["city": "b", "zip": 1])
        expectEqual(field(["owner": "ada", "address": here], ["owner": "ada", "address": there]), "address.city")
    }

    @Test func `random rights decide on random writes like a naive reader of the documents`() throws {
        var rules = RandomRules(random: SeededRandom(test: "rights"))
        var counts: [Bool: Int] = [:]
        for _ in 0..<600 * soak {
            let roles = (0..<Int.random(in: 1...2, using: &rules.random)).map {
                BSONValue.document(rules.role("role \($0)"))
            }
            let set = try RuleSet(["roles": .array(roles)])
            let user = rules.user()
            let rights = set.rights(of: user, className: "Item", schema: RuleModels.schema)
            let naive = NaiveRights(roles: roles, user: user)
            expectEqual(rights.role, naive.role?["name"]?.stringValue)
            guard rights.role != nil else { continue }
            let judge = try RightsJudge(rights, in: RuleModels.schema.conditions)
            for _ in 0..<4 {
                let before: BSONDocument? = rules.random.chance(20) ? nil : rules.document()
                let after = rules.random.chance(20) ? nil : rules.changed(before)
                let refusal = judge.refusal(
                    Self.name,
                    before: before.map { RuleModels.contents($0) },
                    after: after.map { RuleModels.contents($0) }
                )
                let isAllowed = naive.allows(before, after)
                expectEqual(
                    (refusal == nil),
                    isAllowed,
                    "\(refusal?.description ?? "allowed")\n\(roles)\n\(user)\n\(before ?? [:])\n\(after ?? [:])"
                )
                if (refusal == nil) != isAllowed { return }
                counts[isAllowed, default: 0] += 1
                guard let before else { continue }
                let shown = judge.readable(Self.name, RuleModels.contents(before))
                expectEqual(
                    shown?.keys.sorted(),
                    naive.shown(before)?.map { SyncString($0) }.sorted(),
                    "\(roles)\n\(user)\n\(before)"
                )
            }
        }
        expect(counts[true, default: 0] > 100)
        expect(counts[false, default: 0] > 100)
    }
}
