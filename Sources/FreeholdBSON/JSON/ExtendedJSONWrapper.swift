import FreeholdEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An object with a key that begins with a dollar sign. It is a value of another type, or a document.
struct ExtendedJSONWrapper {
    private let elements: [BSONDocument.Element]
    /// A Boolean value that indicates whether a value was itself read from a wrapper. Such a number isn't a JSON
    /// number.
    private let hasWrapped: Bool
    private let hasWrappedInside: Bool
    private let acceptsLegacy: Bool

    init(_ container: JSONContainer, acceptsLegacy: Bool) {
        elements = container.list.elements
        hasWrapped = container.hasWrapped
        hasWrappedInside = container.hasWrappedInside
        self.acceptsLegacy = acceptsLegacy
    }

    /// Returns the value, or nil if no key belongs to a type. Throws if a key belongs to a type, but the object doesn't
    /// have its form.
    func value() throws(BSONError) -> BSONValue? {
        for (key, value) in elements {
            switch key {
            case "$oid": return .objectId(try objectId(only(key, value)))
            case "$symbol": return .symbol(try string(only(key, value), key))
            case "$numberInt": return .int32(try integer(only(key, value), of: key, as: Int32.self))
            case "$numberLong": return .int64(try integer(only(key, value), of: key, as: Int64.self))
            case "$numberDouble": return .double(try double(only(key, value)))
            case "$numberDecimal":
                return .decimal128(try Decimal128(exact: string(only(key, value), key)))
            case "$binary": return .binary(try binary(value))
            case "$uuid": return .binary(BSONBinary(try uuid(string(only(key, value), key))))
            case "$code", "$scope": return try code()
            case "$timestamp": return .timestamp(try timestamp(only(key, value)))
            case "$regularExpression": return .regex(try regex(only(key, value)))
            case "$dbPointer": return .dbPointer(try dbPointer(only(key, value)))
            case "$date": return .datetime(try date(only(key, value)))
            case "$minKey":
                try one(only(key, value), key)
                return .minKey
            case "$maxKey":
                try one(only(key, value), key)
                return .maxKey
            case "$undefined":
                guard try only(key, value).boolValue == true else { throw wrong(key, wanted: "true") }
                return .undefined
            case "$regex" where acceptsLegacy: return legacyRegex()
            default: continue
            }
        }
        return nil
    }

    /// Returns the value of an object with one key.
    private func only(_ key: String, _ value: BSONValue) throws(BSONError) -> BSONValue {
        guard elements.count == 1 else {
            let other = elements.first { $0.key != key }?.key ?? key
            throw BSONError(.invalidWrapper, "An object with \(key) can't have another key: '\(other.prefix(40))'")
        }
        return value
    }

    private func wrong(_ key: String, wanted: String) -> BSONError {
        BSONError(.invalidWrapper, "The value of \(key) has to be \(wanted)")
    }

    /// Returns the values of exactly these keys, in any order.
    private func fields(_ value: BSONValue, of key: String, named first: String, and second: String) throws(BSONError)
        -> (BSONValue, BSONValue)
    {
        guard let document = value.documentValue, document.count == 2, let a = document[first], let b = document[second]
        else { throw wrong(key, wanted: "an object with '\(first)' and '\(second)'") }
        return (a, b)
    }

    private func string(_ value: BSONValue, _ key: String) throws(BSONError) -> String {
        guard let text = value.stringValue else { throw wrong(key, wanted: "a string") }
        return text
    }

    private func objectId(_ value: BSONValue) throws(BSONError) -> ObjectId {
        let text = try string(value, "$oid")
        guard let id = ObjectId(text) else { throw wrong("$oid", wanted: "24 hexadecimal digits") }
        return id
    }

    private func one(_ value: BSONValue, _ key: String) throws(BSONError) {
        guard value.int32Value == 1 && !hasWrapped else { throw wrong(key, wanted: "1") }
    }

    private func integer<T: FixedWidthInteger>(_ value: BSONValue, of key: String, as type: T.Type) throws(BSONError)
        -> T
    {
        let text = try string(value, key)
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard !digits.isEmpty, digits.allSatisfy({ $0 &- UInt8(ascii: "0") <= 9 }) else {
            throw wrong(key, wanted: "an integer as a string")
        }
        guard let number = T(text) else {
            throw BSONError(.numberOutOfRange, "The number of \(key) is out of range")
        }
        return number
    }

    private func double(_ value: BSONValue) throws(BSONError) -> Double {
        let text = try string(value, "$numberDouble")
        switch text {
        case "Infinity": return .infinity
        case "-Infinity": return -.infinity
        case "NaN": return .nan
        default:
            // Hexadecimal digits and names of infinities are valid in Swift, but not in BSON.
            let isDecimal = text.utf8.allSatisfy { byte in
                byte &- UInt8(ascii: "0") <= 9 || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(byte)
            }
            guard isDecimal, let number = Double(text) else {
                throw wrong("$numberDouble", wanted: "a number as a string")
            }
            guard number.isFinite else {
                throw BSONError(.numberOutOfRange, "The number is beyond what a double can hold")
            }
            return number
        }
    }
}

// MARK: - Types of several fields

