public import FreeholdBSON
internal import FreeholdEngine
public import FreeholdSyncCore

/// A place among the objects of a class that were taken in: behind those that somebody has had.
///
/// Rows have rising numbers, which no other row ever gets: so a place stays right while objects come, and when earlier ones are removed.
public struct IngestPosition: Hashable, Sendable {
    /// The last row of the class's table.
    public var row: Int64
    /// The last row of those that the table can't hold.
    public var other: Int64

    public init(row: Int64, other: Int64) {
        self.row = row
        self.other = other
    }

    /// Before all.
    public static let start = IngestPosition(row: -1, other: -1)
}

/// An object of a class that takes new objects only.
public struct IngestedObject: Sendable {
    public let name: ObjectName
    /// `_id` first: see `StoredObject.doc`.
    public let document: BSONDocument

    public init(name: ObjectName, document: BSONDocument) {
        self.name = name
        self.document = document
    }
}

/// Objects that were taken in, in the order in which they came; of one commit by rising keys.
public struct IngestedPage: Sendable {
    public var objects: [IngestedObject]
    /// Behind all that was looked at.
    public var position: IngestPosition
    /// What the stream was when the page was read: all up to the position is older.
    public var cursor: Cursor
    /// Whether more may be behind it.
    public var hasMore: Bool

    public init(objects: [IngestedObject], position: IngestPosition, cursor: Cursor, hasMore: Bool) {
        self.objects = objects
        self.position = position
        self.cursor = cursor
        self.hasMore = hasMore
    }
}

extension FileServerStore {
    /// Objects of a class that were taken in behind a place. Whoever writes meanwhile isn't held up.
    ///
    /// - Parameters:
    ///   - end: the last place that the page may reach; nil for none.
    ///   - count: the most objects. At least one is looked at.
    ///   - bytes: about how many bytes of documents are enough.
    /// - Returns: nil for a stream that has no file.
    /// - Throws: `EngineError`, or what is wrong with the file.
    /// - Complexity: O(objects · log *n*). One page is in memory.
    public func ingested(
        of stream: StreamName,
        className: SyncString,
        after position: IngestPosition,
        upTo end: IngestPosition? = nil,
        count: Int,
        bytes: Int = 4 << 20
    ) throws -> IngestedPage? {
        guard exists(stream) else { return nil }
        return try self.stream(stream).read { view in
            var reader = IngestedReader(view, className, position, end, count: max(count, 1), bytes: bytes)
            return try reader.read()
        }
    }

    /// How many rows are behind a place, of the class or, among those that its table can't hold, of any.
    public func ingestedCount(of stream: StreamName, className: SyncString, after position: IngestPosition) throws
        -> Int
    {
        guard exists(stream) else { return 0 }
        return try self.stream(stream).read { stream in
            let view = stream.view
            var count = view.count(stream.tables.hidden.other)
            count -= view.firstIndex(behind: position.other, in: stream.tables.hidden.other)
            guard let table = stream.tables.table(of: className) else { return count }
            return count + view.count(table.table) - view.firstIndex(behind: position.row, in: table.table)
        }
    }

    /// Removes objects that were taken in, up to a place: a sink has them. An object of one of their keys that comes later is new.
    ///
    /// - Parameter count: the most that are removed at once.
    /// - Returns: whether there may be more.
    /// - Throws: `EngineError`, or what is wrong with the file. Then nothing was removed, or nobody knows.
    @discardableResult
    public func removeIngested(
        of stream: StreamName,
        className: SyncString,
        upTo position: IngestPosition,
        count: Int = 5_000
    ) throws -> Bool {
        guard exists(stream) else { return false }
        let file = try self.stream(stream)
        return try file.write { transaction in
            let view = try file.stream(transaction)
            let (rows, others) = try view.ingestedRows(of: className, upTo: position, count: count)
            if let table = view.tables.table(of: className) {
                for row in rows { try transaction.deleteLeavingPlaceholder(table.table, row) }
            }
            for row in others { transaction.delete(view.tables.hidden.other, row) }
            return rows.count + others.count >= count
        }
    }

    /// The hash of the log up to a version. Nil if the stream has no such version.
    public func hash(of stream: StreamName, at version: StreamVersion) throws -> RunningHash? {
        guard exists(stream) else { return nil }
        return try self.stream(stream).read { $0.mark(version)?.hash }
    }
}

