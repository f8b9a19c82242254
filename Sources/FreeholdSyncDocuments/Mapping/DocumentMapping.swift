public import FreeholdBSON
internal import FreeholdEngine
public import FreeholdSyncCore

/// An object that a document describes.
public struct MappedObject: Sendable {
    public let name: ObjectName
    /// The properties that the document contains.
    public var fields: [SyncString: MergedContent]
    /// The paths of fields that the class doesn't have.
    public var ignored: [String] = []
}

/// The conversion of documents into objects of a class, in the way of App Services: a link is the key of its target,
/// and a number is converted to the type of the property if that type can represent it exactly.
public struct DocumentMapping: Sendable {
    public struct Options: Sendable {
        /// The handling of fields that the class doesn't have.
        public enum UnknownFields: Sendable {
            /// They are left out, and listed in ``MappedObject/ignored``.
            case ignored
            case refused
        }

        /// The handling of required properties that are missing in the document of a new object.
        public enum MissingFields: Sendable {
            case refused
            /// They have the zero of their type: 0, false, an empty string, ….
            case zero
        }

        public var unknownFields: UnknownFields
        public var missingFields: MissingFields
        /// The maximum depth of lists and dictionaries in a mixed value, and of embedded objects.
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

    /// Returns the object of a document. The result doesn't contain properties that are missing in the document.
    ///
    /// - Throws: `DocumentMisfit` for values that the class can't store. All documents are safe to read.
    /// - Complexity: O(size of the document)
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

    /// Returns the name of the object with a key.
    ///
    /// - Throws: `DocumentMisfit` for an unknown class, or a key of a wrong type.
    public func name(_ key: BSONValue, of className: String) throws(DocumentMisfit) -> ObjectName {
        let (found, column) = try schema.topLevel(SyncString(className))
        return ObjectName(found.name, try Self.key(key, column, ["_id"], .key))
    }

    /// - Throws: `DocumentMisfit` if no new object may have the name, because its key is too long.
    func checkNew(_ name: ObjectName) throws(DocumentMisfit) {
        guard name.key.isTooLong else { return }
        let reason =
            "The key has \(name.key.textBytes) bytes. The key of a new object has at most \(PrimaryKey.mostBytes)."
        throw DocumentMisfit(.longKey, ["_id"], reason)
    }

    /// Returns the properties that a new object needs in addition to its fields.
    ///
    /// - Throws: `DocumentMisfit` if missing properties are refused.
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

    /// Returns a key of the column's type.
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
