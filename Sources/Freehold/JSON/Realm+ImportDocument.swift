public import Foundation
import FreeholdEngine

extension Realm {
    /// Creates a file from a JSON document that ``exportDocument(to:)-(URL)`` wrote. The file has the schema and
    /// version of the document, and all objects in their order.
    ///
    /// The document is read as a stream. Links to later objects are set at the end. Until then, the first 16 MiB of
    /// their text are kept in memory, and the rest in a temporary file. The file gets its name when it is complete, so
    /// that an error leaves no file.
    ///
    /// - Parameter configuration: The configuration with the URL of the file, which must not exist, or with a database
    ///   in memory that has no classes. The classes, schema and version of the configuration are ignored. Its options
    ///   for existing files, such as a seed, are ignored too.
    /// - Parameter url: The URL of the document.
    /// - Returns: The number of objects, without embedded objects.
    /// - Throws: ``JSONError`` with the line, object and property; `Realm.Error`, for example
    ///   ``Error/Code/fileExists``.
    @discardableResult
    public static func importDocument(from url: URL, to configuration: Configuration) throws -> Int {
        let file = try JSONInput.open(url)
        defer { try? file.close() }
        return try importDocument(to: configuration) { try file.read(upToCount: JSONInput.chunkSize) ?? Data() }
    }

    /// Creates a file from a document whose bytes a closure returns. At the end, the closure returns no bytes.
    @discardableResult
    public static func importDocument(
        to configuration: Configuration,
        from read: () throws -> Data
    ) throws -> Int {
        guard let url = configuration.fileURL else {
            return try importDocument(read, into: configuration)
        }
        _ = try configuration.source()
        func refuse() -> Error {
            Error(.fileExists, "A document makes a new file. Choose another name, or delete the file.", fileURL: url)
        }
        if fileExists(for: configuration) { throw refuse() }
        var draft = configuration
        let name = ".\(url.lastPathComponent).\(UUID().uuidString)"
        draft.fileURL = url.deletingLastPathComponent().appendingPathComponent(name)
        do {
            let count = try importDocument(read, into: draft)
            // Unlike a rename, a link never replaces a file that has been created meanwhile.
            if link(draft.fileURL!.path, url.path) != 0 {
                if errno == EEXIST { throw refuse() }
                throw Error(.fileAccess, "The file can't be named: \(String(cString: strerror(errno)))", fileURL: url)
            }
            removeDraft(draft)
            return count
        } catch {
            removeDraft(draft)
            throw error
        }
    }

    /// Removes a draft. No other process uses it, so its lock file is removed too.
    private static func removeDraft(_ configuration: Configuration) {
        _ = try? deleteFiles(for: configuration)
        guard let path = configuration.fileURL?.path else { return }
        try? FileManager.default.removeItem(atPath: path + ".writer")
    }

    private static func importDocument(_ read: () throws -> Data, into configuration: Configuration) throws -> Int {
        try withoutActuallyEscaping(read) { read in
            var text = DocumentText(JSONInput(read))
            let (schema, version) = try text.readHead()
            var configuration = configuration
            configuration.objectTypes = nil
            configuration.classNamingPolicy = .asDeclared
            configuration.propertyNamingPolicy = .asDeclared
            configuration.migrationBlock = nil
            configuration.deleteRealmIfMigrationNeeded = false
            configuration.schemaMode = .automatic
            configuration.readOnly = false
            configuration.seedFilePath = nil
            configuration.shouldCompactOnLaunch = nil
            configuration.schema = schema
            configuration.schemaVersion = version
            let realm = try Realm(configuration: configuration)
            return try realm.write { try DocumentImport(realm.core).run(&text) }
        }
    }
}

/// The outer parts of a document, in their order.
struct DocumentText {
    var reader: JSONReader
    private var hasMembers = false

    init(_ input: JSONInput) { reader = JSONReader(input) }

