import Foundation
import Testing

@testable import FreeholdEngine

/// Tables and columns that no schema names.
struct HiddenStorageTests {
    private let folder = TemporaryFolder()

    private static let thing = TableSpec(
        "Thing",
        columns: [ColumnSpec("id", .int), ColumnSpec("name", .string), ColumnSpec("other", .link, target: "Thing")],
        primaryKey: "id"
    )

    private static let book = TableSpec(
        "Book",
        columns: [
            ColumnSpec("key", .string), ColumnSpec("n", .int, indexed: true), ColumnSpec("text", .data, optional: true),
            ColumnSpec("next", .link, target: "Book"), ColumnSpec("all", .link, collection: .list, target: "Book"),
            ColumnSpec("any", .mixed),
        ],
        primaryKey: "key",
        compounds: [CompoundIndexSpec(["n", "key"], unique: true)]
    )

    private func open(_ name: String = "hidden.realm", key: EncryptionKey? = nil) throws -> Database {
        var options = Database.Options()
        options.encryptionKey = key
        return try Database.open(at: folder.file(name), options: options)
    }

    /// Some objects with versions, and a few books that link to each other.
    private func fill(_ transaction: WriteTransaction, objects: Int = 2500) throws {
        try transaction.applySchema([Self.thing])
        let version = try transaction.addHiddenColumn(
            ColumnSpec("version", .int),
            to: transaction.schema.table(named: "Thing")!
        )
        let table = transaction.schema.table(named: "Thing")!
        for i in 0..<objects {
            let key = try transaction.create(table, primaryKey: .int(Int64(i)))
            transaction.setInt(version, key, to: 1_000_000_000 + Int64(i))
        }
        let book = try transaction.addHiddenTable(Self.book)
        let columns = book.columns
        var last: ObjectKey?
        for i in 0..<20 {
            let key = try transaction.create(book, primaryKey: .string("b\(i)"))
            transaction.setInt(columns[1], key, to: Int64(i % 7))
            try transaction.set(columns[2], key, to: .data(Data(repeating: 7, count: i * 700)))
            if let last {
                transaction.setLink(columns[3], key, to: last)
                try transaction.listAppend(columns[4], key, values: [.link(last), .link(last)])
                try transaction.set(columns[5], key, to: .objectLink(ObjectLink(tableID: book.id, key: last)))
            }
            last = key
        }
    }

    private func check(_ view: DataView, objects: Int = 2500) throws {
        let table = try require(view.schema.table(named: "Thing"))
        let version = try require(table.hiddenColumn(named: "version"))
        for i in [0, 1, 999, 1000, objects - 1] {
            let key = try require(view.find(primaryKey: .int(Int64(i)), in: table))
            expectEqual(view.readInt(version, key), 1_000_000_000 + Int64(i))
        }
        let book = try require(view.schema.hiddenTable(named: "Book"))
        expect(view.count(book) == 20 && book.isHidden && book.columns.count >= 6)
        let fifth = try require(view.find(primaryKey: .string("b5"), in: book))
        let fourth = try require(view.find(primaryKey: .string("b4"), in: book))
        expectEqual(view.readLink(book.columns[3], fifth), fourth)
        expectEqual(view.listLinks(book.columns[4], fifth), [fourth, fourth])
        expectEqual(view.backlinks(book.columns[3], fourth), [fifth])
        expectEqual(view.value(book.columns[2], fifth), .data(Data(repeating: 7, count: 3500)))
    }

    @Test(arguments: [false, true])
    func `hidden storage isn't in the schema, and is in reopened, copied and compacted files`(isEncrypted: Bool) throws
    {
        let key = isEncrypted ? EncryptionKey((0..<64).map { UInt8($0) }) : nil
        do {
            let database = try open(key: key)
            let snapshot = try database.write { try fill($0) }
            expectEqual(snapshot.schema.tables.map(\.name), ["Thing"])
            expectEqual(snapshot.schema.tables[0].columns.map(\.name), ["id", "name", "other"])
            expectEqual(snapshot.schema.hiddenTables.map(\.name), ["Book"])
            expect(snapshot.schema.table(named: "Book") == nil)
            expect(snapshot.schema.tables[0].column(named: "version") == nil)
            try check(snapshot)
            try snapshot.copy(to: folder.file("copy.realm"), key: key)
        }
        for name in ["hidden.realm", "copy.realm"] {
            let snapshot = try open(name, key: key).snapshot()
            expectEqual(snapshot.verify(), [])
            try check(snapshot)
        }
        _ = try Database.compact(at: folder.file("hidden.realm"), key: key)
        let snapshot = try open(key: key).snapshot()
        expectEqual(snapshot.verify(), [])
        try check(snapshot)
    }

