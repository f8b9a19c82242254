/// An edit of a list. Edits are in the order in which they were made.
public struct ListEdit: Equatable, Sendable {
    public enum Operation: Equatable, Sendable {
        case insert(at: Int, count: Int)
        case remove(at: Int, count: Int)
        case set(at: Int)
        case move(from: Int, to: Int)
        case clear(count: Int)
    }

    /// The id of the column.
    public let column: Int
    public let key: ObjectKey
    public let operation: Operation
}

/// A link that an object gained or lost. It also implies the change of the target's backlinks.
public struct LinkEdit: Equatable, Sendable {
    /// The id of the link column or mixed column, in the origin's table.
    public let column: Int
    public let origin: ObjectKey
    /// The id of the target's table.
    public let targetTable: Int
    public let target: ObjectKey
    /// The number of links gained minus the number of links lost, which is never 0.
    public let delta: Int
}

/// The changes of a commit in one table.
public struct TableChanges: Equatable, Sendable {
    /// The id of the table.
    public let table: Int
    /// The first key of the created objects. They have the keys `firstInserted ..< nextKey`, except those in `insertedDeleted`.
    public internal(set) var firstInserted: ObjectKey
    public internal(set) var nextKey: ObjectKey
    /// The keys of the objects that were created and deleted in the transaction, in ascending order.
    /// - Complexity: O(n).
    public var insertedDeleted: [ObjectKey] { insertedDeletedRuns.keys }
    /// The keys of the older objects that were deleted, in ascending order.
    /// - Complexity: O(n).
    public var deleted: [ObjectKey] { deletedRuns.keys }
    var insertedDeletedRuns = KeyRuns()
    var deletedRuns = KeyRuns()
    /// The keys of the older objects whose value was set or whose list was edited, by column id, in ascending order.
    public internal(set) var modified: [Int: [ObjectKey]] = [:]
    public internal(set) var listEdits: [ListEdit] = []
    public internal(set) var links: [LinkEdit] = []
    /// A Boolean value that indicates whether the record is incomplete because it was too large. More changes of this table are then possible.
    public internal(set) var isIncomplete = false

    public var inserted: [ObjectKey] {
        var inserted: [ObjectKey] = []
        var next = firstInserted.raw
        insertedDeletedRuns.forEachRun { gone in
            while next < gone.lowerBound {
                inserted.append(ObjectKey(next))
                next += 1
            }
            next = gone.upperBound
        }
        while next < nextKey.raw {
            inserted.append(ObjectKey(next))
            next += 1
        }
        return inserted
    }

    public var isEmpty: Bool {
        firstInserted == nextKey && deletedRuns.isEmpty && modified.isEmpty && listEdits.isEmpty && links.isEmpty
            && !isIncomplete
    }
}

/// The changes of a commit. The writer creates the record once, while it commits.
public struct ChangeRecord: Equatable, Sendable {
    public let version: UInt64
    public internal(set) var tables: [TableChanges]
    public internal(set) var schemaChanged: Bool
    public internal(set) var origin = CommitOrigin.local
    /// The time of the commit and the process that made it, or `nil` if an earlier version of the library made it.
    public internal(set) var stamp: CommitStamp?

    /// Returns the record with the version that the commit created.
    func made(_ version: UInt64) -> ChangeRecord {
        ChangeRecord(version: version, tables: tables, schemaChanged: schemaChanged, origin: origin, stamp: stamp)
    }

    public func changes(of table: Table) -> TableChanges? { tables.first { $0.table == table.id } }
}

extension ChangeRecord {
    /// The size in bytes above which the lists of a record are removed and its tables are marked as incomplete.
    static let maximumSize = 4 << 20

    func encoded() -> [UInt8] {
        var w = ByteWriter()
        // Without an origin, the record has its original form.
        w.u8(origin == .local ? 1 : 2)
        w.u8(schemaChanged ? 1 : 0)
        if origin != .local { w.varint(origin.code) }
        w.varint(UInt64(tables.count))
        for t in tables {
            w.varint(UInt64(t.table))
            w.u8(t.isIncomplete ? 1 : 0)
            w.signed(t.firstInserted.raw)
            w.signed(t.nextKey.raw)
            ChangeRecord.encode(t.insertedDeletedRuns, &w)
            ChangeRecord.encode(t.deletedRuns, &w)
            w.varint(UInt64(t.modified.count))
            for (column, keys) in t.modified.sorted(by: { $0.key < $1.key }) {
                w.varint(UInt64(column))
                ChangeRecord.encode(KeyRuns(keys), &w)
            }
            w.varint(UInt64(t.listEdits.count))
            for e in t.listEdits {
                w.varint(UInt64(e.column))
                w.signed(e.key.raw)
                let (code, a, b): (UInt8, Int, Int) =
                    switch e.operation {
                    case .insert(let at, let count): (0, at, count)
                    case .remove(let at, let count): (1, at, count)
                    case .set(let at): (2, at, 0)
                    case .move(let from, let to): (3, from, to)
                    case .clear(let count): (4, count, 0)
                    }
                w.u8(code)
                w.varint(UInt64(a))
                w.varint(UInt64(b))
            }
            w.varint(UInt64(t.links.count))
            for l in t.links {
                w.varint(UInt64(l.column))
                w.signed(l.origin.raw)
                w.varint(UInt64(l.targetTable))
                w.signed(l.target.raw)
                w.signed(Int64(l.delta))
            }
        }
        // Versions of the library that don't know the stamp stop reading before it.
        if let stamp {
            var fields = ByteWriter()
            fields.signed(stamp.milliseconds)
            fields.signed(Int64(stamp.processIdentifier))
            fields.bytes.withUnsafeBytes { w.prefixed($0) }
        }
        return w.bytes
    }

