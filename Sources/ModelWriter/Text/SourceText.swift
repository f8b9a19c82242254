/// Source code that is written line by line.
struct SourceText {
    private(set) var text = ""
    private let unit: String
    private var indentation = ""

    init(indent: Int) { unit = String(repeating: " ", count: indent) }

    mutating func line(_ line: String) { text += line.isEmpty ? "\n" : indentation + line + "\n" }

    mutating func blank() { if !text.isEmpty && !text.hasSuffix("\n\n") { text += "\n" } }

    /// Writes a first and a last line, and indents the lines between them.
    mutating func block(_ start: String, _ end: String, _ body: (inout SourceText) -> Void) {
        line(start)
        indentation += unit
        body(&self)
        indentation.removeLast(unit.count)
        line(end)
    }

    /// Writes line comments. The remarks are already printable.
    mutating func comments(_ remarks: [String]) { for remark in remarks { line("// " + remark) } }

    /// Returns a name for use in the comments of any language: one line, without backslashes (Java's `\u000a` ends a
    /// line even in a comment, and a C compiler joins lines at a backslash), and without invisible characters and marks
    /// that change the direction of text.
    static func printable(_ name: String, limit: Int = 100) -> String {
        var out = ""
        for (count, scalar) in name.unicodeScalars.enumerated() {
            if count == limit { return out + "…" }
            if scalar == "\\" || isHidden(scalar) {
                out += "<U+\(String(scalar.value, radix: 16, uppercase: true))>"
            } else {
                out.unicodeScalars.append(scalar)
            }
        }
        return out
    }

    /// Returns a Boolean value that indicates whether a character is a control character, a mark of format or
    /// direction, the end of a line, or an unknown character.
    static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}
