public import FreeholdEngine
public import Foundation

/// A value whose type is known at run time only: any that a property can have, also lists and dictionaries of such
/// values, nested up to 100 levels.
///
/// ```swift
/// class Event: Object {
///     @Persisted var details: AnyRealmValue
/// }
/// event.details = ["items": [["name": "Laptop", "price": 1200.0]], "total": 1200.0]
/// event.details.dictionaryValue?["items"]?.listValue?.append("one more")
/// ```
///
/// A property is declared without an optional: null is ``none``, which is its default. Embedded objects and sets can't
/// be values: the write throws. Objects are linked to as by a link property: an unmanaged one is added, and one that is
/// deleted leaves null.
///
/// **Nested collections.** Those read from a managed object are live: they change what is stored, inside a write
/// transaction, and show every change of it, wherever they move inside of their property. When their place is
/// overwritten or removed, or the object deleted, they are invalidated. Assigning one elsewhere copies it. The list in
/// an unmanaged value stays unmanaged when its object is added.
///
/// **Equality.** Numbers are equal by value, whatever their type: `.int(1) == .double(1)`, and so are `.float`s and
/// `.decimal128`s. Strings never equal data. NaN equals NaN. Lists and dictionaries are equal if their contents are,
/// objects if they are the same row. Equal values have equal hashes. Queries compare in the same way, but for NaN, which
/// equals nothing there.
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

    /// A dictionary of these entries.
    public static func fromDictionary(_ dictionary: [String: AnyRealmValue]) -> AnyRealmValue {
        let map = Map<String, AnyRealmValue>()
        for (key, value) in dictionary { map[key] = value }
        return .dictionary(map)
    }

    /// A list of these elements.
    public static func fromArray(_ array: [AnyRealmValue]) -> AnyRealmValue {
        let list = List<AnyRealmValue>()
        list.append(objectsIn: array)
        return .list(list)
    }
}

// MARK: Values of one type

// Each is nil unless the value is of just that type; numbers aren't converted.
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

    /// The object, if it is one of that class.
    public func object<T: Object>(_ type: T.Type) -> T? {
        if case .object(let object) = self { object as? T } else { nil }
    }

    /// The object as one that is used by name. Nil for an unmanaged object of a Swift class.
    public var dynamicObject: DynamicObject? {
        guard case .object(let object) = self else { return nil }
        if let dynamic = object as? DynamicObject { return dynamic }
        guard let table = object._table else { return nil }
        object._verifyLive(table)
        return table.dynamic.object(object._key) as? DynamicObject
    }

    /// The entries of a dictionary: live, if the value was read from a managed object.
    public var dictionaryValue: Map<String, AnyRealmValue>? {
        if case .dictionary(let value) = self { value } else { nil }
    }

    /// The elements of a list: live, if the value was read from a managed object.
    public var listValue: List<AnyRealmValue>? { if case .list(let value) = self { value } else { nil } }

    /// Whether there is no value.
    public var isNull: Bool { if case .none = self { true } else { false } }
}

@available(*, unavailable, message: "Objects and collections belong to a realm's thread, queue or actor")
extension AnyRealmValue: Sendable {}
