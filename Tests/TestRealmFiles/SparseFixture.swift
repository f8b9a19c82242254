package import Foundation

/// Files that Realm wrote, with values or changes over 16 MiB, which are nearly all zeros. The fixtures contain the
/// other bytes.
///
/// Eight bytes for the file's size, then runs of bytes: the offset of each (8 bytes), its length (4 bytes), and the
/// bytes. Numbers are little-endian.
package enum SparseFixture: String {
    case values = "format24-huge"
    /// A client's realm, in which a change that wasn't sent has two values of `changedSize`.
    case synchronized = "format21-sync-huge"

    package static let changedSize = 9_000_000
    package static let sizes = (middle: 17 << 20, large: 34 << 20, largest: 0xff_fff8 - 8)

    /// Returns the program's value of that size: a byte at every million, and a z at the end.
    package static func value(_ size: Int) -> Data {
        var data = Data(count: size)
        for i in stride(from: 0, to: size, by: 1_000_000) { data[i] = UInt8(i / 1_000_000 + 1) }
        data[size - 1] = UInt8(ascii: "z")
        return data
    }

    package func write(to path: String) throws {
        let url = RealmFixture.format24.url.deletingLastPathComponent().appendingPathComponent("\(rawValue).sparse")
        let bytes = [UInt8](try Data(contentsOf: url))
        func number(_ place: Int, _ count: Int) -> UInt64 {
            (0..<count).reduce(0) { $0 | UInt64(bytes[place + $1]) << UInt64(8 * $1) }
        }
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        defer { try? file.close() }
        try file.truncate(atOffset: number(0, 8))
        var place = 8
        while place < bytes.count {
            let length = Int(number(place + 8, 4))
            try file.seek(toOffset: number(place, 8))
            try file.write(contentsOf: Data(bytes[(place + 12)..<(place + 12 + length)]))
            place += 12 + length
        }
    }
}
