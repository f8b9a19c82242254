/// A consistent state of a database: a `Snapshot`, or the state inside a `WriteTransaction`.
///
/// The storage part of this class returns leaves. The rest of the engine (queries, lists, indexes) reads them and works in the same way on both
/// subclasses. Pointers of a snapshot are valid for the snapshot's life. Pointers of a write transaction are valid until its next change.
public class DataView: BlockStore {
    /// The number of objects in a cluster, which is fixed for each file.
    public let clusterSpan: Int

    /// ⌈2⁶⁴ / clusterSpan⌉. For keys below 2⁴⁴, the high word of a product with it is the quotient.
    let reciprocal: UInt64

    init(clusterSpan: Int) {
        self.clusterSpan = clusterSpan
        reciprocal = clusterSpan == 1 ? 0 : UInt64.max / UInt64(clusterSpan) + 1
    }

    public var schema: DatabaseSchema { fatalError("abstract") }

    /// The number that the application assigned to its schema.
    public var userVersion: UInt64 { fatalError("abstract") }

    func tableState(_ table: Table) -> TableState { fatalError("abstract") }

    /// Returns the state of a column, from the state of its table.
    func columnState(_ column: Column) -> TableState.ColumnState {
        tableState(schema.table(of: column)).columns[column.id] ?? .init()
    }

    /// Returns the number of objects.
    /// - Complexity: O(1).
    public func count(_ table: Table) -> Int { tableState(table).count }

    /// Returns the key of the next object that is created in a table.
    func nextKey(_ table: Table) -> Int64 { tableState(table).nextKey }

    /// Calls `body` with the positions of the live objects, cluster by cluster.
    func withPositions<R>(_ table: Table, _ body: (TableCache) -> R) -> R { body(positions(table)) }

    /// Returns the positions of the live objects, cluster by cluster.
    func positions(_ table: Table) -> TableCache { fatalError("abstract") }

    /// Returns the column's decoded values in a cluster, if a write transaction has changed them. The transaction retains them until its next change.
    func unretainedBuffer(_ column: Column, cluster: Int) -> Unmanaged<LeafBuffer>? { nil }

    /// Like `unretainedBuffer(_:cluster:)`, with a retained result.
    final func buffer(_ column: Column, cluster: Int) -> LeafBuffer? {
        unretainedBuffer(column, cluster: cluster)?.takeUnretainedValue()
    }

    /// Like `buffer(_:cluster:)`, for the inverse of a link column in the target's cluster.
    func backlinkBuffer(_ column: Column, cluster: Int) -> LeafBuffer? { nil }

    /// Prepares pending changes for reading. It is called before backlinks or an index are read.
    func settleBacklinks(_ column: Column) {}
    func settleIndex(_ column: Column) {}

    /// Returns the key of the object with a primary key if a write transaction's pending changes determine it. Returns `nil` if the tree has to be
    /// searched.
    func pendingPrimaryKey(_ value: Value, _ table: Table) -> ObjectKey?? { nil }

    /// Returns whether the object exists.
    /// - Complexity: O(1).
    public func contains(_ table: Table, _ key: ObjectKey) -> Bool { fatalError("abstract") }

    /// Reports that the file contains something that can't have been stored. The function returns only if a caller can throw the error. Damaged data
    /// is then read as if it weren't stored.
    func damaged(_ what: @autoclosure () -> String) { fatalError("abstract") }

    /// Returns the leaves for accessors, or `nil` inside a write transaction.
    public func leafChunks(_ column: Column) -> UnsafePointer<UnsafeRawPointer?>? { nil }

    /// Returns the number of clusters that contain an object or contained one before.
    func clusterCount(_ table: Table) -> Int { fatalError("abstract") }

    /// Returns the number of live objects in a cluster.
    func liveCount(_ table: Table, cluster: Int) -> Int { fatalError("abstract") }

    /// Returns the cluster's presence bitmap of `(clusterSpan + 63) / 64` words, or `nil` if the live objects are exactly those in the slots `0 ..<
    /// liveCount`.
    func presence(_ table: Table, cluster: Int) -> UnsafePointer<UInt64>? { fatalError("abstract") }

    /// Returns a block's bytes, or `nil` if it isn't stored. If a column's leaf isn't stored in a cluster, every slot has the type's default: null if
    /// the column is optional, otherwise zero or empty.
    func block(_ segment: UInt32, _ number: UInt64) -> UnsafeRawBufferPointer? { fatalError("abstract") }

    /// Returns the column's leaf in a cluster (see `Leaf`), or `nil` if the leaf isn't stored.
    func leaf(_ column: Column, cluster: Int) -> UnsafeRawPointer? { fatalError("abstract") }

    /// Returns a part of a split leaf, from part 1 on. Part 0 doesn't exist, because the head contains no values.
    func leafPart(_ column: Column, cluster: Int, part: Int) -> UnsafeRawPointer? { fatalError("abstract") }
}

/// The tables of one version of a database.
///
/// It is immutable, and any thread may read it. Each use of a table or column counts references, which is expensive if several threads do it at the
/// same time. Therefore each realm reads through a copy of its own (`SchemaCopies`).
public final class DatabaseSchema: Sendable {
    /// The owner of a segment.
    enum SegmentOwner {
        case table(Table, offset: Int)
        case column(Table, Column, ColumnSegment)
    }

