import Foundation
import Freehold

/// A conversion of user input to a property's value: text of a command line, or a JSON value inside it.
///
/// A text that is a JSON value of the property's type is that value. `null` is null if the property is optional, and
/// text in quotation marks (`"null"`) is text.
struct PropertyValue {
    let schema: Schema
    /// The realm in which links are resolved by primary key.
    let realm: Realm

    struct Mismatch: Error {
        let message: String
    }

    // MARK: Text

    /// - Returns: A value for a dynamic object, or nil for null.
    /// - Throws: `Mismatch`.
    func value(of text: String, for property: Property) throws(Mismatch) -> Any? {
        if text == "null", property.takesNull { return nil }
        if property.collection != .none {
            let (mark, shown) = property.collection == .map ? ("{", "{…}") : ("[", "[…]")
            guard text.hasPrefix(mark) else {
                throw Mismatch(message: "\(TypeText.of(property)) is written as JSON, \(shown), not \(quoted(text))")
            }
            return try value(of: try read(text), for: property)
        }
        switch property.type {
        case .string:
            // Quotation marks distinguish text from null.
            if text.hasPrefix("\""), text.count > 1, let node = try? JSONNode.read(text), case .string(let inner) = node
            {
                return inner
            }
            return text
        case .any: return try mixed(text)
        case .object:
            if text.hasPrefix("{") { return try value(of: try read(text), for: property) }
            return try link(.string(text), to: property, isText: true)
        case .int, .float, .double, .bool: return try scalar(.number(text), property, isText: true)
        default: return try scalar(.string(text), property, isText: true)
        }
    }

    private func mixed(_ text: String) throws(Mismatch) -> Any? {
        guard JSONString.isJSON(text) else { return AnyRealmValue.string(text) }
        return try anyValue(try read(text))
    }

    private func read(_ text: String) throws(Mismatch) -> JSONNode {
        do { return try JSONNode.read(text) } catch {
            throw Mismatch(message: "\(quoted(text)) isn't JSON: \((error as? Failure)?.message ?? "\(error)")")
        }
    }

    // MARK: JSON

    /// - Throws: `Mismatch`.
    func value(of node: JSONNode, for property: Property) throws(Mismatch) -> Any? {
        switch property.collection {
        case .none: return try single(node, property)
        case .list, .set:
            if node == .null { return [Any]() }
            guard case .array(let elements) = node else {
                throw Mismatch(message: "an array is expected, not \(node.summary)")
            }
            var values: [Any?] = []
            for element in elements { values.append(try single(element, property)) }
            return values
        case .map:
            if node == .null { return [String: Any]() }
            guard case .object(let members) = node else {
                throw Mismatch(message: "an object is expected, not \(node.summary)")
            }
            var values: [String: Any] = [:]
            for member in members { values[member.key] = try single(member.value, property) ?? NSNull() }
            return values
        }
    }

    private func single(_ node: JSONNode, _ property: Property) throws(Mismatch) -> Any? {
        if property.type == .any { return try anyValue(node) }
        if node == .null {
            guard property.isOptional || property.type == .object else {
                throw Mismatch(message: "null isn't taken, but \(property.type.expectation)")
            }
            return nil
        }
        guard property.type == .object else { return try scalar(node, property, isText: false) }
        guard case .object(let members) = node else { return try link(node, to: property, isText: false) }
        guard let target = property.objectClassName.flatMap({ schema[$0] }) else { return nil }
        var values: [String: Any] = [:]
        for member in members {
            guard let inner = target[member.key], inner.type != .linkingObjects else {
                throw Mismatch(message: "\(target.className) has no property '\(member.key)'")
            }
            do { values[member.key] = try value(of: member.value, for: inner) ?? NSNull() } catch {
                throw Mismatch(message: "\(member.key): \(error.message)")
            }
        }
        return values
    }

    /// Returns the object with a primary key.
    private func link(_ node: JSONNode, to property: Property, isText: Bool) throws(Mismatch) -> Any? {
        guard let target = property.objectClassName.flatMap({ schema[$0] }), let key = target.primaryKeyProperty else {
            throw Mismatch(
                message:
                    "\(property.objectClassName ?? "the class") has no primary key to name an object by; write its "
                    + "object as JSON, {…}, or null"
            )
        }
        let value =
            if isText, case .string(let text) = node, key.type == .int {
                try scalar(.number(text), key, isText: true)
            } else {
                try scalar(node, key, isText: isText)
            }
        guard let object = realm.dynamicObject(ofType: target.className, forPrimaryKey: value) else {
            throw Mismatch(message: "there is no \(target.className) with the primary key \(node.shown)")
        }
        return object
    }

    // MARK: Scalars