    /// Reads the document up to the objects.
    mutating func readHead() throws(JSONError) -> (schema: Schema, version: UInt64) {
        try reader.skipByteOrderMark()
        try open("the document")
        var schema: (schema: Schema, version: UInt64)?
        while let name = try nextKey() {
            switch name {
            case "freehold":
                let place = reader.place
                guard case .number("1") = try reader.value() else {
                    throw JSONError(.invalidValue, "the document is of another format than 1", at: place, path: name)
                }
            case "schema":
                _ = try reader.nextToken()
                let place = reader.place
                let read = try Schema.read(try reader.value(), at: place)
                schema = (read.schema, read.schemaVersion ?? 0)
            case "objects":
                guard let schema else { throw reader.error("the objects stand before the schema") }
                try open("the classes' objects")
                return schema
            default: throw JSONError(.unknownKey, "a document has no \"\(name)\"", at: reader.place)
            }
        }
        throw JSONError(.missingValue, "the document has no objects", at: reader.place)
    }

    /// Reads the document after the objects.
    mutating func readTail() throws(JSONError) {
        hasMembers = true
        if let name = try nextKey() {
            throw JSONError(.unknownKey, "\"\(name)\" follows the document's objects", at: reader.place)
        }
        if let rest = try reader.nextToken() { throw reader.unexpected(rest, "the end of the text") }
    }

    private mutating func open(_ what: String) throws(JSONError) {
        guard let mark = try reader.nextToken() else { throw reader.error("the text ends where \(what) should begin") }
        guard mark == UInt8(ascii: "{") else { throw reader.unexpected(mark, "the object that is \(what)") }
        reader.skipToken()
        hasMembers = false
    }

    /// Reads the key of the next member. Returns nil at the end of the object.
    mutating func nextKey() throws(JSONError) -> String? {
        guard var mark = try reader.nextToken() else { throw reader.error("the text ends inside an object") }
        if mark == UInt8(ascii: "}") {
            reader.skipToken()
            return nil
        }
        if hasMembers {
            guard mark == UInt8(ascii: ",") else { throw reader.unexpected(mark, "a comma or the object's end") }
            reader.skipToken()
            guard let next = try reader.nextToken() else { throw reader.error("the text ends inside an object") }
            mark = next
        }
        hasMembers = true
        guard mark == UInt8(ascii: "\"") else { throw reader.unexpected(mark, "a key in quotation marks") }
        guard case .string(let name) = try reader.value() else { throw reader.error("a key isn't a string") }
        guard try reader.nextToken() == UInt8(ascii: ":") else { throw reader.error("a colon is missing") }
        reader.skipToken()
        return name
    }

    /// Passes on each element of the next array.
    mutating func forEachElement(
        _ body: (JSONValue, JSONPlace) throws -> Void
    ) throws {
        guard let mark = try reader.nextToken() else { throw reader.error("the text ends where an array should begin") }
        guard mark == UInt8(ascii: "[") else { throw reader.unexpected(mark, "an array of objects") }
        try reader.forEachElement { reader in
            let place = reader.place
            try body(try reader.value(), place)
        }
    }
}

/// An import of a document to a new file.
private final class DocumentImport {
    private let core: RealmCore
    private let rows = DocumentRows()
    private var later = LaterLinks()
    private var count = 0
    private let options = JSONImportOptions(unknownKeys: .refused)

    init(_ core: RealmCore) { self.core = core }

    func run(_ text: inout DocumentText) throws -> Int {
        var seen: Set<String> = []
        while let name = try text.nextKey() {
            guard seen.insert(name).inserted else {
                throw JSONError(.duplicateKey, "class '\(name)' occurs twice", at: text.reader.place)
            }
            guard let table = core.dynamicTable(named: name), !table.info.isEmbedded,
                !table.info.isAsymmetric
            else {
                throw JSONError(
                    .unknownKey,
                    "the document's schema has no class '\(name)', or it is embedded or asymmetric",
                    at: text.reader.place
                )
            }
            try text.forEachElement { value, place in
                self.count += 1
                do throws(JSONError) {
                    try self.create(value, table, at: place)
                } catch {
                    throw error.with(object: self.count, at: place)
                }
            }
        }
        try text.readTail()
        try setLaterLinks()
        return count
    }

