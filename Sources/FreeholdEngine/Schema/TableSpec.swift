/// A column as asked for when a database is opened: what a file must have, or is given.
public struct ColumnSpec: Equatable, Sendable {
    public var name: String
    public var type: ColumnType
    public var isOptional: Bool
    public var collection: CollectionKind
    /// For links: the target table's name.
    public var target: String?
    public var isIndexed: Bool

    public init(
        _ name: String,
        _ type: ColumnType,
        optional: Bool = false,
        collection: CollectionKind = .none,
        target: String? = nil,
        indexed: Bool = false
    ) {
        self.name = name
        self.type = type
        self.isOptional = optional || type == .mixed
        self.collection = collection
        self.target = target
        self.isIndexed = indexed
    }
}

/// A table as asked for when a database is opened.
public struct TableSpec: Equatable, Sendable {
    public var name: String
    public var columns: [ColumnSpec]
    public var primaryKey: String?
    /// Whether each object belongs to exactly one link of another object and goes with it.
    public var isEmbedded: Bool

    public init(_ name: String, columns: [ColumnSpec], primaryKey: String? = nil, isEmbedded: Bool = false) {
        self.isEmbedded = isEmbedded
        self.name = name
        self.columns = columns
        self.primaryKey = primaryKey
    }
}
