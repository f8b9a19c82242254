import FreeholdBSON
public import FreeholdEngine

extension SchemaDocument {
    /// Returns the classes of documents, in the order of the documents. Embedded classes are at the end, by name.
    ///
    /// An embedded class without a title is named after its place: `Person_address`. Embedded classes with the same
    /// title must be equal.
    ///
    /// - Throws: `RuleError` with the path: a document that isn't the schema of a class, unknown keys and types,
    ///   relationships with missing targets, classes that can't be synced (see ``SchemaCheck``). All documents are safe
    ///   to read.
    /// - Complexity: O(size of the documents)
    public static func tables(
        of documents: [SchemaDocument],
        limits: RuleLimits = RuleLimits()
    ) throws(RuleError) -> [TableSpec] {
        guard documents.count <= limits.count else { throw RuleError([], "More than \(limits.count) classes.") }
        var reader = SchemaReader(limits: limits)
        var tables: [TableSpec] = []
        for document in documents { tables.append(try reader.table(document)) }
        tables += reader.embedded.values.sorted { $0.name < $1.name }
        try SchemaCheck.check(tables, limits: limits)
        try reader.checkRelationships(tables)
        return tables
    }
}

private struct SchemaReader {
    let limits: RuleLimits
    private(set) var embedded: [String: TableSpec] = [:]
    private var relationships: [String: Relationship] = [:]
    private var className = ""
    private var links: [Link] = []

    /// The place of a link, and the type of its field.
    private struct Link {
        let path: [String]
        let target: String
        let type: ColumnType
    }

    private struct Relationship {
        let target: String
        let isList: Bool?
    }

    init(limits: RuleLimits) { self.limits = limits }

    mutating func table(_ document: SchemaDocument) throws(RuleError) -> TableSpec {
        var reader = try DocumentReader(.document(document.schema), [], what: "A schema")
        guard let title = try reader.name("title") else {
            throw RuleError([], "A schema has a 'title', the class's name.")
        }
        className = title
        relationships = [:]
        for (path, value) in document.relationships {
            relationships[path] = try Self.relationship(value, [title, path])
        }
        let columns = try columns(.document(document.schema), [title], field: "", depth: 0)
        if let path = relationships.keys.sorted().first {
            throw RuleError([title, path], "The relationship belongs to a field that doesn't exist.")
        }
        let hasKey = columns.contains { $0.name == "_id" }
        return TableSpec(title, columns: columns, primaryKey: hasKey ? "_id" : nil)
    }

    private static func relationship(_ value: BSONValue, _ path: [String]) throws(RuleError) -> Relationship {
        var reader = try DocumentReader(value, path, what: "A relationship")
        guard let reference = try reader.name("ref") else { throw RuleError(path, "A relationship needs 'ref'.") }
        let parts = reference.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == "#", parts[1] == "relationship", !parts[4].isEmpty else {
            throw RuleError(
                path + ["ref"],
                "'\(reference.prefix(80))' isn't like '#/relationship/source/database/Class'."
            )
        }
        guard try reader.name("foreign_key") == "_id" else {
            throw RuleError(path + ["foreign_key"], "Links hold the target's '_id'.")
        }
        var isList: Bool?
        if let value = reader.value("is_list") {
            guard case .bool(let flag) = value else {
                throw RuleError(path + ["is_list"], "'is_list' is true or false, not \(value.typeName).")
            }
            isList = flag
        }
        _ = reader.value("source_key")
        try reader.checkNothingLeft("A relationship")
        return Relationship(target: String(parts[4]), isList: isList)
    }

    /// Reads the fields of an object's schema.
    private mutating func columns(_ value: BSONValue, _ path: [String], field: String, depth: Int) throws(RuleError)
        -> [ColumnSpec]
    {
        guard depth < limits.depth else { throw RuleError(path, "Objects nest deeper than \(limits.depth) levels.") }
        var reader = try DocumentReader(value, path, what: "A schema")
        _ = try reader.name("title")
        _ = try reader.text("description")
        guard try reader.text("bsonType") == "object" else {
            throw RuleError(path + ["bsonType"], "The 'bsonType' of a class is 'object'.")
        }
        if let rest = reader.value("additionalProperties"), rest != false {
            throw RuleError(
                path + ["additionalProperties"],
                "A class has the fields that its schema names, and no others."
            )
        }
        var required: Set<String> = []
        for (index, name) in (try reader.list("required", atMost: limits.count) ?? []).enumerated() {
            guard case .string(let name) = name else {
                throw RuleError(path + ["required", "\(index)"], "'required' has names, not \(name.typeName).")
            }
            required.insert(name)
        }
        guard let properties = reader.value("properties") else { throw RuleError(path, "A class has 'properties'.") }
        guard case .document(let fields) = properties else {
            throw RuleError(path + ["properties"], "'properties' is an object, not \(properties.typeName).")
        }
        guard fields.count <= limits.count else { throw RuleError(path, "More than \(limits.count) properties.") }
        try reader.checkNothingLeft("A schema")
        var columns: [ColumnSpec] = []
        for (name, value) in fields {
            let inner = field.isEmpty ? name : field + "." + name
            columns.append(
                try column(name, value, path + [name], field: inner, isOptional: required.remove(name) == nil, depth)
            )
        }
        if let name = required.sorted().first {
            throw RuleError(path + ["required"], "'\(name)' is required, and isn't among the properties.")
        }
        return columns
    }

