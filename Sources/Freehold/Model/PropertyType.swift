/// The kind of value that a property holds. The raw values are those of RealmSwift.
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
    /// As it is declared, for messages.
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

/// What the Swift type of a property says about it.
public struct _PropertyShape {
    public typealias Collection = Property.Collection

    public var type: PropertyType
    public var isOptional: Bool
    public var collection: Collection
    /// For links and collections of them.
    public var target: ObjectBase.Type?
    /// Whether the Swift type is one that stands for what is stored: each read makes a value anew.
    public var isMapped = false
    /// Whether a stored value may stand for no value of the Swift type: an enum's or a failable custom type's.
    public var isPartial = false
    /// Whether it is a projection of an object, which can't be stored.
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
    /// Whether it holds neither objects nor mixed values.
    var holdsPlainValues: Bool { type != .object && type != .any && type != .linkingObjects }
}
