/// Tables as GitHub's Markdown has them.
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

    /// With a backslash before what would be formatting, so that the text is shown as it is. A line break is one of HTML.
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