    @Test func `a class and a property may have the same names`() throws {
        let database = try open()
        try database.write { try fill($0) }
        var thing = Self.thing
        thing.columns.append(ColumnSpec("version", .string))
        let specs = [thing, TableSpec("Book", columns: [ColumnSpec("title", .string)])]
        let snapshot = try database.write { transaction in
            try transaction.extendSchema(to: specs, suspendsPrimaryKeys: false)
            try transaction.finishSchema(specs, userVersion: 2)
            let table = transaction.schema.table(named: "Thing")!
            for key in transaction.keys(table).prefix(3) {
                try transaction.set(table.column(named: "version")!, key, to: .string("v"))
            }
            _ = try transaction.create(transaction.schema.table(named: "Book")!)
        }
        try check(snapshot)
        let table = snapshot.schema.table(named: "Thing")!
        expectEqual(snapshot.value(table.column(named: "version")!, snapshot.key(at: 2, in: table)), .string("v"))
        expectEqual(snapshot.count(snapshot.schema.table(named: "Book")!), 1)
        expectEqual(snapshot.schema.tables.count, 2)
    }

    /// Performs every step of a migration: the positions of columns change, and classes get other names or keys, or
    /// become embedded.
    @Test func `migrations don't change it`() throws {
        let database = try open()
        try database.write { try fill($0) }
        let specs = [
            TableSpec(
                "Renamed",
                columns: [
                    ColumnSpec("name", .string, optional: true, indexed: true), ColumnSpec("id", .int),
                    ColumnSpec("new", .double),
                ],
                primaryKey: "id"
            )
        ]
        let snapshot = try database.write { transaction in
            try transaction.renameTable(from: "Thing", to: "Renamed", specs: specs)
            try transaction.extendSchema(to: specs, suspendsPrimaryKeys: true)
            try transaction.finishSchema(specs, userVersion: 3)
        }
        let table = try require(snapshot.schema.table(named: "Renamed"))
        expectEqual(Set(table.columns.map(\.name)), ["name", "id", "new"])
        let version = try require(table.hiddenColumn(named: "version"))
        expectEqual(snapshot.readInt(version, snapshot.key(at: 1234, in: table)), 1_000_001_234)
        expect(try SchemaPlan(specs, against: snapshot.schema).isExact)
    }

