public import FreeholdBSON
import FreeholdEngine
import FreeholdSyncCore

extension SchemaVersions {
    /// The versions as a document. Reading the document gives equal versions. It is for servers, and may get more keys
    /// in the future.
    ///
    /// - Complexity: O(size of all versions)
    public var document: BSONDocument {
        ["versions": .array(versions.map { .document($0.document) })]
    }

    /// Creates versions from a document.
    ///
    /// - Throws: `RuleError` with the path for a document that doesn't contain versions.
    /// - Complexity: O(*n*)
    public init(_ document: BSONDocument, limits: RuleLimits = RuleLimits()) throws(RuleError) {
        var reader = try DocumentReader(.document(document), [], what: "A document of versions")
        guard let values = try reader.list("versions", atMost: limits.count), !values.isEmpty else {
            throw RuleError(["versions"], "There is no version.")
        }
        var versions: [SchemaVersion] = []
        for (index, value) in values.enumerated() {
            let path = ["versions", "\(index)"]
            let version = try SchemaVersion(value, path, limits)
            if let last = versions.last, version.number <= last.number {
                throw RuleError(path + ["number"], "Numbers of versions rise.")
            }
            versions.append(version)
        }
        self.init(versions)
        try SchemaCheck.check(storage, limits: limits)
    }
}

extension SchemaVersion {
    fileprivate var document: BSONDocument {
        [
            "number": .int64(Int64(bitPattern: number)),
            "classes": .array(tables.map { .document(document($0)) }),
        ]
    }

    private func document(_ table: TableSpec) -> BSONDocument {
        var document: BSONDocument = [
            "name": .string(table.name), "stored": .string(classes[table.name] ?? table.name),
        ]
        if table.isEmbedded { document.append("embedded", true) }
        if table.isAsymmetric { document.append("asymmetric", true) }
        document.append("properties", .array(table.columns.map { .document(self.document($0, table)) }))
        return document
    }

    private func document(_ column: ColumnSpec, _ table: TableSpec) -> BSONDocument {
        var document: BSONDocument = [
            "name": .string(column.name),
            "stored": .string(stored(table.name, column.name) ?? column.name),
        ]
        document.append("type", .string(column.type.bsonType ?? "link"))
        if let target = column.target { document.append("target", .string(target)) }
        if let collection = column.collection.word { document.append("collection", .string(collection)) }
        if column.isOptional { document.append("optional", true) }
        if let fill = fills[table.name]?[column.name] { document.append("fill", BSONValue(fill)) }
        return document
    }

    fileprivate init(_ value: BSONValue, _ path: [String], _ limits: RuleLimits) throws(RuleError) {
        var reader = try DocumentReader(value, path, what: "A version")
        guard let number = reader.value("number")?.asInt64() else {
            throw RuleError(path + ["number"], "A version has a number.")
        }
        self.init(number: UInt64(bitPattern: number), tables: [], classes: [:], properties: [:])
        for (index, value) in (try reader.list("classes", atMost: limits.count) ?? []).enumerated() {
            try addClass(value, path + ["classes", "\(index)"], limits)
        }
        do throws(RuleError) { try SchemaCheck.check(tables, limits: limits) } catch {
            throw RuleError(path + error.path, error.reason)
        }
        if Set(classes.values).count < classes.count {
            throw RuleError(path + ["classes"], "Two classes are stored under one name.")
        }
    }

    private mutating func addClass(_ value: BSONValue, _ path: [String], _ limits: RuleLimits) throws(RuleError) {
        var reader = try DocumentReader(value, path, what: "A class")
        guard let name = try reader.name("name"), let stored = try reader.name("stored") else {
            throw RuleError(path, "A class has a name, and one under which it is stored.")
        }
        let isEmbedded = reader.value("embedded") == true
        var table = TableSpec(
            name,
            columns: [],
            primaryKey: isEmbedded ? nil : "_id",
            isEmbedded: isEmbedded,
            isAsymmetric: reader.value("asymmetric") == true
        )
        var (names, fills): ([String: String], [String: SyncValue]) = ([:], [:])
        for (index, value) in (try reader.list("properties", atMost: limits.count) ?? []).enumerated() {
            let path = path + ["properties", "\(index)"]
            var reader = try DocumentReader(value, path, what: "A property")
            let (column, stored) = try Self.column(&reader)
            table.columns.append(column)
            names[column.name] = stored
            guard let fill = reader.value("fill") else { continue }
            guard column.canHaveFill, let value = SyncValue(fill: fill)?.fitting(column.type) else {
                throw RuleError(path + ["fill"], "It can't be shown for '\(column.name)'.")
            }
            fills[column.name] = value
        }
        if Set(names.values).count < names.count {
            throw RuleError(path, "Two properties are stored under one name.")
        }
        tables.append(table)
        (classes[name], properties[name]) = (stored, names)
        if !fills.isEmpty { self.fills[name] = fills }
    }

    private static func column(_ reader: inout DocumentReader) throws(RuleError) -> (ColumnSpec, stored: String) {
        guard let name = try reader.name("name"), let stored = try reader.name("stored"),
            let word = try reader.name("type")
        else { throw RuleError(reader.path, "A property has a name, one under which it is stored, and a type.") }
        guard let type = word == "link" ? .link : ColumnType(bsonType: word) else {
            throw RuleError(reader.path + ["type"], "There is no type '\(word.prefix(40))'.")
        }
        let collection = try reader.name("collection")
        guard let kind = CollectionKind(word: collection) else {
            throw RuleError(reader.path + ["collection"], "There is no collection '\(collection ?? "")'.")
        }
        let column = ColumnSpec(
            name,
            type,
            optional: reader.value("optional") == true,
            collection: kind,
            target: try reader.name("target")
        )
        return (column.synced, stored)
    }
}

extension CollectionKind {
    fileprivate var word: String? {
        switch self {
        case .none: nil
        case .list: "list"
        case .set: "set"
        case .dictionary: "dictionary"
        }
    }

    fileprivate init?(word: String?) {
        switch word {
        case nil: self = .none
        case "list": self = .list
        case "set": self = .set
        case "dictionary": self = .dictionary
        default: return nil
        }
    }
}
