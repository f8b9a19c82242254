import FreeholdEngine

/// The stored form of a column's values. The numbers are those of the file.
enum StoredType: UInt8 {
    case int = 0
    case bool = 1
    case string = 2
    case data = 4
    case mixed = 6
    case timestamp = 8
    case float = 9
    case double = 10
    case decimal128 = 11
    case link = 12
    /// A list of links, until format 23. Later formats use a link with the attribute of lists.
    case linkList = 13
    case backlink = 14
    case objectId = 15
    case typedLink = 16
    case uuid = 17

    /// The type of the column, or nil if it isn't a property.
    var columnType: ColumnType? {
        switch self {
        case .int: .int
        case .bool: .bool
        case .string: .string
        case .data: .data
        case .mixed, .typedLink: .mixed
        case .timestamp: .timestamp
        case .float: .float
        case .double: .double
        case .decimal128: .decimal128
        case .link, .linkList: .link
        case .objectId: .objectId
        case .uuid: .uuid
        case .backlink: nil
        }
    }
}
