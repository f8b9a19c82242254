import Foundation
import FreeholdEngine

/// A position in the decoded data: the node and the path to it.
struct SnapshotField {
    let node: SnapshotNode
    private let parent: SnapshotDecoder?
    private let key: (any CodingKey)?

    init(
        _ node: SnapshotNode,
        of parent: SnapshotDecoder? = nil,
        _ key: (any CodingKey)? = nil
    ) {
        self.node = node
        self.parent = parent
        self.key = key
    }

    var codingPath: [any CodingKey] {
        guard let parent, let key else { return [] }
        return parent.codingPath + [key]
    }

    func mismatch(_ type: Any.Type, _ wanted: String) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath,
            debugDescription: "\(node.kind) was found where \(wanted) is wanted."
        )
        return node.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if case .value(let value) = node {
            if T.self == String.self, case .string(let value) = value { return value as! T }
            if let value = try special(value, type) { return value }
        }
        // Enums and custom types are converted like the property does it.
        if let persistable = T.self as? any _Persistable.Type, let content = node.content,
            let value = persistable.converted(content) as? T
        {
            return value
        }
        return try T(from: SnapshotDecoder(self))
    }

    /// Returns a value of a type whose own `Decodable` implementation doesn't match its stored form.
    private func special<T>(_ value: Value, _ type: T.Type) throws -> T? {
        if T.self == Date.self || T.self == Data.self || T.self == UUID.self || T.self == ObjectId.self
            || T.self == Decimal128.self
        {
            if let value = value.plainValue as? T { return value }
            throw mismatch(type, "a \(type)")
        }
        if T.self == URL.self, case .string(let text) = value {
            if let url = URL(string: text) { return (url as! T) }
            throw corrupted("\"\(text)\" isn't a URL.")
        }
        if T.self == Decimal.self {
            switch value {
            case .decimal128(let value):
                if let value = Decimal(string: "\(value)") { return (value as! T) }
                throw corrupted("\(value) isn't a Decimal.")
            case .int(let value): return (Decimal(value) as! T)
            default: throw mismatch(type, "a decimal number")
            }
        }
        return nil
    }

    private func corrupted(_ text: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: codingPath, debugDescription: text))
    }

    func bool() throws -> Bool {
        guard case .value(.bool(let value)) = node else { throw mismatch(Bool.self, "a Bool") }
        return value
    }

    func string() throws -> String {
        guard case .value(.string(let value)) = node else { throw mismatch(String.self, "a String") }
        return value
    }

    func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
        guard case .value(.int(let value)) = node else { throw mismatch(type, "a whole number") }
        guard let fitting = T(exactly: value) else { throw corrupted("\(value) doesn't fit into \(type).") }
        return fitting
    }

    func double() throws -> Double {
        switch node {
        case .value(.double(let value)): return value
        case .value(.float(let value)): return Double(value)
        case .value(.int(let value)):
            guard let exact = Double(exactly: value) else { throw corrupted("\(value) isn't an exact Double.") }
            return exact
        default: throw mismatch(Double.self, "a number")
        }
    }

    func float() throws -> Float {
        if case .value(.float(let value)) = node { return value }
        let wide = try double()
        guard let value = Float(exactly: wide) else {
            if wide.isNaN { return .nan }
            throw corrupted("\(wide) isn't an exact Float.")
        }
        return value
    }
}

extension _Persistable {
    fileprivate static func converted(_ content: _StoredContent) -> Any? { _rlmFromContent(content) }
}

/// A decoder that reads values from objects on demand. Values that the type doesn't request aren't read.
final class SnapshotDecoder: Decoder {
    let field: SnapshotField

    init(_ field: SnapshotField) { self.field = field }

    var codingPath: [any CodingKey] { field.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        switch field.node {
        case .row, .object: return KeyedDecodingContainer(ObjectContainer(self))
        case .dictionary(let entries):
            return KeyedDecodingContainer(
                EntryContainer(self, Dictionary(entries.map { ($0.key, $0.node) }, uniquingKeysWith: { $1 }))
            )
        default: throw field.mismatch([String: Any].self, "an object or a map")
        }
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .list(let elements) = field.node else { throw field.mismatch([Any].self, "a list or a set") }
        return ElementContainer(self, elements)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { ValueContainer(field: field) }
}

/// A container of one value.
private struct ValueContainer: SingleValueDecodingContainer {
    let field: SnapshotField
    var codingPath: [any CodingKey] { field.codingPath }

