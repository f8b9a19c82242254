#if PostgreSQL
    internal import FreeholdEngine
    internal import FreeholdServerStore
    internal import FreeholdSyncCore

    /// The statements for the views, functions and indexes of an app. They depend only on the schema of the app and the
    /// options.
    struct ViewPlan {
        struct Column: Hashable {
            let name: String
            /// The type in PostgreSQL.
            let type: String
            let expression: String
        }

        struct View {
            let name: String
            /// The name of the class.
            let className: String
            let columns: [Column]
            /// The part of the statement after the columns.
            let source: String
            /// The statement that creates the function of the triggers, or `nil` for a read-only view.
            let trigger: String?
        }

        struct Index {
            let name: String
            let statement: String
        }

        /// The schema of the views, without quotation marks.
        let schema: String
        private(set) var views: [View] = []
        private(set) var indexes: [Index] = []
        /// Statements that create the helper views.
        private(set) var helpers: [String] = []
        let functions: [String]
        /// The names in `options.indexes` that aren't names of properties, or whose properties can't have an index.
        private(set) var unknownIndexes: [String] = []

        /// Returns the name of the schema for the views of an app.
        static func schemaName(app: String) -> String { SQLName.fitting("app_" + app) }

        /// - Parameter tables: The name of the schema that has the tables.
        init(app: String, _ classes: SQLSchema, _ options: SQLViewOptions, tables: String) {
            schema = Self.schemaName(app: app)
            let own = SQLName.quoted(tables)
            let quotedSchema = SQLName.quoted(schema)
            functions = SQLType.functions(in: quotedSchema)
            helpers = [
                """
                CREATE OR REPLACE VIEW \(quotedSchema)."_streams" AS
                SELECT sid, CASE WHEN label <> '' THEN substr(label, 2) END AS stream FROM \(own).stream
                WHERE app = \(SQLName.text(app))
                """,
                """
                CREATE OR REPLACE VIEW \(quotedSchema)."_inbox" AS
                SELECT id, at, role, sid, usr, class, key, op, body, if_version, done_at, version, refused FROM \(own).inbox
                WHERE sid IN (SELECT sid FROM \(own).stream WHERE app = \(SQLName.text(app))) WITH CHECK OPTION
                """,
            ]
            let shown = classes.classes.filter { !$0.isEmbedded && $0.key != nil }.sorted { $0.name < $1.name }
            let byName = Dictionary(classes.classes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
            let names = SQLName.unique(shown.map(\.name), taken: ["_streams", "_inbox"])
            var wanted = options.indexes
            for (found, name) in zip(shown, names) {
                let columns = Self.columns(found, byName, quotedSchema)
                let table = found.isAsymmetric ? "ingest" : "object"
                let living = found.isAsymmetric ? "" : " AND NOT dead"
                let source = """
                    FROM \(own).\(table) o JOIN \(own).stream s ON s.sid = o.sid
                    WHERE s.app = \(SQLName.text(app)) AND o.class = \(SQLName.text(found.stored))\(living) AND o.json IS NOT NULL
                    """
                let isWritable = options.isWritable && !found.isAsymmetric
                views.append(
                    View(
                        name: name,
                        className: found.name,
                        columns: columns.map(\.column),
                        source: source,
                        trigger: isWritable
                            ? Trigger(app: app, schema, own, view: name, className: found.name, columns).statement : nil
                    )
                )
                for column in columns {
                    let isWanted = wanted.remove("\(found.name).\(column.property)") != nil
                    guard isWanted || column.isIndexed else { continue }
                    guard let type = column.type, !column.isArray else {
                        if isWanted { unknownIndexes.append("\(found.name).\(column.property)") }
                        continue
                    }
                    let expression = type.value(of: "json" + column.part, in: quotedSchema, isArray: false)
                    let place = "\(table) \(found.stored) \(expression)"
                    let hash = RunningHash.empty.appending(Array(place.utf8))
                    let index = "sql_" + String(hash.high, radix: 16) + "_" + String(hash.low, radix: 16)
                    let rest = type.indexMethod == "hash" ? "" : ", sid"
                    indexes.append(
                        Index(
                            name: index,
                            statement: """
                                CREATE INDEX CONCURRENTLY IF NOT EXISTS \(SQLName.quoted(index)) ON \(own).\(table)
                                USING \(type.indexMethod) ((\(expression))\(rest)) WHERE class = \(SQLName.text(found.stored))\(living)
                                """
                        )
                    )
                }
            }
            unknownIndexes = (unknownIndexes + wanted).sorted()
        }

        /// The mark of the plan. If the stored mark is equal, the existing views are those of the plan.
        var mark: String {
            var hash = RunningHash.empty
            let texts = views.flatMap {
                [$0.name, $0.className, $0.source, $0.trigger ?? ""] + $0.columns.map { "\($0)" }
            }
            for text in [schema] + functions + helpers + texts + indexes.map(\.statement) {
                hash = hash.appending(Array(text.utf8) + [0])
            }
            return String(hash.high, radix: 16) + String(hash.low, radix: 16)
        }

        // MARK: Columns

        struct PlannedColumn {
            let column: Column
            let property: String
            /// The type, or `nil` for columns of the type `jsonb`, and for columns that aren't a part of the object.
            let type: SQLType?
            let isArray: Bool
            let isIndexed: Bool
            let isKey: Bool
            /// The SQL operator that selects the value from the JSON of the object. It is empty for columns that aren't
            /// a part of the object.
            let part: String
        }

        private static func columns(
            _ found: SQLSchema.Class,
            _ classes: [String: SQLSchema.Class],
            _ schema: String
        ) -> [PlannedColumn] {
            let keyType = found.key.flatMap { SQLType($0, key: nil) } ?? .text
            var columns = [
                PlannedColumn(
                    column: Column(
                        name: "_id",
                        type: keyType.name,
                        expression: keyType.value(of: "o.json->'_id'", in: schema, isArray: false)
                    ),
                    property: "_id",
                    type: keyType,
                    isArray: false,
                    isIndexed: true,
                    isKey: true,
                    part: "->'_id'"
                ),
                fixed("_stream", "text", "CASE WHEN s.label <> '' THEN substr(s.label, 2) END"),
                fixed("_version", "int8", "o.version"),
            ]
            let names = SQLName.unique(found.properties.map(\.name), taken: ["_id", "_stream", "_version"])
            for (property, name) in zip(found.properties, names) {
                let part = "->\(SQLName.text(property.stored))"
                let target = property.target.flatMap { classes[$0] }
                let type = property.collection == .dictionary ? nil : SQLType(property.type, key: target?.key)
                let isArray = property.collection == .list || property.collection == .set
                columns.append(
                    PlannedColumn(
                        column: Column(
                            name: name,
                            type: type.map { $0.name + (isArray ? "[]" : "") } ?? "jsonb",
                            expression: type?.value(of: "o.json" + part, in: schema, isArray: isArray) ?? "o.json"
                                + part
                        ),
                        property: property.name,
                        type: type,
                        isArray: isArray,
                        isIndexed: property.type == .link && property.collection == .none,
                        isKey: false,
                        part: part
                    )
                )
            }
            return columns
        }

        private static func fixed(_ name: String, _ type: String, _ expression: String) -> PlannedColumn {
            PlannedColumn(
                column: Column(name: name, type: type, expression: expression),
                property: name,
                type: nil,
                isArray: false,
                isIndexed: false,
                isKey: false,
                part: ""
            )
        }

        // MARK: Triggers

        /// The function that inserts a row into the inbox for each change of a view.
        private struct Trigger {
            let statement: String

            init(
                app: String,
                _ schema: String,
                _ own: String,
                view: String,
                className: String,
                _ columns: [PlannedColumn]
            ) {
                let parts = columns.filter { !$0.part.isEmpty && !$0.isKey }
                let key = columns.first { $0.isKey }?.type ?? .text
                let name = SQLName.text(className)
                func json(_ column: PlannedColumn) -> String {
                    let value = "NEW.\(SQLName.quoted(column.column.name))"
                    guard let type = column.type else { return "coalesce(\(value), 'null'::jsonb)" }
                    guard column.isArray else { return type.json(of: value) }
                    return """
                        CASE WHEN \(value) IS NOT NULL THEN (SELECT coalesce(jsonb_agg(\(type.json(of: "t.value")) ORDER BY t.n), '[]'::jsonb)
                        FROM unnest(\(value)) WITH ORDINALITY AS t(value, n)) END
                        """
                }
                func add(_ column: PlannedColumn, if condition: String) -> String {
                    """
                    IF \(condition) THEN
                    change := change || jsonb_build_object(\(SQLName.text(column.property)), \(json(column)));
                    END IF;
                    """
                }
                let inserts = parts.map { add($0, if: "NEW.\(SQLName.quoted($0.column.name)) IS NOT NULL") }
                let updates = parts.map { column in
                    let quoted = SQLName.quoted(column.column.name)
                    return add(column, if: "NEW.\(quoted) IS DISTINCT FROM OLD.\(quoted)")
                }
                let newKey =
                    switch key {
                    case .uuid: "gen_random_uuid()"
                    case .id: "substr(replace(gen_random_uuid()::text, '-', ''), 1, 24)"
                    default: "NULL"
                    }
                let body = """
                    DECLARE
                    change jsonb := '{}';
                    target int8;
                    place text;
                    BEGIN
                    IF TG_OP = 'DELETE' THEN place := OLD."_stream"; ELSE place := NEW."_stream"; END IF;
                    SELECT s.sid INTO target FROM \(own).stream s WHERE s.app = \(SQLName.text(app))
                    AND (CASE WHEN s.label <> '' THEN substr(s.label, 2) END) IS NOT DISTINCT FROM place;
                    IF target IS NULL THEN RAISE EXCEPTION 'There is no such stream.' USING ERRCODE = '23503'; END IF;
                    IF TG_OP = 'INSERT' THEN
                    IF NEW."_id" IS NULL THEN NEW."_id" := \(newKey); END IF;
                    \(inserts.joined(separator: "\n"))
                    INSERT INTO \(own).inbox(sid, class, key, op, body) VALUES (target, \(name), NEW."_id"::text, 'create', change);
                    RETURN NEW;
                    END IF;
                    IF TG_OP = 'DELETE' THEN
                    INSERT INTO \(own).inbox(sid, class, key, op) VALUES (target, \(name), OLD."_id"::text, 'delete');
                    RETURN OLD;
                    END IF;
                    IF NEW."_id" IS DISTINCT FROM OLD."_id" OR NEW."_stream" IS DISTINCT FROM OLD."_stream"
                    OR NEW."_version" IS DISTINCT FROM OLD."_version" THEN
                    RAISE EXCEPTION '"_id", "_stream" and "_version" can''t be changed.' USING ERRCODE = '428C9';
                    END IF;
                    \(updates.joined(separator: "\n"))
                    IF change <> '{}'::jsonb THEN
                    INSERT INTO \(own).inbox(sid, class, key, op, body) VALUES (target, \(name), OLD."_id"::text, 'set', change);
                    END IF;
                    RETURN NEW;
                    END
                    """
                // The tag must not occur in the body, which contains names.
                var tag = "$write$"
                while body.contains(tag) { tag = tag.dropLast() + "_$" }
                let place = SQLName.quoted(schema) + "." + SQLName.quoted(Self.name(view))
                statement = """
                    CREATE OR REPLACE FUNCTION \(place)() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
                    SET search_path = pg_catalog, pg_temp AS \(tag)
                    \(body) \(tag)
                    """
            }

            static func name(_ view: String) -> String { SQLName.fitting("_write_" + view) }
        }

        /// Returns the name of the function of a view's triggers.
        static func triggerFunction(_ view: String) -> String { Trigger.name(view) }
    }
#endif
