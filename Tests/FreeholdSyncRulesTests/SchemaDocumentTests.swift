import FreeholdBSON
import FreeholdEngine
import Testing

@testable import FreeholdSyncRules

struct SchemaDocumentTests {
    @Test func `random schemas become documents and text, and are read as the same schemas`() throws {
        var random = RandomSchemas(random: SeededRandom(test: "schemas"))
        var embedded = 0
        for _ in 0..<500 * soak {
            let tables = random.tables()
            let documents = try SchemaDocument.documents(of: tables)
            let read = try documents.map { document in
                SchemaDocument(
                    schema: try BSONDocument(extendedJSON: document.schema.extendedJSON()),
                    relationships: try BSONDocument(extendedJSON: document.relationships.extendedJSON(.canonical))
                )
            }
            let again = try SchemaDocument.tables(of: read)
            expectEqual(again, random.written(tables))
            try expectEqual(SchemaDocument.documents(of: again), documents)
            expect(SchemaChange.changes(from: again, to: random.written(tables)).isEmpty)
            embedded += again.count { $0.isEmbedded }
        }
        expect(embedded > 100)
    }

    @Test func `if only the key is required, all other fields are read as optional`() throws {
        var random = RandomSchemas(random: SeededRandom(test: "schemas with required keys"))
        for _ in 0..<200 * soak {
            let tables = random.tables()
            let documents = try SchemaDocument.documents(of: tables, form: SchemaForm(required: .keyOnly))
            let again = try SchemaDocument.tables(of: documents)
            let optional = random.written(tables).map { table in
                var table = table
                for index in table.columns.indices where table.columns[index].name != table.primaryKey {
                    if table.columns[index].collection == .none { table.columns[index].isOptional = true }
                }
                return table
            }
            expectEqual(again, optional)
        }
    }

    @Test func `each type has its name`() throws {
        let types: [ColumnType] = [
            .bool, .int, .float, .double, .string, .data, .timestamp, .decimal128, .objectId, .uuid, .mixed,
        ]
        let columns = types.enumerated().map { ColumnSpec("f\($0.offset)", $0.element, optional: true) }
        let table = TableSpec("A", columns: [ColumnSpec("_id", .string)] + columns, primaryKey: "_id")
        let properties = try SchemaDocument.documents(of: [table])[0].schema["properties"]?.documentValue
        expectEqual(
            properties?.values.compactMap { $0.documentValue?["bsonType"]?.stringValue },
            [
                "string", "bool", "long", "float", "double", "string", "binData", "date", "decimal", "objectId", "uuid",
                "mixed",
            ]
        )
    }

    @Test func `collections have the forms of App Services`() throws {
        let table = TableSpec(
            "A",
            columns: [
                ColumnSpec("_id", .string), ColumnSpec("list", .int, collection: .list),
                ColumnSpec("set", .string, collection: .set), ColumnSpec("map", .mixed, collection: .dictionary),
                ColumnSpec("some", .timestamp, optional: true, collection: .list),
            ],
            primaryKey: "_id"
        )
        let properties = try SchemaDocument.documents(of: [table])[0].schema["properties"]!
        let text = """
            {"_id": {"bsonType": "string"}, "list": {"bsonType": "array", "items": {"bsonType": "long"}},
             "set": {"bsonType": "array", "uniqueItems": true, "items": {"bsonType": "string"}},
             "map": {"bsonType": "object", "additionalProperties": {"bsonType": "mixed"}},
             "some": {"bsonType": "array", "items": {"bsonType": ["date", "null"]}}}
            """
        expectEqualJSON(properties, try BSONValue(extendedJSON: text))
    }

    // MARK: Refusals of classes

    private static let key = ColumnSpec("_id", .string)

