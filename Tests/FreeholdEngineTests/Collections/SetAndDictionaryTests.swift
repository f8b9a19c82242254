import Foundation
import Testing

@testable import FreeholdEngine

struct SetAndDictionaryTests {
    private let folder = TemporaryFolder()

    private func open(_ columns: [ColumnSpec], span: Int = 1000) throws -> (
        Database, WriteTransaction, Table, ObjectKey
    ) {
        var options = Database.Options()
        options.clusterSpan = span
        options.mapSize = 1 << 30
        let database = try Database.open(at: folder.file(), options: options)
        let transaction = try database.beginWrite()
        try transaction.applySchema([
            TableSpec("Owner", columns: columns), TableSpec("Thing", columns: [ColumnSpec("number", .int)]),
        ])
        let table = transaction.schema.table(named: "Owner")!
        return (database, transaction, table, try transaction.create(table))
    }

    private func error(_ body: () throws -> Void) -> EngineError.Code? {
        do { try body() } catch { return (error as? EngineError)?.code }
        return nil
    }

    // MARK: Sets

    @Test func `a set of mixed values contains equal numbers of different types once`() throws {
        let (_, t, table, key) = try open([ColumnSpec("set", .mixed, collection: .set)])
        let set = table.columns[0]
        expect(try t.setInsert(set, key, value: .int(1)))
        expect(try !t.setInsert(set, key, value: .double(1)))
        expect(try !t.setInsert(set, key, value: .decimal128(Decimal128(1))))
        expect(try t.setInsert(set, key, value: .bool(true)))
        expect(try t.setInsert(set, key, value: .string("1")))
        expect(try t.setInsert(set, key, value: .null))
        expect(try !t.setInsert(set, key, value: .null))
        expectEqual(t.listValues(set, key), [.null, .bool(true), .int(1), .string("1")])
        expectEqual(t.setIndex(set, key, of: .float(1)), 2)
        expect(t.setRemove(set, key, value: .double(1)))
        expectEqual(t.listCount(set, key), 3)
        let nested = [Value.list(NestedList([])), .dictionary(NestedDictionary([]))]
        for value in nested {
            expectEqual(error { try t.setInsert(set, key, value: value) }, .invalidArgument)
            expectEqual(error { try t.setAssign(set, key, values: [.int(4), value]) }, .invalidArgument)
        }
        expectEqual(t.listCount(set, key), 3)
    }

    @Test func `a set refuses null if its elements are required, and values of other types`() throws {
        let (_, t, table, key) = try open([
            ColumnSpec("set", .int, collection: .set), ColumnSpec("links", .link, collection: .set, target: "Thing"),
            ColumnSpec("list", .int, collection: .list),
        ])
        let (set, links, list) = (table.columns[0], table.columns[1], table.columns[2])
        try t.setAssign(set, key, values: [.int(3), .int(1), .int(3), .int(2)])
        expectEqual(error { try t.setInsert(set, key, value: .null) }, .missingValue)
        expectEqual(error { try t.setInsert(set, key, values: [.int(9), .string("9")]) }, .invalidArgument)
        expectEqual(error { try t.setInsert(set, ObjectKey(77), value: .int(9)) }, .invalidArgument)
        expectEqual(error { try t.setInsert(links, key, value: .null) }, .missingValue)
        expectEqual(error { try t.setInsert(links, key, value: .link(ObjectKey(5))) }, .invalidArgument)
        expectEqual(error { try t.setInsert(list, key, value: .int(5)) }, .invalidArgument)
        expectEqual(error { try t.listAppend(set, key, values: [.int(5)]) }, .invalidArgument)
        expect(!t.setRemove(list, key, value: .int(5)) && !t.setRemove(set, key, value: .string("1")))
        expectEqual(t.listValues(set, key), [.int(1), .int(2), .int(3)])
    }

    @Test func `a set of embedded objects is refused`() throws {
        let database = try Database.open(at: folder.file(), options: Database.Options())
        let transaction = try database.beginWrite()
        expectEqual(
            error {
                try transaction.applySchema([
                    TableSpec("Owner", columns: [ColumnSpec("set", .link, collection: .set, target: "Part")]),
                    TableSpec("Part", columns: [ColumnSpec("number", .int)], isEmbedded: true),
                ])
            },
            .invalidArgument
        )
    }

    @Test func `assigning the present content records nothing`() throws {
        let (database, t, table, key) = try open([ColumnSpec("set", .string, collection: .set)])
        let set = table.columns[0]
        try t.setAssign(set, key, values: ["b", "a", "c"].map(Value.string))
        _ = try t.commit()
        let u = try database.beginWrite()
        try u.setAssign(set, key, values: ["c", "b", "a", "a"].map(Value.string))
        try u.setAssign(set, key, values: ["c", "b", "d"].map(Value.string))
        let snapshot = try u.commit()
        let edits = snapshot.changes(ofVersion: snapshot.version)?.changes(of: table)?.listEdits.map(\.operation)
        expectEqual(edits, [.remove(at: 0, count: 1), .insert(at: 2, count: 1)])
    }

