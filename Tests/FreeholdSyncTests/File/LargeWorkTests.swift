import Foundation
import FreeholdEngine
import Testing

@testable import FreeholdSync
@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Work of a file that is larger than a value of a column can be.
struct LargeWorkTests {
    /// The most bytes of a value.
    static let limit = 16_777_200

    struct Work: Sendable, CustomTestStringConvertible {
        var objects: Int
        var bytes: Int
        /// A transaction for each object, or one for all.
        var isDivided = false

        var testDescription: String { "\(objects) objects of \(bytes) bytes\(isDivided ? ", each by itself" : "")" }
    }

    static let cases = [
        Work(objects: 1, bytes: limit * 9 / 10), Work(objects: 1, bytes: limit), Work(objects: 3, bytes: limit),
        Work(objects: 20, bytes: 1_000_000), Work(objects: 12, bytes: 4 << 20, isDivided: true),
    ]

    static let schema = [
        TableSpec(
            "Photo",
            columns: [
                ColumnSpec("_id", .int), ColumnSpec("data", .data), ColumnSpec("texts", .string, collection: .list),
            ],
            primaryKey: "_id"
        )
    ]

    /// A file with the hidden tables of versions that stored everything in one value.
    private func oldFile(_ folder: TemporaryFolder) throws -> Database {
        let database = try Database.open(at: folder.path + "/client.realm")
        let write = try database.beginWrite()
        try write.applySchema(Self.schema)
        let body = ColumnSpec("body", .data)
        _ = try write.addHiddenTable(
            TableSpec("sync values", columns: [ColumnSpec("name", .string), body], primaryKey: "name")
        )
        _ = try write.addHiddenTable(
            TableSpec("sync commits", columns: [ColumnSpec("number", .int), body], primaryKey: "number")
        )
        _ = try write.addHiddenTable(TableSpec("sync lost", columns: [body]))
        _ = try write.commit()
        return database
    }

    private func write(_ work: Work, _ database: Database) throws {
        var transaction = try database.beginWrite()
        for id in 1...work.objects {
            let table = transaction.schema.table(named: "Photo")!
            let key = try transaction.create(table, primaryKey: .int(Int64(id)))
            let data = Data(repeating: UInt8(id), count: work.bytes)
            try transaction.set(table.column(named: "data")!, key, to: .data(data))
            guard work.isDivided, id < work.objects else { continue }
            _ = try transaction.commit()
            transaction = try database.beginWrite()
        }
        _ = try transaction.commit()
    }

    private func collected(_ store: inout FileClientStore, _ random: inout SeededRandom) throws -> [Commit] {
        var commits: [Commit] = []
        var hasMore = true
        while hasMore {
            let request = StoreRequest.collect(after: commits.last?.number ?? 0, bytes: 256 << 10)
            guard case .collected(let some, _, let more) = try store.perform(request, now: 0, random: &random) else {
                break
            }
            commits += some.map(\.commit)
            hasMore = more
        }
        return commits
    }

    @Test(arguments: cases)
    func `work of any size is numbered, answered and confirmed, also in files of earlier versions`(
        _ work: Work
    ) throws {
        var random = SeededRandom(seed: 7)
        let folder = try TemporaryFolder()
        let database = try oldFile(folder)
        var store = try FileClientStore(database)
        try write(work, database)
        let commits = try collected(&store, &random)
        expectEqual(commits.reduce(0) { $0 + $1.changes.count }, work.objects)
        expectEqual(commits.reduce(0) { $0 + $1.estimatedSize } / UInt64(work.bytes * work.objects), 1)
        // Another value of an object with pending work, so that its shadow is large.
        try LargeWorkTests.edit(database)
        _ = try store.perform(.describe, now: 0, random: &random)
        let last = try collected(&store, &random).last?.number ?? 0
        let versions = (1...last).map { StreamVersion($0) }
        let ack = Ack(first: 1, versions: versions, clock: .zero)
        let acknowledged = try store.perform(.acknowledge(ack), now: 0, random: &random)
        expectEqual(acknowledged, .acknowledged(upTo: last, []))
        let described = try store.perform(.describe, now: 0, random: &random)
        if case .described(let file) = described { expect(!file.hasLocalWork) } else { expect(false) }
    }

