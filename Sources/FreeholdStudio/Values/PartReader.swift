import Foundation
import FreeholdEngine

/// Reads parts of collections, texts and binary values.
struct PartReader {
    let view: DataView
    let facts: SchemaFacts

    static let elements = 500
    static let textBytes = 256 << 10
    static let dataBytes = 1 << 20

    private var writer: ValueWriter { ValueWriter(view: view, facts: facts) }

    /// - Parameter path: the places inside the property's value, if it is mixed or a collection of mixed values.
    func part(_ column: Column, _ key: ObjectKey, path: ArraySlice<StudioJSON>, _ request: StudioRequest) throws
        -> StudioJSON
    {
        guard let place = path.first else { return try whole(column, key, request) }
        if column.collection == .none {
            return try nested(view.value(column, key), path: path, request)
        }
        return try nested(element(column, key, place), path: path.dropFirst(), request)
    }

    private func element(_ column: Column, _ key: ObjectKey, _ place: StudioJSON) throws(StudioError) -> Value {
        if column.collection == .dictionary, let name = place.text {
            if let value = view.dictionaryValue(column, key, forKey: name) { return value }
        } else if column.collection != .dictionary, let i = place.int, i >= 0, i < view.listCount(column, key) {
            return view.listValue(column, key, at: i)
        }
        throw StudioError(.notFound, "'\(column.name)' has no element at this place.")
    }

    private func whole(_ column: Column, _ key: ObjectKey, _ request: StudioRequest) throws -> StudioJSON {
        guard column.collection == .none else {
            let count = view.listCount(column, key)
            let range = try request.range(limit: Self.elements).clamped(to: 0..<count)
            var out = JSONText()
            writer.elements(column, of: key, in: range, to: &out)
            return ["count": .int(count), "from": .int(range.lowerBound), "elements": .raw(out.bytes)]
        }
        switch column.type {
        case .string:
            let range = try request.range(limit: Self.textBytes)
            return view.withBytes(column, key, in: max(0, range.lowerBound - 4)..<range.upperBound + 4) {
                bytes,
                length in
                text(bytes, start: max(0, range.lowerBound - 4), length: length, range)
            }
        case .data:
            let range = try request.range(limit: Self.dataBytes)
            return view.withBytes(column, key, in: range) { bytes, length in
                data(bytes.map { Data($0) } ?? Data(), length: length, from: range.lowerBound)
            }
        default: return try nested(view.value(column, key), path: [], request)
        }
    }

    private func nested(_ value: Value, path: ArraySlice<StudioJSON>, _ request: StudioRequest) throws -> StudioJSON {
        var value = value
        for place in path {
            switch value {
            case .list(let list):
                guard let i = place.int, list.values.indices.contains(i) else { throw Self.missing }
                value = list.values[i]
            case .dictionary(let map):
                guard let name = place.text, let found = map[name] else { throw Self.missing }
                value = found
            default: throw Self.missing
            }
        }
        switch value {
        case .string(let text):
            let range = try request.range(limit: Self.textBytes)
            let bytes = Array(text.utf8)
            let start = max(0, range.lowerBound - 4)
            return bytes[min(start, bytes.count)..<min(range.upperBound + 4, bytes.count)].withUnsafeBytes {
                self.text($0, start: start, length: bytes.count, range)
            }
        case .data(let bytes):
            let range = try request.range(limit: Self.dataBytes)
            let shown = range.clamped(to: 0..<bytes.count)
            let part = Data(bytes.dropFirst(shown.lowerBound).prefix(shown.count))
            return data(part, length: bytes.count, from: range.lowerBound)
        case .list(let list):
            return try elements(value, count: list.values.count, request)
        case .dictionary(let map): return try elements(value, count: map.entries.count, request)
        default: throw StudioError(.invalid, "The value has no parts.")
        }
    }

    private static let missing = StudioError(.notFound, "The value has no element at this place.")

    private func elements(_ value: Value, count: Int, _ request: StudioRequest) throws(StudioError) -> StudioJSON {
        let range = try request.range(limit: Self.elements).clamped(to: 0..<count)
        var out = JSONText()
        writer.elements(ofMixed: value, in: range, to: &out)
        return ["count": .int(count), "from": .int(range.lowerBound), "elements": .raw(out.bytes)]
    }

    private func data(_ part: Data, length: Int, from: Int) -> StudioJSON {
        ["bytes": .int(length), "from": .int(from), "data": .string(part.base64EncodedString())]
    }

    /// Returns a part of a text that begins and ends between characters.
    ///
    /// - Parameters:
    ///   - bytes: the bytes around the part.
    ///   - start: the position of their first byte in the text.
    ///   - length: the length of the whole text.
    ///   - range: the wanted bytes.
    private func text(_ bytes: UnsafeRawBufferPointer?, start: Int, length: Int, _ range: Range<Int>) -> StudioJSON {
        guard let bytes else { return ["length": 0, "from": 0, "to": 0, "text": .null] }
        func isBoundary(_ at: Int) -> Bool { at >= bytes.count || bytes[at] & 0xC0 != 0x80 }
        var low = min(max(0, range.lowerBound - start), bytes.count)
        var high = min(max(low, range.upperBound - start), bytes.count)
        while low > 0, !isBoundary(low) { low -= 1 }
        while high > low, !isBoundary(high) { high -= 1 }
        let text = String(decoding: bytes[low..<high], as: UTF8.self)
        return ["length": .int(length), "from": .int(start + low), "to": .int(start + high), "text": .string(text)]
    }
}
