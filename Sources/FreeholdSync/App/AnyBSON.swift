public import Foundation
public import FreeholdBSON
public import FreeholdEngine

/// The fields of custom data, of a profile, or of a function's payload.
public typealias Document = [String: AnyBSON?]

/// A value of a document, with the cases of RealmSwift. `FreeholdBSON` supports all types of BSON, and reads and writes
/// bytes.
@frozen
public indirect enum AnyBSON: Hashable, Sendable {
    case double(Double)
    case string(String)
    case document(Document)
    case array([AnyBSON?])
    case binary(Data)
    case objectId(ObjectId)
    case bool(Bool)
    case datetime(Date)
    case regex(BSONRegex)
    case int32(Int32)
    case timestamp(Date)
    case int64(Int64)
    case decimal128(Decimal128)
    case uuid(UUID)
    case minKey
    case maxKey
    case null
}

extension AnyBSON {
    public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    public var documentValue: Document? { if case .document(let value) = self { value } else { nil } }
    public var arrayValue: [AnyBSON?]? { if case .array(let value) = self { value } else { nil } }
    public var binaryValue: Data? { if case .binary(let value) = self { value } else { nil } }
    public var objectIdValue: ObjectId? { if case .objectId(let value) = self { value } else { nil } }
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    public var dateValue: Date? { if case .datetime(let value) = self { value } else { nil } }
    public var regexValue: BSONRegex? { if case .regex(let value) = self { value } else { nil } }
    public var int32Value: Int32? { if case .int32(let value) = self { value } else { nil } }
    public var timestampValue: Date? { if case .timestamp(let value) = self { value } else { nil } }
    public var int64Value: Int64? { if case .int64(let value) = self { value } else { nil } }
    public var decimal128Value: Decimal128? { if case .decimal128(let value) = self { value } else { nil } }
    public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }
    public var isNull: Bool { self == .null }

    /// Returns a number of any numeric type as an `Int`. Returns `nil` if the value isn't a number, has a fraction or
    /// doesn't fit.
    public func asInt() -> Int? {
        switch self {
        case .int32(let value): Int(value)
        case .int64(let value): Int(exactly: value)
        case .double(let value): Int(exactly: value)
        default: nil
        }
    }

    /// Returns a number of any numeric type as a `Double`. Returns `nil` if the value isn't a number.
    public func asDouble() -> Double? {
        switch self {
        case .int32(let value): Double(value)
        case .int64(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}

extension AnyBSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .int64(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(nilLiteral: ()) { self = .null }
    public init(arrayLiteral elements: AnyBSON?...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, AnyBSON?)...) {
        self = .document(Dictionary(elements) { _, last in last })
    }
}

// MARK: BSON

extension AnyBSON {
    /// Creates a value of RealmSwift's types. Returns `nil` for BSON types that RealmSwift doesn't have: code, symbols,
    /// pointers, undefined.
    public init?(_ value: BSONValue) {
        switch value {
        case .double(let value): self = .double(value)
        case .string(let value): self = .string(value)
        case .document(let value): self = .document(Document(value))
        case .array(let values): self = .array(values.map { AnyBSON($0) })
        case .binary(let value): self = value.uuid.map { .uuid($0) } ?? .binary(value.data)
        case .objectId(let value): self = .objectId(value)
        case .bool(let value): self = .bool(value)
        case .datetime(let value): self = .datetime(value.date)
        case .regex(let value): self = .regex(value)
        case .int32(let value): self = .int32(value)
        case .timestamp(let value): self = .timestamp(Date(timeIntervalSince1970: Double(value.seconds)))
        case .int64(let value): self = .int64(value)
        case .decimal128(let value): self = .decimal128(value)
        case .minKey: self = .minKey
        case .maxKey: self = .maxKey
        case .null: self = .null
        default: return nil
        }
    }

    /// The value as BSON. The time of a timestamp is rounded to whole seconds and limited to 32 bits.
    public var bson: BSONValue {
        switch self {
        case .double(let value): return .double(value)
        case .string(let value): return .string(value)
        case .document(let value): return .document(value.bson)
        case .array(let values): return .array(values.map { $0?.bson ?? .null })
        case .binary(let value): return .data(value)
        case .objectId(let value): return .objectId(value)
        case .bool(let value): return .bool(value)
        case .datetime(let value): return .date(value)
        case .regex(let value): return .regex(value)
        case .int32(let value): return .int32(value)
        case .timestamp(let value):
            let seconds = UInt32(exactly: value.timeIntervalSince1970.rounded(.down)) ?? 0
            return .timestamp(BSONTimestamp(seconds: seconds, increment: 0))
        case .int64(let value): return .int64(value)
        case .decimal128(let value): return .decimal128(value)
        case .uuid(let value): return .uuid(value)
        case .minKey: return .minKey
        case .maxKey: return .maxKey
        case .null: return .null
        }
    }
}

extension [String: AnyBSON?] {
    public init(_ document: BSONDocument) {
        self.init(document.map { ($0.key, AnyBSON($0.value)) }) { _, last in last }
    }

    public var bson: BSONDocument {
        BSONDocument(sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value?.bson ?? .null) })
    }
}
