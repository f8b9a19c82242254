/// A column as asked for when a database is opened: what a file must have, or is given.
public struct ColumnSpec: Equatable, Sendable {
    public var name: String
    public var type: ColumnType
    public var isOptional: Bool
    public var collection: CollectionKind
    /// For links: the target table's name.
    public var target: String?
    public var indexKind: IndexKind
    /// What deletions do along its links.
    public var rules = DeleteRules()
    /// A Boolean value that indicates whether the values themselves are indexed.
    public var isIndexed: Bool {
        get { indexKind == .values }
        set { indexKind = newValue ? .values : .none }
    }

    public init(
        _ name: String,
        _ type: ColumnType,
        optional: Bool = false,
        collection: CollectionKind = .none,
        target: String? = nil,
        index: IndexKind = .none
    ) {
        self.name = name
        self.type = type
        self.isOptional = optional || type == .mixed
        self.collection = collection
        self.target = target
        indexKind = index
    }

    /// What objects have in a new column that nothing has been written to.
    package var zero: Value { FieldCoding.defaultValue(type, isOptional: isOptional) }

    /// A column with or without an index of its values.
    public init(
        _ name: String,
        _ type: ColumnType,
        optional: Bool = false,
        collection: CollectionKind = .none,
        target: String? = nil,
        indexed: Bool
    ) {
        self.init(
            name,
            type,
            optional: optional,
            collection: collection,
            target: target,
            index: indexed ? .values : .none
        )
    }
}

/// A table as asked for when a database is opened.
public struct TableSpec: Equatable, Sendable {
    public var name: String
    public var columns: [ColumnSpec]
    public var primaryKey: String?
    /// A Boolean value that indicates whether each object belongs to exactly one link of another object and goes with it.
    public var isEmbedded: Bool
    /// A Boolean value that indicates whether its objects only leave the file: see `WriteTransaction.handOver(_:_:)`.
    public var isAsymmetric: Bool
    /// Indexes of several columns together.
    public var compounds: [CompoundIndexSpec]

    public init(
        _ name: String,
        columns: [ColumnSpec],
        primaryKey: String? = nil,
        isEmbedded: Bool = false,
        isAsymmetric: Bool = false,
        compounds: [CompoundIndexSpec] = []
    ) {
        self.compounds = compounds
        self.isEmbedded = isEmbedded
        self.isAsymmetric = isAsymmetric
        self.name = name
        self.columns = columns
        self.primaryKey = primaryKey
    }
}
