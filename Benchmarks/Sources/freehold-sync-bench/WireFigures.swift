import BenchMachine
import FreeholdRealmWire

/// Small objects in the changesets of official Realm clients.
enum WireFigures {
    private static let count = 50_000

    private static var schema: WireSchema {
        get throws {
            var schema = WireSchema()
            let key = TableSpec.PrimaryKey(field: "_id", kind: .objectID, isNullable: false)
            try schema.add(TableSpec(name: "Item", kind: .topLevel, primaryKey: key))
            for (field, kind) in [
                ("title", ColumnKind.string), ("done", .bool), ("priority", .int), ("price", .double),
            ] {
                try schema.add(ColumnSpec(table: "Item", field: WireText(field), kind: kind, isNullable: false))
            }
            return schema
        }
    }

    /// Returns the objects of a bootstrap: each has four fields.
    private static func changeset() -> Changeset {
        var random = SystemRandomNumberGenerator()
        var instructions: [Instruction] = []
        instructions.reserveCapacity(5 * count)
        for number in 0..<count {
            let id = WireObjectID(high: UInt64(number), low: .random(in: 0...(.max), using: &random))
            let object = WireObject(table: "Item", key: .objectID(id))
            func update(_ field: WireText, _ value: Payload) {
                let path = WirePath(object: object, field: field)
                instructions.append(.update(at: path, value: value, mark: .field(isDefault: false)))
            }
            instructions.append(.createObject(object))
            update("title", .string(WireText("item number \(number)")))
            update("done", .bool(.random(using: &random)))
            update("priority", .int(.random(in: 0...5, using: &random)))
            update("price", .double(Double(Int.random(in: 0...10_000, using: &random)) / 100))
        }
        return Changeset(instructions)
    }

    static func table() throws -> SyncTable {
        let changeset = changeset()
        let bytes = try changeset.encoded()
        let schema = try schema
        var table = SyncTable(
            "\(grouped(count)) objects of four properties for an official Realm client",
            ["", "ns an object", "objects a second", "instructions a second"]
        )
        func add(_ name: String, _ body: () throws -> Void) throws {
            let rounds = 5
            let seconds = try time { for _ in 0..<rounds { try body() } } / Double(rounds)
            table.add(
                name,
                figure(seconds / Double(count) * 1e9),
                grouped(Int(Double(count) / seconds)),
                grouped(Int(Double(changeset.instructions.count) / seconds))
            )
        }
        try add("encode") { _ = try changeset.encoded() }
        try add("decode") { _ = try Changeset(bytes: bytes) }
        try add("check and apply") {
            var state = WireState(schema: schema)
            try ChangesetValidator(version: 14).apply(changeset, to: &state)
        }
        let own = MergeEntry(order: ChangeOrder(timestamp: 2, ident: 2), changeset: changeset)
        let incoming = MergeEntry(order: ChangeOrder(timestamp: 1, ident: 1), changeset: changeset)
        try add("merge with the same objects") { _ = try ClientMerge.transformed(own: own, incoming: incoming) }
        table.note = """
            \(figure(Double(bytes.count) / Double(count))) bytes an object, without compression. Goals: 200,000 objects encoded \
            and 400,000 instructions decoded in a second.
            """
        return table
    }
}
