import BenchMachine
import Foundation
import FreeholdBSON
import FreeholdCompression
import FreeholdEngine
import FreeholdSyncCore

/// Batches of objects on the wire, beside BSON and Extended JSON.
enum CodecFigures {
    private static let count = 1_000
    private static let words = [
        "buy", "milk", "call", "anna", "write", "report", "fix", "bike", "book", "flight", "pay",
    ]

    /// Objects of seven properties: texts, numbers, a date, a link.
    private struct Item {
        let id: ObjectId
        let title: String
        let isDone: Bool
        let priority: Int64
        let due: Int64
        let price: Double
        let owner: Int64

        init(_ number: Int, _ random: inout some RandomNumberGenerator) {
            id = ObjectId.generate()
            title = (0..<4).map { _ in words.randomElement(using: &random)! }.joined(separator: " ")
            isDone = Bool.random(using: &random)
            priority = .random(in: 0...5, using: &random)
            due = 1_750_000_000 + Int64(number) * 3_600
            price = Double(Int.random(in: 0...10_000, using: &random)) / 100
            owner = .random(in: 1...500, using: &random)
        }

        var update: ObjectUpdate {
            func field(_ name: SyncString, _ value: SyncValue) -> ConfirmedField { ConfirmedField(name, .value(value)) }
            return ObjectUpdate(
                .objectId(id),
                .whole(
                    version: 1_000,
                    born: 1_000,
                    [
                        field("done", .bool(isDone)),
                        field("due", .date(Timestamp(seconds: due, nanoseconds: 0))),
                        field("owner", .link(ObjectName("Person", .int(owner)))), field("price", .double(price)),
                        field("priority", .int(priority)), field("title", .string(SyncString(title))),
                    ]
                )
            )
        }

        var document: BSONDocument {
            [
                "_id": .objectId(id), "done": .bool(isDone),
                "due": .datetime(BSONDateTime(milliseconds: due * 1_000)), "owner": .int64(owner),
                "price": .double(price), "priority": .int64(priority), "title": .string(title),
            ]
        }
    }

    static func table() throws -> SyncTable {
        var random = SystemRandomNumberGenerator()
        let items = (0..<count).map { Item($0, &random) }
        let batch = ClassBatch(className: "Item", objects: items.map(\.update))
        let (from, to) = (
            Cursor(epoch: 1, version: 1, hash: .empty), Cursor(epoch: 1, version: 2, hash: .empty)
        )
        let message = ServerMessage.changes(1, Changes(from: from, to: to, clock: .zero, classes: [batch]))
        let codec = MessageCodec()
        let documents = items.map(\.document)

        var table = SyncTable(
            "A batch of \(grouped(count)) objects of seven properties",
            ["", "bytes an object", "deflated", "encode, ns an object", "decode, ns an object"]
        )
        func add(_ name: String, _ make: () throws -> [UInt8], read: ([UInt8]) throws -> Void) throws {
            let bytes = try make()
            let rounds = 200
            let encoding = try time { for _ in 0..<rounds { _ = try make() } }
            let decoding = try time { for _ in 0..<rounds { try read(bytes) } }
            func each(_ seconds: Double) -> String { figure(seconds / Double(rounds * count) * 1e9) }
            table.add(
                name,
                figure(Double(bytes.count) / Double(count)),
                figure(Double(deflated(bytes)) / Double(count)),
                each(encoding),
                each(decoding)
            )
        }
        try add("columns (`changes`)", { try codec.encode(message) }) { bytes in
            guard try codec.serverMessage(bytes) == message else { fatalError("it isn't read as it was") }
        }
        try add("BSON", { try documents.flatMap { try $0.bytes() } }) { bytes in
            var rest = bytes[...]
            while rest.count >= 4 {
                let size = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
                _ = try BSONDocument(bytes: Array(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
        }
        for format in [ExtendedJSONFormat.canonical, .relaxed] {
            try add(
                "Extended JSON, \(format)",
                { try documents.flatMap { try Array($0.extendedJSON(format).utf8) + [10] } },
                read: { bytes in
                    for line in bytes.split(separator: 10) {
                        _ = try BSONDocument(extendedJSON: String(decoding: line, as: UTF8.self))
                    }
                }
            )
        }
        table.note = """
            Deflated by zlib at level 6, as one block. Decoding of columns includes comparing the message with what was \
            written. Goal: 59 bytes, 28 deflated; Extended JSON 282 and 53 (objects of the design's own measurement).
            """
        return table
    }

    private static func deflated(_ bytes: [UInt8]) -> Int { zlib.compressed(bytes)?.count ?? bytes.count }

    private static let zlib = ZlibCompression(level: 6)
}
