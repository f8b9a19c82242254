import Foundation
import FreeholdEngine

/// The first rows of an uploaded file, with the properties in which they would be stored and the errors that they have.
struct ImportPreview {
    let view: DataView
    let facts: SchemaFacts

    private static let rows = 100
    /// The maximum number of bytes of a JSON file that are examined.
    private static let examined = 4 << 20

    func json(_ source: StudioImport, _ table: Table, _ mapping: ImportMapping) throws(StudioError) -> StudioJSON {
        let (names, rows) = source.format == .csv ? try csv(source) : try objects(source)
        let reader = TypedText(view: view, facts: facts)
        var errors: [StudioJSON] = []
        let columns = names.enumerated().map { i, name -> StudioJSON in
            let column = mapping.column(name, of: table)
            let texts = rows.map { i < $0.count ? $0[i] : "" }
            if let column, column.collection == .none, column.type != .link, source.format == .csv {
                for (n, text) in texts.enumerated() where !text.isEmpty {
                    do throws(StudioError) { _ = try reader.value(text, for: column) } catch {
                        errors.append(["row": .int(n), "column": .string(name), "message": .string(error.message)])
                    }
                }
            }
            return [
                "name": .string(name), "guess": .string(Self.guess(texts)),
                "property": .text(column?.name),
            ]
        }
        return [
            "rows": .array(rows.map { row in .array(row.map { .string(String($0.prefix(256))) }) }),
            "columns": .array(columns), "errors": .array(errors),
        ]
    }

    private func csv(_ source: StudioImport) throws(StudioError) -> ([String], [[String]]) {
        let reader = try CSVRows(source.path)
        let names = (try reader.next() ?? []).map(\.text)
        var rows: [[String]] = []
        while rows.count < Self.rows, let row = try reader.next() { rows.append(row.map(\.text)) }
        return (names, rows)
    }

    private func objects(_ source: StudioImport) throws(StudioError) -> ([String], [[String]]) {
        guard let handle = FileHandle(forReadingAtPath: source.path) else {
            throw StudioError(.io, "The uploaded file can't be read.")
        }
        defer { try? handle.close() }
        let bytes = Array((try? handle.read(upToCount: Self.examined)) ?? Data())
        var objects: [StudioJSON] = []
        for range in Self.topObjects(bytes, most: Self.rows) {
            objects.append(try StudioJSON(parsing: Array(bytes[range])))
        }
        var names: [String] = []
        for object in objects {
            for member in object.members ?? [] where !names.contains(member.key) { names.append(member.key) }
        }
        let rows = objects.map { object in names.map { name in object[name].map { $0.text ?? $0.written } ?? "" } }
        return (names, rows)
    }

    /// Returns the ranges of the first objects, of an array or one after the other.
    private static func topObjects(_ bytes: [UInt8], most: Int) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var (depth, start, isInString, isEscaped) = (0, 0, false, false)
        for (i, byte) in bytes.enumerated() where found.count < most {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"):
                if depth == 0 { start = i }
                depth += 1
            case UInt8(ascii: "}"):
                depth = max(0, depth - 1)
                if depth == 0 { found.append(start..<i + 1) }
            default: break
            }
        }
        return found
    }

    /// Returns the type that fits all texts.
    static func guess(_ texts: [String]) -> String {
        let texts = texts.filter { !$0.isEmpty }
        guard !texts.isEmpty else { return "null" }
        if texts.allSatisfy({ Int64($0) != nil }) { return "int" }
        if texts.allSatisfy({ ValueReader.double($0) != nil }) { return "double" }
        if texts.allSatisfy({ ["true", "false"].contains($0.lowercased()) }) { return "bool" }
        if texts.allSatisfy({ TypedText.date($0) != nil }) { return "date" }
        if texts.allSatisfy({ UUID(uuidString: $0) != nil }) { return "uuid" }
        if texts.allSatisfy({ ObjectId($0 as String) != nil }) { return "objectId" }
        return "string"
    }
}
