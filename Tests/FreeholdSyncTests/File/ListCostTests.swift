import Foundation
import FreeholdEngine
import FreeholdSync
import Testing

@testable import FreeholdSyncCore

/// The cost of edits of long lists at a client: what an edit adds doesn't depend on the list's length.
@Suite(.serialized) struct ListCostTests {
    /// A synced file with one object that has a list.
    private struct ListFile {
        static let name = ObjectName("Thing", 1)
        let folder: TemporaryFolder
        let database: Database
        var store: FileClientStore
        let length: Int
        private(set) var version: StreamVersion = 1

        init(_ length: Int) throws {
            self.length = length
            folder = try TemporaryFolder()
            database = try Database.open(at: folder.path + "/client.realm")
            let write = try database.beginWrite()
            let spec = TableSpec(
                "Thing",
                columns: [ColumnSpec("_id", .int), ColumnSpec("list", .int, collection: .list)],
                primaryKey: "_id"
            )
            try write.applySchema([spec])
            _ = try write.commit()
            store = try FileClientStore(database)
            let elements = (0..<length).map { ConfirmedContent.value(.int(Int64($0))) }
            let run = ElementRun(made: nil, elements)
            try take(.whole(version: 1, born: 1, [ConfirmedField("list", .list([run]))]))
        }

        mutating func take(_ content: ObjectUpdate.Content) throws {
            let batch = ClassBatch(className: "Thing", objects: [ObjectUpdate(1, content)])
            try store.transact { transaction in
                try transaction.resolveLocalCommits()
                _ = try transaction.take(batch)
                expectEqual(transaction.state.wanted, [])
            }
        }

        /// Takes in a difference with some single inserts of another file, spread over the list.
        mutating func download(_ count: Int, from length: Int? = nil) throws {
            let length = length ?? self.length
            var pieces: [ListDifference.Piece] = []
            var start = 0
            for index in 0..<count {
                let end = length * (index + 1) / (count + 1)
                if end > start { pieces.append(.kept(start: start, count: end - start)) }
                let made = Made(version: version + 1, number: OwnNumber(1_000_000 + index))
                pieces.append(.new(ElementRun(made: made, [.value(.int(-1))])))
                start = end
            }
            if length > start { pieces.append(.kept(start: start, count: length - start)) }
            let field = FieldDifference("list", .list(ListDifference(pieces: pieces)))
            try take(.difference(version: version + 1, base: version, [field]))
            version += 1
        }

        /// Inserts, moves and removes single elements, spread over the list.
        func edit(_ count: Int) throws {
            let write = try database.beginWrite()
            let table = write.schema.table(named: "Thing")!
            let (column, key) = (table.column(named: "list")!, write.find(primaryKey: .int(1), in: table)!)
            for index in 0..<count {
                let length = write.listCount(column, key)
                let at = (index * 7_919) % (length - 1)
                switch index % 5 {
                case 0, 1, 2: try write.listInsert(column, key, at: at, value: .int(Int64(index)))
                case 3: try write.listMove(column, key, from: at, to: (at * 31 + 5) % length)
                default: try write.listRemove(column, key, range: at..<at + 1)
                }
            }
            _ = try write.commit(durably: false)
        }

        mutating func resolve() throws { try store.transact { _ = try $0.resolveLocalCommits() } }

        var elements: [Value] {
            get throws {
                let view = try database.snapshot()
                let table = view.schema.table(named: "Thing")!
                return view.listValues(table.column(named: "list")!, view.find(primaryKey: .int(1), in: table)!)
            }
        }
    }

    private static let lengths = TestBudget.isSoak ? [1_000, 10_000, 100_000] : [1_000, 16_000]

    /// The cost of one more edit.
    private static func marginal(_ few: Int, _ many: Int, _ cost: (Int) throws -> Double) rethrows -> Double {
        let small = try CPUTime.least { try cost(few) }
        let large = try CPUTime.least { try cost(many) }
        return max(large - small, 0) / Double(many - few)
    }

    /// A search among √n pieces, and n of one piece: √16 for 16 times as long a list, and some more for the machine's noise.
    private static func expectAlike(_ costs: [Double], _ what: String, floor: Double = 30e-6) {
        print("\(what), µs for lists of \(lengths): \(costs.map { Int($0 * 1e6) })")
        expect(costs.last! <= max(costs[0], floor) * 5, "\(what): \(costs)")
    }

    @Test func `an edit of a long list gets its names as quickly as one of a short list`() throws {
        let costs = try Self.lengths.map { length in
            try Self.marginal(10, 210) { count in
                var file = try ListFile(length)
                try file.edit(count)
                return try CPUTime.spent { try file.resolve() }.seconds
            }
        }
        Self.expectAlike(costs, "resolving an edit")
    }

