#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A small list in the slot of its object.
///
/// ```
/// 0 u8 bytes an element (0 for strings and data), top bit: nulls follow   1 u8 zero   2 u16 count
/// 4: null bitmap of (count + 7) / 8 bytes if any, then unaligned elements: integers and links signed in the
///    smallest of 1, 2, 4, 8 bytes; timestamps 8 + 4; strings and data u16 lengths, then the bytes
/// ```
/// An empty list has no bytes. A list of more than `limit` bytes is stored in chunks.
struct InlineList {
    static let limit = 1000
    static let maximumCount = 1000

    let bytes: UnsafeRawBufferPointer
    let type: ColumnType

    init(_ bytes: UnsafeRawBufferPointer, type: ColumnType) {
        self.bytes = bytes
        self.type = type
    }

    @inline(__always) var count: Int {
        bytes.count < 4 ? 0 : Int(bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
    }
    @inline(__always) private var width: Int { Int(bytes[0] & 0x7f) }
    @inline(__always) var hasNulls: Bool { bytes[0] & 0x80 != 0 }
    @inline(__always) private var valuesOffset: Int { 4 + (hasNulls ? (count + 7) >> 3 : 0) }

    func isNull(_ i: Int) -> Bool { hasNulls && bytes[4 + (i >> 3)] >> UInt8(i & 7) & 1 != 0 }

    /// Returns an element of a list of integers or links (the key of the target).
    @inline(__always)
    func int(_ i: Int) -> Int64 {
        let p = bytes.baseAddress! + valuesOffset
        switch width {
        case 1: return Int64(p.load(fromByteOffset: i, as: Int8.self))
        case 2: return Int64(p.loadUnaligned(fromByteOffset: i * 2, as: Int16.self))
        case 4: return Int64(p.loadUnaligned(fromByteOffset: i * 4, as: Int32.self))
        default: return p.loadUnaligned(fromByteOffset: i * 8, as: Int64.self)
        }
    }

    func appendInts(to out: inout [Int64]) {
        for i in 0..<count { out.append(int(i)) }
    }

    func value(_ i: Int) -> Value {
        if isNull(i) { return .null }
        let p = bytes.baseAddress! + valuesOffset
        switch type {
        case .int: return .int(int(i))
        case .link: return .link(ObjectKey(int(i)))
        case .bool: return .bool(p.load(fromByteOffset: i, as: UInt8.self) != 0)
        case .float: return .float(p.loadUnaligned(fromByteOffset: i * 4, as: Float.self))
        case .double: return .double(p.loadUnaligned(fromByteOffset: i * 8, as: Double.self))
        case .timestamp:
            return .timestamp(
                Timestamp(
                    seconds: p.loadUnaligned(fromByteOffset: i * 12, as: Int64.self),
                    nanoseconds: p.loadUnaligned(fromByteOffset: i * 12 + 8, as: Int32.self)
                )
            )
        case .decimal128, .uuid, .objectId: return FieldCoding.fixedValue(type, p + i * width)
        case .string, .data, .mixed:
            var start = count * 2
            for j in 0..<i { start += Int(p.loadUnaligned(fromByteOffset: j * 2, as: UInt16.self)) }
            let length = Int(p.loadUnaligned(fromByteOffset: i * 2, as: UInt16.self))
            return FieldCoding.bytesValue(type, UnsafeRawBufferPointer(start: p + start, count: length))
        }
    }

    func values() -> [Value] {
        switch type {
        case .string, .data, .mixed:
            var out: [Value] = []
            out.reserveCapacity(count)
            _ = forEachBytes { bytes in
                out.append(bytes.map { FieldCoding.bytesValue(type, $0) } ?? .null)
                return true
            }
            return out
        default: return (0..<count).map(value)
        }
    }

    /// Calls `body` with the bytes of each element of a list of strings, data or mixed values, or with `nil` for null, until `body` returns false.
    /// - Returns: whether `body` always returned true.
    @inline(__always)
    func forEachBytes(_ body: (UnsafeRawBufferPointer?) -> Bool) -> Bool {
        let count = count
        guard count > 0 else { return true }
        let p = bytes.baseAddress! + valuesOffset
        var start = count * 2
        for i in 0..<count {
            let length = Int(p.loadUnaligned(fromByteOffset: i * 2, as: UInt16.self))
            if !body(isNull(i) ? nil : UnsafeRawBufferPointer(start: p + start, count: length)) { return false }
            start += length
        }
        return true
    }

    // MARK: Encoding

    /// Returns `nil` if the list doesn't fit inline.
    static func encode(_ values: [Value], type: ColumnType) -> [UInt8]? {
        if values.isEmpty { return [] }
        guard values.count <= maximumCount else { return nil }
        let hasNulls = values.contains { $0.isNull }
        var out: [UInt8] = []
        func head(_ width: Int) {
            out.append(UInt8(width) | (hasNulls ? 0x80 : 0))
            out.append(0)
            append(UInt16(values.count))
            if hasNulls {
                var bits = [UInt8](repeating: 0, count: (values.count + 7) >> 3)
                for (i, v) in values.enumerated() where v.isNull { bits[i >> 3] |= 1 << UInt8(i & 7) }
                out.append(contentsOf: bits)
            }
        }
        func append<T>(_ v: T) { withUnsafeBytes(of: v) { out.append(contentsOf: $0) } }
        switch type {
        case .int, .link:
            let ints = values.map { v -> Int64 in
                switch v {
                case .int(let i): i
                case .link(let k): k.raw
                default: 0
                }
            }
            if !hasNulls { return encodeInts(ints) }
            let width = ints.withUnsafeBufferPointer { intWidth($0.baseAddress!, $0.count) }
            head(width)
            for v in ints { appendInt(v, width, into: &out) }
        case .bool:
            head(1)
            for v in values { if case .bool(true) = v { out.append(1) } else { out.append(0) } }
        case .float:
            head(4)
            for v in values { if case .float(let f) = v { append(f) } else { append(Float(0)) } }
        case .double:
            head(8)
            for v in values { if case .double(let d) = v { append(d) } else { append(0.0) } }
        case .timestamp:
            head(12)
            for v in values {
                if case .timestamp(let t) = v {
                    append(t.seconds)
                    append(t.nanoseconds)
                } else {
                    append(Int64(0))
                    append(Int32(0))
                }
            }
        case .decimal128, .uuid, .objectId:
            let width = type == .objectId ? 12 : 16
            guard 4 + values.count * width <= limit else { return nil }
            head(width)
            for v in values {
                withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { room in
                    room.initializeMemory(as: UInt8.self, repeating: 0)
                    FieldCoding.copyFixed(v, to: room.baseAddress!)
                    out.append(contentsOf: room[0..<width])
                }
            }
        case .string, .data, .mixed:
            var total = 4 + values.count * 2
            for v in values {
                total += FieldCoding.byteCount(v, type)
                if total > limit { return nil }
            }
            head(0)
            for v in values { append(UInt16(FieldCoding.byteCount(v, type))) }
            for v in values { FieldCoding.withBytes(v, type) { out.append(contentsOf: $0) } }
        }
        return out.count <= limit ? out : nil
    }

    /// Returns `nil` if the list doesn't fit inline.
    static func encodeInts(_ values: [Int64]) -> [UInt8]? {
        if values.isEmpty { return [] }
        return values.withUnsafeBufferPointer { values in
            withUnsafeTemporaryAllocation(byteCount: limit, alignment: 8) { room in
                encodeInts(values.baseAddress!, values.count, to: room.baseAddress!).map {
                    [UInt8](UnsafeRawBufferPointer(start: room.baseAddress!, count: $0))
                }
            }
        }
    }

    /// Writes the list to `out`, which has room for `limit` bytes.
    /// - Returns: the size of the list, or `nil` if it doesn't fit.
    static func encodeInts(_ values: UnsafePointer<Int64>, _ count: Int, to out: UnsafeMutableRawPointer) -> Int? {
        if count == 0 { return 0 }
        guard count <= maximumCount else { return nil }
        let width = intWidth(values, count)
        let size = 4 + count * width
        guard size <= limit else { return nil }
        out.storeBytes(of: UInt8(width), as: UInt8.self)
        out.storeBytes(of: 0, toByteOffset: 1, as: UInt8.self)
        out.storeBytes(of: UInt16(count), toByteOffset: 2, as: UInt16.self)
        let p = out + 4
        switch width {
        case 1:
            for i in 0..<count { p.storeBytes(of: Int8(truncatingIfNeeded: values[i]), toByteOffset: i, as: Int8.self) }
        case 2:
            for i in 0..<count {
                p.storeBytes(of: Int16(truncatingIfNeeded: values[i]), toByteOffset: i * 2, as: Int16.self)
            }
        case 4:
            for i in 0..<count {
                p.storeBytes(of: Int32(truncatingIfNeeded: values[i]), toByteOffset: i * 4, as: Int32.self)
            }
        default: p.copyMemory(from: values, byteCount: count * 8)
        }
        return size
    }

    /// Copies the integers to `out`, which has room for `count` of them.
    func copyInts(to out: UnsafeMutablePointer<Int64>) {
        for i in 0..<count { out[i] = int(i) }
    }

    private static func appendInt(_ v: Int64, _ width: Int, into out: inout [UInt8]) {
        withUnsafeBytes(of: v.littleEndian) { out.append(contentsOf: $0[0..<width]) }
    }

    private static func intWidth(_ values: UnsafePointer<Int64>, _ count: Int) -> Int {
        var low: Int64 = 0
        var high: Int64 = 0
        for i in 0..<count {
            low = min(low, values[i])
            high = max(high, values[i])
        }
        if low >= -128, high <= 127 { return 1 }
        if low >= -32768, high <= 32767 { return 2 }
        if low >= Int64(Int32.min), high <= Int64(Int32.max) { return 4 }
        return 8
    }
}
