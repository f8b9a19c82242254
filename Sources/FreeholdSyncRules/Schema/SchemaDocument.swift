public import FreeholdBSON

/// A class in the format of App Services: its JSON schema, and the relationships of its links.
///
/// ```json
/// {"title": "Person", "bsonType": "object", "required": ["_id"],
///  "properties": {"_id": {"bsonType": "objectId"}, "dogs": {"bsonType": "array", "items": {"bsonType": "objectId"}}}}
/// {"dogs": {"ref": "#/relationship/mongodb-atlas/app/Dog", "foreign_key": "_id", "is_list": true}}
/// ```
///
/// | Type | Schema |
/// |---|---|
/// | bool, int, float, double | `bool`, `long` (`int` is read, too), `float`, `double` |
/// | string, data, date, decimal | `string`, `binData`, `date`, `decimal` |
/// | ObjectId, UUID, mixed | `objectId`, `uuid`, `mixed` |
/// | list, set | `array` with `items`; a set has `uniqueItems` |
/// | dictionary | `object` with `additionalProperties` |
/// | embedded object | `object` with `title` and `properties` |
/// | link | the type of the target's key, and an entry of the relationships |
/// | optional elements | `["string", "null"]` |
///
/// A field is optional if `required` doesn't name it. A link is always optional, and a collection never. Indexes and
/// delete rules belong to the device and aren't part of the document.
public struct SchemaDocument: Hashable, Sendable {
    public var schema: BSONDocument
    /// The relationships by paths of fields. The paths of fields in embedded objects contain dots.
    public var relationships: BSONDocument

    public init(schema: BSONDocument, relationships: BSONDocument = [:]) {
        self.schema = schema
        self.relationships = relationships
    }
}

/// The format in which documents of schemas are written.
public struct SchemaForm: Hashable, Sendable {
    public enum Required: Hashable, Sendable {
        /// `required` contains the primary key only. When the document is read, all other fields are optional.
        case keyOnly
        /// `required` contains each field that isn't optional.
        case everyNonOptional
    }

    public var required: Required
    /// The first parts of the references of relationships: the data source and the database.
    public var source: String
    public var database: String

    public init(required: Required = .everyNonOptional, source: String = "mongodb-atlas", database: String = "app") {
        self.required = required
        self.source = source
        self.database = database
    }
}