    func decodeNil() -> Bool { field.node.isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try field.bool() }
    func decode(_ type: String.Type) throws -> String { try field.string() }
    func decode(_ type: Double.Type) throws -> Double { try field.double() }
    func decode(_ type: Float.Type) throws -> Float { try field.float() }
    func decode(_ type: Int.Type) throws -> Int { try field.integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try field.integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try field.integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try field.integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try field.integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try field.integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try field.integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try field.integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try field.integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try field.integer(type) }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try field.decode(type) }
}

/// The access to keys that all keyed containers share.
private protocol SnapshotKeys: KeyedDecodingContainerProtocol {
    var decoder: SnapshotDecoder { get }
    /// - Throws: `DecodingError.keyNotFound`.
    func field(_ key: any CodingKey) throws -> SnapshotField
}

extension SnapshotKeys {
    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil(forKey key: Key) throws -> Bool { try field(key).node.isNull }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try field(key).bool() }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try field(key).string() }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try field(key).double() }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try field(key).float() }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try field(key).integer(type) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try field(key).integer(type) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try field(key).integer(type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try field(key).integer(type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try field(key).integer(type) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try field(key).integer(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try field(key).integer(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try field(key).integer(type) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try field(key).integer(type) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try field(key).integer(type) }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try field(key).decode(type) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try SnapshotDecoder(field(key)).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try SnapshotDecoder(field(key)).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { try SnapshotDecoder(field(key)) }
}

/// The properties of an object, by their names in Swift or otherwise in the file.
private struct ObjectContainer<Key: CodingKey>: SnapshotKeys {
    let decoder: SnapshotDecoder

    init(_ decoder: SnapshotDecoder) { self.decoder = decoder }

    private var info: ClassInfo { decoder.field.node.info! }
    var allKeys: [Key] { info.properties.compactMap { Key(stringValue: $0.name) } }
    func contains(_ key: Key) -> Bool { info.index(named: key.stringValue) != nil }

    func field(_ key: any CodingKey) throws -> SnapshotField {
        guard let index = info.index(named: key.stringValue) else {
            let names = info.properties.map(\.name).joined(separator: ", ")
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(
                    codingPath: codingPath,
                    debugDescription: "\(info.className) has no property '\(key.stringValue)'. It has \(names)."
                )
            )
        }
        return SnapshotField(decoder.field.node.property(index), of: decoder, key)
    }
}

/// The entries of a map.
private struct EntryContainer<Key: CodingKey>: SnapshotKeys {
    let decoder: SnapshotDecoder
    private let entries: [String: SnapshotNode]

    init(_ decoder: SnapshotDecoder, _ entries: [String: SnapshotNode]) {
        self.decoder = decoder
        self.entries = entries
    }

    var allKeys: [Key] { entries.keys.compactMap { Key(stringValue: $0) } }
    func contains(_ key: Key) -> Bool { entries[key.stringValue] != nil }

    func field(_ key: any CodingKey) throws -> SnapshotField {
        guard let node = entries[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(
                    codingPath: codingPath,
                    debugDescription: "The map has no key '\(key.stringValue)'."
                )
            )
        }
        return SnapshotField(node, of: decoder, key)
    }
}

/// The elements of a list or set.
private struct ElementContainer: UnkeyedDecodingContainer {
    private struct Position: CodingKey {
        let intValue: Int?
        var stringValue: String { "Index \(intValue!)" }
        init(intValue: Int) { self.intValue = intValue }
        init?(stringValue: String) { nil }
    }

    private let decoder: SnapshotDecoder
    private let elements: [SnapshotNode]
    private(set) var currentIndex = 0

    init(_ decoder: SnapshotDecoder, _ elements: [SnapshotNode]) {
        self.decoder = decoder
        self.elements = elements
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    private func current(_ type: Any.Type) throws -> SnapshotField {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type,
                DecodingError.Context(
                    codingPath: codingPath + [Position(intValue: currentIndex)],
                    debugDescription: "There are \(elements.count) elements."
                )
            )
        }
        return SnapshotField(elements[currentIndex], of: decoder, Position(intValue: currentIndex))
    }

    private mutating func next<T>(_ type: T.Type, _ body: (SnapshotField) throws -> T) throws -> T {
        let value = try body(current(type))
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        let isNull = try current(Never.self).node.isNull
        if isNull { currentIndex += 1 }
        return isNull
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next(type) { try $0.decode(type) } }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next(KeyedDecodingContainer<Nested>.self) { try SnapshotDecoder($0).container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try SnapshotDecoder(current([Any].self)).unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder { try next(SnapshotDecoder.self) { SnapshotDecoder($0) } }
}
