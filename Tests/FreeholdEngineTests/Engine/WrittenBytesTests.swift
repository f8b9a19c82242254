import Foundation
import Testing

@testable import FreeholdEngine

/// How much a commit writes that changes one wide value.
struct WrittenBytesTests {
    /// The bytes of blocks, and of pages of the file without its two roots.
    struct Written {
        var blocks = 0
        var pages = 0
    }

    private let folder = TemporaryFolder()

    /// - Parameter count: the objects, each with a value that `fill` stores.
    private func database(
        _ columns: [ColumnSpec],
        count: Int,
        primaryKey: String? = nil,
        fill: (WriteTransaction, Table, ObjectKey) throws -> Void
    ) throws -> Database {
        let database = try Database.open(at: folder.file("\(UUID()).realm"))
        try database.write { try $0.applySchema([TableSpec("Note", columns: columns, primaryKey: primaryKey)]) }
        try database.write { transaction in
            let table = transaction.schema.tables[0]
            for i in 0..<count {
                try fill(
                    transaction,
                    table,
                    transaction.create(table, primaryKey: primaryKey.map { _ in .int(Int64(i)) })
                )
            }
        }
        return database
    }

    /// Returns the mean of some commits, after others that stabilise the file's list of free pages.
    private func mean(_ database: Database, _ change: (WriteTransaction, Table, Int) throws -> Void) throws -> Written {
        var sum = Written()
        let commits = 24
        for i in 0..<8 { try database.write(verifies: false) { try change($0, $0.schema.tables[0], i) } }
        for i in 0..<commits {
            let before = try pages(try database.snapshot())
            let transaction = try database.beginWrite()
            try change(transaction, transaction.schema.tables[0], 8 + i)
            transaction.timing = WriteTiming(asked: .now)
            let snapshot = try transaction.commit()
            sum.blocks += transaction.timing!.bytes
            sum.pages += try pages(snapshot).subtracting(before).count * BlockLimits.pageSize
            if i % 8 == 0 { expectEqual(snapshot.verify(), []) }
        }
        return Written(blocks: sum.blocks / commits, pages: sum.pages / commits)
    }

    /// The pages of both of LMDB's trees, with those of values out of line, each with the transaction that wrote it.
    private func pages(_ snapshot: Snapshot) throws -> Set<String> {
        let trees = try require(snapshot.pin.reader.trees)
        var found: Set<String> = []
        func visit(_ tree: PageTree, _ number: UInt64, _ level: Int) throws {
            let page = try tree.page(number, level: level)
            found.insert(stamp(UnsafeRawBufferPointer(start: page.start, count: tree.pageSize), number))
            for i in 0..<page.count {
                if level > 0 {
                    try visit(tree, tree.child(page, i), level - 1)
                } else {
                    let entry = try tree.entry(page, i)
                    for page in entry.pages { found.insert(stamp(entry.bytes, page)) }
                }
            }
        }
        for tree in [trees.main, trees.free] where !tree.isEmpty { try visit(tree, tree.root, tree.depth - 1) }
        return found
    }

    private func stamp(_ bytes: UnsafeRawBufferPointer, _ page: UInt64) -> String {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        return "\(page) \(hasher.finalize())"
    }

    private static let limit = 24 << 10

    private func text(_ count: Int, at i: Int) -> String {
        let start = "text \(i) "
        return start + String(repeating: Character(UnicodeScalar(UInt8(97 + i % 26))), count: count - start.utf8.count)
    }

    @Test(arguments: [(100, 1_024), (1_000, 1_024), (8_000, 1_024), (1_000, TestBudget.cases(10_000, soak: 100_000))])
    func `a changed text writes its part of the leaf`(size: Int, count: Int) throws {
        let database = try database([ColumnSpec("text", .string)], count: count) { transaction, table, key in
            transaction.setString(table.columns[0], key, to: text(size, at: Int(key.raw)))
        }
        let written = try mean(database) { transaction, table, i in
            transaction.setString(table.columns[0], ObjectKey(Int64(i * 397 % count)), to: text(size, at: i + 5))
        }
        print("one changed text of \(size) bytes among \(count) objects: \(written)")
        expect(written.blocks <= Self.limit, "\(written)")
        // The part of 1,000 bytes has four pages. With the path to it, the history and the list of free pages these are eight.
        expect(written.pages <= Self.limit + (size == 1_000 ? 8 << 10 : 0), "\(written)")
    }