    /// Reads the stamp at the end of a record. A later version of the library may write more fields than are read here.
    ///
    /// - Returns: `false` if the bytes are damaged.
    private static func decodeStamp(_ r: inout ByteReader, _ stamp: inout CommitStamp?) -> Bool {
        guard !r.isAtEnd else { return true }
        guard let size = r.number(), let bytes = r.raw(size) else { return false }
        var fields = ByteReader(bytes)
        guard let time = fields.signed(), let process = fields.signed().flatMap({ Int32(exactly: $0) }) else {
            return false
        }
        stamp = CommitStamp(milliseconds: time, processIdentifier: process)
        return true
    }

    /// Writes ascending keys as runs. Each run is a gap and a length.
    private static func encode(_ keys: KeyRuns, _ w: inout ByteWriter) {
        var runs = 0
        keys.forEachRun { _ in runs += 1 }
        w.varint(UInt64(runs))
        var end: Int64 = 0
        keys.forEachRun { run in
            w.varint(UInt64(run.lowerBound - end))
            w.varint(UInt64(run.count))
            end = run.upperBound
        }
    }

    /// The number of deletions and changes isn't limited, but a record with more keys than this is damaged.
    private static let maximumKeys = 1 << 28

    /// - Parameter limit: the exclusive upper bound of the keys.
    private static func decodeKeys(_ r: inout ByteReader, below limit: Int64) -> KeyRuns? {
        guard let runs = r.number() else { return nil }
        var keys = KeyRuns()
        var end: Int64 = 0
        for _ in 0..<runs {
            guard let gap = r.number(), let length = r.number(), length <= maximumKeys - keys.count,
                gap <= limit - end - Int64(length)
            else { return nil }
            let start = end + Int64(gap)
            end = start + Int64(length)
            keys.append(start..<end)
        }
        return keys
    }

    /// Returns `nil` if the bytes are damaged.
    ///
    /// - Parameter limit: the exclusive upper bound of objects' keys. It is necessary because a few bytes can stand for more keys than fit into
    ///   memory.
    static func decode(
        _ bytes: UnsafeRawBufferPointer,
        version: UInt64,
        keysBelow limit: Int64 = 1 << MixedOrigin.keyBits
    ) -> ChangeRecord? {
        var r = ByteReader(bytes)
        guard let form = r.u8(), form == 1 || form == 2, let schemaChanged = r.u8(),
            let origin = form == 1 ? 0 : r.varint(), let count = r.number()
        else { return nil }
        var tables: [TableChanges] = []
        for _ in 0..<count {
            guard let id = r.number(), let incomplete = r.u8(), let first = r.signed(), let next = r.signed(),
                let insertedDeleted = decodeKeys(&r, below: limit), let deleted = decodeKeys(&r, below: limit),
                let columns = r.number()
            else { return nil }
            var t = TableChanges(table: id, firstInserted: ObjectKey(first), nextKey: ObjectKey(next))
            t.isIncomplete = incomplete != 0
            t.insertedDeletedRuns = insertedDeleted
            t.deletedRuns = deleted
            for _ in 0..<columns {
                guard let column = r.number(), let keys = decodeKeys(&r, below: limit) else { return nil }
                t.modified[column] = keys.keys
            }
            guard let edits = r.number() else { return nil }
            for _ in 0..<edits {
                guard let column = r.number(), let key = r.signed(), let code = r.u8(), let a = r.number(),
                    let b = r.number()
                else { return nil }
                let operation: ListEdit.Operation
                switch code {
                case 0: operation = .insert(at: a, count: b)
                case 1: operation = .remove(at: a, count: b)
                case 2: operation = .set(at: a)
                case 3: operation = .move(from: a, to: b)
                case 4: operation = .clear(count: a)
                default: return nil
                }
                t.listEdits.append(ListEdit(column: column, key: ObjectKey(key), operation: operation))
            }
            guard let links = r.number() else { return nil }
            for _ in 0..<links {
                guard let column = r.number(), let origin = r.signed(), let table = r.number(),
                    let target = r.signed(),
                    let delta = r.signed().flatMap({ Int(exactly: $0) })
                else { return nil }
                t.links.append(
                    LinkEdit(
                        column: column,
                        origin: ObjectKey(origin),
                        targetTable: table,
                        target: ObjectKey(target),
                        delta: delta
                    )
                )
            }
            tables.append(t)
        }
        var stamp: CommitStamp?
        guard decodeStamp(&r, &stamp) else { return nil }
        return ChangeRecord(
            version: version,
            tables: tables,
            schemaChanged: schemaChanged != 0,
            origin: CommitOrigin(code: origin),
            stamp: stamp
        )
    }
}
