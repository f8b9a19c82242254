extension Persisted: Decodable where Value: Decodable {
    public init(from decoder: any Decoder) throws {
        // An explicit null is nil where the value can be.
        let value = try decoder.decodeOptional(Value.self)
        self.init(wrappedValue: value)
    }
}

extension Persisted: Encodable where Value: Encodable {
    /// Of unmanaged objects only: the wrapper of a managed property doesn't hold its value.
    ///
    /// - Throws: `EncodingError.invalidValue` for a managed object, whose class must write its own `encode(to:)`.
    public func encode(to encoder: any Encoder) throws {
        if meta & Self.managedBit != 0 {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription:
                        "A property of a managed object can't be encoded by itself: write encode(to:) for the class"
                )
            )
        }
        try (Value._rlmUnbox(value) ?? Value._rlmDefaultValue()).encode(to: encoder)
    }
}

extension Decoder {
    fileprivate func decodeOptional<T: Decodable>(_ type: T.Type) throws -> T {
        if let optional = type as? any (OptionalProtocol & Decodable).Type {
            let container = try singleValueContainer()
            return container.decodeNil() ? try T.nilValue(optional) : try T(from: self)
        }
        return try T(from: self)
    }
}

extension Decodable {
    /// Nil, as the optional type that this is.
    fileprivate static func nilValue<O: OptionalProtocol>(_ optional: O.Type) throws -> Self {
        O(nilLiteral: ()) as! Self
    }
}

/// A `@Persisted` property of an optional type: its key may be missing.
public protocol OptionalCodingWrapper {
    associatedtype WrappedType: ExpressibleByNilLiteral
    init(wrappedValue: @autoclosure () -> WrappedType)
}

extension Persisted: OptionalCodingWrapper where Value: ExpressibleByNilLiteral {
    public typealias WrappedType = Value
}

extension KeyedDecodingContainer {
    /// A missing key is nil.
    public func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T where T: OptionalCodingWrapper {
        try decodeIfPresent(T.self, forKey: key) ?? T(wrappedValue: nil)
    }
}
