/// The fixed segments and blocks of a file, and the encodings of its header, root, schema and table states.
///
/// Segment 0 has the header in block 0, the root in block 1, and the schema's chunks from block 2 on. Segment 1 is the history. Segments 2 and 3 are
/// the journal.
enum Catalogue {
    static let segment: UInt32 = 0
    static let historySegment: UInt32 = 1
    /// The segment of the `JournalState`, in block 0.
    static let journalStateSegment: UInt32 = 2
    /// The segment of the entries' blocks, by position.
    static let journalSegment: UInt32 = 3
    static let headerBlock: UInt64 = 0
    static let rootBlock: UInt64 = 1
    static let firstSchemaBlock: UInt64 = 2
    static let firstFreeSegment: UInt32 = 16
    static let rootAddress = BlockAddress(segment: segment, number: rootBlock)

    static func isJournal(_ address: BlockAddress) -> Bool {
        address.segment == journalStateSegment || address.segment == journalSegment
    }

    /// "FREEHOLD" as bytes.
    static let magic: [UInt8] = [0x46, 0x52, 0x45, 0x45, 0x48, 0x4f, 0x4c, 0x44]
    static let formatVersion: UInt32 = 5
    static let defaultClusterSpan = 1000
}

/// The root of the catalogue, which every commit that changes the schema or the user's version rewrites.
struct CatalogueRoot: Equatable {
    /// A number that increases with every change of the schema. Snapshots with equal numbers share the decoded schema.
    var schemaRevision: UInt64 = 0
    var userVersion: UInt64 = 0
    var hasUserVersion = false
    var nextSegment: UInt32 = Catalogue.firstFreeSegment
    var nextTableID: UInt32 = 1
    var schemaBlocks: UInt32 = 0
    /// The size of the whole encoded schema in bytes.
    var schemaLength: UInt32 = 0
    /// A Boolean value that indicates whether commits are journalled, because the file has a cursor.
    var hasJournal = false

    /// A Boolean value that indicates whether the numbers of segments and tables are possible. Memory is allocated according to them.
    var isPlausible: Bool {
        nextSegment >= Catalogue.firstFreeSegment && nextSegment <= BlockAddress.maximumSegment + 1
            && nextTableID >= 1 && Int(nextTableID) <= DatabaseSchema.maximumTableID + 1
            && schemaBlocks <= schemaLength
    }

    var withoutJournal: CatalogueRoot {
        var root = self
        root.hasJournal = false
        return root
    }

    func encoded() -> [UInt8] {
        var w = ByteWriter()
        w.fixed(schemaRevision)
        w.fixed(userVersion)
        w.u8(hasUserVersion ? 1 : 0)
        w.fixed(nextSegment)
        w.fixed(nextTableID)
        w.fixed(schemaBlocks)
        w.fixed(schemaLength)
        // The root of a file that never had a journal ends here.
        if hasJournal { w.u8(1) }
        return w.bytes
    }

    static func decode(_ bytes: UnsafeRawBufferPointer) -> CatalogueRoot? {
        var r = ByteReader(bytes)
        var root = CatalogueRoot()
        guard let revision = r.fixed(UInt64.self), let user = r.fixed(UInt64.self), let has = r.u8(),
            let segment = r.fixed(UInt32.self), let table = r.fixed(UInt32.self), let blocks = r.fixed(UInt32.self),
            let length = r.fixed(UInt32.self)
        else { return nil }
        root.schemaRevision = revision
        root.userVersion = user
        root.hasUserVersion = has != 0
        root.nextSegment = segment
        root.nextTableID = table
        root.schemaBlocks = blocks
        root.schemaLength = length
        root.hasJournal = r.u8().map { $0 & 1 != 0 } ?? false
        return root
    }
}

extension DatabaseSchema {
    /// The maximum id of a table. A greater number is damaged.
    static let maximumTableID = 1 << 20

