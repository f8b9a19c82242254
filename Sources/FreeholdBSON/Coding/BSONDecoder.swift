#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A decoder of `Decodable` values from documents.
///
/// ```swift
/// let person = try BSONDecoder().decode(Person.self, from: document)
/// ```
///
/// Integers and `Double` are decoded from `int32`, `int64` and `double` if they can represent the number exactly.
/// `Float` is rounded to the nearest value. Null and undefined are `nil` for an optional. `Data` accepts subtypes 0 and
/// 2, and `UUID` subtype 4.
public struct BSONDecoder: Sendable {
    /// The limits. The default depth is 100, like that of ``BSONEncoder/limits``.
    public var limits: BSONLimits
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    public init(limits: BSONLimits = BSONLimits(depth: 100)) { self.limits = limits }

    /// Decodes a value from a document.
    ///
    /// - Throws: `DecodingError` with the path; errors of the type itself.
    public func decode<T: Decodable>(_ type: T.Type = T.self, from document: BSONDocument) throws -> T {
        try decode(type, from: BSONValue.document(document))
    }

    /// Decodes a value from a BSON value.
    ///
    /// - Throws: `DecodingError` with the path; errors of the type itself.
    public func decode<T: Decodable>(_ type: T.Type = T.self, from value: BSONValue) throws -> T {
        try BSONValueDecoder(value, [], options: self).decode(type)
    }

    /// Decodes a value from the bytes of a document.
    ///
    /// - Throws: `BSONError` for invalid bytes; `DecodingError` with the path.
    public func decode<T: Decodable>(_ type: T.Type = T.self, from bytes: [UInt8]) throws -> T {
        try decode(type, from: BSONDocument(bytes: bytes, limits: limits))
    }

    /// Decodes a value from the data of a document.
    ///
    /// - Throws: `BSONError` for invalid bytes; `DecodingError` with the path.
    public func decode<T: Decodable>(_ type: T.Type = T.self, from data: Data) throws -> T {
        try decode(type, from: BSONDocument(data: data, limits: limits))
    }
}

/// A decoder of one value.
struct BSONValueDecoder: Decoder {
    let value: BSONValue
    let codingPath: [any CodingKey]
    let options: BSONDecoder
    var userInfo: [CodingUserInfoKey: Any] { options.userInfo }

    init(_ value: BSONValue, _ codingPath: [any CodingKey], options: BSONDecoder) {
        self.value = value
        self.codingPath = codingPath
        self.options = options
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .document(let document) = value else {
            throw mismatch([String: BSONValue].self, found: value, at: codingPath)
        }
        return KeyedDecodingContainer(BSONKeyedDecoding(document, self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let values) = value else { throw mismatch([BSONValue].self, found: value, at: codingPath) }
        return BSONUnkeyedDecoding(values, self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    /// Returns the decoder of a part of this value.
    func part(_ value: BSONValue, _ key: any CodingKey) throws -> BSONValueDecoder {
        let decoder = BSONValueDecoder(value, codingPath + [key], options: options)
        guard decoder.codingPath.count <= options.limits.depth else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "The value is nested deeper than \(options.limits.depth)"
                )
            )
        }
        return decoder
    }

    func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
        let exact: T?
        switch value {
        case .int32(let number): exact = T(exactly: number)
        case .int64(let number): exact = T(exactly: number)
        case .double(let number): exact = T(exactly: number)
        default: throw mismatch(type, found: value, at: codingPath)
        }
        guard let exact else { throw doesNotFit(type) }
        return exact
    }

    private func doesNotFit(_ type: Any.Type) -> DecodingError {
        DecodingError.dataCorrupted(
            DecodingError.Context(codingPath: codingPath, debugDescription: "\(value) doesn't fit into \(type)")
        )
    }
}

extension BSONValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value.isNull || value.isUndefined }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .bool(let flag) = value else { throw mismatch(type, found: value, at: codingPath) }
        return flag
    }

    /// Returns the text of a string, a symbol or JavaScript.
    func decode(_ type: String.Type) throws -> String {
        switch value {
        case .string(let text), .symbol(let text), .javaScript(let text): return text
        default: throw mismatch(type, found: value, at: codingPath)
        }
    }

    func decode(_ type: Double.Type) throws -> Double {
        switch value {
        case .double(let number): return number
        case .int32(let number): return Double(number)
        case .int64(let number):
            guard let exact = Double(exactly: number) else { throw doesNotFit(type) }
            return exact
        default: throw mismatch(type, found: value, at: codingPath)
        }
    }

    func decode(_ type: Float.Type) throws -> Float {
        let number = try decode(Double.self)
        let nearest = Float(number)
        guard nearest.isFinite || !number.isFinite else { throw doesNotFit(type) }
        return nearest
    }

    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        guard let representable = type as? any BSONRepresentable.Type else { return try T(from: self) }
        guard let result = representable.init(bsonValue: value) as? T else {
            throw mismatch(type, found: value, at: codingPath)
        }
        return result
    }
}

/// Returns the error for a value of another type. For null, it states that the value is missing.
func mismatch(_ type: Any.Type, found value: BSONValue, at path: [any CodingKey]) -> DecodingError {
    let context = DecodingError.Context(
        codingPath: path,
        debugDescription: "Here is the BSON type \(value.typeName), which doesn't match \(type)"
    )
    return value.isNull || value.isUndefined ? .valueNotFound(type, context) : .typeMismatch(type, context)
}
