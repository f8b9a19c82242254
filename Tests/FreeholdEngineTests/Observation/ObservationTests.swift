import Foundation
import Testing

@testable import FreeholdEngine

/// Examples of observers' reports.
struct ObservationTests {
    /// People in a row, each the next one's friend.
    private final class Fixture {
        let database: Database
        let log: ChangeLog
        let people: Table
        let name: Column
        let age: Column
        let friend: Column
        let friends: Column
        let notes: Column

        static let specs = [
            TableSpec(
                "Person",
                columns: [
                    ColumnSpec("name", .string), ColumnSpec("age", .int), ColumnSpec("friend", .link, target: "Person"),
                    ColumnSpec("friends", .link, collection: .list, target: "Person"),
                    ColumnSpec("notes", .string, collection: .dictionary),
                ]
            )
        ]

        init(_ count: Int, ages: [Int64] = []) throws {
            database = try Database.inMemory(identifier: UUID().uuidString)
            let transaction = try database.beginWrite()
            try transaction.applySchema(Self.specs)
            let table = try require(transaction.schema.table(named: "Person"))
            people = table
            (name, age, friend) = (table.columns[0], table.columns[1], table.columns[2])
            (friends, notes) = (table.columns[3], table.columns[4])
            for i in 0..<count {
                let key = try transaction.create(table)
                try transaction.set(age, key, to: .int(i < ages.count ? ages[i] : Int64(i)))
                if i > 0 { transaction.setLink(friend, ObjectKey(Int64(i - 1)), to: key) }
            }
            _ = try transaction.commit()
            log = ChangeLog(database)
        }

        var snapshot: Snapshot { get throws { try database.snapshot() } }

        func write(_ body: (WriteTransaction) throws -> Void) throws {
            let transaction = try database.beginWrite()
            try body(transaction)
            _ = try transaction.commit()
        }

        func watch(_ query: RowQuery, _ watched: WatchedPaths = .shallow) throws -> Watched {
            Watched(ObservedQuery(query, watching: watched, in: try snapshot), self)
        }
    }

    /// An observed query that moves on to the newest version.
    private final class Watched {
        private var query: ObservedQuery
        private let fixture: Fixture

        init(_ query: ObservedQuery, _ fixture: Fixture) {
            self.query = query
            self.fixture = fixture
        }

        var keys: [ObjectKey] { query.keys.array }

        func advance() throws -> CollectionChanges? {
            let next = try fixture.snapshot
            return query.advance(to: next, fixture.log.changes(from: query.snapshot, to: next))
        }
    }

    private func key(_ i: Int64) -> ObjectKey { ObjectKey(i) }

    @Test func `deep watching reports an object and those up to three links away, not four`() throws {
        let it = try Fixture(6)
        let query = try it.watch(RowQuery(table: it.people, stages: []), .deep)
        try it.write { try $0.set(it.age, key(4), to: .int(99)) }
        try expectEqual(query.advance()?.modifications, [1, 2, 3, 4])
        // In a cycle, each object is modified once.
        try it.write { $0.setLink(it.friend, key(5), to: key(0)) }
        try expectEqual(query.advance()?.modifications, [2, 3, 4, 5])
        try it.write { try $0.set(it.age, key(0), to: .int(98)) }
        try expectEqual(query.advance()?.modifications, [0, 3, 4, 5])
    }

    @Test func `key paths report only changes on them`() throws {
        let it = try Fixture(4)
        let path = PropertyPath(columns: [it.friend, it.age])
        let query = try it.watch(RowQuery(table: it.people, stages: []), .paths([path]))
        try it.write { try $0.set(it.name, key(2), to: .string("x")) }
        expect(try query.advance() == nil)
        try it.write { try $0.set(it.age, key(2), to: .int(50)) }
        try expectEqual(query.advance()?.modifications, [1])
        try it.write { $0.setLink(it.friend, key(3), to: key(0)) }
        try expectEqual(query.advance()?.modifications, [3])
    }

    @Test func `an object that moves by its sort key is deleted and inserted, and nothing else changes`() throws {
        let it = try Fixture(5, ages: [10, 20, 30, 40, 50])
        let query = try it.watch(RowQuery(table: it.people, sort: [SortKey(it.age)]))
        try it.write { try $0.set(it.age, key(0), to: .int(35)) }
        let moved = try require(try query.advance())
        expect(moved.deletions == [0] && moved.insertions == [2] && moved.modifications == [])
        expectEqual(query.keys, [key(1), key(2), key(0), key(3), key(4)])
        // Another sort key, the same place: modified only.
        try it.write { try $0.set(it.age, key(0), to: .int(36)) }
        let stayed = try require(try query.advance())
        expect(stayed.deletions == [] && stayed.insertions == [])
        expect(stayed.modifications == [2] && stayed.modificationsNew == [2])
        // Two change places: one of them moves.
        try it.write {
            try $0.set(it.age, key(1), to: .int(31))
            try $0.set(it.age, key(2), to: .int(21))
        }
        let swapped = try require(try query.advance())
        expect(swapped.deletions.count == 1 && swapped.insertions.count == 1 && swapped.modifications.count == 1)
    }

