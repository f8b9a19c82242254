#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import FreeholdEngine

// The value as one type, or nil for all other types. Values aren't converted.
extension BSONValue {
    public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    public var documentValue: BSONDocument? { if case .document(let value) = self { value } else { nil } }
    public var arrayValue: [BSONValue]? { if case .array(let value) = self { value } else { nil } }
    public var binaryValue: BSONBinary? { if case .binary(let value) = self { value } else { nil } }
    /// The UUID of a binary value with subtype 4.
    public var uuidValue: UUID? { binaryValue?.uuid }
    public var objectIdValue: ObjectId? { if case .objectId(let value) = self { value } else { nil } }
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    public var datetimeValue: BSONDateTime? { if case .datetime(let value) = self { value } else { nil } }
    public var dateValue: Date? { datetimeValue?.date }
    public var regexValue: BSONRegex? { if case .regex(let value) = self { value } else { nil } }
    public var dbPointerValue: BSONDBPointer? { if case .dbPointer(let value) = self { value } else { nil } }
    public var javaScriptValue: String? { if case .javaScript(let value) = self { value } else { nil } }
    public var symbolValue: String? { if case .symbol(let value) = self { value } else { nil } }
    public var javaScriptWithScopeValue: BSONCodeWithScope? {
        if case .javaScriptWithScope(let value) = self { value } else { nil }
    }
    public var int32Value: Int32? { if case .int32(let value) = self { value } else { nil } }
    public var timestampValue: BSONTimestamp? { if case .timestamp(let value) = self { value } else { nil } }
    public var int64Value: Int64? { if case .int64(let value) = self { value } else { nil } }
    public var decimal128Value: Decimal128? { if case .decimal128(let value) = self { value } else { nil } }

    public var isNull: Bool { if case .null = self { true } else { false } }
    public var isUndefined: Bool { if case .undefined = self { true } else { false } }
    public var isMinKey: Bool { if case .minKey = self { true } else { false } }
    public var isMaxKey: Bool { if case .maxKey = self { true } else { false } }
}

// The value as a number, from any type of number, or nil if it can't be represented exactly.
extension BSONValue {
    public func asInt64() -> Int64? {
        switch self {
        case .int32(let value): Int64(value)
        case .int64(let value): value
        case .double(let value): Int64(exactly: value)
        case .decimal128(let value): value.exactInt64
        default: nil
        }
    }

    public func asInt() -> Int? { asInt64().flatMap { Int(exactly: $0) } }

    public func asInt32() -> Int32? { asInt64().flatMap { Int32(exactly: $0) } }

    /// Returns the nearest double to a decimal, which may be rounded. Integers must be exact.
    public func asDouble() -> Double? {
        switch self {
        case .int32(let value): Double(value)
        case .int64(let value): Double(exactly: value)
        case .double(let value): value
        case .decimal128(let value): value.doubleValue
        default: nil
        }
    }
}

extension BSONValue {
    /// Returns a point in time, rounded to the nearest millisecond. A date beyond 64 bits of milliseconds becomes the
    /// nearest valid one, and NaN becomes 1970.
    public static func date(_ date: Date) -> BSONValue {
        if let exact = BSONDateTime(date) { return .datetime(exact) }
        let seconds = date.timeIntervalSinceReferenceDate
        return .datetime(BSONDateTime(milliseconds: seconds.isNaN ? 0 : seconds < 0 ? .min : .max))
    }

    /// Returns a UUID as a binary value with subtype 4.
    public static func uuid(_ uuid: UUID) -> BSONValue { .binary(BSONBinary(uuid)) }

    /// Returns bytes as a binary value with subtype 0.
    public static func data(_ data: Data) -> BSONValue { .binary(BSONBinary(data)) }
}

extension BSONValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) { self = .string(value) }
}

extension BSONValue: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension BSONValue: ExpressibleByIntegerLiteral {
    /// Creates an `int64`. Write `.int32(1)` for the shorter type.
    public init(integerLiteral value: Int64) { self = .int64(value) }
}

extension BSONValue: ExpressibleByFloatLiteral {
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension BSONValue: ExpressibleByNilLiteral {
    public init(nilLiteral: ()) { self = .null }
}

extension BSONValue: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: BSONValue...) { self = .array(elements) }
}

extension BSONValue: ExpressibleByDictionaryLiteral {
    /// Creates a document, in order. A duplicate key is a programmer error and traps.
    public init(dictionaryLiteral elements: (String, BSONValue)...) {
        var list = ElementList()
        for (key, value) in elements where !list.add(key, value, policy: .refuse) {
            preconditionFailure("Freehold: the key '\(key)' stands twice in the literal of a BSON document")
        }
        self = .document(BSONDocument(elements: list.elements))
    }
}