    private static let refusedClasses: [([TableSpec], [String], String)] = [
        ([TableSpec("A", columns: [ColumnSpec("id", .int)], primaryKey: "id")], ["A"], "Its primary key is 'id'"),
        ([TableSpec("A", columns: [ColumnSpec("id", .int)])], ["A"], "It has no primary key"),
        (
            [TableSpec("A", columns: [ColumnSpec("_id", .double)], primaryKey: "_id")], ["A", "_id"],
            "is an integer, a string"
        ),
        (
            [TableSpec("A", columns: [key, ColumnSpec("b", .link, target: "B")], primaryKey: "_id")], ["A", "b"],
            "links to 'B', which isn't among"
        ),
        (
            [TableSpec("A", columns: [key], primaryKey: "_id"), TableSpec("a", columns: [key], primaryKey: "_id")],
            ["a"],
            "'A' and 'a' differ by case only"
        ),
        (
            [TableSpec("A", columns: [key, ColumnSpec("b", .int), ColumnSpec("B", .int)], primaryKey: "_id")],
            ["A", "B"],
            "'b' and 'B' differ by case only"
        ),
        (
            [TableSpec("A", columns: [key, ColumnSpec("a.b", .int)], primaryKey: "_id")], ["A", "a.b"],
            "can't be called"
        ),
        ([TableSpec("A", columns: [key, ColumnSpec("$b", .int)], primaryKey: "_id")], ["A", "$b"], "can't be called"),
        (
            [
                TableSpec("E", columns: [ColumnSpec("f", .link, target: "F")], isEmbedded: true),
                TableSpec("F", columns: [ColumnSpec("e", .link, collection: .list, target: "E")], isEmbedded: true),
            ], ["E"], "E → F → E"
        ),
    ]

    @Test(arguments: refusedClasses)
    func `classes that can't be synced are refused`(tables: [TableSpec], path: [String], reason: String) {
        let error = #expect(throws: RuleError.self) { try SchemaDocument.documents(of: tables) }
        expectEqual(error?.path, path)
        expectEqual(error?.reason.contains(reason), true, "\(error?.description ?? "")")
    }

    @Test func `embedded classes that double with each level are refused before they fill memory`() {
        var tables = [TableSpec("A", columns: [Self.key, ColumnSpec("e", .link, target: "E0")], primaryKey: "_id")]
        for level in 0..<18 {
            let target = level == 17 ? "Last" : "E\(level + 1)"
            let columns = ["x", "y", "z"].map { ColumnSpec($0, .link, target: target) }
            tables.append(TableSpec("E\(level)", columns: columns, isEmbedded: true))
        }
        tables.append(TableSpec("Last", columns: [ColumnSpec("a", .int)], isEmbedded: true))
        let error = #expect(throws: RuleError.self) { try SchemaDocument.documents(of: tables) }
        expectEqual(error?.reason.contains("too long"), true)
    }

    // MARK: Refusals of documents

