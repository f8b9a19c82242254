import Foundation
import FreeholdEngine

/// Converts the rows of a CSV file to lines of JSON, which the library imports.
final class CSVObjects {
    private let rows: CSVRows
    private let columns: [Column?]
    private let reader: TypedText

    private static let pieceBytes = 256 << 10

    init(_ path: String, _ table: Table, _ mapping: ImportMapping, view: DataView, facts: SchemaFacts)
        throws(StudioError)
    {
        rows = try CSVRows(path)
        reader = TypedText(view: view, facts: facts)
        let head = try rows.next() ?? []
        columns = head.map { mapping.column($0.text, of: table) }
        guard columns.contains(where: { $0 != nil }) else {
            throw StudioError(.invalid, "No column of the file has the name of a property of '\(table.name)'.")
        }
    }

    /// Returns the next lines, or empty data at the end.
    func next() throws(StudioError) -> Data {
        var out = JSONText()
        while out.count < Self.pieceBytes {
            let line = rows.line
            guard let row = try rows.next() else { break }
            try write(row, line, to: &out)
        }
        return Data(out.bytes)
    }

    private func write(_ row: [CSVRows.Field], _ line: Int, to out: inout JSONText) throws(StudioError) {
        out.mark("{")
        var isFirst = true
        for (field, column) in zip(row, columns) {
            guard let column else { continue }
            if !isFirst { out.mark(",") }
            isFirst = false
            out.key(column.name)
            do throws(StudioError) { try write(field, column, to: &out) } catch {
                throw StudioError(.invalid, "Line \(line), column '\(column.name)': \(error.message)")
            }
        }
        out.plain("}\n")
    }

    private func write(_ field: CSVRows.Field, _ column: Column, to out: inout JSONText) throws(StudioError) {
        let isNull =
            field.text.isEmpty && !field.isQuoted
            && (column.isOptional || column.type == .link || column.collection != .none)
        if isNull {
            return out.plain(column.collection == .none ? "null" : column.collection == .dictionary ? "{}" : "[]")
        }
        if column.collection != .none {
            // A collection is written as JSON.
            return out.write(try StudioJSON(parsing: Array(field.text.utf8)))
        }
        if column.type == .link {
            guard let target = column.targetTableID.flatMap({ reader.view.schema.table(id: $0) }),
                let key = target.primaryKey
            else {
                throw StudioError(.invalid, "Links to objects without a primary key can't be imported from CSV.")
            }
            return try write(field, key, to: &out)
        }
        switch try reader.value(field.text, for: column) {
        case .bool(let value): out.bool(value)
        case .int(let value): out.int(value)
        case .double(let value) where value.isFinite: out.plain(ValueText.number(value))
        case .float(let value) where value.isFinite: out.plain(ValueText.number(value))
        case .null: out.plain("null")
        case let value: out.string(ValueText.plain(value))
        }
    }
}