    private static func edit(_ database: Database) throws {
        let write = try database.beginWrite()
        let table = write.schema.table(named: "Photo")!
        let key = write.find(primaryKey: .int(1), in: table)!
        try write.set(table.column(named: "data")!, key, to: .data(Data(repeating: 99, count: limit)))
        _ = try write.commit()
    }

    @Test func `a large amount of work is numbered in several transactions`() throws {
        var random = SeededRandom(seed: 7)
        let folder = try TemporaryFolder()
        let database = try oldFile(folder)
        var store = try FileClientStore(database)
        try write(Work(objects: 12, bytes: 4 << 20, isDivided: true), database)
        let before = try database.snapshot().version
        _ = try store.perform(.describe, now: 0, random: &random)
        expect(try database.snapshot().version - before >= 3)
        expectEqual(try collected(&store, &random).reduce(0) { $0 + $1.changes.count }, 12)
    }

    @Test func `abandoned large work is kept for the app`() throws {
        var random = SeededRandom(seed: 7)
        let folder = try TemporaryFolder()
        let database = try oldFile(folder)
        var store = try FileClientStore(database)
        let work = Work(objects: 3, bytes: Self.limit)
        try write(work, database)
        let commits = try collected(&store, &random)
        try store.transact { transaction in
            for commit in commits { try transaction.keep(.discarded(commit)) }
            transaction.state.recovery = [
                Recovery(
                    name: ObjectName("Photo", 1),
                    base: nil,
                    mine: ["data": .value(.data(Data(count: Self.limit))), "more": .value(.data(Data(count: 8)))]
                )
            ]
        }
        expectEqual(try store.transact { $0.state.recovery.count }, 1)
        try store.transact { $0.state.recovery = [] }
        expectEqual(try store.takeLost(), commits.map { .discarded($0) })
        expectEqual(try store.takeLost(), [])
    }

    @Test(arguments: [cases[1], cases[3], Work(objects: 6, bytes: 4 << 20, isDivided: true)])
    func `large work arrives at another file`(_ work: Work) async throws {
        let server = LoopbackServer()
        let (one, two) = (try FileClient(server, schema: Self.schema), try FileClient(server, schema: Self.schema))
        let photos = [ClassQuery(className: "Photo", condition: "TRUEPREDICATE")]
        try await one.subscribe(photos)
        try await two.subscribe(photos)
        try write(work, one.database)
        try await one.settle()
        try await two.settle()
        try expectSame(one.database, two.database, work.objects)
        // A new file receives it in a bootstrap.
        let three = try FileClient(server, schema: Self.schema)
        try await three.subscribe(photos)
        try expectSame(one.database, three.database, work.objects)
        for client in [one, two, three] { await client.session.close() }
    }

    @Test func `a list of many long texts arrives at another file`() async throws {
        let server = LoopbackServer()
        let (one, two) = (try FileClient(server, schema: Self.schema), try FileClient(server, schema: Self.schema))
        let photos = [ClassQuery(className: "Photo", condition: "TRUEPREDICATE")]
        try await one.subscribe(photos)
        try await two.subscribe(photos)
        try one.write { write in
            let table = write.schema.table(named: "Photo")!
            let key = try write.create(table, primaryKey: .int(1))
            let texts = (0..<20).map { Value.string(String(repeating: "\($0) ", count: 400_000)) }
            try write.listInsert(table.column(named: "texts")!, key, at: 0, values: texts)
        }
        try await one.settle()
        try await two.settle()
        let contents = try one.contents
        try expect(two.contents == contents)
        for client in [one, two] { await client.session.close() }
    }

    private func expectSame(_ one: Database, _ two: Database, _ count: Int) throws {
        let (a, b) = (FileClient.contents(try one.snapshot()), FileClient.contents(try two.snapshot()))
        expectEqual(a.count, count)
        // Compared without `expectEqual`, which would print both.
        expect(a == b)
    }
}
