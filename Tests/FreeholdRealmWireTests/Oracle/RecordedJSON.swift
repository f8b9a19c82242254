import FreeholdRealmWire

/// A value of the recordings, read by a plain parser. Integers keep all their digits.
enum RecordedJSON: Equatable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([RecordedJSON])
    case object([String: RecordedJSON])

    init(parsing bytes: [UInt8]) throws {
        var parser = Parser(bytes: bytes)
        self = try parser.value()
    }

    /// Returns a field, or `null`.
    subscript(field: String) -> RecordedJSON {
        guard case .object(let fields) = self else { return .null }
        return fields[field] ?? .null
    }

    var isMissing: Bool { self == .null }

    var elements: [RecordedJSON] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    var string: String {
        guard case .string(let string) = self else { return "" }
        return string
    }

    var text: WireText { WireText(string) }

    var int: Int64 {
        guard case .int(let number) = self else { return 0 }
        return number
    }

    var double: Double {
        switch self {
        case .int(let number): Double(number)
        case .double(let number): number
        default: .nan
        }
    }

    private struct Parser {
        var bytes: [UInt8]
        var place = 0

        private mutating func skipSpaces() {
            while place < bytes.count, bytes[place] <= 0x20 { place += 1 }
        }

        /// Skips a character if it is the next one.
        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            skipSpaces()
            guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
            place += 1
            return true
        }

        private mutating func need(_ character: Unicode.Scalar) throws {
            guard take(character) else { throw ModelError("\(character) expected at \(place)") }
        }

        mutating func value() throws -> RecordedJSON {
            skipSpaces()
            guard place < bytes.count else { throw ModelError("The text ends") }
            if take("{") {
                var fields: [String: RecordedJSON] = [:]
                if take("}") { return .object(fields) }
                repeat {
                    skipSpaces()
                    let name = try string()
                    try need(":")
                    fields[name] = try value()
                } while take(",")
                try need("}")
                return .object(fields)
            }
            if take("[") {
                var elements: [RecordedJSON] = []
                if take("]") { return .array(elements) }
                repeat { elements.append(try value()) } while take(",")
                try need("]")
                return .array(elements)
            }
            if bytes[place] == UInt8(ascii: "\"") { return .string(try string()) }
            let start = place
            while place < bytes.count, !",]} \n\r\t".utf8.contains(bytes[place]) { place += 1 }
            let word = String(decoding: bytes[start..<place], as: UTF8.self)
            switch word {
            case "null": return .null
            case "true": return .bool(true)
            case "false": return .bool(false)
            default: break
            }
            if let number = Int64(word) { return .int(number) }
            if let number = Double(word) { return .double(number) }
            throw ModelError("Unknown word \(word)")
        }

        private mutating func string() throws -> String {
            try need("\"")
            var content: [UInt8] = []
            while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
                guard bytes[place] != UInt8(ascii: "\\") else {
                    throw ModelError("Escapes don't occur in the recordings")
                }
                content.append(bytes[place])
                place += 1
            }
            try need("\"")
            return String(decoding: content, as: UTF8.self)
        }
    }
}
