import FreeholdBSON
public import FreeholdEngine
public import FreeholdSyncCore

/// The schema of a client in the form of `bind`: a document in Extended JSON for each class,
/// `{"schema": …, "relationships": …}`. Asymmetric classes also have `"asymmetric": true`.
extension SchemaClaim {
    /// - Parameter tables: The classes that sync, including their embedded classes.
    /// - Throws: `RuleError` for classes that can't be synced. See ``SchemaCheck``.
    /// - Complexity: O(size of the documents)
    public init(_ tables: [TableSpec], version: UInt64) throws(RuleError) {
        let documents = try SchemaDocument.documents(of: tables)
        let asymmetric = Set(tables.filter(\.isAsymmetric).map(\.name))
        var claims: [FreeholdSyncCore.SchemaDocument] = []
        for document in documents.sorted(by: { $0.className < $1.className }) {
            let name = document.className
            var whole: BSONDocument = ["schema": .document(document.schema)]
            if !document.relationships.isEmpty { whole.append("relationships", .document(document.relationships)) }
            if asymmetric.contains(name) { whole.append("asymmetric", true) }
            let json: String
            do { json = try whole.extendedJSON() } catch { throw RuleError([name], error.reason) }
            claims.append(.init(className: SyncString(name), json: SyncString(json)))
        }
        self.init(version: version, hash: Self.hash(claims), documents: claims)
    }

    /// Returns the hash of documents in the form in which they are sent: the names and the texts.
    static func hash(_ documents: [FreeholdSyncCore.SchemaDocument]) -> RunningHash {
        documents.reduce(.empty) { hash, document in
            hash.appending(Array(document.className.string.utf8)).appending(Array(document.json.string.utf8))
        }
    }

    /// Returns the classes that the documents describe.
    ///
    /// - Throws: `RuleError` for documents that aren't valid schemas or can't be synced. All documents are safe to
    ///   read.
    public func tables(limits: RuleLimits = RuleLimits()) throws(RuleError) -> [TableSpec] {
        guard documents.count <= limits.count else { throw RuleError([], "More than \(limits.count) classes.") }
        var schemas: [SchemaDocument] = []
        var asymmetric: Set<String> = []
        for document in documents {
            let name = document.className.string
            let value = try BSONValue.parsed(document.json.string, limits)
            guard case .document(let whole) = value, case .document(let schema)? = whole["schema"] else {
                throw RuleError([name], "A class's document has a 'schema'.")
            }
            var relationships: BSONDocument = [:]
            if let found = whole["relationships"] {
                guard case .document(let document) = found else {
                    throw RuleError([name, "relationships"], "Relationships are a document.")
                }
                relationships = document
            }
            if whole["asymmetric"] == true { asymmetric.insert(name) }
            let read = SchemaDocument(schema: schema, relationships: relationships)
            guard read.className == name else { throw RuleError([name], "The document is of another class.") }
            schemas.append(read)
        }
        return try SchemaDocument.tables(of: schemas, limits: limits).map { table in
            var table = table
            table.isAsymmetric = asymmetric.contains(table.name)
            return table
        }
    }
}

extension SchemaDocument {
    /// The name of the class. Empty if the schema has none.
    public var className: String {
        guard case .string(let title)? = schema["title"] else { return "" }
        return title
    }
}
