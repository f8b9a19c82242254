import Foundation
import Freehold
import FreeholdEngine

/// The forms of uploaded files.
enum ImportFormat: String, Sendable {
    case json, jsonl, csv
    /// A database that is only compared.
    case file
}

/// An uploaded file. It is deleted when it is released.
final class StudioImport: @unchecked Sendable {
    // It is Sendable because `isComplete` is used on the loop of the session only.
    let path: String
    let format: ImportFormat
    var isComplete = false

    init(path: String, format: ImportFormat) { (self.path, self.format) = (path, format) }

    deinit { for suffix in ["", "-lock", ".writer"] { unlink(path + suffix) } }
}

/// The properties that the columns of a CSV file are stored in.
struct ImportMapping: Sendable {
    /// The properties by the names of columns. A column with `nil` is left out.
    var columns: [String: String?] = [:]

    init() {}

    init(_ request: StudioRequest) throws(StudioError) {
        for member in request.optional("columns")?.members ?? [] {
            columns.updateValue(member.value.text, forKey: member.key)
        }
    }

    /// Returns the property for a column: the chosen one, or the one with the same name.
    func column(_ name: String, of table: Table) -> Column? {
        if let chosen = columns[name] { return chosen.flatMap { table.column(named: $0) } }
        return table.column(named: name) ?? table.columns.first { $0.name.lowercased() == name.lowercased() }
    }
}

/// One import of an uploaded file: one transaction. A dry run cancels it, and doesn't delay other writers.
struct ImportRun {
    let source: StudioImport
    let table: Table
    let mapping: ImportMapping
    let updates: Bool
    let isDry: Bool

    /// The size of an upload up to which the dry run keeps its changes in memory. Larger uploads are imported into a private copy of the file.
    static let mostTrialBytes = 128 << 20

    /// - Parameters:
    ///   - path: The file.
    ///   - copyPath: The path of a private copy.
    ///   - mostTrialBytes: The size of an upload from which a dry run uses the copy.
    func run(
        _ path: String,
        _ database: Database,
        in view: Snapshot,
        _ facts: SchemaFacts,
        copyPath: @autoclosure () -> String,
        mostTrialBytes: Int = ImportRun.mostTrialBytes
    ) throws -> StudioJSON {
        guard isDry, PrivateFile.size(source.path) > mostTrialBytes else {
            return try run(path, database, in: view, facts, isTrial: isDry)
        }
        let copy = copyPath()
        defer { OpenFile.removeCopy(copy) }
        try view.copy(to: copy, key: database.encryptionKey)
        return try run(copy, database, in: view, facts, isTrial: false)
    }

    private func run(
        _ path: String,
        _ database: Database,
        in view: Snapshot,
        _ facts: SchemaFacts,
        isTrial: Bool
    ) throws -> StudioJSON {
        var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: path))
        configuration.encryptionKey = database.encryptionKey.map { Data($0.bytes) }
        configuration.schema = Schema([])
        configuration.schemaMode = .additive
        configuration.busyTimeout = .seconds(2)
        let realm = try Realm(configuration: configuration)
        if isTrial { try realm._beginTrialWrite() } else { realm.beginWrite() }
        if let error = realm.pendingError {
            realm.cancelWrite()
            throw error
        }
        let before = realm.dynamicObjects(table.name).count
        let total: Int
        do {
            let policy: Realm.UpdatePolicy = updates && table.primaryKey != nil ? .modified : .error
            switch source.format {
            case .json, .jsonl:
                let handle = try open()
                defer { try? handle.close() }
                total = try realm.dynamicImportJSON(into: table.name, update: policy) {
                    try handle.read(upToCount: 256 << 10) ?? Data()
                }
            case .file: throw StudioError(.invalid, "A database is compared, not imported.")
            case .csv:
                let rows = try CSVObjects(source.path, table, mapping, view: view, facts: facts)
                total = try realm.dynamicImportJSON(into: table.name, update: policy) { try rows.next() }
            }
        } catch {
            realm.cancelWrite()
            return failed(error)
        }
        let after = realm.dynamicObjects(table.name).count
        let counts: [StudioJSON.Member] = [
            .init("objects", .int(total)), .init("created", .int(after - before)),
            .init("updated", .int(max(0, total - (after - before)))), .init("errors", []),
        ]
        guard !isDry else {
            realm.cancelWrite()
            return .object(counts)
        }
        try realm.commitWrite()
        return .object(counts + [.init("version", .int(realm.version))])
    }

    private func open() throws(StudioError) -> FileHandle {
        guard let handle = FileHandle(forReadingAtPath: source.path) else {
            throw StudioError(.io, "The uploaded file can't be read.")
        }
        return handle
    }

    private func failed(_ error: any Error) -> StudioJSON {
        let message = (error as? StudioError)?.message ?? "\(error)"
        return ["objects": 0, "created": 0, "updated": 0, "errors": [["message": .string(message)]]]
    }
}
