import BenchMachine
import FreeholdSyncCore

/// What sessions that do nothing cost.
enum SessionFigures {
    static func table() -> SyncTable {
        var table = SyncTable("10,000 idle sessions", ["", "bytes a session", "µs to join"])
        for isShared in [true, false] {
            var crowd = Crowd()
            crowd.join("TRUEPREDICATE")
            let before = residentBytes()
            let seconds = time {
                for number in 0..<10_000 {
                    crowd.join(isShared ? "TRUEPREDICATE" : SyncString("owner == \(number)"))
                }
            }
            let bytes = (residentBytes() - before) / 10_000
            table.add(
                isShared ? "of one view" : "each of a view of its own",
                grouped(bytes),
                figure(seconds / 10_000 * 1e6)
            )
            if crowd.sessions != 10_001 { fatalError("sessions are missing") }
        }
        table.note =
            "The machine's and the store's memory, without sockets. Goal: 400 MB for 10,000 connections, sockets included."
        return table
    }
}

/// What one change costs, by how many views it could concern.
enum ViewFigures {
    static func table(_ counts: [Int]) -> SyncTable {
        var table = SyncTable(
            "One change of one object",
            ["sessions, each of a view of its own", "ms a change", "told"]
        )
        for count in counts {
            var crowd = Crowd()
            crowd.join("TRUEPREDICATE")
            for number in 0..<count { crowd.join(SyncString("owner == \(number)")) }
            let name = ObjectName("Item", 1)
            crowd.commit([.create(name, [NewField("owner", .value(1)), NewField("f", .value(0))])])
            var version: StreamVersion = 1
            let rounds = 20
            let before = crowd.changes
            let seconds = time {
                for round in 0..<rounds {
                    crowd.commit([.set(Place(name, "f"), .int(Int64(round)), .real)], seen: [name: version])
                    version += 1
                }
            }
            table.add(
                grouped(count),
                figure(seconds / Double(rounds) * 1e3),
                figure(Double(crowd.changes - before) / Double(rounds))
            )
        }
        table.note = "From the upload to the last message, store included. Goal: 5,000 sockets within 150 ms."
        return table
    }
}
