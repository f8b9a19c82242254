/// The use of a file's space by its newest version: the bytes of each class, property and index, and a sample of the pages in their order.
public struct FileAnatomy: Sendable {
    /// The content of an area.
    public enum Kind: String, Sendable, CaseIterable {
        /// The values of a property.
        case values
        /// Long texts and data of a property, and large collections.
        case long
        /// The index of a property or of several, or of the primary key.
        case index
        /// The links of a property, in the order of their targets.
        case inverse
        /// The existing objects of a class and their number.
        case objects
        /// The change records of the last commits.
        case history
        case journal
        /// The schema, and facts about the whole file.
        case catalogue
    }

    /// The blocks of one kind that belong to one property, class, or the file.
    public struct Area: Sendable, Equatable {
        public let kind: Kind
        /// The name of the class, or `nil` for areas of the whole file.
        public let table: String?
        /// The name of the property, or the names of a compound index's properties.
        public let property: String?
        /// A Boolean value that indicates whether the class or property is hidden storage, such as that of sync.
        public let isHidden: Bool
        public internal(set) var bytes = 0
        public internal(set) var blocks = 0
    }

    public let version: UInt64
    public let pageSize: Int
    /// The number of pages up to the last page in use.
    public let pageCount: Int
    public let fileBytes: Int
    /// The number of pages that later versions can use.
    public let freePages: Int
    /// The areas in descending order of their bytes.
    public let areas: [Area]
    /// The area that has most of each part of the file, as an index of ``areas``. Free pages are -1. The pages of the tree itself are -2. All parts
    /// have the same number of pages.
    public let order: [Int]
}

extension Database {
    /// Reads the use of the file's space.
    ///
    /// - Parameter cells: the maximum number of elements of ``FileAnatomy/order``.
    /// - Throws: `.invalidDatabase` if a page is damaged; `.readersFull`, `.environmentClosed`.
    /// - Complexity: O(blocks). Only the pages of the tree are read, and not long values.
    public func anatomy(cells: Int = 1_024) throws(EngineError) -> FileAnatomy {
        precondition(cells > 0, "an anatomy of \(cells) cells")
        let schema = try snapshot().schema
        // A reader of its own, so that other readers of the version don't wait.
        let reader = try core.storage.beginRead()
        guard let info = core.storage.info else {
            throw EngineError(.environmentClosed, "The file has been closed.", path: path)
        }
        var count = AnatomyCount(schema, pages: Int(clamping: info.pageCount), cells: cells, pageSize: info.pageSize)
        let order = reader.order
        try reader.forEachEntry(from: 0) { _ in
            .take
        } _: { key, bytes in
            count.add(order.address(key).segment, bytes, page: reader.trees?.main.pageNumber(of: bytes))
            return true
        }
        try count.addFreePages(of: reader)
        return count.anatomy(version: reader.version, fileBytes: Int(clamping: info.fileSize))
    }
}

/// The areas of a file that are being counted.
private struct AnatomyCount {
    private let schema: DatabaseSchema
    private let pageCount: Int
    private let pageSize: Int
    private let pagesInCell: Int
    private var areas: [FileAnatomy.Area] = []
    private var areaOfSegment: [UInt32: Int] = [:]
    private var areaOfName: [String: Int] = [:]
    /// The bytes of each area, for each cell.
    private var cells: [[Int: Int]]
    private var freePages = 0

    private static let free = -1
    private static let tree = -2

    init(_ schema: DatabaseSchema, pages: Int, cells: Int, pageSize: Int) {
        self.schema = schema
        self.pageSize = pageSize
        pageCount = pages
        pagesInCell = max(1, (pages + cells - 1) / cells)
        self.cells = Array(repeating: [:], count: (pages + pagesInCell - 1) / pagesInCell)
    }

    mutating func add(_ segment: UInt32, _ bytes: UnsafeRawBufferPointer, page: UInt64?) {
        let area = area(of: segment)
        areas[area].bytes += bytes.count
        areas[area].blocks += 1
        guard let page else { return }
        // A value that doesn't fit into a page of the tree has pages of its own.
        for next in 0...(bytes.count / pageSize) {
            note(area, page: Int(clamping: page) + next, bytes: min(pageSize, bytes.count - next * pageSize))
        }
    }

    private mutating func note(_ area: Int, page: Int, bytes: Int) {
        let cell = page / pagesInCell
        if cells.indices.contains(cell) { cells[cell][area, default: 0] += bytes }
    }

    mutating func addFreePages(of reader: StorageReader) throws(EngineError) {
        guard let trees = reader.trees else { return }
        do throws(PageTree.Damage) {
            var found: [[UInt64]] = []
            var failure: PageTree.Damage?
            try trees.free.forEach { entry in
                do throws(PageTree.Damage) {
                    found.append(try PageCheck.freePages(entry, below: trees.main.pageCount))
                } catch {
                    failure = error
                }
                return failure == nil
            }
            if let failure { throw failure }
            for page in found.joined() {
                freePages += 1
                note(Self.free, page: Int(clamping: page), bytes: pageSize)
            }
        } catch { throw Damage.error("its list of free pages can't be read", path: reader.environment.path) }
    }

    private mutating func area(of segment: UInt32) -> Int {
        if let known = areaOfSegment[segment] { return known }
        let new = Self.description(segment, schema)
        // The segments of a column's leaves and parts are one area.
        let name = "\(new.kind.rawValue)\u{0}\(new.isHidden)\u{0}\(new.table ?? "")\u{0}\(new.property ?? "")"
        let area = areaOfName[name] ?? areas.count
        if area == areas.count { areas.append(new) }
        areaOfName[name] = area
        areaOfSegment[segment] = area
        return area
    }

    private static func description(_ segment: UInt32, _ schema: DatabaseSchema) -> FileAnatomy.Area {
        switch segment {
        case Catalogue.historySegment: return .init(kind: .history, table: nil, property: nil, isHidden: false)
        case Catalogue.journalStateSegment, Catalogue.journalSegment:
            return .init(kind: .journal, table: nil, property: nil, isHidden: false)
        default: break
        }
        switch schema.owner(of: segment) {
        case nil: return .init(kind: .catalogue, table: nil, property: nil, isHidden: false)
        case .table(let table, let offset)?:
            let kind: FileAnatomy.Kind = offset < 3 ? .objects : .inverse
            return .init(kind: kind, table: table.name, property: nil, isHidden: table.isHidden)
        case .column(let table, let column, let part)?:
            let kind: FileAnatomy.Kind =
                switch part {
                case .leaf, .parts: .values
                case .blobs: .long
                case .index: .index
                case .backlinkLeaf, .backlinkParts, .backlinkBlobs: .inverse
                }
            return .init(
                kind: kind,
                table: table.name,
                property: column.name,
                isHidden: table.isHidden || column.isHidden
            )
        }
    }

    func anatomy(version: UInt64, fileBytes: Int) -> FileAnatomy {
        let ranks = areas.indices.sorted { areas[$0].bytes > areas[$1].bytes }
        var place = Array(repeating: 0, count: areas.count)
        for (i, area) in ranks.enumerated() { place[area] = i }
        let order = cells.map { cell -> Int in
            guard let most = cell.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key else { return Self.tree }
            return most < 0 ? most : place[most]
        }
        return FileAnatomy(
            version: version,
            pageSize: pageSize,
            pageCount: pageCount,
            fileBytes: fileBytes,
            freePages: freePages,
            areas: ranks.map { areas[$0] },
            order: order
        )
    }
}
