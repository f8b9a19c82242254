import Freehold
import FreeholdEngine
import RealmFileReader

/// An import of a Realm file. It imports first all objects with the properties that aren't links, then the links. It is
/// committed in parts, so that the memory doesn't depend on the size of the file. The file has no name before it is
/// complete.
final class RealmImport {
    let file: RealmFile
    let progress: ((RealmImportProgress) -> Void)?
    let classes: [RealmFileClass]
    var report: RealmImportReport
    var tally = ImportTally()
    var keys: [Int: KeyMap] = [:]
    /// The tables of the new file, by the numbers of the classes.
    var tables: [Int: Table] = [:]
    private let textMatching: Realm.TextMatching
    /// The scratch file of the maps in `keys`.
    let scratch: ScratchFile
    /// The number of runs in memory for each class.
    var runsInMemory = 65_536
    /// The number of runs of a block in the scratch file. The keys of a block fill a page.
    var runsInBlock = 512
    /// The number of transactions of the import.
    private(set) var parts = 0
    private var objectsRead = 0
    private let total: Int

    init(
        _ file: RealmFile,
        _ progress: ((RealmImportProgress) -> Void)?,
        textMatching: Realm.TextMatching = .unicode,
        isDryRun: Bool = false,
        scratch: ScratchFile = ScratchFile()
    ) {
        self.file = file
        self.scratch = scratch
        self.progress = progress
        self.textMatching = textMatching
        classes = file.classes.filter { $0.kind != .asymmetric }
        total = classes.reduce(0) { $0 + $1.count * ($1.hasLinks ? 2 : 1) }
        report = RealmImportReport(
            formatVersion: file.formatVersion,
            schemaVersion: file.schemaVersion,
            isEncrypted: file.isEncrypted,
            isSynchronized: file.isSynchronized,
            isDryRun: isDryRun
        )
        report.classes = file.classes.map {
            .init(name: $0.name, kind: $0.kind.rawValue, properties: $0.properties.count)
        }
    }

    func run(to path: String, _ options: Database.Options) throws -> RealmImportReport {
        let draft = try ImportDraft(path, options)
        try draft.transaction.applySchema(specs, userVersion: file.schemaVersion ?? 0)
        for item in classes { tables[item.number] = draft.transaction.schema.table(named: item.name) }
        for item in classes { try createObjects(of: item, draft) }
        for item in classes where item.hasLinks { try setLinks(of: item, draft) }
        try file.checkUnchanged()
        let snapshot = try draft.finish()
        parts = draft.parts
        for i in report.classes.indices {
            let name = report.classes[i].name
            if let table = snapshot.schema.table(named: name) { report.classes[i].stored = snapshot.count(table) }
        }
        finish()
        return report
    }

    func check() throws -> RealmImportReport {
        let dry = RealmImport(file, progress, isDryRun: true, scratch: scratch)
        try SchemaCheck.schema(of: dry.specs)
        for item in dry.classes { try dry.readObjects(of: item) }
        for item in dry.classes where item.hasLinks { try dry.readLinks(of: item) }
        try file.checkUnchanged()
        dry.finish()
        return dry.report
    }

    /// The tables of the new file.
    var specs: [TableSpec] {
        let names = Dictionary(classes.map { ($0.number, $0.name) }, uniquingKeysWith: { first, _ in first })
        return classes.map { item in
            let columns = item.properties.compactMap { property -> ColumnSpec? in
                if let target = property.target, names[target] == nil { return nil }
                return ColumnSpec(
                    property.name,
                    property.type,
                    optional: property.isOptional,
                    collection: property.collection,
                    target: property.target.flatMap { names[$0] },
                    index: property.isPrimaryKey ? .none : newIndex(of: property)
                )
            }
            return TableSpec(
                item.name,
                columns: columns,
                primaryKey: item.primaryKey?.name,
                isEmbedded: item.kind == .embedded
            )
        }
    }

    private func newIndex(of property: RealmFileProperty) -> IndexKind {
        switch property.index {
        case .none: .none
        case .values: property.collection == .none && property.type != .link ? .values : .none
        case .fullText: textMatching == .latin1 ? .fullTextLatin1 : .fullText
        }
    }

    /// Calls the body with each cluster of a class.
    func walk(_ item: RealmFileClass, _ body: (RealmFileCluster) throws -> Void) throws {
        try file.forEachCluster(of: item) { cluster in
            if Task.isCancelled { throw CancellationError() }
            try body(cluster)
            try scratch.check()
            objectsRead += cluster.count
            progress?(RealmImportProgress(className: item.name, objects: objectsRead, total: total))
        }
    }

    func noteRead(_ count: Int, of item: RealmFileClass) {
        guard let i = report.classes.firstIndex(where: { $0.name == item.name }) else { return }
        report.classes[i].read += count
    }

    private func finish() {
        for item in file.classes where item.kind == .asymmetric {
            noteRead(item.count, of: item)
            report.note(
                .asymmetricClass,
                "\(item.name) is an asymmetric class, whose objects are only sent: its \(item.count) are left out",
                className: item.name,
                count: item.count
            )
        }
        if file.isSynchronized {
            report.note(.synchronized, "the file belongs to a synchronized realm: its objects become local data")
            if let unsent = file.unsentChanges {
                if unsent > 0 {
                    report.note(
                        .unsentChanges,
                        "\(unsent) changes had not been sent to the server; they are part of the objects that were read",
                        count: unsent
                    )
                }
            } else {
                report.note(.unsentChanges, "it isn't known whether some changes hadn't been sent to the server")
            }
        }
        tally.enter(into: &report)
        if file.repairedStrings > 0 {
            report.note(
                .repairedText,
                "\(file.repairedStrings) texts weren't UTF-8; U+FFFD stands where they weren't",
                count: file.repairedStrings
            )
        }
        guard !report.isDryRun else { return }
        for item in report.classes where item.kind == "embedded" && item.stored < item.read {
            let count = item.read - item.stored
            report.note(
                .withoutOwner,
                "\(item.name): \(count) objects have no owner and are left out",
                className: item.name,
                count: count
            )
        }
    }
}

/// A check of the schema with an empty database in memory.
enum SchemaCheck {
    /// Returns the schema of a file with these tables.
    @discardableResult
    static func schema(of specs: [TableSpec]) throws -> Schema {
        let database = try Database.inMemory(identifier: "freehold-import-\(UInt64.random(in: 0 ... .max))")
        let transaction = try database.beginWrite()
        defer { transaction.cancel() }
        try transaction.applySchema(specs)
        return Schema(transaction.schema)
    }
}

extension RealmFileClass {
    /// A Boolean value that indicates whether the class has values that can be stored only after all objects exist.
    var hasLinks: Bool { kind != .asymmetric && properties.contains(where: \.mayLink) }
}

extension RealmFileProperty {
    var mayLink: Bool { type == .link || type == .mixed }
}

extension RealmImportReport {
    mutating func note(
        _ kind: Note.Kind,
        _ text: String,
        className: String? = nil,
        property: String? = nil,
        count: Int? = nil
    ) {
        notes.append(Note(kind: kind, text: text, className: className, property: property, count: count))
    }
}
