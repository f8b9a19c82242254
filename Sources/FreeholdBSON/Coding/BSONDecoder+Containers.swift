struct BSONKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let document: BSONDocument
    private let decoder: BSONValueDecoder
    /// The positions of the keys, for a document with many keys only, so that a dictionary is decoded in O(n).
    private var places: [ExactText: Int] = [:]
    var codingPath: [any CodingKey] { decoder.codingPath }

    init(_ document: BSONDocument, _ decoder: BSONValueDecoder) {
        self.document = document
        self.decoder = decoder
        guard document.count > 16 else { return }
        places.reserveCapacity(document.count)
        for (index, element) in document.elements.enumerated().reversed() {
            places[ExactText(text: element.key)] = index
        }
    }

    var allKeys: [Key] { document.elements.compactMap { Key(stringValue: $0.key) } }

    private func find(_ key: any CodingKey) -> BSONValue? {
        let name = key.stringValue
        guard !places.isEmpty else { return document[name] }
        return places[ExactText(text: name)].map { document.elements[$0].value }
    }

    private func part(_ key: any CodingKey) throws -> BSONValueDecoder {
        guard let value = find(key) else {
            let context = DecodingError.Context(codingPath: codingPath, debugDescription: "The key is missing")
            throw DecodingError.keyNotFound(key, context)
        }
        return try decoder.part(value, key)
    }

    func contains(_ key: Key) -> Bool { find(key) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try part(key).decodeNil() }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try part(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try part(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try part(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try part(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try part(key).decode(type) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try part(key).decode(type) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try part(key).decode(type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try part(key).decode(type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try part(key).decode(type) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try part(key).decode(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try part(key).decode(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try part(key).decode(type) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try part(key).decode(type) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try part(key).decode(type) }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try part(key).decode(type) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try part(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try part(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try part(BSONSuperKey()) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try part(key) }
}

struct BSONUnkeyedDecoding: UnkeyedDecodingContainer {
    private let values: [BSONValue]
    private let decoder: BSONValueDecoder
    private(set) var currentIndex = 0
    var codingPath: [any CodingKey] { decoder.codingPath }

    init(_ values: [BSONValue], _ decoder: BSONValueDecoder) {
        self.values = values
        self.decoder = decoder
    }

    var count: Int? { values.count }
    var isAtEnd: Bool { currentIndex == values.count }

    /// Decodes the next element. The position advances only if this succeeds.
    private mutating func next<T>(_ type: Any.Type, _ decode: (BSONValueDecoder) throws -> T) throws -> T {
        let key = BSONIndexKey(currentIndex)
        guard !isAtEnd else {
            let context = DecodingError.Context(
                codingPath: codingPath + [key],
                debugDescription: "The array has \(values.count) elements"
            )
            throw DecodingError.valueNotFound(type, context)
        }
        let result = try decode(decoder.part(values[currentIndex], key))
        currentIndex += 1
        return result
    }

    mutating func decodeNil() throws -> Bool {
        guard isAtEnd || values[currentIndex].isNull || values[currentIndex].isUndefined else { return false }
        return try next(Any?.self) { $0.decodeNil() }
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try next(type) { try $0.decode(type) } }
    mutating func decode(_ type: String.Type) throws -> String { try next(type) { try $0.decode(type) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try next(type) { try $0.decode(type) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try next(type) { try $0.decode(type) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try next(type) { try $0.decode(type) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try next(type) { try $0.decode(type) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try next(type) { try $0.decode(type) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try next(type) { try $0.decode(type) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try next(type) { try $0.decode(type) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try next(type) { try $0.decode(type) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next(type) { try $0.decode(type) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next(type) { try $0.decode(type) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next(type) { try $0.decode(type) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next(type) { try $0.decode(type) } }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next(type) { try $0.decode(type) } }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next(type) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next([BSONValue].self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next(BSONValue.self) { $0 } }
}
