import Foundation
import FreeholdEngine
import FreeholdSync
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Files that begin to sync, and copies of those that do.
struct FileBeginningTests {
    private func add(_ id: Int64, _ name: String, to client: FileClient) throws {
        try client.write { write in
            let table = write.schema.table(named: "Person")!
            let key = try write.create(table, primaryKey: .int(id))
            try write.set(table.column(named: "name")!, key, to: .string(name))
        }
    }

    @Test func `objects from before the beginning of sync are uploaded`() async throws {
        let folder = try TemporaryFolder()
        let database = try Database.open(at: folder.path + "/client.realm")
        let write = try database.beginWrite()
        try write.applySchema(FileClient.schema)
        let table = write.schema.table(named: "Person")!
        var last: ObjectKey?
        for id in 0..<1_200 as Range<Int64> {
            let key = try write.create(table, primaryKey: .int(id))
            if let last { try write.listInsert(table.column(named: "friends")!, key, at: 0, values: [.link(last)]) }
            last = key
        }
        _ = try write.commit()
        let server = LoopbackServer()
        let client = try FileClient(server, folder: folder)
        try await client.subscribe()
        try await client.settle()
        expectEqual(server.contents.count, 1_200)
        try expectEqual(client.contents, FileClient.complete(server.contents))
        try add(5_000, "Eve", to: client)
        try await client.settle()
        expectEqual(server.contents.count, 1_201)
        await client.session.close()
    }

    @Test func `a copy without the journal becomes a file of its own, without unsent work`() async throws {
        let server = LoopbackServer()
        let one = try FileClient(server)
        try await one.subscribe()
        try add(1, "Ada", to: one)
        try add(2, "Bob", to: one)
        try await one.settle()
        server.setReachable(false)
        try add(3, "Cy", to: one)
        try one.write { write in
            let table = write.schema.table(named: "Person")!
            write.delete(table, write.find(primaryKey: .int(2), in: table)!)
            let ada = write.find(primaryKey: .int(1), in: table)!
            try write.set(table.column(named: "name")!, ada, to: .string("Ada L."))
        }
        // It would connect by itself in time.
        one.session.suspend()
        let folder = try TemporaryFolder()
        try one.database.snapshot().copy(to: folder.path + "/client.realm", keepsJournal: false)
        let two = try FileClient(server, folder: folder)
        server.setReachable(true)
        two.session.reconnect()
        try await two.settle()
        try expectEqual(
            two.contents.mapValues { $0["name"] },
            [ObjectName("Person", 1): .value("Ada"), ObjectName("Person", 2): .value("Bob")]
        )
        try add(4, "Dee", to: two)
        try await two.settle()
        one.session.resume()
        for _ in 0..<2 { for client in [one, two] { try await client.settle() } }
        try expectEqual(Set(two.contents.keys.map(\.key)), [1, 3, 4])
        try expectEqual(one.contents, two.contents)
        for client in [one, two] { await client.session.close() }
    }

    @Test func `omitted classes stay local`() throws {
        let folder = try TemporaryFolder()
        let database = try Database.open(at: folder.path + "/client.realm")
        let write = try database.beginWrite()
        let local = TableSpec("Draft", columns: [ColumnSpec("_id", .int)], primaryKey: "_id")
        try write.applySchema(FileClient.schema + [local])
        _ = try write.commit()
        var store = try FileClientStore(database, classes: ["Person"])
        let app = try database.beginWrite()
        for table in app.schema.tables { _ = try app.create(table, primaryKey: .int(1)) }
        _ = try app.commit()
        let commits = try store.transact { try $0.localCommits() }
        expectEqual(commits.flatMap(\.edits).map(\.object), [ObjectName("Person", 1)])
    }
}

