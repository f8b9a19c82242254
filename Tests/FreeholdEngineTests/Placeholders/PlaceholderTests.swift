import Foundation
import Testing

@testable import FreeholdEngine

/// Links to missing objects.
struct PlaceholderTests {
    private let folder = TemporaryFolder()

    private func open(_ name: String = "placeholders.realm") throws -> Database {
        try Database.open(at: folder.file(name))
    }

    /// Creates an object A 1 that links to B 1, which exists, and to B 2, which is missing, from every kind of
    /// property.
    private func fill(_ transaction: WriteTransaction) throws -> ObjectKey {
        try transaction.applySchema(PlaceholderModel.specs)
        let (a, b) = (transaction.schema.table(named: "A")!, transaction.schema.table(named: "B")!)
        let key = try transaction.create(a, primaryKey: .int(1))
        let there = try transaction.create(b, primaryKey: .string("k1"))
        let missing = try transaction.reference(to: b, primaryKey: .string("k2"))
        expect(missing.isPlaceholder && !there.isPlaceholder)
        try expectEqual(transaction.reference(to: b, primaryKey: .string("k2")), missing)
        try expectEqual(transaction.reference(to: b, primaryKey: .string("k1")), there)
        let missingA = try transaction.reference(to: a, primaryKey: .int(2))
        func column(_ name: String) -> Column { a.column(named: name)! }
        func any(_ key: ObjectKey) -> Value { .objectLink(ObjectLink(tableID: b.id, key: key)) }
        try transaction.setStored(column("one"), key, to: .link(missing))
        try transaction.setStored(column("self"), key, to: .link(missingA))
        try transaction.storedListInsert(
            column("list"),
            key,
            at: 0,
            values: [.link(missing), .link(there), .link(missing), .link(there)]
        )
        try transaction.storedSetInsert(column("set"), key, values: [.link(missingA), .link(key)])
        try transaction.storedDictionarySet(column("map"), key, forKey: "x", to: .link(missing))
        try transaction.storedDictionarySet(column("map"), key, forKey: "y", to: .link(there))
        try transaction.setStored(
            column("any"),
            key,
            to: .dictionary(NestedDictionary([.init("in", .list(NestedList([any(missing), .int(7), any(there)])))]))
        )
        try transaction.storedListAssign(
            column("anys"),
            key,
            values: [.int(1), any(missing), .list(NestedList([any(missing)]))]
        )
        try transaction.storedSetAssign(column("anySet"), key, values: [.int(1), any(missing)])
        try transaction.storedDictionaryAssign(
            column("anyMap"),
            key,
            entries: [("m", any(missing)), ("n", .list(NestedList([any(missing)])))]
        )
        return key
    }

    // MARK: What shows them

