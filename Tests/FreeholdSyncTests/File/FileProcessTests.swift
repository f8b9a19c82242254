import Foundation
import FreeholdEngine
import TestScript
import Testing

@testable import FreeholdSync
@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Files to which other processes write, and clients that are killed.
struct FileProcessTests {
    @Test func `writes of another process that doesn't know of sync are uploaded`() async throws {
        let server = LoopbackServer()
        let client = try FileClient(server)
        try await client.subscribe()
        let child = try ChildProcess(["sync-writer", client.folder.path + "/client.realm", "1", "20"])
        expectEqual(child.readLines().count, 20)
        expectEqual(child.wait(), 0)
        // The session notices the change of the file without a notification.
        expect(try await eventually { server.contents.count == 20 })
        try await client.session.waitForUpload()
        try await client.session.waitForDownload()
        expectEqual(server.contents[ObjectName("Person", 7)]?["age"], .value(1))
        try expectEqual(client.contents, FileClient.complete(server.contents))
        await client.session.close()
    }

    @Test func `a process that writes while the session downloads loses nothing`() async throws {
        let server = LoopbackServer()
        let (one, two) = (try FileClient(server), try FileClient(server))
        try await one.subscribe()
        try await two.subscribe()
        let children = try [(one, "1"), (two, "101")].map { client, first in
            try ChildProcess(["sync-writer", client.folder.path + "/client.realm", first, "30"])
        }
        for child in children {
            expectEqual(child.readLines().count, 30)
            expectEqual(child.wait(), 0)
        }
        for _ in 0..<2 { for client in [one, two] { try await client.settle() } }
        let expected = FileClient.complete(server.contents)
        expectEqual(expected.count, 60)
        try expectEqual(one.contents, expected)
        try expectEqual(two.contents, expected)
        for client in [one, two] { await client.session.close() }
    }

    @Test func `a client that is killed at any point has the content of its state`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/client.realm"
        let database = try Database.open(at: path)
        let write = try database.beginWrite()
        try write.applySchema(SyncSchema.persons)
        _ = try write.commit()
        var last: StreamVersion = 0
        for round in 0..<6 {
            let child = try ChildProcess(["sync-client", path])
            for _ in 0..<5 + round * 3 { if let line = child.readLine() { last = StreamVersion(line) ?? last } }
            child.kill()
            _ = child.wait()
            last = try check(database, atLeast: last)
        }
        expect(try database.snapshot().verify().isEmpty)
    }

    @Test func `asymmetric objects of a killed process are uploaded, at least each acknowledged one`() async throws {
        let event = TableSpec(
            "Event",
            columns: [ColumnSpec("_id", .int), ColumnSpec("text", .string)],
            primaryKey: "_id",
            isAsymmetric: true
        )
        let server = LoopbackServer(asymmetric: ["Event"])
        let client = try FileClient(server, schema: FileClient.schema + [event])
        try await client.subscribe()
        var told: Set<Int64> = []
        let rounds = 4
        for round in 0..<rounds {
            if round == 2 { server.setReachable(false) }
            let first = "\(1 + round * 1_000)"
            let child = try ChildProcess(["sync-events", client.folder.path + "/client.realm", first])
            for _ in 0..<5 + round * 7 {
                if let line = child.readLine(), let id = Int64(line) { told.insert(id) }
            }
            child.kill()
            _ = child.wait()
        }
        server.setReachable(true)
        client.session.reconnect()
        client.session.noteCommit()
        try await client.session.waitForUpload()
        let ingested = server.ingested
        var there: Set<Int64> = []
        for name in ingested.keys { if case .int(let id) = name.key { there.insert(id) } }
        expectEqual(told.count, 62)
        let lost = told.subtracting(there)
        expect(lost.isEmpty)
        for id in there {
            let text = SyncValue.string(SyncString("event \(id)"))
            let contents: [NewContent] = ingested[ObjectName("Event", .int(id))]?.map(\.content) ?? []
            expectEqual(contents, [.value(text)])
        }
        let snapshot = try client.database.snapshot()
        expect(snapshot.count(try require(snapshot.schema.table(named: "Event"))) == 0)
        expect(snapshot.verify().isEmpty)
        await client.session.close()
    }

    /// - Returns: the version that the file is of.
    private func check(_ database: Database, atLeast last: StreamVersion) throws -> StreamVersion {
        var store = try FileClientStore(database)
        return try store.transact { transaction in
            let version = try require(transaction.state.cursor?.version)
            expect(version >= last)
            let versions = try transaction.confirmed(in: KeyRange(className: "Person"))
            var sum = ClassChecksum(className: "Person")
            for (key, version) in versions { sum.add(key, version: version) }
            expectEqual(sum, transaction.checksum(of: "Person"))
            // Each object has its own version, and none is newer than the file's version. A kill can leave three older
            // objects: each step removes the sixth one before it, and work that was sent again moves the steps by one.
            let keys = versions.compactMap { if case .int(let key) = $0.key, key > 0 { key } else { nil } }
            expect(keys.allSatisfy { $0 <= Int64(version) }, "\(keys) at \(version)")
            expect(keys.filter { $0 > Int64(version) - 12 }.count <= 6, "\(keys) at \(version)")
            for (key, version) in versions where key > 0 { expectEqual(key, .int(Int64(version))) }
            for (key, _) in versions where key > 0 {
                let contents = try require(try transaction.contents(of: ObjectName("Person", key)))
                if case .int(let number) = key { expectEqual(contents["age"], .value(.int(number))) }
            }
            // Work is only pending if an answer or a download is outstanding.
            let pending = transaction.state.firstPending <= transaction.state.lastCommit
            let shadowed = try transaction.shadowed()
            expect(shadowed.isEmpty || pending)
            for name in shadowed {
                let shadow = try require(try transaction.shadow(of: name))
                try expectEqual(shadow.contents, transaction.contents(of: name))
            }
            return version
        }
    }
}

enum SyncSchema {
    static let persons = FileClient.schema
}
