/// The kind of index by which objects are found without reading all of them. The raw values are stored in files.
public enum IndexKind: UInt8, Sendable, Codable {
    case none = 0
    /// An entry for each object. It supports equality, ranges, prefixes and order.
    case values = 1
    /// An entry for each different word of a string (see `TextMatching.unicode`).
    case fullText = 2
    /// An entry for each object whose list of coordinates is a place.
    case places = 3
    /// Like `fullText`, with Realm's rules for words (see `TextMatching`).
    case fullTextLatin1 = 4
}

/// The segments (address spaces of blocks) of one column, as offsets from its first segment.
enum ColumnSegment: UInt32 {
    /// One leaf for each cluster. The block number is the cluster.
    case leaf = 0
    /// Parts 1… of leaves that exceed a block's limit. The block number is cluster << 6 | part.
    case parts = 1
    /// Chunks of long strings and data, and nodes of large lists.
    case blobs = 2
    /// The nodes of the search index.
    case index = 3
    /// The leaves of the inverse of a link column, in the target's clusters.
    case backlinkLeaf = 4
    case backlinkParts = 5
    case backlinkBlobs = 6

    static let count: UInt32 = 8

    /// Returns whether the segment has one block for each cluster, such as leaves or leaves of an inverse. The result is also true for the states of
    /// tables.
    static func isLeaf(_ segment: UInt32) -> Bool { segment & 3 == 0 }
}

/// A column of a table in a file. It is immutable. A changed schema has new objects.
public final class Column: Sendable, CustomStringConvertible {
    /// The id of the column, which is stable in the table and never reused.
    public let id: Int
    /// The position in `Table.columns`. Hidden columns follow the others.
    public let index: Int
    public let tableID: Int
    public let name: String
    public let type: ColumnType
    /// A Boolean value that indicates whether values can be null. For collections, whether elements can be null.
    public let isOptional: Bool
    public let collection: CollectionKind
    /// The id of the target's table, for links. A mixed column has a target only in the form of `asBacklinkColumn(to:)`.
    public let targetTableID: Int?
    public let indexKind: IndexKind
    public let isPrimaryKey: Bool
    /// The rules for deletions along its links.
    public let rules: DeleteRules
    /// A Boolean value that indicates whether an index follows every change of the column. The index of a primary key isn't included.
    let hasIndex: Bool
    /// A Boolean value that indicates whether it is a column of a compound index.
    let isInCompound: Bool
    /// A Boolean value that indicates whether any index follows its changes.
    let isTracked: Bool
    /// A Boolean value that indicates whether it is hidden storage, or a column of a hidden table. Observers aren't notified of its changes.
    public let isHidden: Bool
    let firstSegment: UInt32

    /// A Boolean value that indicates whether the values themselves are indexed.
    public var isIndexed: Bool { indexKind == .values }

    init(
        id: Int,
        index: Int,
        tableID: Int,
        name: String,
        type: ColumnType,
        isOptional: Bool,
        collection: CollectionKind,
        targetTableID: Int?,
        indexKind: IndexKind,
        isPrimaryKey: Bool,
        isInCompound: Bool = false,
        rules: DeleteRules = DeleteRules(),
        isHidden: Bool = false,
        firstSegment: UInt32
    ) {
        self.isHidden = isHidden
        self.rules = rules
        self.id = id
        self.index = index
        self.tableID = tableID
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.collection = collection
        self.targetTableID = targetTableID
        self.indexKind = indexKind
        hasIndex = indexKind != .none
        self.isInCompound = isInCompound
        isTracked = indexKind != .none || isInCompound
        self.isPrimaryKey = isPrimaryKey
        self.firstSegment = firstSegment
    }

    func segment(_ kind: ColumnSegment) -> UInt32 { firstSegment + kind.rawValue }

    /// Returns the column in the form that the functions for backlinks take: as the origin of links to one table. For a link column, this is the
    /// column itself. A mixed column can link to objects of any table, so its backlinks are requested for a table.
    public func asBacklinkColumn(to table: Table) -> Column {
        guard type == .mixed else { return self }
        return Column(
            id: id,
            index: index,
            tableID: tableID,
            name: name,
            type: type,
            isOptional: isOptional,
            collection: collection,
            targetTableID: table.id,
            indexKind: indexKind,
            isPrimaryKey: isPrimaryKey,
            isInCompound: isInCompound,
            rules: rules,
            isHidden: isHidden,
            firstSegment: firstSegment
        )
    }

