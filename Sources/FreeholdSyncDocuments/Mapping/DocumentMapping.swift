public import FreeholdBSON
internal import FreeholdEngine
public import FreeholdSyncCore

/// An object that a document describes.
public struct MappedObject: Sendable {
    public let name: ObjectName
    /// The properties that the document has.
    public var fields: [SyncString: MergedContent]
    /// Paths of fields that the class hasn't.
    public var ignored: [String] = []
}

/// Reads documents as objects of a class, as App Services did: a link is the key of what it leads to, numbers become the type that the
/// class has, if it holds them exactly.
public struct DocumentMapping: Sendable {
    public struct Options: Sendable {
        /// What becomes of fields that the class hasn't.
        public enum UnknownFields: Sendable {
            /// They are left out, and said in ``MappedObject/ignored``.
            case ignored
            case refused
        }

        /// What becomes of a property that isn't optional and that a new object lacks.
        public enum MissingFields: Sendable {
            case refused
            /// It gets the type's zero: 0, false, an empty string, …
            case zero
        }

        public var unknownFields: UnknownFields
        public var missingFields: MissingFields
        /// How deep lists and dictionaries may nest in a mixed value, and embedded objects in one another.
        public var depth: Int

        public init(
            unknownFields: UnknownFields = .ignored,
            missingFields: MissingFields = .refused,
            depth: Int = 64
        ) {
            self.unknownFields = unknownFields
            self.missingFields = missingFields
            self.depth = depth
        }
    }

    public let schema: DocumentSchema
    public let options: Options

    public init(_ schema: DocumentSchema, options: Options = Options()) {
        self.schema = schema
        self.options = options
    }

    /// The object of a document. Properties that it lacks aren't in the result.
    ///
    /// - Throws: `DocumentMisfit` for what the class can't hold. Any document is safe to read.
    /// - Complexity: O(size of the document).
    public func object(_ document: BSONDocument, of className: String) throws(DocumentMisfit) -> MappedObject {
        let (found, key) = try schema.topLevel(SyncString(className))
        guard let id = document["_id"] else { throw DocumentMisfit(.key, ["_id"], "The document has no '_id'.") }
        var object = MappedObject(
            name: ObjectName(found.name, try Self.key(id, key, ["_id"], .key)),
            fields: [:]
        )
        var reader = ContentReader(schema: schema, options: options)
        object.fields = try reader.fields(document, of: found, [], depth: 0, isWhole: false)
        object.ignored = reader.ignored
        return object
    }

    /// The name of the object with this key.
    ///
    /// - Throws: `DocumentMisfit` for an unknown class, or a key of another type.
    public func name(_ key: BSONValue, of className: String) throws(DocumentMisfit) -> ObjectName {
        let (found, column) = try schema.topLevel(SyncString(className))
        return ObjectName(found.name, try Self.key(key, column, ["_id"], .key))
    }

    /// The properties that a new object of these fields needs beside them.
    ///
    /// - Throws: `DocumentMisfit`, if missing properties are refused.
    func missing(_ fields: [SyncString: MergedContent], of found: DocumentSchema.Class, _ path: [String])
        throws(DocumentMisfit) -> [SyncString: MergedContent]
    {
        var missing: [SyncString: MergedContent] = [:]
        for name in found.required where fields[name] == nil {
            guard case .zero = options.missingFields, let column = found.properties[name] else {
                throw DocumentMisfit(
                    .missing,
                    path + [name.string],
                    "'\(name)' is missing, and the class '\(found.name)' needs it."
                )
            }
            missing[name] = .value(column.emptyValue)
        }
        return missing
    }

    /// A key of this column's type.
    static func key(_ value: BSONValue, _ column: ColumnSpec, _ path: [String], _ code: DocumentMisfit.Code)
        throws(DocumentMisfit) -> PrimaryKey
    {
        switch (column.type, value) {
        case (_, .null) where column.isOptional: return .null
        case (.int, _): if let number = value.asInt64() { return .int(number) }
        case (.string, .string(let text)), (.string, .symbol(let text)): return .string(SyncString(text))
        case (.objectId, .objectId(let id)): return .objectId(id)
        case (.uuid, .binary(let binary)): if let uuid = binary.uuid { return .uuid(uuid) }
        default: break
        }
        throw DocumentMisfit(code, path, "The key is \(column.documentType), not \(value.typeName).")
    }
}
