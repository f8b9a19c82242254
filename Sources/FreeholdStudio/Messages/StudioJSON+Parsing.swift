extension StudioJSON {
    /// The bounds of a message. They also bound the memory that its parsed form takes.
    public struct Limits: Sendable {
        /// The levels of nested arrays and objects.
        public var depth = 64
        /// The number of values in a message.
        public var values = 200_000

        public init() {}
    }

    /// Parses a message: one JSON value in UTF-8 (RFC 8259).
    ///
    /// - Throws: `StudioError` with the code `invalid` if the bytes aren't JSON, an object has a key twice, or a limit is exceeded.
    /// - Complexity: O(bytes)
    public init(parsing bytes: [UInt8], limits: Limits = Limits()) throws(StudioError) {
        var parser = JSONParser(bytes, limits)
        self = try parser.whole()
    }
}

/// A strict parser of JSON. Input never traps.
private struct JSONParser {
    private let bytes: [UInt8]
    private let limits: StudioJSON.Limits
    private var at = 0
    private var values = 0

    init(_ bytes: [UInt8], _ limits: StudioJSON.Limits) {
        self.bytes = bytes
        self.limits = limits
    }

    private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    private func failure(_ text: String) -> StudioError {
        StudioError(.invalid, "The message isn't valid JSON: \(text) at byte \(at).")
    }

    mutating func whole() throws(StudioError) -> StudioJSON {
        let value = try value(depth: 0)
        skipSpace()
        guard at == bytes.count else { throw failure("there is text behind the value") }
        return value
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
    }

    private mutating func value(depth: Int) throws(StudioError) -> StudioJSON {
        values += 1
        guard values <= limits.values else { throw StudioError(.tooLarge, "The message has too many values.") }
        guard depth < limits.depth else { throw StudioError(.tooLarge, "The message is nested too deeply.") }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth)
        case UInt8(ascii: "["): return try array(depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), (UInt8(ascii: "0")...UInt8(ascii: "9"))?: return .number(try number())
        default: throw failure("a value is missing")
        }
    }

    private mutating func word(_ word: StaticString, _ value: StudioJSON) throws(StudioError) -> StudioJSON {
        let count = word.utf8CodeUnitCount
        let expected = UnsafeBufferPointer(start: word.utf8Start, count: count)
        guard at + count <= bytes.count, bytes[at..<at + count].elementsEqual(expected) else {
            throw failure("an unknown word")
        }
        at += count
        return value
    }

    private mutating func take(_ mark: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: mark) else { return false }
        at += 1
        return true
    }

    private mutating func array(_ depth: Int) throws(StudioError) -> StudioJSON {
        at += 1
        var elements: [StudioJSON] = []
        if take("]") { return .array(elements) }
        repeat { elements.append(try value(depth: depth + 1)) } while take(",")
        guard take("]") else { throw failure("an array doesn't end") }
        return .array(elements)
    }

    private mutating func object(_ depth: Int) throws(StudioError) -> StudioJSON {
        at += 1
        var members: [StudioJSON.Member] = []
        var keys: Set<String> = []
        if take("}") { return .object(members) }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw failure("a key is missing") }
            let key = try string()
            guard keys.insert(key).inserted else { throw failure("a key is repeated") }
            guard take(":") else { throw failure("a colon is missing") }
            members.append(.init(key, try value(depth: depth + 1)))
        } while take(",")
        guard take("}") else { throw failure("an object doesn't end") }
        return .object(members)
    }

    private mutating func number() throws(StudioError) -> String {
        let start = at
        func isDigit(_ byte: UInt8?) -> Bool { byte.map { (0x30...0x39).contains($0) } ?? false }
        if next == UInt8(ascii: "-") { at += 1 }
        guard isDigit(next) else { throw failure("a digit is missing") }
        if next == UInt8(ascii: "0") { at += 1 } else { while isDigit(next) { at += 1 } }
        if next == UInt8(ascii: ".") {
            at += 1
            guard isDigit(next) else { throw failure("a digit is missing") }
            while isDigit(next) { at += 1 }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            at += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { at += 1 }
            guard isDigit(next) else { throw failure("a digit is missing") }
            while isDigit(next) { at += 1 }
        }
        guard at - start <= 400 else { throw failure("a number is too long") }
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }

    private mutating func string() throws(StudioError) -> String {
        at += 1
        let start = at
        while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { at += 1 }
        var out = Array(bytes[start..<at])
        while let byte = next {
            at += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: out, as: UTF8.self) else { throw failure("a string isn't UTF-8") }
                return text
            case UInt8(ascii: "\\"): try escape(&out)
            case 0..<0x20: throw failure("a control character is in a string")
            default: out.append(byte)
            }
        }
        throw failure("a string doesn't end")
    }

    private mutating func escape(_ out: inout [UInt8]) throws(StudioError) {
        guard let byte = next else { throw failure("a string doesn't end") }
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): out.append(byte)
        case UInt8(ascii: "b"): out.append(0x08)
        case UInt8(ascii: "f"): out.append(0x0C)
        case UInt8(ascii: "n"): out.append(0x0A)
        case UInt8(ascii: "r"): out.append(0x0D)
        case UInt8(ascii: "t"): out.append(0x09)
        case UInt8(ascii: "u"):
            var code = UInt32(try codeUnit())
            if (0xD800..<0xDC00).contains(code), next == UInt8(ascii: "\\") {
                at += 1
                guard next == UInt8(ascii: "u") else { throw failure("half a character") }
                at += 1
                let low = UInt32(try codeUnit())
                guard (0xDC00..<0xE000).contains(low) else { throw failure("half a character") }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw failure("half a character") }
            out.append(contentsOf: String(Character(scalar)).utf8)
        default: throw failure("an unknown escape")
        }
    }

    private mutating func codeUnit() throws(StudioError) -> UInt16 {
        guard at + 4 <= bytes.count, bytes[at..<at + 4].allSatisfy({ Self.isHexadecimal($0) }),
            let unit = UInt16(String(decoding: bytes[at..<at + 4], as: UTF8.self), radix: 16)
        else { throw failure("an unknown escape") }
        at += 4
        return unit
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }
}
