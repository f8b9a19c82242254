public import FreeholdEngine

/// The classes of an app, for views of a database.
public struct SQLSchema: Hashable, Sendable {
    public struct Property: Hashable, Sendable {
        public var name: String
        /// The name under which the property is stored.
        public var stored: String
        public var type: ColumnType
        public var collection: CollectionKind
        /// The class to which a link leads.
        public var target: String?
    }

    public struct Class: Hashable, Sendable {
        public var name: String
        /// The name under which the class is stored.
        public var stored: String
        public var isEmbedded: Bool
        public var isAsymmetric: Bool
        /// The type of the keys, or `nil` for an embedded class.
        public var key: ColumnType?
        /// The properties without the key.
        public var properties: [Property]
    }

    public var classes: [Class]

    /// - Parameter stored: Returns the name under which a property of a class is stored, or the name of the class without a property.
    public init(_ tables: [TableSpec], stored: (_ className: String, _ property: String?) -> String) {
        classes = tables.map { table in
            Class(
                name: table.name,
                stored: stored(table.name, nil),
                isEmbedded: table.isEmbedded,
                isAsymmetric: table.isAsymmetric,
                key: table.columns.first { $0.name == table.primaryKey }?.type,
                properties: table.columns.filter { $0.name != table.primaryKey }.map { column in
                    Property(
                        name: column.name,
                        stored: stored(table.name, column.name),
                        type: column.type,
                        collection: column.collection,
                        target: column.target
                    )
                }
            )
        }
    }
}

/// The settings that an administrator chose for the views of an app.
public struct SQLViewOptions: Hashable, Sendable {
    /// A Boolean value that indicates whether changes of the views are written to the inbox.
    public var isWritable: Bool
    /// The properties with an index, as `Class.property`. Keys and links always have an index.
    public var indexes: Set<String>

    public init(isWritable: Bool = false, indexes: Set<String> = []) {
        (self.isWritable, self.indexes) = (isWritable, indexes)
    }
}

/// The result of an update of views.
public struct SQLViewReport: Hashable, Sendable {
    /// The schema that has the views.
    public var schema: String
    public var views: [String] = []
    /// The number of views that were created or dropped, or whose columns were changed.
    public var changes = 0
    public var indexes = 0
    /// The names of properties that don't exist, or can't have an index.
    public var unknownIndexes: [String] = []

    public init(schema: String) { self.schema = schema }
}
