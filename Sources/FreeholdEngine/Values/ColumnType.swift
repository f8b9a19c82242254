/// The type of the values in a column. The raw values are stored in files and never change.
public enum ColumnType: UInt8, Sendable, CaseIterable, Codable {
    case bool = 1
    case int = 2
    case float = 3
    case double = 4
    case string = 5
    case data = 6
    case timestamp = 7
    case decimal128 = 8
    case objectId = 9
    case uuid = 10
    /// A reference to an object of one table.
    case link = 11
    /// A value of any other type, with links to objects of any table, or a list or dictionary of such values.
    case mixed = 12
}

/// The kind of collection in a column, or `none` for one value for each object. The raw values are stored in files.
public enum CollectionKind: UInt8, Sendable, Codable {
    case none = 0
    case list = 1
    /// A collection without duplicates, in ascending order of values (links by key).
    case set = 2
    /// Values with string keys, in ascending order of the keys' bytes.
    case dictionary = 3
}
