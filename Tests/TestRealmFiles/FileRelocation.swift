import Foundation

/// A Realm file with its arrays at other offsets, and with references of the necessary width or wider. Only the
/// references differ from the bytes that Realm wrote.
package struct FileRelocation {
    private let original: [UInt8]
    private let base: Int
    private let width: Int
    private var bytes: [UInt8] = []

    /// Writes the file, without the bytes before the arrays, because a file may have holes.
    ///
    /// - Parameters:
    ///   - base: The offset of the first array, a multiple of 8.
    ///   - width: The bits of a reference, 32 or 64.
    package static func write(_ original: [UInt8], to path: String, base: Int, width: Int) throws {
        var relocation = FileRelocation(original: original, base: base, width: width)
        let slot = Int(original[23] & 1)
        let isStreamed = slot == 0 && original[..<8].allSatisfy { $0 == 255 }
        let place = isStreamed ? original.count - 16 : slot * 8
        let top = relocation.move(relocation.int(place, 8))
        var header = original[..<24]
        header.replaceSubrange(0..<8, with: Self.bytes(top, 8))
        header.replaceSubrange(8..<16, with: [UInt8](repeating: 0, count: 8))
        (header[20], header[23]) = (original[20 + slot], 0)
        try Data(header).write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(base))
        try file.write(contentsOf: Data(relocation.bytes))
    }

    private init(original: [UInt8], base: Int, width: Int) {
        (self.original, self.base, self.width) = (original, base, width)
    }

    private func int(_ offset: Int, _ count: Int) -> Int {
        (0..<count).reduce(0) { $0 | Int(original[offset + $1]) << (8 * $1) }
    }

    private static func bytes(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// Returns an element of an array of bits.
    private func element(_ ref: Int, _ i: Int, _ width: Int) -> Int {
        guard width > 0 else { return 0 }
        if width < 8 { return Int(original[ref + 8 + i * width / 8]) >> (i * width % 8) & ((1 << width) - 1) }
        let value = int(ref + 8 + i * width / 8, width / 8)
        return width == 64 ? value : (value << (64 - width)) >> (64 - width)
    }

    /// - Returns: The new offset of the array.
    private mutating func move(_ ref: Int) -> Int {
        let flags = original[ref + 4]
        let count = Int(original[ref + 5]) << 16 | Int(original[ref + 6]) << 8 | Int(original[ref + 7])
        let oldWidth = (1 << Int(flags & 7)) >> 1
        var header = Array(original[ref..<(ref + 8)])
        var data: [UInt8]
        if flags & 0x40 != 0 {
            let values = (0..<count).map { i in
                let value = element(ref, i, oldWidth)
                return value != 0 && value & 1 == 0 ? move(value) : value
            }
            // Other numbers among the references may need more bits.
            let width = values.allSatisfy { Int(Int32(truncatingIfNeeded: $0)) == $0 } ? width : 64
            data = values.flatMap { Self.bytes($0, width / 8) }
            header[4] = flags & ~7 | (width == 64 ? 7 : 6)
        } else {
            let size =
                switch flags >> 3 & 3 {
                case 0: (count * oldWidth + 7) / 8
                case 1: count * oldWidth
                default: count
                }
            data = Array(original[(ref + 8)..<(ref + 8 + size)])
        }
        let place = base + bytes.count
        bytes += header + data
        bytes += [UInt8](repeating: 0, count: (8 - bytes.count % 8) % 8)
        return place
    }
}
