import Foundation

/// A writer of rows of values in one of the formats, one by one.
struct RowOutput {
    private let format: RowFormat
    private let titles: [String]
    private let output: (Data) throws -> Void
    private var table: TextTable
    private var bytes: [UInt8] = []
    private var count = 0

    init(
        _ format: RowFormat,
        _ titles: [String],
        isNumber: [Bool],
        output: @escaping (Data) throws -> Void
    ) {
        self.format = format
        self.titles = titles
        self.output = output
        table = TextTable(titles, isNumber: isNumber)
        switch format {
        case .csv:
            for (i, title) in titles.enumerated() {
                if i > 0 { bytes.append(UInt8(ascii: ",")) }
                CSVText.append(title, to: &bytes)
            }
            CSVText.endLine(&bytes)
        case .markdown: MarkdownText.appendHead(titles, isNumber: isNumber, to: &bytes)
        case .json: bytes.append(UInt8(ascii: "["))
        case .table, .jsonl: break
        }
    }

    mutating func add(_ cells: [RowText.Cell]) throws {
        switch format {
        case .table: return try table.add(cells.map(\.shown))
        case .csv:
            for (i, cell) in cells.enumerated() {
                if i > 0 { bytes.append(UInt8(ascii: ",")) }
                CSVText.append(cell, to: &bytes)
            }
            CSVText.endLine(&bytes)
        case .markdown: MarkdownText.append(cells.map(\.shown), to: &bytes)
        case .json, .jsonl:
            if format == .json, count > 0 { bytes.append(contentsOf: ",\n".utf8) }
            bytes.append(contentsOf: JSONNode.object(zip(titles, cells).map { ($0, $1.json) }).utf8)
            if format == .jsonl { bytes.append(0x0A) }
        }
        count += 1
        if bytes.count >= 64 * 1024 { try flush() }
    }

    mutating func finish() throws {
        switch format {
        case .table: try table.finish()
        case .json: bytes.append(contentsOf: "]\n".utf8)
        case .jsonl, .csv, .markdown: break
        }
        try flush()
    }

    private mutating func flush() throws {
        if bytes.isEmpty { return }
        try output(Data(bytes))
        bytes.removeAll(keepingCapacity: true)
    }
}
