/// A streamed table. The first rows determine the widths of the columns.
///
/// On a terminal, the table has the width of the terminal, and long cells are cut. Other outputs aren't cut.
struct TextTable {
    /// The number of rows that determine the widths of the columns.
    static let sample = 500
    /// The largest width of a column if the output isn't a terminal. Longer cells exceed it.
    private static let widest = 48

    private let titles: [String]
    /// A Boolean value for each column that indicates whether its cells are right-aligned.
    private let isNumber: [Bool]
    private let terminalWidth: Int?
    private let output: StandardOutput
    private var rows: [[String]] = []
    private var widths: [Int]?

    init(_ titles: [String], isNumber: [Bool], width: Int? = Terminal.width, to output: StandardOutput = .shared) {
        self.titles = titles.map { TerminalText.escaped($0) }
        self.isNumber = isNumber
        terminalWidth = width
        self.output = output
    }

    mutating func add(_ cells: [String]) throws {
        let cells = cells.map { TerminalText.escaped($0) }
        if let widths { return try write(cells, widths) }
        rows.append(cells)
        if rows.count == Self.sample { try begin() }
    }

    mutating func finish() throws {
        if widths == nil { try begin() }
    }

    private mutating func begin() throws {
        var widths = titles.map { TerminalText.width($0) }
        for row in rows {
            for (i, cell) in row.enumerated() { widths[i] = max(widths[i], TerminalText.width(cell)) }
        }
        if let terminalWidth { Self.fit(&widths, terminalWidth) } else { widths = widths.map { min($0, Self.widest) } }
        self.widths = widths
        try write(titles, widths)
        try output.line(widths.map { String(repeating: "─", count: $0) }.joined(separator: "  "))
        for row in rows { try write(row, widths) }
        rows = []
    }

    /// Reduces the widest columns until all fit. No column gets narrower than three, so a very large number of columns
    /// doesn't fit.
    private static func fit(_ widths: inout [Int], _ limit: Int) {
        var excess = widths.reduce(0, +) + 2 * (widths.count - 1) - limit
        while excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > 3 {
            let second = widths.filter { $0 < widths[widest] }.max() ?? 0
            let same = widths.filter { $0 == widths[widest] }.count
            let step = max(1, min(widths[widest] - max(second, 3), excess / same))
            widths[widest] -= step
            excess -= step
        }
    }

    private func write(_ cells: [String], _ widths: [Int]) throws {
        var line = ""
        for (i, cell) in cells.enumerated() {
            if i > 0 { line += "  " }
            // The width of the last column is irrelevant if cells aren't cut.
            if terminalWidth == nil, i == cells.count - 1, !isNumber[i] {
                line += cell
                continue
            }
            let shown = terminalWidth == nil ? cell : TerminalText.cut(cell, to: widths[i])
            let space = String(repeating: " ", count: max(0, widths[i] - TerminalText.width(shown)))
            line += isNumber[i] ? space + shown : shown + space
        }
        while line.utf8.last == UInt8(ascii: " ") { line.removeLast() }
        try output.line(line)
    }
}
