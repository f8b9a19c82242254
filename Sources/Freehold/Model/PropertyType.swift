/// The type of a property's value. The raw values are those of RealmSwift.
@frozen public enum PropertyType: Int32, Sendable, CaseIterable {
    case int = 0
    case bool = 1
    case string = 2
    case data = 3
    case date = 4
    case float = 5
    case double = 6
    case object = 7
    case linkingObjects = 8
    case any = 9
    case objectId = 10
    case decimal128 = 11
    case UUID = 12
}

extension PropertyType: CustomStringConvertible {
    public var description: String {
        switch self {
        case .int: "int"
        case .bool: "bool"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .float: "float"
        case .double: "double"
        case .object: "object"
        case .linkingObjects: "linking objects"
        case .any: "mixed"
        case .objectId: "object id"
        case .decimal128: "decimal128"
        case .UUID: "uuid"
        }
    }
}

extension PropertyType {
    /// The type in a declaration, for messages.
    var swiftName: String {
        switch self {
        case .int: "Int"
        case .bool: "Bool"
        case .string: "String"
        case .data: "Data"
        case .date: "Date"
        case .float: "Float"
        case .double: "Double"
        case .object: "an object"
        case .linkingObjects: "LinkingObjects"
        case .any: "AnyRealmValue"
        case .objectId: "ObjectId"
        case .decimal128: "Decimal128"
        case .UUID: "UUID"
        }
    }
}

/// The position of a property among those of its class.
public typealias PropertyKey = UInt16

/// The attributes of a property that its Swift type determines.
public struct _PropertyShape {
    public typealias Collection = Property.Collection

    public var type: PropertyType
    public var isOptional: Bool
    public var collection: Collection
    /// The target class, for links and collections of links.
    public var target: ObjectBase.Type?
    /// A Boolean value that indicates whether the Swift type represents another stored type, so that each read creates
    /// a value.
    public var isMapped = false
    /// A Boolean value that indicates whether a stored value may not be a value of the Swift type, which is an enum or
    /// a failable custom type.
    public var isPartial = false
    /// A Boolean value that indicates whether the type is a projection of an object, which can't be stored.
    public var isProjection = false

    public init(
        _ type: PropertyType,
        optional: Bool = false,
        collection: Collection = .none,
        target: ObjectBase.Type? = nil
    ) {
        self.type = type
        self.isOptional = optional
        self.collection = collection
        self.target = target
    }
}

extension _PropertyShape {
    /// A Boolean value that indicates whether the values are neither objects nor mixed values.
    var holdsPlainValues: Bool { type != .object && type != .any && type != .linkingObjects }
}