    private static let refusedDocuments: [(String, [String], String)] = [
        (#"{}"#, [], "has a 'title'"),
        (#"{"title": "A", "properties": {}}"#, ["A", "bsonType"], "is 'object'"),
        (#"{"title": "A", "bsonType": "object"}"#, ["A"], "has 'properties'"),
        (#"{"title": "A", "bsonType": "object", "properties": {}, "more": 1}"#, ["A", "more"], "has no 'more'"),
        (
            #"{"title": "A", "bsonType": "object", "properties": {"_id": {"bsonType": "strin"}}}"#,
            ["A", "_id", "bsonType"], "no type 'strin'"
        ),
        (
            #"{"title": "A", "bsonType": "object", "properties": {"_id": {}}}"#, ["A", "_id", "bsonType"],
            "it is missing"
        ),
        (
            #"{"title": "A", "bsonType": "object", "properties": {"a": {"bsonType": "array"}}}"#, ["A", "a"],
            "needs 'items'"
        ),
        (
            #"{"title": "A", "bsonType": "object", "properties": {"a": {"bsonType": "object"}}}"#, ["A", "a"],
            "needs 'additionalProperties'"
        ),
        (
            #"{"title": "A", "bsonType": "object", "properties": {"a": {"bsonType": "array", "items": {"bsonType": "array"}}}}"#,
            ["A", "a", "items", "bsonType"], "can't hold collections"
        ),
        (
            #"{"title": "A", "bsonType": "object", "properties": {"a": {"bsonType": "string", "maxLength": 3}}}"#,
            ["A", "a", "maxLength"], "has no 'maxLength'"
        ),
        (
            #"{"title": "A", "bsonType": "object", "required": ["b"], "properties": {}}"#, ["A", "required"],
            "'b' is required"
        ),
        (
            #"{"title": "A", "bsonType": "object", "required": [1], "properties": {}}"#, ["A", "required", "0"],
            "not int"
        ),
        (
            #"{"title": "A", "bsonType": "object", "additionalProperties": true, "properties": {}}"#,
            ["A", "additionalProperties"], "no others"
        ),
        (
            #"""
            {"title": "A", "bsonType": "object", "properties": {"_id": {"bsonType": "int"},
             "a": {"bsonType": "object", "title": "E", "properties": {"x": {"bsonType": "int"}}},
             "b": {"bsonType": "object", "title": "E", "properties": {"x": {"bsonType": "string"}}}}}
            """#, ["A", "b"], "two different embedded classes named 'E'"
        ),
    ]

    @Test(arguments: refusedDocuments)
    func `documents that aren't schemas are refused`(text: String, path: [String], reason: String) throws {
        let document = SchemaDocument(schema: try BSONDocument(extendedJSON: text))
        let error = #expect(throws: RuleError.self) { try SchemaDocument.tables(of: [document]) }
        expectEqual(error?.path, path)
        expectEqual(error?.reason.contains(reason), true, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        (##"{"b": {"ref": "#/relationship/m/d/A", "foreign_key": "_id"}}"##, "a field that doesn't exist"),
        (#"{"a": {"ref": "A", "foreign_key": "_id"}}"#, "isn't like"),
        (##"{"a": {"ref": "#/relationship/m/d/A", "foreign_key": "name"}}"##, "hold the target's '_id'"),
        (##"{"a": {"ref": "#/relationship/m/d/B", "foreign_key": "_id"}}"##, "isn't among the classes"),
        (##"{"a": {"ref": "#/relationship/m/d/A", "foreign_key": "_id"}}"##, "the '_id' of 'A' is string"),
        (##"{"a": {"ref": "#/relationship/m/d/A", "foreign_key": "_id", "is_list": true}}"##, "'is_list' is true"),
        (#"{"a": {"foreign_key": "_id"}}"#, "needs 'ref'"),
    ])
    func `relationships without a target are refused`(text: String, reason: String) throws {
        let schema =
            #"{"title": "A", "bsonType": "object", "properties": {"_id": {"bsonType": "string"}, "a": {"bsonType": "int"}}}"#
        let document = SchemaDocument(
            schema: try BSONDocument(extendedJSON: schema),
            relationships: try BSONDocument(extendedJSON: text)
        )
        let error = #expect(throws: RuleError.self) { try SchemaDocument.tables(of: [document]) }
        expectEqual(error?.reason.contains(reason), true, "\(error?.description ?? "")")
    }

    @Test func `deeply nested schemas are refused without recursion`() throws {
        for depth in [25, 150] {
            var schema: BSONDocument = ["bsonType": "int"]
            for _ in 0..<depth { schema = ["bsonType": "object", "properties": ["a": .document(schema)]] }
            schema["title"] = "A"
            let document = SchemaDocument(schema: schema)
            let error = #expect(throws: RuleError.self) { try SchemaDocument.tables(of: [document]) }
            expectEqual(error?.reason.contains("deeper"), true)
        }
    }

    // MARK: Differences

    @Test func `a difference shows whether devices can continue`() {
        func table(_ name: String, _ columns: ColumnSpec...) -> TableSpec {
            TableSpec(name, columns: [Self.key] + columns, primaryKey: "_id")
        }
        let old = [
            table(
                "Dog",
                ColumnSpec("age", .int),
                ColumnSpec("name", .string),
                ColumnSpec("tags", .string, collection: .list),
                ColumnSpec("gone", .bool),
                ColumnSpec("friend", .link, optional: true, target: "Dog"),
                ColumnSpec("same", .int, indexed: true)
            ), table("Cat"),
        ]
        let new = [
            table(
                "Dog",
                ColumnSpec("same", .int),
                ColumnSpec("age", .double),
                ColumnSpec("name", .string, optional: true),
                ColumnSpec("tags", .string, collection: .set),
                ColumnSpec("friend", .link, optional: true, target: "Horse"),
                ColumnSpec("added", .uuid)
            ), table("Horse"),
        ]
        expectEqual(
            SchemaChange.changes(from: old, to: new).map(\.description),
            [
                "Cat doesn't exist any more: breaking",
                "Dog.age has another type ('age: long' became 'age: double'): breaking",
                "Dog.friend leads to another class ('friend: Dog?' became 'friend: Horse?'): breaking",
                "Dog.gone doesn't exist any more ('gone: bool'): breaking",
                "Dog.name became optional ('name: string' became 'name: string?'): breaking",
                "Dog.tags holds another kind of collection ('tags: list of string' became 'tags: set of string'): breaking",
                "Dog.added is new ('added: uuid'): additive", "Horse is new: additive",
            ]
        )
        expect(SchemaChange.changes(from: old, to: old).isEmpty)
    }
}
