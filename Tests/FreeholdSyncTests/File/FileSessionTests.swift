import FreeholdEngine
import FreeholdSync
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Files, their sessions and a server in one process.
struct FileSessionTests {
    private func add(_ id: Int64, _ name: String, to client: FileClient) throws {
        try client.write { write in
            let table = write.schema.table(named: "Person")!
            let key = try write.create(table, primaryKey: .int(id))
            try write.set(table.column(named: "name")!, key, .string(name))
        }
    }

    @Test func `Two files exchange what their apps wrote, online and offline`() async throws {
        let server = LoopbackServer()
        let (one, two) = (try FileClient(server), try FileClient(server))
        try await one.subscribe()
        try await two.subscribe()
        try add(1, "Ada", to: one)
        try await one.settle()
        try await two.settle()
        try expectEqual(two.contents[ObjectName("Person", 1)]?["name"], .value("Ada"))

        server.setReachable(false)
        try add(2, "Bob", to: one)
        try add(3, "Cy", to: two)
        try two.write { write in
            let table = write.schema.table(named: "Person")!
            let (ada, cy) = (
                write.find(primaryKey: .int(1), in: table)!, write.find(primaryKey: .int(3), in: table)!
            )
            try write.listInsert(table.column(named: "friends")!, ada, at: 0, [.link(cy), .link(ada)])
            try write.increment(table.column(named: "age")!, ada, by: 5)
        }
        try one.write { write in
            let table = write.schema.table(named: "Person")!
            let ada = write.find(primaryKey: .int(1), in: table)!
            try write.increment(table.column(named: "age")!, ada, by: 2)
            try write.set(table.column(named: "name")!, ada, .string("Ada L."))
        }
        server.setReachable(true)
        for client in [one, two] { client.session.reconnect() }
        for _ in 0..<2 {
            try await one.settle()
            try await two.settle()
        }
        let contents = try one.contents
        try expectEqual(two.contents, contents)
        expectEqual(contents.count, 3)
        expectEqual(contents[ObjectName("Person", 1)]?["age"], .value(7))
        expectEqual(contents[ObjectName("Person", 1)]?["name"], .value("Ada L."))
        expectEqual(
            contents[ObjectName("Person", 1)]?["friends"],
            .list([.value(.link(ObjectName("Person", 3))), .value(.link(ObjectName("Person", 1)))])
        )
        await one.session.close()
        await two.session.close()
    }

    @Test(.timeLimit(.minutes(5))) func `Who waits for an upload gets through the restoring of a backup`() async throws
    {
        let server = LoopbackServer()
        let one = try FileClient(server)
        try await one.subscribe()
        for id in 1...5 { try add(Int64(id), "before", to: one) }
        try await one.settle()
        let backup = server.backup
        for id in 6...9 { try add(Int64(id), "after", to: one) }
        try await one.settle()
        server.restart(with: backup, epoch: 8)
        try add(10, "late", to: one)
        let session = one.session
        let isWaiting = Task { try await session.waitForUpload() }
        // The wait is noted by numbers that the reset changes.
        try await Task.sleep(for: .milliseconds(50))
        server.setReachable(true)
        session.reconnect()
        try await isWaiting.value
        expectEqual(server.contents.count, 10)
        try await one.settle()
        try expectEqual(one.contents.count, 10)
        await session.close()
    }
}
