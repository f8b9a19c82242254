import Foundation
import Testing

@testable import FreeholdEngine

struct NestedEditTests {
    private func database(_ folder: TemporaryFolder) throws -> (Database, Table) {
        var options = Database.Options()
        options.mapSize = 1 << 28
        let database = try Database.open(at: folder.file(), options: options)
        let t = try database.beginWrite()
        try t.applySchema([
            TableSpec(
                "A",
                columns: [
                    ColumnSpec("m", .mixed), ColumnSpec("ms", .mixed, collection: .list),
                    ColumnSpec("mi", .mixed, indexed: true), ColumnSpec("md", .mixed, collection: .dictionary),
                    ColumnSpec("mset", .mixed, collection: .set),
                ]
            )
        ])
        _ = try t.commit()
        return (database, try database.snapshot().schema.table(named: "A")!)
    }

    /// Returns nested lists with a number of levels.
    private func deep(_ levels: Int) -> Value {
        (0..<levels).reduce(.int(0)) { inner, _ in .list(NestedList([inner])) }
    }

    @Test func `a hundred levels are stored, and one more is refused`() throws {
        let folder = TemporaryFolder()
        let (database, table) = try database(folder)
        let c = table.columns
        let t = try database.beginWrite()
        let key = try t.create(table)
        try t.set(c[0], key, to: deep(100))
        expectEqual(t.value(c[0], key), deep(100))
        let error = #expect(throws: EngineError.self) { try t.set(c[0], key, to: deep(101)) }
        expect(error?.code == .limitExceeded && error?.message.contains("100 levels") == true)
        #expect(throws: EngineError.self) { try t.listAppend(c[1], key, values: [deep(101)]) }
        // Two levels more inside of the 99th.
        var id: UInt64 = 0
        t.value(c[0], key).forEachNested { id = $0.nestedID! }
        var place = NestedSubscript.property
        let late = #expect(throws: EngineError.self) {
            try t.updateNested(c[0], key, id: id, near: &place) { $0 = .list(NestedList([.list(NestedList([]))])) }
        }
        expectEqual(late?.code, .limitExceeded)
        expectEqual(t.value(c[0], key), deep(100))
        try expectEqual(t.commit().verify(), [])
    }

    @Test func `a collection is found by its id after its neighbours have moved`() throws {
        let folder = TemporaryFolder()
        let (database, table) = try database(folder)
        let c = table.columns
        let t = try database.beginWrite()
        let key = try t.create(table)
        try t.listAppend(
            c[1],
            key,
            values: (0..<300).map { .list(NestedList([.int($0), .string(String(repeating: "x", count: 40))])) }
        )
        let id = t.listValue(c[1], key, at: 200).nestedID!
        try t.listInsert(c[1], key, at: 0, value: .dictionary(NestedDictionary([])))
        try t.listMove(c[1], key, from: 201, to: 17)
        var place = NestedSubscript.element(200)
        try t.updateNested(c[1], key, id: id, near: &place) { value throws(EngineError) in
            guard case .list(var list) = value else { return }
            list.values.append(.list(NestedList([.bool(true)])))
            value = .list(list)
        }
        expectEqual(place, .element(17))
        let snapshot = try t.commit()
        let found = try require(snapshot.nested(c[1], key, id: id, near: &place))
        guard case .list(let list) = found else { return expect(Bool(false)) }
        expect(list.values.first == .int(200) && list.values.count == 3 && list.values[2].nestedID ?? 0 != 0)
        expectEqual(snapshot.verify(), [])
        let u = try database.beginWrite()
        try u.listRemove(c[1], key, at: 17)
        expect(u.nested(c[1], key, id: id, near: &place) == nil)
        expect(try !u.updateNested(c[1], key, id: id, near: &place) { $0 = .list(NestedList([])) })
        u.delete(table, key)
        expect(u.nested(c[1], key, id: id, near: &place) == nil)
        u.cancel()
    }

    @Test(arguments: [3, 400]) func `collections in dictionaries are found when keys move`(_ count: Int) throws {
        let folder = TemporaryFolder()
        let (database, table) = try database(folder)
        let c = table.columns
        let t = try database.beginWrite()
        let key = try t.create(table)
        for i in 0..<count {
            try t.dictionarySet(
                c[3],
                key,
                forKey: "k\(i)",
                to: .dictionary(NestedDictionary([.init("n", .int(Int64(i)))]))
            )
        }
        let id = try require(t.dictionaryValue(c[3], key, forKey: "k2")?.nestedID)
        t.dictionaryRemove(c[3], key, forKey: "k0")
        try t.dictionarySet(c[3], key, forKey: "a", to: .null)
        for hint in [NestedSubscript.entry("k2"), .entry("k1"), .entry("k0"), .property, .element(0)] {
            var place = hint
            expectEqual(t.nested(c[3], key, id: id, near: &place)?.nestedID, id)
            expectEqual(place, .entry("k2"))
        }
        var place = NestedSubscript.entry("k2")
        try t.updateNested(c[3], key, id: id, near: &place) { value throws(EngineError) in
            guard case .dictionary(var dictionary) = value else { return }
            dictionary["more"] = .list(NestedList([.null]))
            value = .dictionary(dictionary)
        }
        let snapshot = try t.commit()
        expectEqual(snapshot.verify(), [])
        guard case .dictionary(let dictionary)? = snapshot.dictionaryValue(c[3], key, forKey: "k2") else {
            return expect(Bool(false))
        }
        expect(dictionary.id == id && dictionary["n"] == .int(2) && dictionary["more"] == .list(NestedList([.null])))
    }

    @Test func `sets refuse collections`() throws {
        let folder = TemporaryFolder()
        let (database, table) = try database(folder)
        let t = try database.beginWrite()
        let key = try t.create(table)
        for value in [Value.list(NestedList([])), .dictionary(NestedDictionary([]))] {
            let error = #expect(throws: EngineError.self) { try t.setInsert(table.columns[4], key, value: value) }
            expectEqual(error?.code, .invalidArgument)
        }
        try t.setInsert(table.columns[4], key, values: [.int(1), .double(1), .string("1"), .data(Data("1".utf8))])
        expectEqual(t.listValues(table.columns[4], key), [.int(1), .string("1"), .data(Data("1".utf8))])
        t.cancel()
    }

    @Test func `a nested edit is recorded and keeps the index`() throws {
        let folder = TemporaryFolder()
        let (database, table) = try database(folder)
        let c = table.columns
        let t = try database.beginWrite()
        let key = try t.create(table)
        let before = Value.list(NestedList([.int(1)]))
        try t.set(c[2], key, to: before)
        try t.listAppend(c[1], key, values: [.null, before])
        _ = try t.commit()
        let u = try database.beginWrite()
        var place = NestedSubscript.property
        for column in [c[2], c[1]] {
            let root = column === c[2] ? u.value(column, key) : u.listValue(column, key, at: 1)
            try u.updateNested(column, key, id: root.nestedID!, near: &place) { $0 = .list(NestedList([.double(2)])) }
        }
        let wrong = #expect(throws: EngineError.self) {
            try u.updateNested(c[2], key, id: u.value(c[2], key).nestedID!, near: &place) { $0 = .int(1) }
        }
        expectEqual(wrong?.message.contains("keeps its kind"), true)
        expectEqual(u.find(before, indexed: c[2]), [])
        expectEqual(u.find(.list(NestedList([.int(2)])), indexed: c[2]), [key])
        let snapshot = try u.commit()
        let changes = try require(snapshot.changes(ofVersion: snapshot.version)?.changes(of: table))
        expect(changes.modified[c[2].id] == [key] && changes.modified[c[1].id] == [key])
        expectEqual(changes.listEdits.map(\.operation), [.set(at: 1)])
        expectEqual(snapshot.verify(), [])
    }
}
