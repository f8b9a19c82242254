import CFreeholdShims

/// Encodes objects so that synthesised `encode(to:)` works for managed ones.
///
/// Synthesised code encodes copies of the `@Persisted` wrappers, which of a managed object hold nothing but the
/// number of the property. So whoever encodes an object notes it for the thread, and the wrapper looks there. The note
/// says how deep in the coding path the object stands: its properties are one level below, so that an object that
/// was encoded behind the note's back is refused and never mistaken for the noted one.
enum ObjectEncoding {
    private struct Frame {
        let object: Unmanaged<ObjectBase>
        let depth: Int
    }

    static func encode(_ object: any ObjectBase & Encodable, to encoder: any Encoder) throws {
        let outer = fh_encoding()
        defer { fh_set_encoding(outer) }
        guard object._isManaged else {
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

    /// The managed object whose property is being encoded.
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

/// An object to be encoded where its class isn't known to the compiler.
///
/// ```swift
/// class Dog: Object, Codable {
///     @Persisted var name = ""
/// }
/// let json = try JSONEncoder().encode(dog)            // managed or not
/// let reply = makeReply(EncodableObject(dog))         // func makeReply<T: Encodable>(_ body: T)
/// ```
///
/// Coders and containers that are given a model object, an array or a dictionary of them, or a collection of a realm
/// take care of managed objects by themselves. A generic function that only knows that its argument is `Encodable`
/// can't: pass it this. On the realm's thread, as every use of a managed object.
public struct EncodableObject: Encodable {
    private let object: any ObjectBase & Encodable

    public init(_ object: any ObjectBase & Encodable) { self.object = object }

    public func encode(to encoder: any Encoder) throws { try ObjectEncoding.encode(object, to: encoder) }
}

extension Results: Encodable where Element: Encodable {
    /// An array of the objects, as they are now.
    public func encode(to encoder: any Encoder) throws { try ObjectEncoding.encode(elements: self, to: encoder) }
}

extension AnyRealmCollection: Encodable where Element: Encodable {
    /// An array of the elements, as they are now.
    public func encode(to encoder: any Encoder) throws { try ObjectEncoding.encode(elements: self, to: encoder) }
}
