import Foundation
import Testing

@testable import FreeholdEngine

struct EngineSchemaTests {
    private let first = [
        TableSpec(
            "A",
            columns: [
                ColumnSpec("id", .int), ColumnSpec("name", .string),
                ColumnSpec("age", .int, optional: true, indexed: true),
                ColumnSpec("other", .link, target: "B"), ColumnSpec("all", .link, collection: .list, target: "B"),
            ],
            primaryKey: "id"
        ), TableSpec("B", columns: [ColumnSpec("x", .double)]),
    ]

    private func open(_ folder: TemporaryFolder) throws -> Database {
        var options = Database.Options()
        options.mapSize = 1 << 28
        return try Database.open(at: folder.file(), options: options)
    }

    private func apply(_ database: Database, _ specs: [TableSpec], _ version: UInt64? = nil) throws -> Snapshot {
        let t = try database.beginWrite()
        do { try t.applySchema(specs, userVersion: version) } catch {
            t.cancel()
            throw error
        }
        return try t.commit()
    }

    @Test func `compatible changes keep the data and are stored`() throws {
        let folder = TemporaryFolder()
        var database = try open(folder)
        let t = try database.beginWrite()
        try t.applySchema(first, userVersion: 3)
        let a = t.schema.table(named: "A")!
        for i in 0..<2500 {
            let key = try t.create(a, primaryKey: .int(Int64(i)))
            try t.set(a.columns[1], key, to: .string("n\(i % 4)"))
            try t.set(a.columns[2], key, to: .int(Int64(i % 5)))
        }
        _ = try t.commit()
        var next = first
        next[0].columns[1].isIndexed = true
        next[0].columns[2].isIndexed = false
        next.removeLast()
        next[0].columns.removeAll { $0.type == .link }
        #expect(throws: EngineError.self) { try apply(database, next) }
        next = first
        next[0].columns[1].isIndexed = true
        next[0].columns[2].isIndexed = false
        next.append(TableSpec("C", columns: [ColumnSpec("a", .link, target: "A")]))
        try expectEqual(apply(database, next, 4).verify(), [])
        database = try open(folder)
        let snapshot = try database.snapshot()
        let stored = snapshot.schema.table(named: "A")!
        expectEqual(snapshot.userVersion, 4)
        expectEqual(snapshot.schema.tables.map(\.name), ["A", "B", "C"])
        expect(stored.columns[1].isIndexed && !stored.columns[2].isIndexed)
        expectEqual(snapshot.find(.string("n2"), indexed: stored.columns[1]).count, 625)
        expect(snapshot.find(.int(2), indexed: stored.columns[2]).isEmpty)
        // A class that the program no longer has stays in the file.
        let only = try apply(database, [TableSpec("B", columns: [ColumnSpec("x", .double)])])
        expectEqual(only.schema.tables.map(\.name), ["A", "B", "C"])
        expectEqual(only.count(stored), 2500)
    }

    @Test func `an index added amid a transaction follows its objects`() throws {
        let folder = TemporaryFolder()
        let database = try open(folder)
        let t = try database.beginWrite()
        try t.applySchema(first)
        var a = t.schema.table(named: "A")!
        let key = try t.create(a, primaryKey: .int(1))
        try t.set(a.columns[1], key, to: .string("old"))
        var next = first
        next[0].columns[1].isIndexed = true
        try t.applySchema(next)
        a = t.schema.table(named: "A")!
        try t.set(a.columns[1], key, to: .string("new"))
        let later = try t.create(a, primaryKey: .int(2))
        try t.set(a.columns[1], later, to: .string("new"))
        let snapshot = try t.commit()
        expectEqual(snapshot.verify(), [])
        expectEqual(snapshot.find(.string("new"), indexed: a.columns[1]), [key, later])
        expectEqual(snapshot.find(.string("old"), indexed: a.columns[1]), [])
    }

    @Test func `every refused difference is listed`() throws {
        let folder = TemporaryFolder()
        let database = try open(folder)
        _ = try apply(database, first)
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.file()))
        let wanted = [
            TableSpec(
                "A",
                columns: [
                    ColumnSpec("id", .int), ColumnSpec("name", .string, optional: true),
                    ColumnSpec("age", .double, optional: true),
                    ColumnSpec("other", .link, target: "A"), ColumnSpec("new", .int),
                ]
            ), TableSpec("B", columns: [ColumnSpec("x", .double, collection: .list)]),
        ]
        let error = #expect(throws: EngineError.self) { try apply(database, wanted) }
        expectEqual(error?.code, .schemaMismatch)
        for part in [
            "'A.name' has been made optional", "'A.age' has been changed from 'int' to 'double'",
            "'A.other' has been changed from 'B' to 'A'", "'A.new' has been added", "'A.all' has been removed",
            "primary key of 'A' has been changed from 'id' to none",
            "'B.x' has been changed from 'double' to 'list<double>'",
        ] {
            expectEqual(error?.message.contains(part), true, "\(part) in \(error?.message ?? "")")
        }
        try expectEqual(Data(contentsOf: URL(fileURLWithPath: folder.file())), before)
    }

    @Test func `a newer format is refused and not changed`() throws {
        let folder = TemporaryFolder()
        var header = DatabaseHeader(clusterSpan: 1000)
        header.formatVersion = Catalogue.formatVersion + 1
        do {
            let storage = try EnvironmentRegistry.shared.open(path: folder.file())
            try storage.environment.write { writer throws(EngineError) in try writer.put(0, 0, header.encoded()) }
        }
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.file()))
        let error = #expect(throws: EngineError.self) { _ = try open(folder) }
        expectEqual(error?.code, .unsupportedFormat)
        try expectEqual(Data(contentsOf: URL(fileURLWithPath: folder.file())), before)
    }

    @Test func `a foreign LMDB file is refused and not changed`() throws {
        let folder = TemporaryFolder()
        do {
            let storage = try EnvironmentRegistry.shared.open(path: folder.file())
            try storage.environment.write { writer throws(EngineError) in try writer.put(7, 7, [1, 2, 3]) }
        }
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.file()))
        let error = #expect(throws: EngineError.self) { _ = try open(folder) }
        expectEqual(error?.code, .invalidDatabase)
        try expectEqual(Data(contentsOf: URL(fileURLWithPath: folder.file())), before)
    }
}
