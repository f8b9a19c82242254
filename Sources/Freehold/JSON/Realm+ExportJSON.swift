public import Foundation
import FreeholdEngine

extension RealmCollection where Element: ObjectBase {
    /// Writes the objects to a JSON file. ``Realm/importJSON(from:into:update:options:)-(URL,_,_,_)`` reads it back as
    /// the same objects.
    ///
    /// ```swift
    /// try realm.objects(City.self).sorted(by: \.name).exportJSON(to: url)
    /// ```
    ///
    /// Decimals, ObjectIds and UUIDs are written as strings, and data as base64. NaN and infinities are strings too,
    /// because JSON has no numbers for them. Linking objects aren't written. Objects are written one by one, so the
    /// number of objects doesn't affect the memory use. The file gets its name, or replaces an existing file, when it
    /// is complete.
    ///
    /// - Returns: The number of written objects.
    /// - Throws: ``JSONError``.
    @discardableResult
    public func exportJSON(to url: URL, options: JSONExportOptions = JSONExportOptions()) throws -> Int {
        try JSONDraft.write(to: url) { try exportJSON(options: options, to: $0) }
    }

    /// Writes the objects to an open file or pipe, at its current position.
    @discardableResult
    public func exportJSON(to file: FileHandle, options: JSONExportOptions = JSONExportOptions()) throws -> Int {
        try exportJSON(options: options) { try file.write(contentsOf: $0) }
    }

    /// Writes the objects to a stream, which is opened if necessary.
    @discardableResult
    public func exportJSON(to stream: OutputStream, options: JSONExportOptions = JSONExportOptions()) throws -> Int {
        if stream.streamStatus == .notOpen { stream.open() }
        return try exportJSON(options: options) { data in
            var rest = data[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    stream.write($0.bindMemory(to: UInt8.self).baseAddress!, maxLength: $0.count)
                }
                if count <= 0 { throw stream.streamError ?? CocoaError(.fileWriteUnknown) }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Returns the JSON of all objects in memory.
    public func jsonData(options: JSONExportOptions = JSONExportOptions()) throws -> Data {
        var data = Data()
        try exportJSON(options: options) { data.append($0) }
        return data
    }

    /// Writes the objects, and passes the JSON on in chunks of about 64 KiB.
    @discardableResult
    public func exportJSON(
        options: JSONExportOptions = JSONExportOptions(),
        to write: (Data) throws -> Void
    ) throws -> Int {
        try withoutActuallyEscaping(write) { write in
            guard let core = realm?.core else {
                guard isEmpty else {
                    programmerError("Unmanaged objects have no JSON of their own: add them to a realm, or use Codable.")
                }
                try write(Data((options.format == .array ? "[]" : "").utf8))
                return 0
            }
            core.verifyThread()
            let isArray = options.format == .array
            var writer = JSONObjectWriter(
                core,
                options,
                output: JSONOutput(isPretty: options.isPretty && isArray, write)
            )
            var count = 0
            if isArray { writer.output.open("[") }
            for object in self {
                guard let table = object._table else { continue }
                try WorkLimit.checkOften()
                if isArray {
                    writer.output.next()
                    // The line break at the end lets tools read the file by lines.
                    if !options.isPretty && count > 0 { writer.output.raw("\n") }
                }
                try writer.object(table, object._key)
                if !isArray { writer.output.raw("\n") }
                count += 1
                try writer.output.flush()
            }
            if isArray {
                writer.output.close("]")
                writer.output.raw("\n")
            }
            try writer.output.flush(over: 0)
            return count
        }
    }
}

extension Realm {
    /// Writes all objects of a class to a JSON file. See ``RealmCollection/exportJSON(to:options:)-(URL,_)``.
    @discardableResult
    public func exportJSON<T: Object>(
        _ type: T.Type,
        to url: URL,
        options: JSONExportOptions = JSONExportOptions()
    ) throws -> Int {
        try objects(type).exportJSON(to: url, options: options)
    }

    /// Returns the JSON of all objects of a class in memory.
    public func jsonData<T: Object>(of type: T.Type, options: JSONExportOptions = JSONExportOptions()) throws -> Data {
        try objects(type).jsonData(options: options)
    }
}
