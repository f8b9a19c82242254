public import FreeholdEngine
public import FreeholdSyncCore

/// A synced Freehold file, as the store of the client's machine. Its objects are those of the application's tables. The
/// data of sync is stored in hidden tables and columns, and written in the same transaction.
///
/// The classes that sync are those with the primary key `_id`, and the embedded objects that they own. Other processes
/// may write to the file at any time, including programs without sync. The file's journal records their changes.
///
/// A value of this type must be used by one thread at a time. A file may have several such values, in this process and
/// in others.
public struct FileClientStore: ClientStore {
    public typealias Transaction = FileClientTransaction

    public let database: Database
    /// The classes that sync. `nil` for all classes with the primary key `_id`.
    public let classes: Set<String>?
    /// Returns the device's time at a commit, in milliseconds since 2015-01-01.
    package var time: @Sendable (JournalEntry) -> Int64 = { $0.time &- 1_420_070_400_000 }

    /// Receives the versions of commits that a session needn't be notified of.
    var own: OwnCommits?
    /// Receives the values that the app's classes don't represent, or that the file can't store.
    var misfits: Misfits?

    /// Sentences about subscriptions and work that a migration ended.
    var ended = FileClientTransaction.Ended()
    /// The schema whose names the data of sync uses.
    private var followed: DatabaseSchema?

    /// Prepares the file for sync, unless it is prepared. Existing objects are uploaded as work of the file. A copy of
    /// a synced file that was made without the journal becomes a new file, without the unsent work.
    ///
    /// Classes that a process adds later are synced from their first object on.
    /// - Parameter classes: The classes that sync, out of those with the primary key `_id`. All processes that open the
    ///   file must name the same classes.
    /// - Parameter database: The app's file.
    /// - Throws: `EngineError` with the code `.unsupportedFormat` for a file of a format before 5, the errors of a
    ///   commit, and `SyncFileError`.
    /// - Complexity: O(classes) if the file is prepared, otherwise O(objects of the classes)
    public init(_ database: Database, classes: Set<String>? = nil) throws {
        self.database = database
        self.classes = classes
        let write = try database.beginWrite()
        do {
            write.origin = .applier(Self.applier)
            let hasCursor = write.base.journalCursors.contains { $0.name == Self.cursorName }
            let known = Set(write.base.schema.tables.filter { $0.imageColumn != nil }.map(\.id))
            let tables = try FileTables(write, classes: classes)
            var transaction = try FileClientTransaction(write, tables, time)
            ended = try transaction.followNames()
            if !hasCursor, transaction.hasState { try transaction.becomeNewFile() }
            let new = tables.classes.values.map(\.table).filter { !known.contains($0.id) }
            try transaction.adopt(new.sorted { $0.id < $1.id })
            try transaction.finish()
            _ = try write.commit()
        } catch {
            write.cancel()
            throw error
        }
    }

    /// The name of the journal's cursor.
    public static let cursorName = "sync"
    /// The origin of downloaded changes (`CommitOrigin.applier`).
    public static let applier: UInt32 = 1

    public mutating func transact<Result>(_ body: (inout FileClientTransaction) throws -> Result) throws -> Result {
        let write = try database.beginWrite()
        do {
            write.origin = .applier(Self.applier)
            var transaction = try FileClientTransaction(write, try FileTables(write, classes: classes), time)
            transaction.cache.misfits = misfits
            // Another realm of the process, or another process, may have migrated the file.
            if followed !== write.schema {
                let ended = try transaction.followNames()
                for text in ended.subscriptions + ended.work { misfits?.note(text) }
            }
            let result = try body(&transaction)
            try transaction.finish()
            let schema = write.schema
            let made = try write.commit()
            followed = schema
            // Commits that the transaction took out of the journal still have to be sent. A transaction without writes
            // has no version of its own, so the next version is that of another commit.
            if !transaction.hasFoundWork, made.version > write.base.version { own?.expect(made.version) }
            misfits?.deliver()
            return result
        } catch {
            write.cancel()
            throw error
        }
    }

