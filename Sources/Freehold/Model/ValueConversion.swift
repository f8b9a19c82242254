import FreeholdEngine
import Foundation

/// A value for a property, converted and checked. Nothing has been made or changed yet.
enum ConvertedField {
    case value(Value)
    case link(ConvertedLink?)
    case values([Value])
    case links([ConvertedLink])
}

/// What a link is to lead to.
enum ConvertedLink {
    /// An object that is there, managed or not.
    case object(ObjectBase)
    /// An object to be made, or to be found by its primary key.
    case nested(ConvertedObject)
}

/// Values for some of the properties of an object.
final class ConvertedObject {
    let info: ClassInfo
    let fields: [(property: Int, field: ConvertedField)]

    init(info: ClassInfo, fields: [(property: Int, field: ConvertedField)]) {
        self.info = info
        self.fields = fields
    }

    /// The value for the primary key, if there is one.
    var primaryKey: Value? {
        guard let index = info.primaryKeyIndex else { return nil }
        for (property, field) in fields where property == index {
            if case .value(let value) = field { return value }
        }
        return nil
    }
}

/// From values of any type to what properties store: dictionaries by property name, arrays in the order of the
/// properties, other objects; nested for links and lists.
///
/// An integer property takes every integer that fits, a floating-point property every number, no number passes for a
/// `Bool` nor a `Bool` for a number. `NSNumber` is what it was made from, `NSNull` is nil.
enum ValueConversion {
    static let maximumDepth = 100

    /// - Throws: `.invalidValue` or `.missingValue`, with class and property.
    static func object(_ value: Any?, _ info: ClassInfo, depth: Int = 0) throws(Realm.Error) -> ConvertedObject {
        guard let value = PlainValue.unwrap(value) else {
            throw Realm.Error(.missingValue, "an object can't be made from nil", className: info.className)
        }
        if depth > maximumDepth {
            throw Realm.Error(
                .invalidValue,
                "values are nested deeper than \(maximumDepth) levels",
                className: info.className
            )
        }
        var fields: [(property: Int, field: ConvertedField)] = []
        if let source = value as? ObjectBase {
            if source.isInvalidated {
                throw Realm.Error(
                    .invalidValue,
                    "values can't be taken from a deleted \(type(of: source))",
                    className: info.className
                )
            }
            let from = source._info
            for property in info.properties where !property.isComputed {
                guard let index = from.index(named: property.name) ?? from.index(named: property.columnName)
                else { continue }
                let field = try copied(
                    from.content(of: source, at: index),
                    from.properties[index],
                    property,
                    info,
                    depth
                )
                fields.append((property.index, field))
            }
        } else if let dictionary = PlainValue.dictionary(value) {
            for property in info.properties where !property.isComputed {
                guard let found = try named(property, in: dictionary, info) else { continue }
                fields.append((property.index, try field(found, of: property, in: info, depth: depth)))
            }
        } else if let array = PlainValue.array(value) {
            let stored = info.properties.filter { !$0.isComputed }
            if array.count > stored.count {
                throw Realm.Error(
                    .invalidValue,
                    "an array of \(array.count) values is given for \(stored.count) properties",
                    className: info.className
                )
            }
            for (property, element) in zip(stored, array) {
                fields.append((property.index, try field(element, of: property, in: info, depth: depth)))
            }
        } else {
            throw Realm.Error(
                .invalidValue,
                "an object can't be made from \(PlainValue.describe(value)): give a dictionary, an array or an object",
                className: info.className
            )
        }
        return ConvertedObject(info: info, fields: fields)
    }

    static func field(
        _ given: Any?,
        of property: PropertyInfo,
        in info: ClassInfo,
        depth: Int = 0
    ) throws(Realm.Error) -> ConvertedField {
        let value = PlainValue.unwrap(given)
        if property.isComputed {
            throw Realm.Error(
                .invalidValue,
                "linking objects can't be assigned",
                className: info.className,
                property: property.name
            )
        }
        if property.isCollection {
            guard let value else { return property.shape.type == .object ? .links([]) : .values([]) }
            return try elements(value, property, info, depth)
        }
        if property.isLink {
            guard let value else { return .link(nil) }
            return .link(try link(value, property, info, depth))
        }
        guard let value else {
            guard property.shape.isOptional else { throw missing(property, info) }
            return .value(.null)
        }
        guard let stored = property.access.convert(value) else { throw mismatch(value, property, info) }
        return .value(stored)
    }

    /// What a dictionary has under the property's name in Swift or in the file.
    private static func named(
        _ property: PropertyInfo,
        in dictionary: [String: Any],
        _ info: ClassInfo
    ) throws(Realm.Error) -> Any? {
        let value = dictionary[property.name]
        if property.columnName == property.name { return value }
        guard let stored = dictionary[property.columnName] else { return value }
        if value == nil { return stored }
        throw Realm.Error(
            .invalidValue,
            "is given twice, as \"\(property.name)\" and as \"\(property.columnName)\"",
            className: info.className,
            property: property.name
        )
    }

