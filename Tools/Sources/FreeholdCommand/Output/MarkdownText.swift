/// Tables in GitHub's Markdown.
enum MarkdownText {
    static func appendHead(_ titles: [String], isNumber: [Bool], to bytes: inout [UInt8]) {
        append(titles, to: &bytes)
        bytes.append(contentsOf: ("|" + isNumber.map { $0 ? " ---: |" : " --- |" }.joined() + "\n").utf8)
    }

    static func append(_ cells: [String], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "|"))
        for cell in cells {
            bytes.append(UInt8(ascii: " "))
            bytes.append(contentsOf: escaped(cell).utf8)
            bytes.append(contentsOf: " |".utf8)
        }
        bytes.append(0x0A)
    }

    /// Returns the text with a backslash before characters that would be formatting. A line break is that of HTML.
    static func escaped(_ text: String) -> String {
        var out = ""
        for character in text {
            switch character {
            case "\n", "\r\n", "\r": out += "<br>"
            case "\\", "|", "*", "_", "`", "[", "]", "<", ">", "~", "&", "$":
                out.append("\\")
                out.append(character)
            default: out += TerminalText.escaped(String(character)).replacing("\\", with: "\\\\")
            }
        }
        return out
    }
}
