import Testing

@testable import FreeholdEngine

struct PathThroughTests {
    @Test func `a path leads through the whole engine`() throws {
        let database = try Database.inMemory(identifier: "smoke")
        let t = try database.beginWrite()
        try t.applySchema([
            TableSpec(
                "Person",
                columns: [
                    ColumnSpec("id", .int), ColumnSpec("name", .string, indexed: true),
                    ColumnSpec("age", .int, optional: true),
                    ColumnSpec("dogs", .link, collection: .list, target: "Dog"),
                    ColumnSpec("best", .link, target: "Dog"),
                ],
                primaryKey: "id"
            ),
            TableSpec("Dog", columns: [ColumnSpec("name", .string)]),
        ])
        let person = t.schema.table(named: "Person")!
        let dog = t.schema.table(named: "Dog")!
        let rex = try t.create(dog)
        try t.set(dog.columns[0], rex, to: .string("Rex"))
        var keys: [ObjectKey] = []
        for i in 0..<2500 {
            let key = try t.create(person, primaryKey: .int(Int64(i)))
            try t.set(person.columns[1], key, to: .string("name \(i % 10)"))
            try t.set(person.columns[4], key, to: .link(rex))
            try t.listAppend(person.columns[3], key, values: [.link(rex), .link(rex)])
            keys.append(key)
        }
        #expect(throws: EngineError.self) { try t.create(person, primaryKey: .int(7)) }
        let s = try t.commit()
        expectEqual(s.count(person), 2500)
        expectEqual(s.find(.string("name 3"), indexed: person.columns[1]).count, 250)
        expectEqual(s.find(primaryKey: .int(2000), in: person), keys[2000])
        expectEqual(s.backlinkCount(person.columns[4], rex), 2500)
        expectEqual(s.backlinkCount(person.columns[3], rex), 5000)
        expectEqual(s.readString(person.columns[1], keys[1234]), "name 4")
        let u = try database.beginWrite()
        u.delete(dog, rex)
        expect(u.readLink(person.columns[4], keys[9]) == nil)
        expectEqual(u.listCount(person.columns[3], keys[9]), 0)
        u.delete(person, keys[5])
        let s2 = try u.commit()
        expectEqual(s2.count(person), 2499)
        expect(s2.find(primaryKey: .int(5), in: person) == nil)
        expectEqual(s2.find(.string("name 5"), indexed: person.columns[1]).count, 249)
        expectEqual(s.count(person), 2500)
    }
}
