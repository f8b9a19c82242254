/// One consistent state of a database: a `Snapshot`, or the inside of a `WriteTransaction`.
///
/// The storage half of this class hands out leaves; the rest of the engine (queries, lists, indexes) reads
/// through it and so works the same on both. Pointers of a snapshot are valid for the snapshot's life, those of a
/// write transaction until its next change.
public class DataView {
    /// Objects a cluster: fixed in the file.
    public let clusterSpan: Int

    init(clusterSpan: Int) { self.clusterSpan = clusterSpan }

    public var schema: DatabaseSchema { fatalError("abstract") }

    /// The number of clusters that have ever held an object.
    func clusterCount(_ table: Table) -> Int { fatalError("abstract") }

    /// The number of live objects in a cluster.
    func liveCount(_ table: Table, cluster: Int) -> Int { fatalError("abstract") }

    /// The cluster's presence bitmap of `(clusterSpan + 63) / 64` words, or nil where exactly the slots
    /// `0 ..< liveCount` live.
    func presence(_ table: Table, cluster: Int) -> UnsafePointer<UInt64>? { fatalError("abstract") }

    /// A block's bytes; nil where it isn't stored. A column's leaf in a cluster that isn't stored holds its type's
    /// default (null if optional, else zero or empty) in every slot.
    func block(_ segment: UInt32, _ number: UInt64) -> UnsafeRawBufferPointer? { fatalError("abstract") }

    /// The column's leaf in a cluster (see `Leaf`), or nil where none is stored.
    func leaf(_ column: Column, cluster: Int) -> UnsafeRawPointer? { fatalError("abstract") }

    /// Part 1… of a split leaf (part 0 doesn't exist: the head holds no values).
    func leafPart(_ column: Column, cluster: Int, part: Int) -> UnsafeRawPointer? { fatalError("abstract") }

    /// The objects whose indexed column has the value, by rising key; nil if the column has no index.
    func indexLookup(_ column: Column, _ value: Value) -> [ObjectKey]? { nil }

    func longBytes(_ segment: UInt32, _ reference: (block: UInt64, length: UInt64)) -> [UInt8] { fatalError("abstract") }
    public func value(_ column: Column, _ key: ObjectKey) -> Value { fatalError("abstract") }
    public func listValues(_ column: Column, _ key: ObjectKey) -> [Value] { fatalError("abstract") }
    public func listLinks(_ column: Column, _ key: ObjectKey) -> [ObjectKey] { fatalError("abstract") }
    public func listCount(_ column: Column, _ key: ObjectKey) -> Int { fatalError("abstract") }
    public func backlinks(_ column: Column, _ key: ObjectKey) -> [ObjectKey] { fatalError("abstract") }
    public func backlinkCount(_ column: Column, _ key: ObjectKey) -> Int { fatalError("abstract") }
}

/// The tables of one version of a database.
public final class DatabaseSchema: Sendable {
    public let tables: [Table]
    let byID: [Int: Table]
    let byName: [String: Table]

    init(tables: [Table]) {
        self.tables = tables
        byID = Dictionary(uniqueKeysWithValues: tables.map { ($0.id, $0) })
        byName = Dictionary(uniqueKeysWithValues: tables.map { ($0.name, $0) })
    }

    /// The table of that stored name. - Complexity: O(1).
    public func table(named name: String) -> Table? { byName[name] }
    public func table(id: Int) -> Table? { byID[id] }
}
