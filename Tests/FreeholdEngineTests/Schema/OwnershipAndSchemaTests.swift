import Foundation
import Testing

@testable import FreeholdEngine

/// The owners of embedded objects after changes of the schema, and delete rules that are added later.
struct `Ownership and schema changes` {
    private let folder = TemporaryFolder()

    private func open() throws -> Database {
        var options = Database.Options()
        options.mapSize = 1 << 28
        return try Database.open(at: folder.file(), options: options)
    }

    private func people(indexed: Bool = false, embedded: Bool = true) -> [TableSpec] {
        [
            TableSpec(
                "Person",
                columns: [
                    ColumnSpec("n", .int, indexed: indexed), ColumnSpec("home", .link, target: "Address"),
                    ColumnSpec("more", .link, collection: .list, target: "Address"),
                ]
            ), TableSpec("Address", columns: [ColumnSpec("n", .int)], isEmbedded: embedded),
        ]
    }

    /// One person with a home.
    private func person(_ database: Database) throws -> ObjectKey {
        let transaction = try database.beginWrite()
        try transaction.applySchema(people())
        let owner = try transaction.create(transaction.schema.tables[0])
        try move(owner, 1, transaction)
        _ = try transaction.commit()
        return owner
    }

    /// A new home.
    private func move(_ owner: ObjectKey, _ n: Int64, _ transaction: WriteTransaction) throws {
        let (person, address) = (transaction.schema.tables[0], transaction.schema.tables[1])
        let home = try transaction.create(address)
        try transaction.set(address.columns[0], home, to: .int(n))
        transaction.setLink(person.columns[1], owner, to: home)
    }

    @Test func `objects that are stored after a change of the schema have an owner`() throws {
        let database = try open()
        let owner = try person(database)
        let transaction = try database.beginWrite()
        var (person, address) = (transaction.schema.tables[0], transaction.schema.tables[1])
        try move(owner, 2, transaction)
        transaction.listAppend(person.columns[2], owner, link: try transaction.create(address))
        try transaction.applySchema(people(indexed: true))
        (person, address) = (transaction.schema.tables[0], transaction.schema.tables[1])
        try move(owner, 3, transaction)
        transaction.listAppend(person.columns[2], owner, link: try transaction.create(address))
        expectEqual(transaction.count(address), 3)
        let snapshot = try transaction.commit()
        expectEqual(snapshot.verify(), [])
        expect(snapshot.count(address) == 3 && snapshot.listCount(person.columns[2], owner) == 2)
        let home = try require(snapshot.readLink(person.columns[1], owner))
        expectEqual(snapshot.readInt(address.columns[0], home), 3)
    }

    @Test func `objects whose class is no longer embedded outlive their link`() throws {
        let database = try open()
        let owner = try person(database)
        let transaction = try database.beginWrite()
        try move(owner, 2, transaction)
        try transaction.extendSchema(to: people(embedded: false), suspendsPrimaryKeys: false)
        let (person, address) = (transaction.schema.tables[0], transaction.schema.tables[1])
        transaction.setLink(person.columns[1], owner, to: nil)
        expectEqual(transaction.count(address), 1)
        try transaction.finishSchema(people(embedded: false), userVersion: 2)
        let snapshot = try transaction.commit()
        expect(snapshot.verify() == [] && snapshot.count(address) == 1)
    }

    // MARK: Circles over several classes

    private func nodes(embedded: Bool) -> [TableSpec] {
        [
            TableSpec("P", columns: [ColumnSpec("x", .link, target: "N")]),
            TableSpec("N", columns: [ColumnSpec("e", .link, target: "E")], isEmbedded: embedded),
            TableSpec("E", columns: [ColumnSpec("n", .link, target: "N")], isEmbedded: true),
        ]
    }

    /// An object that owns one of an embedded class, which links to it, or to another.
    private func migrate(isCircle: Bool, isOwned: Bool, resolves: Bool) throws -> Snapshot {
        let database = try open()
        var transaction = try database.beginWrite()
        try transaction.applySchema(nodes(embedded: false))
        let tables = transaction.schema.tables
        let first = try transaction.create(tables[1])
        let below = try transaction.create(tables[2])
        transaction.setLink(tables[1].columns[0], first, to: below)
        transaction.setLink(tables[2].columns[0], below, to: isCircle ? first : try transaction.create(tables[1]))
        if isOwned { transaction.setLink(tables[0].columns[0], try transaction.create(tables[0]), to: first) }
        _ = try transaction.commit()
        transaction = try database.beginWrite()
        defer { transaction.cancel() }
        try transaction.extendSchema(to: nodes(embedded: true), suspendsPrimaryKeys: false)
        try transaction.finishSchema(nodes(embedded: true), userVersion: 2, resolvesOwners: resolves)
        return try transaction.commit()
    }

    @Test(arguments: [false, true], [false, true])
    func `a cycle over a class that was embedded before is refused`(isOwned: Bool, resolves: Bool) {
        let error = #expect(throws: EngineError.self) {
            _ = try migrate(isCircle: true, isOwned: isOwned, resolves: resolves)
        }
        expectEqual(error?.code, .schemaMismatch)
        expectEqual(error?.message.contains("'N' can't become embedded"), true)
    }

    @Test(arguments: [false, true]) func `a chain over a class that was embedded before isn't a cycle`(resolves: Bool)
        throws
    {
        let snapshot = try migrate(isCircle: false, isOwned: true, resolves: resolves)
        expectEqual(snapshot.verify(), [])
        expectEqual(snapshot.schema.tables.map { snapshot.count($0) }, [1, 2, 1])
    }

    // MARK: Rules of deletion

    @Test func `the additive mode adds missing delete rules, and keeps existing ones`() throws {
        func specs(_ rule: DeleteRule) -> [TableSpec] {
            var link = ColumnSpec("b", .link, target: "B")
            link.rules = DeleteRules(targets: rule)
            return [TableSpec("A", columns: [link]), TableSpec("B", columns: [ColumnSpec("n", .int)])]
        }
        let database = try open()
        var transaction = try database.beginWrite()
        try transaction.applySchema(specs(.nullify), userVersion: 1)
        let (a, b) = (transaction.schema.tables[0], transaction.schema.tables[1])
        let key = try transaction.create(a)
        transaction.setLink(a.columns[0], key, to: try transaction.create(b))
        var snapshot = try transaction.commit()
        expect(try !SchemaPlan(specs(.cascade), against: snapshot.schema).addsNothing)
        for rule in [DeleteRule.cascade, .nullify, .deny] {
            transaction = try database.beginWrite()
            try transaction.addToSchema(specs(rule), userVersion: 1) { _ in }
            snapshot = try transaction.commit()
            expectEqual(snapshot.schema.tables[0].columns[0].rules.targets, .cascade)
            expect(try SchemaPlan(specs(rule), against: snapshot.schema).addsNothing)
        }
        transaction = try database.beginWrite()
        transaction.delete(transaction.schema.tables[0], key)
        snapshot = try transaction.commit()
        expect(snapshot.count(b) == 0 && snapshot.verify() == [])
    }
}
