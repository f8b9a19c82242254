import FreeholdEngine

/// A property of a class.
///
/// The library finds the properties of model classes. A program can also create properties, as parts of an
/// ``ObjectSchema``. They are for classes without a Swift class, or for properties that a Swift class doesn't declare:
///
/// ```swift
/// Property("name", .string, indexed: true)
/// Property("dogs", .object, collection: .list, objectClassName: "Dog")
/// Property("owners", .linkingObjects, objectClassName: "Person", originProperty: "dogs")
/// ```
public struct Property: Sendable {
    /// The kind of collection, or a single value.
    public enum Collection: Sendable, Hashable { case none, list, set, map }

    /// The index through which queries find objects.
    public enum Index: Sendable, Hashable {
        case none
        /// An index of values, for equality, ranges, prefixes and sorts.
        case values
        /// An index of the words of a string.
        case fullText
        /// An index of the places that lists of coordinates represent.
        case places
    }

    /// The name in Swift.
    public var name: String
    /// The name in the file.
    public var columnName: String
    /// The type of the value, or of the elements of a collection.
    public var type: PropertyType
    public var collection: Collection
    /// The index for queries, in addition to that of a primary key.
    public var index: Index
    /// A Boolean value that indicates whether the value, or the elements of a collection, can be null.
    public var isOptional: Bool
    /// A Boolean value that indicates whether the property is the primary key.
    public var isPrimaryKey: Bool
    /// The class to which links lead, by its name in the file.
    public var objectClassName: String?
    /// The property of the other class, for linking objects.
    public var originProperty: String?
    /// The action on linked objects when an object with this property is deleted, for links and linking objects.
    public var deleteRule = DeleteRule.nullify
    /// The action on the object when an object to which it links is deleted, for a link that was read from a file.
    public internal(set) var inverseDeleteRule = DeleteRule.nullify
    /// The value of new objects without a given value, or `nil` for zero, empty, null, the current time or a new
    /// identifier. It applies only to properties that a program creates. The default values of classes are in the
    /// classes.
    public var defaultValue: (any Sendable)?

    /// The class to which links lead, for the property of a class.
    let target: ObjectBase.Type?

    public var isArray: Bool { collection == .list }
    public var isSet: Bool { collection == .set }
    public var isMap: Bool { collection == .map }

    /// Creates a property.
    ///
    /// Contradictions are found when a realm is opened with the schema.
    ///
    /// - Parameters:
    ///   - columnName: The name in the file, if it differs.
    ///   - optional: A Boolean value that indicates whether the value, or the elements of a collection, can be null.
    ///     Links to one object and links in maps can always be null.
    ///   - objectClassName: The other class by its name in the file, for links and linking objects.
    ///   - originProperty: The property of the other class, for linking objects.
    ///   - deleteRule: The action on linked objects when an object is deleted, for links and linking objects.
    ///   - collection: A list, a set, a map, or a single value.
    ///   - defaultValue: The value of new objects, or `nil` for zero, empty or null.
    ///   - indexed: A Boolean value that indicates whether the property has an index.
    ///   - name: The name in Swift.
    ///   - primaryKey: A Boolean value that indicates whether the property is the primary key.
    ///   - type: The type of the value.
    public init(
        _ name: String,
        _ type: PropertyType,
        mapTo columnName: String? = nil,
        optional: Bool = false,
        collection: Collection = .none,
        objectClassName: String? = nil,
        originProperty: String? = nil,
        indexed: Bool = false,
        primaryKey: Bool = false,
        deleteRule: DeleteRule = .nullify,
        defaultValue: (any Sendable)? = nil
    ) {
        self.deleteRule = deleteRule
        self.name = name
        self.columnName = columnName ?? name
        self.type = type
        self.collection = type == .linkingObjects ? .list : collection
        index = indexed ? .values : .none
        isOptional = optional || (type == .object && (collection == .none || collection == .map))
        isPrimaryKey = primaryKey
        self.objectClassName = objectClassName
        self.originProperty = originProperty
        self.defaultValue = defaultValue
        target = nil
    }

    init(_ property: PropertyInfo, in info: ClassInfo) {
        name = property.name
        columnName = property.columnName
        type = property.shape.type
        collection = property.shape.collection
        index = property.indexKind
        isOptional = property.shape.isOptional
        isPrimaryKey = property.isPrimaryKey
        target = property.target
        objectClassName = property.target.map { info.sibling($0).tableName }
        originProperty = property.origin
        deleteRule = property.deleteRule
    }

    /// A Boolean value that indicates whether queries find objects by the property's value through an index. It is
    /// `true` for primary keys.
    public var isIndexed: Bool {
        get { index == .values || isPrimaryKey }
        set { index = newValue ? .values : .none }
    }

