/// Text for a terminal: its width, and its form without characters that would move the cursor, ring the bell, or change
/// the direction of the line.
enum TerminalText {
    /// Returns the text with control characters as escapes, such as `\n` for a line break.
    static func escaped(_ text: String) -> String {
        // Most text is plain ASCII.
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var out = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": out.append(contentsOf: "\\n".unicodeScalars)
            case "\r": out.append(contentsOf: "\\r".unicodeScalars)
            case "\t": out.append(contentsOf: "\\t".unicodeScalars)
            case _ where isControl(scalar):
                out.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            default: out.append(scalar)
            }
        }
        return String(out)
    }

    /// Returns several lines with control characters as escapes.
    static func lines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { escaped(String($0)) }.joined(
            separator: "\n"
        )
    }

    /// Returns a Boolean value that indicates whether a character is a control character of either set, a line or
    /// paragraph separator, or a mark that sets the direction of text.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }

    /// Returns the number of columns of a text.
    static func width(_ text: String) -> Int {
        var width = 0
        var isPlain = true
        for byte in text.utf8 {
            if byte >= 0x80 {
                isPlain = false
                break
            }
            width += 1
        }
        return isPlain ? width : text.reduce(0) { $0 + self.width($1) }
    }

    private static func width(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if first.properties.isEmojiPresentation { return 2 }
        // An emoji that is shown as text unless a selector follows.
        if first.properties.isEmoji, character.unicodeScalars.contains("\u{FE0F}"), first.value > 0xFF { return 2 }
        if isWide(first.value) { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return character.unicodeScalars.count > 1 ? 1 : 0
        default: return 1
        }
    }

    /// Returns a Boolean value that indicates whether an East Asian character has two columns.
    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x17000...0x18CD5, 0x1B000...0x1B2FF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }

    /// Returns at most a number of columns of a text, with an ellipsis if a part is omitted.
    static func cut(_ text: String, to limit: Int) -> String {
        if width(text) <= limit { return text }
        var out = ""
        var used = 0
        for character in text {
            let width = width(character)
            if used + width > limit - 1 { break }
            out.append(character)
            used += width
        }
        return out + "…"
    }
}
