import Foundation
import FreeholdEngine
import Testing

@testable import FreeholdStudio

/// Followed queries against fresh ones.
struct CursorTests {
    @Test(arguments: [
        "", "age > 20", "city == 'Rome' SORT(age DESC)", "friend.age < 30", "TRUEPREDICATE SORT(name ASC) LIMIT(20)",
    ])
    func `Rows that are followed through random commits are those of a new query`(_ text: String) throws {
        let world = try StudioWorld { try StudioWorld.fill($0, people: 300) }
        var random = SeededRandom(test: "studio cursors \(text)")
        let feed = ChangeFeed(world.database)
        var view = try world.database.snapshot()
        let facts = SchemaFacts(view)
        let query = TableQuery(className: "Person", text: text)
        let compiled = try query.compiled(in: view, facts)
        expectEqual(compiled.isWhole, text.isEmpty)
        var rows = FollowedRows(compiled, in: view)
        var lastID: Int64 = 1_000
        for _ in 0..<60 {
            try world.write { write in
                let person = write.schema.table(named: "Person")!
                for _ in 0..<random.number(1..<5) {
                    let keys = write.keys(person)
                    switch random.below(3) {
                    case 0:
                        lastID += 1
                        let key = try write.create(person, primaryKey: .int(lastID))
                        try write.set(person.column(named: "age")!, key, to: .int(Int64(random.below(50))))
                    case 1: if keys.count > 50 { write.delete(person, random.pick(keys)) }
                    default:
                        try write.set(
                            person.column(named: "age")!,
                            random.pick(keys),
                            to: .int(Int64(random.below(50)))
                        )
                    }
                }
            }
            let before = rows.keys(0..<rows.count)
            let next = try world.database.snapshot()
            let change = rows.advance(to: next, feed.changes(from: view, to: next))
            view = next
            let fresh = FollowedRows(compiled, in: view)
            let now = rows.keys(0..<rows.count)
            expectEqual(now, fresh.keys(0..<fresh.count))
            // The part before the first moved row is unchanged.
            let same = change.movedFrom ?? min(before.count, now.count)
            expectEqual(Array(now.prefix(same)), Array(before.prefix(same)))
            if let key = now.last { expectEqual(rows.position(of: key), now.count - 1) }
        }
    }

    @Test func `A whole class holds no list of keys`() throws {
        let world = try StudioWorld()
        let view = try world.database.snapshot()
        let compiled = try TableQuery(className: "Person", text: " TRUEPREDICATE ").compiled(
            in: view,
            SchemaFacts(view)
        )
        expectEqual(FollowedRows(compiled, in: view).keyBytes, 0)
    }
}
