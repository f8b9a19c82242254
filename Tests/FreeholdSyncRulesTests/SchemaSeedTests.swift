import FreeholdBSON
import FreeholdEngine
import Testing

@testable import FreeholdSyncRules

/// The documents of App Services' page about data models, and the models next to them.
struct SchemaSeedTests {
    private static let id = ColumnSpec("_id", .objectId)
    private static let name = ColumnSpec("name", .string)
    static let dog = TableSpec("Dog", columns: [id, name, ColumnSpec("age", .int)], primaryKey: "_id")
    static let person = TableSpec("Person", columns: [id, name], primaryKey: "_id")
    static let owner = TableSpec(
        "Person",
        columns: [id, name, ColumnSpec("dog", .link, optional: true, target: "Dog")],
        primaryKey: "_id"
    )
    static let keeper = TableSpec(
        "Person",
        columns: [id, name, ColumnSpec("dogs", .link, collection: .list, target: "Dog")],
        primaryKey: "_id"
    )

    static let dogSchema = """
        {"title": "Dog", "bsonType": "object", "required": ["_id"],
         "properties": {"_id": {"bsonType": "objectId"}, "name": {"bsonType": "string"}, "age": {"bsonType": "long"}}}
        """

    /// Inverse links aren't columns: the last model is the first one.
    @Test(arguments: [
        ([dog], "Dog", dogSchema),
        (
            [dog, person], "Person",
            """
            {"title": "Person", "bsonType": "object", "required": ["_id"],
             "properties": {"_id": {"bsonType": "objectId"}, "name": {"bsonType": "string"}}}
            """
        ),
        (
            [dog, owner], "Person",
            """
            {"title": "Person", "bsonType": "object", "required": ["_id"],
             "properties": {"_id": {"bsonType": "objectId"}, "dog": {"bsonType": "objectId"}, "name": {"bsonType": "string"}}}
            """
        ),
        (
            [dog, keeper], "Person",
            """
            {"title": "Person", "bsonType": "object", "required": ["_id"],
             "properties": {"_id": {"bsonType": "objectId"}, "name": {"bsonType": "string"},
                            "dogs": {"bsonType": "array", "items": {"bsonType": "objectId"}}}}
            """
        ),
        ([dog, keeper], "Dog", dogSchema),
    ])
    func `the page's models have the page's documents`(tables: [TableSpec], title: String, text: String) throws {
        let documents = try SchemaDocument.documents(of: tables, form: SchemaForm(required: .keyOnly))
        let document = try require(documents.first { $0.schema["title"] == .string(title) })
        expectEqualJSON(.document(document.schema), try BSONValue(extendedJSON: text))
    }

    @Test func `links are described by relationships`() throws {
        let documents = try SchemaDocument.documents(of: [Self.dog, Self.keeper, Self.renamed(Self.owner, "Owner")])
        expect(documents[0].relationships.isEmpty)
        expectEqualJSON(
            .document(documents[1].relationships),
            ["dogs": ["ref": "#/relationship/mongodb-atlas/app/Dog", "foreign_key": "_id", "is_list": true]]
        )
        expectEqualJSON(
            .document(documents[2].relationships),
            ["dog": ["ref": "#/relationship/mongodb-atlas/app/Dog", "foreign_key": "_id", "is_list": false]]
        )
    }

    private static func renamed(_ table: TableSpec, _ name: String) -> TableSpec {
        var table = table
        table.name = name
        return table
    }

    // MARK: Embedded objects

    private static let address = TableSpec(
        "Address",
        columns: ["street", "city", "country", "postalCode"].map { ColumnSpec($0, .string, optional: true) },
        isEmbedded: true
    )
    private static let addressSchema = """
        {"title": "Address", "bsonType": "object", "properties": {"street": {"bsonType": "string"}, "city": {"bsonType": "string"},
         "country": {"bsonType": "string"}, "postalCode": {"bsonType": "string"}}}
        """

