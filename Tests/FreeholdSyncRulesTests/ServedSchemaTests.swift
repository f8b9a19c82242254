import FreeholdEngine
import FreeholdSyncCore
import Testing

@testable import FreeholdSyncRules

struct ServedSchemaTests {
    private let dog = TableSpec(
        "Dog",
        columns: [
            ColumnSpec("_id", .objectId), ColumnSpec("name", .string), ColumnSpec("owner", .link, target: "Person"),
        ],
        primaryKey: "_id"
    )
    private let person = TableSpec(
        "Person",
        columns: [ColumnSpec("_id", .objectId), ColumnSpec("age", .int, optional: true)],
        primaryKey: "_id"
    )
    private let reading = TableSpec(
        "Reading",
        columns: [ColumnSpec("_id", .int), ColumnSpec("value", .double)],
        primaryKey: "_id",
        isAsymmetric: true
    )

    @Test func `a claim is read as the classes from which it was created`() throws {
        let claim = try SchemaClaim([dog, person, reading], version: 3)
        let tables = try claim.tables()
        expectEqual(Set(tables.map(\.name)), ["Dog", "Person", "Reading"])
        expectEqual(tables.first { $0.name == "Reading" }?.isAsymmetric, true)
        try expectEqual(SchemaClaim(tables, version: 3), claim)
        try expectEqual(SchemaClaim([person, reading, dog], version: 3).hash, claim.hash)
    }

    @Test func `documents are requested once, and then the hash is known`() throws {
        var served = ServedSchema([dog, person], mode: .production)
        let claim = try SchemaClaim([dog, person], version: 0)
        var bare = claim
        bare.documents = []
        expectEqual(served.judge(bare).verdict, .documentsNeeded)
        expectEqual(served.judge(claim).verdict, .accepted)
        expectEqual(served.judge(bare).verdict, .accepted)
    }

    @Test func `development adopts new classes and properties, and production refuses them by name`() throws {
        var more = person
        more.columns.append(ColumnSpec("email", .string, optional: true))
        let claim = try SchemaClaim([dog, more, reading], version: 0)

        var development = ServedSchema([dog, person], mode: .development)
        let (verdict, adopted) = development.judge(claim)
        expectEqual(verdict, .accepted)
        expectEqual(adopted.map(\.className).sorted(), ["Person", "Reading"])
        expectEqual(development.tables.first { $0.name == "Reading" }?.isAsymmetric, true)

        var production = ServedSchema([dog, person], mode: .production)
        guard case .refused(let problems) = production.judge(claim).verdict else {
            Issue.record("It was accepted.")
            return
        }
        expectEqual(problems.map(\.className.string).sorted(), ["Person", "Reading"])
        expectEqual(problems.first { $0.className == "Person" }?.property, "email")
        expectEqual(production.tables.count, 2)
    }

    @Test func `a breaking change is refused in development with both declarations, and other clients continue`() throws
    {
        var other = person
        other.columns[1] = ColumnSpec("age", .string)
        var served = ServedSchema([dog, person], mode: .development)
        guard case .refused(let problems) = served.judge(try SchemaClaim([dog, other], version: 0)).verdict else {
            Issue.record("It was accepted.")
            return
        }
        expectEqual(problems.count, 1)
        expect(problems[0].text.string.contains("age: long?"))
        expect(problems[0].text.string.contains("age: string"))
        expectEqual(served.judge(try SchemaClaim([dog, person], version: 0)).verdict, .accepted)
        var asymmetric = reading
        asymmetric.isAsymmetric = false
        var third = ServedSchema([reading], mode: .development)
        guard case .refused = third.judge(try SchemaClaim([asymmetric], version: 0)).verdict else {
            Issue.record("A class became another kind of class.")
            return
        }
    }

    @Test func `a hash that doesn't match the documents is refused, and nothing of it is kept`() throws {
        var served = ServedSchema([dog, person], mode: .production)
        var claim = try SchemaClaim([dog, person], version: 0)
        claim.hash = RunningHash(high: 1, low: 2)
        guard case .refused = served.judge(claim).verdict else {
            Issue.record("It was accepted.")
            return
        }
        claim.documents = []
        expectEqual(served.judge(claim).verdict, .documentsNeeded)
    }

    @Test(arguments: ["", "{", "[]", "{\"schema\": 1}", "{\"schema\": {\"title\": \"Other\"}}", "null"])
    func `invalid documents are refused with the class's name`(_ json: String) {
        var served = ServedSchema([dog, person], mode: .development)
        let claim = SchemaClaim(
            version: 0,
            hash: RunningHash(high: 3, low: 4),
            documents: [.init(className: "Dog", json: SyncString(json))]
        )
        guard case .refused(let problems) = served.judge(claim).verdict else {
            Issue.record("It was accepted.")
            return
        }
        expectEqual(problems.count, 1)
    }

    @Test func `links to an asymmetric class are refused`() {
        var linked = dog
        linked.columns.append(ColumnSpec("last", .link, target: "Reading"))
        #expect(throws: RuleError.self) { try SchemaClaim([linked, person, reading], version: 0) }
    }
}
