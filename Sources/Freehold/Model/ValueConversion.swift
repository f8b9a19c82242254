import FreeholdEngine
import Foundation

/// Conversions of values of any type to the stored form of properties. Objects are given as dictionaries by property
/// name, arrays in the order of the properties, or other objects. Links and lists can contain nested data.
///
/// An integer property accepts all integers that it can represent. A floating-point property accepts all numbers. A
/// `Bool` property also accepts 0 and 1. A `Bool` isn't accepted as a number. An `NSNumber` has the type from which it
/// was created, and `NSNull` is nil.
enum ValueConversion {
    static let maximumDepth = 100

    /// Converts the values of an object.
    ///
    /// - Throws: `.invalidValue` or `.missingValue`, with class and property.
    static func object(_ value: Any?, _ info: ClassInfo, depth: Int = 0) throws(Realm.Error) -> _ObjectValues {
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
        var fields: [(property: Int, content: _StoredContent)] = []
        if let source = PlainValue.object(value) {
            if source.isInvalidated {
                throw Realm.Error(
                    .invalidValue,
                    "values can't be taken from a deleted \(type(of: source))",
                    className: info.className
                )
            }
            let from = source._info
            // A property that only another version of the same class lacks keeps its default.
            let isOther = from.tableName != info.tableName && from.className != info.className
            for property in info.properties where !property.isComputed {
                guard let index = from.index(named: property.name) ?? from.index(named: property.columnName) else {
                    if isOther { throw lacking(property, from: from, in: info) }
                    continue
                }
                let field = try copied(
                    from.content(of: source, at: index),
                    from: from.properties[index],
                    to: property,
                    in: info,
                    depth: depth
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
        return _ObjectValues(info: info, fields: fields, isCopy: PlainValue.object(value) != nil)
    }

    /// Converts the value of a property.
    ///
    /// - Parameter copiesOthers: A Boolean value that indicates whether an object of another class is converted to a
    ///   new object with its values, like in `create`. If it is false, such an object doesn't fit.
    static func field(
        _ given: Any?,
        of property: PropertyInfo,
        in info: ClassInfo,
        depth: Int = 0,
        copiesOthers: Bool = true
    ) throws(Realm.Error) -> _StoredContent {
        let value = PlainValue.unwrap(given)
        if property.isComputed {
            throw Realm.Error(
                .invalidValue,
                "linking objects can't be assigned",
                className: info.className,
                property: property.name
            )
        }
        switch property.shape.collection {
        case .list, .set:
            guard let value else { return .list([]) }
            return try elements(value, of: property, in: info, depth: depth, copiesOthers: copiesOthers)
        case .map:
            guard let value else { return .dictionary([]) }
            return try entries(value, of: property, in: info, depth: depth, copiesOthers: copiesOthers)
        case .none:
            guard let value else { return try null(property, info) }
            if let content = converted(value, { property.converter.convert($0) }) { return content }
            return try link(value, of: property, in: info, depth: depth, copiesOthers: copiesOthers)
        }
    }

    /// Converts a value. If it is an enum or a custom type that the property doesn't have, its stored value is
    /// converted.
    private static func converted(_ value: Any, _ convert: (Any) -> _StoredContent?) -> _StoredContent? {
        if let content = convert(value) { return content }
        if let custom = value as? any _CustomPersistable { return convert(custom.persistableValue) }
        if let named = value as? any PersistableEnum { return convert(named.rawValue) }
        return nil
    }

    /// Converts nil as a value or an element.
    private static func null(_ property: PropertyInfo, _ info: ClassInfo) throws(Realm.Error) -> _StoredContent {
        if property.isLink { return .object(nil) }
        guard property.shape.isOptional || property.shape.type == .any else { throw missing(property, info) }
        return property.shape.type == .object ? .object(nil) : .null
    }

    private static func link(
        _ value: Any,
        of property: PropertyInfo,
        in info: ClassInfo,
        depth: Int,
        copiesOthers: Bool
    ) throws(Realm.Error) -> _StoredContent {
        guard property.shape.type == .object, let target = info.targetInfo(of: property) else {
            throw mismatch(value, of: property, in: info)
        }
        if let object = PlainValue.object(value) {
            if info.accepts(object, for: property) { return .object(object) }
            guard copiesOthers else { throw mismatch(value, of: property, in: info) }
        }
        guard PlainValue.object(value) != nil || PlainValue.dictionary(value) != nil || PlainValue.array(value) != nil
        else {
            throw mismatch(value, of: property, in: info)
        }
        return .values(try object(value, target, depth: depth + 1))
    }

    /// Returns the dictionary's value for the property's name in Swift or in the file.
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

    static func element(
        _ given: Any?,
        of property: PropertyInfo,
        in info: ClassInfo,
        depth: Int = 0,
        copiesOthers: Bool
    ) throws(Realm.Error) -> _StoredContent {
        guard let value = PlainValue.unwrap(given) else { return try null(property, info) }
        if let content = converted(value, { property.converter.convertElement($0) }) { return content }
        return try link(value, of: property, in: info, depth: depth, copiesOthers: copiesOthers)
    }

    private static func elements(
        _ value: Any,
        of property: PropertyInfo,
        in info: ClassInfo,
        depth: Int,
        copiesOthers: Bool
    ) throws(Realm.Error) -> _StoredContent {
        let given: [Any?]
        if let collection = PlainValue.reference(value) as? any ContentCollection {
            guard case .list(let contents) = collection.content else { throw mismatch(value, of: property, in: info) }
            given = contents.map(\.plain)
        } else if let array = PlainValue.sequence(value) {
            given = array
        } else {
            throw mismatch(value, of: property, in: info)
        }
        var contents: [_StoredContent] = []
        contents.reserveCapacity(given.count)
        for value in given {
            contents.append(try element(value, of: property, in: info, depth: depth, copiesOthers: copiesOthers))
        }
        return .list(contents)
    }

    private static func entries(
        _ value: Any,
        of property: PropertyInfo,
        in info: ClassInfo,
        depth: Int,
        copiesOthers: Bool
    ) throws(Realm.Error) -> _StoredContent {
        let given: [(key: String, value: Any?)]
        if let collection = PlainValue.reference(value) as? any ContentCollection {
            guard case .dictionary(let entries) = collection.content else {
                throw mismatch(value, of: property, in: info)
            }
            given = entries.map { ($0.key, $0.content.plain) }
        } else if let dictionary = PlainValue.dictionary(value) {
            given = dictionary.map { ($0.key, $0.value) }
        } else {
            throw mismatch(value, of: property, in: info)
        }
        var contents: [_StoredEntry] = []
        contents.reserveCapacity(given.count)
        for (key, value) in given {
            let content = try element(value, of: property, in: info, depth: depth, copiesOthers: copiesOthers)
            contents.append(_StoredEntry(key, content))
        }
        return .dictionary(contents)
    }

    /// Returns the content of another object's property that has the same name or type.
    private static func copied(
        _ content: _StoredContent,
        from source: PropertyInfo?,
        to property: PropertyInfo,
        in info: ClassInfo,
        depth: Int
    ) throws(Realm.Error) -> _StoredContent {
        if case .computed = content { throw mismatch("linking objects", of: property, in: info) }
        if let source, source.access == property.converter { return content }
        return try field(content.plain, of: property, in: info, depth: depth)
    }

    private static func missing(_ property: PropertyInfo, _ info: ClassInfo) -> Realm.Error {
        Realm.Error(
            .missingValue,
            "Missing value: nil is given where \(expected(property)) is required",
            className: info.className,
            property: property.name
        )
    }

    /// Returns the error for an object of another class that lacks the property.
    private static func lacking(_ property: PropertyInfo, from: ClassInfo, in info: ClassInfo) -> Realm.Error {
        Realm.Error(
            .invalidValue,
            "Invalid value: an object of class \(from.className), which has no such property, is given to initialize one of "
                + "class \(info.className)",
            className: info.className,
            property: property.name
        )
    }

    private static func mismatch(_ value: Any, of property: PropertyInfo, in info: ClassInfo) -> Realm.Error {
        Realm.Error(
            .invalidValue,
            "Invalid value: \(PlainValue.describe(value)) is given where \(expected(property)) is expected",
            className: info.className,
            property: property.name
        )
    }

    private static func expected(_ property: PropertyInfo) -> String {
        let one = property.target.map { ClassInfo.of($0).className } ?? property.shape.type.swiftName
        switch property.shape.collection {
        case .none: return one + (property.shape.isOptional ? "?" : "")
        case .list: return "a list of \(one)" + (property.shape.isOptional ? "?" : "")
        case .set: return "a set of \(one)"
        case .map: return "a map of \(one)"
        }
    }
}

/// Inspections of values of any type.
enum PlainValue {
    /// Returns the value inside nested optionals, or nil for nil and `NSNull`.
    static func unwrap(_ value: Any?) -> Any? {
        guard let value else { return nil }
        if let optional = value as? any OptionalProtocol { return unwrap(optional._rlmAnyWrapped) }
        return reference(value) is NSNull ? nil : value
    }

    /// Returns the value if it is an instance of a class. Casting another value to a class would first convert it, and
    /// everything that it contains, to objects of Foundation.
    static func reference(_ value: Any) -> AnyObject? { type(of: value) is AnyClass ? value as AnyObject : nil }

    /// Returns the value if it is an object of a model class.
    static func object(_ value: Any) -> ObjectBase? { reference(value) as? ObjectBase }

    static func dictionary(_ value: Any) -> [String: Any]? {
        if let plain = value as? [String: Any] { return plain }
        return (reference(value) as? NSDictionary) as? [String: Any]
    }

    static func array(_ value: Any) -> [Any]? {
        if let plain = value as? [Any] { return plain }
        if let optional = value as? [Any?] { return optional.map { $0 as Any } }
        return (reference(value) as? NSArray)?.map { $0 }
    }

    /// Returns the elements of any sequence except a dictionary, a string or data.
    static func sequence(_ value: Any) -> [Any]? {
        if let array = array(value) { return array }
        if value is String || value is Data || value is Substring || dictionary(value) != nil { return nil }
        if let set = reference(value) as? NSSet { return set.allObjects }
        func elements(_ sequence: some Sequence) -> [Any] { sequence.map { $0 } }
        return (value as? any Sequence).map { elements($0) }
    }

    /// Returns a description for messages. It never uses the description of a `Date`, which Foundation can't create for
    /// all dates. Containers may contain dates, so only their number of elements is described.
    static func describe(_ value: Any) -> String {
        let type = type(of: value)
        if let date = value as? Date { return "\(date.timeIntervalSince1970) s after 1970 (\(type))" }
        if object(value) != nil { return "an object (\(type))" }
        if let values = dictionary(value) { return "a dictionary of \(values.count) (\(type))" }
        if let values = array(value) { return "an array of \(values.count) (\(type))" }
        var text = "\(value)"
        if text.count > 60 { text = text.prefix(60) + "…" }
        return "\(text) (\(type))"
    }
}
