import FreeholdEngine

/// The common parts of Java and Kotlin with Realm's SDK for Java, and the reserved names.
enum JavaWords {
    static let keywords: Set<String> = [
        "_", "abstract", "assert", "boolean", "break", "byte", "case", "catch", "char", "class", "const", "continue",
        "default", "do", "double", "else", "enum", "extends", "false", "final", "finally", "float", "for", "goto", "if",
        "implements", "import", "instanceof", "int", "interface", "long", "native", "new", "null", "package", "private",
        "protected", "public", "record", "return", "sealed", "short", "static", "strictfp", "super", "switch",
        "synchronized", "this", "throw", "throws", "transient", "true", "try", "var", "void", "volatile", "while",
        "yield", "permits",
    ]

    /// The names whose accessors would override those of `RealmObject` and `Object`.
    static let members: Set<String> = [
        "class", "frozen", "isFrozen", "isLoaded", "isManaged", "isValid", "loaded", "managed", "realm", "valid",
        "Class", "Frozen", "Loaded", "Managed", "Realm", "Valid",
    ]

    static let types: Set<String> = [
        "Boolean", "Byte", "Class", "Date", "Decimal128", "Double", "Enum", "Float", "Index", "Integer",
        "LinkingObjects", "Long", "Object", "ObjectId", "Override", "PrimaryKey", "RealmAny", "RealmClass",
        "RealmDictionary", "RealmField", "RealmList", "RealmObject", "RealmResults", "RealmSet", "Record", "Required",
        "Short", "String", "UUID", "Void",
    ]

    /// Returns the object type, and the primitive type if it exists. Adds the required imports.
    static func type(_ property: PlannedProperty, _ imports: inout Set<String>) -> (object: String, primitive: String?)
    {
        switch property.collection {
        case .none: break
        case .list: imports.insert("io.realm.RealmList")
        case .set: imports.insert("io.realm.RealmSet")
        case .dictionary: imports.insert("io.realm.RealmDictionary")
        }
        switch property.type {
        case .bool: return ("Boolean", "boolean")
        case .int: return ("Long", "long")
        case .float: return ("Float", "float")
        case .double: return ("Double", "double")
        case .string: return ("String", nil)
        case .data: return ("byte[]", nil)
        case .timestamp:
            imports.insert("java.util.Date")
            return ("Date", nil)
        case .decimal128:
            imports.insert("org.bson.types.Decimal128")
            return ("Decimal128", nil)
        case .objectId:
            imports.insert("org.bson.types.ObjectId")
            return ("ObjectId", nil)
        case .uuid:
            imports.insert("java.util.UUID")
            return ("UUID", nil)
        case .link: return (property.target?.name ?? "RealmObject", nil)
        case .mixed:
            imports.insert("io.realm.RealmAny")
            return ("RealmAny", nil)
        }
    }

    /// Returns the arguments for a class: its stored name, and whether it is embedded.
    static func classArguments(_ model: PlannedClass, _ literal: (String) -> String, _ embedded: String) -> [String] {
        (model.isMapped ? ["name = \(literal(model.table.name))"] : []) + (model.table.isEmbedded ? [embedded] : [])
    }

    static func annotations(
        _ property: PlannedProperty,
        isRequired: Bool,
        _ literal: (String) -> String,
        _ imports: inout Set<String>
    ) -> [String] {
        var annotations: [String] = []
        func add(_ name: String, _ argument: String = "") {
            imports.insert("io.realm.annotations.\(name)")
            annotations.append("@\(name)\(argument)")
        }
        if property.isKey { add("PrimaryKey") }
        if property.index == .values { add("Index") }
        if isRequired { add("Required") }
        if property.isMapped { add("RealmField", "(\(literal(property.column.name)))") }
        return annotations
    }

    /// Sorts Java's own packages first, like most programs do.
    static func importOrder(_ a: String, _ b: String) -> Bool {
        let (x, y) = (a.hasPrefix("java.") ? 0 : 1, b.hasPrefix("java.") ? 0 : 1)
        return x == y ? a < b : x < y
    }
}
