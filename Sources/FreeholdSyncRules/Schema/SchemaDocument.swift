public import FreeholdBSON

/// A class as App Services keeps it: its JSON schema, and which of its fields are links.
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
/// A field is optional if `required` doesn't name it; a link always is, a collection never. Indexes and delete rules are the
/// device's, and aren't in it.
public struct SchemaDocument: Hashable, Sendable {
    public var schema: BSONDocument
    /// By paths of fields; those of embedded objects have dots in them.
    public var relationships: BSONDocument

    public init(schema: BSONDocument, relationships: BSONDocument = [:]) {
        self.schema = schema
        self.relationships = relationships
    }
}

/// How documents of schemas are written.
public struct SchemaForm: Hashable, Sendable {
    public enum Required: Hashable, Sendable {
        /// `required` has the primary key only. It is read back with all other fields optional.
        case keyOnly
        /// `required` has every field that isn't optional.
        case everyNonOptional
    }

    public var required: Required
    /// What the relationships' references begin with.
    public var source: String
    public var database: String

    public init(required: Required = .everyNonOptional, source: String = "mongodb-atlas", database: String = "app") {
        self.required = required
        self.source = source
        self.database = database
    }
}
