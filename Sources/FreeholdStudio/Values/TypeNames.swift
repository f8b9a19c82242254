import FreeholdEngine

extension ColumnType {
    /// The name of the type in messages.
    var studioName: String {
        switch self {
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .double: "double"
        case .string: "string"
        case .data: "data"
        case .timestamp: "date"
        case .decimal128: "decimal128"
        case .objectId: "objectId"
        case .uuid: "uuid"
        case .link: "link"
        case .mixed: "mixed"
        }
    }

    init?(studioName: String) {
        guard let found = Self.allCases.first(where: { $0.studioName == studioName }) else { return nil }
        self = found
    }
}

extension CollectionKind {
    /// The name of the kind in messages, or `nil` for single values.
    var studioName: String? {
        switch self {
        case .none: nil
        case .list: "list"
        case .set: "set"
        case .dictionary: "map"
        }
    }

    init?(studioName: String?) {
        switch studioName {
        case nil: self = .none
        case "list": self = .list
        case "set": self = .set
        case "map": self = .dictionary
        default: return nil
        }
    }
}

extension IndexKind {
    /// The name of the kind in messages, or `nil` without an index.
    var studioName: String? {
        switch self {
        case .none: nil
        case .values: "values"
        case .fullText, .fullTextLatin1: "fullText"
        case .places: "places"
        }
    }
}

extension DeleteRule {
    /// The name of the rule in messages, or `nil` for the default.
    var studioName: String? {
        switch self {
        case .nullify: nil
        case .cascade: "cascade"
        case .deny: "deny"
        }
    }
}
