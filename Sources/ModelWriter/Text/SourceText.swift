/// Source code in the making, line by line.
struct SourceText {
    private(set) var text = ""
    private let unit: String
    private var indentation = ""

    init(indent: Int) { unit = String(repeating: " ", count: indent) }

    mutating func line(_ line: String) { text += line.isEmpty ? "\n" : indentation + line + "\n" }

    mutating func blank() { if !text.isEmpty && !text.hasSuffix("\n\n") { text += "\n" } }

    /// Begins with a line, ends with one, and indents what is between them.
    mutating func block(_ start: String, _ end: String, _ body: (inout SourceText) -> Void) {
        line(start)
        indentation += unit
        body(&self)
        indentation.removeLast(unit.count)
        line(end)
    }

    /// Comments to the ends of their lines. What they say is printable already.
    mutating func comments(_ remarks: [String]) { for remark in remarks { line("// " + remark) } }

    /// A name as it may stand in any language's comment: one line, no backslash (Java's `\u000a` ends a line even in a comment, a C
    /// compiler joins lines at one), nothing that can't be seen or that turns the direction of writing.
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

    /// Whether a character is a control, a mark of format or direction, the end of a line, or of no known meaning.
    static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}
