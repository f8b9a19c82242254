public import Foundation

// The compiler prefers these methods to those of the standard library if it knows that a model object is encoded. This
// includes synthesised code.

extension JSONEncoder {
    /// Returns the JSON of a managed or unmanaged object.
    public func encode<T: ObjectBase & Encodable>(_ value: T) throws -> Data { try encode(EncodableObject(value)) }

    public func encode<T: ObjectBase & Encodable>(_ value: T?) throws -> Data {
        try encode(value.map { EncodableObject($0) })
    }

    public func encode<T: ObjectBase & Encodable>(_ values: [T]) throws -> Data {
        try encode(values.map { EncodableObject($0) })
    }

    public func encode<T: ObjectBase & Encodable>(_ values: [String: T]) throws -> Data {
        try encode(values.mapValues { EncodableObject($0) })
    }
}

extension PropertyListEncoder {
    /// Returns the property list of a managed or unmanaged object.
    public func encode<T: ObjectBase & Encodable>(_ value: T) throws -> Data { try encode(EncodableObject(value)) }

    public func encode<T: ObjectBase & Encodable>(_ values: [T]) throws -> Data {
        try encode(values.map { EncodableObject($0) })
    }

    public func encode<T: ObjectBase & Encodable>(_ values: [String: T]) throws -> Data {
        try encode(values.mapValues { EncodableObject($0) })
    }
}

extension KeyedEncodingContainer {
    public mutating func encode<T: ObjectBase & Encodable>(_ value: T, forKey key: Key) throws {
        try encode(EncodableObject(value), forKey: key)
    }

    public mutating func encode<T: ObjectBase & Encodable>(_ value: T?, forKey key: Key) throws {
        try encode(value.map { EncodableObject($0) }, forKey: key)
    }

    public mutating func encode<T: ObjectBase & Encodable>(_ values: [T], forKey key: Key) throws {
        try encode(values.map { EncodableObject($0) }, forKey: key)
    }

    public mutating func encode<T: ObjectBase & Encodable>(_ values: [String: T], forKey key: Key) throws {
        try encode(values.mapValues { EncodableObject($0) }, forKey: key)
    }

    public mutating func encodeIfPresent<T: ObjectBase & Encodable>(_ value: T?, forKey key: Key) throws {
        try encodeIfPresent(value.map { EncodableObject($0) }, forKey: key)
    }

    public mutating func encodeIfPresent<T: ObjectBase & Encodable>(_ values: [T]?, forKey key: Key) throws {
        try encodeIfPresent(values?.map { EncodableObject($0) }, forKey: key)
    }

    public mutating func encodeIfPresent<T: ObjectBase & Encodable>(_ values: [String: T]?, forKey key: Key) throws {
        try encodeIfPresent(values?.mapValues { EncodableObject($0) }, forKey: key)
    }
}

extension UnkeyedEncodingContainer {
    public mutating func encode<T: ObjectBase & Encodable>(_ value: T) throws { try encode(EncodableObject(value)) }

    public mutating func encode<T: ObjectBase & Encodable>(_ values: [T]) throws {
        try encode(values.map { EncodableObject($0) })
    }
}

extension SingleValueEncodingContainer {
    public mutating func encode<T: ObjectBase & Encodable>(_ value: T) throws { try encode(EncodableObject(value)) }

    public mutating func encode<T: ObjectBase & Encodable>(_ values: [T]) throws {
        try encode(values.map { EncodableObject($0) })
    }
}
