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
            try write.set(table.column(named: "name")!, key, to: .string(name))
        }
    }

    @Test func `two files exchange the writes of their apps, online and offline`() async throws {
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
            try write.listInsert(table.column(named: "friends")!, ada, at: 0, values: [.link(cy), .link(ada)])
            try write.increment(table.column(named: "age")!, ada, by: 5)
        }
        try one.write { write in
            let table = write.schema.table(named: "Person")!
            let ada = write.find(primaryKey: .int(1), in: table)!
            try write.increment(table.column(named: "age")!, ada, by: 2)
            try write.set(table.column(named: "name")!, ada, to: .string("Ada L."))
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

    @Test func `zeros of both signs and decimals with trailing zeros arrive as written`() async throws {
        let server = LoopbackServer()
        let schema = [
            TableSpec(
                "Person",
                columns: [
                    ColumnSpec("_id", .int), ColumnSpec("float", .float), ColumnSpec("double", .double, optional: true),
                    ColumnSpec("decimal", .decimal128), ColumnSpec("mixed", .mixed), ColumnSpec("nested", .mixed),
                    ColumnSpec("list", .double, collection: .list), ColumnSpec("set", .double, collection: .set),
                    ColumnSpec("map", .double, collection: .dictionary),
                    ColumnSpec("decimals", .decimal128, collection: .dictionary),
                ],
                primaryKey: "_id"
            )
        ]
        let (one, two) = (try FileClient(server, schema: schema), try FileClient(server, schema: schema))
        for client in [one, two] { try await client.subscribe() }
        func write(_ number: Double, _ decimal: Decimal128) throws {
            try one.write { write in
                let table = write.schema.table(named: "Person")!
                let key = try write.find(primaryKey: .int(1), in: table) ?? write.create(table, primaryKey: .int(1))
                func column(_ name: String) -> Column { table.column(named: name)! }
                try write.set(column("float"), key, to: .float(Float(number)))
                try write.set(column("double"), key, to: .double(number))
                try write.set(column("decimal"), key, to: .decimal128(decimal))
                try write.set(column("mixed"), key, to: .double(number))
                let list = NestedList([.double(number), .decimal128(decimal)])
                try write.set(column("nested"), key, to: .dictionary(NestedDictionary([.init("a", .list(list))])))
                try write.listAssign(column("list"), key, values: [.double(number), .double(1)])
                try write.setAssign(column("set"), key, values: [.double(number)])
                try write.dictionaryAssign(column("map"), key, entries: [("a", .double(number)), ("b", .double(1))])
                try write.dictionaryAssign(column("decimals"), key, entries: [("a", .decimal128(decimal))])
            }
        }
        let (short, long) = (
            Decimal128(lo: 1, hi: 0x3040_0000_0000_0000), Decimal128(lo: 100, hi: 0x303C_0000_0000_0000)
        )
        expect(short == long && SyncValue.decimal128(short) != .decimal128(long))
        for (number, decimal) in [(0.0, short), (-0.0, long), (0.0, short)] {
            try write(number, decimal)
            let name = ObjectName("Person", 1)
            try expectEqual(
                one.contents[name]?["map"],
                .dictionary(["a": .value(.double(number)), "b": .value(.double(1))])
            )
            try expectEqual(one.contents[name]?["set"], .set([.int(0): .double(number)]))
            try await one.settle()
            try await two.settle()
            let contents = try require(two.contents[name])
            expectEqual(contents["float"], .value(.float(Float(number))))
            expectEqual(contents["double"], .value(.double(number)))
            expectEqual(contents["decimal"], .value(.decimal128(decimal)))
            try expectEqual(contents, one.contents[name])
            try expectEqual(
                server.contents[name]?.filter { $0.key != "_id" },
                one.contents[name]?.filter { $0.key != "_id" }
            )
        }
        for client in [one, two] { await client.session.close() }
    }

    @Test(.timeLimit(.minutes(20))) func `a wait for an upload survives the restoring of a backup`() async throws {
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
