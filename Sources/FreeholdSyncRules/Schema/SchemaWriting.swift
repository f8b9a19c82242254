import FreeholdBSON
public import FreeholdEngine

extension SchemaDocument {
    /// Returns the documents of classes, in the order of the classes. Embedded classes are part of the classes that
    /// contain them.
    ///
    /// - Throws: `RuleError` for classes that can't be synced. See ``SchemaCheck``.
    /// - Complexity: O(size of the documents). An embedded class is written at each of its uses.
    public static func documents(
        of tables: [TableSpec],
        form: SchemaForm = SchemaForm(),
        limits: RuleLimits = RuleLimits()
    ) throws(RuleError) -> [SchemaDocument] {
        try SchemaCheck.check(tables, limits: limits)
        var writer = SchemaWriter(tables, form)
        var documents: [SchemaDocument] = []
        for table in tables where !table.isEmbedded { documents.append(try writer.document(table)) }
        return documents
    }
}

private struct SchemaWriter {
    private let tables: [String: TableSpec]
    private let form: SchemaForm
    private var relationships: BSONDocument = [:]
    /// The number of fields that may still be written. Embedded classes that contain another one twice double the
    /// output at each level.
    private var left = 100_000

    init(_ tables: [TableSpec], _ form: SchemaForm) {
        self.tables = Dictionary(tables.map { ($0.name, $0.synced) }, uniquingKeysWith: { first, _ in first })
        self.form = form
    }

    mutating func document(_ table: TableSpec) throws(RuleError) -> SchemaDocument {
        relationships = [:]
        let schema = try object(table.synced, [], table.name)
        return SchemaDocument(schema: schema, relationships: relationships)
    }

    private mutating func object(_ table: TableSpec, _ path: [String], _ className: String) throws(RuleError)
        -> BSONDocument
    {
        var document: BSONDocument = ["title": .string(table.name), "bsonType": "object"]
        let required = table.columns.filter { column in
            guard column.name != table.primaryKey else { return !column.isOptional }
            let isPlain = column.collection == .none && column.type != .link && !column.isOptional
            return isPlain && form.required == .everyNonOptional
        }
        if !required.isEmpty { document.append("required", .array(required.map { .string($0.name) })) }
        var properties = BSONDocument()
        for column in table.columns {
            left -= 1
            guard left > 0 else {
                throw RuleError(
                    [className],
                    "Its embedded classes hold one another so often that the document gets too long."
                )
            }
            properties.append(column.name, .document(try property(column, path + [column.name], className)))
        }
        document.append("properties", .document(properties))
        return document
    }

    private mutating func property(_ column: ColumnSpec, _ path: [String], _ className: String) throws(RuleError)
        -> BSONDocument
    {
        var one = try element(column, path, className)
        if column.collection == .none { return one }
        // Elements of a collection have no `required`, so the type includes null.
        if column.isOptional, column.type != .mixed, column.type != .link, let type = one["bsonType"] {
            one["bsonType"] = [type, "null"]
        }
        switch column.collection {
        case .dictionary: return ["bsonType": "object", "additionalProperties": .document(one)]
        case .set: return ["bsonType": "array", "uniqueItems": true, "items": .document(one)]
        case .list, .none: return ["bsonType": "array", "items": .document(one)]
        }
    }

    private mutating func element(_ column: ColumnSpec, _ path: [String], _ className: String) throws(RuleError)
        -> BSONDocument
    {
        if let type = column.type.bsonType { return ["bsonType": .string(type)] }
        guard let target = column.target.flatMap({ tables[$0] }) else {
            throw RuleError([className] + path, "It links to nothing.")
        }
        if target.isEmbedded { return try object(target, path, className) }
        // Each field occurs once, so its path isn't present yet.
        relationships.append(
            path.joined(separator: "."),
            [
                "ref": .string("#/relationship/\(form.source)/\(form.database)/\(target.name)"), "foreign_key": "_id",
                "is_list": .bool(column.collection != .none),
            ]
        )
        return ["bsonType": .string(target.key?.type.bsonType ?? "objectId")]
    }
}
