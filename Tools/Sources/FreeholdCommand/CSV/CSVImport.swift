import Foundation
import Freehold

/// Imports CSV by way of the library's JSON, so that both take the same values for every type.
final class CSVImport {
    private var reader: CSVReader
    private let schema: Schema
    private let object: ObjectSchema
    private let delimiter: UInt8
    /// By field of a record; nil where the column is ignored.
    private var properties: [Property?] = []
    /// The lines on which records began, for errors: of those that the importer may not have taken yet.
    private var lines: [Int] = []
    private var firstLine = 0
    private static let chunk = 64 * 1024

    init(_ object: ObjectSchema, in schema: Schema, delimiter: UInt8, from read: @escaping () throws -> Data) {
        self.object = object
        self.schema = schema
        self.delimiter = delimiter
        reader = CSVReader(delimiter: delimiter, read)
    }

    /// - Returns: how many objects were read.
    func run(into realm: Realm, update: Realm.UpdatePolicy, batch: Int?, ignoresUnknown: Bool) throws -> Int {
        try readHead(ignoresUnknown: ignoresUnknown)
        let options = JSONImportOptions(format: .lines, unknownKeys: .refused, batchSize: batch)
        do {
            return try realm.dynamicImportJSON(into: object.className, update: update, options: options) {
                try nextChunk()
            }
        } catch let error as JSONError {
            // What was wrong with the text itself comes through the importer.
            let failure = isThrown ? failure.flatMap { Failure($0) } : nil
            let stored =
                error.committed > 0 ? " (\(Units.count(error.committed, "object")) of batches before are stored)" : ""
            throw Failure(failure?.status ?? .of(error), (failure?.message ?? message(error)) + stored)
        }
    }

    private var failure: (any Error)?
    private var isThrown = false

    private func readHead(ignoresUnknown: Bool) throws {
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
                throw Failure(.data, "line \(head.line): column '\(field.text)' is there twice")
            }
            properties.append(property)
        }
    }

    /// What to do where a header is taken for one name, because something else stands between its names.
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

    /// Records as lines of JSON; none at the end.
    private func nextChunk() throws -> Data {
        if let failure {
            isThrown = true
            throw failure
        }
        var bytes: [UInt8] = []
        var complete = 0
        // The importer has taken all of the chunk before the last one.
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
            // Thrown when the records before it have been taken.
            failure = error
            if complete == 0 { return try nextChunk() }
        }
        return Data(bytes[..<complete])
    }

    private func append(_ record: CSVReader.Record, to bytes: inout [UInt8]) throws {
        guard record.fields.count == properties.count else {
            throw Failure(
                .data,
                "line \(record.line): there are \(Units.count(record.fields.count, "field")) and "
                    + "\(Units.count(properties.count, "column"))"
            )
        }
        bytes.append(UInt8(ascii: "{"))
        var isFirst = true
        for (field, property) in zip(record.fields, properties) {
            guard let property else { continue }
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            JSONString.append(property.name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            do throws(FieldError) {
                try FieldText(schema).append(field, property, to: &bytes)
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

private struct FieldError: Error {
    let message: String
}

/// A field of CSV as the JSON that the library reads for a property.
private struct FieldText {
    private let schema: Schema

    init(_ schema: Schema) { self.schema = schema }

    func append(_ field: CSVReader.Field, _ property: Property, to bytes: inout [UInt8]) throws(FieldError) {
        if field.text.isEmpty && !field.isQuoted {
            guard try takesNothing(property) else { return JSONString.append("", to: &bytes) }
            return bytes.append(contentsOf: Array("null".utf8))
        }
        if property.collection != .none {
            let mark: Character = property.collection == .map ? "{" : "["
            guard field.text.first == mark, JSONString.isJSON(field.text) else {
                throw FieldError(message: "a \(property.collection) is written as JSON, \(mark == "[" ? "[…]" : "{…}")")
            }
            return bytes.append(contentsOf: field.text.utf8)
        }
        try append(field, property.type, property.objectClassName, to: &bytes)
    }

    /// Whether an empty field is null, or an empty collection; else an empty string.
    private func takesNothing(_ property: Property) throws(FieldError) -> Bool {
        if property.collection != .none || property.type == .any || property.isOptional { return true }
        if property.type == .string { return false }
        throw FieldError(message: "the field is empty, but the property can't be null")
    }

    private func append(
        _ field: CSVReader.Field,
        _ type: PropertyType,
        _ target: String?,
        to bytes: inout [UInt8]
    ) throws(FieldError) {
        let text = field.text
        switch type {
        case .int:
            if let number = Int64(text) { return bytes.append(contentsOf: String(number).utf8) }
            if JSONString.isNumber(text) { return bytes.append(contentsOf: text.utf8) }
        case .float, .double, .decimal128:
            if JSONString.isNumber(text) { return bytes.append(contentsOf: text.utf8) }
        case .bool:
            switch text.lowercased() {
            case "true", "1": return bytes.append(contentsOf: "true".utf8)
            case "false", "0": return bytes.append(contentsOf: "false".utf8)
            default: break
            }
        case .any:
            // Numbers and the like without quotation marks; with them only what is an array or object.
            if JSONString.isJSON(text), !field.isQuoted || text.hasPrefix("{") || text.hasPrefix("[") {
                return bytes.append(contentsOf: text.utf8)
            }
        case .object:
            if text.hasPrefix("{") {
                guard JSONString.isJSON(text) else { throw FieldError(message: "an object is written as JSON, {…}") }
                return bytes.append(contentsOf: text.utf8)
            }
            // A primary key, as the other class has it.
            if let key = target.flatMap({ schema[$0] })?.primaryKeyProperty, key.type != .object {
                return try append(field, key.type, nil, to: &bytes)
            }
        default: break
        }
        // The importer reads dates, identifiers and the like from text, and says what else is wrong.
        JSONString.append(text, to: &bytes)
    }
}

/// Text as JSON has it.
enum JSONString {
    static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                bytes.append(contentsOf: "\\u00\(byte < 16 ? "0" : "")\(digits)".utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    static func isJSON(_ text: String) -> Bool {
        guard let first = text.utf8.first else { return false }
        switch first {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""):
            return (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) != nil
        default: return text == "true" || text == "false" || text == "null" || isNumber(text)
        }
    }

    /// RFC 8259's numbers.
    static func isNumber(_ text: String) -> Bool {
        var rest = Substring(text).utf8
        func digits() -> Int {
            let count = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }.count
            rest = rest.dropFirst(count)
            return count
        }
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let isZero = rest.first == UInt8(ascii: "0")
        let whole = digits()
        guard whole > 0, !(isZero && whole > 1) else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard digits() > 0 else { return false }
        }
        if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
            rest = rest.dropFirst()
            if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { rest = rest.dropFirst() }
            guard digits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}
