import ArgumentParser
import Foundation
import Freehold
import FreeholdImport

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Stores objects of JSON or CSV, or makes a file of an exported or Realm's one.",
        discussion: """
            With a class, its objects are added to the file, all of them or, at the first error, none. With --schema the \
            file is made first. Without a class the input is what 'export' wrote of a whole file, and makes the file.

            CSV has a header with names of properties. An empty field is null, or an empty string, list or map; a link is \
            the primary key of the other object, which is made if it isn't there; lists, maps and embedded objects are JSON.

            With --from-realm the file is made of one that Realm's SDKs wrote since about 2020, which is only read. What \
            is different in the new one is reported.

            EXAMPLES:
              freehold import new.realm --from-realm app.realm
              freehold import new.realm --from-realm app.realm --dry-run --json
              freehold export old.realm | freehold import new.realm
              freehold import app.realm City --input cities.csv
              freehold import app.realm City --update error < cities.jsonl
              freehold import new.realm City --schema schema.json --input cities.json
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable { case json, csv }

    enum Update: String, ExpressibleByArgument, CaseIterable {
        case error, modified, all

        var policy: Realm.UpdatePolicy {
            switch self {
            case .error: .error
            case .modified: .modified
            case .all: .all
            }
        }
    }

    @Argument(help: "The database file.", completion: .file()) var file: String
    @Argument(help: "The class, as the file names it; none for a whole file.") var className: String?
    @OptionGroup var source: InputFile
    @OptionGroup var key: KeyOptions
    @Option(help: "JSON (an array, or an object a line) or CSV; by default what the input's name says, else JSON.")
    var format: Format?
    @Option(help: "What happens where an object with the primary key is there: it is updated, or the import fails.")
    var update = Update.modified
    @Option(help: ArgumentHelp("Makes the file, with these classes: from 'schema --format json'.", valueName: "path"))
    var schema: String?
    @Option(help: "Stores so many objects at a time, which stay if a later one is wrong.") var batch: Int?
    @Flag(help: "Passes over keys and columns that the class doesn't have.") var ignoreUnknown = false
    @OptionGroup var realm: RealmFileOptions
    @Option(help: "Between the fields of CSV: a character, or \\t.") var delimiter = ","

    func validate() throws {
        if let batch, batch < 1 { throw ValidationError("--batch must be over 0.") }
        guard separator != nil else { throw ValidationError("--delimiter is one character of ASCII, or \\t.") }
        try realm.check(hasOthers: className != nil || schema != nil || source.input != nil)
        guard className == nil else { return }
        if schema != nil || format != nil || batch != nil || ignoreUnknown || update != .modified {
            throw ValidationError(
                "A whole file is imported as it is: --schema, --format, --batch, --update and --ignore-unknown go with a "
                    + "class."
            )
        }
    }

    /// A tab may be written as other programs write it.
    private var separator: UInt8? {
        let text = delimiter == "\\t" ? "\t" : delimiter
        return text.utf8.count == 1 && !["\"", "\n", "\r"].contains(text) ? text.utf8.first : nil
    }

    func run() throws {
        let url = URL(fileURLWithPath: file)
        if let old = realm.fromRealm {
            return try realm.run(old, Realm.Configuration(fileURL: url, encryptionKey: try key.key()))
        }
        guard let className else {
            // The library's name for a file that isn't complete.
            let folder = url.deletingLastPathComponent().path
            let drafts = Drafts.begin("\(folder)/.\(url.lastPathComponent).", .open)
            defer { drafts.end() }
            let count = try Realm.importDocument(
                to: Realm.Configuration(fileURL: url, encryptionKey: try key.key()),
                from: try source.reader()
            )
            return report(count)
        }
        guard let schema else { return try fill(className, FileOptions.openForWriting(file, key)) }
        if FileManager.default.fileExists(atPath: file) {
            throw Failure(.cantCreate, "\(file): there is such a file already; --schema makes a new one")
        }
        let read = try SchemaFile.read(schema)
        var configuration = Realm.Configuration(fileURL: url, schemaVersion: read.schemaVersion ?? 0)
        configuration.schema = read.schema
        configuration.encryptionKey = try key.key()
        let lock = file + ".writer"
        let hadLock = FileManager.default.fileExists(atPath: lock)
        var isEmpty = true
        // Batches that were stored stay.
        let drafts = batch == nil ? Drafts.begin(file) : nil
        defer { drafts?.end() }
        do {
            let realm = try Realm(configuration: configuration)
            defer { isEmpty = realm.isEmpty }
            try fill(className, realm)
        } catch {
            // Batches that were stored stay; else nothing is left of it.
            if isEmpty, (try? Realm.deleteFiles(for: configuration)) == true, !hadLock {
                try? FileManager.default.removeItem(atPath: lock)
            }
            throw error
        }
    }

    private func fill(_ className: String, _ realm: Realm) throws {
        let stored = realm.storedSchema
        let object = try stored.requireClass(className)
        if object.isEmbedded {
            throw Failure(.data, "\(className) is embedded: its objects are imported with those that they belong to")
        }
        if object.isAsymmetric {
            throw Failure(.data, "\(className) is asymmetric: its objects are only sent, by programs that sync")
        }
        let read = try source.reader()
        let isCSV = format.map { $0 == .csv } ?? (source.input?.lowercased().hasSuffix(".csv") ?? false)
        let policy = object.primaryKeyProperty == nil ? .error : update.policy
        let count: Int
        if isCSV {
            count = try CSVImport(object, in: stored, delimiter: separator!, from: read)
                .run(into: realm, update: policy, batch: batch, ignoresUnknown: ignoreUnknown)
        } else {
            let options = JSONImportOptions(unknownKeys: ignoreUnknown ? .ignored : .refused, batchSize: batch)
            count = try realm.dynamicImportJSON(into: object.className, update: policy, options: options, from: read)
        }
        report(count)
    }

    private func report(_ count: Int) {
        Progress.clear()
        StandardError.write("\(file): \(Units.count(count, "object")) imported\n")
    }
}

/// A schema in a file of JSON.
enum SchemaFile {
    static func read(_ path: String) throws -> (schema: Schema, schemaVersion: UInt64?) {
        try FileOptions.requireFile(path)
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw Failure(.noPermission, "\(path): the file can't be read: \(error)")
        }
        do {
            return try Schema.read(json: data)
        } catch let error as JSONError {
            throw Failure(.data, "\(path): \(error)")
        }
    }
}