    @Test func `missing storage is added, and different storage is refused without a change`() throws {
        let database = try open()
        try database.write { try fill($0) }
        let snapshot = try database.write { transaction in
            let same = try transaction.addHiddenTable(Self.book)
            expect(same === transaction.schema.hiddenTable(named: "Book") && !transaction.schemaChanged)
            var more = Self.book
            more.columns.append(ColumnSpec("more", .string, indexed: true))
            let book = try transaction.addHiddenTable(more)
            let column = try require(book.column(named: "more"))
            for key in transaction.keys(book) { try transaction.set(column, key, to: .string("m")) }
            var other = Self.book
            other.columns[1] = ColumnSpec("n", .string)
            #expect(throws: EngineError.self) { try transaction.addHiddenTable(other) }
            other = Self.book
            other.primaryKey = nil
            #expect(throws: EngineError.self) { try transaction.addHiddenTable(other) }
            other = Self.book
            other.isEmbedded = true
            #expect(throws: EngineError.self) { try transaction.addHiddenTable(other) }
            other = TableSpec("Aims", columns: [ColumnSpec("at", .link, target: "Thing")])
            #expect(throws: EngineError.self) { try transaction.addHiddenTable(other) }
            let thing = transaction.schema.table(named: "Thing")!
            #expect(throws: EngineError.self) {
                try transaction.addHiddenColumn(ColumnSpec("version", .double), to: thing)
            }
            #expect(throws: EngineError.self) {
                try transaction.addHiddenColumn(ColumnSpec("link", .link, target: "Thing"), to: thing)
            }
            let indexed = try transaction.addHiddenColumn(ColumnSpec("mark", .int, indexed: true), to: thing)
            transaction.setInt(indexed, transaction.key(at: 7, in: transaction.schema.table(named: "Thing")!), to: 9)
        }
        try check(snapshot)
        let book = snapshot.schema.hiddenTable(named: "Book")!
        expectEqual(snapshot.value(book.column(named: "more")!, snapshot.key(at: 3, in: book)), .string("m"))
        let thing = snapshot.schema.table(named: "Thing")!
        let mark = try require(thing.hiddenColumn(named: "mark"))
        let found = RowQuery(table: thing, predicate: .comparison(PropertyPath(mark), .equal, .int(9))).keys(
            in: snapshot
        )
        expectEqual(found, [snapshot.key(at: 7, in: thing)])
    }

    @Test func `links between visible and hidden storage are refused`() throws {
        let database = try open()
        try database.write { transaction in
            try fill(transaction)
            try transaction.applySchema([
                Self.thing, TableSpec("Any", columns: [ColumnSpec("value", .mixed)]),
            ])
            let (any, book) = (transaction.schema.table(named: "Any")!, transaction.schema.hiddenTable(named: "Book")!)
            let thing = transaction.schema.table(named: "Thing")!
            let key = try transaction.create(any)
            #expect(throws: EngineError.self) {
                try transaction.set(
                    any.columns[0],
                    key,
                    to: .objectLink(ObjectLink(tableID: book.id, key: transaction.key(at: 0, in: book)))
                )
            }
            #expect(throws: EngineError.self) {
                try transaction.set(
                    book.columns[5],
                    transaction.key(at: 0, in: book),
                    to: .list(
                        NestedList([.objectLink(ObjectLink(tableID: thing.id, key: transaction.key(at: 0, in: thing)))])
                    )
                )
            }
        }
    }

    @Test func `deleted objects delete their hidden values, and hidden storage can be dropped`() throws {
        let database = try open()
        try database.write { try fill($0) }
        try database.write { transaction in
            let table = transaction.schema.table(named: "Thing")!
            transaction.delete(table, Array(transaction.keys(table).prefix(1500)))
        }
        var snapshot = try database.write { transaction in
            let table = transaction.schema.table(named: "Thing")!
            transaction.dropHiddenColumn(table.hiddenColumn(named: "version")!)
            transaction.dropHiddenTable(transaction.schema.hiddenTable(named: "Book")!)
        }
        expect(snapshot.schema.hiddenTables.isEmpty && snapshot.schema.tables[0].hiddenColumns.isEmpty)
        expectEqual(snapshot.count(snapshot.schema.tables[0]), 1000)
        // A column that is added again is empty.
        snapshot = try database.write { transaction in
            _ = try transaction.addHiddenColumn(ColumnSpec("version", .int), to: transaction.schema.tables[0])
        }
        let table = snapshot.schema.tables[0]
        expectEqual(snapshot.readInt(table.hiddenColumns[0], snapshot.key(at: 5, in: table)), 0)
    }

    @Test func `observers, the feed and the journal don't report it`() throws {
        let database = try open()
        try database.write { transaction in
            try fill(transaction)
            try transaction.addJournalCursor("reader")
        }
        let before = try database.snapshot()
        let after = try database.write { transaction in
            let table = transaction.schema.table(named: "Thing")!
            let book = transaction.schema.hiddenTable(named: "Book")!
            let version = table.hiddenColumns[0]
            for key in transaction.keys(table).prefix(1200) { transaction.setInt(version, key, to: 5) }
            _ = try transaction.create(book, primaryKey: .string("new"))
            transaction.delete(book, transaction.key(at: 3, in: book))
            try transaction.listAppend(
                book.columns[4],
                transaction.key(at: 0, in: book),
                values: [.link(transaction.key(at: 1, in: book))]
            )
            try transaction.increment(version, transaction.key(at: 2000, in: table), by: 3)
        }
        let feed = ChangeFeed(database)
        expect(feed.changes(from: before, to: after).tables.isEmpty)
        expect(VersionChanges(comparing: before, with: after).tables.isEmpty)
        var entries = 0
        if let entry = try after.journalEntry(at: before.journalCursors[0].position) {
            try entry.forEach { _ in entries += 1 }
        }
        expectEqual(entries, 0)
        // Changes of visible columns in the same commit are reported as usual.
        let last = try database.write { transaction in
            let table = transaction.schema.table(named: "Thing")!
            let key = transaction.key(at: 3, in: table)
            transaction.setInt(table.hiddenColumns[0], key, to: 6)
            try transaction.set(table.columns[1], key, to: .string("told"))
        }
        let told = feed.changes(from: after, to: last)
        let table = last.schema.tables[0]
        expectEqual(told.tables[table.id]?.modified, [table.columns[1].id: [last.key(at: 3, in: table)]])
    }

    /// A thousand versions that differ by more than 255 take half a page or more, and a cluster's blocks take whole
    /// pages. With other columns that is one page more.
    @Test(arguments: 0...3) func `versions take at most a page for each cluster`(others: Int) throws {
        // One file: as it is without versions, then with them.
        let name = "versions.realm"
        func size(isHidden: Bool) throws -> Int {
            do {
                let database = try open(name)
                try database.write { transaction in
                    if isHidden { return try addVersions(transaction) }
                    let columns = (0..<others).map { ColumnSpec("more \($0)", .int) }
                    try transaction.applySchema([
                        TableSpec("Dog", columns: [ColumnSpec("id", .int)] + columns, primaryKey: "id")
                    ])
                    let table = transaction.schema.tables[0]
                    for i in 0..<100_000 {
                        let key = try transaction.create(table, primaryKey: .int(Int64(i)))
                        for (n, column) in table.columns.dropFirst().enumerated() {
                            transaction.setInt(column, key, to: Int64(i % [20, 900, 70_000][n]))
                        }
                    }
                }
            }
            _ = try Database.compact(at: folder.file(name))
            if isHidden {
                let snapshot = try open(name).snapshot()
                let table = snapshot.schema.tables[0]
                for i in [0, 12_345, 99_999] {
                    let version = snapshot.readInt(table.hiddenColumns[0], snapshot.key(at: i, in: table))
                    expectEqual(version, 7_000_000_000 + Int64(i * 7919 % 100_000 / 50))
                }
            }
            return try FileManager.default.attributesOfItem(atPath: folder.file(name))[.size] as! Int
        }
        func addVersions(_ transaction: WriteTransaction) throws(EngineError) {
            let version = try transaction.addHiddenColumn(
                ColumnSpec("version", .int),
                to: transaction.schema.tables[0]
            )
            // Commits of some 50 objects each, in an order of their own.
            for (i, key) in transaction.keys(transaction.schema.tables[0]).enumerated() {
                transaction.setInt(version, key, to: 7_000_000_000 + Int64(i * 7919 % 100_000 / 50))
            }
        }
        let (plain, hidden) = (try size(isHidden: false), try size(isHidden: true))
        print("plain \(plain), with hidden versions \(hidden): \(Double(hidden - plain) / 100_000) bytes an object")
        expect(hidden - plain <= 430_000)
    }

    @Test func `a file of an older format can't have it`() throws {
        var options = Database.Options()
        options.formatVersion = 4
        let database = try Database.open(at: folder.file("old.realm"), options: options)
        try database.write { transaction in
            try transaction.applySchema([Self.thing])
            #expect(throws: EngineError.self) { try transaction.addHiddenTable(Self.book) }
            #expect(throws: EngineError.self) {
                try transaction.addHiddenColumn(ColumnSpec("version", .int), to: transaction.schema.tables[0])
            }
        }
    }
}
