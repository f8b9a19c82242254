/// An index of several columns together, as asked for when a database is opened.
public struct CompoundIndexSpec: Hashable, Sendable {
    /// The most significant first; two or more, each once.
    public var columns: [String]
    /// A Boolean value that indicates whether no two objects may have the same values in all of them. Objects with a null in one don't count.
    public var isUnique: Bool

    public init(_ columns: [String], unique: Bool = false) {
        self.columns = columns
        isUnique = unique
    }
}

/// An index of several columns together, as stored in a file: an entry for each object, its columns' values one behind
/// the other (see `CompoundEncoding`).
public final class CompoundColumnIndex: Sendable, CustomStringConvertible {
    public let tableID: Int
    /// The most significant first.
    public let columns: [Column]
    /// A Boolean value that indicates whether no two objects may have the same values in all columns. Objects with a null in one don't count.
    public let isUnique: Bool
    /// What the table's state and the segments' owner are told by: no column of the table.
    let entries: Column

    /// The ids under which tables' states keep trees of compound indexes are above all those of columns.
    static let firstStateID = Table.mixedInverseID + 1

    init(tableID: Int, columns: [Column], isUnique: Bool, firstSegment: UInt32) {
        self.tableID = tableID
        self.columns = columns
        self.isUnique = isUnique
        entries = Column(
            id: Self.firstStateID + Int(firstSegment),
            index: -1,
            tableID: tableID,
            name: columns.map(\.name).joined(separator: ", "),
            type: .data,
            isOptional: false,
            collection: .none,
            targetTableID: nil,
            indexKind: .none,
            isPrimaryKey: false,
            firstSegment: firstSegment
        )
    }

    var spec: CompoundIndexSpec { CompoundIndexSpec(columns.map(\.name), unique: isUnique) }
    var firstSegment: UInt32 { entries.firstSegment }
    public var description: String { entries.name }
}
