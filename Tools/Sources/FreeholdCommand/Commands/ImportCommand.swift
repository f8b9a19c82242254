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

            With --infer the classes are found in the data, all of which is read twice: whole numbers, doubles and \
            decimals, true and false, dates, UUIDs, object ids, lists, objects as embedded ones, what may be null, and the \
            primary key. What was decided is told; --dry-run tells it only, and with --json as a schema for --schema.

            JSON that is one object whose keys are ids ({"a1": {…}, "a2": {…}}) is a table: with --entries id each entry \
            is an object, whose 'id' is the entry's key.

            With --from-realm the file is made of one that Realm's SDKs wrote since about 2020, which is only read. What \
            is different in the new one is reported.

            Dates are ISO 8601, or as --date-format says: a pattern of yyyy, yy, MM, MMM, dd, HH, hh with a, mm, ss, SSS \
            and X for the zone, or seconds or milliseconds since 1970.

            EXAMPLES:
              freehold import new.realm --from-realm app.realm
              freehold import new.realm --from-realm app.realm --dry-run --json
              freehold export old.realm | freehold import new.realm
              freehold import app.realm City --input cities.csv
              freehold import app.realm City --update error < cities.jsonl
              freehold import new.realm City --schema schema.json --input cities.json
              freehold import new.realm City --infer --input cities.csv --dry-run
              freehold import app.realm Day --infer -i days.csv --date-format dd.MM.yyyy
              freehold import app.realm City --input cities.csv --pad
              freehold import new.realm City --infer --entries id -i cities-by-id.json
              freehold import app.realm City -i rows.csv --no-header --columns id,name,,size
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
    @Option(help: "The action if an object with the primary key exists: it is updated, or the import fails.")
    var update = Update.modified
    @Option(help: ArgumentHelp("Makes the file, with these classes: from 'schema --format json'.", valueName: "path"))
    var schema: String?
    @Option(help: "Stores so many objects at a time, which stay if a later one is wrong.") var batch: Int?
    @Flag(help: "Passes over keys and columns that the class doesn't have.") var ignoreUnknown = false
    @OptionGroup var inference: InferOptions
    @OptionGroup var csv: CSVOptions
    @OptionGroup var dateOptions: DateOptions
    @OptionGroup var realm: RealmFileOptions

    func validate() throws {
        if let batch, batch < 1 { throw ValidationError("--batch must be over 0.") }
        try realm.check(
            hasOthers: className != nil || schema != nil || source.input != nil || inference.infer,
            infers: inference.infer
        )
        if csv.noHeader, csv.columns == nil, !inference.infer {
            throw ValidationError("--no-header needs --columns, which names the properties.")
        }
        if inference.infer {
            guard className != nil else { throw ValidationError("--infer needs the name of the class to make.") }
            if schema != nil { throw ValidationError("--infer and --schema can't be given together.") }
            if ignoreUnknown { throw ValidationError("--ignore-unknown has nothing to pass over with --infer.") }
        }
        if inference.entries != nil, isCSV { throw ValidationError("--entries is about JSON.") }
        guard className == nil else { return }
        if schema != nil || format != nil || batch != nil || ignoreUnknown || update != .modified || csv.isGiven
            || !dateOptions.formats.isEmpty || inference.entries != nil
        {
            throw ValidationError(
                "A whole file is imported as it is: --schema, --format, --batch, --update, --ignore-unknown, --entries, --date-format "
                    + "and the options of CSV go with a class."
            )
        }
    }

    private var isCSV: Bool {
        format.map { $0 == .csv } ?? (source.input?.lowercased().hasSuffix(".csv") ?? false)
    }

    func run() throws {
        let url = URL(fileURLWithPath: file)
        if let old = realm.fromRealm {
            return try realm.run(old, Realm.Configuration(fileURL: url, encryptionKey: try key.key()))
        }
        if className != nil, csv.isGiven, !isCSV {
            throw Failure(.usage, "--delimiter, --no-header, --columns and --pad are about CSV: give --format csv")
        }
        guard let className else {
            // The beginning of the name that the library gives an incomplete file.
            let folder = url.deletingLastPathComponent().path
            let drafts = Drafts.begin("\(folder)/.\(url.lastPathComponent).", .open)
            defer { drafts.end() }
            let count = try Realm.importDocument(
                to: Realm.Configuration(fileURL: url, encryptionKey: try key.key()),
                from: try source.reader()
            )
            return report(count)
        }
        if inference.infer { return try infer(className) }
        guard let schema else {
            return try fill(className, FileOptions.openForWriting(file, key), from: try source.reader())
        }
        if FileManager.default.fileExists(atPath: file) {
            throw Failure(.cantCreate, "\(file): there is such a file already; --schema makes a new one")
        }
        let read = try SchemaFile.read(schema)
        try make(read.schema, version: read.schemaVersion ?? 0) { realm in
            try fill(className, realm, from: try source.reader())
        }
    }

    /// Creates the file. If the closure throws, the file is deleted, unless batches have been stored.
    private func make(_ schema: Schema, version: UInt64, _ body: (Realm) throws -> Void) throws {
        var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: file), schemaVersion: version)
        configuration.schema = schema
        configuration.encryptionKey = try key.key()
        let lock = file + ".writer"
        let hadLock = FileManager.default.fileExists(atPath: lock)
        var isEmpty = true
        // Stored batches are kept.
        let drafts = batch == nil ? Drafts.begin(file) : nil
        defer { drafts?.end() }
        do {
            let realm = try Realm(configuration: configuration)
            defer { isEmpty = realm.isEmpty }
            try body(realm)
        } catch {
            // Stored batches are kept. Otherwise the file is deleted.
            if isEmpty, (try? Realm.deleteFiles(for: configuration)) == true, !hadLock {
                try? FileManager.default.removeItem(atPath: lock)
            }
            throw error
        }
    }

    // MARK: Inference

    private func infer(_ className: String) throws {
        let isNew = !FileManager.default.fileExists(atPath: file)
        let stored = isNew ? Schema([]) : try FileOptions.openForWriting(file, key).storedSchema
        if stored[className] != nil {
            throw Failure(
                .data,
                "there is a class '\(className)' in the file already: without --infer the objects are added to it"
            )
        }
        let readers = try source.repeatedReader()
        var inference = Inference(
            className,
            dates: try DateFormats(dateOptions),
            primaryKey: self.inference.primaryKey,
            entries: self.inference.entries
        )
        var columns: [String?] = []
        if isCSV {
            let (layout, text) = try csv.layout(of: try readers(), reports: true)
            columns = try inference.readCSV(text, layout)
        } else {
            try inference.readJSON(try readers(), entries: self.inference.entries)
        }
        let classes = try inference.decide(taken: Set(stored.objectSchema.map(\.className)), isText: isCSV)
        Progress.clear()
        defer { if let hint = classes.hint { StandardError.write("\(hint)\n") } }
        if realm.dryRun {
            let text =
                realm.json
                ? [UInt8](classes.schema.jsonData(schemaVersion: 0)) : try classes.text(objects: inference.objects)
            return try StandardOutput.shared.write(text)
        }
        StandardError.write(String(decoding: try classes.text(objects: inference.objects), as: UTF8.self))
        func fill(_ realm: Realm) throws {
            try self.fill(
                className,
                realm,
                from: try readers(),
                columns: isCSV ? columns.map { $0.map { classes.name(of: $0) } } : nil,
                names: classes.renames
            )
        }
        if isNew { return try make(classes.schema, version: 0, fill) }
        var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: file))
        configuration.encryptionKey = try key.key()
        configuration.schemaVersion = try schemaVersionAtURL(
            configuration.fileURL!,
            encryptionKey: configuration.encryptionKey
        )
        configuration.schema = classes.schema
        // Existing classes are kept.
        configuration.schemaMode = .additive
        try fill(try Realm(configuration: configuration))
    }

    // MARK: Objects

    /// - Parameters:
    ///   - columns: The properties of the columns of CSV, if its header doesn't specify them.
    ///   - names: The names in the file for keys of JSON, by class.
    private func fill(
        _ className: String,
        _ realm: Realm,
        from read: @escaping () throws -> Data,
        columns: [String?]? = nil,
        names: [String: [String: String]] = [:]
    ) throws {
        let stored = realm.storedSchema
        let object = try stored.requireClass(className)
        if object.isEmbedded {
            throw Failure(.data, "\(className) is embedded: its objects are imported with those that they belong to")
        }
        if object.isAsymmetric {
            throw Failure(.data, "\(className) is asymmetric: its objects are only sent, by programs that sync")
        }
        let policy = object.primaryKeyProperty == nil ? .error : update.policy
        let dates = try DateFormats(dateOptions)
        let adapter = JSONAdapter(stored, dates, names: names)
        let options = JSONImportOptions(
            unknownKeys: ignoreUnknown ? .ignored : .refused,
            dates: dates.numbers ?? .iso8601,
            batchSize: batch
        )
        let count: Int
        if isCSV {
            // The inference has already reported the delimiter.
            let (found, text) = try csv.layout(of: read, reports: columns == nil)
            var layout = found
            if let columns { layout.names = columns }
            count = try CSVImport(object, layout, adapter: adapter, from: text)
                .run(into: realm, update: policy, batch: batch, ignoresUnknown: ignoreUnknown)
        } else if adapter.isNeeded || inference.entries != nil {
            count = try AdaptedJSON(read, object, adapter: adapter, entries: inference.entries)
                .run(into: realm, update: policy, options)
        } else {
            count = try realm.dynamicImportJSON(into: object.className, update: policy, options: options, from: read)
        }
        report(count)
    }

    private func report(_ count: Int) {
        Progress.clear()
        StandardError.write("\(file): \(Units.count(count, "object")) imported\n")
    }
}

/// A schema in a JSON file.
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
