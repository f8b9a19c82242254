/// A column of values of one width, such as doubles and ids. It is written by byte positions: the first bytes of all
/// values, then the second bytes, and so on. A byte that is equal in all values is written once
/// (`docs/sync-protocol.md`).
struct FixedColumn {
    let width: Int
    private(set) var bytes: [UInt8] = []

    init(width: Int) { self.width = width }

    var count: Int { bytes.count / width }

    mutating func append(_ value: UInt64, width: Int = 8) { bytes.appendFixed(value, width: width) }

    mutating func append(_ value: UnsafeRawBufferPointer) { bytes.append(contentsOf: value) }

    func append(to out: inout [UInt8]) {
        out.append(UInt8(width))
        out.appendVarint(count)
        bytes.withUnsafeBytes { bytes in
            let varying = (0..<width).map { plane in
                stride(from: plane, to: bytes.count, by: width).contains { bytes[$0] != bytes[plane] }
            }
            for start in stride(from: 0, to: width, by: 8) {
                out.append(
                    (start..<min(start + 8, width)).reduce(0) { $0 | (varying[$1] ? 1 << UInt8($1 - start) : 0) }
                )
            }
            for plane in 0..<width where !varying[plane] { out.append(bytes[plane]) }
            for plane in 0..<width where varying[plane] {
                for offset in stride(from: plane, to: bytes.count, by: width) { out.append(bytes[offset]) }
            }
        }
    }
}

/// Reads a column of values of one width, one after the other.
final class FixedReader {
    let width: Int
    private let bytes: UnsafeRawBufferPointer
    private let count: UInt64
    private var index: UInt64 = 0
    /// The bytes that are equal in all values, with space for the other bytes.
    private var value: [UInt8]
    /// The positions of the bytes that vary, and the offsets of these bytes of the first value.
    private var planes: [(plane: Int, start: Int)] = []

    init(_ cursor: inout ByteCursor) throws(CodecError) {
        bytes = cursor.bytes
        width = Int(try cursor.byte())
        guard 1...16 ~= width else { throw cursor.error(.invalidNumber, "No value has \(width) bytes") }
        count = try cursor.varint()
        value = Array(repeating: 0, count: width)
        guard count > 0 else { throw cursor.error(.invalidNumber, "The column is empty") }
        let masks = try cursor.take((width + 7) / 8)
        func varies(_ plane: Int) -> Bool { bytes[masks.lowerBound + plane / 8] >> UInt8(plane % 8) & 1 == 1 }
        for plane in 0..<width where !varies(plane) { value[plane] = try cursor.byte() }
        for plane in 0..<width where varies(plane) {
            guard count <= UInt64(cursor.remaining) else { throw cursor.error(.truncated, "The column ends too early") }
            planes.append((plane, try cursor.take(Int(count)).lowerBound))
        }
    }

    var position: Int { planes.first.map { $0.start + Int(index) } ?? 0 }

    var isAtEnd: Bool { index == count }

    func next<R>(width: Int, _ body: (UnsafeRawBufferPointer) -> R) throws(CodecError) -> R {
        guard index < count, width == self.width else {
            throw CodecError(.truncated, "The column has too few values of \(width) bytes", offset: position)
        }
        for (plane, start) in planes { value[plane] = bytes[start + Int(index)] }
        index += 1
        return value.withUnsafeBytes(body)
    }
}