    @Test func `a limit removes and adds objects at its end`() throws {
        let it = try Fixture(4, ages: [10, 20, 30, 40])
        let query = try it.watch(RowQuery(table: it.people, sort: [SortKey(it.age)], limit: 2))
        try it.write { try $0.set(it.age, key(3), to: .int(15)) }
        let come = try require(try query.advance())
        expect(come.deletions == [1] && come.insertions == [1] && query.keys == [key(0), key(3)])
        try it.write { $0.delete(it.people, key(0)) }
        let gone = try require(try query.advance())
        expect(gone.deletions == [0] && gone.insertions == [1] && query.keys == [key(3), key(1)])
        // Changes beyond the limit aren't reported.
        try it.write { try $0.set(it.age, key(2), to: .int(31)) }
        expect(try query.advance() == nil)
    }

    @Test func `the assignment of an equal value counts, and that of another property doesn't`() throws {
        let it = try Fixture(3)
        let adults = RowQuery(table: it.people, predicate: .comparison(PropertyPath(it.age), .greater, .int(1)))
        let query = try it.watch(adults)
        try it.write { try $0.set(it.age, key(2), to: .int(2)) }
        try expectEqual(query.advance()?.modifications, [0])
        try it.write { try $0.set(it.age, key(0), to: .int(1)) }
        expect(try query.advance() == nil)
        // The object leaves the result and enters it again in two transactions that are delivered together.
        try it.write { try $0.set(it.age, key(2), to: .int(0)) }
        try it.write { try $0.set(it.age, key(2), to: .int(5)) }
        try expectEqual(query.advance()?.modifications, [0])
    }

    @Test func `states are compared if the schema changed between them`() throws {
        let it = try Fixture(5, ages: [5, 4, 3, 2, 1])
        let sorted = RowQuery(table: it.people, sort: [SortKey(it.age)])
        let before = try it.snapshot
        let query = try it.watch(sorted)
        try it.write { try $0.set(it.age, key(0), to: .int(0)) }
        try it.write { try $0.applySchema(Fixture.specs + [TableSpec("Other", columns: [ColumnSpec("a", .int)])]) }
        let next = try it.snapshot
        expect(it.log.changes(from: before, to: next).isCompared)
        let found = try require(try query.advance())
        expect(found.deletions == [4] && found.insertions == [0])
        expectEqual(query.keys, sorted.keys(in: next))
    }

    @Test func `an object reports its columns, its paths, and its deletion once`() throws {
        let it = try Fixture(3)
        let paths = [PropertyPath(it.name), PropertyPath(columns: [it.friend, it.age])]
        var own = ObservedObject(it.people, key(0), in: try it.snapshot)
        var deep = ObservedObject(it.people, key(0), paths: paths, in: try it.snapshot)
        func advance() throws -> [ObservedObject.Change?] {
            let next = try it.snapshot
            let changes = it.log.changes(from: own.snapshot, to: next)
            return [own.advance(to: next, changes), deep.advance(to: next, changes)]
        }
        try it.write {
            try $0.set(it.age, key(0), to: .int(7))
            try $0.set(it.name, key(0), to: .string("Ada"))
        }
        try expectEqual(
            advance(),
            [
                .modified(columns: [it.name.id, it.age.id], paths: []), .modified(columns: [it.name.id], paths: [0]),
            ]
        )
        try it.write { try $0.set(it.age, key(1), to: .int(7)) }
        try expectEqual(advance(), [nil, .modified(columns: [], paths: [1])])
        try it.write { $0.delete(it.people, key(0)) }
        try expectEqual(advance(), [.deleted, .deleted])
        try it.write { try $0.set(it.age, key(1), to: .int(8)) }
        try expectEqual(advance(), [nil, nil])
    }

