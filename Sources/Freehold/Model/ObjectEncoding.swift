import CFreeholdShims

/// The encoding of objects, which makes synthesised `encode(to:)` work for managed objects.
///
/// Synthesised code encodes copies of the `@Persisted` wrappers. For a managed object, they contain only the index of
/// the property. Therefore the code that encodes an object records it for the thread, and the wrapper uses the record.
/// The record contains the depth of the object in the coding path, and its properties are one level below. An object
/// that was encoded without a record is refused, and isn't mistaken for the recorded object.
enum ObjectEncoding {
    private struct Frame {
        let object: Unmanaged<ObjectBase>
        let depth: Int
    }

    static func encode(_ object: any ObjectBase & Encodable, to encoder: any Encoder) throws {
        let outer = fh_encoding()
        defer { fh_set_encoding(outer) }
        guard object._isManaged || object._keepsContents else {
            fh_set_encoding(nil)
            return try object.encode(to: encoder)
        }
        var frame = Frame(object: Unmanaged.passUnretained(object), depth: encoder.codingPath.count)
        try withUnsafeMutablePointer(to: &frame) { frame in
            fh_set_encoding(frame)
            try object.encode(to: encoder)
        }
        withExtendedLifetime(object) {}
    }

    /// Returns the managed object, or the copy that keeps contents, whose property is being encoded.
    static func object(
        _ encoder: any Encoder,
        hasProperty access: any PersistedAccess.Type,
        at index: Int
    ) -> ObjectBase? {
        guard let frame = fh_encoding()?.assumingMemoryBound(to: Frame.self).pointee else { return nil }
        let object = frame.object.takeUnretainedValue()
        let properties = object._info.properties
        guard encoder.codingPath.count == frame.depth + 1, properties.indices.contains(index),
            properties[index].access == access
        else { return nil }
        return object
    }

    // MARK: Collections

    static func encode<C: RealmCollection>(elements: C, to encoder: any Encoder) throws where C.Element: Encodable {
        var container = encoder.unkeyedContainer()
        if let contents = elements.partialContents {
            for content in contents {
                if let element = C.Element._rlmFromContent(content) {
                    try container.encode(element)
                } else {
                    try container.encode(EncodedContent(content))
                }
            }
            return
        }
        for element in elements {
            if let object = element as? any ObjectBase & Encodable {
                try container.encode(EncodableObject(object))
            } else {
                try container.encode(element)
            }
        }
    }

    static func encode<Key: CodingKey, Value: Encodable>(
        _ value: Value,
        into container: inout KeyedEncodingContainer<Key>,
        forKey key: Key
    ) throws {
        if let object = value as? any ObjectBase & Encodable {
            try container.encode(EncodableObject(object), forKey: key)
        } else {
            try container.encode(value, forKey: key)
        }
    }
}

/// A wrapper for an object that is encoded by code that doesn't know its class.
///
/// ```swift
/// class Dog: Object, Codable {
///     @Persisted var name = ""
/// }
/// let json = try JSONEncoder().encode(dog)            // managed or not
/// let reply = makeReply(EncodableObject(dog))         // func makeReply<T: Encodable>(_ body: T)
/// ```
///
/// Coders and containers handle managed objects if they receive a model object, an array or a dictionary of them, or a
/// collection of a realm. A generic function that knows only that its argument is `Encodable` needs this wrapper. Use
/// it on the realm's thread, like the managed object itself.
public struct EncodableObject: Encodable {
    private let object: any ObjectBase & Encodable

    public init(_ object: any ObjectBase & Encodable) { self.object = object }

    public func encode(to encoder: any Encoder) throws { try ObjectEncoding.encode(object, to: encoder) }
}

extension Results: Encodable where Element: Encodable {
    /// Encodes the present objects as an array.
    public func encode(to encoder: any Encoder) throws { try ObjectEncoding.encode(elements: self, to: encoder) }
}

extension AnyRealmCollection: Encodable where Element: Encodable {
    /// Encodes the present elements as an array.
    public func encode(to encoder: any Encoder) throws { try ObjectEncoding.encode(elements: self, to: encoder) }
}