    @Test func `assigning a zero of another sign, or a decimal with other zeros at its end, is a change`() throws {
        let long = Decimal128(lo: 100, hi: 0x303C_0000_0000_0000)
        let cases: [(type: ColumnType, old: Value, new: Value)] = [
            (.double, .double(0), .double(-0.0)), (.float, .float(-0.0), .float(0)),
            (.decimal128, .decimal128(1), .decimal128(long)), (.mixed, .double(-0.0), .double(0)),
        ]
        let columns = cases.enumerated().flatMap { index, element in
            [
                ColumnSpec("set\(index)", element.type, collection: .set),
                ColumnSpec("map\(index)", element.type, collection: .dictionary),
            ]
        }
        let (database, t, table, key) = try open(columns)
        func assign(_ value: Value, at index: Int, in transaction: WriteTransaction) throws {
            try transaction.setAssign(table.columns[2 * index], key, values: [value])
            try transaction.dictionaryAssign(table.columns[2 * index + 1], key, entries: [("a", value)])
        }
        for (index, element) in cases.enumerated() { try assign(element.old, at: index, in: t) }
        _ = try t.commit()
        let u = try database.beginWrite()
        for (index, element) in cases.enumerated() { try assign(element.new, at: index, in: u) }
        let snapshot = try u.commit()
        for (index, element) in cases.enumerated() {
            let (old, new) = (element.old, element.new)
            expect(old == new && !old.isIdentical(to: new) && old.isIdentical(to: old))
            let (set, map) = (table.columns[2 * index], table.columns[2 * index + 1])
            let values = snapshot.listValues(set, key) + snapshot.dictionaryEntries(map, key).map(\.value)
            expect(values.count == 2 && values.allSatisfy { $0.isIdentical(to: new) }, "\(values)")
        }
        let edits = snapshot.changes(ofVersion: snapshot.version)?.changes(of: table)?.listEdits.map(\.operation)
        expectEqual(edits, Array(repeating: .set(at: 0), count: 2 * cases.count))
        let nested = [Value.double(0), .double(-0.0)].map {
            Value.dictionary(NestedDictionary([.init("a", .list(NestedList([$0])))]))
        }
        expect(nested[0] == nested[1] && !nested[0].isIdentical(to: nested[1]) && nested[1].isIdentical(to: nested[1]))
    }

    // MARK: Dictionaries

    @Test(arguments: ["a.b", ".", "$a", "$", "a."]) func aKeyWithADotOrALeadingDollarIsRefused(_ name: String) throws {
        let (_, t, table, key) = try open([ColumnSpec("map", .int, collection: .dictionary)])
        let map = table.columns[0]
        try t.dictionarySet(map, key, forKey: "fine", to: .int(1))
        expectEqual(error { try t.dictionarySet(map, key, forKey: name, to: .int(2)) }, .invalidArgument)
        expectEqual(
            error { try t.dictionaryAssign(map, key, entries: [("x", .int(2)), (name, .int(2))]) },
            .invalidArgument
        )
        expectEqual(
            error { try t.dictionaryMerge(map, key, entries: [("x", .int(2)), (name, .int(2))]) },
            .invalidArgument
        )
        expectEqual(t.dictionaryEntries(map, key).map(\.key), ["fine"])
    }

    @Test func `keys are distinguished by their bytes`() throws {
        let (_, t, table, key) = try open([ColumnSpec("map", .int, collection: .dictionary)])
        let map = table.columns[0]
        for (i, name) in ["é", "e\u{301}", "", "a$", "\0", "E"].enumerated() {
            try t.dictionarySet(map, key, forKey: name, to: .int(Int64(i)))
        }
        expectEqual(t.dictionaryCount(map, key), 6)
        expectEqual(
            t.dictionaryKeys(map, key).map { Array($0.utf8) },
            ["", "\0", "E", "a$", "e\u{301}", "é"].map { Array($0.utf8) }
        )
        expectEqual(t.dictionaryValue(map, key, forKey: "é"), .int(0))
        expectEqual(t.dictionaryValue(map, key, forKey: "e\u{301}"), .int(1))
        expect(t.dictionaryRemove(map, key, forKey: "é"))
        expectEqual(t.dictionaryValue(map, key, forKey: "e\u{301}"), .int(1))
        expect(t.dictionaryValue(map, key, forKey: "é") == nil)
    }

