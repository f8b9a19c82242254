/// The possible texts at the cursor, and the part of the line that they replace.
struct Completion: Equatable {
    struct Candidate: Equatable, Hashable {
        let text: String
        /// The text after the only candidate, such as a space or a parenthesis.
        var suffix = " "
    }

    /// The first replaced character. The last one is the character before the cursor.
    let start: Int
    let candidates: [Candidate]

    /// Returns the line after a tab, and the list to show if the tab is ambiguous.
    func applied(to line: EditLine) -> (line: EditLine, list: [String]) {
        var line = line
        guard let first = candidates.first, start <= line.cursor else { return (line, []) }
        if candidates.count == 1 {
            line.replace(start..<line.cursor, with: first.text + first.suffix)
            return (line, [])
        }
        let common = candidates.dropFirst().reduce(first.text) { Self.commonPrefix($0, of: $1.text) }
        if common.count > line.cursor - start {
            line.replace(start..<line.cursor, with: common)
            return (line, [])
        }
        return (line, candidates.map(\.text))
    }

    private static func commonPrefix(_ a: String, of b: String) -> String {
        String(zip(a, b).prefix { $0 == $1 }.map(\.0))
    }

    /// Returns names in as many columns as fit, in the order of the columns.
    static func table(_ names: [String], columns: Int, limit: Int = 200) -> [String] {
        let shown = names.prefix(limit).map { TerminalText.escaped($0) }
        let width = (shown.map { TerminalText.width($0) }.max() ?? 0) + 2
        let perRow = max(1, columns / max(1, width))
        let rows = (shown.count + perRow - 1) / perRow
        var lines = (0..<rows).map { row in
            var line = ""
            for i in stride(from: row, to: shown.count, by: rows) {
                let isLast = i + rows >= shown.count
                line += shown[i]
                if !isLast { line += String(repeating: " ", count: width - TerminalText.width(shown[i])) }
            }
            return TerminalText.cut(line, to: columns)
        }
        if names.count > limit { lines.append("… and \(names.count - limit) more") }
        return lines
    }
}
