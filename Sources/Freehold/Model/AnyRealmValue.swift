public import FreeholdEngine
public import Foundation

/// A value whose type is known only at run time. It can be any value of a property, including lists and dictionaries of
/// such values, with up to 100 levels of nesting.
///
/// ```swift
/// class Event: Object {
///     @Persisted var details: AnyRealmValue
/// }
/// event.details = ["items": [["name": "Laptop", "price": 1200.0]], "total": 1200.0]
/// event.details.dictionaryValue?["items"]?.listValue?.append("one more")
/// ```
///
/// Declare a property without an optional. Null is ``none``, which is the default value. Embedded objects and sets
/// can't be values, and make the write throw. A value links to an object like a link property does: an unmanaged object
/// is added to the realm, and the value becomes null when the object is deleted.
///
/// **Nested collections.** A collection that is read from a managed object is live. Inside a write transaction it
/// changes the stored value. It shows all changes of the value, and follows it to other places in the property. It
/// becomes invalid when its place is overwritten or removed, or the object is deleted. Assigning it to another place
/// copies it. The list in an unmanaged value stays unmanaged when its object is added.
///
/// **Equality.** Numbers of any type are compared by value: `.int(1) == .double(1)`, and the same applies to `.float`
/// and `.decimal128`. Strings never equal data. NaN equals NaN. Lists and dictionaries are equal if their contents are,
/// and objects if they are the same row. Equal values have equal hashes. Queries have the same equality, except that
/// NaN equals nothing in a query.
public enum AnyRealmValue {
    /// Null.
    case none
    case int(Int)
    case bool(Bool)
    case float(Float)
    case double(Double)
    case string(String)
    case data(Data)
    case date(Date)
    case object(Object)
    case objectId(ObjectId)
    case decimal128(Decimal128)
    case uuid(UUID)
    case dictionary(Map<String, AnyRealmValue>)
    case list(List<AnyRealmValue>)

    /// Null.
    public init() { self = .none }

    /// Creates a dictionary with these entries.
    public static func fromDictionary(_ dictionary: [String: AnyRealmValue]) -> AnyRealmValue {
        let map = Map<String, AnyRealmValue>()
        for (key, value) in dictionary { map[key] = value }
        return .dictionary(map)
    }

    /// Creates a list with these elements.
    public static func fromArray(_ array: [AnyRealmValue]) -> AnyRealmValue {
        let list = List<AnyRealmValue>()
        list.append(objectsIn: array)
        return .list(list)
    }
}

// MARK: Values of one type

// Each property is nil unless the value has exactly this type. Numbers aren't converted.
extension AnyRealmValue {
    public var intValue: Int? { if case .int(let value) = self { value } else { nil } }
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    public var floatValue: Float? { if case .float(let value) = self { value } else { nil } }
    public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    public var dataValue: Data? { if case .data(let value) = self { value } else { nil } }
    public var dateValue: Date? { if case .date(let value) = self { value } else { nil } }
    public var objectIdValue: ObjectId? { if case .objectId(let value) = self { value } else { nil } }
    public var decimal128Value: Decimal128? { if case .decimal128(let value) = self { value } else { nil } }
    public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }

    /// Returns the object, if it is an instance of the class.
    public func object<T: Object>(_ type: T.Type) -> T? {
        if case .object(let object) = self { object as? T } else { nil }
    }

    /// The object with access by name. It is `nil` for an unmanaged object of a Swift class.
    public var dynamicObject: DynamicObject? {
        guard case .object(let object) = self else { return nil }
        if let dynamic = object as? DynamicObject { return dynamic }
        guard let table = object._table else { return nil }
        object._verifyLive(table)
        return table.dynamic.object(object._key) as? DynamicObject
    }

    /// The entries of a dictionary. They are live if the value was read from a managed object.
    public var dictionaryValue: Map<String, AnyRealmValue>? {
        if case .dictionary(let value) = self { value } else { nil }
    }

    /// The elements of a list. They are live if the value was read from a managed object.
    public var listValue: List<AnyRealmValue>? { if case .list(let value) = self { value } else { nil } }

    /// A Boolean value that indicates whether the value is null.
    public var isNull: Bool { if case .none = self { true } else { false } }
}

@available(*, unavailable, message: "Objects and collections belong to a realm's thread, queue or actor")
extension AnyRealmValue: Sendable {}