    @Test func `a list reports edits by position, changed elements, and the deletion of its owner`() throws {
        let it = try Fixture(5)
        try it.write { try $0.listInsert(it.friends, key(4), at: 0, values: [0, 1, 2].map { .link(key($0)) }) }
        var list = ObservedCollection(it.friends, of: key(4), watching: .shallow, in: try it.snapshot)
        func advance() throws -> CollectionChanges? {
            let next = try it.snapshot
            return list.advance(to: next, it.log.changes(from: list.snapshot, to: next))
        }
        try it.write {
            try $0.listRemove(it.friends, key(4), range: 0..<1)
            try $0.listInsert(it.friends, key(4), at: 2, values: [.link(key(3)), .link(key(1))])
            try $0.set(it.age, key(1), to: .int(50))
        }
        let edited = try require(try advance())
        expect(edited.deletions == [0] && edited.insertions == [2, 3])
        expect(edited.modifications == [1] && edited.modificationsNew == [0])
        try it.write { try $0.listMove(it.friends, key(4), from: 0, to: 3) }
        let moved = try require(try advance())
        expect(moved.deletions == [0] && moved.insertions == [3])
        try it.write { $0.delete(it.people, key(4)) }
        try expectEqual(advance()?.deletions, [0, 1, 2, 3])
        expect(list.isOwnerDeleted)
        try it.write { try $0.set(it.age, key(1), to: .int(51)) }
        expect(try advance() == nil)
    }

    @Test func `a dictionary reports its keys`() throws {
        let it = try Fixture(1)
        try it.write { transaction in
            for name in ["a", "b", "c"] {
                try transaction.dictionarySet(it.notes, key(0), forKey: name, to: .string(name))
            }
        }
        var map = ObservedDictionary(it.notes, of: key(0), in: try it.snapshot)
        try it.write { transaction in
            _ = transaction.dictionaryRemove(it.notes, key(0), forKey: "a")
            _ = transaction.dictionaryRemove(it.notes, key(0), forKey: "c")
            try transaction.dictionarySet(it.notes, key(0), forKey: "c", to: .string("C"))
            try transaction.dictionarySet(it.notes, key(0), forKey: "b", to: .string("B"))
            try transaction.dictionarySet(it.notes, key(0), forKey: "d", to: .string("d"))
        }
        let next = try it.snapshot
        let change = map.advance(to: next, it.log.changes(from: map.snapshot, to: next))
        let found = try require(change)
        expect(found.deletions == ["a"] && found.insertions == ["d"] && found.modifications == ["b", "c"])
    }

    @Test(arguments: 1...4) func `keys in pieces are edited like an array`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var plain = (0..<Int.random(in: 0..<4000, using: &random)).map { ObjectKey(Int64($0)) }
        var keys = OrderedKeys(plain)
        for _ in 0..<30 {
            let before = keys
            let old = plain
            let share = [2, 20, 1000].randomElement(using: &random)!
            let gone = plain.indices.filter { _ in Int.random(in: 0..<share, using: &random) == 0 }
            for i in gone.reversed() { plain.remove(at: i) }
            keys = keys.removing(gone)
            expectEqual(keys.array, plain, "seed \(seed)")
            let places = (0..<Int.random(in: 0..<800, using: &random))
                .map { _ in Int.random(in: 0...plain.count, using: &random) }.sorted()
            let new = places.map { (position: $0, key: ObjectKey(Int64.random(in: 0..<9999, using: &random))) }
            for (at, key) in new.reversed() { plain.insert(key, at: at) }
            // Those of one position are in the given order.
            keys = keys.inserting(new)
            expect(keys.count == plain.count && keys.array == plain, "seed \(seed)")
            let low = Int.random(in: 0...plain.count, using: &random)
            let range = low..<Int.random(in: low...plain.count, using: &random)
            expectEqual(keys.slice(range).array, Array(plain[range]))
            for _ in 0..<9 where !plain.isEmpty {
                let i = Int.random(in: 0..<plain.count, using: &random)
                expectEqual(keys[i], plain[i])
            }
            expectEqual(before.array, old, "a copy stays")
        }
    }

    @Test(arguments: 1...30) func `the difference of two sequences can be replayed`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let old = (0..<Int.random(in: 0..<40, using: &random)).map { _ in Int.random(in: 0..<20, using: &random) }
        var new = old
        for _ in 0..<Int.random(in: 0..<12, using: &random) {
            if !new.isEmpty, Bool.random(using: &random) { new.remove(at: .random(in: new.indices, using: &random)) }
            new.insert(Int.random(in: 0..<20, using: &random), at: .random(in: 0...new.count, using: &random))
        }
        let changes = SequenceDifference.changes(from: old, to: new)
        expectEqual(changes.problems(from: old, to: new) { old[$0] == new[$1] }, [], "seed \(seed)")
    }
}
