public import Foundation
import FreeholdEngine

extension Realm {
    /// Writes the whole file as one JSON document: its schema and all objects, including those of classes without a
    /// Swift class. ``importDocument(from:to:)-(URL,_)`` creates an equal file from the document.
    ///
    /// ```json
    /// {
    /// "freehold": 1,
    /// "schema": {"schemaVersion": 0, "classes": [ … ]},
    /// "objects": {
    /// "Country": [
    /// {"iso": "FR", "name": "France"}],
    /// "City": [
    /// {"id": 2988507, "name": "Paris", "country": "FR", "twin": {"$object": 7}}]
    /// }
    /// }
    /// ```
    ///
    /// Names are those in the file. A link is written as the primary key of the linked object, or as its position among
    /// the objects of its class, counted from 0, if it has no primary key. Embedded objects are inside their owners.
    /// Each class is written after the classes to which it links, unless links form a cycle. Objects are written one by
    /// one, so the number of objects doesn't affect the memory use.
    ///
    /// - Returns: The number of written objects, without embedded objects.
    /// - Throws: ``JSONError``.
    @discardableResult
    public func exportDocument(to url: URL) throws -> Int {
        try JSONDraft.write(to: url) { try exportDocument(to: $0) }
    }

    /// Writes the document like `exportDocument(to:)`, and passes it on in chunks of about 64 KiB.
    @discardableResult
    public func exportDocument(to write: (Data) throws -> Void) throws -> Int {
        core.verifyThread()
        return try withoutActuallyEscaping(write) { write in
            let view = core.view
            let stored = view.schema
            let options = JSONExportOptions(format: .array, names: .stored)
            var writer = JSONObjectWriter(core, options, output: JSONOutput(isPretty: false, write))
            writer.isDocument = true
            let schema = Schema(stored).withoutAsymmetricClasses.jsonData(schemaVersion: view.userVersion)
            writer.output.raw("{\n\"freehold\": 1,\n\"schema\": ")
            writer.output.raw(String(decoding: schema.dropLast(), as: UTF8.self))
            writer.output.raw(",\n\"objects\": {")
            var count = 0
            for (i, table) in Self.documentOrder(stored).enumerated() {
                guard let table = core.dynamicTable(table, in: stored) else { continue }
                writer.output.raw(i == 0 ? "\n" : ",\n")
                writer.output.string(table.info.tableName)
                writer.output.raw(": [")
                var isFirst = true
                var position = 0
                let total = view.count(table.table)
                while position < total {
                    let run = view.keyRun(at: position, in: table.table).keys
                    for i in 0..<run.count {
                        try WorkLimit.checkOften()
                        writer.output.raw(isFirst ? "\n" : ",\n")
                        isFirst = false
                        try writer.object(table, run[i])
                        try writer.output.flush()
                    }
                    position += run.count
                }
                count += total
                writer.output.raw("]")
            }
            writer.output.raw("\n}\n}\n")
            try writer.output.flush(over: 0)
            return count
        }
    }

    /// Returns the classes that aren't embedded. Each class is after the classes to which it links, as far as possible.
    /// Otherwise they are in the order of the file.
    private static func documentOrder(_ schema: DatabaseSchema) -> [Table] {
        var ordered: [Table] = []
        var seen: Set<Int> = []
        // The links of embedded objects count as links of their owners.
        func visit(_ table: Table) {
            guard seen.insert(table.id).inserted else { return }
            for column in table.columns {
                if let target = column.targetTableID.flatMap({ schema.table(id: $0) }) { visit(target) }
            }
            if !table.isEmbedded, !table.isAsymmetric { ordered.append(table) }
        }
        for table in schema.tables { visit(table) }
        return ordered
    }
}

/// A file that is created under a temporary name, and gets its name, or replaces an existing file, when it is complete.
enum JSONDraft {
    static func write(to url: URL, _ body: ((Data) throws -> Void) throws -> Int) throws -> Int {
        let draft = url.deletingLastPathComponent()
            .appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)")
        do {
            try Data().write(to: draft)
            let file = try FileHandle(forWritingTo: draft)
            let count = try body { try file.write(contentsOf: $0) }
            try file.close()
            guard rename(draft.path, url.path) == 0 else {
                throw JSONError(.io, "\(url.path) can't be written: \(String(cString: strerror(errno)))")
            }
            return count
        } catch {
            try? FileManager.default.removeItem(at: draft)
            if error is JSONError { throw error }
            throw JSONError(.io, "\(url.path) can't be written: \(error)")
        }
    }
}
