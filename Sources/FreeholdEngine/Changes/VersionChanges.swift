/// The changes between two versions of a database, as needed by observers. They come from the records of the commits in between, or from a comparison
/// if records are missing.
///
/// A value whose column was set counts as changed, even if it was set to its old value. The result of a comparison (`isCompared`) contains only real
/// differences.
public struct VersionChanges: Sendable {
    /// The changes of one table.
    public struct TableDelta: Sendable {
        /// The objects that the old version doesn't have, in ascending order of keys.
        public var inserted: [ObjectKey] = []
        /// The objects that the new version doesn't have, in ascending order of keys.
        public var deleted: [ObjectKey] = []
        /// The changed objects by column id, in ascending order of keys. The old version has all of them. Some may be among the deleted ones.
        public var modified: [Int: [ObjectKey]] = [:]
        /// All links that were gained or lost. Several of them may cancel each other out.
        public var links: [LinkEdit] = []
        /// The edits of collections in order, or `nil` if they aren't known.
        public var edits: [ListEdit]? = []

        public init() {}
    }

    public let from: UInt64
    public let to: UInt64
    /// The changes by table id.
    public internal(set) var tables: [Int: TableDelta] = [:]
    /// A Boolean value that indicates whether the states of the two versions were compared.
    public internal(set) var isCompared = false

    init(from: UInt64, to: UInt64) {
        self.from = from
        self.to = to
    }

    public var isEmpty: Bool { tables.isEmpty }
}

extension VersionChanges {
    /// - Parameter records: the record of each version after `from` up to `to`, in order.
    /// - Returns: `nil` if the records are incomplete.
    init?(_ records: [ChangeRecord], from: Snapshot, to: Snapshot) {
        self.init(from: from.version, to: to.version)
        for record in records {
            if record.schemaChanged { return nil }
            for table in record.tables where table.isIncomplete { return nil }
        }
        var firstNew: [Int: ObjectKey] = [:]
        for record in records {
            for table in record.tables {
                if firstNew[table.table] == nil { firstNew[table.table] = table.firstInserted }
                tables[table.table, default: TableDelta()].add(table, firstNew: firstNew[table.table]!)
            }
        }
        for id in tables.keys {
            tables[id]!.finish(wasMerged: records.count > 1)
            guard let first = firstNew[id], let table = to.schema.table(id: id) else { continue }
            let end = records.reduce(first) { end, record in
                max(end, record.tables.first { $0.table == id }?.nextKey ?? end)
            }
            guard first < end else { continue }
            // Only a damaged record mentions objects that were never created.
            guard first.raw >= 0, end.raw <= to.tableState(table).nextKey else { return nil }
            tables[id]!.inserted = (first.raw..<end.raw).lazy.map { ObjectKey($0) }.filter { to.contains(table, $0) }
        }
    }
}

extension VersionChanges.TableDelta {
    fileprivate mutating func add(_ table: TableChanges, firstNew: ObjectKey) {
        deleted += table.deleted.prefix { $0 < firstNew }
        for (column, keys) in table.modified {
            let old = keys.last.map { $0 < firstNew } ?? true ? keys : Array(keys.prefix { $0 < firstNew })
            guard !old.isEmpty else { continue }
            if modified[column] == nil { modified[column] = old } else { modified[column]! += old }
        }
        links += table.links
        edits! += table.listEdits
    }

    fileprivate mutating func finish(wasMerged: Bool) {
        guard wasMerged else { return }
        deleted.sort()
        for column in modified.keys { modified[column]!.sortUnique() }
    }
}

extension [ObjectKey] {
    /// Sorts the elements and removes duplicates.
    mutating func sortUnique() {
        guard count > 1 else { return }
        sort()
        var end = 1
        for i in 1..<count where self[i] != self[end - 1] {
            self[end] = self[i]
            end += 1
        }
        removeSubrange(end...)
    }
}