    private static func link(
        _ value: Any,
        _ property: PropertyInfo,
        _ info: ClassInfo,
        _ depth: Int
    ) throws(Realm.Error) -> ConvertedLink {
        guard let target = property.target else { throw mismatch(value, property, info) }
        if let object = value as? ObjectBase, type(of: object) == target { return .object(object) }
        guard value is ObjectBase || PlainValue.dictionary(value) != nil || PlainValue.array(value) != nil else {
            throw mismatch(value, property, info)
        }
        return .nested(try object(value, info.sibling(target), depth: depth + 1))
    }

    private static func elements(
        _ value: Any,
        _ property: PropertyInfo,
        _ info: ClassInfo,
        _ depth: Int
    ) throws(Realm.Error) -> ConvertedField {
        if let collection = value as? any ContentCollection {
            return try copied(collection.content, nil, property, info, depth)
        }
        guard let array = PlainValue.sequence(value) else { throw mismatch(value, property, info) }
        if property.shape.type == .object {
            var links: [ConvertedLink] = []
            for element in array {
                guard let element = PlainValue.unwrap(element) else { throw missing(property, info) }
                links.append(try link(element, property, info, depth))
            }
            return .links(links)
        }
        var values: [Value] = []
        values.reserveCapacity(array.count)
        for element in array {
            guard let element = PlainValue.unwrap(element) else {
                guard property.shape.isOptional else { throw missing(property, info) }
                values.append(.null)
                continue
            }
            guard let stored = property.access.convertElement(element) else { throw mismatch(element, property, info) }
            values.append(stored)
        }
        return .values(values)
    }

    /// The content of another object's property, for one of the same name or type.
    private static func copied(
        _ content: PropertyContent,
        _ source: PropertyInfo?,
        _ property: PropertyInfo,
        _ info: ClassInfo,
        _ depth: Int
    ) throws(Realm.Error) -> ConvertedField {
        switch content {
        case .value(let value):
            if let source, source.access == property.access, !property.isCollection { return .value(value) }
            return try field(value.plainValue, of: property, in: info, depth: depth)
        case .object(let object): return try field(object, of: property, in: info, depth: depth)
        case .values(let values):
            return try elements(values.map(\.plainValue), property, info, depth)
        case .objects(let objects): return try elements(objects, property, info, depth)
        case .computed: throw mismatch("linking objects", property, info)
        }
    }

    private static func missing(_ property: PropertyInfo, _ info: ClassInfo) -> Realm.Error {
        Realm.Error(
            .missingValue,
            "nil is given where \(expected(property)) is required",
            className: info.className,
            property: property.name
        )
    }

    private static func mismatch(_ value: Any, _ property: PropertyInfo, _ info: ClassInfo) -> Realm.Error {
        Realm.Error(
            .invalidValue,
            "\(PlainValue.describe(value)) is given where \(expected(property)) is expected",
            className: info.className,
            property: property.name
        )
    }

    private static func expected(_ property: PropertyInfo) -> String {
        let one = property.target.map { ClassInfo.of($0).className } ?? "\(property.shape.type)"
        switch property.shape.collection {
        case .none: return one + (property.shape.isOptional ? "?" : "")
        case .list: return "a list of \(one)" + (property.shape.isOptional ? "?" : "")
        case .set: return "a set of \(one)"
        case .map: return "a map of \(one)"
        }
    }
}

/// Values of any type, looked at.
enum PlainValue {
    /// The value inside any depth of optionals; nil for nil and `NSNull`.
    static func unwrap(_ value: Any?) -> Any? {
        guard let value else { return nil }
        if let optional = value as? any OptionalProtocol { return unwrap(optional._rlmAnyWrapped) }
        return value is NSNull ? nil : value
    }

    static func dictionary(_ value: Any) -> [String: Any]? {
        if let plain = value as? [String: Any] { return plain }
        return value is NSDictionary ? (value as? NSDictionary) as? [String: Any] : nil
    }

    static func array(_ value: Any) -> [Any]? {
        if let plain = value as? [Any] { return plain }
        if let optional = value as? [Any?] { return optional.map { $0 as Any } }
        return value is NSArray ? (value as? NSArray)?.map { $0 } : nil
    }

    /// The elements of any sequence but a dictionary, a string or data.
    static func sequence(_ value: Any) -> [Any]? {
        if let array = array(value) { return array }
        if value is String || value is Data || value is Substring || dictionary(value) != nil { return nil }
        if let set = value as? NSSet { return set.allObjects }
        func elements(_ sequence: some Sequence) -> [Any] { sequence.map { $0 } }
        return (value as? any Sequence).map { elements($0) }
    }

    /// For messages. Never asks a `Date` for its text, which Foundation can't give for all of them, so that
    /// containers, which may hold some, are only counted.
    static func describe(_ value: Any) -> String {
        let type = type(of: value)
        if let date = value as? Date { return "\(date.timeIntervalSince1970) s after 1970 (\(type))" }
        if value is ObjectBase { return "an object (\(type))" }
        if let values = dictionary(value) { return "a dictionary of \(values.count) (\(type))" }
        if let values = array(value) { return "an array of \(values.count) (\(type))" }
        var text = "\(value)"
        if text.count > 60 { text = text.prefix(60) + "…" }
        return "\(text) (\(type))"
    }
}
