import Synchronization

/// An index of a table, by the names of its columns.
public struct QueryIndex: Hashable, Sendable {
    public let table: String
    /// The name of the indexed column, or the names of the columns of a compound index, the most significant first.
    public let columns: [String]

    public init(table: String, columns: [String]) { (self.table, self.columns) = (table, columns) }

    init(_ column: Column, of table: Table) { self.init(table: table.name, columns: [column.name]) }

    init(_ compound: CompoundColumnIndex, of table: Table) {
        self.init(table: table.name, columns: compound.columns.map(\.name))
    }
}

/// The indexes through which queries have found or sorted objects.
///
/// A query notes an index when it reads the index for its objects. Any thread may use it.
public final class IndexUses: Sendable {
    private let noted = Mutex<Set<QueryIndex>>([])

    public init() {}

    public var indexes: Set<QueryIndex> { noted.withLock { $0 } }

    func note(_ index: QueryIndex) { noted.withLock { _ = $0.insert(index) } }

    /// Records the indexes of an access and its parts.
    func note(_ access: any IndexAccess) {
        if let index = access.index { note(index) }
        for part in access.parts { note(part) }
    }
}
