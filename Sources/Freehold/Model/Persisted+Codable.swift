extension Persisted: Decodable where Value: Decodable {
    public init(from decoder: any Decoder) throws {
        // Decoders apply their strategies for dates, data and numbers in containers. An explicit null is nil if the
        // value is optional.
        let value = try decoder.singleValueContainer().decode(Value.self)
        self.init(wrappedValue: value)
    }
}

extension Persisted: Encodable where Value: Encodable {
    /// Encodes the property. The wrapper of a managed property doesn't contain its value, and a synthesised
    /// `encode(to:)` encodes a copy of the wrapper. Therefore the value is read from the object that `ObjectEncoding`
    /// has recorded.
    ///
    /// - Throws: `EncodingError.invalidValue` if the object isn't known. See ``EncodableObject``.
    public func encode(to encoder: any Encoder) throws {
        let current: Value
        if meta & Self.managedBit != 0 {
            let index = Int(truncatingIfNeeded: meta & 0xffff)
            guard let object = ObjectEncoding.object(encoder, hasProperty: Self.self, at: index) else {
                throw EncodingError.invalidValue(
                    self,
                    EncodingError.Context(
                        codingPath: encoder.codingPath,
                        debugDescription:
                            "The object of this property is managed and isn't known here: where its class is hidden "
                            + "behind a generic parameter, encode EncodableObject(object) instead"
                    )
                )
            }
            let property = object._info.properties[index]
            if property.shape.isPartial, !property.isCollection {
                let content = Self.content(of: object, at: property)
                if Value._rlmFromContent(content) == nil { return try EncodedContent(content).encode(to: encoder) }
            }
            current = Value._rlmGet(object, index)
        } else {
            current = Value._rlmUnbox(value) ?? Value._rlmDefaultValue()
        }
        if Value._rlmShape.type == .object, let object = current as? any ObjectBase & Encodable {
            try ObjectEncoding.encode(object, to: encoder)
            return
        }
        var container = encoder.singleValueContainer()
        try container.encode(current)
    }
}

/// A `@Persisted` property of an optional type, whose key may be missing.
public protocol OptionalCodingWrapper {
    associatedtype WrappedType: ExpressibleByNilLiteral
    init(wrappedValue: WrappedType)
}

extension Persisted: OptionalCodingWrapper where Value: ExpressibleByNilLiteral {
    public typealias WrappedType = Value
}

extension KeyedDecodingContainer {
    /// Decodes an optional property. A missing key is nil.
    public func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T where T: OptionalCodingWrapper {
        try decodeIfPresent(T.self, forKey: key) ?? T(wrappedValue: nil)
    }
}
