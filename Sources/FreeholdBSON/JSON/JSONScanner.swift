/// A strict scanner of the tokens of a JSON text (RFC 8259), which reports the position of errors.
struct JSONScanner {
    let bytes: UnsafeBufferPointer<UInt8>
    private(set) var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    func unexpected(_ wanted: String) -> BSONError {
        isAtEnd
            ? BSONError(.truncated, "The text ends where \(wanted) is needed", offset: position)
            : BSONError(.invalidJSON, "Here \(wanted) is needed", offset: position)
    }

    /// Reads a string, a number, true, false or null.
    mutating func scalar() throws(BSONError) -> BSONValue {
        guard let first = peek() else { throw unexpected("a JSON value") }
        switch first {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "t") where word("true"): return .bool(true)
        case UInt8(ascii: "f") where word("false"): return .bool(false)
        case UInt8(ascii: "n") where word("null"): return .null
        default: throw unexpected("a JSON value")
        }
    }

    private mutating func word(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard count <= bytes.count - position else { return false }
        let isThere = word.withUTF8Buffer { $0.elementsEqual(bytes[position..<position + count]) }
        if isThere { position += count }
        return isThere
    }
}

// MARK: - Numbers

extension JSONScanner {
    /// Reads an integer of 32 bits if it fits, or otherwise of 64 bits. A number with a fraction or an exponent, and
    /// one beyond 64 bits, is a double.
    private mutating func number() throws(BSONError) -> BSONValue {
        let start = position
        let isNegative = take(UInt8(ascii: "-"))
        // The value is negative, because the range of negative numbers is larger.
        var value: Int64 = 0
        var fits = true
        if !take(UInt8(ascii: "0")) {
            guard
                skipDigits({ digit in
                    guard fits else { return }
                    let (product, overflow) = value.multipliedReportingOverflow(by: 10)
                    let (difference, under) = product.subtractingReportingOverflow(Int64(digit))
                    fits = !overflow && !under
                    value = difference
                })
            else { throw unexpected("a digit") }
        }
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            guard skipDigits() else { throw unexpected("a digit") }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            if !take(UInt8(ascii: "-")) { _ = take(UInt8(ascii: "+")) }
            guard skipDigits() else { throw unexpected("a digit") }
        }
        if isInteger && fits && (isNegative || value != .min) {
            let integer = isNegative ? value : -value
            return Int32(exactly: integer).map { .int32($0) } ?? .int64(integer)
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let double = Double(text), double.isFinite else {
            throw BSONError(.numberOutOfRange, "The number is beyond what a double can hold", offset: start)
        }
        return .double(double)
    }

    /// Skips digits. Returns whether at least one digit was found.
    private mutating func skipDigits(_ use: (UInt8) -> Void = { _ in }) -> Bool {
        let start = position
        while position < bytes.count, bytes[position] &- UInt8(ascii: "0") <= 9 {
            use(bytes[position] - UInt8(ascii: "0"))
            position += 1
        }
        return position > start
    }
}

// MARK: - Strings

extension JSONScanner {
    mutating func string() throws(BSONError) -> String {
        guard take(UInt8(ascii: "\"")) else { throw unexpected("a quote") }
        let start = position
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return try text(UnsafeBufferPointer(rebasing: bytes[start..<position - 1]), at: start)
            case UInt8(ascii: "\\"): return try stringWithEscapes(start)
            case 0..<0x20: throw controlCharacter
            default: position += 1
            }
        }
        throw unexpected("the end of the string")
    }

    private mutating func stringWithEscapes(_ start: Int) throws(BSONError) -> String {
        var unescaped = Array(bytes[start..<position])
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                let result = unescaped.withUnsafeBufferPointer { buffer in
                    Result { () throws(BSONError) in try text(buffer, at: start) }
                }
                return try result.get()
            case UInt8(ascii: "\\"): try unescape(into: &unescaped)
            case 0..<0x20: throw controlCharacter
            default:
                unescaped.append(byte)
                position += 1
            }
        }
        throw unexpected("the end of the string")
    }

    private mutating func unescape(into text: inout [UInt8]) throws(BSONError) {
        let start = position
        position += 1
        guard let letter = peek() else { throw unexpected("an escaped character") }
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var code = try hexDigits()
            if 0xD800..<0xDC00 ~= code {
                guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw loneSurrogate(start) }
                let low = try hexDigits()
                guard 0xDC00..<0xE000 ~= low else { throw loneSurrogate(start) }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw loneSurrogate(start) }
            text.append(contentsOf: UTF8.encode(scalar)!)
        default:
            throw BSONError(.invalidJSON, "This character can't be escaped", offset: start)
        }
    }

    private mutating func hexDigits() throws(BSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw unexpected("a hexadecimal digit")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    private func text(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) throws(BSONError) -> String {
        guard let text = String(strict: bytes) else {
            throw BSONError(.invalidUTF8, "The string isn't UTF-8", offset: start)
        }
        return text
    }

    private func loneSurrogate(_ offset: Int) -> BSONError {
        BSONError(.invalidJSON, "Half of a surrogate pair isn't a character", offset: offset)
    }

    private var controlCharacter: BSONError {
        BSONError(.invalidJSON, "A control character has to be escaped", offset: position)
    }
}
