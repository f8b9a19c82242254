#if PostgreSQL
    internal import Dispatch
    public import FreeholdServerStore

    /// Views of an app's classes.
    extension PostgresStore {
        /// Returns the mark that the views of an app have after `updateViews(app:_:_:)`.
        public func viewMark(app: String, _ schema: SQLSchema, _ options: SQLViewOptions) -> String {
            ViewPlan(app: app, schema, options, tables: self.options.schema).mark
        }

        /// Creates the views of an app, or changes those that exist. Rights on views are kept, also if a view has to be dropped and created again.
        ///
        /// - Throws: `PostgresStoreError`, for example if a view of another owner uses a column that would disappear. Then all views stay as they
        ///   were.
        /// - Complexity: O(objects of the classes) for new indexes. Servers can write while the indexes are created.
        public func updateViews(
            app: String,
            _ schema: SQLSchema,
            _ options: SQLViewOptions
        ) async throws(PostgresStoreError) -> SQLViewReport {
            let plan = ViewPlan(app: app, schema, options, tables: self.options.schema)
            return try await session { try ViewUpdate(session: $0, tables: self.options.schema, app: app).run(plan) }
        }

        /// Removes the views and indexes of an app.
        ///
        /// - Throws: `PostgresStoreError`, for example if a view of another owner uses one of them.
        public func removeViews(app: String) async throws(PostgresStoreError) {
            try await session { try ViewUpdate(session: $0, tables: self.options.schema, app: app).remove() }
        }

        /// Opens a new connection, runs a closure with it on a separate queue, and closes it.
        func session<Result: Sendable>(
            _ body: @escaping @Sendable (PostgresSession) throws -> Result
        ) async throws(PostgresStoreError) -> Result {
            let options = options
            return try await tool {
                try await withCheckedThrowingContinuation { continuation in
                    DispatchQueue(label: "freehold.postgres.session").async {
                        continuation.resume(
                            with: Swift.Result {
                                let session = try PostgresSession(options.address, name: options.name)
                                try session.prepare(schema: options.schema)
                                return try body(session)
                            }
                        )
                    }
                }
            }
        }
    }

    /// The statements that change the views of an app to those of a plan.
    private struct ViewUpdate {
        let session: PostgresSession
        /// The schema of the tables.
        let tables: String
        let app: String

        private var schema: String { ViewPlan.schemaName(app: app) }
        private var quoted: String { SQLName.quoted(schema) }
        private var appText: String { SQLName.text(app) }
        /// The beginning of the comment on each view. It identifies the views that Freehold created.
        private static let comment = "Freehold: "

        func run(_ plan: ViewPlan) throws -> SQLViewReport {
            var report = SQLViewReport(schema: schema)
            report.unknownIndexes = plan.unknownIndexes
            try transaction {
                try session.execute("CREATE SCHEMA IF NOT EXISTS \(quoted)")
                for statement in plan.functions + plan.helpers { try session.execute(statement) }
                let existing = try views()
                for view in plan.views {
                    if try update(view, existing[view.name]) { report.changes += 1 }
                    try updateTrigger(of: view)
                    report.views.append(view.name)
                }
                let names = Set(plan.views.map(\.name))
                for name in existing.keys.sorted() where !names.contains(name) {
                    try drop(name)
                    report.changes += 1
                }
                try session.execute(
                    """
                    INSERT INTO sql_app(app, is_json, views) VALUES (\(appText), true, \(SQLName.text(plan.mark)))
                    ON CONFLICT (app) DO UPDATE SET views = excluded.views
                    """
                )
            }
            report.indexes = try updateIndexes(plan.indexes)
            return report
        }

        func remove() throws {
            try transaction {
                for name in try views().keys.sorted() { try drop(name) }
                for name in ["_streams", "_inbox"] { try session.execute("DROP VIEW IF EXISTS \(quoted).\"\(name)\"") }
                try session.execute("UPDATE sql_app SET views = NULL WHERE app = \(appText)")
            }
            _ = try updateIndexes([])
            for statement in SQLType.drops(in: quoted) { try session.execute(statement) }
            // The statement fails if the schema contains objects that Freehold didn't create. The schema is kept then.
            _ = session.result(of: "DROP SCHEMA IF EXISTS \(quoted)")
        }

        /// Runs statements as one transaction. The row of `store` is locked, so that one server at a time does this.
        private func transaction(_ body: () throws -> Void) throws {
            try session.execute("BEGIN")
            do {
                // A statement that waits for a reader of a view also blocks the readers that begin later. It therefore waits at most ten seconds.
                try session.execute("SET LOCAL lock_timeout = '10s'; SET LOCAL client_min_messages = warning")
                try session.execute("UPDATE store SET format = format WHERE one")
                try body()
                try session.execute("COMMIT")
            } catch {
                _ = session.result(of: "ROLLBACK")
                throw error
            }
        }

        // MARK: Views

        /// Returns the columns of the existing views, with their types, by the name of the view.
        private func views() throws -> [String: [(name: String, type: String)]] {
            let rows = try session.execute(
                """
                SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod) FROM pg_class c
                JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
                WHERE n.nspname = \(SQLName.text(schema)) AND c.relkind = 'v' AND NOT a.attisdropped
                    AND starts_with(obj_description(c.oid, 'pg_class'), \(SQLName.text(Self.comment)))
                ORDER BY c.relname, a.attnum
                """
            )
            var views: [String: [(name: String, type: String)]] = [:]
            for row in rows { views[row[0] ?? "", default: []].append((row[1] ?? "", row[2] ?? "")) }
            return views
        }

        /// The names that `format_type` returns, by the names of types in a plan.
        private static let typeNames = [
            "bool": "boolean", "int8": "bigint", "float4": "real", "float8": "double precision",
            "timestamptz": "timestamp with time zone",
        ]

        private static func typeName(_ type: String) -> String {
            guard type.hasSuffix("[]") else { return typeNames[type] ?? type }
            let element = String(type.dropLast(2))
            return (typeNames[element] ?? element) + "[]"
        }

        /// Creates a view, or changes an existing one.
        ///
        /// - Parameter existing: The columns of the existing view, or `nil` if the view doesn't exist.
        /// - Returns: A Boolean value that indicates whether the view was created or its columns have changed.
        private func update(_ view: ViewPlan.View, _ existing: [(name: String, type: String)]?) throws -> Bool {
            let name = "\(quoted).\(SQLName.quoted(view.name))"
            // `CREATE OR REPLACE VIEW` keeps the existing columns in their order, and can only append columns. All other changes need `DROP VIEW`.
            var rest = view.columns
            var columns: [ViewPlan.Column] = []
            for column in existing ?? [] {
                guard
                    let index = rest.firstIndex(where: {
                        $0.name == column.name && Self.typeName($0.type) == column.type
                    })
                else { break }
                columns.append(rest.remove(at: index))
            }
            let isReplaced = existing.map { columns.count == $0.count } ?? true
            let isChanged = existing.map { $0.count != view.columns.count || !isReplaced } ?? true
            columns = isReplaced ? columns + rest : view.columns
            var grants: [String] = []
            if !isReplaced {
                grants = try self.grants(on: view.name)
                try session.execute("DROP VIEW \(name)")
            }
            let list = columns.map { "(\($0.expression))::\($0.type) AS \(SQLName.quoted($0.name))" }
            try session.execute(
                "CREATE OR REPLACE VIEW \(name) AS SELECT \(list.joined(separator: ", ")) \(view.source)"
            )
            try session.execute("COMMENT ON VIEW \(name) IS \(SQLName.text(Self.comment + view.className))")
            for grant in grants { try session.execute(grant) }
            return isChanged
        }

        /// Returns `GRANT` statements for the rights that other roles have on a view.
        private func grants(on view: String) throws -> [String] {
            let rows = try session.execute(
                """
                SELECT a.privilege_type, CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END,
                    a.is_grantable
                FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace CROSS JOIN aclexplode(c.relacl) a
                WHERE n.nspname = \(SQLName.text(schema)) AND c.relname = \(SQLName.text(view)) AND a.grantee <> c.relowner
                """
            )
            return rows.map { row in
                let option = row[2] == "t" ? " WITH GRANT OPTION" : ""
                return "GRANT \(row[0] ?? "") ON \(quoted).\(SQLName.quoted(view)) TO \(row[1] ?? "")\(option)"
            }
        }

        private func drop(_ view: String) throws {
            try session.execute("DROP VIEW IF EXISTS \(quoted).\(SQLName.quoted(view))")
            try dropTrigger(view)
        }

        private func updateTrigger(of view: ViewPlan.View) throws {
            let name = "\(quoted).\(SQLName.quoted(view.name))"
            let function = "\(quoted).\(SQLName.quoted(ViewPlan.triggerFunction(view.name)))"
            try session.execute("DROP TRIGGER IF EXISTS freehold_write ON \(name)")
            guard let trigger = view.trigger else { return try dropTrigger(view.name) }
            try session.execute(trigger)
            try session.execute("REVOKE ALL ON FUNCTION \(function)() FROM PUBLIC")
            try session.execute(
                """
                CREATE TRIGGER freehold_write INSTEAD OF INSERT OR UPDATE OR DELETE ON \(name)
                FOR EACH ROW EXECUTE FUNCTION \(function)()
                """
            )
        }

        private func dropTrigger(_ view: String) throws {
            try session.execute(
                "DROP FUNCTION IF EXISTS \(quoted).\(SQLName.quoted(ViewPlan.triggerFunction(view)))()"
            )
        }

        // MARK: Indexes

        /// Creates missing indexes, and drops those that no app needs any more.
        ///
        /// - Returns: The number of indexes that the app has.
        private func updateIndexes(_ indexes: [ViewPlan.Index]) throws -> Int {
            let names = indexes.map { SQLName.text($0.name) }.joined(separator: ", ")
            for index in indexes {
                try session.execute(
                    """
                    INSERT INTO sql_index(app, name) VALUES (\(appText), \(SQLName.text(index.name))) ON CONFLICT DO NOTHING
                    """
                )
                // An index that isn't valid is left from an earlier attempt that was interrupted.
                let invalid = try session.execute(
                    """
                    SELECT 1 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
                    WHERE n.nspname = \(SQLName.text(tables)) AND c.relname = \(SQLName.text(index.name)) AND NOT i.indisvalid
                    """
                )
                if !invalid.isEmpty { try dropIndex(index.name) }
                try session.execute("SET client_min_messages = warning")
                try session.execute(index.statement)
            }
            let unused = try session.execute(
                """
                DELETE FROM sql_index WHERE app = \(appText)\(names.isEmpty ? "" : " AND name NOT IN (\(names))") RETURNING name
                """
            )
            for row in unused {
                let name = row[0] ?? ""
                let users = try session.execute("SELECT 1 FROM sql_index WHERE name = \(SQLName.text(name)) LIMIT 1")
                if users.isEmpty { try dropIndex(name) }
            }
            // The planner needs the distribution of the expressions' values.
            if !indexes.isEmpty { _ = session.result(of: "ANALYZE object; ANALYZE ingest") }
            return indexes.count
        }

        private func dropIndex(_ name: String) throws {
            try session.execute("DROP INDEX CONCURRENTLY IF EXISTS \(SQLName.quoted(tables)).\(SQLName.quoted(name))")
        }
    }
#endif
