extension Changeset {
    /// Reads a changeset from the bytes of an entry.
    ///
    /// - Throws: `WireError` for any bytes that the official client refuses, for values that would terminate it while it reads
    ///   them, and for keys without a primary key (`GlobalKey`), which flexible sync doesn't have.
    /// - Complexity: O(*n*) in time and memory
    public init(bytes: [UInt8], limits: WireLimits = .usual) throws(WireError) {
        try self.init(bytes: bytes[...], limits: limits)
    }

    /// Reads a changeset from a part of a message.
    public init(bytes: ArraySlice<UInt8>, limits: WireLimits = .usual) throws(WireError) {
        guard bytes.count <= limits.changeset else {
            throw WireError(.tooLarge, "A changeset has more than \(limits.changeset) bytes")
        }
        var decoder = ChangesetDecoder(bytes, limits: limits)
        try decoder.run()
        self.init(decoder.instructions)
        rawForms = decoder.rawForms
    }
}

/// The state of a changeset that is being read.
private struct ChangesetDecoder {
    private var reader: WireReader
    private let limits: WireLimits
    private var strings: [WireText] = []
    private var known: Set<WireText> = []
    /// The number of bytes of all strings and data so far, including interned strings.
    private var contents = 0
    private(set) var instructions: [Instruction] = []
    private(set) var rawForms: [Int: Changeset.RawForm] = [:]
    /// The raw form of the payload that was read last.
    private var lastForm: Changeset.RawForm?

    init(_ bytes: ArraySlice<UInt8>, limits: WireLimits) {
        reader = WireReader(bytes)
        self.limits = limits
    }

    mutating func run() throws(WireError) {
        while !reader.isAtEnd {
            let tag = try reader.type()
            if tag == internTag { try intern() } else { instructions.append(try instruction(tag)) }
        }
    }

    // MARK: Strings

    private mutating func intern() throws(WireError) {
        guard try reader.uint32() == UInt32(strings.count) else {
            throw reader.error(.invalidString, "The numbers of interned strings aren't consecutive")
        }
        let bytes = try reader.content(atMost: limits.string)
        let text = WireText(bytes: Array(bytes))
        guard known.insert(text).inserted else {
            throw reader.error(.invalidString, "A string is interned twice")
        }
        contents += bytes.count
        strings.append(text)
    }

    private mutating func string() throws(WireError) -> WireText {
        let index = try reader.uint32()
        guard index < strings.count else {
            throw reader.error(.invalidString, "An interned string is used before its definition")
        }
        return strings[Int(index)]
    }

    // MARK: Instructions

    private mutating func instruction(_ tag: Int8) throws(WireError) -> Instruction {
        switch tag {
        case 0: return .addTable(try table())
        case 1: return .eraseTable(name: try string())
        case 2: return .createObject(try object())
        case 3: return .eraseObject(try object())
        case 4:
            let path = try path()
            let value = try payload()
            if path.lastIndex != nil {
                return .update(at: path, value: value, mark: .element(priorSize: try reader.uint32()))
            }
            return .update(at: path, value: value, mark: .field(isDefault: try reader.bool()))
        case 5: return .addInteger(at: try path(), amount: try reader.int64())
        case 6: return .addColumn(try column())
        case 7: return .eraseColumn(table: try string(), field: try string())
        case 8:
            let path = try listPath()
            let value = try payload()
            return .arrayInsert(at: path, value: value, priorSize: try reader.uint32())
        case 9:
            let path = try listPath()
            let target = try reader.uint32()
            return .arrayMove(at: path, target: target, priorSize: try reader.uint32())
        case 10: return .arrayErase(at: try listPath(), priorSize: try reader.uint32())
        case 11: return .clear(at: try path(), kind: try collection())
        case 12: return .setInsert(at: try path(), value: try payload())
        case 13:
            let path = try path()
            let value = try payload()
            if let form = lastForm { rawForms[instructions.count] = form }
            return .setErase(at: path, value: value)
        default: throw reader.error(.unknownTag, "There is no instruction of this number")
        }
    }

    private mutating func collection() throws(WireError) -> CollectionKind {
        guard let kind = CollectionKind(rawValue: try reader.uint8()) else {
            throw reader.error(.unknownTag, "There is no collection of this kind")
        }
        return kind
    }

    private mutating func columnKind() throws(WireError) -> ColumnKind {
        guard let kind = ColumnKind(rawValue: try reader.type()) else {
            throw reader.error(.unknownTag, "There is no column of this type")
        }
        return kind
    }