    @Test func `a dictionary refuses null if its values are required, and values of other types`() throws {
        let (_, t, table, key) = try open([
            ColumnSpec("map", .int, collection: .dictionary),
            ColumnSpec("maybe", .int, optional: true, collection: .dictionary),
            ColumnSpec("links", .link, collection: .dictionary, target: "Thing"),
        ])
        let (map, maybe, links) = (table.columns[0], table.columns[1], table.columns[2])
        expectEqual(error { try t.dictionarySet(map, key, forKey: "a", to: .null) }, .missingValue)
        expectEqual(error { try t.dictionarySet(map, key, forKey: "a", to: .string("b")) }, .invalidArgument)
        expectEqual(error { try t.dictionarySet(links, key, forKey: "a", to: .link(ObjectKey(4))) }, .invalidArgument)
        expectEqual(t.dictionaryCount(map, key), 0)
        try t.dictionarySet(maybe, key, forKey: "a", to: .null)
        try t.dictionarySet(links, key, forKey: "a", to: .null)
        expectEqual(t.dictionaryValue(maybe, key, forKey: "a"), .null)
        expect(t.dictionaryValue(maybe, key, forKey: "b") == nil)
        expect(t.listValues(links, key) == [.null] && t.listLinks(links, key) == [])
    }

    @Test func `a deleted object leaves sets and is null in dictionaries`() throws {
        let (database, t, table, key) = try open([
            ColumnSpec("set", .link, collection: .set, target: "Thing"),
            ColumnSpec("map", .link, collection: .dictionary, target: "Thing"),
        ])
        let (set, map) = (table.columns[0], table.columns[1])
        let thing = t.schema.table(named: "Thing")!
        let things = try (0..<700).map { _ in try t.create(thing) }
        try t.setInsert(set, key, values: things.reversed().map(Value.link))
        try t.dictionaryAssign(
            map,
            key,
            entries: things.map { ("k\($0.raw)", .link($0)) } + [("again", .link(things[3]))]
        )
        expectEqual(t.backlinks(map, things[3]), [key, key])
        _ = try t.commit()
        let u = try database.beginWrite()
        u.delete(thing, things[3])
        let snapshot = try u.commit()
        expectEqual(snapshot.listLinks(set, key), things.filter { $0.raw != 3 })
        expectEqual(snapshot.dictionaryValue(map, key, forKey: "k3"), .null)
        expectEqual(snapshot.dictionaryValue(map, key, forKey: "again"), .null)
        expect(snapshot.dictionaryCount(map, key) == 701 && snapshot.listLinks(map, key).count == 699)
        expectEqual(snapshot.verify(), [])
        let w = try database.beginWrite()
        w.deleteAll(thing)
        expectEqual(w.listCount(set, key), 0)
        expect(w.dictionaryValues(map, key).allSatisfy { $0.isNull })
        w.delete(table, key)
        try expectEqual(w.commit().verify(), [])
    }

    // MARK: Size

    @Test func `a set and a dictionary of a million entries take small edits`() throws {
        let n = EngineModelTests.isSoak ? 1_000_000 : 60_000
        let (database, t, table, key) = try open([
            ColumnSpec("set", .int, collection: .set), ColumnSpec("map", .int, collection: .dictionary),
            ColumnSpec("list", .int, collection: .list),
        ])
        let (set, map, list) = (table.columns[0], table.columns[1], table.columns[2])
        let numbers = (0..<n).map { Int64($0 * 7919 % n) * 2 }
        try t.setAssign(set, key, values: numbers.map(Value.int))
        try t.dictionaryAssign(map, key, entries: numbers.map { ("key \($0)", .int($0)) })
        try t.listAppend(list, key, values: numbers.map(Value.int))
        let first = try t.commit()
        expect(first.listCount(set, key) == n && first.dictionaryCount(map, key) == n)
        let u = try database.beginWrite()
        expect(try u.setInsert(set, key, value: .int(Int64(n) + 1)))
        expect(try !u.setInsert(set, key, value: .int(Int64(n))))
        try u.dictionarySet(map, key, forKey: "key \(n)b", to: .int(5))
        try u.dictionarySet(map, key, forKey: "key 2", to: .int(6))
        try u.listInsert(list, key, at: n / 2, value: .int(7))
        // The blocks with the edits: chunks and nodes, and later the slots' leaves.
        expect(u.memoryInUse < 500_000)
        let second = try u.commit()
        expectEqual(second.setIndex(set, key, of: .int(Int64(n) + 1)), n / 2 + 1)
        expectEqual(second.dictionaryValue(map, key, forKey: "key 2"), .int(6))
        expectEqual(second.dictionaryValue(map, key, forKey: "key \(n)b"), .int(5))
        expectEqual(second.listValue(list, key, at: n / 2), .int(7))
        expectEqual(first.dictionaryValue(map, key, forKey: "key 2"), .int(2))
        expectEqual(second.verify(), [])
        let v = try database.beginWrite()
        v.listClear(set, key)
        v.dictionaryClear(map, key)
        try expectEqual(v.commit().verify(), [])
    }

