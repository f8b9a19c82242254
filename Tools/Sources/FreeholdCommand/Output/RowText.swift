/// The values of an object from a line of JSON, in order.
///
/// The library writes all types exactly and can read them back. Tables and CSV therefore use its text instead of their
/// own texts.
struct RowText {
    enum Cell: Equatable {
        case null
        case string(String)
        /// A number, true or false.
        case scalar(String)
        /// An array or object, as JSON.
        case json(String)

        /// The text for people.
        var shown: String {
            switch self {
            case .null: "null"
            case .string(let text), .scalar(let text), .json(let text): text
            }
        }
    }

    /// - Parameter line: A JSON object in the library's notation, without white space between tokens.
    static func cells(of line: UnsafeRawBufferPointer) -> [Cell] {
        var cells: [Cell] = []
        var i = 1
        while i < line.count, line[i] != UInt8(ascii: "}") {
            if line[i] == UInt8(ascii: ",") { i += 1 }
            skipString(line, &i)
            // Skips the colon.
            i += 1
            cells.append(cell(line, &i))
        }
        return cells
    }

    private static func skipString(_ line: UnsafeRawBufferPointer, _ i: inout Int) {
        i += 1
        while i < line.count, line[i] != UInt8(ascii: "\"") { i += line[i] == UInt8(ascii: "\\") ? 2 : 1 }
        i += 1
    }

    private static func cell(_ line: UnsafeRawBufferPointer, _ i: inout Int) -> Cell {
        let start = i
        switch line[i] {
        case UInt8(ascii: "\""):
            skipString(line, &i)
            return .string(unescaped(UnsafeRawBufferPointer(rebasing: line[(start + 1)..<(i - 1)])))
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            var depth = 0
            repeat {
                switch line[i] {
                case UInt8(ascii: "\""):
                    skipString(line, &i)
                    continue
                case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
                default: break
                }
                i += 1
            } while depth > 0 && i < line.count
            return .json(String(decoding: line[start..<i], as: UTF8.self))
        default:
            while i < line.count, line[i] != UInt8(ascii: ","), line[i] != UInt8(ascii: "}") { i += 1 }
            if line[start] == UInt8(ascii: "n") { return .null }
            return .scalar(String(decoding: line[start..<i], as: UTF8.self))
        }
    }

    private static func unescaped(_ bytes: UnsafeRawBufferPointer) -> String {
        guard bytes.contains(UInt8(ascii: "\\")) else { return String(decoding: bytes, as: UTF8.self) }
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        var i = 0
        while i < bytes.count {
            guard bytes[i] == UInt8(ascii: "\\"), i + 1 < bytes.count else {
                out.append(bytes[i])
                i += 1
                continue
            }
            switch bytes[i + 1] {
            case UInt8(ascii: "n"): out.append(0x0A)
            case UInt8(ascii: "r"): out.append(0x0D)
            case UInt8(ascii: "t"): out.append(0x09)
            // Only control characters have this notation.
            case UInt8(ascii: "u"):
                let digits = String(decoding: bytes[min(i + 2, bytes.count)..<min(i + 6, bytes.count)], as: UTF8.self)
                out.append(UInt8(digits, radix: 16) ?? 0x3F)
                i += 4
            case let byte: out.append(byte)
            }
            i += 2
        }
        return String(decoding: out, as: UTF8.self)
    }
}
