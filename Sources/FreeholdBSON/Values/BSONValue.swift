public import FreeholdEngine

/// A value of any BSON type.
///
/// ```swift
/// let person: BSONDocument = ["_id": .objectId(.generate()), "name": "Ada", "born": .date(birthday)]
/// let bytes = try person.bytes()
/// let same = try BSONDocument(bytes: bytes)
/// ```
///
/// Two values are equal if they have the same type and the same bytes: `int32(1)` differs from `int64(1)`, `-0.0` from
/// `0.0`, and the decimal `1.0` from `1.00`. A NaN equals a NaN with the same bits. Text is compared by its UTF-8, so
/// composed and decomposed letters differ. To compare by meaning, use ``asDouble()``, ``asInt64()`` and Swift's own
/// types.
///
/// All threads may use a value.
public enum BSONValue: Sendable {
    case double(Double)
    /// A text, which may contain NUL.
    case string(String)
    case document(BSONDocument)
    case array([BSONValue])
    case binary(BSONBinary)
    /// Deprecated by BSON, but kept unchanged.
    case undefined
    case objectId(ObjectId)
    case bool(Bool)
    case datetime(BSONDateTime)
    case null
    indirect case regex(BSONRegex)
    /// Deprecated by BSON, but kept unchanged.
    indirect case dbPointer(BSONDBPointer)
    case javaScript(String)
    /// Deprecated by BSON, but kept unchanged.
    case symbol(String)
    /// Deprecated by BSON, but kept unchanged.
    indirect case javaScriptWithScope(BSONCodeWithScope)
    case int32(Int32)
    case timestamp(BSONTimestamp)
    case int64(Int64)
    /// A decimal. All 128 bits are kept, also those of NaNs and of non-canonical forms of IEEE 754.
    case decimal128(Decimal128)
    case minKey
    case maxKey
}

extension BSONValue {
    /// The name of the type in MongoDB's `$type`.
    public var typeName: String {
        switch self {
        case .double: "double"
        case .string: "string"
        case .document: "object"
        case .array: "array"
        case .binary: "binData"
        case .undefined: "undefined"
        case .objectId: "objectId"
        case .bool: "bool"
        case .datetime: "date"
        case .null: "null"
        case .regex: "regex"
        case .dbPointer: "dbPointer"
        case .javaScript: "javascript"
        case .symbol: "symbol"
        case .javaScriptWithScope: "javascriptWithScope"
        case .int32: "int"
        case .timestamp: "timestamp"
        case .int64: "long"
        case .decimal128: "decimal"
        case .minKey: "minKey"
        case .maxKey: "maxKey"
        }
    }

    /// The byte of the type before an element.
    var typeByte: UInt8 {
        switch self {
        case .double: 0x01
        case .string: 0x02
        case .document: 0x03
        case .array: 0x04
        case .binary: 0x05
        case .undefined: 0x06
        case .objectId: 0x07
        case .bool: 0x08
        case .datetime: 0x09
        case .null: 0x0A
        case .regex: 0x0B
        case .dbPointer: 0x0C
        case .javaScript: 0x0D
        case .symbol: 0x0E
        case .javaScriptWithScope: 0x0F
        case .int32: 0x10
        case .timestamp: 0x11
        case .int64: 0x12
        case .decimal128: 0x13
        case .minKey: 0xFF
        case .maxKey: 0x7F
        }
    }
}

extension BSONValue: CustomStringConvertible {
    /// The value in relaxed Extended JSON, or the text of the error if it is nested too deeply.
    public var description: String {
        do { return try extendedJSON() } catch { return "\(error)" }
    }
}
