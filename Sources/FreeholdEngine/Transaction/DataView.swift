/// One consistent state of a database: a `Snapshot`, or the inside of a `WriteTransaction`.
///
/// The storage half of this class hands out leaves; the rest of the engine (queries, lists, indexes) reads
/// through it and so works the same on both. Pointers of a snapshot are valid for the snapshot's life, those of a
/// write transaction until its next change.
public class DataView: BlockStore {
    /// Objects a cluster: fixed in the file.
    public let clusterSpan: Int

    /// ⌈2⁶⁴ / clusterSpan⌉: the high word of a product with it is the quotient, for keys below 2⁴⁴.
    let reciprocal: UInt64

    init(clusterSpan: Int) {
        self.clusterSpan = clusterSpan
        reciprocal = clusterSpan == 1 ? 0 : UInt64.max / UInt64(clusterSpan) + 1
    }

    public var schema: DatabaseSchema { fatalError("abstract") }

    /// The number that the application gave its schema.
    public var userVersion: UInt64 { fatalError("abstract") }

    func tableState(_ table: Table) -> TableState { fatalError("abstract") }

    /// What a table's state has of one of its columns.
    func columnState(_ column: Column) -> TableState.ColumnState {
        tableState(schema.table(of: column)).columns[column.id] ?? .init()
    }

    /// Returns the number of objects. - Complexity: O(1).
    public func count(_ table: Table) -> Int { tableState(table).count }

    /// Returns the key that the next object of a table gets.
    func nextKey(_ table: Table) -> Int64 { tableState(table).nextKey }

    /// Calls `body` with where the live objects stand, cluster by cluster.
    func withPositions<R>(_ table: Table, _ body: (TableCache) -> R) -> R { body(positions(table)) }

    /// Where the live objects stand, cluster by cluster.
    func positions(_ table: Table) -> TableCache { fatalError("abstract") }

    /// Inside a write transaction: the column's decoded values in a cluster, if it has been changed there. The transaction keeps them until it
    /// is changed again.
    func unretainedBuffer(_ column: Column, cluster: Int) -> Unmanaged<LeafBuffer>? { nil }

    /// The same, retained.
    final func buffer(_ column: Column, cluster: Int) -> LeafBuffer? {
        unretainedBuffer(column, cluster: cluster)?.takeUnretainedValue()
    }

    /// The same of the inverse of a link column, in the target's cluster.
    func backlinkBuffer(_ column: Column, cluster: Int) -> LeafBuffer? { nil }

    /// Makes what is pending readable: called before backlinks, or an index, are read.
    func settleBacklinks(_ column: Column) {}
    func settleIndex(_ column: Column) {}

    /// Inside a write transaction: where a primary key stands if its pending changes tell; nil to ask the tree.
    func pendingPrimaryKey(_ value: Value, _ table: Table) -> ObjectKey?? { nil }

    /// Returns whether there is such an object. - Complexity: O(1).
    public func contains(_ table: Table, _ key: ObjectKey) -> Bool { fatalError("abstract") }

    /// Found something in the file that can't have been stored. Returns only where somebody can throw: then what is
    /// damaged is read as if it weren't stored.
    func damaged(_ what: @autoclosure () -> String) { fatalError("abstract") }

    /// For accessors; nil inside a write transaction.
    public func leafChunks(_ column: Column) -> UnsafePointer<UnsafeRawPointer?>? { nil }

    /// Returns the number of clusters that have ever held an object.
    func clusterCount(_ table: Table) -> Int { fatalError("abstract") }

    /// Returns the number of live objects in a cluster.
    func liveCount(_ table: Table, cluster: Int) -> Int { fatalError("abstract") }

    /// Returns the cluster's presence bitmap of `(clusterSpan + 63) / 64` words, or `nil` if exactly the slots `0 ..< liveCount` live.
    func presence(_ table: Table, cluster: Int) -> UnsafePointer<UInt64>? { fatalError("abstract") }

    /// Returns a block's bytes, or `nil` if it isn't stored. A column's leaf in a cluster that isn't stored holds its type's default (null if
    /// optional, else zero or empty) in every slot.
    func block(_ segment: UInt32, _ number: UInt64) -> UnsafeRawBufferPointer? { fatalError("abstract") }

    /// Returns the column's leaf in a cluster (see `Leaf`), or `nil` if none is stored.
    func leaf(_ column: Column, cluster: Int) -> UnsafeRawPointer? { fatalError("abstract") }

    /// Part 1… of a split leaf (part 0 doesn't exist: the head holds no values).
    func leafPart(_ column: Column, cluster: Int, part: Int) -> UnsafeRawPointer? { fatalError("abstract") }
}

/// The tables of one version of a database.
///
/// All that it has is immutable and may be read by any thread. To pass a table or a column counts references of it, which
/// threads that run at once do to each other's cost: so each realm reads through a copy of its own (`SchemaCopies`).
public final class DatabaseSchema: Sendable {
    /// Who a segment belongs to.
    enum SegmentOwner {
        case table(Table, offset: Int)
        case column(Table, Column, ColumnSegment)
    }

