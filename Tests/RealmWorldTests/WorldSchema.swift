import FreeholdEngine
import FreeholdRealmWire

/// The classes of the worlds, in the forms of the official client and of the server.
enum WorldSchema {
    typealias Column = FreeholdRealmWire.ColumnSpec

    private static func column(
        _ name: WireText,
        _ kind: ColumnKind,
        isNullable: Bool = false,
        collection: FreeholdRealmWire.CollectionKind = .single,
        target: WireText? = nil
    ) -> (_ table: WireText) -> Column {
        { table in
            Column(
                table: table,
                field: name,
                kind: kind,
                isNullable: isNullable || kind == .mixed,
                collection: collection,
                target: target
            )
        }
    }

    /// The fields of each class, without its primary key.
    private static var fields: [(table: WireText, columns: [(WireText) -> Column])] {
        [
            (
                "A",
                [
                    column("s", .string, isNullable: true), column("n", .int), column("o", .int, isNullable: true),
                    column("m", .mixed), column("d", .double), column("b", .bool),
                    column("li", .int, collection: .list),
                    column("ls", .string, isNullable: true, collection: .list), column("lm", .mixed, collection: .list),
                    column("si", .int, collection: .set), column("ss", .string, collection: .set),
                    column("di", .int, collection: .dictionary), column("dm", .mixed, collection: .dictionary),
                    column("lk", .link, isNullable: true, target: "B"),
                    column("ll", .link, collection: .list, target: "B"),
                    column("sl", .link, collection: .set, target: "B"),
                    column("dl", .link, isNullable: true, collection: .dictionary, target: "B"),
                    column("e", .link, isNullable: true, target: "E"),
                    column("le", .link, collection: .list, target: "E"),
                    column("de", .link, isNullable: true, collection: .dictionary, target: "E"),
                ]
            ),
            ("B", [column("n", .int), column("name", .string, isNullable: true)]),
            (
                "E",
                [
                    column("x", .int), column("y", .string, isNullable: true), column("q", .int, collection: .list),
                    column("g", .link, isNullable: true, target: "F"),
                    column("lf", .link, collection: .list, target: "F"),
                ]
            ),
            ("F", [column("z", .int), column("ts", .string, collection: .set)]),
        ]
    }

    private static let keys: [WireText: ColumnKind] = ["A": .int, "B": .string]

    /// The classes as the official client creates them.
    static let instructions: [Instruction] =
        fields.map { table, _ in
            .addTable(
                FreeholdRealmWire.TableSpec(
                    name: table,
                    kind: keys[table] == nil ? .embedded : .topLevel,
                    primaryKey: keys[table].map { .init(field: "_id", kind: $0, isNullable: false) }
                )
            )
        } + fields.flatMap { table, columns in columns.map { .addColumn($0(table)) } }

    /// The classes in memory.
    static let wire: WireSchema = {
        var state = WireState()
        try! state.apply(Changeset(instructions))
        return state.schema
    }()

    /// The classes of the server.
    static let tables: [FreeholdEngine.TableSpec] = {
        let schema = SharedSchema()
        schema.adopt(instructions)
        return schema.tables
    }()
}
