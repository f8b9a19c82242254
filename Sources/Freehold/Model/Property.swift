import FreeholdEngine

/// One property of a class.
///
/// Those of a model class are found by the library. One made by hand is part of an ``ObjectSchema`` for classes that
/// have no Swift class, or for what a Swift class's table has beside the class's own properties:
///
/// ```swift
/// Property("name", .string, indexed: true)
/// Property("dogs", .object, collection: .list, objectClassName: "Dog")
/// Property("owners", .linkingObjects, objectClassName: "Person", originProperty: "dogs")
/// ```
public struct Property: Sendable {
    /// How many values a property holds.
    public enum Collection: Sendable, Hashable { case none, list, set, map }

    /// How queries find objects by a property without looking at all of them.
    public enum Index: Sendable, Hashable {
        case none
        /// By value: equality, ranges, beginnings, order.
        case values
        /// By the words of a string.
        case fullText
        /// By the place that a list of coordinates stands for.
        case places
    }

    /// The name in Swift.
    public var name: String
    /// The name in the file.
    public var columnName: String
    /// Of the value, or of a collection's elements.
    public var type: PropertyType
    public var collection: Collection
    /// The index that queries find objects through, beside that of a primary key.
    public var index: Index
    /// Whether the value, or a collection's elements, can be null.
    public var isOptional: Bool
    /// Whether objects of the class are told apart by it.
    public var isPrimaryKey: Bool
    /// The class that links point to, by its name in the file.
    public var objectClassName: String?
    /// For linking objects: the property of the other class.
    public var originProperty: String?
    /// Of links and linking objects: what happens to the others when an object with this property is deleted.
    public var deleteRule = DeleteRule.nullify
    /// Of a link that was read from a file: what happens to the object when one that it links to is deleted.
    public internal(set) var inverseDeleteRule = DeleteRule.nullify
    /// What objects made without a value for it get; nil for zero, empty, null, the current time or a new identifier.
    /// Of properties made by hand only: those of classes have theirs in the class.
    public var defaultValue: (any Sendable)?

    /// The class that links point to, where the property is a class's.
    let target: ObjectBase.Type?

    public var isArray: Bool { collection == .list }
    public var isSet: Bool { collection == .set }
    public var isMap: Bool { collection == .map }

    /// A property made by hand.
    ///
    /// What contradicts itself is found when a realm is opened with the schema.
    ///
    /// - Parameters:
    ///   - columnName: The name in the file, where it is another.
    ///   - optional: Whether the value, or a collection's elements, can be null. Links to one object and in maps always
    ///     can.
    ///   - objectClassName: For links and linking objects: the other class, by its name in the file.
    ///   - originProperty: For linking objects: the property of the other class.
    ///   - deleteRule: For links and linking objects: what happens to the others when an object is deleted.
    ///   - collection: A list, a set, a map, or a single value.
    ///   - defaultValue: What new objects have; nil for zero, empty or null.
    ///   - indexed: Whether the property has an index.
    ///   - name: The name in Swift.
    ///   - primaryKey: Whether it is the primary key.
    ///   - type: What is stored.
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

    /// Whether queries find objects by its value through an index; true of primary keys.
    public var isIndexed: Bool {
        get { index == .values || isPrimaryKey }
        set { index = newValue ? .values : .none }
    }

    var isComputed: Bool { type == .linkingObjects }
    var isCollection: Bool { collection != .none }
    /// `@Persisted var dog: Dog`, which can't be stored.
    var isRequiredLink: Bool { type == .object && !isCollection && !isOptional }
}

extension Property: Equatable {
    /// Equal in everything that is stored.
    public static func == (a: Property, b: Property) -> Bool {
        a.isSame(as: b) && a.isIndexed == b.isIndexed && a.index == b.index && a.deleteRule == b.deleteRule
    }

    /// Equal but for the index and the rules of deletion.
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

// MARK: The file's terms

extension Property {
    /// Nil for linking objects, which have no column.
    var columnSpec: ColumnSpec? {
        guard let columnType else { return nil }
        var spec = ColumnSpec(
            columnName,
            columnType,
            // Whether a link is there is no question of optionality to the engine; in a dictionary it is null.
            optional: columnType == .link ? collection == .map : isOptional,
            collection: CollectionKind(collection),
            target: columnType == .link ? objectClassName : nil,
            index: isPrimaryKey ? .none : IndexKind(index)
        )
        spec.rules = DeleteRules(targets: deleteRule, origins: inverseDeleteRule)
        return spec
    }

    var columnType: ColumnType? { type.columnType }

    /// What a file has.
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
    /// Nil for linking objects, which have no column.
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
