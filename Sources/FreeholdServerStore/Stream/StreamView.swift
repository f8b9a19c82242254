internal import FreeholdEngine
internal import FreeholdSyncCore

/// The contents of one version of a stream's file.
struct StreamView {
    let view: DataView
    let tables: StoreTables
    let shapes: RowShapes
    let head: StreamHead
    let compression: (any MessageCompression)?

    /// - Parameter horizon: The horizon of a later version, which trims the objects.
    init(
        _ view: DataView,
        _ tables: StoreTables,
        _ shapes: RowShapes,
        _ compression: (any MessageCompression)?,
        horizon: StreamVersion = 0
    ) throws {
        (self.view, self.tables, self.shapes, self.compression) = (view, tables, shapes, compression)
        let table = tables.hidden.head
        guard view.contains(table, Self.headRow) else { throw StoreDamage("The stream's head is missing.") }
        func word(_ column: HeadColumn) -> UInt64 { view.word(table, column.rawValue, Self.headRow) }
        var head = StreamHead(epoch: word(.epoch))
        head.version = word(.version)
        head.hash = RunningHash(high: word(.hashHigh), low: word(.hashLow))
        head.clock = Clock(rawValue: word(.clock))
        head.now = Int64(bitPattern: word(.now))
        head.horizon = word(.horizon)
        head.logStart = word(.logStart)
        guard head.version == UInt64(view.count(tables.hidden.mark)) &- 1, head.logStart <= head.version,
            head.horizon <= head.version
        else { throw StoreDamage("The stream's head contradicts its log.") }
        self.head = head
        reader = RowReader(view, tables, shapes, horizon: max(horizon, head.horizon))
    }

    static let headRow = ObjectKey(0)
    let reader: RowReader

    var others: OtherObjects { OtherObjects(view: view, table: tables.hidden.other, horizon: reader.horizon) }

    // MARK: Objects

    /// Returns an object, which may be live or deleted.
    func object(_ name: ObjectName) throws -> MergedObject? {
        if let table = tables.table(of: name.className), let row = table.row(name.key, in: view),
            let object = try reader.object(table, row, name.key)
        {
            return object
        }
        return view.count(tables.hidden.other) > 0 ? try others.object(name) : nil
    }

    // MARK: Versions

    struct Mark {
        let hash: RunningHash
        let clock: Clock
        let time: Int64
    }

    /// Returns the mark of a version, or `nil` for a version after the head.
    func mark(_ version: StreamVersion) -> Mark? {
        guard version <= head.version else { return nil }
        let (table, key) = (tables.hidden.mark, ObjectKey(Int64(version)))
        func word(_ column: MarkColumn) -> UInt64 { view.word(table, column.rawValue, key) }
        return Mark(
            hash: RunningHash(high: word(.hashHigh), low: word(.hashLow)),
            clock: Clock(rawValue: word(.clock)),
            time: Int64(bitPattern: word(.time))
        )
    }

    func cursor(_ version: StreamVersion) -> Cursor {
        Cursor(epoch: head.epoch, version: version, hash: mark(version)?.hash ?? .empty)
    }

    /// Returns the first version that was created at or after a time. Returns the version after the head if there is
    /// none.
    func firstVersion(from time: Int64) -> StreamVersion {
        var (low, high) = (StreamVersion(0), head.version + 1)
        while low < high {
            let middle = (low + high) / 2
            if (mark(middle)?.time ?? .max) >= time { high = middle } else { low = middle + 1 }
        }
        return low
    }

    // MARK: The log

    /// Returns the version up to which the log has to be removed so that the rest has at most the given number of
    /// bytes.
    ///
    /// - Complexity: O(bytes), as it reads the part of the log that remains
    func logStart(keeping bytes: UInt64) -> StreamVersion {
        let log = tables.hidden.log
        var (rest, version) = (bytes, head.version)
        while version > head.logStart {
            let size = view.listValues(log.columns[2], ObjectKey(Int64(version) - 1)).reduce(UInt64(0)) { sum, piece in
                if case .data(let data) = piece { sum + UInt64(data.count) } else { sum }
            }
            guard size <= rest else { break }
            rest -= size
            version -= 1
        }
        return version
    }

    /// Returns the commits after a version that can't be read without a commit at or before it. Their stored form is returned with whole
    /// before-images.
    func dependents(on version: StreamVersion) throws -> [(row: ObjectKey, images: [UInt8])] {
        var found: [(row: ObjectKey, images: [UInt8])] = []
        var next = version
        while next < head.version, next - version < StoredImages.mostVersions {
            next += 1
            let row = ObjectKey(Int64(next) - 1)
            guard let root = try StoredImages.root(view.pieces(tables.hidden.log.columns[2], row)), root <= version
            else { continue }
            let images = try images(next)
            guard images.needs(upTo: version) else { continue }
            found.append((row, try images.wholeBytes(compression) { try self.images($0) }))
        }
        return found
    }

    func author(_ version: StreamVersion) -> PartName {
        let (table, key) = (tables.hidden.log, ObjectKey(Int64(version) - 1))
        let ident = FileIdent(rawValue: UInt32(truncatingIfNeeded: view.word(table, 0, key)))
        return PartName(ident, view.word(table, 1, key))
    }

    /// Returns the before-images of a version's commit. The log must contain the commit.
    func images(_ version: StreamVersion) throws -> StoredImages {
        let (table, key) = (tables.hidden.log, ObjectKey(Int64(version) - 1))
        guard view.contains(table, key) else { throw StoreDamage("The log lacks the commit \(version).") }
        return try StoredImages(view.pieces(table.columns[2], key), compression)
    }

    /// Returns the state of an object before a commit.
    func image(_ index: Int, of images: StoredImages) throws -> MergedObject? {
        try images.object(index, horizon: reader.horizon) { try self.images($0) }
    }
}