    /// Performs every reading call, by position.
    @Test(arguments: [false, true])
    func `no reading call shows a placeholder`(isCommitted: Bool) throws {
        let database = try open()
        let transaction = try database.beginWrite()
        let key = try fill(transaction)
        var view: DataView = transaction
        if isCommitted {
            let snapshot = try transaction.commit()
            expectEqual(snapshot.verify(), [])
            view = snapshot
        }
        let (a, b) = (view.schema.table(named: "A")!, view.schema.table(named: "B")!)
        func column(_ name: String) -> Column { a.column(named: name)! }
        let there = view.find(primaryKey: .string("k1"), in: b)!
        expect(view.placeholderCount(b) == 1 && view.placeholderCount(a) == 1)
        // Objects.
        expect(view.count(b) == 1 && view.keys(b) == [there] && view.key(at: 0, in: b) == there)
        expect(view.find(primaryKey: .string("k2"), in: b) == nil)
        let missing = try require(view.placeholder(primaryKey: .string("k2"), in: b))
        expect(!view.contains(b, missing) && view.index(of: missing, in: b) == nil)
        expectEqual(view.primaryKey(ofPlaceholder: missing, in: b), .string("k2"))
        expectEqual(RowQuery(table: b).keys(in: view), [there])
        expectEqual(view.schema.tables.map(\.name), ["A", "B"])
        // To-one links.
        expect(view.value(column("one"), key) == .null && view.readLink(column("one"), key) == nil)
        expectEqual(view.storedValue(column("one"), key), .link(missing))
        // Lists.
        let list = column("list")
        expect(view.listCount(list, key) == 2 && view.storedCount(list, key) == 4)
        expect(view.listLinks(list, key) == [there, there] && view.listLink(list, key, at: 0) == there)
        expectEqual(view.listValues(list, key), [.link(there), .link(there)])
        expectEqual(view.listValue(list, key, at: 1), .link(there))
        expect(
            view.listIndex(list, key, of: .link(there)) == 0 && view.listIndex(list, key, of: .link(missing)) == nil
        )
        expectEqual(view.storedListValues(list, key), [.link(missing), .link(there), .link(missing), .link(there)])
        expect(view.storedIndex(list, key, ofShown: 1) == 3 && view.shownIndex(list, key, ofStored: 3) == 1)
        // Sets, dictionaries.
        expect(view.listValues(column("set"), key) == [.link(key)] && view.storedCount(column("set"), key) == 2)
        let map = column("map")
        expect(view.dictionaryCount(map, key) == 1 && view.dictionaryKeys(map, key) == ["y"])
        expect(view.dictionaryValue(map, key, forKey: "x") == nil && view.dictionaryIndex(map, key, of: "x") == nil)
        expectEqual(view.storedDictionaryEntries(map, key).map(\.key), ["x", "y"])
        // Mixed values.
        let any = Value.objectLink(ObjectLink(tableID: b.id, key: there))
        expectEqual(
            view.value(column("any"), key),
            .dictionary(NestedDictionary([.init("in", .list(NestedList([.null, .int(7), any])))]))
        )
        expectEqual(view.listValues(column("anys"), key), [.int(1), .list(NestedList([.null]))])
        expectEqual(view.listValues(column("anySet"), key), [.int(1)])
        expectEqual(view.dictionaryEntries(column("anyMap"), key).map(\.key), ["n"])
        // Links back.
        expect(view.backlinkCount(list, there) == 2 && view.backlinks(list, there) == [key, key])
        expectEqual(view.backlinkCount(b, there), 4)
        // Conditions, sorts, sums.
        func found(_ predicate: FreeholdEngine.Predicate) -> Int {
            RowQuery(table: a, predicate: predicate).keys(in: view).count
        }
        expectEqual(found(.comparison(PropertyPath(column("one")), .equal, .null)), 1)
        expectEqual(found(.operands(.count(PropertyPath(list)), .equal, .constant(.int(2)))), 1)
        expectEqual(found(.operands(.count(PropertyPath(map)), .equal, .constant(.int(1)))), 1)
        expectEqual(found(.comparison(PropertyPath(columns: [list, b.columns[0]]), .equal, .string("k2"))), 0)
        expectEqual(found(.comparison(PropertyPath(columns: [list, b.columns[0]]), .equal, .string("k1"))), 1)
    }

