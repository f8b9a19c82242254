public import FreeholdBSON

/// A merged object in the form that a store keeps (sync-design.md, section 8): a document that any program can read,
/// and the data that merges need.
///
/// `doc` has the present values: `_id` first, and the other fields by rising names. A link is the key of its target, a
/// list or a set is an array, and a dictionary or an embedded object is a document. `meta` has everything else. Both
/// together restore exactly the object.
public struct StoredObject: Sendable, Equatable {
    public var doc: BSONDocument
    public var meta: [UInt8]

    public init(doc: BSONDocument, meta: [UInt8]) {
        self.doc = doc
        self.meta = meta
    }
}

extension MergedObject {
    /// Returns the stored form. Equal objects have equal bytes.
    ///
    /// - Complexity: O(*n*) for *n* values and slots, O(*n* log *n*) for sets.
    public func stored(_ key: PrimaryKey) -> StoredObject {
        var writer = MetaWriter()
        let base = writer.mark(record.base)
        assert(base == 0)
        let elements = writer.record(record, reserved: "_id")
        if !touched.isEmpty { writer.append(touched, since: born) }
        if !contested.isEmpty { writer.append(contested, since: born) }
        let doc = BSONDocument([(key: "_id", value: BSONValue(key))] + elements)

        var head: MetaHead = []
        if died != nil { head.insert(.died) }
        if !deleters.isEmpty { head.insert(.deleters) }
        if makers != [record.base.stamp.ident] { head.insert(.makers) }
        if !writer.names.isEmpty { head.insert(.names) }
        if writer.marks.count > 1 { head.insert(.marks) }
        if changed != born { head.insert(.changed) }
        if !touched.isEmpty { head.insert(.touched) }
        if !contested.isEmpty { head.insert(.contested) }
        var meta = [head.rawValue]
        meta.appendVarint(born)
        if head.contains(.changed) { meta.appendVarint(changed &- born) }
        if let died { meta.appendVarint(died &- born) }
        if head.contains(.marks) { meta.appendVarint(writer.marks.count) }
        writer.appendMarks(to: &meta, since: born)
        for (files, part) in [(makers, MetaHead.makers), (deleters, .deleters)] where head.contains(part) {
            meta.appendVarint(files.count)
            for file in files { meta.appendVarint(UInt64(file.rawValue)) }
        }
        if head.contains(.names) { writer.appendNames(to: &meta) }
        meta.append(contentsOf: writer.bytes)
        return StoredObject(doc: doc, meta: meta)
    }

    /// Creates the object from its stored form.
    ///
    /// - Throws: `CodecError` if the parts are damaged or don't belong together.
    public init(_ stored: StoredObject) throws(CodecError) {
        let result = stored.meta.withUnsafeBytes { bytes in
            Result { () throws(CodecError) in try MergedObject(stored.doc, ByteCursor(bytes)) }
        }
        self = try result.get()
    }

    private init(_ doc: BSONDocument, _ cursor: ByteCursor) throws(CodecError) {
        var reader = MetaReader(cursor)
        let head = MetaHead(rawValue: try reader.cursor.byte())
        guard head.isSubset(of: .all) else { throw reader.error("The stored form is of a later version") }
        let born = try reader.cursor.varint()
        let changed = head.contains(.changed) ? born &+ (try reader.cursor.varint()) : born
        let died = head.contains(.died) ? born &+ (try reader.cursor.varint()) : nil
        let count = head.contains(.marks) ? try reader.cursor.count() : 1
        try reader.readMarks(count, since: born)
        guard let base = reader.marks.first else { throw reader.error("There is no mark") }
        let makers = head.contains(.makers) ? try reader.files() : [base.stamp.ident]
        let deleters = head.contains(.deleters) ? try reader.files() : []
        if head.contains(.names) { try reader.readNames() }
        guard doc.first?.key == "_id" else { throw reader.error("The document doesn't begin with the key") }
        let record = try reader.record(base: base, doc.dropFirst())
        let touched = head.contains(.touched) ? try reader.touched(since: born) : [:]
        let contested = head.contains(.contested) ? try reader.touched(since: born) : [:]
        guard reader.cursor.remaining == 0 else { throw reader.error("Bytes follow the stored form") }
        self.init(
            born: born,
            died: died,
            changed: changed,
            record: record,
            makers: makers,
            deleters: deleters,
            touched: touched,
            contested: contested
        )
    }
}

/// The flags in the first byte of `meta`, for the parts that follow. Unknown bits belong to later versions.
struct MetaHead: OptionSet {
    let rawValue: UInt8

    static let died = MetaHead(rawValue: 1)
    static let deleters = MetaHead(rawValue: 2)
    /// Makers other than the file of the first mark.
    static let makers = MetaHead(rawValue: 4)
    static let names = MetaHead(rawValue: 8)
    /// More than one mark.
    static let marks = MetaHead(rawValue: 16)
    static let changed = MetaHead(rawValue: 32)
    /// Versions of changes that have no mark. They follow all other parts.
    static let touched = MetaHead(rawValue: 64)
    /// Versions of creates with different contents. They follow `touched`.
    static let contested = MetaHead(rawValue: 128)
    static let all: MetaHead = [.died, .deleters, .makers, .names, .marks, .changed, .touched, .contested]
}

/// The kind of a field, in `meta`.
enum MetaField: UInt64 {
    case register = 0
    case list = 1
    case set = 2
    case dictionary = 3

    /// A flag for a field that the document can't contain.
    static let hidden: UInt64 = 4
}

/// The place of a register's value, in `meta`.
enum MetaHeld: UInt8 {
    case absent = 0
    /// The value is in the document, with the type that it has there.
    case plain = 1
    case float = 2
    case link = 3
    /// The value is in the document, except for the nanoseconds within the millisecond.
    case date = 4
    /// The value is in `meta`.
    case exact = 5
    case instance = 6

    static let mask: UInt8 = 7
    static let hasMark: UInt8 = 8
    static let hasEdits: UInt8 = 16
}
