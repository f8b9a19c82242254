/// A lexer that splits Swift source into tokens.
///
/// The lexer implements the part of the language that is needed to find declarations: nested comments, strings with
/// interpolation, raw and multi-line strings, regular expressions. It never fails. Text that can't be Swift is recorded
/// in ``problem``.
struct Lexer {
    private let bytes: [UInt8]
    private var i = 0
    private var isAtLineStart = true
    private(set) var tokens: [Token] = []
    /// The first problem and its position.
    private(set) var problem: (offset: Int, message: String)?

    static func tokens(of bytes: [UInt8]) -> (tokens: [Token], problem: (offset: Int, message: String)?) {
        var lexer = Lexer(bytes)
        lexer.run(insideInterpolation: false)
        return (lexer.tokens, lexer.problem)
    }

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    private func byte(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    private func matches(_ text: StaticString, at offset: Int) -> Bool {
        guard offset + text.utf8CodeUnitCount <= bytes.count else { return false }
        for k in 0..<text.utf8CodeUnitCount where bytes[offset + k] != text.utf8Start[k] { return false }
        return true
    }

    private mutating func fail(at offset: Int, _ message: String) {
        if problem == nil { problem = (offset, message) }
    }

    private mutating func emit(_ kind: Token.Kind, from start: Int, text: Range<Int>? = nil) {
        // A backslash may be the last byte.
        i = min(i, bytes.count)
        let range = text ?? start..<i
        tokens.append(
            Token(
                kind: kind,
                start: start,
                end: i,
                text: String(decoding: bytes[range], as: UTF8.self),
                startsLine: isAtLineStart
            )
        )
        isAtLineStart = false
    }

    /// - Parameter insideInterpolation: If true, it ends before the parenthesis that closes the interpolation.
    private mutating func run(insideInterpolation: Bool) {
        var depth = 0
        if i == 0, matches("#!", at: 0) { skipLine() }
        while i < bytes.count {
            let start = i
            let c = bytes[i]
            if skipBlank() { continue }
            switch c {
            case UInt8(ascii: "\""): string(hashes: 0)
            case UInt8(ascii: "#"): hash()
            case UInt8(ascii: "`"): quotedWord()
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number()
            case UInt8(ascii: "/") where isRegexStart(): regex()
            case _ where Self.isWordByte(c):
                while i < bytes.count, Self.isWordByte(bytes[i]) { i += 1 }
                emit(.word(quoted: false), from: start)
            default:
                if insideInterpolation {
                    if c == UInt8(ascii: "(") { depth += 1 }
                    if c == UInt8(ascii: ")") {
                        if depth == 0 { return }
                        depth -= 1
                    }
                }
                i += 1
                emit(.mark, from: start)
            }
        }
    }

    static func isWordByte(_ c: UInt8) -> Bool {
        switch c {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }

    // MARK: What isn't a token

    private mutating func skipLine() {
        while i < bytes.count, bytes[i] != 0x0A, bytes[i] != 0x0D { i += 1 }
    }

    /// Skips white space or a comment.
    ///
    /// - Returns: A Boolean value that indicates whether it skipped anything.
    private mutating func skipBlank() -> Bool {
        switch bytes[i] {
        case 0x0A, 0x0D:
            isAtLineStart = true
            i += 1
        case 0x20, 0x09, 0x0B, 0x0C, 0x00: i += 1
        case 0xEF where byte(i + 1) == 0xBB && byte(i + 2) == 0xBF: i += 3
        case 0xC2 where byte(i + 1) == 0xA0: i += 2
        case UInt8(ascii: "/") where byte(i + 1) == UInt8(ascii: "/"): skipLine()
        case UInt8(ascii: "/") where byte(i + 1) == UInt8(ascii: "*"): skipComment()
        default: return false
        }
        return true
    }

    private mutating func skipComment() {
        let start = i
        var depth = 0
        while i < bytes.count {
            if matches("/*", at: i) {
                depth += 1
                i += 2
            } else if matches("*/", at: i) {
                depth -= 1
                i += 2
                if depth == 0 { return }
            } else {
                if bytes[i] == 0x0A { isAtLineStart = true }
                i += 1
            }
        }
        fail(at: start, "a comment has no end")
    }

    // MARK: Words and numbers

    private mutating func quotedWord() {
        let start = i
        i += 1
        while i < bytes.count, bytes[i] != UInt8(ascii: "`"), bytes[i] != 0x0A { i += 1 }
        let end = i
        if byte(i) == UInt8(ascii: "`") { i += 1 } else { fail(at: start, "a name in backticks has no end") }
        emit(.word(quoted: true), from: start, text: (start + 1)..<end)
    }

    private mutating func number() {
        let start = i
        while i < bytes.count {
            if Self.isWordByte(bytes[i]) {
                // The sign of an exponent.
                let isExponent = bytes[i] | 0x20 == UInt8(ascii: "e") && !matches("0x", at: start)
                let isBinary = bytes[i] | 0x20 == UInt8(ascii: "p") && matches("0x", at: start)
                i += 1
                if isExponent || isBinary, byte(i) == UInt8(ascii: "-") || byte(i) == UInt8(ascii: "+") { i += 1 }
            } else if bytes[i] == UInt8(ascii: "."), (0x30...0x39).contains(byte(i + 1)),
                tokens.last?.isMark(".") != true
            {
                i += 1
            } else {
                break
            }
        }
        emit(.number, from: start)
    }

    private mutating func hash() {
        let start = i
        var hashes = 0
        while byte(i + hashes) == UInt8(ascii: "#") { hashes += 1 }
        if byte(i + hashes) == UInt8(ascii: "\"") { return string(hashes: hashes) }
        if byte(i + hashes) == UInt8(ascii: "/") { return regex() }
        i += 1
        while i < bytes.count, Self.isWordByte(bytes[i]) { i += 1 }
        switch String(decoding: bytes[start..<i], as: UTF8.self) {
        case "#": emit(.mark, from: start)
        case "#if", "#elseif", "#else", "#endif", "#sourceLocation":
            while i < bytes.count, bytes[i] != 0x0A, bytes[i] != 0x0D, !matches("//", at: i), !matches("/*", at: i) {
                i += 1
            }
            emit(.directive, from: start)
        default: emit(.hash, from: start)
        }
    }

    // MARK: Strings

    private mutating func string(hashes: Int) {
        var start = i
        i += hashes
        let isMultiline = matches("\"\"\"", at: i) && !(hashes > 0 && endsOnLine(from: i + 1, hashes))
        i += isMultiline ? 3 : 1
        var hasInterpolation = false
        while i < bytes.count {
            switch bytes[i] {
            case UInt8(ascii: "\\") where hasHashes(hashes, at: i + 1):
                i += 1 + hashes
                guard byte(i) == UInt8(ascii: "(") else {
                    i += 1
                    continue
                }
                i += 1
                hasInterpolation = true
                emit(.literalPart, from: start)
                run(insideInterpolation: true)
                start = i
                // The closing parenthesis begins the next part.
                if i < bytes.count { i += 1 }
            case UInt8(ascii: "\"") where isMultiline:
                if matches("\"\"\"", at: i), hasHashes(hashes, at: i + 3) {
                    i += 3 + hashes
                    return emit(hasInterpolation ? .literalPart : .literal, from: start)
                }
                i += 1
            case UInt8(ascii: "\"") where hasHashes(hashes, at: i + 1):
                i += 1 + hashes
                return emit(hasInterpolation ? .literalPart : .literal, from: start)
            case 0x0A where !isMultiline, 0x0D where !isMultiline:
                fail(at: start, "a string has no end")
                return emit(hasInterpolation ? .literalPart : .literal, from: start)
            default: i += 1
            }
        }
        fail(at: start, "a string has no end")
        emit(hasInterpolation ? .literalPart : .literal, from: start)
    }

    private func hasHashes(_ count: Int, at offset: Int) -> Bool {
        for k in 0..<count where byte(offset + k) != UInt8(ascii: "#") { return false }
        return true
    }

    /// Returns a Boolean value that indicates whether a raw string that begins with three quotation marks ends on its
    /// line, so that it isn't multi-line.
    private func endsOnLine(from offset: Int, _ hashes: Int) -> Bool {
        var k = offset
        while k < bytes.count, bytes[k] != 0x0A {
            if bytes[k] == UInt8(ascii: "\""), hasHashes(hashes, at: k + 1) { return true }
            k += 1
        }
        return false
    }

    // MARK: Regular expressions

    /// Returns a Boolean value that indicates whether a slash begins a regular expression. It does if an operator isn't
    /// possible there and another slash closes it on its line.
    private func isRegexStart() -> Bool {
        let next = byte(i + 1)
        if [0x20, 0x09, 0x0A, 0x0D, 0x00, UInt8(ascii: ")"), UInt8(ascii: ","), UInt8(ascii: "=")].contains(next) {
            return false
        }
        if let last = tokens.last, !isAtLineStart {
            switch last.kind {
            case .mark:
                guard ["(", ",", "=", ":", "[", "{", "&", "|", "?", "!"].contains(last.text), last.end <= i else {
                    return false
                }
                if last.text == "!" || last.text == "?", last.end == i { return false }
            case .word:
                guard ["return", "case", "in", "if", "while", "guard", "try", "await"].contains(last.text) else {
                    return false
                }
            default: return false
            }
        }
        var k = i + 1
        while k < bytes.count, bytes[k] != 0x0A {
            if bytes[k] == UInt8(ascii: "\\") { k += 1 } else if bytes[k] == UInt8(ascii: "/") { return true }
            k += 1
        }
        return false
    }

    private mutating func regex() {
        let start = i
        var hashes = 0
        while byte(i) == UInt8(ascii: "#") {
            hashes += 1
            i += 1
        }
        i += 1
        while i < bytes.count, hashes > 0 || bytes[i] != 0x0A {
            if bytes[i] == UInt8(ascii: "\\") {
                i += 2
            } else if bytes[i] == UInt8(ascii: "/"), hasHashes(hashes, at: i + 1) {
                i += 1 + hashes
                return emit(.literal, from: start)
            } else {
                i += 1
            }
        }
        i = min(i, bytes.count)
        fail(at: start, "a regular expression has no end")
        emit(.literal, from: start)
    }
}
