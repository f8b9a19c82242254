import FreeholdEngine
import ModelWriter

/// Classes with every feature of a schema once.
enum Kennel {
    static let classes = [keeper, hound, home, measurement, odd]

    private static let keeper = ModelClass(
        TableSpec(
            "Keeper",
            columns: [
                ColumnSpec("_id", .objectId),
                ColumnSpec("name", .string, indexed: true),
                ColumnSpec("email", .string, optional: true),
                ColumnSpec("bio", .string, index: .fullText),
                ColumnSpec("age", .int),
                ColumnSpec("children", .int, optional: true),
                ColumnSpec("height", .float, optional: true),
                ColumnSpec("score", .double),
                ColumnSpec("isActive", .bool),
                ColumnSpec("born", .timestamp, optional: true),
                ColumnSpec("photo", .data),
                ColumnSpec("balance", .decimal128),
                ColumnSpec("token", .uuid, optional: true, indexed: true),
                ColumnSpec("extra", .mixed),
                favorite,
                ColumnSpec("hounds", .link, collection: .list, target: "Hound"),
                ColumnSpec("friends", .link, collection: .set, target: "Keeper"),
                ColumnSpec("byName", .link, collection: .dictionary, target: "Hound"),
                ColumnSpec("home", .link, target: "Home"),
                ColumnSpec("offices", .link, collection: .list, target: "Home"),
                ColumnSpec("tags", .string, collection: .list),
                ColumnSpec("numbers", .int, collection: .set),
                ColumnSpec("ratings", .double, optional: true, collection: .dictionary),
                ColumnSpec("notes", .mixed, collection: .list),
            ],
            primaryKey: "_id",
            compounds: [CompoundIndexSpec(["name", "age"], unique: true)]
        ),
        inverses: [ModelInverse("friendOf", of: "Keeper", "friends")]
    )

    private static let favorite: ColumnSpec = {
        var column = ColumnSpec("favorite", .link, target: "Hound")
        column.rules.targets = .deny
        return column
    }()

    private static let hound = ModelClass(
        TableSpec(
            "Hound",
            columns: [ColumnSpec("_id", .int), ColumnSpec("name", .string, optional: true)],
            primaryKey: "_id"
        ),
        inverses: [ModelInverse("keepers", of: "Keeper", "hounds"), ModelInverse("named", of: "Keeper", "byName")]
    )

    private static let home = ModelClass(
        TableSpec(
            "Home",
            columns: [
                ColumnSpec("street", .string, optional: true), ColumnSpec("type", .string),
                ColumnSpec("coordinates", .double, collection: .list, index: .places),
            ],
            isEmbedded: true
        ),
        inverses: [ModelInverse("keeper", of: "Keeper", "home")]
    )

    private static let measurement = ModelClass(
        TableSpec(
            "Measurement",
            columns: [ColumnSpec("_id", .uuid), ColumnSpec("at", .timestamp), ColumnSpec("celsius", .double)],
            primaryKey: "_id",
            isAsymmetric: true
        )
    )

    /// Names that need a mapping: a chosen one, keywords of languages, members, and text that isn't a name.
    private static let odd = ModelClass(
        TableSpec(
            "kennel order",
            columns: [
                ColumnSpec("_id", .string), ColumnSpec("first_name", .string), ColumnSpec("class", .int),
                ColumnSpec("description", .string, optional: true), ColumnSpec("goes-with", .link, target: "Hound"),
                ColumnSpec("a \"quoted\" $name\n", .bool), ColumnSpec("größe", .double),
            ],
            primaryKey: "_id"
        ),
        name: "KennelOrder",
        propertyNames: ["first_name": "firstName"]
    )
}
