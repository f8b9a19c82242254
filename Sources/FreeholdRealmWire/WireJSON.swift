/// A JSON value of a message's body. Objects keep the order of their members.
public enum WireJSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([WireJSON])
    case object([Member])

    public struct Member: Hashable, Sendable {
        public var name: String
        public var value: WireJSON

        public init(_ name: String, _ value: WireJSON) {
            self.name = name
            self.value = value
        }
    }

    /// Returns the value of the first member of this name.
    public subscript(name: String) -> WireJSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    public var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    public var integer: Int64? {
        guard case .integer(let value) = self else { return nil }
        return value
    }

    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    // MARK: Reading

    /// Reads one value, which has to fill all bytes.
    ///
    /// - Complexity: O(*n*)
    public init(bytes: ArraySlice<UInt8>, depth: Int = WireLimits.usual.json) throws(WireError) {
        var parser = JSONParser(bytes: bytes, position: bytes.startIndex, depth: depth)
        self = try parser.document()
    }

    // MARK: Writing

    /// The value as JSON text without spaces.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let value): bytes += "\(value)".utf8
        case .number(let value): bytes += (value.isFinite ? "\(value)" : "null").utf8
        case .string(let value): Self.write(value, to: &bytes)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ string: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += "\\\"".utf8
            case UInt8(ascii: "\\"): bytes += "\\\\".utf8
            case 0..<0x20:
                bytes += "\\u00".utf8
                bytes += [hexadecimal(byte >> 4), hexadecimal(byte & 15)]
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8 { digit + (digit < 10 ? 48 : 87) }
}

private struct JSONParser {
    let bytes: ArraySlice<UInt8>
    var position: Int
    var depth: Int

    private func error(_ reason: String) -> WireError {
        WireError(.invalidJSON, reason, offset: position - bytes.startIndex)
    }

    mutating func document() throws(WireError) -> WireJSON {
        let value = try value()
        skipSpaces()
        guard position == bytes.endIndex else { throw error("Bytes follow the JSON value") }
        return value
    }

    private var next: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    private mutating func skipSpaces() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    private mutating func take(_ text: String) throws(WireError) {
        guard bytes[position...].starts(with: text.utf8) else { throw error("A JSON value is invalid") }
        position += text.utf8.count
    }

    private mutating func value() throws(WireError) -> WireJSON {
        skipSpaces()
        guard depth > 0 else { throw WireError(.tooLarge, "JSON is nested too deep") }
        depth -= 1
        defer { depth += 1 }
        switch next {
        case UInt8(ascii: "{"): return .object(try members())
        case UInt8(ascii: "["): return .array(try elements())
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"):
            try take("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try take("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try take("null")
            return .null
        default: return try number()
        }
    }

    private mutating func members() throws(WireError) -> [WireJSON.Member] {
        position += 1
        var members: [WireJSON.Member] = []
        skipSpaces()
        if next == UInt8(ascii: "}") {
            position += 1
            return []
        }
        while true {
            skipSpaces()
            let name = try string()
            skipSpaces()
            try take(":")
            members.append(WireJSON.Member(name, try value()))
            skipSpaces()
            guard next == UInt8(ascii: ",") else { break }
            position += 1
        }
        try take("}")
        return members
    }

    private mutating func elements() throws(WireError) -> [WireJSON] {
        position += 1
        var elements: [WireJSON] = []
        skipSpaces()
        if next == UInt8(ascii: "]") {
            position += 1
            return []
        }
        while true {
            elements.append(try value())
            skipSpaces()
            guard next == UInt8(ascii: ",") else { break }
            position += 1
        }
        try take("]")
        return elements
    }

    private mutating func string() throws(WireError) -> String {
        try take("\"")
        var text: [UInt8] = []
        while let byte = next, byte != UInt8(ascii: "\"") {
            position += 1
            guard byte >= 0x20 else { throw error("A JSON string has a control character") }
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                continue
            }
            guard let escape = next else { throw error("A JSON string doesn't end") }
            position += 1
            switch escape {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(escape)
            case UInt8(ascii: "b"): text.append(8)
            case UInt8(ascii: "t"): text.append(9)
            case UInt8(ascii: "n"): text.append(10)
            case UInt8(ascii: "f"): text.append(12)
            case UInt8(ascii: "r"): text.append(13)
            case UInt8(ascii: "u"): text += Array(String(Character(try escaped())).utf8)
            default: throw error("A JSON string has an unknown escape")
            }
        }
        try take("\"")
        guard let string = String(validating: text, as: UTF8.self) else {
            throw error("A JSON string isn't valid UTF-8")
        }
        return string
    }

    /// Reads the digits of an escaped character, which may be two.
    private mutating func escaped() throws(WireError) -> Unicode.Scalar {
        var code = try digits()
        if (0xD800..<0xDC00).contains(code) {
            try take("\\u")
            let low = try digits()
            guard (0xDC00..<0xE000).contains(low) else { throw error("A JSON string has half a character") }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw error("A JSON string has half a character") }
        return scalar
    }

    private mutating func digits() throws(WireError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error("A JSON string has an invalid escape")
            }
            position += 1
            code = code << 4 + UInt32(digit)
        }
        return code
    }

    private mutating func number() throws(WireError) -> WireJSON {
        let start = position
        while let byte = next, "+-.eE0123456789".utf8.contains(byte) { position += 1 }
        guard position - start <= 64, position > start else { throw error("A JSON value is invalid") }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { throw error("A JSON number is invalid") }
        return .number(number)
    }
}