    private mutating func column(
        _ name: String,
        _ value: BSONValue,
        _ path: [String],
        field: String,
        isOptional: Bool,
        _ depth: Int
    ) throws(RuleError) -> ColumnSpec {
        guard case .document(let document) = value else {
            throw RuleError(path, "A field's schema is an object ({\"bsonType\": …}), not \(value.typeName).")
        }
        guard document["bsonType"] != "object" || document.contains(key: "properties") else {
            return try collection(name, value, path, field, .dictionary, depth)
        }
        if document["bsonType"] == "array" {
            var isSet = false
            if let unique = document["uniqueItems"] {
                guard case .bool(let flag) = unique else {
                    throw RuleError(path + ["uniqueItems"], "'uniqueItems' is true or false, not \(unique.typeName).")
                }
                isSet = flag
            }
            return try collection(name, value, path, field, isSet ? .set : .list, depth)
        }
        return try element(name, value, path, field, .none, isOptional: isOptional, depth)
    }

    private mutating func collection(
        _ name: String,
        _ value: BSONValue,
        _ path: [String],
        _ field: String,
        _ kind: CollectionKind,
        _ depth: Int
    ) throws(RuleError) -> ColumnSpec {
        var reader = try DocumentReader(value, path, what: "A collection's schema")
        _ = reader.value("bsonType")
        _ = try reader.text("description")
        let key = kind == .dictionary ? "additionalProperties" : "items"
        if kind != .dictionary { _ = reader.value("uniqueItems") }
        guard let items = reader.value(key) else {
            throw RuleError(path, "A \(kind == .dictionary ? "dictionary" : "list") needs '\(key)'.")
        }
        try reader.checkNothingLeft("A collection's schema")
        return try element(name, items, path + [key], field, kind, isOptional: false, depth)
    }

    /// Reads a field, or an element of a collection.
    private mutating func element(
        _ name: String,
        _ value: BSONValue,
        _ path: [String],
        _ field: String,
        _ kind: CollectionKind,
        isOptional: Bool,
        _ depth: Int
    ) throws(RuleError) -> ColumnSpec {
        guard case .document(let document) = value else {
            throw RuleError(path, "A schema is an object ({\"bsonType\": …}), not \(value.typeName).")
        }
        if document["bsonType"] == "object", document.contains(key: "properties") {
            let title = try embed(value, path, field, depth)
            return ColumnSpec(name, .link, collection: kind, target: title).synced
        }
        var reader = try DocumentReader(value, path, what: "A field's schema")
        _ = try reader.text("title")
        _ = try reader.text("description")
        var isOptional = isOptional
        let type = try Self.type(reader.value("bsonType"), path, &isOptional)
        try reader.checkNothingLeft("A field's schema")
        if let relationship = relationships.removeValue(forKey: field) {
            if let isList = relationship.isList, isList != (kind != .none) {
                throw RuleError(path, "The relationship's 'is_list' is \(isList), and the field is not so.")
            }
            links.append(Link(path: path, target: relationship.target, type: type))
            return ColumnSpec(name, .link, collection: kind, target: relationship.target).synced
        }
        return ColumnSpec(name, type, optional: isOptional, collection: kind)
    }

    private static func type(_ value: BSONValue?, _ path: [String], _ isOptional: inout Bool) throws(RuleError)
        -> ColumnType
    {
        var value = value
        if case .array(let types)? = value, types.count == 2, types.contains("null") {
            isOptional = true
            value = types[0] == "null" ? types[1] : types[0]
        }
        guard case .string(let name)? = value else {
            throw RuleError(
                path + ["bsonType"],
                "'bsonType' is the name of a type\(value.map { ", not \($0.typeName)" } ?? "; it is missing")."
            )
        }
        guard let type = ColumnType(bsonType: name) else {
            throw RuleError(
                path + ["bsonType"],
                name == "array" || name == "object"
                    ? "Collections can't hold collections: use 'mixed'."
                    : "There is no type '\(name.prefix(40))'."
            )
        }
        return type
    }

    private mutating func embed(_ value: BSONValue, _ path: [String], _ field: String, _ depth: Int) throws(RuleError)
        -> String
    {
        var reader = try DocumentReader(value, path, what: "A schema")
        let title = try reader.name("title") ?? className + "_" + field.replacing(".", with: "_")
        let table = TableSpec(
            title,
            columns: try columns(value, path, field: field, depth: depth + 1),
            isEmbedded: true
        )
        if let other = embedded.updateValue(table, forKey: title), other != table {
            throw RuleError(path, "There are two different embedded classes named '\(title)'.")
        }
        return title
    }

    func checkRelationships(_ tables: [TableSpec]) throws(RuleError) {
        let byName = Dictionary(tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for link in links {
            guard let target = byName[link.target], let key = target.key else {
                throw RuleError(link.path, "The relationship leads to '\(link.target)', which has no '_id'.")
            }
            guard key.type == link.type else {
                throw RuleError(
                    link.path,
                    "It holds \(link.type.bsonType ?? "links"), and the '_id' of '\(target.name)' is \(key.type.bsonType ?? "a link")."
                )
            }
        }
    }
}