    private func create(_ value: JSONValue, _ table: ManagedTable, at place: JSONPlace) throws(JSONError) {
        var conversion = JSONConversion(core, options, rows: rows)
        let values = try conversion.convert(value, table.info, at: place)
        do throws(Realm.Error) {
            var planner = GraphPlanner(core: core, policy: .error, adopts: false)
            try planner.plan(values, in: table)
            try planner.finish()
            let key = try planner.plan.apply(to: core, policy: .error)[0]
            rows.didCreate(key, in: table.table)
            for (property, value) in conversion.deferred {
                try later.append(table, key, property: property, value: value)
            }
        } catch {
            throw JSONError(error, at: place)
        }
    }

    private func setLaterLinks() throws {
        guard var reader = try later.reader() else { return }
        while try reader.nextToken() != nil {
            guard case .array(let parts) = try reader.value(), parts.count == 4,
                case .number(let tableID) = parts[0], case .number(let key) = parts[1],
                case .number(let property) = parts[2], let table = Int(tableID).flatMap({ core.anyTable(id: $0) }),
                let key = Int64(key), let property = Int(property)
            else { throw JSONError(.io, "what was kept of the document can't be read") }
            let dynamic = table.dynamic
            let name = dynamic.info.properties[property].name
            let place = JSONPlace(line: 1, column: 1)
            var conversion = JSONConversion(core, options, rows: rows)
            let content = try conversion.convertLater(parts[3], of: property, in: dynamic.info, at: place)
            do throws(Realm.Error) {
                var planner = GraphPlanner(core: core, policy: .all, adopts: false)
                let values = _ObjectValues(info: dynamic.info, fields: [(property, content)])
                planner.plan(values, inPlaceOf: ObjectKey(key), in: dynamic)
                try planner.finish()
                _ = try planner.plan.apply(to: core, policy: .all)
            } catch {
                throw JSONError(.refused, error.message, path: name, className: dynamic.info.className, cause: error)
            }
        }
    }
}

extension JSONError {
    /// Creates the error for an object of a text that the realm refused.
    init(_ error: Realm.Error, at place: JSONPlace) {
        let kind: Kind =
            switch error.code {
            case .missingValue: .missingValue
            case .invalidValue: .invalidValue
            default: .refused
            }
        self.init(kind, error.message, at: place, path: error.property, className: error.className, cause: error)
    }
}

/// The values with links to later objects, as lines of JSON. They are kept in memory, and then in a temporary file.
private struct LaterLinks {
    private static let limit = 16 << 20
    private var bytes: [UInt8] = []
    private var file: FileHandle?

    mutating func append(
        _ table: ManagedTable,
        _ key: ObjectKey,
        property: Int,
        value: JSONValue
    ) throws(Realm.Error) {
        var output = JSONOutput(isPretty: false) { _ in }
        output.raw("[\(table.table.id),\(key.raw),\(property),")
        output.value(value)
        output.raw("]\n")
        bytes.append(contentsOf: output.pending)
        if bytes.count >= Self.limit { try spill() }
    }

    private mutating func spill() throws(Realm.Error) {
        do {
            if file == nil {
                let url = FileManager.default.temporaryDirectory.appendingPathComponent("freehold-\(UUID().uuidString)")
                try Data().write(to: url)
                file = try FileHandle(forUpdating: url)
                // The system frees the file at the end of the process, in any case.
                try FileManager.default.removeItem(at: url)
            }
            try file?.write(contentsOf: Data(bytes))
            bytes.removeAll(keepingCapacity: true)
        } catch {
            throw Realm.Error(.fileAccess, "A temporary file can't be written: \(error)", cause: error)
        }
    }

    /// Returns a reader of the values, or nil if the document has none.
    mutating func reader() throws -> JSONReader? {
        guard let file else { return bytes.isEmpty ? nil : JSONReader(JSONInput(Data(bytes))) }
        try spill()
        try file.seek(toOffset: 0)
        return JSONReader(JSONInput(file))
    }
}
