#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine

/// A value that a client's file stores as bytes. The stored numbers of kinds never change.
protocol Kept {
    func write(to bytes: inout [UInt8])
    init(from reader: inout KeptReader) throws(CodecError)
}

/// Reads bytes that `Kept` wrote, and checks all of them.
struct KeptReader {
    var cursor: ByteCursor
    private var depth = 0

    init(_ bytes: UnsafeRawBufferPointer) { cursor = ByteCursor(bytes) }

    func unknown(_ kind: UInt8) -> CodecError {
        cursor.error(.unknownKind, "\(kind) isn't a kind of data that a file keeps")
    }

    mutating func kind() throws(CodecError) -> UInt8 { try cursor.byte() }

    /// Reads a value that can contain values of its own kind.
    mutating func nested<T>(_ body: (inout KeptReader) throws(CodecError) -> T) throws(CodecError) -> T {
        depth += 1
        guard depth <= 200 else { throw cursor.error(.tooDeep, "That is nested deeper than a file keeps") }
        let result = try body(&self)
        depth -= 1
        return result
    }
}

extension UInt64: Kept {
    func write(to bytes: inout [UInt8]) { bytes.appendVarint(self) }
    init(from reader: inout KeptReader) throws(CodecError) { self = try reader.cursor.varint() }
}

extension Int64: Kept {
    func write(to bytes: inout [UInt8]) { bytes.appendVarint(zigzag) }
    init(from reader: inout KeptReader) throws(CodecError) { self.init(zigzag: try reader.cursor.varint()) }
}

extension Int: Kept {
    func write(to bytes: inout [UInt8]) { Int64(self).write(to: &bytes) }
    init(from reader: inout KeptReader) throws(CodecError) { self = Int(try Int64(from: &reader)) }
}

extension Bool: Kept {
    func write(to bytes: inout [UInt8]) { bytes.append(self ? 1 : 0) }
    init(from reader: inout KeptReader) throws(CodecError) {
        let byte = try reader.kind()
        guard byte < 2 else { throw reader.unknown(byte) }
        self = byte == 1
    }
}

extension Optional: Kept where Wrapped: Kept {
    func write(to bytes: inout [UInt8]) {
        (self != nil).write(to: &bytes)
        self?.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        self = try Bool(from: &reader) ? try Wrapped(from: &reader) : nil
    }
}

extension Array: Kept where Element: Kept {
    func write(to bytes: inout [UInt8]) {
        bytes.appendVarint(count)
        for element in self { element.write(to: &bytes) }
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        self = []
        for _ in 0..<(try reader.cursor.count()) { append(try Element(from: &reader)) }
    }
}

extension Set: Kept where Element: Kept {
    func write(to bytes: inout [UInt8]) { Array(self).write(to: &bytes) }
    init(from reader: inout KeptReader) throws(CodecError) { self.init(try [Element](from: &reader)) }
}

extension Dictionary: Kept where Key: Kept, Value: Kept {
    func write(to bytes: inout [UInt8]) {
        bytes.appendVarint(count)
        for (key, value) in self {
            key.write(to: &bytes)
            value.write(to: &bytes)
        }
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        self = [:]
        for _ in 0..<(try reader.cursor.count()) {
            let key = try Key(from: &reader)
            self[key] = try Value(from: &reader)
        }
    }
}

extension SyncString: Kept {
    func write(to bytes: inout [UInt8]) { bytes.appendText(self) }
    init(from reader: inout KeptReader) throws(CodecError) { self = try reader.cursor.text() }
}

extension SyncValue: Kept {
    private static let embeddedKind: UInt8 = 0xFE

    func write(to bytes: inout [UInt8]) {
        if case .embedded(let value) = self {
            bytes.append(Self.embeddedKind)
            value.number.write(to: &bytes)
            value.fields.write(to: &bytes)
        } else {
            bytes.appendExact(self)
        }
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let cursor = reader.cursor
        guard try reader.kind() == Self.embeddedKind else {
            reader.cursor = cursor
            self = try reader.cursor.exactValue()
            return
        }
        let number = try OwnNumber(from: &reader)
        let fields = try reader.nested { reader throws(CodecError) in try [NewField](from: &reader) }
        self = .embedded(EmbeddedValue(number: number, fields: fields))
    }
}

extension SyncDictionary: Kept {
    func write(to bytes: inout [UInt8]) { SyncValue.dictionary(self).write(to: &bytes) }
    init(from reader: inout KeptReader) throws(CodecError) {
        guard case .dictionary(let value) = try SyncValue(from: &reader) else { throw reader.unknown(0) }
        self = value
    }
}

extension SetElement: Kept {
    func write(to bytes: inout [UInt8]) { SyncValue(self).write(to: &bytes) }
    init(from reader: inout KeptReader) throws(CodecError) {
        guard let element = SetElement(try SyncValue(from: &reader)) else { throw reader.unknown(0) }
        self = element
    }
}

extension ObjectName: Kept {
    func write(to bytes: inout [UInt8]) { bytes.appendExact(.link(self)) }
    init(from reader: inout KeptReader) throws(CodecError) {
        guard case .link(let name) = try reader.cursor.exactValue() else { throw reader.unknown(0) }
        self = name
    }
}

extension MergedContent: Kept {
    func write(to bytes: inout [UInt8]) {
        switch self {
        case .value(let value):
            bytes.append(0)
            value.write(to: &bytes)
        case .embedded(let fields):
            bytes.append(1)
            fields.write(to: &bytes)
        case .list(let elements):
            bytes.append(2)
            elements.write(to: &bytes)
        case .set(let elements):
            bytes.append(3)
            elements.write(to: &bytes)
        case .dictionary(let entries):
            bytes.append(4)
            entries.write(to: &bytes)
        }
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        self = try reader.nested { reader throws(CodecError) in
            let kind = try reader.kind()
            return switch kind {
            case 0: .value(try SyncValue(from: &reader))
            case 1: .embedded(try [SyncString: MergedContent](from: &reader))
            case 2: .list(try [MergedContent](from: &reader))
            case 3: .set(try [SetElement: SyncValue](from: &reader))
            case 4: .dictionary(try [SyncString: MergedContent](from: &reader))
            default: throw reader.unknown(kind)
            }
        }
    }
}
