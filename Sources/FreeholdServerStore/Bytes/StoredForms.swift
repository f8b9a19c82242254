#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdBSON
internal import FreeholdEngine
public import FreeholdSyncCore

/// The bytes in hidden rows.
extension [UInt8] {
    mutating func append(_ key: PrimaryKey) {
        switch key {
        case .null: appendExact(.null)
        case .int(let value): appendExact(.int(value))
        case .string(let value): appendExact(.string(value))
        case .objectId(let value): appendExact(.objectId(value))
        case .uuid(let value): appendExact(.uuid(value))
        }
    }

    mutating func append(_ name: ObjectName) {
        appendText(name.className)
        append(name.key)
    }

    mutating func append(section bytes: [UInt8]) {
        appendVarint(bytes.count)
        append(contentsOf: bytes)
    }

    /// - Throws: `OversizedObject` if the object is nested deeper than a document can be.
    mutating func append(_ object: MergedObject, _ key: PrimaryKey) throws {
        let stored = object.stored(key)
        append(section: try stored.doc.storedBytes())
        append(section: stored.meta)
    }

    mutating func append(_ hash: RunningHash) {
        appendFixed(hash.high, width: 8)
        appendFixed(hash.low, width: 8)
    }
}

extension BSONDocument {
    /// - Throws: `StreamFile.OversizedObject`
    func storedBytes() throws -> [UInt8] {
        do { return try bytes(limits: RowReader.limits) } catch {
            throw StreamFile.OversizedObject(description: "\(error)")
        }
    }
}

extension ByteCursor {
    mutating func key() throws -> PrimaryKey {
        switch try exactValue() {
        case .null: return .null
        case .int(let value): return .int(value)
        case .string(let value): return .string(value)
        case .objectId(let value): return .objectId(value)
        case .uuid(let value): return .uuid(value)
        default: throw error(.invalidValue, "The bytes aren't a key")
        }
    }

    mutating func name() throws -> ObjectName { ObjectName(try text(), try key()) }

    mutating func object() throws -> MergedObject { try MergedObject(storedObject()) }

    mutating func storedObject() throws -> StoredObject {
        let range = try section()
        let doc = try BSONDocument(UnsafeRawBufferPointer(rebasing: bytes[range]), limits: RowReader.limits)
        return StoredObject(doc: doc, meta: Array(bytes[try section()]))
    }

    mutating func hash() throws -> RunningHash { RunningHash(high: try fixed(width: 8), low: try fixed(width: 8)) }
}

/// Reads bytes with a closure, and checks that all of them were read.
func reading<Result>(_ bytes: [UInt8], _ body: (inout ByteCursor) throws -> Result) throws -> Result {
    try bytes.withUnsafeBytes { bytes in
        var cursor = ByteCursor(bytes)
        let result = try body(&cursor)
        guard cursor.remaining == 0 else { throw cursor.error(.leftover, "Bytes follow what was stored") }
        return result
    }
}

/// The stored form of the files from which a file was copied. It is public for stores in other packages.
public enum StoredParents {
    public static func bytes(_ parents: [FileParent]) -> [UInt8] {
        var bytes: [UInt8] = []
        for parent in parents {
            bytes.appendVarint(UInt64(parent.ident.rawValue))
            bytes.appendVarint(parent.version)
        }
        return bytes
    }

    public static func parents(_ bytes: [UInt8]) throws -> [FileParent] {
        try reading(bytes) { cursor in
            var parents: [FileParent] = []
            while cursor.remaining > 0 {
                guard let ident = UInt32(exactly: try cursor.varint()) else {
                    throw cursor.error(.invalidValue, "The bytes aren't the number of a file")
                }
                parents.append(FileParent(ident: FileIdent(rawValue: ident), version: try cursor.varint()))
            }
            return parents
        }
    }
}

/// The stored form of values that are otherwise only sent. They are stored as messages. It is public for stores in
/// other packages.
public enum StoredMessage {
    private static let codec = MessageCodec(limit: .max)

    public static func bytes(_ queries: Queries) throws -> [UInt8] { try codec.encode(.queries(1, queries)) }

    public static func queries(_ bytes: [UInt8]) throws -> Queries? {
        guard !bytes.isEmpty else { return nil }
        guard case .queries(_, let queries)? = try codec.clientMessage(bytes) else {
            throw StoreDamage("A file's queries aren't queries.")
        }
        return queries
    }

    public static func bytes(_ part: UploadedCommit) throws -> [UInt8] {
        try codec.encode(.upload(1, Upload(commits: [part])))
    }

    public static func part(_ bytes: [UInt8]) throws -> UploadedCommit {
        guard case .upload(_, let upload)? = try codec.clientMessage(bytes), let part = upload.commits.first else {
            throw StoreDamage("A part of a commit is none.")
        }
        return part
    }

    public static func bytes(_ stored: StoredAnswer) throws -> [UInt8] {
        let answer = stored.answer
        var bytes: [UInt8] = []
        bytes.appendVarint(answer.commit)
        bytes.appendVarint(answer.version)
        bytes.appendVarint(answer.clock.rawValue)
        bytes.append(stored.hash)
        guard !answer.refusals.isEmpty else { return bytes }
        let ack = Ack(
            first: answer.commit,
            versions: [answer.version],
            clock: answer.clock,
            refusals: answer.refusals
        )
        return bytes + (try codec.encode(.ack(1, ack)))
    }

    public static func answer(_ bytes: [UInt8]) throws -> StoredAnswer {
        try reading(bytes) { cursor in
            let (commit, version) = (try cursor.varint(), try cursor.varint())
            let (clock, hash) = (Clock(rawValue: try cursor.varint()), try cursor.hash())
            var refusals: [Refusal] = []
            if cursor.remaining > 0 {
                let message = try codec.serverMessage(Array(cursor.bytes[try cursor.take(cursor.remaining)]))
                guard case .ack(_, let ack)? = message else { throw StoreDamage("A stored answer is none.") }
                refusals = ack.refusals
            }
            return StoredAnswer(
                MergeAnswer(stored: commit, version: version, clock: clock, refusals: refusals),
                hash: hash
            )
        }
    }
}

extension StreamName {
    /// The stored form of the name. Equal names have equal bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendText(app)
        if let value { bytes.appendExact(value) }
        return bytes
    }

    /// Creates a name from its stored form.
    ///
    /// - Throws: `CodecError` if the bytes are damaged.
    public init(_ bytes: [UInt8]) throws {
        self = try reading(bytes) { cursor in
            let app = try cursor.text()
            return StreamName(app: app, value: cursor.remaining > 0 ? try cursor.exactValue() : nil)
        }
    }
}