    @Test func `creating the object shows its links, and deleting it hides them again`() throws {
        let database = try open()
        var key = ObjectKey(0)
        let before = try database.write { key = try fill($0) }
        let a = before.schema.table(named: "A")!
        let stored = before.placeholderModel(isStored: true)
        let after = try database.write { transaction in
            let b = transaction.schema.table(named: "B")!
            let made = try transaction.create(b, primaryKey: .string("k2"))
            // The links are hidden until the transaction resolves placeholders. Then it shows all of them.
            expect(transaction.readLink(a.column(named: "one")!, key) == nil)
            transaction.resolvePlaceholders()
            expectEqual(transaction.readLink(a.column(named: "one")!, key), made)
        }
        let b = after.schema.table(named: "B")!
        let made = try require(after.find(primaryKey: .string("k2"), in: b))
        let there = try require(after.find(primaryKey: .string("k1"), in: b))
        expectEqual(after.listLinks(a.column(named: "list")!, key), [made, there, made, there])
        expectEqual(after.dictionaryKeys(a.column(named: "map")!, key), ["x", "y"])
        expectEqual(after.backlinks(a.column(named: "list")!, made), [key, key])
        expectEqual(after.backlinkCount(b, made), 10)
        expect(after.placeholderCount(b) == 0 && after.placeholderCount(a) == 1)
        let again = try database.write { transaction in
            let b = transaction.schema.table(named: "B")!
            try transaction.deleteLeavingPlaceholder(b, transaction.find(primaryKey: .string("k2"), in: b)!)
        }
        expectEqual(again.placeholderModel(isStored: true), stored)
        expectEqual(again.placeholderCount(b), 1)
        // A plain deletion removes the links.
        let gone = try database.write { transaction in
            let (a, b) = (transaction.schema.table(named: "A")!, transaction.schema.table(named: "B")!)
            let made = try transaction.create(b, primaryKey: .string("k2"))
            transaction.resolvePlaceholders()
            transaction.delete(b, made)
            _ = try transaction.create(a, primaryKey: .int(3))
        }
        expectEqual(gone.placeholderCount(b), 0)
        expectEqual(gone.storedListValues(a.column(named: "list")!, key), [.link(there), .link(there)])
    }

    @Test func `placeholders without links are deleted at the end of the transaction`() throws {
        let database = try open()
        var key = ObjectKey(0)
        try database.write { key = try fill($0) }
        let snapshot = try database.write { transaction in
            let (a, b) = (transaction.schema.table(named: "A")!, transaction.schema.table(named: "B")!)
            _ = try transaction.reference(to: b, primaryKey: .string("nobody"))
            transaction.delete(a, key)
        }
        for table in snapshot.schema.tables { expectEqual(snapshot.placeholderCount(table), 0) }
        for table in snapshot.schema.hiddenTables { expectEqual(snapshot.count(table), 0) }
    }

    @Test(arguments: [false, true])
    func `an object that is created and deleted in one transaction removes the links to it`(
        isResolved: Bool
    ) throws {
        let database = try open()
        var key = ObjectKey(0)
        try database.write { key = try fill($0) }
        let after = try database.write { transaction in
            let b = transaction.schema.table(named: "B")!
            let made = try transaction.create(b, primaryKey: .string("k2"))
            if isResolved { transaction.resolvePlaceholders() }
            transaction.delete(b, made)
        }
        let (a, b) = (after.schema.table(named: "A")!, after.schema.table(named: "B")!)
        expectEqual(after.storedValue(a.column(named: "one")!, key), .null)
        expect(after.placeholder(primaryKey: .string("k2"), in: b) == nil)
    }

    // MARK: What is refused