    var isComputed: Bool { type == .linkingObjects }
    var isCollection: Bool { collection != .none }
    /// A Boolean value that indicates whether the property is declared like `@Persisted var dog: Dog`, which can't be
    /// stored.
    var isRequiredLink: Bool { type == .object && !isCollection && !isOptional }
}

extension Property: Equatable {
    /// Returns a Boolean value that indicates whether all stored attributes are equal.
    public static func == (a: Property, b: Property) -> Bool {
        a.isSame(as: b) && a.isIndexed == b.isIndexed && a.index == b.index && a.deleteRule == b.deleteRule
    }

    /// Returns a Boolean value that indicates whether the properties are equal except for the index and the delete
    /// rules.
    func isSame(as other: Property) -> Bool {
        name == other.name && columnName == other.columnName && type == other.type && collection == other.collection
            && isOptional == other.isOptional && isPrimaryKey == other.isPrimaryKey
            && objectClassName == other.objectClassName && originProperty == other.originProperty
    }
}

extension Property: CustomStringConvertible {
    public var description: String { described(indent: "") }

    func described(indent: String) -> String {
        func yes(_ flag: Bool) -> String { flag ? "YES" : "NO" }
        var lines = ["type = \(type)"]
        if let objectClassName {
            lines.append("objectClassName = \(objectClassName)")
            lines.append("linkOriginPropertyName = \(originProperty ?? "(null)")")
        }
        lines.append("columnName = \(columnName)")
        lines.append("indexed = \(yes(isIndexed))")
        if index == .fullText { lines.append("fullTextIndexed = YES") }
        lines.append("isPrimary = \(yes(isPrimaryKey))")
        lines.append("array = \(yes(isArray))")
        lines.append("set = \(yes(isSet))")
        lines.append("dictionary = \(yes(isMap))")
        lines.append("optional = \(yes(isOptional))")
        if deleteRule != .nullify { lines.append("deleteRule = \(deleteRule)") }
        return "\(indent)\(name) {\n" + lines.map { "\(indent)\t\($0);\n" }.joined() + "\(indent)}"
    }
}

// MARK: Columns

extension Property {
    /// The column of the property, or nil for linking objects, which have no column.
    var columnSpec: ColumnSpec? {
        guard let columnType else { return nil }
        var spec = ColumnSpec(
            columnName,
            columnType,
            // A link isn't optional for the engine, because a missing link needs no null. In a dictionary, it is null.
            optional: columnType == .link ? collection == .map : isOptional,
            collection: CollectionKind(collection),
            target: columnType == .link ? objectClassName : nil,
            index: isPrimaryKey ? .none : IndexKind(index)
        )
        spec.rules = DeleteRules(targets: deleteRule, origins: inverseDeleteRule)
        return spec
    }

    var columnType: ColumnType? { type.columnType }

    /// Creates the property for a column of a file.
    init(_ column: Column, in schema: DatabaseSchema) {
        self.init(
            column.name,
            PropertyType(column.type),
            optional: column.isOptional && column.type != .mixed,
            collection: Collection(column.collection),
            objectClassName: column.targetTableID.flatMap { schema.table(id: $0)?.name },
            primaryKey: column.isPrimaryKey
        )
        index = Index(column.indexKind)
        deleteRule = column.rules.targets
        inverseDeleteRule = column.rules.origins
    }
}

extension PropertyType {
    init(_ type: ColumnType) {
        self =
            switch type {
            case .int: .int
            case .bool: .bool
            case .string: .string
            case .data: .data
            case .timestamp: .date
            case .float: .float
            case .double: .double
            case .link: .object
            case .objectId: .objectId
            case .decimal128: .decimal128
            case .uuid: .UUID
            case .mixed: .any
            }
    }
}

extension IndexKind {
    init(_ index: Property.Index) {
        self =
            switch index {
            case .none: .none
            case .values: .values
            case .fullText: .fullText
            case .places: .places
            }
    }
}

extension Property.Index {
    init(_ kind: IndexKind) {
        self =
            switch kind {
            case .none: .none
            case .values: .values
            case .fullText, .fullTextLatin1: .fullText
            case .places: .places
            }
    }
}

extension CollectionKind {
    init(_ collection: Property.Collection) {
        self =
            switch collection {
            case .none: .none
            case .list: .list
            case .set: .set
            case .map: .dictionary
            }
    }
}

extension Property.Collection {
    init(_ kind: CollectionKind) {
        self =
            switch kind {
            case .none: .none
            case .list: .list
            case .set: .set
            case .dictionary: .map
            }
    }
}

extension PropertyType {
    /// The type of the column, or nil for linking objects, which have no column.
    var columnType: ColumnType? {
        switch self {
        case .int: .int
        case .bool: .bool
        case .string: .string
        case .data: .data
        case .date: .timestamp
        case .float: .float
        case .double: .double
        case .object: .link
        case .objectId: .objectId
        case .decimal128: .decimal128
        case .UUID: .uuid
        case .any: .mixed
        case .linkingObjects: nil
        }
    }
}
