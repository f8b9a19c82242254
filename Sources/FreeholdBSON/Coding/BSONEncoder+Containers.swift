/// The position of an element of an array, in a coding path.
struct BSONIndexKey: CodingKey {
    let index: Int

    init(_ index: Int) { self.index = index }
    init?(stringValue: String) { return nil }
    init?(intValue: Int) { index = intValue }

    var stringValue: String { String(index) }
    var intValue: Int? { index }
}

/// The key for the encoding of a superclass without an explicit key.
struct BSONSuperKey: CodingKey {
    init() {}
    init?(stringValue: String) { return nil }
    init?(intValue: Int) { return nil }

    var stringValue: String { "super" }
    var intValue: Int? { nil }
}

struct BSONKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: BSONValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    private func add(_ value: BSONValue, _ key: Key) { encoder.node.add(.value(value), key.stringValue) }

    func encodeNil(forKey key: Key) { add(.null, key) }
    func encode(_ value: Bool, forKey key: Key) { add(.bool(value), key) }
    func encode(_ value: String, forKey key: Key) { add(.string(value), key) }
    func encode(_ value: Double, forKey key: Key) { add(.double(value), key) }
    func encode(_ value: Float, forKey key: Key) { add(.double(Double(value)), key) }
    func encode(_ value: Int, forKey key: Key) { add(.int64(Int64(value)), key) }
    func encode(_ value: Int8, forKey key: Key) { add(.int32(Int32(value)), key) }
    func encode(_ value: Int16, forKey key: Key) { add(.int32(Int32(value)), key) }
    func encode(_ value: Int32, forKey key: Key) { add(.int32(value), key) }
    func encode(_ value: Int64, forKey key: Key) { add(.int64(value), key) }
    func encode(_ value: UInt, forKey key: Key) throws { add(try encoder.integer(value, codingPath + [key]), key) }
    func encode(_ value: UInt8, forKey key: Key) { add(.int32(Int32(value)), key) }
    func encode(_ value: UInt16, forKey key: Key) { add(.int32(Int32(value)), key) }
    func encode(_ value: UInt32, forKey key: Key) { add(.int64(Int64(value)), key) }
    func encode(_ value: UInt64, forKey key: Key) throws { add(try encoder.integer(value, codingPath + [key]), key) }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { add(try encoder.value(value, key), key) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy keyType: Nested.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        part(key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { part(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { part(BSONSuperKey()) }
    func superEncoder(forKey key: Key) -> any Encoder { part(key) }

    /// Returns an encoder for a part whose content is encoded later.
    private func part(_ key: any CodingKey) -> BSONValueEncoder {
        let node = BSONNode()
        encoder.node.add(.node(node), key.stringValue)
        return BSONValueEncoder(node, codingPath + [key], options: encoder.options)
    }
}

struct BSONUnkeyedEncoding: UnkeyedEncodingContainer {
    let encoder: BSONValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.node.count }

    private var key: BSONIndexKey { BSONIndexKey(count) }
    private func add(_ value: BSONValue) { encoder.node.add(.value(value)) }

    func encodeNil() { add(.null) }
    func encode(_ value: Bool) { add(.bool(value)) }
    func encode(_ value: String) { add(.string(value)) }
    func encode(_ value: Double) { add(.double(value)) }
    func encode(_ value: Float) { add(.double(Double(value))) }
    func encode(_ value: Int) { add(.int64(Int64(value))) }
    func encode(_ value: Int8) { add(.int32(Int32(value))) }
    func encode(_ value: Int16) { add(.int32(Int32(value))) }
    func encode(_ value: Int32) { add(.int32(value)) }
    func encode(_ value: Int64) { add(.int64(value)) }
    func encode(_ value: UInt) throws { add(try encoder.integer(value, codingPath + [key])) }
    func encode(_ value: UInt8) { add(.int32(Int32(value))) }
    func encode(_ value: UInt16) { add(.int32(Int32(value))) }
    func encode(_ value: UInt32) { add(.int64(Int64(value))) }
    func encode(_ value: UInt64) throws { add(try encoder.integer(value, codingPath + [key])) }
    func encode<T: Encodable>(_ value: T) throws { add(try encoder.value(value, key)) }

    func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
        part().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { part().unkeyedContainer() }
    func superEncoder() -> any Encoder { part() }

    private func part() -> BSONValueEncoder {
        let path = codingPath + [key]
        let node = BSONNode()
        encoder.node.add(.node(node))
        return BSONValueEncoder(node, path, options: encoder.options)
    }
}
