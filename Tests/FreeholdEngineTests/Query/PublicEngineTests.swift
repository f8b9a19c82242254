import Foundation
import FreeholdEngine
import Testing

/// The engine as a product of its own: stored, queried and followed through public names only, without any model class.
struct PublicEngineTests {
    private let path = NSTemporaryDirectory() + "freehold-\(UUID().uuidString).db"

    private func filled() throws -> Database {
        let database = try Database.open(at: path)
        let transaction = try database.beginWrite()
        try transaction.extendSchema([
            TableSpec(
                "person",
                columns: [
                    ColumnSpec("id", .int), ColumnSpec("name", .string, indexed: true), ColumnSpec("age", .int),
                    ColumnSpec("best friend", .link, target: "person"),
                    ColumnSpec("pets", .link, collection: .list, target: "pet"),
                ],
                primaryKey: "id"
            ), TableSpec("pet", columns: [ColumnSpec("kind", .string)]),
        ])
        let schema = transaction.schema
        let (person, pet) = (schema.table(named: "person")!, schema.table(named: "pet")!)
        let cat = try transaction.create(pet)
        try transaction.set(pet.column(named: "kind")!, cat, to: .string("cat"))
        for i in 0..<20 {
            let key = try transaction.create(person, primaryKey: .int(Int64(i)))
            try transaction.set(person.column(named: "name")!, key, to: .string("P\(i)"))
            try transaction.set(person.column(named: "age")!, key, to: .int(Int64(20 + i)))
            if i % 3 == 0 { try transaction.listAppend(person.column(named: "pets")!, key, values: [.link(cat)]) }
            if i > 0 {
                try transaction.set(person.column(named: "best friend")!, key, to: .link(ObjectKey(Int64(i - 1))))
            }
        }
        _ = try transaction.commit()
        return database
    }

    @Test func `text is parsed, compiled, run and explained`() throws {
        let database = try filled()
        let snapshot = try database.snapshot()
        let person = try require(snapshot.schema.table(named: "person"))
        func ids(_ text: String, _ arguments: [Value] = []) throws -> [Int64] {
            try RowQuery(text, arguments, of: person, in: snapshot).keys(in: snapshot).map {
                snapshot.readInt(person.columns[0], $0)!
            }
        }
        try expectEqual(ids("age > %@ AND ANY pets.kind == 'cat' SORT(age DESC) LIMIT(2)", [.int(25)]), [18, 15])
        try expectEqual(ids("name IN $0", [.list(NestedList([.string("P3"), .string("P7")]))]), [3, 7])
        try expectEqual(ids("best\\ friend == %@", [.link(ObjectKey(4))]), [5])
        try expectEqual(ids("pets.@count == 0 AND age < 23"), [1, 2])
        let plan = try RowQuery("name == 'P7'", of: person, in: snapshot).explain(in: snapshot)
        expect(plan.matches == 1 && !plan.steps.isEmpty)
        try? FileManager.default.removeItem(atPath: path)
    }

    @Test(arguments: [
        "age >", "nobody == 1", "age == 'x'", "age == %@", "pets.kind.more == 1", "", "((((", "SORT(nothing ASC)",
        String(repeating: "NOT ", count: 100_000) + "TRUEPREDICATE",
    ])
    func `a mistake is an error with its place`(text: String) throws {
        let database = try filled()
        let snapshot = try database.snapshot()
        let person = try require(snapshot.schema.table(named: "person"))
        #expect(throws: QueryError.self) { try RowQuery(text, of: person, in: snapshot) }
        try? FileManager.default.removeItem(atPath: path)
    }

    @Test func `a query, a collection and an object are followed`() async throws {
        let database = try filled()
        var snapshot = try database.snapshot()
        let person = try require(snapshot.schema.table(named: "person"))
        let pets = try require(person.column(named: "pets"))
        let feed = ChangeFeed(database)
        var adults = ObservedQuery(
            try RowQuery("age >= 30 SORT(age ASC)", of: person, in: snapshot),
            watching: .deep,
            in: snapshot
        )
        var list = ObservedCollection(pets, of: ObjectKey(0), in: snapshot)
        var object = ObservedObject(person, ObjectKey(0), in: snapshot)
        expectEqual(Array(adults.keys), (10..<20).map { ObjectKey($0) })
        let transaction = try database.beginWrite()
        try transaction.set(person.columns[2], ObjectKey(0), to: .int(99))
        try transaction.set(person.columns[2], ObjectKey(12), to: .int(1))
        try transaction.listRemove(pets, ObjectKey(0), at: 0)
        snapshot = try transaction.commit()
        let changes = feed.changes(from: adults.snapshot, to: snapshot)
        let found = adults.advance(to: snapshot, changes)
        let told = try require(found)
        expect(told.deletions == [2] && told.insertions == [9] && adults.keys.last == ObjectKey(0))
        let gone = list.advance(to: snapshot, changes)?.deletions
        let isChanged = object.advance(to: snapshot, changes) != nil
        expect(gone == [0] && isChanged)
        try? FileManager.default.removeItem(atPath: path)
    }
}
