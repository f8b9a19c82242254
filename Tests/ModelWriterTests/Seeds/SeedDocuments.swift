import FreeholdBSON
import FreeholdEngine
import FreeholdSyncRules
import ModelWriter

/// The App Services documents of the page about models for device sync, step by step.
enum SeedDocuments: String, CaseIterable, Sendable {
    case plain, toOne, toMany, embedded

    /// The prefix of the classes' names in code, so that those of all steps can be compiled together.
    var prefix: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

    private static let dog = """
        {"title": "Dog", "bsonType": "object", "required": ["_id"],
         "properties": {"_id": {"bsonType": "objectId"}, "name": {"bsonType": "string"}, "age": {"bsonType": "long"}}}
        """
    private static let address = """
        {"title": "Address", "bsonType": "object", "properties": {"street": {"bsonType": "string"}, "city": {"bsonType": "string"},
         "country": {"bsonType": "string"}, "postalCode": {"bsonType": "string"}}}
        """

    /// Returns a person's document with these fields next to the key and the name.
    private static func person(_ fields: String) -> String {
        """
        {"title": "Person", "bsonType": "object", "required": ["_id"],
         "properties": {"_id": {"bsonType": "objectId"}, "name": {"bsonType": "string"}\(fields)}}
        """
    }

    private static let dogs = ", \"dogs\": {\"bsonType\": \"array\", \"items\": {\"bsonType\": \"objectId\"}}"

    /// Each document has its relationships. The last step's keys have the name `_id`, which the server requires, and
    /// its lists aren't required, because no list can be: the tests of `FreeholdSyncRules` use the page's own
    /// documents.
    private var texts: [(schema: String, relationships: [String: String])] {
        switch self {
        case .plain: [(Self.dog, [:]), (Self.person(""), [:])]
        case .toOne: [(Self.dog, [:]), (Self.person(", \"dog\": {\"bsonType\": \"objectId\"}"), ["dog": "Dog"])]
        case .toMany: [(Self.dog, [:]), (Self.person(Self.dogs), ["dogs": "Dog"])]
        case .embedded:
            [
                (Self.dog, [:]), (Self.person(Self.dogs + ", \"address\": \(Self.address)"), ["dogs": "Dog"]),
                (
                    """
                    {"title": "DogClub", "bsonType": "object", "required": ["_id", "name"],
                     "properties": {"_id": {"bsonType": "objectId"}, "name": {"bsonType": "string"},
                                    "members": {"bsonType": "array", "items": {"bsonType": "objectId"}},
                                    "addresses": {"bsonType": "array", "items": \(Self.address)}}}
                    """, ["members": "Person"]
                ),
            ]
        }
    }

    func documents() throws -> [SchemaDocument] {
        try texts.map { schema, relationships in
            var links = BSONDocument()
            for (field, target) in relationships {
                let isList: BSONValue = field == "dog" ? false : true
                links.append(
                    field,
                    [
                        "ref": .string("#/relationship/mongodb-atlas/app/\(target)"), "foreign_key": "_id",
                        "is_list": isList,
                    ]
                )
            }
            return SchemaDocument(schema: try BSONDocument(extendedJSON: schema), relationships: links)
        }
    }

    func tables() throws -> [TableSpec] { try SchemaDocument.tables(of: documents()) }

    func models() throws -> GeneratedModels {
        try GeneratedModels(
            tables().map { ModelClass($0, name: prefix + $0.name) },
            in: .swift,
            options: ModelOptions(fileName: "\(prefix)Models")
        )
    }
}