    /// Returns and removes the work that was set aside for the app.
    public mutating func takeLost() throws -> [LostWork] {
        try transact { try $0.takeLost() }
    }
}

/// The tables in which sync stores its data, in addition to the application's tables.
struct FileTables {
    struct Class {
        let table: Table
        let key: Column
        /// The column with the confirmed version of an object. The value is null if the object isn't confirmed.
        let version: Column
        /// The column that records whether the journal or a shadow has the earlier state of an object.
        let image: Column
    }

    static let versionName = "sync version"

    private(set) var classes: [SyncString: Class] = [:]
    /// The asymmetric classes, whose objects are only sent.
    let asymmetric: Set<SyncString>
    let values: Table
    let shadows: Table
    let commits: Table
    let lost: Table
    let sums: Table
    /// The beginning of a message that arrives in parts, in at most one row.
    let parts: Table

    /// Creates missing tables and columns.
    init(_ write: WriteTransaction, classes names: Set<String>?) throws(EngineError) {
        values = try write.addHiddenTable(
            TableSpec(
                "sync values",
                columns: [ColumnSpec("name", .string)] + KeptBody.columns,
                primaryKey: "name"
            )
        )
        shadows = try write.addHiddenTable(
            TableSpec(
                "sync shadows",
                columns: [
                    ColumnSpec("name", .string), ColumnSpec("class", .string),
                    ColumnSpec("version", .int, optional: true),
                ] + KeptBody.columns,
                primaryKey: "name"
            )
        )
        commits = try write.addHiddenTable(
            TableSpec(
                "sync commits",
                columns: [ColumnSpec("number", .int)] + KeptBody.columns,
                primaryKey: "number"
            )
        )
        lost = try write.addHiddenTable(TableSpec("sync lost", columns: KeptBody.columns))
        parts = try write.addHiddenTable(
            TableSpec(
                "sync parts",
                columns: [
                    ColumnSpec("message", .data), ColumnSpec("received", .int),
                    ColumnSpec("pieces", .data, collection: .list),
                ]
            )
        )
        sums = try write.addHiddenTable(
            TableSpec(
                "sync sums",
                columns: [ColumnSpec("class", .string), ColumnSpec("count", .int), ColumnSpec("sum", .int)],
                primaryKey: "class"
            )
        )
        try write.keepImages(ofTablesKeyed: "_id", named: names)
        asymmetric = Set(write.schema.tables.filter(\.isAsymmetric).map { SyncString($0.name) })
        // Objects of asymmetric classes are uploaded from the journal, and never downloaded.
        let synced = write.schema.tables.filter { !$0.isAsymmetric && $0.primaryKey != nil && $0.imageColumn != nil }
        try write.addHiddenColumns([ColumnSpec(Self.versionName, .int, optional: true)], to: synced)
        for table in synced {
            guard let table = write.schema.table(id: table.id), let key = table.primaryKey,
                let image = table.imageColumn, let version = table.hiddenColumn(named: Self.versionName)
            else { continue }
            classes[SyncString(table.name)] = Class(table: table, key: key, version: version, image: image)
        }
        if !write.base.journalCursors.contains(where: { $0.name == FileClientStore.cursorName }) {
            try write.addJournalCursor(FileClientStore.cursorName)
        }
    }
}

extension PrimaryKey {
    var value: Value {
        switch self {
        case .null: .null
        case .int(let value): .int(value)
        case .string(let value): .string(value.string)
        case .objectId(let value): .objectId(value)
        case .uuid(let value): .uuid(value)
        }
    }

    /// A text that is different for each key.
    fileprivate var text: String {
        switch self {
        case .null: "n"
        case .int(let value): "i\(value)"
        case .string(let value): "s\(value.string)"
        case .objectId(let value): "o\(value)"
        case .uuid(let value): "u\(value)"
        }
    }
}

extension ObjectName {
    /// A text that is different for each name.
    var text: String { "\(className.string.utf8.count):\(className.string)\(key.text)" }
}
