public import FreeholdEngine

extension ColumnType {
    /// The name of the type in a JSON schema. `nil` for links.
    var bsonType: String? {
        switch self {
        case .bool: "bool"
        case .int: "long"
        case .float: "float"
        case .double: "double"
        case .string: "string"
        case .data: "binData"
        case .timestamp: "date"
        case .decimal128: "decimal"
        case .objectId: "objectId"
        case .uuid: "uuid"
        case .mixed: "mixed"
        case .link: nil
        }
    }

    init?(bsonType: String) {
        switch bsonType {
        case "int", "long": self = .int
        default:
            guard let type = Self.allCases.first(where: { $0.bsonType == bsonType }) else { return nil }
            self = type
        }
    }

    var canBeKey: Bool { self == .int || self == .string || self == .objectId || self == .uuid }
}

extension ColumnSpec {
    /// The property without the settings of the device. A link is optional if its collection allows that.
    var synced: ColumnSpec {
        let isOptional = type == .link ? collection == .none || collection == .dictionary : isOptional
        return ColumnSpec(name, type, optional: isOptional, collection: collection, target: target)
    }

    /// A declaration for a person: `age: long?`.
    var declaration: String {
        let one = (target ?? type.bsonType ?? "link") + (synced.isOptional && type != .mixed ? "?" : "")
        return switch collection {
        case .none: "\(name): \(one)"
        case .list: "\(name): list of \(one)"
        case .set: "\(name): set of \(one)"
        case .dictionary: "\(name): dictionary of \(one)"
        }
    }
}

extension TableSpec {
    /// The class in the form that a server stores, without indexes and delete rules.
    public var synced: TableSpec {
        TableSpec(
            name,
            columns: columns.map(\.synced),
            primaryKey: primaryKey,
            isEmbedded: isEmbedded,
            isAsymmetric: isAsymmetric
        )
    }

    var key: ColumnSpec? { columns.first { $0.name == primaryKey } }
}
