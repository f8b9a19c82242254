import BenchMachine
import Foundation
import FreeholdServerStore
import FreeholdSyncCore

/// A million objects from one client to the server, and on to a new client.
enum BootstrapFigures {
    static func table(_ count: Int, folder: String) throws -> SyncTable {
        var table = SyncTable(
            "\(grouped(count)) objects of four properties: up from one client, down to a new one",
            [
                "server's store", "up, s", "objects a second", "of it the server, s", "down, s", "objects a second",
                "of it the server, s", "first ones after, ms", "bytes an object",
            ]
        )
        var memory = MemoryServerStore(epoch: 7)
        try measure("memory", count, in: &table) { memory.perform($0) }
        let file = try FileServerStore(at: folder + "/sync-store", epoch: 7)
        try measure("file", count, in: &table) { file.perform($0) }
        table.note = """
            Clients and server in one thread; each client's file is in memory. The server's part has what it does with \
            bytes that go down; reading those that come up is the client's here. Goals: up 100,000 a second; down within 5 s for a million, the first ones \
            after 200 ms. Bytes are before compression.
            """
        return table
    }

    private static func measure(
        _ name: String,
        _ count: Int,
        in table: inout SyncTable,
        perform: @escaping (ServerStoreRequest) -> ServerStoreAnswer
    ) throws {
        var room = Room(perform)
        try room.join("Item")
        let up = try time {
            for start in stride(from: 0, to: count, by: 1_000) {
                try room.commit(0, (start..<start + 1_000).map(create))
                try room.tell(0, .committed)
            }
        }
        let upServer = room.serverTime
        let before = room.bytes
        let start = ContinuousClock.now
        let down = try time { try room.join("Item") }
        let got = room.clients[1].store.data.objects.count
        guard got == count else {
            fatalError("\(got) of \(count) objects came, \(room.clients[0].store.data.state.acknowledged) commits went")
        }
        let first = room.clients[1].first.map { ($0 - start) / .milliseconds(1) } ?? .nan
        table.add(
            name,
            figure(up),
            grouped(Int(Double(count) / up)),
            figure(upServer / .seconds(1)),
            figure(down),
            grouped(Int(Double(count) / down)),
            figure((room.serverTime - upServer) / .seconds(1)),
            figure(first),
            figure(Double(room.bytes - before) / Double(count))
        )
    }

    private static func create(_ number: Int) -> LocalEdit {
        .create(
            ObjectName("Item", .int(Int64(number))),
            [
                "name": .value(.string(SyncString("item \(number)"))), "count": .value(.int(Int64(number % 1_000))),
                "price": .value(.double(Double(number) / 8)), "done": .value(.bool(number % 3 == 0)),
            ],
            defaults: []
        )
    }
}
