import Foundation
import Testing

@testable import FreeholdEngine

/// The advantage of the order of blocks, and the operations that it doesn't change.
struct `Files with the blocks of a cluster side by side` {
    private let folder = TemporaryFolder()

    private func options(_ format: UInt32) -> Database.Options {
        var options = Database.Options()
        options.formatVersion = format
        options.clusterSpan = 100
        options.mapSize = 1 << 28
        return options
    }

    /// Pages of LMDB's tree of blocks: branches and leaves.
    private func pages(_ tree: PageTree) throws -> Set<UInt64> {
        var found: Set<UInt64> = []
        func visit(_ number: UInt64, _ level: Int) throws {
            found.insert(number)
            let page = try tree.page(number, level: level)
            if level > 0 { for i in 0..<page.count { try visit(tree.child(page, i), level - 1) } }
        }
        try visit(tree.root, tree.depth - 1)
        return found
    }

    private func pagesOfAnInsert(_ format: UInt32) throws -> Int {
        let database = try Database.open(at: folder.file("\(format).realm"), options: options(format))
        var transaction = try database.beginWrite()
        let columns = [ColumnSpec("id", .int)] + (1...5).map { ColumnSpec("c\($0)", .int) }
        try transaction.applySchema([TableSpec("T", columns: columns, primaryKey: "id")])
        func add(_ id: Int64) throws {
            let table = transaction.schema.table(named: "T")!
            let key = try transaction.create(table, primaryKey: .int(id))
            for (i, column) in table.columns.enumerated().dropFirst() {
                transaction.setInt(column, key, to: (id &* 7919 &+ Int64(i)) % 50_000)
            }
        }
        for id in 0..<20_050 as Range<Int64> { try add(id) }
        _ = try transaction.commit()
        transaction = try database.beginWrite()
        try add(50_000)
        let before = try pages(try require(transaction.base.pin.reader.trees).main)
        let snapshot = try transaction.commit()
        let after = try pages(try require(snapshot.pin.reader.trees).main)
        expectEqual(snapshot.verify(), [])
        return after.subtracting(before).count
    }

    @Test func `an insert changes fewer pages of LMDB's tree`() throws {
        let (old, new) = (try pagesOfAnInsert(4), try pagesOfAnInsert(5))
        print("pages of the tree that an insert writes: \(old), \(new)")
        expect(old >= 8)
        expect(new <= 4)
    }

    // MARK: Many segments

    private static let width = 14

    /// 12 tables of 14 columns: over five groups of segments.
    private func fill(_ database: Database) throws {
        let specs = (0..<12).map { t in
            TableSpec(
                "T\(t)",
                columns: [ColumnSpec("id", .int)]
                    + (1..<Self.width - 2).map { ColumnSpec("c\($0)", .int, indexed: $0 == 1) }
                    + [
                        ColumnSpec("link", .link, target: "T\((t + 5) % 12)"),
                        ColumnSpec("text", .string, collection: .list),
                    ],
                primaryKey: "id"
            )
        }
        let transaction = try database.beginWrite()
        try transaction.applySchema(specs)
        for t in 0..<12 {
            let table = transaction.schema.table(named: "T\(t)")!
            for i in 0..<(t % 3 == 0 ? 730 : 90) as Range<Int64> {
                let key = try transaction.create(table, primaryKey: .int(i))
                for column in table.columns[1..<Self.width - 2] {
                    transaction.setInt(column, key, to: i &* 31 &+ Int64(column.id))
                }
                if i % 4 == 0 {
                    let text = String(repeating: "long", count: 600)
                    try transaction.listAppend(
                        table.column(named: "text")!,
                        key,
                        values: [.string(text), .string("\(i)")]
                    )
                }
            }
        }
        for t in 0..<12 {
            let table = transaction.schema.table(named: "T\(t)")!
            for key in transaction.keys(table) {
                transaction.setLink(table.column(named: "link")!, key, to: ObjectKey(key.raw % 90))
            }
        }
        for t in 0..<12 {
            let table = transaction.schema.table(named: "T\(t)")!
            transaction.delete(table, transaction.keys(table).filter { $0.raw % 50 == 49 })
        }
        _ = try transaction.commit()
    }

    private func contents(_ snapshot: Snapshot) -> [String] {
        snapshot.schema.tables.flatMap { table in
            snapshot.keys(table).map { key in
                let values = table.columns.map { column in
                    column.collection == .none
                        ? "\(snapshot.value(column, key))" : "\(snapshot.listCount(column, key))"
                }
                return "\(table.name) \(key) \(values)"
            }
        }
    }

    @Test func `many tables are dropped, copied and upgraded like in other files`() throws {
        let path = folder.file()
        let before: [String] = try {
            let database = try Database.open(at: path, options: options(4))
            try fill(database)
            let snapshot = try database.snapshot()
            expect(snapshot.root.nextSegment > 4 * 256)
            expectEqual(snapshot.verify(), [])
            expectEqual(database.core.storage.order, .bySegment)
            return contents(snapshot)
        }()
        do {
            var readOnly = options(5)
            readOnly.readOnly = true
            let database = try Database.open(at: path, options: readOnly)
            expectEqual(database.core.storage.order, .bySegment)
            expectEqual(contents(try database.snapshot()), before)
        }
        let database = try Database.open(at: path, options: options(5))
        expectEqual(database.core.storage.order, .byCluster)
        let snapshot = try database.snapshot()
        expectEqual(contents(snapshot), before)
        expectEqual(snapshot.verify(), [])
        try snapshot.copy(to: folder.file("copy.realm"))
        let transaction = try database.beginWrite()
        for name in ["T0", "T5", "T10"] { transaction.dropTable(transaction.schema.table(named: name)!) }
        let dropped = try transaction.commit()
        expectEqual(dropped.schema.tables.count, 9)
        expectEqual(dropped.verify(), [])
        let kept = before.filter { line in !["T0 ", "T5 ", "T10 "].contains { line.hasPrefix($0) } }
        expectEqual(contents(dropped).count, kept.count)
        let run = try dropped.run(from: BlockAddress(raw: 0))
        expect(!run.isEmpty && run.map(\.address) == run.map(\.address).sorted())
        let copy = try Database.open(at: folder.file("copy.realm"), options: options(5))
        expectEqual(contents(try copy.snapshot()), before)
        try expectEqual(copy.snapshot().verify(), [])
    }
}
