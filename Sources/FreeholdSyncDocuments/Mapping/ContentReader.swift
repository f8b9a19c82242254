#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdBSON
internal import FreeholdEngine
internal import FreeholdSyncCore

/// Converts values of documents into contents.
struct ContentReader {
    let schema: DocumentSchema
    let options: DocumentMapping.Options
    private(set) var ignored: [String] = []

    init(schema: DocumentSchema, options: DocumentMapping.Options) {
        self.schema = schema
        self.options = options
    }

    private static var ignoredNames: Int { 1_000 }

    /// - Parameter isWhole: A Boolean value that indicates whether required properties that are missing in the document
    ///   are refused, or set to zero.
    mutating func fields(
        _ document: BSONDocument,
        of found: DocumentSchema.Class,
        _ path: [String],
        depth: Int,
        isWhole: Bool
    ) throws(DocumentMisfit) -> [SyncString: MergedContent] {
        guard depth <= options.depth else {
            throw DocumentMisfit(.limit, path, "Objects nest deeper than \(options.depth) levels.")
        }
        var fields: [SyncString: MergedContent] = [:]
        for (key, value) in document {
            let name = SyncString(key)
            if found.key?.name == key { continue }
            guard let column = found.properties[name] else {
                guard case .ignored = options.unknownFields else {
                    throw DocumentMisfit(.unknownField, path + [key], "The class '\(found.name)' has no '\(key)'.")
                }
                if ignored.count < Self.ignoredNames { ignored.append((path + [key]).joined(separator: ".")) }
                continue
            }
            if case .undefined = value { continue }
            fields[name] = try content(value, column, path + [key], depth)
        }
        if isWhole {
            let mapping = DocumentMapping(schema, options: options)
            fields.merge(try mapping.missing(fields, of: found, path)) { first, _ in first }
        }
        return fields
    }

    /// Returns the content of a property.
    mutating func content(_ value: BSONValue, _ column: ColumnSpec, _ path: [String], _ depth: Int = 0)
        throws(DocumentMisfit) -> MergedContent
    {
        switch column.collection {
        case .none: return try element(value, column, path, depth)
        case .list, .set:
            var elements: [BSONValue] = []
            switch value {
            case .array(let values): elements = values
            case .null, .undefined: break
            default: throw DocumentMisfit(.type, path, "An array belongs here, not \(value.typeName).")
            }
            if column.collection == .set { return .set(try set(elements, column, path, depth)) }
            var contents: [MergedContent] = []
            contents.reserveCapacity(elements.count)
            for (index, value) in elements.enumerated() {
                contents.append(try element(value, column, path + ["\(index)"], depth))
            }
            return .list(contents)
        case .dictionary:
            var contents: [SyncString: MergedContent] = [:]
            switch value {
            case .document(let document):
                for (key, value) in document {
                    contents[SyncString(key)] = try element(value, column, path + [key], depth)
                }
            case .null, .undefined: break
            default: throw DocumentMisfit(.type, path, "A document belongs here, not \(value.typeName).")
            }
            return .dictionary(contents)
        }
    }

    private mutating func set(_ values: [BSONValue], _ column: ColumnSpec, _ path: [String], _ depth: Int)
        throws(DocumentMisfit) -> [SetElement: SyncValue]
    {
        var elements: [SetElement: SyncValue] = [:]
        for (index, value) in values.enumerated() {
            let path = path + ["\(index)"]
            guard case .value(let one) = try element(value, column, path, depth), let element = SetElement(one) else {
                throw DocumentMisfit(.type, path, "A set can't hold \(value.typeName).")
            }
            if elements[element] == nil { elements[element] = one }
        }
        return elements
    }

    /// Returns a single value, or an element of a collection.
    mutating func element(_ value: BSONValue, _ column: ColumnSpec, _ path: [String], _ depth: Int)
        throws(DocumentMisfit) -> MergedContent
    {
        if column.type == .mixed { return .value(try mixed(value, path, depth)) }
        guard !value.isNull, !value.isUndefined else {
            let isOptional = column.isOptional || (column.type == .link && column.collection == .none)
            guard isOptional else { throw DocumentMisfit(.missing, path, "Null can't be here: it isn't optional.") }
            return .value(.null)
        }
        guard column.type == .link else { return .value(try scalar(value, column, path)) }
        guard let target = schema.target(of: column) else {
            throw DocumentMisfit(.unknownClass, path, "There is no class '\(column.target ?? "")'.")
        }
        guard let key = target.key else {
            guard case .document(let document) = value else {
                throw DocumentMisfit(.type, path, "An embedded object is a document, not \(value.typeName).")
            }
            return .embedded(try fields(document, of: target, path, depth: depth + 1, isWhole: true))
        }
        var id = value
        if case .document(let reference) = value, reference.first?.key == "$ref", let inner = reference["$id"] {
            id = inner
        }
        return .value(.link(ObjectName(target.name, try DocumentMapping.key(id, key, path, .type))))
    }

