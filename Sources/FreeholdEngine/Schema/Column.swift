/// How objects are found by a column's values without looking at all of them. Raw values are stored.
public enum IndexKind: UInt8, Sendable, Codable {
    case none = 0
    /// An entry for each object: equality, ranges, prefixes, order.
    case values = 1
    /// An entry for each different word of a string (see `TextMatching.unicode`).
    case fullText = 2
    /// An entry for each object whose list of coordinates is a place.
    case places = 3
    /// The same as `fullText` with words as Realm tells them (see `TextMatching`).
    case fullTextLatin1 = 4
}

/// The segments (address spaces of blocks) that belong to one column, as offsets from its first.
enum ColumnSegment: UInt32 {
    /// One leaf a cluster; block number = cluster.
    case leaf = 0
    /// Parts 1… of leaves that are over a block's limit; block number = cluster << 6 | part.
    case parts = 1
    /// Chunks of long strings and data; nodes of large lists.
    case blobs = 2
    /// Nodes of the search index.
    case index = 3
    /// Leaves of the inverse of a link column, in the target's clusters.
    case backlinkLeaf = 4
    case backlinkParts = 5
    case backlinkBlobs = 6

    static let count: UInt32 = 8

    /// Returns whether the segment has one block for each cluster: leaves, or leaves of an inverse. Tables' states, too.
    static func isLeaf(_ segment: UInt32) -> Bool { segment & 3 == 0 }
}

/// One column of a table, as stored in a file. Immutable; a changed schema makes new ones.
public final class Column: Sendable, CustomStringConvertible {
    /// Stable within the table, never used again.
    public let id: Int
    /// Position in `Table.columns`; of a hidden column, behind these.
    public let index: Int
    public let tableID: Int
    public let name: String
    public let type: ColumnType
    /// For collections: whether elements can be null.
    public let isOptional: Bool
    public let collection: CollectionKind
    /// For links: the target's table. Of a mixed column only in the form of `asBacklinkColumn(to:)`.
    public let targetTableID: Int?
    public let indexKind: IndexKind
    public let isPrimaryKey: Bool
    /// What deletions do along its links.
    public let rules: DeleteRules
    /// A Boolean value that indicates whether an index follows every change of the column, but for a primary key's.
    let hasIndex: Bool
    /// A Boolean value that indicates whether it is one of a compound index's columns.
    let isInCompound: Bool
    /// A Boolean value that indicates whether some index follows its changes.
    let isTracked: Bool
    /// A Boolean value that indicates whether it is hidden storage, or a column of a hidden table: nobody is told of its changes.
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

    /// Returns the column as the origin of links to one table: what the calls for backlinks take. A link column is its own; a mixed column links to
    /// objects of any table, so that its backlinks have to be asked for by table.
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

/// One table, as stored in a file. Immutable; a changed schema makes new ones.
public final class Table: Sendable, CustomStringConvertible {
    /// Stable in the file, never used again.
    public let id: Int
    public let name: String
    public let columns: [Column]
    /// Columns beside the schema: see `WriteTransaction.addHiddenColumn`.
    public let hiddenColumns: [Column]
    /// All that is stored: `columns`, then `hiddenColumns`.
    let storedColumns: [Column]
    /// A Boolean value that indicates whether it is hidden storage, which no schema names: see `WriteTransaction.addHiddenTable`.
    public let isHidden: Bool
    public let primaryKey: Column?
    /// Whether the journal has, or needs, an object's image: see `WriteTransaction.keepImages(of:)`.
    public let imageColumn: Column?
    /// A Boolean value that indicates whether each object belongs to exactly one link of another object and goes with it.
    public let isEmbedded: Bool
    /// A Boolean value that indicates whether its objects only leave the file: see `WriteTransaction.handOver(_:_:)`.
    public let isAsymmetric: Bool
    /// Indexes of several columns together.
    public let compounds: [CompoundColumnIndex]
    /// Block 0: the table's state; `firstSegment + 1`: presence bitmaps, a block a cluster;
    /// `firstSegment + 2`: counts of live objects, a block for each 1,000 clusters;
    /// `firstSegment + 3 ... 5`: leaves, parts and chunks of `mixedInverse`.
    let firstSegment: UInt32
    /// The inverse of the links to this table's objects inside mixed values of any table, as if it were a link
    /// column's: no column of the table. Its origins are coded as `MixedOrigin`.
    let mixedInverse: Column
    /// The id under which the table's state keeps what belongs to `mixedInverse`; above that of any column.
    static let mixedInverseID = 65_536
    /// Ids of dropped columns are never used again.
    let nextColumnID: Int

    /// - Parameter columns: the hidden ones last.
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

    /// Returns the column of that stored name. - Complexity: O(columns).
    public func column(named name: String) -> Column? { columns.first { $0.name == name } }

    /// Returns the hidden column of that name: these have names of their own. - Complexity: O(hidden columns).
    public func hiddenColumn(named name: String) -> Column? { hiddenColumns.first { $0.name == name } }

    /// A Boolean value that indicates whether no two columns have one name.
    var hasColumnsOnceEach: Bool {
        Set(columns.map(\.name)).count == columns.count && Set(hiddenColumns.map(\.name)).count == hiddenColumns.count
    }

    public var description: String { name }
}
