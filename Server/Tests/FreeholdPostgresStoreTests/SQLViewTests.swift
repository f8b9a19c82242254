#if PostgreSQL
    import FreeholdBSON
    import FreeholdEngine
    import FreeholdServerStore
    import PostgresProcess
    import Testing

    @testable import FreeholdPostgresStore
    @testable import FreeholdSyncCore
    @testable import SyncWorlds
    @testable import TestRandom

    /// Documents as JSON, and the views that show them.
    @Suite(.needsPostgres) struct SQLViewTests {
        // MARK: Types

        private static let address = TableSpec(
            "Address",
            columns: [ColumnSpec("city", .string), ColumnSpec("since", .timestamp, optional: true)],
            isEmbedded: true
        )
        private static let person = TableSpec(
            "Person",
            columns: [ColumnSpec("_id", .string), ColumnSpec("age", .int)],
            primaryKey: "_id"
        )
        private static let everything = TableSpec(
            "Everything",
            columns: [
                ColumnSpec("_id", .objectId), ColumnSpec("flag", .bool), ColumnSpec("count", .int),
                ColumnSpec("small", .float), ColumnSpec("big", .double), ColumnSpec("price", .decimal128),
                ColumnSpec("name", .string, optional: true), ColumnSpec("at", .timestamp), ColumnSpec("ref", .uuid),
                ColumnSpec("blob", .data), ColumnSpec("oid", .objectId, optional: true), ColumnSpec("any", .mixed),
                ColumnSpec("owner", .link, optional: true, target: "Person"),
                ColumnSpec("numbers", .int, collection: .list), ColumnSpec("tags", .string, collection: .set),
                ColumnSpec("prices", .decimal128, optional: true, collection: .list),
                ColumnSpec("dates", .timestamp, collection: .list), ColumnSpec("blobs", .data, collection: .list),
                ColumnSpec("map", .int, collection: .dictionary),
                ColumnSpec("home", .link, optional: true, target: "Address"),
                ColumnSpec("homes", .link, collection: .list, target: "Address"),
                ColumnSpec("friends", .link, collection: .list, target: "Person"),
                ColumnSpec("mixeds", .mixed, collection: .list),
            ],
            primaryKey: "_id"
        )
        private static let columns = everything.columns.map(\.name)

        private static let full = #"""
            {"_id": {"$oid": "5f0000000000000000000001"}, "flag": true, "count": 9223372036854775807, "small": 0.5, "big": 1e300,
             "price": {"$numberDecimal": "12.50"}, "name": "Re\"x'\\ é\u0000!", "at": {"$date": "2024-02-29T12:34:56.789Z"},
             "ref": {"$uuid": "00112233-4455-6677-8899-aabbccddeeff"}, "blob": {"$binary": {"base64": "AP8=", "subType": "00"}},
             "oid": {"$oid": "5f00000000000000000000ff"}, "any": {"a": [1, "x", null]}, "owner": "ann", "numbers": [3, 1, 2],
             "tags": ["a"], "prices": [{"$numberDecimal": "1"}, null], "dates": [{"$date": "1969-12-31T23:59:59.999Z"}],
             "blobs": [{"$binary": {"base64": "AQ==", "subType": "00"}}], "map": {"k": 7},
             "home": {"city": "Bern", "since": {"$date": "2000-01-01T00:00:00Z"}}, "homes": [{"city": "A"}, {"city": "B"}],
             "friends": ["ann", "bob"], "mixeds": [1.5, {"$oid": "5f0000000000000000000002"}]}
            """#
        private static let empty = #"""
            {"_id": {"$oid": "5f0000000000000000000002"}, "flag": false, "count": -1, "small": {"$numberDouble": "NaN"},
             "big": {"$numberDouble": "-Infinity"}, "price": {"$numberDecimal": "NaN"}, "at": {"$date": {"$numberLong": "-62135596800000"}},
             "ref": {"$uuid": "00000000-0000-0000-0000-000000000000"}, "blob": {"$binary": {"base64": "", "subType": "00"}}}
            """#

        @Test func `Each type of property is a typed column`() async throws {
            let app = try await SQLApp([Self.address, Self.person, Self.everything])
            defer { app.remove() }
            // One object is written before SQL is enabled, and one after that.
            try await app.put("Everything", [Self.full])
            try await app.show()
            try await app.put("Everything", [Self.empty])
            let types = try app.sql(
                """
                SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum)
                FROM pg_attribute WHERE attrelid = 'APP."Everything"'::regclass AND attnum > 3
                """
            )
            #expect(
                types == """
                    flag boolean, count bigint, small real, big double precision, price numeric, name text, at timestamp with time zone, \
                    ref uuid, blob bytea, oid text, any jsonb, owner text, numbers bigint[], tags text[], prices numeric[], \
                    dates timestamp with time zone[], blobs bytea[], map jsonb, home jsonb, homes jsonb, friends text[], mixeds jsonb
                    """
            )
            let row = try app.sql(
                """
                SET timezone = 'UTC'; SELECT _id, _stream IS NULL, _version, flag, count, small, big, price, name, at, ref, blob, oid, "any", owner,
                numbers, tags, prices, dates, blobs, map, home, homes, friends, mixeds FROM APP."Everything" WHERE count > 0
                """
            )
            #expect(
                row == #"""
                    5f0000000000000000000001|t|1|t|9223372036854775807|0.5|1e+300|12.50|Re"x'\ é�!|2024-02-29 12:34:56.789+00|00112233-4455-6677-8899-aabbccddeeff|\x00ff|5f00000000000000000000ff|{"a": [1, "x", null]}|ann|{3,1,2}|{a}|{1,NULL}|{"1969-12-31 23:59:59.999+00"}|{"\\x01"}|{"k": 7}|{"city": "Bern", "since": "2000-01-01T00:00:00.000Z"}|[{"city": "A"}, {"city": "B"}]|{ann,bob}|[1.5, "5f0000000000000000000002"]
                    """#
            )
            let other = try app.sql(
                """
                SET timezone = 'UTC'; SELECT flag, count, small, big, price, name IS NULL, at, blob, oid IS NULL, "any" IS NULL OR "any" = 'null',
                owner IS NULL, numbers, tags, friends FROM APP."Everything" WHERE count < 0
                """
            )
            #expect(other == #"f|-1|NaN|-Infinity|NaN|t|0001-01-01 00:00:00+00|\x|t|t|t|{}|{}|{}"#)
            #expect(try app.sql("SELECT count(*) FROM APP.\"Person\"") == "0")
            #expect(try app.sql("SELECT to_regclass('APP.\"Address\"') IS NULL") == "t")
        }

        @Test func `A value of another type is NULL, and no query fails because of it`() async throws {
            let app = try await SQLApp([Self.address, Self.person, Self.everything])
            defer { app.remove() }
            try await app.put("Everything", [Self.full])
            try await app.show(
                SQLViewOptions(indexes: ["Everything.at", "Everything.price", "Everything.count", "Everything.small"])
            )
            let hostile = [
                #""x""#, "1e400", "-1e400", "1.5", "9223372036854775808", "true", "null", "[]", "{}",
                #""2024-02-30T25:00:00.000Z""#,
                #""2024-02-31T23:59:59.999Z""#, #""0000-01-01T00:00:00.000Z""#, #""====""#, #""AAA""#, #""1E+99999""#,
                #""NaN""#, #"["x", 1, null, {}]"#,
                "\"\(String(repeating: "9", count: 10_000))\"", "1e-320", "3.5e38",
            ]
            for value in hostile {
                let fields = Self.columns.map { "'\($0)', '\(value)'::jsonb" }.joined(separator: ", ")
                try app.sql("UPDATE OWN.object SET json = jsonb_build_object(\(fields))")
                let list = Self.columns.map { "\"\($0)\"" }.joined(separator: ", ")
                #expect(throws: Never.self, "\(value)") { try app.sql("SELECT \(list) FROM APP.\"Everything\"") }
            }
        }

        @Test func `Dates are written as texts that sort, in all years`() throws {
            var random = SeededRandom(test: "SQLViewTests, dates")
            for _ in 0..<5_000 {
                let time = Int64.random(in: 0...253_402_300_799_999, using: &random)
                // Another implementation, which leaves out a fraction that is zero.
                let known = try BSONDocument(["d": .datetime(BSONDateTime(milliseconds: time))]).extendedJSON()
                let text = PlainDate.text(time)
                #expect(known.contains(text.replacing(".000Z", with: "Z")), "\(known) \(text)")
            }
            #expect(PlainDate.text(-1) == "1969-12-31T23:59:59.999Z")
            #expect(PlainDate.text(-62_135_596_800_000) == "0001-01-01T00:00:00.000Z")
            #expect(PlainDate.text(-62_167_219_200_001) == "-000001-12-31T23:59:59.999Z")
            #expect(PlainDate.text(253_402_300_800_000) == "+010000-01-01T00:00:00.000Z")
            #expect(PlainDate.text(.max) == "+292278994-08-17T07:12:55.807Z")
            #expect(PlainDate.text(.min) == "-292275055-05-16T16:47:04.192Z")
        }

        // MARK: Names

        @Test func `Hostile names of classes and properties are quoted`() async throws {
            let long = String(repeating: "n", count: 62)
            let classes = [
                "Do\"g'; DROP SCHEMA x; --", "_inbox", "$write$", "select", "O'Neill\\", long + "é1", long + "é2",
            ]
            let properties = [
                "a\"b", "x'y", "$write$", "_version", "_stream", "o.json", "json->'_id'", "back\\slash", "NEW", "order",
                long + "é1", long + "é2",
            ]
            let tables = classes.map { name in
                TableSpec(
                    name,
                    columns: [ColumnSpec("_id", .string)]
                        + properties.map { ColumnSpec($0, .int, optional: true) },
                    primaryKey: "_id"
                )
            }
            let app = try await SQLApp(tables)
            defer { app.remove() }
            // The columns of all views have these two names, and properties with them have no index.
            let indexed = properties.prefix(8).filter { !["_version", "_stream"].contains($0) }
            let indexes = Set(classes.flatMap { name in indexed.map { "\(name).\($0)" } })
            let report = try await app.show(SQLViewOptions(isWritable: true, indexes: indexes))
            #expect(report.views.count == classes.count && report.unknownIndexes.isEmpty, "\(report.unknownIndexes)")
            #expect(Set(report.views).count == classes.count && report.views.allSatisfy { $0.utf8.count <= 63 })
            for (number, name) in classes.sorted().enumerated() {
                let fields = Dictionary(properties.enumerated().map { ($1, BSONValue.int64(Int64($0))) }) { $1 }
                var document = BSONDocument(fields.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) })
                document["_id"] = .string("k\(number)")
                try await app.put(name, [try document.extendedJSON()])
                let view = "APP." + PostgresSession.quoted(report.views[number])
                let row = try app.sql("SELECT * FROM \(view)").split(separator: "|")
                #expect(row.first == "k\(number)" && row.count == properties.count + 2)
                #expect(Set(row.suffix(properties.count).compactMap { Int($0) }) == Set(properties.indices))
                // The trigger names the properties as they are.
                try app.sql("UPDATE \(view) SET \"a\"\"b\" = 100")
                let body = try app.sql(
                    "SELECT class = \(SQLName.text(name)), key, op, body FROM APP.\"_inbox\" ORDER BY at DESC LIMIT 1"
                )
                #expect(body == #"t|k\#(number)|set|{"a\"b": 100}"#)
            }
        }

        @Test func `Texts in statements keep all characters`() throws {
            let server = try #require(PostgresServer.shared)
            for text in ["", "'", "\\", "\\'", "é\n\"", "$1", "E'\\0'"] {
                #expect(
                    try server.sql("SELECT encode(convert_to(\(SQLName.text(text)), 'UTF8'), 'hex')")
                        == text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                )
            }
        }

        // MARK: Indexes

        private static let dog = TableSpec(
            "Dog",
            columns: [
                ColumnSpec("_id", .int), ColumnSpec("age", .int), ColumnSpec("name", .string, optional: true),
                ColumnSpec("born", .timestamp, optional: true),
                ColumnSpec("owner", .link, optional: true, target: "Person"),
            ],
            primaryKey: "_id"
        )

        private static func dogs(_ numbers: Range<Int>) -> [String] {
            numbers.map { number in
                let day = "2020-01-\(number % 28 + 1 < 10 ? "0" : "")\(number % 28 + 1)"
                return
                    #"{"_id": \#(number), "age": \#(number), "name": "dog \#(number)", "born": {"$date": "\#(day)T00:00:00Z"}, "owner": "p\#(number % 500)"}"#
            }
        }

        @Test func `The planner uses indexes for conditions on a view`() async throws {
            let app = try await SQLApp([Self.dog, Self.person])
            defer { app.remove() }
            for start in stride(from: 0, to: 4_000, by: 1_000) {
                try await app.put("Dog", Self.dogs(start..<start + 1_000))
            }
            let options = SQLViewOptions(indexes: ["Dog.age", "Dog.name", "Dog.born", "Dog.nothing", "Cat.age"])
            let report = try await app.show(options)
            #expect(report.unknownIndexes == ["Cat.age", "Dog.nothing"])
            #expect(report.indexes == 6)
            for (condition, count) in [
                ("age = 77", 1), ("age BETWEEN 70 AND 79", 10), ("_id = 5", 1), ("name = 'dog 7'", 1),
                ("owner = 'p3'", 8),
                ("_id IN (1, 2, 3)", 3), ("age > 3990 AND name <> 'x'", 9),
            ] {
                let plan = try app.sql("EXPLAIN SELECT * FROM APP.\"Dog\" WHERE \(condition)")
                #expect(plan.contains("sql_") && !plan.contains("Seq Scan on object"), "\(condition)\n\(plan)")
                #expect(
                    try app.sql("SELECT count(*) FROM APP.\"Dog\" WHERE \(condition)") == "\(count)",
                    "\(condition)"
                )
            }
            let plan = try app.sql("EXPLAIN SELECT * FROM APP.\"Dog\" ORDER BY age DESC LIMIT 3")
            #expect(plan.contains("sql_") && !plan.contains("Sort"), "\(plan)")
            // A text of any length can be stored beside an index.
            try await app.put("Dog", [#"{"_id": -1, "age": 1, "name": "\#(String(repeating: "x", count: 100_000))"}"#])
            // Indexes that aren't named any more are dropped.
            try await app.show()
            #expect(
                try app.sql(
                    "SELECT count(*) FROM pg_indexes WHERE schemaname = '\(app.store.options.schema)' AND indexname LIKE 'sql\\_%' AND indexname NOT LIKE 'sql_app%' AND indexname NOT LIKE 'sql_index%'"
                ) == "3"
            )
            try await app.store.removeViews(app: app.name)
            #expect(try app.sql("SELECT count(*) FROM OWN.sql_index") == "0")
            #expect(
                try app.sql("SELECT count(*) FROM information_schema.schemata WHERE schema_name = 'app_\(app.name)'")
                    == "0"
            )
        }

        // MARK: Changes

        @Test func `Views follow the classes, and keep rights and the views of others`() async throws {
            let app = try await SQLApp([Self.dog, Self.person])
            defer { app.remove() }
            try await app.put("Dog", Self.dogs(0..<3))
            try await app.show()
            let role = "r\(app.name)"
            try app.sql(
                "CREATE ROLE \"\(role)\"; GRANT SELECT ON APP.\"Dog\" TO \"\(role)\"; CREATE VIEW APP.mine AS SELECT age FROM APP.\"Dog\""
            )
            func isReadable() throws -> Bool {
                try app.sql("SELECT has_table_privilege('\(role)', 'APP.\"Dog\"', 'SELECT')") == "t"
            }
            var next = app.plain
            var weight = next.classes[0].properties[0]
            (weight.name, weight.stored, weight.type) = ("weight", "weight", .double)
            next.classes[0].properties.insert(weight, at: 0)
            // A new column is behind the others.
            let added = try await app.show(SQLViewOptions(), next)
            #expect(added.changes == 1)
            #expect(try app.sql("SELECT weight IS NULL FROM APP.\"Dog\" WHERE age = 1") == "t" && isReadable())
            let mark = app.store.viewMark(app: app.name, next, SQLViewOptions())
            #expect(try await app.store.sqlApps()[app.name] == PostgresStore.SQLApp(isJSON: true, views: mark))
            #expect(try await app.store.follow(app: app.name, next, views: SQLViewOptions()) == nil)
            // A column that another view uses can't disappear. Nothing is changed.
            next.classes[0].properties.removeAll { $0.name == "age" }
            await #expect(throws: PostgresStoreError.self) { try await app.show(SQLViewOptions(), next) }
            #expect(try app.sql("SELECT sum(age) FROM APP.\"Dog\"") == "3")
            try app.sql("DROP VIEW APP.mine")
            // A property can be renamed: it is stored under its first name.
            next.classes[0].properties[1].name = "title"
            let report = try #require(try await app.store.follow(app: app.name, next, views: SQLViewOptions())?.views)
            #expect(report.changes == 1)
            #expect(try app.sql("SELECT title FROM APP.\"Dog\" WHERE _id = 2") == "dog 2" && isReadable())
            // A class that doesn't exist any more has no view.
            next.classes.removeAll { $0.name == "Person" }
            try await app.show(SQLViewOptions(), next)
            #expect(try app.sql("SELECT to_regclass('APP.\"Person\"') IS NULL") == "t")
            try app.sql("DROP OWNED BY \"\(role)\"; DROP ROLE \"\(role)\"")
        }

        @Test func `A column has the stream of a user, and asymmetric classes have a view`() async throws {
            let sample = TableSpec(
                "Sample",
                columns: [ColumnSpec("_id", .string), ColumnSpec("celsius", .double)],
                primaryKey: "_id",
                isAsymmetric: true
            )
            let app = try await SQLApp([Self.dog, Self.person, sample])
            defer { app.remove() }
            let ann = StreamName(app: app.stream.app, value: .string("ann"))
            try await app.put("Dog", Self.dogs(0..<2), in: ann)
            try await app.show()
            let bob = StreamName(app: app.stream.app, value: .string("bob"))
            try await app.put("Dog", Self.dogs(0..<3), in: bob)
            try await onThread {
                var rules = MergeRules()
                rules.createOnly = ["Sample"]
                var node = LocalNode(app: ann.app, ServerApp(rules: rules)) { app.store.answer($0) }
                let change = Change.create(
                    ObjectName("Sample", .string("s")),
                    [NewField("celsius", .value(.double(2.5)))]
                )
                _ = node.submit(Submission(stream: ann, user: "", changes: [change]))
            }
            #expect(try app.sql("SELECT _stream, count(*) FROM APP.\"Dog\" GROUP BY 1 ORDER BY 1") == "ann|2\nbob|3")
            #expect(try app.sql("SELECT _stream, _id, celsius FROM APP.\"Sample\"") == "ann|s|2.5")
            #expect(try app.sql("SELECT stream FROM APP.\"_streams\" ORDER BY 1") == "ann\nbob")
        }

        // MARK: Switching

        @Test func `JSON is switched on and off while two servers write`() async throws {
            let first = try await PostgresStore.opened()
            defer { first.remove() }
            let second = try await PostgresStore.opened(schema: first.options.schema)
            defer { second.close() }
            let stream = StreamName(app: "notes", value: nil)
            let server = try #require(PostgresServer.shared)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for store in [first, second] {
                    group.addTask {
                        try await onThread {
                            var writer = try StoreWriter(store, stream)
                            for _ in 0..<150 { try writer.commit(store) }
                        }
                    }
                }
                group.addTask {
                    for round in 0..<7 {
                        try await first.setJSON(round % 2 == 0, app: "notes")
                        try await first.convert("notes")
                        let own = "\"\(first.options.schema)\".object"
                        // All objects have the form, also those that are being written.
                        let wrong = round % 2 == 0 ? "IS NULL" : "IS NOT NULL"
                        #expect(try server.sql("SELECT count(*) FROM \(own) WHERE NOT dead AND json \(wrong)") == "0")
                        try await Task.sleep(for: .milliseconds(100))
                    }
                }
                try await group.waitForAll()
            }
            let own = "\"\(first.options.schema)\""
            #expect(
                try server.sql("SELECT count(*) FROM \(own).object WHERE json->>'_id' LIKE '%/' || (json->>'n')")
                    == "300"
            )
            try await first.setJSON(false, app: "notes")
            #expect(try await first.convert("notes") == 300)
            #expect(try server.sql("SELECT count(*), count(json) FROM \(own).object") == "300|0")
        }

        @Test(arguments: WorldTests.histories)
        func `JSON is that of the documents after random histories`(options: HistoryGenerator.Options) async throws {
            for seed in StoreSeeds.seeds("SQLViewTests, \(options)", count: 1, soak: 50) {
                let store = try await PostgresStore.opened()
                defer { store.remove() }
                try await store.setJSON(true, app: StoreDriver<PostgresTwin>.stream.app.string)
                _ = try await onThread { try WorldTests.play(seed, options, PostgresTwin(store)) }
                let problems = try await store.session { session in
                    var problems: [String] = []
                    let rows = try session.execute(
                        "SELECT encode(doc, 'hex'), json::text, dead::text, class FROM object WHERE NOT (dead AND json IS NULL)"
                    )
                    for row in rows {
                        let hex = Array((row[0] ?? "").utf8)
                        let bytes = stride(from: 0, to: hex.count, by: 2).compactMap {
                            UInt8(String(decoding: hex[$0..<$0 + 2], as: UTF8.self), radix: 16)
                        }
                        let text = String(decoding: PlainJSON.text(try StoredDocument.document(bytes)), as: UTF8.self)
                        guard let json = row[1] else {
                            problems.append("no JSON for \(text)")
                            continue
                        }
                        let isEqual = try session.execute(
                            "SELECT \(SQLName.text(json))::jsonb = \(SQLName.text(text))::jsonb"
                        )
                        if isEqual.first?.first != "t" || row[2] == "true" { problems.append("\(json) for \(text)") }
                    }
                    return problems
                }
                #expect(problems.isEmpty, "seed \(seed): \(problems.first ?? "")")
            }
        }

        @Test func `The JSON of an object that is too large has only its key`() throws {
            let text = String(repeating: "x", count: PlainJSON.mostBytes / 2)
            let document: BSONDocument = ["_id": "k", "a": .string(text), "b": .array([.string(text), 1]), "c": true]
            #expect(String(decoding: PlainJSON.text(document), as: UTF8.self) == #"{"_id":"k"}"#)
        }
    }
#endif