    private mutating func table() throws(WireError) -> TableSpec {
        let name = try string()
        guard let kind = TableSpec.Kind(rawValue: try reader.uint8()) else {
            throw reader.error(.unknownTag, "There is no class of this kind")
        }
        guard kind != .embedded else { return TableSpec(name: name, kind: kind, primaryKey: nil) }
        let field = try string()
        let key = try columnKind()
        guard [.int, .string, .objectID, .uuid].contains(key) else {
            throw reader.error(.invalidValue, "A primary key can't have this type")
        }
        let primaryKey = TableSpec.PrimaryKey(field: field, kind: key, isNullable: try reader.bool())
        return TableSpec(name: name, kind: kind, primaryKey: primaryKey)
    }

    private mutating func column() throws(WireError) -> ColumnSpec {
        var spec = ColumnSpec(
            table: try string(),
            field: try string(),
            kind: try columnKind(),
            isNullable: try reader.bool()
        )
        spec.collection = try collection()
        if spec.kind == .link { spec.target = try string() }
        if spec.collection == .dictionary {
            guard try columnKind() == .string else {
                throw reader.error(.invalidValue, "The keys of a dictionary have to be strings")
            }
        }
        return spec
    }

    // MARK: Places

    private mutating func object() throws(WireError) -> WireObject {
        WireObject(table: try string(), key: try key())
    }

    private mutating func key() throws(WireError) -> WireKey {
        switch try reader.type() {
        case 0: return .null
        case 1: return .int(try reader.int64())
        case 3: return .string(try string())
        case 10: return .objectID(try reader.objectID())
        case 11: return .uuid(try reader.uuid())
        case -1: throw reader.error(.unsupported, "Objects without a primary key can't be synced")
        default: throw reader.error(.unknownTag, "A key can't have this type")
        }
    }

    private mutating func path() throws(WireError) -> WirePath {
        var path = WirePath(object: try object(), field: try string())
        let count = try reader.uint32()
        guard count <= limits.path else { throw reader.error(.tooLarge, "A path is too long") }
        guard count > 0 else { return path }
        path.elements.reserveCapacity(min(Int(count), reader.remaining))
        for _ in 0..<count {
            if let index = try reader.indexOrName() {
                path.elements.append(.index(index))
            } else {
                path.elements.append(.name(try string()))
            }
        }
        return path
    }

    private mutating func listPath() throws(WireError) -> WirePath {
        let path = try path()
        guard path.lastIndex != nil else {
            throw reader.error(.invalidValue, "The path of a list's element ends without an index")
        }
        return path
    }

    // MARK: Values

    private mutating func payload() throws(WireError) -> Payload {
        lastForm = nil
        switch try reader.type() {
        case -5: return .list
        case -4: return .erased
        case -3: return .dictionary
        case -2: return .object
        case 0: return .null
        case 1: return .int(try reader.int64())
        case 2: return .bool(try reader.bool())
        case 3: return .string(WireText(bytes: Array(try content(atMost: limits.string))))
        case 4: return .data(Array(try content(atMost: limits.data)))
        case 5: return .date(try reader.date())
        case 6: return .float(Float(bitPattern: UInt32(try reader.littleEndian(4))))
        case 7: return .double(Double(bitPattern: try reader.littleEndian(8)))
        case 8: return .decimal(try reader.decimal())
        case 9: return .link(try link())
        case 10: return .objectID(try reader.objectID())
        case 11: return .uuid(try reader.uuid())
        case -6: throw reader.error(.invalidValue, "A set can't be a value")
        case -1: throw reader.error(.unsupported, "A value can't be a key of an object")
        default: throw reader.error(.unknownTag, "There is no value of this type")
        }
    }

    private mutating func content(atMost limit: Int) throws(WireError) -> ArraySlice<UInt8> {
        let content = try reader.content(atMost: limit)
        lastForm = .content(offset: contents, length: content.count)
        contents += content.count
        return content
    }

    /// Reads a link, and keeps the numbers of its interned strings.
    private mutating func link() throws(WireError) -> WireObject {
        var ahead = reader
        let table = Int(try ahead.uint32())
        if try ahead.type() == 3 { lastForm = .linkWithString(table: table, key: Int(try ahead.uint32())) }
        let link = try object()
        if lastForm == nil { lastForm = .link(table: table, key: link.key) }
        return link
    }
}

/// The tag of the definition of an interned string.
let internTag: Int8 = 0x3F