    @Test func `an added object writes the last part of its text`() throws {
        let database = try database(
            [ColumnSpec("id", .int), ColumnSpec("text", .string)],
            count: 1_024,
            primaryKey: "id"
        ) { transaction, table, key in
            transaction.setString(table.columns[1], key, to: text(1_000, at: Int(key.raw)))
        }
        let written = try mean(database) { transaction, table, i in
            let key = try transaction.create(table, primaryKey: .int(Int64(2_000 + i)))
            transaction.setString(table.columns[1], key, to: text(1_000, at: i))
        }
        print("one added object with a text of 1,000 bytes: \(written)")
        expect(written.blocks <= Self.limit, "\(written)")
    }

    enum Kind: String, CaseIterable { case list, set, dictionary, mixed, data, numbers }

    @Test(arguments: Kind.allCases)
    func `a changed collection or mixed value of 1 KB writes its part of the leaf`(_ kind: Kind) throws {
        let column =
            switch kind {
            case .list: ColumnSpec("value", .string, collection: .list)
            case .set: ColumnSpec("value", .string, collection: .set)
            case .dictionary: ColumnSpec("value", .string, collection: .dictionary)
            case .mixed: ColumnSpec("value", .mixed, optional: true)
            case .data: ColumnSpec("value", .data)
            case .numbers: ColumnSpec("value", .int, collection: .list)
            }
        let words = (0..<9).map { "\($0) " + String(repeating: "w", count: 90) }
        let database = try database([column], count: 1_024) { transaction, table, key in
            let column = table.columns[0]
            switch kind {
            case .list: try transaction.listAssign(column, key, values: words.map(Value.string))
            case .set: try transaction.setAssign(column, key, values: words.map(Value.string))
            case .dictionary:
                for word in words {
                    try transaction.dictionarySet(column, key, forKey: "\(word.prefix(1))", to: .string(word))
                }
            case .mixed: try transaction.set(column, key, to: .list(NestedList(words.map(Value.string))))
            case .data: try transaction.set(column, key, to: .data(Data(count: 1_000)))
            case .numbers: try transaction.listAssign(column, key, values: (0..<120).map { .int(Int64($0) << 40) })
            }
        }
        let written = try mean(database) { transaction, table, i in
            let (column, key) = (table.columns[0], ObjectKey(Int64(i * 397 % 1_024)))
            let new = "\(i % 9) " + String(repeating: Character(UnicodeScalar(UInt8(97 + i % 26))), count: 90)
            switch kind {
            case .list: try transaction.listSet(column, key, at: i % 9, to: .string(new))
            case .set:
                _ = try transaction.setAssign(column, key, values: words.dropLast().map(Value.string) + [.string(new)])
            case .dictionary: try transaction.dictionarySet(column, key, forKey: "\(i % 9)", to: .string(new))
            case .mixed:
                try transaction.set(column, key, to: .list(NestedList((words.dropLast() + [new]).map(Value.string))))
            case .data: try transaction.set(column, key, to: .data(Data(repeating: UInt8(i), count: 1_000)))
            case .numbers: try transaction.listSet(column, key, at: i % 120, to: .int(Int64(i) << 40))
            }
        }
        print("one changed \(kind.rawValue) of 1 KB among 1,024: \(written)")
        expect(written.blocks <= Self.limit, "\(written)")
    }

    @Test func `a new link to an object with many backlinks writes its part of the inverse`() throws {
        let database = try Database.open(at: folder.file())
        try database.write { transaction in
            try transaction.applySchema([
                TableSpec("Target", columns: [ColumnSpec("number", .int)]),
                TableSpec("Origin", columns: [ColumnSpec("link", .link, target: "Target")]),
            ])
        }
        // Each target has some hundred origins, a list of about half a kilobyte in its slot.
        try database.write { transaction in
            let (targets, origins) = (transaction.schema.tables[0], transaction.schema.tables[1])
            for _ in 0..<256 { _ = try transaction.create(targets) }
            for i in 0..<256 * 200 as Range<Int64> {
                transaction.setLink(origins.columns[0], try transaction.create(origins), to: ObjectKey(i % 256))
            }
        }
        let written = try mean(database) { transaction, _, i in
            let origins = transaction.schema.tables[1]
            let key = ObjectKey(Int64(i * 256))
            transaction.setLink(origins.columns[0], key, to: ObjectKey(Int64(i % 256)))
        }
        print("one changed link between objects with 200 links each: \(written)")
        expect(written.blocks <= Self.limit, "\(written)")
    }
}
