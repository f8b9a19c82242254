public import FreeholdBSON
internal import FreeholdEngine
public import FreeholdSyncCore

/// A position among the objects of an asymmetric class, after those that a reader has processed.
///
/// Rows have increasing numbers that aren't used again. A position therefore stays valid when objects are added, and
/// when earlier objects are removed.
public struct IngestPosition: Hashable, Sendable {
    /// The last processed row of the class's table.
    public var row: Int64
    /// The last processed row of the objects that the table can't store.
    public var other: Int64

    public init(row: Int64, other: Int64) {
        self.row = row
        self.other = other
    }

    /// The position before all objects.
    public static let start = IngestPosition(row: -1, other: -1)
}

/// An object of an asymmetric class.
public struct IngestedObject: Sendable {
    public let name: ObjectName
    /// The document of the object, with `_id` first: see `StoredObject.doc`.
    public let document: BSONDocument

    public init(name: ObjectName, document: BSONDocument) {
        self.name = name
        self.document = document
    }
}

/// Objects of an asymmetric class, in the order in which they were stored. Objects of one commit are in rising order of
/// their keys.
public struct IngestedPage: Sendable {
    public var objects: [IngestedObject]
    /// The position after everything that was read.
    public var position: IngestPosition
    /// The cursor of the stream when the page was read. All objects up to the position are older.
    public var cursor: Cursor
    /// A Boolean value that indicates whether more objects may follow.
    public var hasMore: Bool

    public init(objects: [IngestedObject], position: IngestPosition, cursor: Cursor, hasMore: Bool) {
        self.objects = objects
        self.position = position
        self.cursor = cursor
        self.hasMore = hasMore
    }

    /// Returns the page of a stream to which nothing was written.
    public static func empty(at position: IngestPosition) -> IngestedPage {
        let none = Cursor(epoch: 0, version: 0, hash: .empty)
        return IngestedPage(objects: [], position: position, cursor: none, hasMore: false)
    }
}

extension FileServerStore {
    /// Returns a page of objects of an asymmetric class after a position. Concurrent writers don't wait.
    ///
    /// - Parameters:
    ///   - end: The last position that the page may reach. `nil` for no limit.
    ///   - count: The maximum number of objects. At least one is read.
    ///   - bytes: The approximate maximum size of the documents in bytes.
    /// - Returns: The page, or `nil` for a stream without a file.
    /// - Throws: `EngineError`, and errors about the content of the file.
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

    /// Returns the number of rows after a position. Rows that the class's table can't store are counted for all
    /// classes.
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

    /// Removes objects of an asymmetric class up to a position, after a sink has processed them. A later object with
    /// one of their keys is a new object.
    ///
    /// - Parameter count: The maximum number of objects that are removed.
    /// - Returns: A Boolean value that indicates whether more objects may be left.
    /// - Throws: `EngineError`, and errors about the content of the file. Then nothing was removed, or the result is
    ///   unknown.
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

    /// Returns the hash of the log up to a version. Returns `nil` if the stream doesn't have the version.
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
            // A row with a version is an ordinary object, from before the class became asymmetric.
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
    /// Returns the rows of asymmetric objects up to a position.
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
    /// Returns whether the row is an object of an asymmetric class.
    fileprivate func isTakenIn(_ row: ObjectKey) -> Bool {
        view.readInt(table.columns[Column.version.rawValue], row) == 0
    }
}

extension DataView {
    /// Returns the index of the first row with a greater number.
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
    /// The approximate size of the document as text, in bytes.
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
