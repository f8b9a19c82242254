/// Fields as RFC 4180 writes them.
enum CSVText {
    /// A field; null is nothing at all, an empty string is two quotation marks, so that they stay apart.
    static func append(_ cell: RowText.Cell, to bytes: inout [UInt8]) {
        switch cell {
        case .null: break
        case .scalar(let text): bytes.append(contentsOf: text.utf8)
        case .string(let text), .json(let text): append(text, to: &bytes)
        }
    }

    static func append(_ text: String, to bytes: inout [UInt8]) {
        let isPlain = !text.isEmpty && !text.utf8.contains(where: needsQuotes) && text.first != " " && text.last != " "
        // In a mixed column the text of a number isn't the number.
        guard !isPlain || JSONString.isJSON(text) else {
            bytes.append(contentsOf: text.utf8)
            return
        }
        let quote = UInt8(ascii: "\"")
        bytes.append(quote)
        for byte in text.utf8 {
            if byte == quote { bytes.append(quote) }
            bytes.append(byte)
        }
        bytes.append(quote)
    }

    private static func needsQuotes(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == 0x0A || byte == 0x0D
    }

    /// RFC 4180's line break.
    static func endLine(_ bytes: inout [UInt8]) { bytes.append(contentsOf: [0x0D, 0x0A]) }
}
