/// Fields in the notation of RFC 4180.
enum CSVText {
    /// Appends a field. Null is an empty field, and an empty string is two quotation marks, so that they can be
    /// distinguished.
    static func append(_ cell: RowText.Cell, to bytes: inout [UInt8]) {
        switch cell {
        case .null: break
        case .scalar(let text): bytes.append(contentsOf: text.utf8)
        case .string(let text), .json(let text): append(text, to: &bytes)
        }
    }

    static func append(_ text: String, to bytes: inout [UInt8]) {
        let isPlain = !text.isEmpty && !text.utf8.contains(where: needsQuotes) && text.first != " " && text.last != " "
        // In a mixed column, the text of a number differs from the number.
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

    /// Appends the line break of RFC 4180.
    static func endLine(_ bytes: inout [UInt8]) { bytes.append(contentsOf: [0x0D, 0x0A]) }
}
