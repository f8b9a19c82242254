#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine

/// The tables of a stream's file with data other than objects. They are invisible in schemas, exports and queries.
struct HiddenTables {
    /// One row with the head, the last used numbers of the file, and the name of the stream.
    let head: Table
    /// A row for each version, with the version as its key: the hash, the clock and the time. The row is kept when the
    /// commit is removed from the log.
    let mark: Table
    /// A row for each commit in the log, whose key is the version minus 1.
    let log: Table
    /// A row for each file, whose key is the ident minus 1. The row is stored for ever if the file uploaded anything.
    /// Numbers aren't used again.
    let file: Table
    /// The parts of split commits.
    let part: Table
    /// The names of the fields of rows, and the places where the fields are stored: see `RowShape`.
    let shape: Table
    /// Deleted objects, and objects that fit no table: see `OtherObjects`.
    let other: Table
    /// The number of bytes that the commits of each user have added. It is `nil` until a quota is set.
    let usage: Table?
    /// The idents of the files of submissions. It is `nil` until such a file is requested.
    let writer: Table?
    /// The bytes of front ends, by the idents of their files. It is `nil` until a front end stores bytes.
    let front: Table?

    init?(_ schema: DatabaseSchema) {
        guard let head = schema.hiddenTable(named: "head"), let mark = schema.hiddenTable(named: "mark"),
            let log = schema.hiddenTable(named: "log"), let file = schema.hiddenTable(named: "file"),
            let part = schema.hiddenTable(named: "part"), let shape = schema.hiddenTable(named: "shape"),
            let other = schema.hiddenTable(named: "other")
        else { return nil }
        (self.head, self.mark, self.log, self.file) = (head, mark, log, file)
        (self.part, self.shape, self.other) = (part, shape, other)
        usage = schema.hiddenTable(named: Self.usageSpec.name)
        writer = schema.hiddenTable(named: Self.writerSpec.name)
        front = schema.hiddenTable(named: Self.frontSpec.name)
    }

    static func make(in transaction: WriteTransaction) throws(EngineError) {
        for spec in specs { _ = try transaction.addHiddenTable(spec) }
    }

    /// The specification of the table with the users' names and bytes.
    static let usageSpec = TableSpec(
        "usage",
        columns: [ColumnSpec("user", .string), ColumnSpec("bytes", .int)],
        primaryKey: "user"
    )

    /// A row for each file of submissions.
    static let writerSpec = TableSpec("writer", columns: [ColumnSpec("ident", .int)])

    /// A row for each file of a front end: the ident, and the bytes in pieces.
    static let frontSpec = TableSpec(
        "front",
        columns: [ColumnSpec("ident", .int), ColumnSpec("bytes", .data, collection: .list)],
        primaryKey: "ident"
    )

    /// The columns are named by their positions, which never change. New columns are appended.
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
    /// Returns a 64-bit number of a hidden row.
    func word(_ table: Table, _ column: Int, _ key: ObjectKey) -> UInt64 {
        UInt64(bitPattern: readInt(table.columns[column], key) ?? 0)
    }
}

extension WriteTransaction {
    func setWord(_ table: Table, _ column: Int, _ key: ObjectKey, _ value: UInt64) {
        setInt(table.columns[column], key, to: Int64(bitPattern: value))
    }
}