    private func scalar(_ node: JSONNode, _ property: Property, isText: Bool) throws(Mismatch) -> Any {
        let type = property.type
        let text: String
        let isNumber: Bool
        switch node {
        case .number(let digits): (text, isNumber) = (digits, true)
        case .string(let string): (text, isNumber) = (string, false)
        case .bool(let flag) where type == .bool: return flag
        default: throw mismatch(node, type)
        }
        let value: Any? =
            switch type {
            case .int where isNumber: Int(text)
            case .bool where isText: ["true": true, "1": true, "false": false, "0": false][text.lowercased()]
            case .float: isNumber || Self.isSpecial(text) ? Float(text).flatMap { Self.checked($0, text) } : nil
            case .double: isNumber || Self.isSpecial(text) ? Double(text).flatMap { Self.checked($0, text) } : nil
            case .string where !isNumber: text
            case .data where !isNumber: Data(base64Encoded: text)
            case .date where !isNumber: Self.date(text)
            case .decimal128: Decimal128(text)
            case .objectId where !isNumber: try? ObjectId(string: text)
            case .UUID where !isNumber: Foundation.UUID(uuidString: text)
            default: nil
            }
        guard let value else { throw mismatch(node, type) }
        return value
    }

    /// Returns nil for infinity, unless the text is infinity.
    private static func checked<F: BinaryFloatingPoint>(_ value: F, _ text: String) -> F? {
        value.isFinite || isSpecial(text) ? value : nil
    }

    private static func isSpecial(_ text: String) -> Bool {
        ["nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"].contains(text.lowercased())
    }

    private static func date(_ text: String) -> Date? {
        guard let moment = DateFormats.isoMoment(text) else { return nil }
        return Date(timeIntervalSince1970: Double(moment.seconds) + Double(moment.nanoseconds) / 1e9)
    }

    private func anyValue(_ node: JSONNode) throws(Mismatch) -> AnyRealmValue {
        switch node {
        case .null: return .none
        case .bool(let flag): return .bool(flag)
        case .string(let text): return .string(text)
        case .number(let text):
            if let whole = Int(text) { return .int(whole) }
            let isWhole = !text.utf8.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }
            if isWhole, let decimal = Decimal128(text) { return .decimal128(decimal) }
            guard let number = Double(text), number.isFinite else {
                throw Mismatch(message: "\(text) is out of the range of numbers")
            }
            return .double(number)
        case .array(let elements):
            var values: [AnyRealmValue] = []
            for element in elements { values.append(try anyValue(element)) }
            return .fromArray(values)
        case .object(let members):
            if let (tag, value) = node.tagged { return try tagged(tag, value) }
            var values: [String: AnyRealmValue] = [:]
            for member in members { values[member.key] = try anyValue(member.value) }
            return .fromDictionary(values)
        }
    }

    /// Returns the value of `{"$date": "…"}` and similar objects.
    private func tagged(_ tag: String, _ node: JSONNode) throws(Mismatch) -> AnyRealmValue {
        let types: [String: PropertyType] = [
            "$date": .date, "$oid": .objectId, "$uuid": .UUID, "$numberDecimal": .decimal128, "$numberFloat": .float,
            "$numberDouble": .double, "$binary": .data,
        ]
        guard let type = types[tag] else { throw Mismatch(message: "\(tag) marks no value that is known here") }
        let inner = tag == "$binary" ? node["base64"] ?? node : node
        switch try scalar(inner, Property("", type), isText: false) {
        case let value as Date: return .date(value)
        case let value as ObjectId: return .objectId(value)
        case let value as Foundation.UUID: return .uuid(value)
        case let value as Decimal128: return .decimal128(value)
        case let value as Float: return .float(value)
        case let value as Double: return .double(value)
        case let value as Data: return .data(value)
        default: throw mismatch(node, type)
        }
    }

    private func mismatch(_ node: JSONNode, _ type: PropertyType) -> Mismatch {
        Mismatch(message: "\(type.expectation) is expected, not \(node.shown)")
    }

    private func quoted(_ text: String) -> String { JSONNode.string(text).shown }
}

extension JSONNode {
    /// The text for messages about a command line, in which text has no quotation marks.
    fileprivate var shown: String {
        switch self {
        case .string(let text), .number(let text): text.isEmpty ? "nothing" : "'\(text.prefix(60))'"
        default: summary
        }
    }
}

extension Property {
    fileprivate var takesNull: Bool { isOptional || type == .any || type == .object || collection != .none }
}

extension PropertyType {
    /// The description of the expected input.
    var expectation: String {
        switch self {
        case .int: "a whole number of 64 bits"
        case .bool: "true or false"
        case .string: "text"
        case .data: "data in base64"
        case .date: "a date of ISO 8601, such as 2024-02-29 or 2024-02-29T12:30:00Z,"
        case .float, .double: "a number"
        case .object, .linkingObjects: "an object"
        case .any: "a value"
        case .objectId: "an object id of 24 hexadecimal digits"
        case .decimal128: "a decimal number"
        case .UUID: "a UUID"
        }
    }
}
