import Foundation
import Freehold

/// An import of CSV through the library's JSON import, so that both accept the same values for all types.
final class CSVImport {
    private var reader: CSVReader
    private let object: ObjectSchema
    private let delimiter: UInt8
    private let layout: CSVLayout
    private let text: FieldText
    private let dates: DateFormats
    /// The property of each field of a record, or nil for an ignored column.
    private var properties: [Property?] = []
    /// The lines on which records began, for errors. They include the records that the importer may not have read yet.
    private var lines: [Int] = []
    private var firstLine = 0
    private static let chunk = 64 * 1024

    init(
        _ object: ObjectSchema,
        _ layout: CSVLayout,
        adapter: JSONAdapter,
        from read: @escaping () throws -> Data
    ) {
        self.object = object
        self.layout = layout
        delimiter = layout.delimiter
        text = FieldText(adapter.schema, adapter)
        dates = adapter.dates
        reader = CSVReader(delimiter: delimiter, read)
    }

    /// - Returns: The number of objects that were read.
    func run(into realm: Realm, update: Realm.UpdatePolicy, batch: Int?, ignoresUnknown: Bool) throws -> Int {
        try readHead(ignoresUnknown: ignoresUnknown)
        let options = JSONImportOptions(
            format: .lines,
            unknownKeys: .refused,
            dates: dates.numbers ?? .iso8601,
            batchSize: batch
        )
        do {
            return try realm.dynamicImportJSON(into: object.className, update: update, options: options) {
                try nextChunk()
            }
        } catch let error as JSONError {
            // The importer passes on the error of the text itself.
            let failure = isThrown ? failure.flatMap { Failure($0) } : nil
            let stored =
                error.committed > 0 ? " (\(Units.count(error.committed, "object")) of batches before are stored)" : ""
            throw Failure(failure?.status ?? .of(error), (failure?.message ?? message(error)) + stored)
        }
    }

    private var failure: (any Error)?
    private var isThrown = false

    private func readHead(ignoresUnknown: Bool) throws {
        if let names = layout.names {
            if layout.hasHeader { _ = try reader.record() }
            return try take(names)
        }
        guard let head = try reader.record() else {
            throw Failure(.data, "line 1: there is no header with the names of the columns")
        }
        var seen: Set<String> = []
        for field in head.fields {
            guard let property = object[field.text], property.type != .linkingObjects else {
                if ignoresUnknown {
                    properties.append(nil)
                    continue
                }
                let names = object.allProperties.map(\.name)
                throw Failure(
                    .data,
                    "line \(head.line): \(object.className) has no property '\(field.text)'. "
                        + (otherDelimiter(head) ?? Suggestions.text(for: field.text, among: names, "It has"))
                )
            }
            guard seen.insert(property.columnName).inserted else {
                throw Failure(.data, "line \(head.line): column '\(field.text)' occurs twice")
            }
            properties.append(property)
        }
    }

    /// Sets the properties of columns without a header.
    private func take(_ names: [String?]) throws {
        properties = try names.map { name in
            guard let name else { return nil }
            if let property = object[name], property.type != .linkingObjects { return property }
            throw Failure(
                .data,
                "--columns: \(object.className) has no property '\(name)'. "
                    + Suggestions.text(for: name, among: object.properties.map(\.name), "It has")
            )
        }
    }

    /// Returns a hint if a header contains another delimiter and was therefore read as one name.
    private func otherDelimiter(_ head: CSVReader.Record) -> String? {
        guard head.fields.count == 1 else { return nil }
        for (other, shown) in [(";", "';'"), ("\t", "'\\t'"), ("|", "'|'"), (",", "','")]
        where other.utf8.first != delimiter {
            let names = head.fields[0].text.split(separator: other, omittingEmptySubsequences: false)
            if names.count > 1, names.contains(where: { object[String($0)] != nil }) {
                return "Its names stand between other characters: give --delimiter \(shown)."
            }
        }
        return nil
    }

    /// Returns records as lines of JSON, or no data at the end.
    private func nextChunk() throws -> Data {
        if let failure {
            isThrown = true
            throw failure
        }
        var bytes: [UInt8] = []
        var complete = 0
        // The importer has read the whole chunk before the last one.
        if lines.count > 2 * 4096 {
            firstLine += lines.count - 4096
            lines.removeFirst(lines.count - 4096)
        }
        do {
            var records = 0
            while bytes.count < Self.chunk, records < 4096,
                let record = try reader.record(isSingle: properties.count == 1)
            {
                lines.append(record.line)
                records += 1
                try append(record, to: &bytes)
                complete = bytes.count
            }
        } catch {
            // The error is thrown after the importer has read the earlier records.
            failure = error
            if complete == 0 { return try nextChunk() }
        }
        return Data(bytes[..<complete])
    }

    private func append(_ record: CSVReader.Record, to bytes: inout [UInt8]) throws {
        let record = try record.padded(to: properties.count, layout)
        bytes.append(UInt8(ascii: "{"))
        var isFirst = true
        for (field, property) in zip(record.fields, properties) {
            guard let property else { continue }
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            JSONString.append(property.name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            do throws(FieldError) {
                try text.append(field, property, to: &bytes)
            } catch {
                throw Failure(.data, "line \(record.line), column '\(property.name)': \(error.message)")
            }
        }
        bytes.append(contentsOf: [UInt8(ascii: "}"), 0x0A])
    }

    private func message(_ error: JSONError) -> String {
        var place: [String] = []
        if let record = error.object, record - 1 - firstLine >= 0, record - 1 - firstLine < lines.count {
            place.append("line \(lines[record - 1 - firstLine])")
        }
        if let path = error.path { place.append("column '\(path)'") }
        return (place.isEmpty ? "" : place.joined(separator: ", ") + ": ") + error.message
    }
}
