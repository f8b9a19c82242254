import Foundation
import FreeholdEngine

/// Writes objects to a file in one form.
struct FileExport {
    let view: Snapshot
    let facts: SchemaFacts
    let format: RowFormat
    var quotesFormulas = false

    private static let pieceBytes = 256 << 10
    /// The number of objects after which the progress is reported.
    private static let reported = 10_000

    /// Writes the objects of a class or of a result.
    ///
    /// - Parameter keys: the number of objects and the i-th of them.
    func write(
        _ table: Table,
        _ columns: [Column],
        to path: String,
        keys: (count: Int, at: (Int) -> ObjectKey),
        progress: (Int) throws -> Void
    ) throws {
        let output = try FileOutput(path)
        let writer = RowWriter(
            view: view,
            facts: facts,
            table: table,
            columns: columns,
            format: format,
            quotesFormulas: quotesFormulas
        )
        try output.write(writer.head)
        for i in 0..<keys.count {
            if i % Self.reported == 0 { try progress(i) }
            try output.write(writer.row(keys.at(i), isFirst: i == 0))
        }
        try output.write((format == .json && keys.count > 0 ? "\n" : "") + writer.tail)
        try output.finish()
    }

    /// Writes the objects of all classes as JSON: an object with an array for each class.
    func writeAll(to path: String, progress: (Int) throws -> Void) throws {
        let output = try FileOutput(path)
        var done = 0
        try output.write("{")
        for (n, table) in view.schema.tables.filter({ !$0.isEmbedded }).enumerated() {
            var key = JSONText()
            key.key(table.name)
            try output.write((n == 0 ? "\n" : ",\n") + String(decoding: key.bytes, as: UTF8.self) + "[")
            let text = ObjectText(view: view, facts: facts)
            for i in 0..<view.count(table) {
                if done % Self.reported == 0 { try progress(done) }
                done += 1
                try output.write((i == 0 ? "\n" : ",\n") + text.json(table, view.key(at: i, in: table)))
            }
            try output.write("]")
        }
        try output.write("\n}\n")
        try output.finish()
    }
}

/// A new file that is written in large pieces. Only its owner can read it.
private final class FileOutput {
    private let handle: FileHandle
    private var waiting: [UInt8] = []

    init(_ path: String) throws(StudioError) {
        guard PrivateFile.create(path, []), let handle = FileHandle(forWritingAtPath: path) else {
            throw StudioError(.io, "The file for the download can't be created.")
        }
        self.handle = handle
    }

    func write(_ text: String) throws {
        waiting.append(contentsOf: text.utf8)
        if waiting.count >= 256 << 10 { try flush() }
    }

    private func flush() throws {
        try handle.write(contentsOf: waiting)
        waiting.removeAll(keepingCapacity: true)
    }

    func finish() throws {
        try flush()
        try handle.close()
    }
}
