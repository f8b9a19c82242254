#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
public import FreeholdEngine
internal import FreeholdSyncCore

/// The classes for the conversion of documents.
public struct DocumentSchema: Sendable {
    struct Class: Sendable {
        let name: SyncString
        let isEmbedded: Bool
        /// The property `_id`. `nil` for embedded classes.
        let key: ColumnSpec?
        /// The properties by names, without the key.
        let properties: [SyncString: ColumnSpec]
        /// The names of the properties that an object must have, in rising order.
        let required: [SyncString]
    }

    private let classes: [SyncString: Class]

    /// - Complexity: O(number of properties)
    public init(_ tables: [TableSpec]) {
        var classes: [SyncString: Class] = [:]
        for table in tables {
            let key = table.isEmbedded ? nil : table.columns.first { $0.name == table.primaryKey }
            let rest = table.columns.filter { $0.name != key?.name }
            let required = rest.filter { $0.collection == .none && !$0.isOptional && $0.type != .link }
            classes[SyncString(table.name)] = Class(
                name: SyncString(table.name),
                isEmbedded: table.isEmbedded,
                key: key,
                properties: Dictionary(rest.map { (SyncString($0.name), $0) }, uniquingKeysWith: { first, _ in first }),
                required: required.map { SyncString($0.name) }.sorted()
            )
        }
        self.classes = classes
    }

    /// Returns a class that isn't embedded, and its key.
    func topLevel(_ name: SyncString) throws(DocumentMisfit) -> (Class, key: ColumnSpec) {
        guard let found = classes[name] else {
            throw DocumentMisfit(.unknownClass, [], "There is no class '\(name.string.prefix(80))'.")
        }
        guard let key = found.key else {
            throw DocumentMisfit(.unknownClass, [], "The class '\(name)' has no objects of its own: it has no '_id'.")
        }
        return (found, key)
    }

    /// Returns the class to which a column of links leads, or `nil` if the class is missing.
    func target(of column: ColumnSpec) -> Class? { column.target.flatMap { classes[SyncString($0)] } }

    /// Returns the class with a name, or `nil` if it doesn't exist.
    func find(_ name: String) -> Class? { classes[SyncString(name)] }
}

extension ColumnSpec {
    /// A description of the type for error messages.
    var documentType: String {
        switch type {
        case .bool: "a bool"
        case .int: "an integer"
        case .float, .double: "a number"
        case .string: "a string"
        case .data: "binary data"
        case .timestamp: "a date"
        case .decimal128: "a decimal"
        case .objectId: "an ObjectId"
        case .uuid: "a UUID"
        case .link: "a link"
        case .mixed: "a value"
        }
    }

    /// The value of a property that was never written.
    var emptyValue: SyncValue {
        guard !isOptional else { return .null }
        switch type {
        case .bool: return .bool(false)
        case .int: return .int(0)
        case .float: return .float(0)
        case .double: return .double(0)
        case .string: return .string("")
        case .data: return .data(Data())
        case .timestamp: return .date(Timestamp(seconds: 0, nanoseconds: 0))
        case .decimal128: return .decimal128(Decimal128(0 as Int64))
        case .objectId: return .objectId(ObjectId("000000000000000000000000"))
        case .uuid: return .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        case .link, .mixed: return .null
        }
    }
}
