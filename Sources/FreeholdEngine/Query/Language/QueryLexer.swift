#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A lexer that divides a query's text into tokens, in time linear in its length.
struct QueryLexer {
    private let bytes: [UInt8]
    private var at = 0
    private var tokens: [QueryToken] = []

    private init(_ text: String) { bytes = Array(text.utf8) }

    /// Returns the tokens. The last one is `end` or `broken`.
    static func tokens(_ text: String) -> [QueryToken] {
        var lexer = QueryLexer(text)
        lexer.run()
        return lexer.tokens
    }

    private mutating func run() {
        while true {
            while at < bytes.count, Self.isSpace(bytes[at]) { at += 1 }
            let start = at
            do throws(QueryError) {
                let kind = try next()
                tokens.append(QueryToken(kind: kind, start: start, end: at))
                if case .end = kind { return }
            } catch {
                // The lexer's positions are in bytes. The parser converts them to characters.
                tokens.append(QueryToken(kind: .broken(error), start: error.position ?? start, end: bytes.count))
                return
            }
        }
    }

    private mutating func next() throws(QueryError) -> QueryToken.Kind {
        guard at < bytes.count else { return .end }
        let start = at
        let byte = bytes[at]
        if Self.isDigit(byte) { return try number() }
        if byte == UInt8(ascii: "."), Self.isDigit(peek(1)), !followsOperand { return try number() }
        if byte == UInt8(ascii: "$") {
            if let kind = numberedArgument() { return kind }
            return try word()
        }
        if Self.isNameStart(byte) || byte == UInt8(ascii: "\\") { return try word() }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .text(try quoted())
        case UInt8(ascii: "%"): return try placeholder()
        case UInt8(ascii: "@"):
            at += 1
            guard Self.isNameStart(peek(0)) else {
                throw error(
                    .syntax,
                    "'@' begins an operation.",
                    at: at - 1,
                    expected: ["@count", "@min", "@max", "@sum", "@avg"]
                )
            }
            return .operation(name())
        case UInt8(ascii: "#"):
            at += 1
            guard Self.isNameStart(peek(0)) else {
                throw error(.syntax, "'#' isn't understood.", at: at - 1, expected: ["#any"])
            }
            guard name().lowercased() == "any" else {
                throw error(.syntax, "'#' stands only in #any.", at: start, expected: ["#any"])
            }
            return .wildcard
        default: return try symbol()
        }
    }

    // MARK: Words

    private mutating func name() -> String {
        var out: [UInt8] = []
        while at < bytes.count {
            if bytes[at] == UInt8(ascii: "\\"), at + 1 < bytes.count, Self.isEscaped(bytes[at + 1]) {
                out.append(bytes[at + 1])
                at += 2
            } else if Self.isNameStart(bytes[at]) || Self.isDigit(bytes[at]) || bytes[at] == UInt8(ascii: "-") {
                out.append(bytes[at])
                at += 1
            } else {
                break
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    private mutating func word() throws(QueryError) -> QueryToken.Kind {
        let start = at
        let name = name()
        if name.isEmpty {
            throw error(.syntax, "A '\\' stands only before a sign, a space or a digit of a name.", at: start)
        }
        switch name {
        case "B64", "b64":
            if isQuote(peek(0)) { return .literal(.value(try base64(quoted(), start))) }
        case "binary":
            if let text = try parenthesised(start) { return .literal(.value(.data(.init(text.utf8)))) }
        case "uuid":
            if let text = try parenthesised(start) {
                guard text.utf8.count == 36, let uuid = UUID(uuidString: text) else {
                    throw error(.constant, "'\(QueryToken.short(text))' isn't a UUID.", at: start)
                }
                return .literal(.value(.uuid(uuid)))
            }
        case "decimal":
            if let text = try parenthesised(start) {
                guard let number = Decimal128(text) else {
                    throw error(.constant, "'\(QueryToken.short(text))' isn't a decimal number.", at: start)
                }
                return .literal(.value(.decimal128(number)))
            }
        case "oid":
            if let text = try parenthesised(start) {
                guard let id = ObjectId(text) else {
                    throw error(
                        .constant,
                        "'\(QueryToken.short(text))' isn't an ObjectId: 24 hexadecimal digits.",
                        at: start
                    )
                }
                return .literal(.value(.objectId(id)))
            }
        default: break
        }
        if peek(0) == UInt8(ascii: ":"), let first = name.first, first == "T" || first == "L" {
            if let kind = try pair(first, name.dropFirst(), start: start) { return kind }
        }
        return .name(name)
    }

    /// `T<seconds>:<nanoseconds>`, `L<table>:<key>`
    private mutating func pair(
        _ letter: Character,
        _ digits: Substring,
        start: Int
    ) throws(QueryError) -> QueryToken.Kind? {
        let unsigned = digits.first == "-" ? digits.dropFirst() : digits
        guard !unsigned.isEmpty, unsigned.utf8.allSatisfy(Self.isDigit) else { return nil }
        at += 1
        let second = at
        if peek(0) == UInt8(ascii: "-") { at += 1 }
        while Self.isDigit(peek(0)) { at += 1 }
        guard let a = Int64(digits), let b = Int64(string(from: second, to: at)) else {
            throw error(.constant, "'\(QueryToken.short(string(from: start, to: at)))' is out of range.", at: start)
        }
        if letter == "L" {
            guard let table = Int(exactly: a), a >= 0, b >= 0 else {
                throw error(.constant, "A table and an object's key are at least 0.", at: start)
            }
            return .literal(.object(tableID: table, ObjectKey(b)))
        }
        guard b.magnitude < 1_000_000_000, a == 0 || b == 0 || (a < 0) == (b < 0) else {
            throw error(.constant, "Nanoseconds are less than a second and have the seconds' sign.", at: start)
        }
        return .literal(.value(.timestamp(Timestamp(seconds: a, nanoseconds: Int32(b)))))
    }

    /// Returns the text in parentheses, with or without quotes, or `nil` if no parenthesis follows.
    private mutating func parenthesised(_ start: Int) throws(QueryError) -> String? {
        let mark = at
        skipSpaces()
        guard peek(0) == UInt8(ascii: "(") else {
            at = mark
            return nil
        }
        at += 1
        skipSpaces()
        let text: String
        if isQuote(peek(0)) {
            text = try quoted()
        } else {
            let first = at
            while Self.isNameStart(peek(0)) || Self.isDigit(peek(0)) || peek(0) == UInt8(ascii: "-") { at += 1 }
            text = string(from: first, to: at)
        }
        skipSpaces()
        guard peek(0) == UInt8(ascii: ")") else {
            throw error(.syntax, "'\(string(from: start, to: mark))(' isn't closed.", at: at, expected: ["')'"])
        }
        at += 1
        return text
    }

    private func base64(_ text: String, _ start: Int) throws(QueryError) -> Value {
        guard let data = Data(base64Encoded: text) else {
            throw error(.constant, "The text after B64 isn't base 64.", at: start)
        }
        return .data(data)
    }

    // MARK: Arguments

    /// `$0`, `$K0`
    private mutating func numberedArgument() -> QueryToken.Kind? {
        let isPath = peek(1) == UInt8(ascii: "K")
        var end = at + (isPath ? 2 : 1)
        let first = end
        while end < bytes.count, Self.isDigit(bytes[end]) { end += 1 }
        let isLast = end == bytes.count || !(Self.isNameStart(bytes[end]) || bytes[end] == UInt8(ascii: "-"))
        guard end > first, isLast else { return nil }
        // A number that is too large stands for a missing argument.
        let index = Int(string(from: first, to: end)) ?? .max
        at = end
        return isPath ? .pathArgument(index) : .argument(index)
    }

    /// `%@`, `%K`, and the formats of C.
    private mutating func placeholder() throws(QueryError) -> QueryToken.Kind {
        let start = at
        at += 1
        while "hlqztLj".utf8.contains(peek(0)) { at += 1 }
        let isPlain = at == start + 1
        let letter = peek(0)
        at = min(at + 1, bytes.count)
        if isPlain, letter == UInt8(ascii: "@") { return .argument(nil) }
        if isPlain, letter == UInt8(ascii: "K") { return .pathArgument(nil) }
        if "diouxXDOUfFeEgGaAcCsS".utf8.contains(letter) { return .argument(nil) }
        throw error(.syntax, "'%' begins no argument here.", at: start, expected: ["%@", "%K", "%d", "%f"])
    }

    // MARK: Numbers and dates

    private mutating func number() throws(QueryError) -> QueryToken.Kind {
        let start = at
        if let date = try date() { return .literal(.value(.timestamp(date))) }
        if peek(0) == UInt8(ascii: "0"), peek(1) | 0x20 == UInt8(ascii: "x") {
            at += 2
            while Self.isHexDigit(peek(0)) { at += 1 }
            if at == start + 2 { throw error(.constant, "A hexadecimal number needs digits.", at: start) }
        } else {
            digits()
            if peek(0) == UInt8(ascii: ".") {
                at += 1
                digits()
            }
            if peek(0) | 0x20 == UInt8(ascii: "e") {
                let signs = peek(1) == UInt8(ascii: "-") || peek(1) == UInt8(ascii: "+") ? 1 : 0
                if Self.isDigit(peek(1 + signs)) {
                    at += 1 + signs
                    digits()
                }
            }
            if peek(0) | 0x20 == UInt8(ascii: "f") { at += 1 }
        }
        if at < bytes.count, Self.isNameStart(bytes[at]) {
            _ = name()
            throw error(.constant, "'\(QueryToken.short(string(from: start, to: at)))' isn't a number.", at: start)
        }
        return .number(string(from: start, to: at))
    }

    private mutating func digits() { while Self.isDigit(peek(0)) { at += 1 } }

    /// `2024-05-31@23:59:00:5`, with `@` or `T`, nanoseconds at the end or not, or `nil` if it is something else.
    private mutating func date() throws(QueryError) -> Timestamp? {
        let start = at
        var fields: [String] = []
        // The separator that must follow each number. The sign between day and hour distinguishes a date from a subtraction.
        for separators in ["-", "-", "@T", ":", ":", ":"] {
            let first = at
            digits()
            fields.append(string(from: first, to: at))
            if fields.count == 6, peek(0) != UInt8(ascii: ":") { break }
            guard at > first, separators.utf8.contains(peek(0)), fields.count != 3 || Self.isDigit(peek(1)) else {
                if fields.count > 3 { throw error(.constant, "A date is written as 2024-05-31@23:59:00.", at: start) }
                at = start
                return nil
            }
            at += 1
        }
        if fields.count == 6, bytes[at - 1] == UInt8(ascii: ":") {
            let first = at
            digits()
            fields.append(string(from: first, to: at))
        }
        let numbers = fields.compactMap { Int64($0) }
        guard numbers.count == fields.count, let timestamp = Timestamp(calendar: numbers) else {
            throw error(.constant, "'\(QueryToken.short(string(from: start, to: at)))' isn't a date.", at: start)
        }
        return timestamp
    }

    // MARK: Strings

    private mutating func quoted() throws(QueryError) -> String {
        let start = at
        let quote = bytes[at]
        at += 1
        var out: [UInt8] = []
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            if byte == quote { return String(decoding: out, as: UTF8.self) }
            if byte != UInt8(ascii: "\\") {
                out.append(byte)
                continue
            }
            switch peek(0) {
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "/"), UInt8(ascii: "\\"): out.append(peek(0))
            case UInt8(ascii: "b"): out.append(8)
            case UInt8(ascii: "f"): out.append(12)
            case UInt8(ascii: "n"): out.append(10)
            case UInt8(ascii: "r"): out.append(13)
            case UInt8(ascii: "t"): out.append(9)
            case UInt8(ascii: "0"): out.append(0)
            case UInt8(ascii: "u"):
                out += try unicode().utf8
                continue
            default:
                throw error(
                    .syntax,
                    "Strings don't have this escape.",
                    at: at - 1,
                    expected: ["\\\\", "\\\"", "\\'", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t", "\\0", "\\uXXXX"]
                )
            }
            at += 1
        }
        throw error(.syntax, "The string isn't closed.", at: start, expected: [quote == UInt8(ascii: "'") ? "'" : "\""])
    }

    /// `uXXXX`, or a pair of them for scalars above 16 bits.
    private mutating func unicode() throws(QueryError) -> Unicode.Scalar {
        let start = at - 1
        func unit(_ lexer: inout QueryLexer) -> UInt32? {
            guard lexer.at + 5 <= lexer.bytes.count, lexer.bytes[lexer.at] == UInt8(ascii: "u") else { return nil }
            let digits = lexer.bytes[lexer.at + 1..<lexer.at + 5]
            guard digits.allSatisfy(Self.isHexDigit) else { return nil }
            lexer.at += 5
            return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        }
        if let high = unit(&self) {
            if let scalar = Unicode.Scalar(high) { return scalar }
            if high < 0xdc00, peek(0) == UInt8(ascii: "\\") {
                at += 1
                if let low = unit(&self), low >= 0xdc00, low < 0xe000,
                    let scalar = Unicode.Scalar(0x10000 + (high - 0xd800) << 10 + (low - 0xdc00))
                {
                    return scalar
                }
            }
        }
        throw error(.syntax, "\\u needs four hexadecimal digits of a character.", at: start)
    }

    // MARK: Symbols

    private mutating func symbol() throws(QueryError) -> QueryToken.Kind {
        for length in [2, 1] where at + length <= bytes.count {
            guard bytes[at] < 0x80, bytes[at + length - 1] < 0x80 else { continue }
            if let symbol = QueryToken.Symbol(rawValue: string(from: at, to: at + length)) {
                at += length
                return .symbol(symbol)
            }
        }
        let shown = String(decoding: [bytes[at]], as: UTF8.self)
        throw error(.syntax, "'\(shown)' isn't understood.", at: at)
    }

    // MARK: Bytes

    /// A Boolean value that indicates whether the previous token ends an operand. A point after an operand separates names.
    private var followsOperand: Bool {
        guard let last = tokens.last else { return false }
        return switch last.kind {
        case .name, .operation, .argument, .pathArgument: true
        case .symbol(let symbol): symbol == .closeBracket || symbol == .close
        default: false
        }
    }

    private mutating func skipSpaces() { while at < bytes.count, Self.isSpace(bytes[at]) { at += 1 } }

    /// Returns the byte at the offset, or 0 after the end.
    private func peek(_ offset: Int) -> UInt8 { at + offset < bytes.count ? bytes[at + offset] : 0 }
    private func string(from: Int, to: Int) -> String { String(decoding: bytes[from..<to], as: UTF8.self) }
    private func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    private func error(
        _ code: QueryError.Code,
        _ message: String,
        at position: Int,
        expected: [String] = []
    ) -> QueryError {
        QueryError(code, message, position: position, expected: expected)
    }

    /// Returns the name as it is written in a query: with a `\` before every character that would end the name or change its meaning.
    static func written(_ name: String) -> String {
        var lexer = QueryLexer(name)
        let isArgument = name.utf8.first == UInt8(ascii: "$") && lexer.numberedArgument() != nil
        var out: [UInt8] = []
        for (i, byte) in name.utf8.enumerated() {
            let isPlain =
                i == 0
                ? isNameStart(byte) && !isArgument : isNameStart(byte) || isDigit(byte) || byte == UInt8(ascii: "-")
            if !isPlain { out.append(UInt8(ascii: "\\")) }
            out.append(byte)
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Returns whether a byte can follow a `\` in a name: signs and digits of ASCII, including `$`.
    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x80 && (!isNameStart(byte) || byte == UInt8(ascii: "$"))
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (byte >= 9 && byte <= 13) }
    static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
    static func isHexDigit(_ byte: UInt8) -> Bool { isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 6 }
    static func isNameStart(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
            || byte >= 0x80
    }
}

extension Timestamp {
    /// Creates a date from year, month, day, hour, minute, second and an optional nanosecond of the Gregorian calendar, in UTC. Returns `nil` if the
    /// date doesn't exist.
    init?(calendar fields: [Int64]) {
        let (year, month, day) = (fields[0], fields[1], fields[2])
        guard year <= 999_999, (1...12).contains(month), fields[3] < 24, fields[4] < 60, fields[5] < 60 else {
            return nil
        }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day >= 1, day <= lengths[Int(month) - 1] else { return nil }
        let nanoseconds = fields.count > 6 ? fields[6] : 0
        guard nanoseconds < 1_000_000_000 else { return nil }
        // The number of days since 0000-03-01. With this start the leap day is the last day of a year.
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        let seconds = days * 86_400 + fields[3] * 3_600 + fields[4] * 60 + fields[5]
        self.init(seconds: seconds, nanoseconds: Int32(nanoseconds))
    }
}