    @Test func `deleting many objects visits their collections once`() throws {
        let n = 20_000
        let (database, t, table, key) = try open([
            ColumnSpec("list", .link, collection: .list, target: "Thing"),
            ColumnSpec("set", .link, collection: .set, target: "Thing"),
            ColumnSpec("map", .link, collection: .dictionary, target: "Thing"),
        ])
        let (list, set, map) = (table.columns[0], table.columns[1], table.columns[2])
        let thing = t.schema.table(named: "Thing")!
        let things = try (0..<n).map { _ in try t.create(thing) }
        try t.listAppend(list, key, values: (things + things.reversed()).map(Value.link))
        try t.setAssign(set, key, values: things.map(Value.link))
        try t.dictionaryAssign(map, key, entries: things.map { ("k\($0.raw)", .link($0)) })
        _ = try t.commit()
        let u = try database.beginWrite()
        let clock = ContinuousClock()
        let start = clock.now
        let (gone, kept) = (things.filter { $0.raw % 3 != 0 }, things.filter { $0.raw % 3 == 0 })
        u.delete(thing, gone)
        expectEqual(u.listLinks(list, key), kept + kept.reversed())
        expect(u.listLinks(set, key) == kept && u.dictionaryCount(map, key) == n)
        expectEqual(Set(u.listLinks(map, key)), Set(kept))
        u.deleteAll(thing)
        expect(u.listCount(list, key) == 0 && u.listCount(set, key) == 0 && u.listLinks(map, key) == [])
        // Deleting the objects one by one takes minutes.
        expect(clock.now - start < .seconds(20))
        try expectEqual(u.commit().verify(), [])
    }

    // MARK: Damage

    @Test func `damage of sets and dictionaries is reported`() throws {
        let (database, t, table, key) = try open([
            ColumnSpec("set", .int, collection: .set), ColumnSpec("map", .int, collection: .dictionary),
            ColumnSpec("large", .int, collection: .dictionary),
        ])
        let (set, map, large) = (table.columns[0], table.columns[1], table.columns[2])
        try t.setAssign(set, key, values: [.int(1), .int(2), .int(3)])
        try t.dictionaryAssign(map, key, entries: [("a", .int(1)), ("b", .int(2))])
        try t.dictionaryAssign(large, key, entries: (0..<900).map { ("key \($0 + 1000)", .int($0)) })
        try expectEqual(t.commit().verify(), [])
        func damage(_ column: Column, _ from: [UInt8], _ to: [UInt8], blobs: Bool = false) throws -> [String] {
            for number in blobs ? 1..<6 : UInt64(0)..<1 {
                let segment = column.segment(blobs ? .blobs : .leaf)
                let snapshot = try database.snapshot()
                guard let bytes = snapshot.block(segment, number).map(Array.init) else { continue }
                guard
                    let at = bytes.indices.dropLast(from.count - 1).first(where: {
                        Array(bytes[$0..<$0 + from.count]) == from
                    })
                else { continue }
                var damaged = bytes
                damaged.replaceSubrange(at..<at + from.count, with: to)
                try database.store(segment, number, damaged)
                let found = try database.snapshot().verify()
                try database.store(segment, number, bytes)
                return found
            }
            return ["nothing found to damage"]
        }
        expect(try damage(set, [1, 2, 3], [1, 1, 3]).contains { $0.contains("its set holds 1 behind 1") })
        expect(try damage(set, [1, 2, 3], [2, 1, 3]).contains { $0.contains("its set holds 1 behind 2") })
        expect(try damage(map, Array("ab".utf8), Array("ba".utf8)).contains { $0.contains("the key 'a' behind 'b'") })
        expect(try damage(map, Array("ab".utf8), Array("$b".utf8)).contains { $0.contains("begins with '$'") })
        expect(try damage(map, Array("ab".utf8), [0xFF, 0x62]).contains { $0.contains("UTF-8") })
        // The lengths of the two halves: of two keys and one value.
        expect(
            try damage(map, [0, 0, 2, 0, 1, 0, 1, 0], [0, 0, 2, 0, 1, 0, 2, 0]).contains { $0.contains("is damaged") }
        )
        expect(
            try damage(map, [1, 0, 2, 0, 1, 2], [2, 0, 1, 0, 1, 2]).contains { $0.contains("2 keys and 1 values") }
        )
        // The count of a large one's reference.
        expect(try damage(large, [0x84, 3, 0, 0, 0, 0, 0, 0], [0x83, 3, 0, 0, 0, 0, 0, 0]).count >= 2)
        expect(
            try damage(large, Array("key 1003".utf8), Array("key 1002".utf8), blobs: true).contains {
                $0.contains("behind")
            }
        )
        try expectEqual(database.snapshot().verify(), [])
    }
}
