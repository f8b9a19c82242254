import FreeholdBSON
import FreeholdSyncRules

/// The stored form of an app's documents.
extension AppDocuments {
    /// A document, in Extended JSON.
    package struct Row: Hashable, Sendable {
        /// The kind: see `StoredDocument.Kind`.
        package var kind: String
        /// The class, for a kind of which an app has several documents.
        package var name: String
        package var body: String

        package init(kind: String, name: String, body: String) {
            (self.kind, self.name, self.body) = (kind, name, body)
        }
    }

    /// Returns changed documents.
    ///
    /// - Throws: `RuleError` if the documents don't fit each other, and the errors of `body`.
    package static func changed(
        _ documents: AppDocuments,
        by body: (inout AppDocuments) throws -> Void
    ) throws -> AppDocuments {
        var documents = documents
        try body(&documents)
        _ = try documents.versions()
        return documents
    }

    /// - Parameter rows: All rows of the app, in the order of their kinds and names. Rows of unknown kinds are left out.
    /// - Throws: The errors of FreeholdBSON if a row is damaged, and `RuleError`.
    package init(rows: [Row], adoptsSchemas: Bool) throws {
        var (schemas, asymmetric): ([SchemaDocument], Set<String>) = ([], [])
        var (versions, rules): (SchemaVersions?, RuleSet?)
        var (values, environment, project): (BSONDocument, BSONDocument, BSONDocument) = ([:], [:], [:])
        var (sinks, hooks, providers): ([SinkSettings], [HookSettings], [ProviderSettings]) = ([], [], [])
        var transfer: AppTransfer?
        var sql: SQLSettings?
        for row in rows {
            let body = try BSONDocument(extendedJSON: row.body)
            switch StoredDocument.Kind(rawValue: row.kind) {
            case .schema:
                guard case .document(let schema)? = body["schema"] else { continue }
                var relationships: BSONDocument = [:]
                if case .document(let found)? = body["relationships"] { relationships = found }
                let document = SchemaDocument(schema: schema, relationships: relationships)
                schemas.append(document)
                if body["asymmetric"] == true { asymmetric.insert(document.className) }
            case .versions: versions = try SchemaVersions(body)
            case .rules: rules = try RuleSet(extendedJSON: row.body)
            case .values: values = body
            case .environment: environment = body
            case .sink: if let sink = SinkSettings(body) { sinks.append(sink) }
            case .project: project = body
            case .hook: if let hook = HookSettings(body) { hooks.append(hook) }
            case .provider: if let provider = ProviderSettings(body) { providers.append(provider) }
            case .transfer: transfer = AppTransfer(body)
            case .sql: sql = SQLSettings(body)
            case nil: continue
            }
        }
        self.init(
            schemas: schemas,
            asymmetric: asymmetric,
            versions: versions,
            rules: rules,
            values: values,
            environment: environment,
            adoptsSchemas: adoptsSchemas,
            sinks: sinks
        )
        (self.project, self.sql) = (project, sql)
        (self.hooks, self.providers, self.transfer) = (hooks, providers, transfer)
    }

    /// Returns the rows of the documents.
    ///
    /// - Throws: The errors of FreeholdBSON.
    package func rows() throws -> [Row] {
        var rows: [Row] = []
        func add(_ kind: StoredDocument.Kind, _ name: String, _ body: BSONDocument) throws {
            rows.append(Row(kind: kind.rawValue, name: name, body: try body.extendedJSON(.canonical)))
        }
        for document in schemas {
            var body: BSONDocument = ["schema": .document(document.schema)]
            if !document.relationships.isEmpty { body.append("relationships", .document(document.relationships)) }
            if asymmetric.contains(document.className) { body.append("asymmetric", true) }
            try add(.schema, document.className, body)
        }
        if let allVersions { try add(.versions, "", allVersions.document) }
        if let rules { try add(.rules, "", rules.document) }
        if !values.isEmpty { try add(.values, "", values) }
        if !environment.isEmpty { try add(.environment, "", environment) }
        if !project.isEmpty { try add(.project, "", project) }
        if let sql { try add(.sql, "", sql.document) }
        for sink in sinks { try add(.sink, sink.className, sink.document) }
        for hook in hooks { try add(.hook, "\(hook.purpose)", hook.document) }
        for provider in providers { try add(.provider, provider.provider.rawValue, provider.document) }
        if let transfer { try add(.transfer, "", transfer.document) }
        return rows
    }
}
