public import FreeholdEngine
public import FreeholdSyncCore

/// A synced Freehold file, for the client's machine: objects are those of the application's tables, and what sync knows of them lies in
/// hidden tables and columns, written in the same transaction.
///
/// Classes sync that have the primary key `_id`, and the embedded objects that they own. Everybody may write to the file meanwhile,
/// programs without sync too: the file's journal says what they did.
///
/// A value of this type isn't for several threads at a time. Several of one file are, in this process and in others.
public struct FileClientStore: ClientStore {
    public typealias Transaction = FileClientTransaction

    public let database: Database
    /// The classes that sync, or nil for all with the primary key `_id`.
    public let classes: Set<String>?
    /// What the clock of the device said at a commit, in milliseconds since 2015-01-01.
    package var time: @Sendable (JournalEntry) -> Int64 = { $0.time &- 1_420_070_400_000 }

    /// Hears of the commits that a session needn't hear of.
    var own: OwnCommits?
    /// Receives the values that the app's classes, or the file, have no room for.
    var misfits: Misfits?

    /// Sentences about subscriptions and work that a migration ended.
    var ended = FileClientTransaction.Ended()
    /// The schema whose names sync follows.
    private var followed: DatabaseSchema?

    /// Makes the file one that syncs, unless it is. Objects that are there already go up as work of the file's own. A copy of a synced file
    /// that was made without its journal becomes a file of its own, without the work that wasn't sent.
    ///
    /// Classes that come later, by whichever process, sync from their first object on.
    /// - Parameter classes: those of the classes with the primary key `_id` that sync. Everybody who opens the file names the same.
    /// - Parameter database: the app's file.
    /// - Throws: `EngineError`: `.unsupportedFormat` in a file of a format before 5, and what a commit throws; `SyncFileError`.
    /// - Complexity: O(classes) of a file that syncs already; else O(objects of the classes)
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

    /// The journal's cursor.
    public static let cursorName = "sync"
    /// The origin of what is brought in (`CommitOrigin.applier`).
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
            // Work that was found on the way is still to be sent. A transaction that wrote nothing made no version: the next is another's.
            if !transaction.hasFoundWork, made.version > write.base.version { own?.expect(made.version) }
            misfits?.deliver()
            return result
        } catch {
            write.cancel()
            throw error
        }
    }

    /// The app takes the work that was given up.
    public mutating func takeLost() throws -> [LostWork] {
        try transact { try $0.takeLost() }
    }
}

/// What sync keeps of a file, beside the application's tables.
struct FileTables {
    struct Class {
        let table: Table
        let key: Column
        /// The version of what is confirmed; null if nothing is.
        let version: Column
        /// Whether the journal, or a shadow, has the object's state of before.
        let image: Column
    }

    static let versionName = "sync version"

    private(set) var classes: [SyncString: Class] = [:]
    /// Those whose objects are only sent.
    let asymmetric: Set<SyncString>
    let values: Table
    let shadows: Table
    let commits: Table
    let lost: Table
    let sums: Table
    /// A message that comes in parts: one row at most.
    let parts: Table

    /// Makes what isn't there.
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
        // Objects of asymmetric classes go up as the journal has them, and never come down.
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

    /// A text that no other key has.
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
    /// A text that no other name has.
    var text: String { "\(className.string.utf8.count):\(className.string)\(key.text)" }
}
