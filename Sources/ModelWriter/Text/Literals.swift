/// String literals. Invisible characters are escaped in all of them. Ordinary characters of all scripts are kept.
enum Literals {
    static func swift(_ text: String) -> String {
        literal(text, "\"") { scalar in "\\u{\(hexadecimal(scalar.value))}" }
    }

    static func kotlin(_ text: String) -> String {
        literal(text, "\"", and: ["$"]) { scalar in units(scalar).map { "\\u" + padded($0) }.joined() }
    }

    /// Writes control characters in octal, because Java interprets `\u000a` before it reads the literal.
    static func java(_ text: String) -> String {
        literal(text, "\"") { scalar in
            if scalar.value < 0x100 { return "\\" + octal(scalar.value) }
            return units(scalar).map { "\\u" + padded($0) }.joined()
        }
    }

    static func csharp(_ text: String) -> String {
        literal(text, "\"") { scalar in units(scalar).map { "\\u" + padded($0) }.joined() }
    }

    static func javaScript(_ text: String) -> String { csharp(text) }

    static func dart(_ text: String) -> String {
        literal(text, "'", and: ["$"]) { scalar in "\\u{\(hexadecimal(scalar.value))}" }
    }

    /// Writes characters as octal bytes, which C always supports. Its `\u` doesn't support control characters. Question
    /// marks are escaped too, because they may be part of a trigraph.
    static func objectiveC(_ text: String) -> String {
        "@"
            + literal(text, "\"", and: ["?"]) { scalar in
                String(scalar).utf8.map { "\\" + octal(UInt32($0)) }.joined()
            }
    }

    private static func literal(
        _ text: String,
        _ mark: Unicode.Scalar,
        and others: Set<Unicode.Scalar> = [],
        _ escape: (Unicode.Scalar) -> String
    ) -> String {
        var out = String(mark)
        for scalar in text.unicodeScalars {
            if scalar == mark || scalar == "\\" || others.contains(scalar) {
                out.unicodeScalars.append("\\")
                out.unicodeScalars.append(scalar)
            } else if SourceText.isHidden(scalar) {
                out += escape(scalar)
            } else {
                out.unicodeScalars.append(scalar)
            }
        }
        out.unicodeScalars.append(mark)
        return out
    }

    private static func units(_ scalar: Unicode.Scalar) -> [UInt32] { String(scalar).utf16.map { UInt32($0) } }
    private static func hexadecimal(_ value: UInt32) -> String { String(value, radix: 16) }

    private static func padded(_ value: UInt32) -> String {
        let digits = hexadecimal(value)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    private static func octal(_ value: UInt32) -> String {
        let digits = String(value, radix: 8)
        return String(repeating: "0", count: 3 - digits.count) + digits
    }
}
