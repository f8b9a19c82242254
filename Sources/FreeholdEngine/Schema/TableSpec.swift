/// The specification of a column, which a file must have or receives when it is opened.
public struct ColumnSpec: Equatable, Sendable {
    public var name: String
    public var type: ColumnType
    public var isOptional: Bool
    public var collection: CollectionKind
    /// The name of the target table, for links.
    public var target: String?
    public var indexKind: IndexKind
    /// The rules for deletions along its links.
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

    /// The value of all objects in a new column.
    package var zero: Value { FieldCoding.defaultValue(type, isOptional: isOptional) }

    /// Creates a column with or without an index of its values.
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

/// The specification of a table, for opening a database.
public struct TableSpec: Equatable, Sendable {
    public var name: String
    public var columns: [ColumnSpec]
    public var primaryKey: String?
    /// A Boolean value that indicates whether each object belongs to exactly one link of another object and is deleted with it.
    public var isEmbedded: Bool
    /// A Boolean value that indicates whether the objects are only sent and not kept in the file: see `WriteTransaction.handOver(_:_:)`.
    public var isAsymmetric: Bool
    /// The indexes of several columns.
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