extension ExtendedJSONWrapper {
    private func binary(_ value: BSONValue) throws(BSONError) -> BSONBinary {
        if acceptsLegacy, let text = value.stringValue, elements.count == 2,
            let type = elements.first(where: { $0.key == "$type" })?.value
        {
            return try binary(text, subtype: legacySubtype(type))
        }
        let (base64, subtype) = try fields(only("$binary", value), of: "$binary", named: "base64", and: "subType")
        return try binary(string(base64, "base64"), subtype: string(subtype, "subType"))
    }

    private func legacySubtype(_ type: BSONValue) throws(BSONError) -> String {
        if let number = type.int32Value, 0...255 ~= number { return String(number, radix: 16) }
        return try string(type, "$type")
    }

    private func binary(_ base64: String, subtype: String) throws(BSONError) -> BSONBinary {
        guard 1...2 ~= subtype.utf8.count, subtype.utf8.first != UInt8(ascii: "+"),
            let number = UInt8(subtype, radix: 16)
        else { throw wrong("subType", wanted: "one or two hexadecimal digits") }
        guard let bytes = Base64.decode(base64) else { throw wrong("base64", wanted: "base 64 with padding") }
        return BSONBinary(bytes: bytes, subtype: BSONBinary.Subtype(rawValue: number))
    }

    private func uuid(_ text: String) throws(BSONError) -> UUID {
        guard text.utf8.count == 36, let uuid = UUID(uuidString: text) else {
            throw wrong("$uuid", wanted: "a UUID with its hyphens")
        }
        return uuid
    }

    private func code() throws(BSONError) -> BSONValue {
        guard let code = elements.first(where: { $0.key == "$code" })?.value else {
            throw BSONError(.invalidWrapper, "An object with $scope needs $code")
        }
        let text = try string(code, "$code")
        guard elements.count > 1 else { return .javaScript(text) }
        guard elements.count == 2, let scope = elements.first(where: { $0.key == "$scope" })?.value else {
            throw BSONError(.invalidWrapper, "An object with $code can have $scope and no other key")
        }
        guard let document = scope.documentValue else { throw wrong("$scope", wanted: "an object") }
        return .javaScriptWithScope(BSONCodeWithScope(code: text, scope: document))
    }

    private func timestamp(_ value: BSONValue) throws(BSONError) -> BSONTimestamp {
        let (seconds, increment) = try fields(value, of: "$timestamp", named: "t", and: "i")
        guard !hasWrappedInside, let t = unsigned(seconds), let i = unsigned(increment) else {
            throw wrong("$timestamp", wanted: "an object with integers from 0 to 4294967295")
        }
        return BSONTimestamp(seconds: t, increment: i)
    }

    private func unsigned(_ value: BSONValue) -> UInt32? {
        switch value {
        case .int32(let number): UInt32(exactly: number)
        case .int64(let number): UInt32(exactly: number)
        default: nil
        }
    }

    private func regex(_ value: BSONValue) throws(BSONError) -> BSONRegex {
        let (pattern, options) = try fields(value, of: "$regularExpression", named: "pattern", and: "options")
        let regex = BSONRegex(pattern: try string(pattern, "pattern"), options: try string(options, "options"))
        guard !regex.pattern.utf8.contains(0) && !regex.options.utf8.contains(0) else {
            throw BSONError(.embeddedNull, "A regular expression can't have a NUL in it")
        }
        return regex
    }

    /// Returns nil for a query, which is an object with other keys, or with a pattern that isn't text.
    private func legacyRegex() -> BSONValue? {
        guard elements.count <= 2, elements.allSatisfy({ $0.key == "$regex" || $0.key == "$options" }),
            let pattern = elements.first(where: { $0.key == "$regex" })?.value.stringValue, !pattern.utf8.contains(0)
        else { return nil }
        guard elements.count == 2 else { return .regex(BSONRegex(pattern: pattern)) }
        guard let options = elements.first(where: { $0.key == "$options" })?.value.stringValue,
            !options.utf8.contains(0)
        else { return nil }
        return .regex(BSONRegex(pattern: pattern, options: options))
    }

    private func dbPointer(_ value: BSONValue) throws(BSONError) -> BSONDBPointer {
        let (reference, id) = try fields(value, of: "$dbPointer", named: "$ref", and: "$id")
        guard let objectId = id.objectIdValue else { throw wrong("$id", wanted: "an $oid") }
        return BSONDBPointer(reference: try string(reference, "$ref"), id: objectId)
    }

    private func date(_ value: BSONValue) throws(BSONError) -> BSONDateTime {
        switch value {
        case .string(let text):
            guard let milliseconds = DateText.parse(text) else {
                throw wrong("$date", wanted: "a date and time as in RFC 3339, no finer than a millisecond")
            }
            return BSONDateTime(milliseconds: milliseconds)
        case .int64(let number) where hasWrapped || acceptsLegacy:
            return BSONDateTime(milliseconds: number)
        case .int32(let number) where acceptsLegacy && !hasWrapped:
            return BSONDateTime(milliseconds: Int64(number))
        default:
            throw wrong("$date", wanted: "a $numberLong or an ISO date")
        }
    }
}
