/// An encoder of `Encodable` values to documents.
///
/// ```swift
/// struct Person: Codable { var _id: ObjectId; var name: String; var born: Date? }
/// let document = try BSONEncoder().encode(person)
/// ```
///
/// `Int`, `UInt`, integers of 64 bits and `UInt32` become `int64`. Smaller integers become `int32`, and a `Float`
/// becomes a `double`. `Date`, `UUID`, `Data`, `ObjectId`, `Decimal128` and the types of this module become their BSON
/// types. The synthesised code of `Codable` omits an optional that is `nil`. A type that encodes `nil` gets null.
public struct BSONEncoder: Sendable {
    /// The limits. The depth is checked during encoding, so an object that refers to itself is an error. The default
    /// depth is 100, because the code of `Codable` is recursive and uses a large part of a stack of 512 KiB for this
    /// depth.
    public var limits: BSONLimits
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    public init(limits: BSONLimits = BSONLimits(depth: 100)) { self.limits = limits }

    /// Encodes a value as a document.
    ///
    /// - Throws: `EncodingError` for an integer beyond signed 64 bits and for a value that isn't a document; errors of
    ///   the value itself.
    public func encode(_ value: some Encodable) throws -> BSONDocument {
        guard case .document(let document) = try encodeValue(value) else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(codingPath: [], debugDescription: "A document has keys with values")
            )
        }
        return document
    }

    /// Encodes a value as any BSON value, such as an array or a string.
    ///
    /// - Throws: The errors of ``encode(_:)``.
    public func encodeValue(_ value: some Encodable) throws -> BSONValue {
        let node = BSONNode()
        let encoder = BSONValueEncoder(node, [], options: self)
        try encoder.encode(value)
        return node.value
    }
}

/// A place for an encoded value.
final class BSONNode {
    enum Content {
        case nothing
        case value(BSONValue)
        case document([(key: String, node: Slot)])
        case array([Slot])
    }

    /// A value, or a place that is still being filled.
    enum Slot {
        case value(BSONValue)
        case node(BSONNode)

        var value: BSONValue {
            switch self {
            case .value(let value): value
            case .node(let node): node.value
            }
        }
    }

    var content = Content.nothing

    /// The value of the place. It is an empty document if no value was encoded, like with Foundation's encoders. If a
    /// key was encoded twice, the last value is used.
    var value: BSONValue {
        switch content {
        case .nothing: return .document(BSONDocument())
        case .value(let value): return value
        case .document(let slots):
            var list = ElementList()
            for (key, slot) in slots { _ = list.add(key, slot.value, policy: .last) }
            return .document(BSONDocument(elements: list.elements))
        case .array(let slots): return .array(slots.map(\.value))
        }
    }

    func add(_ slot: Slot, _ key: String) {
        guard case .document(var slots) = content else {
            content = .document([(key, slot)])
            return
        }
        content = .nothing
        slots.append((key, slot))
        content = .document(slots)
    }

    func add(_ slot: Slot) {
        guard case .array(var slots) = content else {
            content = .array([slot])
            return
        }
        content = .nothing
        slots.append(slot)
        content = .array(slots)
    }

    var count: Int { if case .array(let slots) = content { slots.count } else { 0 } }
}

/// An encoder of one value to a place.
final class BSONValueEncoder: Encoder {
    let node: BSONNode
    let codingPath: [any CodingKey]
    let options: BSONEncoder
    var userInfo: [CodingUserInfoKey: Any] { options.userInfo }

    init(_ node: BSONNode, _ codingPath: [any CodingKey], options: BSONEncoder) {
        self.node = node
        self.codingPath = codingPath
        self.options = options
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .document = node.content {} else { node.content = .document([]) }
        return KeyedEncodingContainer(BSONKeyedEncoding(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .array = node.content {} else { node.content = .array([]) }
        return BSONUnkeyedEncoding(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// Returns the value of a part, encoded at `key` below this place.
    func value(_ value: some Encodable, _ key: any CodingKey) throws -> BSONValue {
        if let representable = value as? any BSONRepresentable { return representable.bsonValue }
        let inner = BSONNode()
        let encoder = BSONValueEncoder(inner, codingPath + [key], options: options)
        guard encoder.codingPath.count < options.limits.depth else {
            throw BSONError(
                .tooDeep,
                "The value is nested deeper than \(options.limits.depth)",
                path: encoder.codingPath.map(\.stringValue)
            )
        }
        try value.encode(to: encoder)
        return inner.value
    }

    func integer(_ value: some FixedWidthInteger, _ path: [any CodingKey]) throws -> BSONValue {
        guard let number = Int64(exactly: value) else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: path,
                    debugDescription: "\(value) is beyond BSON's integers of 64 bits"
                )
            )
        }
        return .int64(number)
    }
}

extension BSONValueEncoder: SingleValueEncodingContainer {
    func encodeNil() { node.content = .value(.null) }
    func encode(_ value: Bool) { node.content = .value(.bool(value)) }
    func encode(_ value: String) { node.content = .value(.string(value)) }
    func encode(_ value: Double) { node.content = .value(.double(value)) }
    func encode(_ value: Float) { node.content = .value(.double(Double(value))) }
    func encode(_ value: Int) throws { node.content = .value(.int64(Int64(value))) }
    func encode(_ value: Int8) { node.content = .value(.int32(Int32(value))) }
    func encode(_ value: Int16) { node.content = .value(.int32(Int32(value))) }
    func encode(_ value: Int32) { node.content = .value(.int32(value)) }
    func encode(_ value: Int64) { node.content = .value(.int64(value)) }
    func encode(_ value: UInt) throws { node.content = .value(try integer(value, codingPath)) }
    func encode(_ value: UInt8) { node.content = .value(.int32(Int32(value))) }
    func encode(_ value: UInt16) { node.content = .value(.int32(Int32(value))) }
    func encode(_ value: UInt32) { node.content = .value(.int64(Int64(value))) }
    func encode(_ value: UInt64) throws { node.content = .value(try integer(value, codingPath)) }

    func encode<T: Encodable>(_ value: T) throws {
        if let representable = value as? any BSONRepresentable {
            node.content = .value(representable.bsonValue)
        } else {
            try value.encode(to: self)
        }
    }
}