    private func scalar(_ value: BSONValue, _ column: ColumnSpec, _ path: [String]) throws(DocumentMisfit) -> SyncValue
    {
        switch (column.type, value) {
        case (.bool, .bool(let value)): return .bool(value)
        case (.int, _): if let number = value.asInt64() { return .int(number) }
        case (.double, _): if let number = value.asDouble() { return .double(number) }
        case (.float, _):
            if let number = value.asDouble() {
                let float = Float(number)
                if float.isFinite || !number.isFinite { return .float(float) }
            }
        case (.decimal128, .decimal128(let number)): return .decimal128(number)
        case (.decimal128, .int32(let number)): return .decimal128(Decimal128(Int64(number)))
        case (.decimal128, .int64(let number)): return .decimal128(Decimal128(number))
        case (.decimal128, .double(let number)): return .decimal128(Decimal128(number))
        case (.string, .string(let text)), (.string, .symbol(let text)): return .string(SyncString(text))
        case (.data, .binary(let binary)) where binary.subtype == .generic || binary.subtype == .old:
            return .data(binary.data)
        case (.timestamp, .datetime(let date)): return .date(Timestamp(date))
        case (.objectId, .objectId(let id)): return .objectId(id)
        case (.uuid, .binary(let binary)): if let uuid = binary.uuid { return .uuid(uuid) }
        default: break
        }
        let isNumber = [.int, .float, .double].contains(column.type) && value.isNumber
        throw DocumentMisfit(
            .type,
            path,
            isNumber
                ? "\(column.type == .int ? "An integer" : "The property's type") can't hold this number."
                : "\(column.documentType.capitalizedFirst) belongs here, not \(value.typeName)."
        )
    }

    /// Returns a value of any type, including lists and dictionaries.
    func mixed(_ value: BSONValue, _ path: [String], _ depth: Int) throws(DocumentMisfit) -> SyncValue {
        guard depth <= options.depth else {
            throw DocumentMisfit(.limit, path, "Values nest deeper than \(options.depth) levels.")
        }
        switch value {
        case .null, .undefined: return .null
        case .bool(let value): return .bool(value)
        case .int32(let value): return .int(Int64(value))
        case .int64(let value): return .int(value)
        case .double(let value): return .double(value)
        case .decimal128(let value): return .decimal128(value)
        case .string(let text), .symbol(let text): return .string(SyncString(text))
        case .objectId(let id): return .objectId(id)
        case .datetime(let date): return .date(Timestamp(date))
        case .binary(let binary):
            if let uuid = binary.uuid { return .uuid(uuid) }
            if binary.subtype == .generic || binary.subtype == .old { return .data(binary.data) }
        case .array(let values):
            var list: [SyncValue] = []
            list.reserveCapacity(values.count)
            for (index, value) in values.enumerated() { list.append(try mixed(value, path + ["\(index)"], depth + 1)) }
            return .list(list)
        case .document(let document):
            if let link = try link(document, path) { return link }
            var entries: [(key: SyncString, value: SyncValue)] = []
            entries.reserveCapacity(document.count)
            for (key, value) in document {
                entries.append((SyncString(key), try mixed(value, path + [key], depth + 1)))
            }
            return .dictionary(SyncDictionary(entries))
        default: break
        }
        throw DocumentMisfit(.type, path, "A value of the type \(value.typeName) can't be stored.")
    }

    /// Returns the link of `{"$ref": CLASS, "$id": KEY}`. Returns `nil` for any other document.
    private func link(_ document: BSONDocument, _ path: [String]) throws(DocumentMisfit) -> SyncValue? {
        guard case .string(let name)? = document["$ref"], let id = document["$id"],
            document.allSatisfy({ ["$ref", "$id", "$db"].contains($0.key) })
        else { return nil }
        guard let target = schema.find(name), let key = target.key else {
            throw DocumentMisfit(
                .unknownClass,
                path + ["$ref"],
                "There is no class '\(name)' that a link could lead to."
            )
        }
        return .link(ObjectName(target.name, try DocumentMapping.key(id, key, path + ["$id"], .type)))
    }
}

extension Timestamp {
    init(_ date: BSONDateTime) {
        let (seconds, rest) = date.milliseconds.quotientAndRemainder(dividingBy: 1_000)
        self.init(seconds: seconds, nanoseconds: Int32(rest) * 1_000_000)
    }
}

extension BSONValue {
    var isNumber: Bool {
        switch self {
        case .int32, .int64, .double, .decimal128: true
        default: false
        }
    }
}

extension String {
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