    @Test func `invalid calls are refused and change nothing`() throws {
        let database = try open()
        try database.write { transaction in
            let key = try fill(transaction)
            let (a, b) = (transaction.schema.table(named: "A")!, transaction.schema.table(named: "B")!)
            let model = transaction.placeholderModel(isStored: true)
            let missing = try transaction.reference(to: b, primaryKey: .string("k2"))
            let list = a.column(named: "list")!
            func refused(_ body: () throws -> Void) { #expect(throws: EngineError.self) { try body() } }
            refused { _ = try transaction.reference(to: b, primaryKey: .int(1)) }
            refused { _ = try transaction.reference(to: b, primaryKey: .null) }
            // Calls of users don't accept placeholders.
            refused { try transaction.set(a.column(named: "one")!, key, to: .link(missing)) }
            refused { try transaction.listInsert(list, key, at: 0, values: [.link(missing)]) }
            refused { try transaction.dictionarySet(a.column(named: "map")!, key, forKey: "z", to: .link(missing)) }
            // Missing placeholders, placeholders of another class, and positions out of range.
            refused { try transaction.setStored(a.column(named: "one")!, key, to: .link(ObjectKey(-99))) }
            refused { try transaction.setStored(a.column(named: "n")!, key, to: .link(missing)) }
            refused { try transaction.setStored(a.column(named: "any")!, key, to: .link(missing)) }
            refused {
                try transaction.setStored(
                    a.column(named: "any")!,
                    key,
                    to: .objectLink(ObjectLink(tableID: 99, key: ObjectKey(-1)))
                )
            }
            refused { try transaction.storedListInsert(list, key, at: 5, values: [.link(missing)]) }
            refused { try transaction.storedListInsert(list, key, at: -1, values: [.link(missing)]) }
            refused { try transaction.storedListSet(list, key, at: 4, to: .link(missing)) }
            refused { try transaction.storedListMove(list, key, from: 0, to: .max) }
            refused { try transaction.storedListRemove(list, key, range: 3..<6) }
            refused {
                try transaction.storedDictionarySet(a.column(named: "map")!, key, forKey: "a.b", to: .link(missing))
            }
            refused {
                try transaction.storedSetInsert(a.column(named: "anySet")!, key, values: [.list(NestedList([]))])
            }
            refused { try transaction.setStored(a.column(named: "one")!, ObjectKey(77), to: .link(missing)) }
            expectEqual(transaction.placeholderModel(isStored: true), model)
        }
    }

    // MARK: Changes of the schema

    @Test func `a removed property, class or key removes its links`() throws {
        let database = try open()
        var key = ObjectKey(0)
        try database.write { key = try fill($0) }
        var specs = PlaceholderModel.specs
        specs[0].columns.removeAll { $0.name == "list" || $0.name == "any" }
        let snapshot = try database.write { transaction in
            try transaction.extendSchema(to: specs, suspendsPrimaryKeys: false)
            try transaction.finishSchema(specs, userVersion: 2)
        }
        var a = snapshot.schema.table(named: "A")!
        expect(snapshot.storedValue(a.column(named: "one")!, key) != .null)
        // With another type of primary key, the placeholders have no meaning any more.
        specs[1].columns[0] = ColumnSpec("id", .objectId)
        var primaryKeyChanges = try database.write { transaction in
            try transaction.extendSchema(to: specs, suspendsPrimaryKeys: false)
            let b = transaction.schema.table(named: "B")!
            for key in transaction.keys(b) {
                try transaction.set(b.column(named: "id")!, key, to: .objectId(ObjectId()))
            }
            try transaction.finishSchema(specs, userVersion: 3)
        }
        a = primaryKeyChanges.schema.table(named: "A")!
        expectEqual(primaryKeyChanges.placeholderCount(primaryKeyChanges.schema.table(named: "B")!), 0)
        expectEqual(primaryKeyChanges.storedValue(a.column(named: "one")!, key), .null)
        expect(primaryKeyChanges.storedValue(a.column(named: "self")!, key) != .null)
        expectEqual(
            primaryKeyChanges.storedListValues(a.column(named: "anys")!, key),
            [.int(1), .list(NestedList([.null]))]
        )
        primaryKeyChanges = try database.write { transaction in
            transaction.dropTable(transaction.schema.table(named: "A")!)
        }
        expect(primaryKeyChanges.schema.hiddenTables.allSatisfy { primaryKeyChanges.count($0) == 0 })
    }

    @Test func `an object that gets the primary key in a migration takes over the links`() throws {
        let database = try open()
        var key = ObjectKey(0)
        try database.write { key = try fill($0) }
        let specs = PlaceholderModel.specs
        let snapshot = try database.write { transaction in
            try transaction.extendSchema(to: specs, suspendsPrimaryKeys: true)
            let b = transaction.schema.table(named: "B")!
            try transaction.set(b.column(named: "id")!, transaction.keys(b)[0], to: .string("k2"))
            try transaction.finishSchema(specs, userVersion: 2)
        }
        let (a, b) = (snapshot.schema.table(named: "A")!, snapshot.schema.table(named: "B")!)
        expectEqual(snapshot.readLink(a.column(named: "one")!, key), snapshot.keys(b)[0])
        expectEqual(snapshot.placeholderCount(b), 0)
    }

    // MARK: The journal

    private static func unshown(_ changes: [JournalChange]) -> [[UnshownLink]] {
        changes.compactMap { if case .unshown(_, let links) = $0 { links } else { nil } }
    }

    @Test func `the journal has the hidden links that edits leave, and no derived changes`() throws {
        let database = try open()
        var key = ObjectKey(0)
        try database.write { transaction in
            key = try fill(transaction)
            try transaction.addJournalCursor("reader")
        }
        let (a, b) = (
            try database.snapshot().schema.table(named: "A")!, try database.snapshot().schema.table(named: "B")!
        )
        func changes(_ body: (WriteTransaction) throws -> Void) throws -> [JournalChange] {
            let position = try database.snapshot().journalCursors[0].position
            let snapshot = try database.write(body)
            var out: [JournalChange] = []
            let entry = try require(try snapshot.journalEntry(at: position))
            try entry.forEach { out.append($0) }
            try database.write { try $0.moveJournalCursor("reader", to: entry.next) }
            return out
        }
        let list = a.column(named: "list")!
        let there = try database.snapshot().find(primaryKey: .string("k1"), in: b)!
        let told = try changes { transaction in
            try transaction.listInsert(list, key, at: 1, values: [.link(there)])
            try transaction.listRemove(list, key, at: 0)
            transaction.listAppend(list, key, link: there)
        }
        let unshown = Self.unshown(told)
        let places: [NestedSubscript] = [.element(0), .element(2)]
        expect(unshown.count == 1 && unshown[0].map(\.place) == places)
        expectEqual(unshown[0].map(\.primaryKey), [Value.string("k2"), Value.string("k2")])
        expectEqual(unshown[0].map(\.table), [b.id, b.id])
        if case .unshown? = told.first {} else { Issue.record("the edits are first: \(told)") }
        // The hidden entries that remain after a clear of sets and dictionaries.
        let cleared = try changes { transaction in
            transaction.dictionaryClear(a.column(named: "map")!, key)
            transaction.listClear(a.column(named: "set")!, key)
        }
        let kept: [[NestedSubscript]] = [[.entry("x")], [.property]]
        expectEqual(Self.unshown(cleared).map { $0.map(\.place) }, kept)
        // Inside of a mixed value.
        let nested = try changes { transaction in
            let any = a.column(named: "any")!
            guard case .dictionary(let root) = transaction.value(any, key), let id = root["in"]?.nestedID else {
                return
            }
            var place = NestedSubscript.property
            try transaction.updateNested(any, key, id: id, near: &place) { value in
                if case .list(var list) = value {
                    list.values.append(.int(8))
                    value = .list(list)
                }
            }
        }
        let path: [NestedEdit.Step] = [.entry("in"), .element(0)]
        expectEqual(Self.unshown(nested).map { $0.map(\.path) }, [[path]])
        // The object is created, and the journal doesn't contain its links again.
        let come = try changes { transaction in
            _ = try transaction.create(b, primaryKey: .string("k2"))
            try transaction.set(a.column(named: "n")!, key, to: .int(5))
        }
        for change in come {
            switch change {
            case .made(let table, _, _): expectEqual(table, b.id)
            case .set(let property, _, _): expectEqual(property.column, a.column(named: "n")!.id)
            case .row, .named: break
            default: Issue.record("\(change)")
            }
        }
    }
}
