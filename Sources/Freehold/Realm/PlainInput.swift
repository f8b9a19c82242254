import Foundation
import FreeholdEngine

/// Takes apart what `create` is given.
enum PlainInput {
    /// Nil for nil, for `NSNull`, and for an optional that is nil inside `Any`.
    static func unwrap(_ value: Any) -> Any? {
        if value is NSNull { return nil }
        guard let optional = value as? any OptionalProtocol else { return value }
        return unwrap(optional)
    }

    private static func unwrap(_ optional: some OptionalProtocol) -> Any? {
        optional._rlmOptional.flatMap { unwrap($0 as Any) }
    }

    static func dictionary(_ value: Any) -> [String: Any]? {
        if let dictionary = value as? [String: Any] { return dictionary }
        guard let dictionary = value as? [AnyHashable: Any] else { return nil }
        var named: [String: Any] = [:]
        for (key, value) in dictionary {
            guard let key = key.base as? String else { return nil }
            named[key] = value
        }
        return named
    }

    /// A value for a property that is neither link nor collection, or for an element of a collection.
    static func scalar(_ value: Any?, _ property: PropertyInfo, _ info: ClassInfo) throws(Realm.Error) -> Value {
        guard let value else {
            if property.shape.isOptional { return .null }
            throw Realm.Error(
                .missingValue, "The value is required but is null. Give one, or make the property optional.",
                className: info.className, property: property.name)
        }
        if let converted = property.access.convert(value) { return converted }
        throw Realm.Error(
            .invalidValue, "\(describe(value)) isn't a value of type \(property.shape.type).",
            className: info.className, property: property.name)
    }

    /// The elements that a collection is given; null empties it.
    static func elements(_ value: Any?, _ property: PropertyInfo, _ info: ClassInfo) throws(Realm.Error) -> [Any?] {
        guard let value else { return [] }
        if let collection = value as? any ContentCollection {
            switch collection.content {
            case .values(let values): return values.map(\.plainValue)
            case .objects(let objects): return objects
            case .value, .object, .computed: break
            }
        }
        if let array = value as? [Any] { return array.map(unwrap) }
        if let sequence = value as? any Sequence, !(value is String), !(value is Data), dictionary(value) == nil {
            return sequence.map { unwrap($0 as Any) }
        }
        throw Realm.Error(
            .invalidValue, "\(describe(value)) isn't a collection of values of type \(property.shape.type).",
            className: info.className, property: property.name)
    }

    static func nullElement(_ property: PropertyInfo, _ info: ClassInfo) -> Realm.Error {
        Realm.Error(
            .missingValue, "A list of objects can't hold null. Leave the element out.",
            className: info.className, property: property.name)
    }

    /// A value and its type, shortened.
    static func describe(_ value: Any) -> String {
        let text = "\(value)"
        let shown = text.count > 60 ? text.prefix(60) + "…" : text[...]
        return "'\(shown)' of type \(type(of: value))"
    }
}

extension ClassInfo {
    /// A new unmanaged object with default values.
    func makeUnmanaged() -> ObjectBase { cls.init(_freehold: _HiddenInitializer()) }
}
