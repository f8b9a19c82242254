import BenchMachine
import Foundation
import FreeholdServerStore
import FreeholdSyncCore

/// Objects of an asymmetric class, from a client to the server, which takes them in and answers.
enum IngestFigures {
    static func table(_ count: Int, folder: String) throws -> SyncTable {
        var table = SyncTable(
            "\(grouped(count)) objects of an asymmetric class, up from one client",
            [
                "server's store", "objects a commit", "s", "objects a second", "of it the server, s", "processor, s",
                "objects a second of it",
            ]
        )
        for objects in [1_000, 20] {
            var memory = MemoryServerStore(epoch: 7)
            try measure("memory", count, objects: objects, in: &table) { memory.perform($0) }
            let file = try FileServerStore(at: folder + "/ingest-\(objects)", epoch: 7)
            try measure("file", count, objects: objects, in: &table) { file.perform($0) }
            let stored = try file.ingestedCount(of: Room.stream, className: "Event", after: .start)
            if stored != (objects < 100 ? count / 10 : count) { fatalError("\(stored) of \(count) objects came") }
        }
        table.note = """
            Client and server in one thread; the client's file is in memory. Goal: 50,000 a second on two cores. The processor's \
            seconds are those of client, server and store together, and leave out what waits for the disk. With few objects a commit the file's \
            figure is its disk's: here each commit is answered before the next is made.
            """
        return table
    }

    private static func measure(
        _ name: String,
        _ count: Int,
        objects: Int,
        in table: inout SyncTable,
        perform: @escaping (ServerStoreRequest) -> ServerStoreAnswer
    ) throws {
        // Few objects a commit: a tenth of them is enough.
        let count = objects < 100 ? count / 10 : count
        var room = Room(createOnly: ["Event"], perform)
        try room.join("Item")
        let before = processorSeconds()
        let seconds = try time {
            for start in stride(from: 0, to: count, by: objects) {
                try room.commit(0, (start..<start + objects).map(create))
                try room.tell(0, .committed)
            }
        }
        let processor = processorSeconds() - before
        let acknowledged = room.clients[0].store.data.state.acknowledged
        if acknowledged != UInt64(count / objects) { fatalError("\(acknowledged) commits were answered") }
        table.add(
            name,
            grouped(objects),
            figure(seconds),
            grouped(Int(Double(count) / seconds)),
            figure(room.serverTime / .seconds(1)),
            figure(processor),
            grouped(Int(Double(count) / processor))
        )
    }

    private static func create(_ number: Int) -> LocalEdit {
        .create(
            ObjectName("Event", .int(Int64(number))),
            [
                "name": .value(.string(SyncString("event \(number)"))), "count": .value(.int(Int64(number % 1_000))),
                "price": .value(.double(Double(number) / 8)), "done": .value(.bool(number % 3 == 0)),
            ],
            defaults: []
        )
    }
}