    /// - Parameter withHidden: whether hidden tables and columns are included.
    func encoded(withHidden: Bool = true) -> [UInt8] {
        var w = ByteWriter()
        let tables = withHidden ? storedTables : tables
        w.varint(UInt64(tables.count))
        for table in tables {
            let columns = withHidden ? table.storedColumns : table.columns
            w.varint(UInt64(table.id))
            w.string(table.name)
            w.u8((table.isEmbedded ? 1 : 0) | (table.isHidden ? 2 : 0) | (table.isAsymmetric ? 4 : 0))
            w.varint(UInt64(table.firstSegment))
            w.varint(UInt64(table.nextColumnID))
            w.varint(UInt64(table.compounds.count))
            for compound in table.compounds {
                w.u8(compound.isUnique ? 1 : 0)
                w.varint(UInt64(compound.firstSegment))
                w.varint(UInt64(compound.columns.count))
                for column in compound.columns { w.varint(UInt64(column.id)) }
            }
            w.varint(UInt64(columns.count))
            for c in columns {
                w.varint(UInt64(c.id))
                w.string(c.name)
                w.u8(c.type.rawValue)
                w.u8(c.collection.rawValue)
                w.u8((c.isOptional ? 1 : 0) | (c.isPrimaryKey ? 2 : 0) | c.rules.bits | (c.isHidden ? 0x80 : 0))
                w.u8(c.indexKind.rawValue)
                w.varint(UInt64(c.targetTableID.map { $0 + 1 } ?? 0))
                w.varint(UInt64(c.firstSegment))
            }
        }
        return w.bytes
    }

    /// Returns `nil` if the bytes are damaged.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> DatabaseSchema? {
        var r = ByteReader(bytes)
        guard let tableCount = r.number() else { return nil }
        var tables: [Table] = []
        for _ in 0..<tableCount {
            guard let id = r.number(), let name = r.string(), let flags = r.u8(), let segment = r.segment(),
                let next = r.number(), id <= maximumTableID, let compounds = r.compounds(),
                let columnCount = r.number()
            else { return nil }
            let compounded = Set(compounds.flatMap(\.columns))
            var columns: [Column] = []
            for index in 0..<columnCount {
                guard let columnID = r.number(), let columnName = r.string(),
                    let type = r.u8().flatMap(ColumnType.init(rawValue:)),
                    let collection = r.u8().flatMap(CollectionKind.init(rawValue:)), let flags = r.u8(),
                    let rules = DeleteRules(bits: flags),
                    let indexKind = r.u8().flatMap(IndexKind.init(rawValue:)),
                    let target = r.number(), let columnSegment = r.segment()
                else { return nil }
                columns.append(
                    Column(
                        id: columnID,
                        index: index,
                        tableID: id,
                        name: columnName,
                        type: type,
                        isOptional: flags & 1 != 0,
                        collection: collection,
                        targetTableID: target == 0 ? nil : target - 1,
                        indexKind: indexKind,
                        isPrimaryKey: flags & 2 != 0,
                        isInCompound: compounded.contains(columnID),
                        rules: rules,
                        isHidden: flags & 0x80 != 0,
                        firstSegment: columnSegment
                    )
                )
            }
            var made: [CompoundColumnIndex] = []
            for compound in compounds {
                let members = compound.columns.compactMap { id in columns.first { $0.id == id } }
                guard members.count == compound.columns.count, members.count > 1 else { return nil }
                made.append(
                    CompoundColumnIndex(
                        tableID: id,
                        columns: members,
                        isUnique: compound.isUnique,
                        firstSegment: compound.firstSegment
                    )
                )
            }
            tables.append(
                Table(
                    id: id,
                    name: name,
                    columns: columns,
                    isEmbedded: flags & 1 != 0,
                    isAsymmetric: flags & 4 != 0,
                    isHidden: flags & 2 != 0,
                    compounds: made,
                    firstSegment: segment,
                    nextColumnID: next
                )
            )
        }
        let schema = DatabaseSchema(tables: tables)
        return schema.hasOnceEach ? schema : nil
    }
}

extension ByteReader {
    fileprivate struct Compound {
        var columns: [Int] = []
        var isUnique: Bool
        var firstSegment: UInt32
    }

    fileprivate mutating func compounds() -> [Compound]? {
        guard let count = number() else { return nil }
        var out: [Compound] = []
        for _ in 0..<count {
            guard let flags = u8(), let first = segment(), let members = number() else { return nil }
            var compound = Compound(isUnique: flags & 1 != 0, firstSegment: first)
            for _ in 0..<members {
                guard let id = number() else { return nil }
                compound.columns.append(id)
            }
            out.append(compound)
        }
        return out
    }

    fileprivate mutating func segment() -> UInt32? {
        let possible = UInt64(Catalogue.firstFreeSegment)...UInt64(BlockAddress.maximumSegment)
        return varint().flatMap { possible.contains($0) ? UInt32($0) : nil }
    }
}
