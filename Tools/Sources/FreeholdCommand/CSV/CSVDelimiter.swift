import Foundation

/// The detection of the delimiter of CSV in the first line of the text.
enum CSVDelimiter {
    struct Found: Equatable {
        let delimiter: UInt8
        /// A sentence for standard error, if the delimiter isn't certain or isn't a comma.
        let note: String?
    }

    static let usual = UInt8(ascii: ",")
    /// The largest number of bytes of a first line that are read.
    private static let longest = 64 * 1024

    /// Returns the delimiter of a first line.
    ///
    /// If a line has no commas but semicolons or tabs, these are the delimiters. Programs use semicolons in countries
    /// with a decimal comma, and copied tables have tabs. If a line has commas, these are the delimiters.
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
    /// - Returns: The line, and the text from its beginning.
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
