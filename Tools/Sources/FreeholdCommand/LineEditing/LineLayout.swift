/// The rows of a prompt and a line on a terminal of a given width, and the position of the cursor.
struct LineLayout: Equatable {
    /// The text of each row, at most as wide as the terminal.
    private(set) var rows = [""]
    /// The cursor's row and column, counted from 0.
    private(set) var cursorRow = 0
    private(set) var cursorColumn = 0

    /// - Parameter columns: The width of the terminal. A wider character has its own row.
    init(prompt: String, line: EditLine, columns: Int) {
        let columns = max(1, columns)
        var column = 0
        func put(_ character: Character) {
            // Characters that would move the cursor are shown as escapes.
            let shown = TerminalText.escaped(String(character))
            let pieces = shown.count > 1 ? shown.map { String($0) } : [shown]
            for piece in pieces {
                let width = TerminalText.width(piece)
                if column + width > columns, column > 0 {
                    rows.append("")
                    column = 0
                }
                rows[rows.count - 1] += piece
                column += width
            }
        }
        func placeCursor() {
            // After a full row, the cursor is at the beginning of the next one.
            if column >= columns {
                rows.append("")
                column = 0
            }
            (cursorRow, cursorColumn) = (rows.count - 1, column)
        }
        for character in prompt { put(character) }
        for (i, character) in line.characters.enumerated() {
            if i == line.cursor {
                // The cursor moves to the next row with a wide character that doesn't fit.
                let width = TerminalText.width(TerminalText.escaped(String(character)).prefix(1).description)
                if column + width > columns, column > 0 {
                    rows.append("")
                    column = 0
                }
                placeCursor()
            }
            put(character)
        }
        if line.cursor == line.characters.count { placeCursor() }
    }

    /// Returns the text that makes a terminal show the line.
    ///
    /// - Parameters:
    ///   - cursorRow: The present row of the terminal's cursor, relative to the first row of the line.
    ///   - height: The number of rows of the terminal. For a higher line, the part around the cursor is shown.
    /// - Returns: The text to send, and the new row of the cursor.
    func drawing(from cursorRow: Int, height: Int) -> (text: String, cursorRow: Int) {
        let height = max(1, height)
        let first = min(max(0, self.cursorRow - height + 1), max(0, rows.count - height))
        let shown = rows[first..<min(rows.count, first + height)]
        var text = cursorRow > 0 ? "\u{1B}[\(cursorRow)A" : ""
        text += "\r\u{1B}[J" + shown.joined(separator: "\r\n")
        let row = self.cursorRow - first
        let up = shown.count - 1 - row
        if up > 0 { text += "\u{1B}[\(up)A" }
        text += "\r"
        if cursorColumn > 0 { text += "\u{1B}[\(cursorColumn)C" }
        return (text, row)
    }
}
