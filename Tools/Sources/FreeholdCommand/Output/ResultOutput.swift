import ArgumentParser
import Foundation
import Freehold

/// The format of written objects.
enum RowFormat: String, ExpressibleByArgument, CaseIterable {
    case table, json, jsonl, csv, markdown
}

/// The written columns of a class: its properties, or key paths through to-one links.
struct Columns {
    let names: [String]
    /// A Boolean value for each column that indicates whether its values are numbers.
    let isNumber: [Bool]

    /// Creates the columns for all stored properties of a class.
    init(of object: ObjectSchema) {
        let stored = object.allProperties.filter { $0.type != .linkingObjects }
        names = stored.map(\.name)
        isNumber = stored.map(\.isPlainNumber)
    }

    init(named names: [String], of object: ObjectSchema, in schema: Schema) throws {
        self.names = names
        isNumber = try names.map { try Self.property(at: $0, of: object, in: schema).isPlainNumber }
    }

    /// Returns the property at the end of a path through to-one links.
    ///
    /// - Throws: `Failure`.
    static func property(at path: String, of object: ObjectSchema, in schema: Schema) throws -> Property {
        if let property = object[path] { return property }
        var current = object
        let steps = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        for (i, step) in steps.enumerated() {
            guard let property = current[step] else {
                let names = current.allProperties.map(\.name)
                throw Failure(
                    .data,
                    "column '\(path)': \(current.className) has no property '\(step)'. "
                        + Suggestions.text(for: step, among: names, "It has")
                )
            }
            if i == steps.count - 1 { return property }
            guard property.type == .object, property.collection == .none,
                let next = property.objectClassName.flatMap({ schema[$0] })
            else {
                throw Failure(
                    .data,
                    "column '\(path)': \(current.className).\(step) isn't a link to one object, and a path follows only such"
                )
            }
            current = next
        }
        throw Failure(.data, "a column's name is empty")
    }
}

extension Property {
    var isPlainNumber: Bool {
        collection == .none && [.int, .float, .double, .decimal128].contains(type)
    }
}

/// A writer of objects in one of the formats, one by one.
struct ResultOutput {
    let format: RowFormat
    let columns: Columns
    /// The options, or nil if the columns are all properties.
    let options: JSONExportOptions
    let output: (Data) throws -> Void

    init(_ format: RowFormat, _ columns: Columns, output: @escaping (Data) throws -> Void) {
        self.format = format
        self.columns = columns
        self.output = output
        options = JSONExportOptions(
            format: format == .json ? .array : .lines,
            names: .stored,
            properties: columns.names
        )
    }

    /// - Returns: The number of objects.
    @discardableResult
    func write(_ results: Results<DynamicObject>) throws -> Int {
        switch format {
        case .json, .jsonl: return try results.exportJSON(options: options, to: output)
        case .csv, .markdown, .table:
            var rows = RowOutput(format, columns.names, isNumber: columns.isNumber, output: output)
            let count = try forEachRow(results) { try rows.add($0) }
            try rows.finish()
            return count
        }
    }

    private func forEachRow(_ results: Results<DynamicObject>, _ body: ([RowText.Cell]) throws -> Void) throws -> Int {
        // Chunks end with a line.
        try results.exportJSON(options: options) { chunk in
            try chunk.withUnsafeBytes { bytes in
                var start = 0
                while start < bytes.count {
                    let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
                    // A line contains no line breaks, because strings contain them as escapes.
                    let length = rest.firstIndex(of: 0x0A) ?? rest.count
                    try body(RowText.cells(of: UnsafeRawBufferPointer(rebasing: rest[..<length])))
                    start += length + 1
                }
            }
        }
    }
}