    @Test func `a transaction on a list with pending work costs as much as its additions`() throws {
        let costs = try Self.lengths.map { length in
            try Self.marginal(10, 130) { count in
                var file = try ListFile(length)
                for _ in 0..<count { try file.edit(1) }
                return try CPUTime.spent { try file.resolve() }.seconds
            }
        }
        // The cost that each transaction of the app adds to the one reading and writing of the list.
        Self.expectAlike(costs, "resolving a transaction", floor: 400e-6)
    }

    @Test func `the download of a list's difference costs as much as the difference`() throws {
        let costs = try Self.lengths.map { length in
            try CPUTime.least(of: 3) {
                var file = try ListFile(length)
                let seconds = try CPUTime.spent { try file.download(1) }.seconds
                expectEqual(try file.elements.count, length + 1)
                expectEqual(try file.elements[length / 2], .int(-1))
                return seconds
            }
        }
        print("a download, µs for lists of \(Self.lengths): \(costs.map { Int($0 * 1e6) })")
        expect(costs.last! <= max(costs[0], 0.002) * 3, "\(costs)")
    }

    @Test func `a download over pending work costs the same for each pending edit and each new element`() throws {
        let costs = try Self.lengths.map { length in
            try Self.marginal(10, 210) { count in
                var file = try ListFile(length)
                try file.edit(count)
                try file.resolve()
                return try CPUTime.spent { try file.download(count) }.seconds
            }
        }
        Self.expectAlike(costs, "a download over pending work")
    }
}

/// Two devices and a server.
struct LongListMergeTests {
    @Test func `two devices that edit a long list offline end with one list that has all inserted elements`()
        async throws
    {
        let length = 5_000
        let schema = [
            TableSpec(
                "Person",
                columns: [ColumnSpec("_id", .int), ColumnSpec("list", .int, collection: .list)],
                primaryKey: "_id"
            )
        ]
        let server = LoopbackServer()
        let (one, two) = (try FileClient(server, schema: schema), try FileClient(server, schema: schema))
        for client in [one, two] { try await client.subscribe() }
        func list(_ write: WriteTransaction) -> (Column, ObjectKey) {
            let table = write.schema.table(named: "Person")!
            return (table.column(named: "list")!, write.find(primaryKey: .int(1), in: table)!)
        }
        try one.write { write in
            let table = write.schema.table(named: "Person")!
            let key = try write.create(table, primaryKey: .int(1))
            try write.listAppend(table.column(named: "list")!, key, values: (0..<length).map { .int(Int64($0)) })
        }
        try await one.settle()
        try await two.settle()

        server.setReachable(false)
        var gone: Set<Int64> = []
        for (device, client) in [one, two].enumerated() {
            for transaction in 0..<10 {
                try client.write { write in
                    let (column, key) = list(write)
                    for index in 0..<50 {
                        let count = write.listCount(column, key)
                        let at = (transaction * 50 + index) * 7_919 % (count - 1)
                        switch index % 5 {
                        case 0, 1, 2:
                            let value = Int64((device + 1) * 1_000_000 + transaction * 100 + index)
                            try write.listInsert(column, key, at: at, value: .int(value))
                        case 3: try write.listMove(column, key, from: at, to: (at * 31 + device) % count)
                        default:
                            if case .int(let value) = write.listValue(column, key, at: at) { gone.insert(value) }
                            try write.listRemove(column, key, range: at..<at + 1)
                        }
                    }
                }
            }
        }
        let start = ContinuousClock.now
        server.setReachable(true)
        for client in [one, two] { client.session.reconnect() }
        for _ in 0..<2 { for client in [one, two] { try await client.settle() } }
        print("500 edits of a list of \(length) on two devices merged after \(ContinuousClock.now - start)")

        let contents = try one.contents
        try expectEqual(two.contents, contents)
        guard case .list(let elements)? = contents[ObjectName("Person", 1)]?["list"] else {
            Issue.record("no list")
            return
        }
        var wanted: [Int64] = (0..<Int64(length)).map { $0 }
        for device in 1...2 {
            for transaction in 0..<10 {
                for index in 0..<50 where index % 5 < 3 {
                    wanted.append(Int64(device * 1_000_000 + transaction * 100 + index))
                }
            }
        }
        var numbers: [Int64] = []
        for case .value(.int(let number)) in elements { numbers.append(number) }
        expectEqual(numbers.sorted(), wanted.filter { !gone.contains($0) }.sorted())
        await one.session.close()
        await two.session.close()
    }
}
