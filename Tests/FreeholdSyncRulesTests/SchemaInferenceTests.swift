import FreeholdBSON
import FreeholdEngine
import Testing

@testable import FreeholdSyncRules

struct SchemaInferenceTests {
    @Test func `a class is inferred from documents`() throws {
        let texts = [
            #"""
            {"_id": {"$oid": "65a1b2c3d4e5f60718293a4b"}, "name": "Rex", "age": 3, "weight": 7, "born": {"$date": "2020-01-01T00:00:00Z"},
             "tags": ["a"], "scores": [1, 2.5], "home": {"city": "Bern", "zip": 3000}, "any": 1, "nothing": null, "empty": [],
             "friends": [{"name": "Tom"}], "chip": {"$uuid": "00000000-0000-4000-8000-000000000001"}, "notes": ["a", null]}
            """#,
            #"""
            {"_id": {"$oid": "65a1b2c3d4e5f60718293a4c"}, "name": "Bob", "age": {"$numberLong": "4"}, "weight": 7.5, "born": null,
             "tags": [], "scores": [], "home": {"city": "Biel"}, "any": "x", "nothing": null, "empty": [], "friends": [],
             "chip": {"$uuid": "00000000-0000-4000-8000-000000000002"}, "notes": [], "late": true}
            """#,
        ]
        let tables = try SchemaInference.tables(
            className: "Dog",
            documents: texts.map { try BSONDocument(extendedJSON: $0) }
        )
        expectEqual(tables.map(\.name), ["Dog", "Dog_friends", "Dog_home"])
        expectEqual(
            tables[0].columns.map(\.declaration),
            [
                "_id: objectId", "name: string", "age: long", "weight: double", "born: date?", "tags: list of string",
                "scores: list of double", "home: Dog_home?", "any: mixed", "nothing: mixed", "empty: list of mixed",
                "friends: list of Dog_friends", "chip: uuid", "notes: list of string?", "late: bool?",
            ]
        )
        expectEqual(tables[2].columns.map(\.declaration), ["city: string", "zip: long?"])
        expect(tables[2].isEmbedded)
    }

    @Test func `a random schema is inferred from documents of that schema`() throws {
        var schemas = RandomSchemas(random: SeededRandom(test: "inference"))
        for _ in 0..<200 * soak {
            let table = schemas.plainTable()
            var values = RandomRules(random: schemas.random)
            // So many that each field is null in one of them, and not in another.
            let documents = (0..<8).map { number in
                BSONDocument(table.columns.map { (key: $0.name, value: values.value($0, number)) })
            }
            schemas.random = values.random
            try expectEqual(SchemaInference.tables(className: "A", documents: documents), [table])
        }
    }

    private static let refusals: [([String], [String], String)] = [
        ([], ["A"], "no documents"),
        ([#"{"a": 1}"#], ["A"], "has no primary key"),
        ([#"{"_id": 1}"#, #"{"_id": "x"}"#], ["A", "_id"], "all of one type"),
        ([#"{"_id": 1}"#, #"{"a": 1}"#], ["A", "_id"], "all of one type"),
        ([#"{"_id": null}"#], ["A", "_id"], "all of one type"),
        ([#"{"_id": {"x": 1}}"#], ["A", "_id"], "all of one type"),
        ([#"{"_id": 1, "a": {"$minKey": 1}}"#], ["A", "0", "a"], "type minKey"),
        ([#"{"_id": 1, "a.b": 1}"#], ["A", "a.b"], "can't be called"),
        ([#"{"_id": 1, "a": 1}"#, #"{"_id": 1, "A": 1}"#], ["A", "A"], "differ by case"),
    ]

    @Test(arguments: refusals)
    func `documents that no class can store are refused`(texts: [String], path: [String], reason: String) throws {
        let documents = try texts.map { try BSONDocument(extendedJSON: $0) }
        let error = #expect(throws: RuleError.self) { try SchemaInference.tables(className: "A", documents: documents) }
        expectEqual(error?.path, path)
        expectEqual(error?.reason.contains(reason), true, "\(error?.description ?? "")")
    }

    @Test func `deep documents are refused`() {
        var document: BSONDocument = ["a": 1]
        for _ in 0..<150 { document = ["a": .document(document)] }
        document["_id"] = 1
        let error = #expect(throws: RuleError.self) {
            try SchemaInference.tables(className: "A", documents: [document])
        }
        expectEqual(error?.reason.contains("deeper"), true)
    }
}

extension RandomSchemas {
    /// Returns a class with only the types that documents distinguish: no sets, dictionaries, floats, links or mixed
    /// values.
    mutating func plainTable() -> TableSpec {
        let types: [ColumnType] = [.bool, .int, .double, .string, .data, .timestamp, .decimal128, .objectId, .uuid]
        let columns = (0..<6).map { number in
            ColumnSpec(
                "f\(number)",
                random.pick(types),
                optional: random.chance(40),
                collection: random.chance(30) ? .list : .none
            )
        }
        let key = ColumnSpec("_id", random.pick([.int, .string, .objectId, .uuid]))
        return TableSpec("A", columns: [key] + columns, primaryKey: "_id")
    }
}

extension RandomRules {
    /// Returns a value that the column accepts. In eight values, the first is null if the column permits it, and the
    /// last isn't null.
    mutating func value(_ column: ColumnSpec, _ number: Int) -> BSONValue {
        if column.collection == .list {
            let first: [BSONValue] = column.isOptional && number == 0 ? [.null] : []
            return .array(first + (0..<(number == 7 ? 1 : 0)).map { _ in single(column.type) })
        }
        return column.isOptional && number == 0 ? .null : single(column.type)
    }

    private mutating func single(_ type: ColumnType) -> BSONValue {
        switch type {
        case .bool: .bool(random.chance(50))
        case .int: int()
        case .double: .double(half())
        case .string: string()
        case .data: data()
        case .timestamp: date()
        case .decimal128: decimal()
        case .objectId: id()
        default: uuid()
        }
    }
}
