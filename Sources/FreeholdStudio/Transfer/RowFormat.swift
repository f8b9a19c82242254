import FreeholdEngine

/// The forms in which rows are copied and exported.
enum RowFormat: String, CaseIterable, Sendable {
    case text, html, json, jsonl, csv, markdown, swift, condition

    /// The ending of files of this form.
    var fileExtension: String {
        switch self {
        case .text, .condition: "txt"
        case .html: "html"
        case .json: "json"
        case .jsonl: "jsonl"
        case .csv: "csv"
        case .markdown: "md"
        case .swift: "swift"
        }
    }

    var mediaType: String {
        switch self {
        case .json: "application/json"
        case .jsonl: "application/x-ndjson"
        case .csv: "text/csv; charset=utf-8"
        default: "text/plain; charset=utf-8"
        }
    }
}

/// Writes rows in one form, piece by piece.
struct RowWriter {
    let view: DataView
    let facts: SchemaFacts
    let table: Table
    let columns: [Column]
    let format: RowFormat
    /// A Boolean value that indicates whether a quotation mark is put before cells that spreadsheets could read as formulas.
    var quotesFormulas = false

    private var text: ObjectText { ObjectText(view: view, facts: facts) }

    /// The text before the first row.
    var head: String { format.head(columns.map(\.name), quotesFormulas: quotesFormulas) }

    /// The text after the last row.
    var tail: String { format.tail }

    /// Returns the text of a row.
    func row(_ key: ObjectKey, isFirst: Bool) -> String {
        switch format {
        case .json: return (isFirst ? "\n" : ",\n") + text.json(table, key, columns: columns)
        case .jsonl: return text.json(table, key, columns: columns) + "\n"
        case .text, .csv, .markdown, .html:
            return format.line(columns.map { text.cell($0, of: key) }, quotesFormulas: quotesFormulas)
        case .swift: return "    " + SwiftLiteral(view: view, facts: facts).object(table, key, columns: columns) + ",\n"
        case .condition:
            let terms = columns.compactMap { CellCondition(view: view).text($0, of: key) }
            return (isFirst ? "" : " || ") + "(" + terms.joined(separator: " && ") + ")"
        }
    }
}

extension RowFormat {
    /// Returns the text before the first row.
    ///
    /// - Parameter quotesFormulas: A Boolean value that indicates whether a quotation mark is put before cells that spreadsheets could read as formulas.
    func head(_ names: [String], quotesFormulas: Bool = false) -> String {
        switch self {
        case .json: "["
        case .jsonl, .condition: ""
        case .text, .csv: line(names, quotesFormulas: quotesFormulas)
        case .markdown: line(names) + "|" + String(repeating: " --- |", count: names.count) + "\n"
        case .html: "<table><tr>" + names.map { "<th>\(Self.html($0))</th>" }.joined() + "</tr>"
        case .swift: "[\n"
        }
    }

    /// The text after the last row.
    var tail: String {
        switch self {
        case .json, .swift: "]\n"
        case .html: "</table>"
        case .text, .jsonl, .csv, .markdown, .condition: ""
        }
    }

    /// Returns a row of the texts of its cells, for forms of cells.
    func line(_ cells: [String], quotesFormulas: Bool = false) -> String {
        switch self {
        case .text: cells.map(Self.tabbed).joined(separator: "\t") + "\n"
        case .csv: cells.map { Self.csv($0, quotesFormulas: quotesFormulas) }.joined(separator: ",") + "\r\n"
        case .markdown: "| " + cells.map(Self.markdown).joined(separator: " | ") + " |\n"
        case .html: "<tr>" + cells.map { "<td>\(Self.html($0))</td>" }.joined() + "</tr>"
        case .json, .jsonl, .swift, .condition: ""
        }
    }

    private static func tabbed(_ cell: String) -> String {
        guard cell.contains(where: { $0 == "\t" || $0.isNewline || $0 == "\"" }) else { return cell }
        return "\"" + cell.replacing("\"", with: "\"\"") + "\""
    }

    private static func csv(_ cell: String, quotesFormulas: Bool) -> String {
        var cell = cell
        if quotesFormulas, let first = cell.unicodeScalars.first, "=+-@\t\r".unicodeScalars.contains(first) {
            cell = "'" + cell
        }
        guard cell.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) || cell.first == " " || cell.last == " "
        else { return cell }
        return "\"" + cell.replacing("\"", with: "\"\"") + "\""
    }

    private static func markdown(_ cell: String) -> String {
        var out = ""
        for character in cell {
            switch character {
            case "\\", "|", "`", "*", "_", "<", ">", "[", "]", "#": out += "\\\(character)"
            case _ where character.isNewline: out += " "
            default: out.append(character)
            }
        }
        return out
    }

    private static func html(_ cell: String) -> String {
        cell.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
