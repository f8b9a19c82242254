public import FreeholdBSON
public import FreeholdEngine

/// Infers a schema from existing documents.
public enum SchemaInference {
    /// Returns the class of the documents, followed by the embedded classes of their inner documents, by name.
    ///
    /// A field is optional if it is missing or null in a document. A mixture of integers and doubles becomes double.
    /// All other mixtures become mixed, and so do fields that are null or empty in all documents. An array becomes a
    /// list, and never a set. A dictionary becomes an embedded class, and a link becomes the type of its key.
    ///
    /// - Throws: `RuleError` with the path: documents without an `_id` or with `_id`s of several types, names that
    ///   properties don't support, types that properties don't support.
    /// - Complexity: O(size of the documents)
    public static func tables(
        className: String,
        documents: some Sequence<BSONDocument>,
        limits: RuleLimits = RuleLimits()
    ) throws(RuleError) -> [TableSpec] {
        var shape = InferredShape()
        var count = 0
        for document in documents {
            try shape.add(document, [className, "\(count)"], limits, depth: 0)
            count += 1
        }
        guard count > 0 else { throw RuleError([className], "There are no documents to learn from.") }
        var builder = TableBuilder(limits: limits)
        let table = try builder.table(className, shape, isEmbedded: false)
        let tables = [table] + builder.embedded.sorted { $0.name < $1.name }
        try SchemaCheck.check(tables, limits: limits)
        return tables
    }
}

/// The values of documents at one place.
private struct InferredShape {
    /// The names, in the order of their first occurrence.
    private(set) var names: [String] = []
    private(set) var fields: [String: InferredField] = [:]
    private(set) var count = 0

    mutating func add(_ document: BSONDocument, _ path: [String], _ limits: RuleLimits, depth: Int) throws(RuleError) {
        guard depth < limits.depth else { throw RuleError(path, "Documents nest deeper than \(limits.depth) levels.") }
        count += 1
        for (name, value) in document {
            var field = fields[name] ?? InferredField()
            if fields[name] == nil {
                guard names.count < limits.count else { throw RuleError(path, "More than \(limits.count) fields.") }
                names.append(name)
            }
            // The field is removed from the table during the change, so that it isn't copied.
            fields[name] = InferredField()
            try field.add(value, path + [name], limits, depth: depth)
            fields[name] = field
        }
    }
}

private struct InferredField {
    /// The types of single values, and of elements.
    private(set) var single = InferredValues()
    private(set) var elements = InferredValues()
    private(set) var count = 0
    private(set) var arrays = 0
    private(set) var nulls = 0

    mutating func add(_ value: BSONValue, _ path: [String], _ limits: RuleLimits, depth: Int) throws(RuleError) {
        count += 1
        switch value {
        case .null: nulls += 1
        case .array(let values):
            arrays += 1
            for (index, value) in values.enumerated() {
                try elements.add(value, path + ["\(index)"], limits, depth: depth + 1)
            }
        default: try single.add(value, path, limits, depth: depth)
        }
    }
}

/// The types of values, and the shape of the documents among them.
private struct InferredValues {
    private(set) var types: Set<ColumnType> = []
    private(set) var hasNull = false
    private(set) var hasArray = false
    /// An array with one shape or none, because a shape can't contain itself.
    private(set) var shape: [InferredShape] = []

    var isEmpty: Bool { types.isEmpty && shape.isEmpty && !hasArray }
    var isMixed: Bool {
        if hasArray || (!shape.isEmpty && !types.isEmpty) { return true }
        return types.count > 1 && types != [.int, .double]
    }
    /// The type. `nil` for documents.
    var type: ColumnType? {
        if isMixed || isEmpty { return .mixed }
        if !shape.isEmpty { return nil }
        return types == [.int, .double] ? .double : types.first
    }

    mutating func add(_ value: BSONValue, _ path: [String], _ limits: RuleLimits, depth: Int) throws(RuleError) {
        switch value {
        case .null: hasNull = true
        case .array: hasArray = true
        case .document(let document):
            if shape.isEmpty { shape.append(InferredShape()) }
            try shape[0].add(document, path, limits, depth: depth + 1)
        case .int32, .int64: types.insert(.int)
        default:
            guard let type = value.columnType else {
                throw RuleError(path, "No property holds values of the type \(value.typeName).")
            }
            types.insert(type)
        }
    }
}

extension BSONValue {
    /// The type of a property for the value. `nil` for types that properties don't support. Documents and arrays are
    /// handled elsewhere.
    fileprivate var columnType: ColumnType? {
        guard case .binary(let binary) = self else { return ColumnType(bsonType: typeName) }
        return binary.uuid != nil ? .uuid : binary.subtype == .generic ? .data : nil
    }
}

private struct TableBuilder {
    let limits: RuleLimits
    private(set) var embedded: [TableSpec] = []

    init(limits: RuleLimits) { self.limits = limits }

    mutating func table(_ name: String, _ shape: InferredShape, isEmbedded: Bool) throws(RuleError) -> TableSpec {
        var columns: [ColumnSpec] = []
        for field in shape.names {
            guard let seen = shape.fields[field] else { continue }
            let isMissing = seen.nulls > 0 || seen.count < shape.count
            if !isEmbedded, field == "_id" {
                guard !isMissing, seen.arrays == 0, let type = seen.single.type, type.canBeKey else {
                    throw RuleError(
                        [name, field],
                        "Each document needs an '_id', all of one type: an integer, a string, an ObjectId or a UUID."
                    )
                }
            }
            columns.append(try column(field, seen, name + "_" + field, isOptional: isMissing))
        }
        let hasKey = !isEmbedded && shape.fields["_id"] != nil
        return TableSpec(name, columns: columns, primaryKey: hasKey ? "_id" : nil, isEmbedded: isEmbedded)
    }

    private mutating func column(_ name: String, _ seen: InferredField, _ inner: String, isOptional: Bool)
        throws(RuleError)
        -> ColumnSpec
    {
        if seen.arrays > 0 {
            guard seen.single.isEmpty else { return ColumnSpec(name, .mixed) }
            guard let type = seen.elements.type else {
                guard !seen.elements.hasNull else { return ColumnSpec(name, .mixed, collection: .list) }
                let target = try embed(inner, seen.elements)
                return ColumnSpec(name, .link, collection: .list, target: target).synced
            }
            return ColumnSpec(name, type, optional: seen.elements.hasNull, collection: .list)
        }
        guard let type = seen.single.type else {
            return ColumnSpec(name, .link, target: try embed(inner, seen.single)).synced
        }
        return ColumnSpec(name, type, optional: isOptional)
    }

    private mutating func embed(_ name: String, _ values: InferredValues) throws(RuleError) -> String {
        let table = try table(name, values.shape[0], isEmbedded: true)
        guard embedded.count < limits.count else { throw RuleError([name], "More than \(limits.count) classes.") }
        embedded.append(table)
        return name
    }
}