    public let tables: [Table]
    /// Those that no schema names.
    public let hiddenTables: [Table]
    /// All of them.
    let storedTables: [Table]
    /// By id; ids are small and rising.
    private let byID: [Table?]
    private let byName: [String: Table]
    private let hiddenByName: [String: Table]
    private let bySegment: [UInt32: (table: Table, column: Column?)]
    /// By target table id: the link columns that point to it.
    private let incoming: [Int: [Column]]
    /// A Boolean value that indicates whether any column holds mixed values.
    let hasMixedColumns: Bool
    /// By table id: the hidden tables of placeholders for its objects, and of links to placeholders.
    private let placeholders: [Int: Table]
    private let links: [Int: Table]
    /// By table id: what the deletion of its objects takes along, or what denies it.
    let deletions: [Int: DeletionColumns]
    /// A Boolean value that indicates whether any link denies deletions.
    let hasDenials: Bool
    /// What this is a copy of.
    private let original: DatabaseSchema?

    /// What this is a copy of, else itself: two schemas of one origin say the same.
    package var origin: DatabaseSchema { original ?? self }

    /// - Parameters:
    ///   - tables: the hidden ones among them.
    ///   - original: what says the same.
    init(tables: [Table], copyOf original: DatabaseSchema? = nil) {
        self.original = original
        storedTables = tables
        self.tables = tables.filter { !$0.isHidden }
        hiddenTables = tables.filter(\.isHidden)
        var byID = [Table?](repeating: nil, count: (tables.map(\.id).max() ?? -1) + 1)
        for table in tables { byID[table.id] = table }
        self.byID = byID
        byName = Dictionary(self.tables.map { ($0.name, $0) }) { first, _ in first }
        hiddenByName = Dictionary(hiddenTables.map { ($0.name, $0) }) { first, _ in first }
        var segments: [UInt32: (table: Table, column: Column?)] = [:]
        var incoming: [Int: [Column]] = [:]
        for table in tables {
            segments[table.firstSegment] = (table, nil)
            for compound in table.compounds { segments[compound.firstSegment] = (table, compound.entries) }
            for column in table.storedColumns {
                segments[column.firstSegment] = (table, column)
                if let target = column.targetTableID { incoming[target, default: []].append(column) }
            }
        }
        bySegment = segments
        self.incoming = incoming
        hasMixedColumns = tables.contains { $0.storedColumns.contains { $0.type == .mixed } }
        func owned(_ prefix: String, _ tables: [Table]) -> [Int: Table] {
            Dictionary(tables.compactMap { table in table.owner(prefix).map { ($0, table) } }) { first, _ in first }
        }
        placeholders = owned(TableSpec.placeholderPrefix, hiddenTables)
        links = owned(TableSpec.linksPrefix, hiddenTables)
        deletions = DeletionColumns.of(tables)
        hasDenials = deletions.values.contains { !$0.denying.isEmpty || !$0.denyingOrigins.isEmpty }
    }

    /// Returns the table of that stored name. - Complexity: O(1).
    public func table(named name: String) -> Table? { byName[name] }
    /// Returns the hidden table of that name: these have names of their own. - Complexity: O(1).
    public func hiddenTable(named name: String) -> Table? { hiddenByName[name] }
    public func table(id: Int) -> Table? { byID.indices.contains(id) ? byID[id] : nil }
    public func table(of column: Column) -> Table { byID[column.tableID]! }

    /// Returns the link columns, single and in collections, that point to a table.
    public func linkColumns(to table: Table) -> [Column] { incoming[table.id] ?? [] }

    /// Returns whether a column's links own their targets: it links to an embedded table.
    public func ownsTargets(_ column: Column) -> Bool {
        column.type == .link && column.targetTableID.flatMap(table(id:))?.isEmbedded == true
    }

    /// Returns the hidden table of placeholders for the objects of a table, or `nil` if there never was one.
    func placeholders(of tableID: Int) -> Table? { placeholders[tableID] }
    /// Returns the hidden table of what a table's objects have of links to placeholders, or `nil` if there never was one.
    func links(of tableID: Int) -> Table? { links[tableID] }

    /// A Boolean value that indicates whether any object ever linked to a placeholder.
    var hasLinkTables: Bool { !links.isEmpty }

    /// A Boolean value that indicates whether no two tables have one id, or one name.
    var hasOnceEach: Bool {
        Set(storedTables.map(\.id)).count == storedTables.count && byName.count == tables.count
            && hiddenByName.count == hiddenTables.count
    }

    func owner(of segment: UInt32) -> SegmentOwner? {
        let first = segment & ~(ColumnSegment.count - 1)
        guard let found = bySegment[first] else { return nil }
        if let column = found.column {
            return ColumnSegment(rawValue: segment - first).map { .column(found.table, column, $0) }
        }
        return .table(found.table, offset: Int(segment - first))
    }
}
