#if PostgreSQL
    import FreeholdBSON
    import FreeholdEngine
    import FreeholdServerStore
    import FreeholdSyncDocuments
    import PostgresProcess
    import Testing

    @testable import FreeholdPostgresStore
    @testable import FreeholdSyncCore

    /// An app whose documents a test reads with SQL. Its tables and views are in schemas of their own.
    struct SQLApp: Sendable {
        let store: PostgresStore
        let server: PostgresServer
        let tables: [TableSpec]
        let name: String

        init(_ tables: [TableSpec]) async throws {
            server = try #require(PostgresServer.shared)
            store = try await PostgresStore.opened()
            self.tables = tables
            name = "a" + store.options.schema
        }

        var stream: StreamName { StreamName(app: SyncString(name), value: nil) }
        /// The schema of the views.
        var schema: String { "\"app_\(name)\"" }
        /// The schema of the tables.
        var own: String { "\"\(store.options.schema)\"" }

        var plain: SQLSchema { SQLSchema(tables) { $1 ?? $0 } }

        /// Writes documents, which are Extended JSON, as an import does.
        func put(_ className: String, _ documents: [String], in stream: StreamName? = nil) async throws {
            let (app, stream) = (self, stream ?? self.stream)
            try await onThread {
                let documents = try documents.map { try BSONDocument(extendedJSON: $0) }
                let options = DocumentImport.Options(mode: .upsert, misfits: .stopping, batchObjects: documents.count)
                let mapping = DocumentMapping(DocumentSchema(app.tables))
                var job = DocumentImport(mapping, className: className, options: options)
                var numbers = OwnNumbers()
                let commit = try job.commit(of: documents, stored: [:], numbers: &numbers)
                try app.submit(commit?.changes ?? [], to: stream)
            }
        }

        /// Commits changes, and waits. It blocks.
        func submit(_ changes: [Change], to stream: StreamName) throws {
            var node = LocalNode(app: stream.app, ServerApp(), writerSecret: { _ in FileSecret(high: 7, low: 7) }) {
                store.answer($0)
            }
            guard case .done(_, let refusals) = node.submit(Submission(stream: stream, user: "", changes: changes)),
                refusals.isEmpty
            else { throw PostgresServer.Failure(description: "The changes aren't stored.") }
        }

        /// Enables SQL, and creates the views.
        @discardableResult
        func show(_ options: SQLViewOptions = SQLViewOptions(), _ schema: SQLSchema? = nil) async throws
            -> SQLViewReport
        {
            try await store.setJSON(true, app: name)
            try await store.convert(name)
            return try await store.updateViews(app: name, schema ?? plain, options)
        }

        /// Executes statements. Schemas are written as `APP` and `OWN`.
        @discardableResult func sql(_ text: String) throws -> String {
            try server.sql(text.replacing("APP.", with: schema + ".").replacing("OWN.", with: own + "."))
        }

        func remove() {
            _ = try? server.sql("SET client_min_messages = error; DROP SCHEMA IF EXISTS \(schema) CASCADE")
            store.remove()
        }
    }
#endif
