/// Rows in columns, streamed: the first rows decide how wide the columns are.
///
/// On a terminal the table fits its width and long cells are cut. Elsewhere nothing is cut.
struct TextTable {
    /// Rows that are looked at for the columns' widths.
    static let sample = 500
    /// Elsewhere than on a terminal: what longer cells go beyond.
    private static let widest = 48

    private let titles: [String]
    /// Columns whose cells stand at the right.
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

    /// Takes from the widest column until all fit; none gets narrower than three, so that very many columns don't fit.
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
            // How wide the last one is doesn't matter where nothing is cut.
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