/// Reads a page.
private struct IngestedReader {
    let stream: StreamView
    let className: SyncString
    let end: IngestPosition?
    let count: Int
    let bytes: Int
    private var page: IngestedPage
    private var size = 0

    init(
        _ stream: StreamView,
        _ className: SyncString,
        _ position: IngestPosition,
        _ end: IngestPosition?,
        count: Int,
        bytes: Int
    ) {
        self.stream = stream
        self.className = className
        self.end = end
        self.count = count
        self.bytes = bytes
        page = IngestedPage(objects: [], position: position, cursor: stream.head.cursor, hasMore: false)
    }

    private var isFull: Bool { page.objects.count >= count || size >= bytes }

    private mutating func add(_ name: ObjectName, _ document: BSONDocument) {
        size += document.roughSize
        page.objects.append(IngestedObject(name: name, document: document))
    }

    mutating func read() throws -> IngestedPage {
        try readTable()
        try readOthers()
        return page
    }

    private mutating func readTable() throws {
        guard let table = stream.tables.table(of: className), let state = table.state else { return }
        let (view, reader) = (stream.view, stream.reader)
        let values = ValueReader(view: view, tables: stream.tables)
        for index in view.firstIndex(behind: page.position.row, in: table.table)..<view.count(table.table) {
            let row = view.key(at: index, in: table.table)
            if let end, row.raw > end.row { return }
            guard !isFull else {
                page.hasMore = true
                return
            }
            page.position.row = row.raw
            // Others are ordinary objects: the class took them before it took new ones only.
            guard view.readInt(state.version, row) == nil else { continue }
            let key = try values.key(table, row)
            let rest = try reader.document(table, row, reader.plan(table, row))
            add(ObjectName(className, key), BSONDocument([(key: "_id", value: BSONValue(key))] + rest))
        }
    }

    private mutating func readOthers() throws {
        let (view, others) = (stream.view, stream.others)
        guard !page.hasMore else { return }
        for index in view.firstIndex(behind: page.position.other, in: others.table)..<view.count(others.table) {
            let row = view.key(at: index, in: others.table)
            if let end, row.raw > end.other { return }
            guard !isFull else {
                page.hasMore = true
                return
            }
            page.position.other = row.raw
            guard others.isTakenIn(row) else { continue }
            let (name, object) = try others.object(row)
            guard name.className == className, let object else { continue }
            add(name, object.stored(name.key).doc)
        }
    }
}

extension StreamView {
    /// Rows that were taken in, up to a place.
    fileprivate func ingestedRows(of className: SyncString, upTo position: IngestPosition, count: Int) throws
        -> (rows: [ObjectKey], others: [ObjectKey])
    {
        var (rows, found) = ([ObjectKey](), [ObjectKey]())
        if let table = tables.table(of: className), let state = table.state {
            for index in 0..<view.firstIndex(behind: position.row, in: table.table) where rows.count < count {
                let row = view.key(at: index, in: table.table)
                if view.readInt(state.version, row) == nil { rows.append(row) }
            }
        }
        for index in 0..<view.firstIndex(behind: position.other, in: others.table)
        where rows.count + found.count < count {
            let row = view.key(at: index, in: others.table)
            if others.isTakenIn(row), try others.object(row).name.className == className { found.append(row) }
        }
        return (rows, found)
    }
}

extension OtherObjects {
    /// Of a class that takes new objects only.
    fileprivate func isTakenIn(_ row: ObjectKey) -> Bool {
        view.readInt(table.columns[Column.version.rawValue], row) == 0
    }
}

extension DataView {
    /// The place of the first row behind a number.
    ///
    /// - Complexity: O(log² *n*)
    fileprivate func firstIndex(behind number: Int64, in table: Table) -> Int {
        var (low, high) = (0, count(table))
        while low < high {
            let middle = (low + high) / 2
            if key(at: middle, in: table).raw <= number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension BSONDocument {
    /// About how many bytes it has as text.
    fileprivate var roughSize: Int { reduce(2) { $0 + $1.key.utf8.count + 4 + $1.value.roughSize } }
}

extension BSONValue {
    fileprivate var roughSize: Int {
        switch self {
        case .string(let text), .javaScript(let text), .symbol(let text): text.utf8.count + 2
        case .binary(let binary): binary.bytes.count * 4 / 3 + 50
        case .document(let document): document.roughSize
        case .array(let values): values.reduce(2) { $0 + $1.roughSize + 1 }
        case .objectId, .decimal128, .datetime: 36
        default: 12
        }
    }
}
