import Foundation

/// Finds the delimiter of CSV in the text's first line.
enum CSVDelimiter {
    struct Found: Equatable {
        let delimiter: UInt8
        /// A sentence for the standard error, if the delimiter isn't certain or isn't the usual one.
        let note: String?
    }

    static let usual = UInt8(ascii: ",")
    /// More of a first line isn't looked at.
    private static let longest = 64 * 1024

    /// Returns the delimiter of a first line.
    ///
    /// A line without commas that has semicolons or tabs is divided by these: programs write such files in countries where numbers have a decimal
    /// comma, and by copying from tables. A line that has commas is divided by commas.
    static func find(in line: some Sequence<UInt8>) -> Found {
        var (counts, isQuoted) = ([UInt8: Int](), false)
        for byte in line {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if !isQuoted { counts[byte, default: 0] += 1 }
        }
        let (commas, semicolons, tabs) = (counts[usual] ?? 0, counts[UInt8(ascii: ";")] ?? 0, counts[0x09] ?? 0)
        guard max(semicolons, tabs) > commas else { return Found(delimiter: usual, note: nil) }
        let (other, shown) = semicolons > tabs ? (UInt8(ascii: ";"), "';'") : (0x09, "'\\t'")
        if commas == 0 {
            return Found(delimiter: other, note: "the fields stand between \(shown), as the first line shows")
        }
        return Found(
            delimiter: usual,
            note: "the first line has more \(shown) than commas: --delimiter \(shown) divides it there"
        )
    }

    /// Reads the first line ahead.
    ///
    /// - Returns: the line, and the text from its beginning on.
    static func firstLine(of read: @escaping () throws -> Data) throws -> (line: [UInt8], text: () throws -> Data) {
        var (ahead, end, isQuoted) = ([UInt8](), 0, false)
        search: while ahead.count < longest {
            let chunk = try read()
            if chunk.isEmpty { break }
            ahead += chunk
            while end < ahead.count {
                if ahead[end] == UInt8(ascii: "\"") { isQuoted.toggle() }
                if ahead[end] == 0x0A, !isQuoted { break search }
                end += 1
            }
        }
        var first: Data? = Data(ahead)
        return (
            Array(ahead[..<end]),
            {
                defer { first = nil }
                if let first, !first.isEmpty { return first }
                return try read()
            }
        )
    }
}