    public var description: String { name }
}

/// A table in a file. It is immutable. A changed schema has new objects.
public final class Table: Sendable, CustomStringConvertible {
    /// The id of the table, which is stable in the file and never reused.
    public let id: Int
    public let name: String
    public let columns: [Column]
    /// The columns that aren't part of the schema: see `WriteTransaction.addHiddenColumn`.
    public let hiddenColumns: [Column]
    /// All stored columns: `columns`, followed by `hiddenColumns`.
    let storedColumns: [Column]
    /// A Boolean value that indicates whether the table is hidden storage, which isn't part of the schema: see `WriteTransaction.addHiddenTable`.
    public let isHidden: Bool
    public let primaryKey: Column?
    /// The column that indicates whether the journal has, or needs, an object's image: see `WriteTransaction.keepImages(of:)`.
    public let imageColumn: Column?
    /// A Boolean value that indicates whether each object belongs to exactly one link of another object and is deleted with it.
    public let isEmbedded: Bool
    /// A Boolean value that indicates whether the objects are only sent and not kept in the file: see `WriteTransaction.handOver(_:_:)`.
    public let isAsymmetric: Bool
    /// The indexes of several columns.
    public let compounds: [CompoundColumnIndex]
    /// The first segment of the table. Its block 0 is the table's state. `firstSegment + 1` has presence bitmaps, one block for each cluster.
    /// `firstSegment + 2` has counts of live objects, one block for each 1,000 clusters. `firstSegment + 3 ... 5` have leaves, parts and chunks of
    /// `mixedInverse`.
    let firstSegment: UInt32
    /// The inverse of the links to this table's objects inside mixed values of all tables. It has the form of a link column's inverse, but isn't a
    /// column of the table. Its origins are encoded as `MixedOrigin`.
    let mixedInverse: Column
    /// The id of `mixedInverse` in the table's state. It is greater than that of any column.
    static let mixedInverseID = 65_536
    /// The id of the next column. Ids of dropped columns are never reused.
    let nextColumnID: Int

    /// - Parameter columns: the columns, with the hidden ones last.
    init(
        id: Int,
        name: String,
        columns: [Column],
        isEmbedded: Bool = false,
        isAsymmetric: Bool = false,
        isHidden: Bool = false,
        compounds: [CompoundColumnIndex] = [],
        firstSegment: UInt32,
        nextColumnID: Int
    ) {
        self.isHidden = isHidden
        storedColumns = columns
        hiddenColumns = isHidden ? [] : columns.filter(\.isHidden)
        self.compounds = compounds
        self.nextColumnID = nextColumnID
        self.isEmbedded = isEmbedded
        self.isAsymmetric = isAsymmetric
        self.id = id
        self.name = name
        self.columns = isHidden ? columns : columns.filter { !$0.isHidden }
        self.primaryKey = columns.first { $0.isPrimaryKey }
        imageColumn = isHidden ? nil : columns.first { $0.isHidden && $0.name == Table.imageColumnName }
        self.firstSegment = firstSegment
        mixedInverse = Column(
            id: Table.mixedInverseID,
            index: -1,
            tableID: id,
            name: "@mixed",
            type: .link,
            isOptional: false,
            collection: .none,
            targetTableID: id,
            indexKind: .none,
            isPrimaryKey: false,
            isHidden: isHidden,
            firstSegment: firstSegment - 1
        )
    }

    /// Returns the column with that stored name.
    /// - Complexity: O(columns).
    public func column(named name: String) -> Column? { columns.first { $0.name == name } }

    /// Returns the hidden column with that name. The names of hidden columns are separate.
    /// - Complexity: O(hidden columns).
    public func hiddenColumn(named name: String) -> Column? { hiddenColumns.first { $0.name == name } }

    /// A Boolean value that indicates whether the names of all columns are different.
    var hasColumnsOnceEach: Bool {
        Set(columns.map(\.name)).count == columns.count && Set(hiddenColumns.map(\.name)).count == hiddenColumns.count
    }

    public var description: String { name }
}