    public let tables: [Table]
    /// The tables that aren't part of any schema of an application.
    public let hiddenTables: [Table]
    /// All tables, including the hidden ones.
    let storedTables: [Table]
    /// The tables by id. Ids are small and ascending.
    private let byID: [Table?]
    private let byName: [String: Table]
    private let hiddenByName: [String: Table]
    private let bySegment: SegmentOwners
    /// The link columns that point to a table, by the id of the table.
    private let incoming: [Int: [Column]]
    /// A Boolean value that indicates whether any column holds mixed values.
    let hasMixedColumns: Bool
    /// The hidden tables of placeholders for a table's objects, by the id of the table. `links` has the hidden tables of links to placeholders.
    private let placeholders: [Int: Table]
    private let links: [Int: Table]
    /// The columns whose rules extend or deny the deletion of a table's objects, by the id of the table.
    let deletions: [Int: DeletionColumns]
    /// A Boolean value that indicates whether the rule of any link denies deletions.
    let hasDenials: Bool
    /// The schema of which this is a copy.
    private let original: DatabaseSchema?

    /// The schema of which this is a copy, or the schema itself. Two schemas with one origin are equal.
    package var origin: DatabaseSchema { original ?? self }

    /// - Parameters:
    ///   - tables: all tables, including the hidden ones.
    ///   - original: a schema with equal tables.
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
        var segments = SegmentOwners()
        var incoming: [Int: [Column]] = [:]
        for table in tables {
            segments.add(table)
            for column in table.storedColumns {
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

    /// A schema with more tables.
    ///
    /// - Parameter new: tables whose ids are greater than those of all others.
    /// - Complexity: O(tables), to copy references, and O(new columns)
    init(_ old: DatabaseSchema, adding new: [Table]) {
        original = nil
        storedTables = old.storedTables + new
        let (newShown, newHidden) = (new.filter { !$0.isHidden }, new.filter(\.isHidden))
        tables = newShown.isEmpty ? old.tables : old.tables + newShown
        hiddenTables = newHidden.isEmpty ? old.hiddenTables : old.hiddenTables + newHidden
        var (byID, byName, hiddenByName) = (old.byID, old.byName, old.hiddenByName)
        var (segments, incoming, deletions) = (old.bySegment, old.incoming, old.deletions)
        var (placeholders, links) = (old.placeholders, old.links)
        for table in new {
            while byID.count <= table.id { byID.append(nil) }
            byID[table.id] = table
            if table.isHidden { hiddenByName[table.name] = table } else { byName[table.name] = table }
            segments.add(table)
            for column in table.storedColumns {
                if let target = column.targetTableID { incoming[target, default: []].append(column) }
            }
            if let owner = table.isHidden ? table.owner(TableSpec.placeholderPrefix) : nil {
                placeholders[owner] = table
            }
            if let owner = table.isHidden ? table.owner(TableSpec.linksPrefix) : nil { links[owner] = table }
        }
        for (id, columns) in DeletionColumns.of(new) { deletions[id, default: DeletionColumns()].add(columns) }
        (self.byID, self.byName, self.hiddenByName) = (byID, byName, hiddenByName)
        (bySegment, self.incoming, self.deletions) = (segments, incoming, deletions)
        (self.placeholders, self.links) = (placeholders, links)
        hasMixedColumns = old.hasMixedColumns || new.contains { $0.storedColumns.contains { $0.type == .mixed } }
        hasDenials = deletions.values.contains { !$0.denying.isEmpty || !$0.denyingOrigins.isEmpty }
    }

    /// Returns the table with that stored name.
    /// - Complexity: O(1).
    public func table(named name: String) -> Table? { byName[name] }
    /// Returns the hidden table with that name. The names of hidden tables are separate.
    /// - Complexity: O(1).
    public func hiddenTable(named name: String) -> Table? { hiddenByName[name] }
    public func table(id: Int) -> Table? { byID.indices.contains(id) ? byID[id] : nil }
    public func table(of column: Column) -> Table { byID[column.tableID]! }

    /// Returns the link columns that point to a table, for single links and collections.
    public func linkColumns(to table: Table) -> [Column] { incoming[table.id] ?? [] }

    /// Returns whether a column's links own their targets, because its target is an embedded table.
    public func ownsTargets(_ column: Column) -> Bool {
        column.type == .link && column.targetTableID.flatMap(table(id:))?.isEmbedded == true
    }

    /// Returns the hidden table of placeholders for the objects of a table, or `nil` if it was never created.
    func placeholders(of tableID: Int) -> Table? { placeholders[tableID] }
    /// Returns the hidden table of links from a table's objects to placeholders, or `nil` if it was never created.
    func links(of tableID: Int) -> Table? { links[tableID] }

    /// A Boolean value that indicates whether tables of links to placeholders exist.
    var hasLinkTables: Bool { !links.isEmpty }

    /// A Boolean value that indicates whether all ids and all names of tables are different.
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

/// The owners of segments. Copies share most of it, so that a schema can get one table after the other.
private struct SegmentOwners {
    private typealias Owners = [UInt32: (table: Table, column: Column?)]
    private var most: Owners = [:]
    private var recent: Owners = [:]

    subscript(segment: UInt32) -> (table: Table, column: Column?)? { recent[segment] ?? most[segment] }

    /// Adds the segments of a table.
    mutating func add(_ table: Table) {
        recent[table.firstSegment] = (table, nil)
        for compound in table.compounds { recent[compound.firstSegment] = (table, compound.entries) }
        for column in table.storedColumns { recent[column.firstSegment] = (table, column) }
        guard recent.count > 512 else { return }
        most.merge(recent) { $1 }
        recent = [:]
    }
}
