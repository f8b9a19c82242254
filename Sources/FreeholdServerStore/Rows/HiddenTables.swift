#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine

/// The tables of a stream's file that hold what isn't objects. No schema, export or query meets them.
struct HiddenTables {
    /// One row: the head, how far the file's numbers go, the stream's name.
    let head: Table
    /// A row for each version, its key the version: hash, clock and time, kept when the log is cut.
    let mark: Table
    /// A row for each commit that the log reaches, its key the version less 1.
    let log: Table
    /// A row for each file, its key the ident less 1. Kept for ever if the file uploaded anything. Numbers aren't used again.
    let file: Table
    /// Parts of split commits.
    let part: Table
    /// What fields rows have, and where each is: see `RowShape`.
    let shape: Table
    /// Tombstones, and objects that fit in no table: see `OtherObjects`.
    let other: Table
    /// The bytes that users' commits have added. Nil until a quota is set.
    let usage: Table?

    init?(_ schema: DatabaseSchema) {
        guard let head = schema.hiddenTable(named: "head"), let mark = schema.hiddenTable(named: "mark"),
            let log = schema.hiddenTable(named: "log"), let file = schema.hiddenTable(named: "file"),
            let part = schema.hiddenTable(named: "part"), let shape = schema.hiddenTable(named: "shape"),
            let other = schema.hiddenTable(named: "other")
        else { return nil }
        (self.head, self.mark, self.log, self.file) = (head, mark, log, file)
        (self.part, self.shape, self.other) = (part, shape, other)
        usage = schema.hiddenTable(named: Self.usageSpec.name)
    }

    static func make(in transaction: WriteTransaction) throws(EngineError) {
        for spec in specs { _ = try transaction.addHiddenTable(spec) }
    }

    /// The users' names and bytes.
    static let usageSpec = TableSpec(
        "usage",
        columns: [ColumnSpec("user", .string), ColumnSpec("bytes", .int)],
        primaryKey: "user"
    )

    /// Columns are named by their places: these never change, new ones come behind.
    private static let specs = [
        TableSpec(
            "head",
            columns: HeadColumn.allCases.map { ColumnSpec("\($0)", .int) } + [ColumnSpec("stream", .data)]
        ),
        TableSpec("mark", columns: MarkColumn.allCases.map { ColumnSpec("\($0)", .int) }),
        TableSpec(
            "log",
            columns: [
                ColumnSpec("ident", .int), ColumnSpec("commit", .int), ColumnSpec("body", .data, collection: .list),
            ]
        ),
        TableSpec(
            "file",
            columns: FileColumn.allCases.map { ColumnSpec("\($0)", $0.type, collection: $0.collection) }
        ),
        TableSpec(
            "part",
            columns: [
                ColumnSpec("name", .string), ColumnSpec("parts", .data, collection: .list), ColumnSpec("count", .int),
            ],
            primaryKey: "name"
        ),
        TableSpec("shape", columns: [ColumnSpec("fields", .data)]),
        TableSpec(
            "other",
            columns: [
                ColumnSpec("name", .string), ColumnSpec("class", .string, optional: true, indexed: true),
                ColumnSpec("alive", .bool), ColumnSpec("version", .int), ColumnSpec("body", .data, collection: .list),
            ],
            primaryKey: "name"
        ),
    ]
}

enum HeadColumn: Int, CaseIterable {
    case epoch, version, hashHigh, hashLow, clock, now, horizon, logStart
}

enum MarkColumn: Int, CaseIterable {
    case hashHigh, hashLow, clock, time
}

enum FileColumn: Int, CaseIterable {
    case user, secret, parents, last, hashHigh, hashLow, clock, leastBase, time, subscribed, pending, classes, answers

    var type: ColumnType {
        switch self {
        case .user, .classes: .string
        case .secret, .parents, .subscribed, .pending, .answers: .data
        default: .int
        }
    }

    var collection: CollectionKind {
        switch self {
        case .classes, .answers, .parents, .subscribed, .pending: .list
        default: .none
        }
    }
}

extension DataView {
    /// A number of 64 bits of a hidden row.
    func word(_ table: Table, _ column: Int, _ key: ObjectKey) -> UInt64 {
        UInt64(bitPattern: readInt(table.columns[column], key) ?? 0)
    }
}

extension WriteTransaction {
    func setWord(_ table: Table, _ column: Int, _ key: ObjectKey, _ value: UInt64) {
        setInt(table.columns[column], key, Int64(bitPattern: value))
    }
}