/// The confirmed objects that a store finds.
struct ConfirmedRangeTests {
    static let kinds: [(column: ColumnSpec, keys: [PrimaryKey])] = [
        (ColumnSpec("_id", .int), [.int(.min), -3, 0, 1, 2, 70, .int(.max)]),
        (
            ColumnSpec("_id", .string),
            ["", "A", "a", "aa", "b", "é", .string(SyncString(String(repeating: "x", count: 300)))]
        ),
        (
            ColumnSpec("_id", .objectId),
            (0..<6).map { _ in .objectId(.generate()) }
        ),
        (ColumnSpec("_id", .uuid), (0..<6).map { _ in .uuid(UUID()) }),
        (ColumnSpec("_id", .int, optional: true), [.null, -3, 0, 5]),
        (ColumnSpec("_id", .string, optional: true), [.null, "", "b"]),
    ]

    @Test(arguments: kinds.indices) func `objects in a range of keys are found for keys of every type`(_ index: Int)
        throws
    {
        let (column, keys) = Self.kinds[index]
        let folder = try TemporaryFolder()
        let database = try Database.open(at: folder.path + "/client.realm")
        let write = try database.beginWrite()
        try write.applySchema([TableSpec("Thing", columns: [column], primaryKey: "_id")])
        _ = try write.commit()
        var store = try FileClientStore(database)
        var random = SystemRandomNumberGenerator()
        let objects = keys.map { ObjectUpdate($0, .whole(version: 1, born: 1, [])) }
        let chunk = BootstrapChunk(
            classes: [ClassBatch(className: "Thing", objects: objects)],
            covers: [],
            position: .start
        )
        _ = try store.perform(.takeInChunk(chunk), now: 0, random: &random)
        let bounds: [PrimaryKey?] = [nil] + keys
        for after in bounds {
            for through in bounds {
                let range = KeyRange(className: "Thing", after: after, through: through)
                let found = try store.transact { try $0.confirmed(in: range).map(\.key) }
                let expected = keys.sorted().filter { range.contains(ObjectName("Thing", $0)) }
                expectEqual(found, expected, "\(range)")
            }
        }
    }
}

extension FileBeginningTests {
    /// The changes of numbered commits that aren't answered.
    private func unsent(_ client: FileClient) throws -> [Change] {
        try client.file.withStore { store in
            try store.transact { transaction in
                try transaction.resolveLocalCommits()
                let numbers = transaction.state.acknowledged + 1..<transaction.state.lastCommit + 1
                return try numbers.flatMap { try transaction.commit($0)?.commit.changes ?? [] }
            }
        }
    }

    private func rename(_ id: Int64, _ name: String, in client: FileClient) throws {
        try client.write { write in
            let table = write.schema.table(named: "Person")!
            let key = write.find(primaryKey: .int(id), in: table)!
            try write.set(table.column(named: "name")!, key, to: .string(name))
        }
    }

    @Test func `the upload of an object's first edit contains only the edit`()
        async throws
    {
        let server = LoopbackServer()
        let one = try FileClient(server)
        // Made before the session ever connected.
        try add(1, "Ada", to: one)
        let folder = try TemporaryFolder()
        let database = try Database.open(at: folder.path + "/client.realm")
        let write = try database.beginWrite()
        try write.applySchema(FileClient.schema)
        // Made before its file began to sync.
        _ = try write.create(write.schema.table(named: "Person")!, primaryKey: .int(2))
        _ = try write.commit()
        let two = try FileClient(server, folder: folder)
        for client in [one, two] { try await client.subscribe() }
        for _ in 0..<2 { for client in [one, two] { try await client.settle() } }
        try expectEqual(one.contents.count, 2)
        server.setReachable(false)
        for client in [one, two] {
            // One object that the file created, and one that was downloaded.
            for id in [1, 2] as [Int64] { try rename(id, "Eve", in: client) }
            let name = SyncString("name")
            try expectEqual(
                unsent(client),
                [1, 2].map { id in
                    .set(FreeholdSyncCore.Place(ObjectName("Person", .int(id)), name), .string("Eve"), .real)
                }
            )
            await client.session.close()
        }
    }
}