    /// The page's document has `id` as an `int` and links to dogs by ObjectIds. The model's key is an Int with the name
    /// `id`.
    @Test func `the page's person with an address differs from its model only by the key`() throws {
        let person = TableSpec(
            "Person",
            columns: [
                ColumnSpec("_id", .int), Self.name, ColumnSpec("dogs", .link, collection: .list, target: "Dog"),
                ColumnSpec("address", .link, optional: true, target: "Address"),
            ],
            primaryKey: "_id"
        )
        let documents = try SchemaDocument.documents(
            of: [person, Self.dog, Self.address],
            form: SchemaForm(required: .keyOnly)
        )
        let text = """
            {"title": "Person", "bsonType": "object", "required": ["id"],
             "properties": {"id": {"bsonType": "int"}, "name": {"bsonType": "string"},
                            "dogs": {"bsonType": "array", "items": {"bsonType": "objectId"}}, "address": \(Self.addressSchema)}}
            """
        expectEqualJSON(
            .document(documents[0].schema),
            try BSONValue(
                extendedJSON: text.replacing("\"id\"", with: "\"_id\"").replacing("\"int\"", with: "\"long\"")
            )
        )
        // The page's document has no `_id`. With one, it is read as the model's class.
        let asItIs = SchemaDocument(schema: try BSONDocument(extendedJSON: text))
        let error = #expect(throws: RuleError.self) { try SchemaDocument.tables(of: [asItIs]) }
        expectEqual(error?.reason.hasPrefix("It has no primary key"), true)
        let fixed = SchemaDocument(
            schema: try BSONDocument(extendedJSON: text.replacing("\"id\"", with: "\"_id\"")),
            relationships: ["dogs": ["ref": "#/relationship/mongodb-atlas/app/Dog", "foreign_key": "_id"]]
        )
        let dog = SchemaDocument(schema: try BSONDocument(extendedJSON: Self.dogSchema))
        let tables = try SchemaDocument.tables(of: [fixed, dog])
        expectEqual(
            SchemaChange.changes(from: [person, Self.dog, Self.address], to: tables).map(\.description),
            [
                "Dog.age became optional ('age: long' became 'age: long?'): breaking",
                "Dog.name became optional ('name: string' became 'name: string?'): breaking",
                "Person.name became optional ('name: string' became 'name: string?'): breaking",
            ]
        )
    }

    /// The model has no key and calls the addresses otherwise; the document's key isn't a schema, and `required` names a list.
    @Test func `the page's club and its model, each with a key, differ in the addresses' name`() throws {
        let club = TableSpec(
            "DogClub",
            columns: [
                Self.id, Self.name, ColumnSpec("members", .link, collection: .list, target: "Person"),
                ColumnSpec("regionalOfficeAddresses", .link, collection: .list, target: "Address"),
            ],
            primaryKey: "_id"
        )
        let text = """
            {"title": "DogClub", "bsonType": "object", "required": ["_id", "name", "addresses"],
             "properties": {"_id": "objectId", "name": {"bsonType": "string"},
                            "members": {"bsonType": "array", "items": {"bsonType": "objectId"}},
                            "addresses": {"bsonType": "array", "items": \(Self.addressSchema)}}}
            """
        let person = try SchemaDocument.documents(of: [Self.person])[0]
        func tables(_ text: String) throws -> [TableSpec] {
            let relationships: BSONDocument = [
                "members": ["ref": "#/relationship/mongodb-atlas/app/Person", "foreign_key": "_id", "is_list": true]
            ]
            let schema = try BSONDocument(extendedJSON: text)
            return try SchemaDocument.tables(of: [SchemaDocument(schema: schema, relationships: relationships), person])
        }
        let error = #expect(throws: RuleError.self) { try tables(text) }
        expectEqual(error?.path, ["DogClub", "_id"])
        expectEqual(error?.reason, "A field's schema is an object ({\"bsonType\": …}), not string.")
        let fixed = try tables(text.replacing("\"_id\": \"objectId\"", with: "\"_id\": {\"bsonType\": \"objectId\"}"))
        expectEqual(
            SchemaChange.changes(from: [club, Self.person, Self.address], to: fixed).map(\.description),
            [
                "DogClub.regionalOfficeAddresses doesn't exist any more ('regionalOfficeAddresses: list of Address'): breaking",
                "DogClub.addresses is new ('addresses: list of Address'): additive",
            ]
        )
    }
}
