/// The kind of value that a column holds. Raw values are stored in files and never change.
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
    /// A reference to an object of one other table (or the same).
    case link = 11
    /// Any of the others, with links to objects of any table, and lists and dictionaries of such values.
    case mixed = 12
}

/// Whether a column holds one value an object, or a collection of them. Raw values are stored.
public enum CollectionKind: UInt8, Sendable, Codable {
    case none = 0
    case list = 1
    /// Without duplicates, by rising order of values (links by key).
    case set = 2
    /// Values by string keys, by rising bytes of the keys.
    case dictionary = 3
}
