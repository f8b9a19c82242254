/// The specification of an index of several columns, for opening a database.
public struct CompoundIndexSpec: Hashable, Sendable {
    /// The names of the columns, the most significant first. There are two or more different columns.
    public var columns: [String]
    /// A Boolean value that indicates whether the values of all these columns together must be unique. Objects with a null in one of the columns are
    /// ignored.
    public var isUnique: Bool

    public init(_ columns: [String], unique: Bool = false) {
        self.columns = columns
        isUnique = unique
    }
}

/// An index of several columns in a file. It has an entry for each object, which consists of the values of the columns (see `CompoundEncoding`).
public final class CompoundColumnIndex: Sendable, CustomStringConvertible {
    public let tableID: Int
    /// The columns, the most significant first.
    public let columns: [Column]
    /// A Boolean value that indicates whether the values of all columns together must be unique. Objects with a null in one of the columns are
    /// ignored.
    public let isUnique: Bool
    /// The column that identifies the index in the table's state and as the owner of segments. It isn't a column of the table.
    let entries: Column

    /// The first id of compound indexes in tables' states. The ids are greater than those of all columns.
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
