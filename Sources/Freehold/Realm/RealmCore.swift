import CFreeholdShims
import Foundation
import FreeholdEngine

/// What a `Realm` is a handle to: one file seen from one thread, at one version or inside one write transaction.
///
/// Objects, lists and results hold it strongly; it holds its tables. Only the thread that opened it may use it (it
/// may be let go of anywhere).
final class RealmCore {
    let file: RealmFile
    let configuration: Realm.Configuration
    let schema: Schema
    /// `fh_thread_id()` of the thread that the core is confined to.
    let threadToken: UInt
    private(set) lazy var life = RealmLife(self)
    private(set) var tables: [ManagedTable] = []
    private var tablesByClass: [ObjectIdentifier: ManagedTable] = [:]
    /// The last class asked for, and its table.
    @exclusivity(unchecked) private var lastClass: ObjectIdentifier?
    @exclusivity(unchecked) private unowned(unsafe) var lastTable: ManagedTable?
    private var tablesByID: [Int: ManagedTable] = [:]
    private var tablesByName: [String: ManagedTable] = [:]
    /// Those whose objects are dynamic, by id, made when they are asked for.
    private var dynamicTables: [Int: ManagedTable] = [:]
    private var formerTables: [ManagedTable] = []
    private var dynamicCatalogue: DynamicCatalogue?
    private let clusterSpan: Int

    /// Changes with every refresh, begin, commit and cancel, and with every deletion inside a transaction.
    @exclusivity(unchecked) private(set) var stateVersion: UInt64 = 1
    /// Changes with every change inside a transaction.
    @exclusivity(unchecked) private(set) var changeCount: UInt64 = 0
    /// Changes when columns must be looked up anew.
    private(set) var schemaGeneration = 0
    private var boundSchema: DatabaseSchema?
    @exclusivity(unchecked) private(set) var transaction: WriteTransaction?
    private(set) var pendingError: Realm.Error?
    /// In a migration: the realm of the old objects.
    var predecessor: RealmCore?
    @exclusivity(unchecked) private var snapshot: Snapshot?
    @exclusivity(unchecked) private var invalidations = Invalidations()

    init(file: RealmFile, configuration: Realm.Configuration, schema: Schema, snapshot: Snapshot) {
        self.file = file
        self.configuration = configuration
        self.schema = schema
        self.snapshot = snapshot
        threadToken = UInt(fh_thread_id())
        boundSchema = snapshot.schema
        clusterSpan = snapshot.clusterSpan
        makeTables(snapshot.schema, clusterSpan: snapshot.clusterSpan)
    }

    deinit {
        transaction?.cancel()
        dynamicCatalogue?.clear()
    }

    var database: Database { file.database }

    /// The state that reads see: the open transaction's, else the snapshot's.
    var view: DataView { transaction ?? snapshot ?? beginRead() }

    /// After `invalidate()` the next read takes the newest version.
    private func beginRead() -> DataView {
        do {
            let snapshot = try database.snapshot()
            try checkFits(snapshot.schema)
            self.snapshot = snapshot
            follow(snapshot.schema)
            return snapshot
        } catch {
            programmerError("\(self) can't be read after invalidate(): \(error). Open it anew, which throws.")
        }
    }

    // MARK: Tables

    private func makeTables(_ stored: DatabaseSchema, clusterSpan: Int) {
        for info in schema.classes {
            guard let table = stored.table(named: info.tableName) else { continue }
            let managed = ManagedTable(core: self, table: table, info: info, clusterSpan: clusterSpan)
            tables.append(managed)
            tablesByClass[ObjectIdentifier(info.cls)] = managed
            tablesByID[table.id] = managed
            tablesByName[info.tableName] = managed
        }
    }

    @inline(__always)
    func table(for cls: ObjectBase.Type) -> ManagedTable? {
        let id = ObjectIdentifier(cls)
        return lastClass == id ? lastTable : find(id)
    }

    @inline(never)
    private func find(_ id: ObjectIdentifier) -> ManagedTable? {
        guard let found = tablesByClass[id] else { return nil }
        lastClass = id
        lastTable = found
        return found
    }

    /// The table of a class by its name in the file, else in Swift.
    func table(named name: String) -> ManagedTable? { schema[name].flatMap { tablesByName[$0.className] } }
    var classNames: [String] { Array(tablesByName.keys) }
    func table(id: Int) -> ManagedTable? { tablesByID[id] }

    /// The table of a class's name in the file, else in Swift, as one of dynamic objects. Also of classes that only the
    /// file has.
    func dynamicTable(named name: String) -> ManagedTable? {
        let stored = view.schema
        let tableName = schema[name]?.className ?? name
        return stored.table(named: tableName).flatMap { dynamicTable($0, in: stored) }
    }

    func dynamicTable(_ table: Table, in stored: DatabaseSchema) -> ManagedTable? {
        if let known = dynamicTables[table.id] { return known }
        guard let info = dynamicInfo(named: table.name, in: stored) else { return nil }
        let made = ManagedTable(core: self, table: table, info: info, clusterSpan: clusterSpan)
        dynamicTables[table.id] = made
        return made
    }

    private func dynamicInfo(named name: String, in stored: DatabaseSchema) -> ClassInfo? {
        if let info = dynamicCatalogue?.info(named: name) { return info }
        // There are classes that weren't there when the catalogue was made.
        let made = DynamicCatalogue(schema, stored: Schema(stored))
        dynamicCatalogue?.clear()
        dynamicCatalogue = made
        return made.info(named: name)
    }

    func requireTable(for cls: ObjectBase.Type) -> ManagedTable {
        if let table = table(for: cls) { return table }
        programmerError(
            "Class \(cls.className()) isn't in the schema of \(self). Add it to `objectTypes` of the configuration."
        )
    }

    /// The table that an object's like are rows of.
    func requireTable(of object: ObjectBase) -> ManagedTable { requireTable(of: object._info) }

    func requireTable(of info: ClassInfo) -> ManagedTable {
        guard info.dynamic != nil else { return requireTable(for: info.cls) }
        if let table = dynamicTable(named: info.tableName) { return table }
        programmerError("Class \(info.className) isn't in \(self). Add it to the schema of its configuration.")
    }

    // MARK: Confinement

    @inline(__always)
    func verifyThread() {
        if threadToken != UInt(fh_thread_id()) { wrongThread() }
    }

    @inline(never)
    private func wrongThread() -> Never {
        programmerError(
            "\(self) was used on another thread than the one it was opened on. "
                + "Open a realm on this thread, or use `Realm.read` and `Realm.write` from async code."
        )
    }

    /// The open transaction; traps where there is none. To be called before each change.
    @inline(__always)
    func requireWrite() -> WriteTransaction {
        verifyThread()
        guard let transaction else { outsideWrite() }
        changeCount &+= 1
        return transaction
    }

    /// To be called before each change, by those who know that a transaction is open.
    @inline(__always)
    func willChange() { changeCount &+= 1 }

    @inline(never)
    private func outsideWrite() -> Never {
        programmerError("\(self) was changed outside a write transaction. Make the change inside `realm.write { … }`.")
    }

    /// Notes bad data inside a write transaction, which can then only roll back. The first error wins.
    func record(_ error: Realm.Error) {
        if pendingError == nil { pendingError = error.with(fileURL: configuration.fileURL) }
    }

    // MARK: State

    private func advance() {
        stateVersion &+= 1
        for table in tables { table.invalidate() }
        if !dynamicTables.isEmpty { for table in dynamicTables.values { table.invalidate() } }
        for table in formerTables { table.invalidate() }
        if let schema = transaction?.schema ?? snapshot?.schema { follow(schema) }
    }

    /// - Throws: `.schemaMismatch` where another process has migrated the file, so that the classes don't fit any more.
    private func checkFits(_ schema: DatabaseSchema) throws(Realm.Error) {
        if schema === boundSchema { return }
        guard
            let table = tables.first(where: { !$0.fits(schema) })
                ?? dynamicTables.values.first(where: { !$0.fits(schema) })
        else { return }
        throw Realm.Error(
            .schemaMismatch,
            "The file was migrated while it was open here: class '\(table.table.name)' has changed. Let go of the realm, "
                + "and open it with the new classes.",
            className: table.info.className,
            fileURL: configuration.fileURL
        )
    }

    /// Another realm or process may have added or dropped indexes.
    private func follow(_ schema: DatabaseSchema) {
        if schema === boundSchema { return }
        boundSchema = schema
        var changed = false
        for table in tables where table.rebind(to: schema) { changed = true }
        for table in dynamicTables.values where table.rebind(to: schema) { changed = true }
        for table in formerTables { _ = table.rebind(to: schema) }
        if changed {
            schemaGeneration += 1
        }
    }

    /// To be called after a deletion inside a transaction: accessors look anew whether they live.
    func didDelete() {
        changeCount &+= 1
        advance()
    }

    func didCreate(_ key: ObjectKey, in table: Table) { invalidations.didCreate(key, in: table) }

    /// Whether an accessor that was last known to live at `stamp` was invalidated since in a way that its row can't
    /// show: by `invalidate()`, or because its object was made in a transaction that was rolled back (a later one
    /// may have given the key to another object).
    func wasInvalidated(stamp: UInt64, _ table: Table, _ key: ObjectKey) -> Bool {
        invalidations.contains(stamp: stamp, table, key)
    }

    /// The lowest stamp that outlives `invalidate()`.
    var invalidatedBefore: UInt64 { invalidations.before }

    // MARK: Transactions

    func begin() throws(Realm.Error) {
        verifyThread()
        try checkWritable()
        let transaction: WriteTransaction
        do { transaction = try database.beginWrite() } catch {
            throw Realm.Error(error, fileURL: configuration.fileURL)
        }
        do { try checkFits(transaction.schema) } catch {
            transaction.cancel()
            throw error
        }
        adopt(transaction)
    }

    func checkWritable() throws(Realm.Error) {
        if configuration.readOnly {
            throw Realm.Error(
                .readOnly,
                "The realm was opened read-only. Open it without `readOnly` to write.",
                fileURL: configuration.fileURL
            )
        }
        if transaction != nil {
            throw Realm.Error(
                .invalidTransactionState,
                "The realm is in a write transaction already. Make the change in the one that is open.",
                fileURL: configuration.fileURL
            )
        }
    }

    /// Goes on inside a transaction that was begun for this core.
    func adopt(_ transaction: WriteTransaction) {
        self.transaction = transaction
        pendingError = nil
        transaction.didCascade = { [weak self] in self?.didDelete() }
        advance()
        invalidations.didBegin(at: stateVersion)
    }

    /// Commits; on a pending error, or where the commit fails, rolls back and throws.
    func commit() throws(Realm.Error) {
        verifyThread()
        guard let transaction else {
            throw Realm.Error(
                .invalidTransactionState,
                "There is no write transaction to commit. Call `beginWrite` first.",
                fileURL: configuration.fileURL
            )
        }
        if let pendingError {
            cancel()
            throw pendingError
        }
        do {
            let snapshot = try transaction.commit()
            self.snapshot = snapshot
            self.transaction = nil
            advance()
        } catch {
            cancel()
            throw Realm.Error(error, fileURL: configuration.fileURL)
        }
    }

    /// Drops the changes. ``pendingError`` stays readable until the next transaction begins.
    func cancel() {
        guard let transaction else { return }
        snapshot = transaction.base
        self.transaction = nil
        transaction.cancel()
        advance()
        invalidations.didCancel(at: stateVersion)
    }

    /// After classes have changed their names. The tables stay alive for their accessors.
    func forgetDynamicTables() {
        formerTables += dynamicTables.values
        dynamicTables = [:]
    }

    /// After the open transaction has changed the file's schema.
    func didChangeSchema() { advance() }

    /// Of a realm that showed somebody else's transaction, who will end it: from now on it shows nothing.
    func leaveTransaction() {
        transaction = nil
        predecessor = nil
        invalidate()
    }

    /// Moves to the newest version; whether there was a newer one.
    func refresh() throws(Realm.Error) -> Bool {
        verifyThread()
        guard transaction == nil else { return false }
        do {
            let newest = try database.snapshot()
            if let snapshot, snapshot.version == newest.version { return false }
            try checkFits(newest.schema)
            snapshot = newest
        } catch let error as EngineError {
            throw Realm.Error(error, fileURL: configuration.fileURL)
        } catch let error as Realm.Error {
            throw error
        } catch {
            fatalError("unreachable: \(error)")
        }
        advance()
        return true
    }

    func invalidate() {
        verifyThread()
        cancel()
        snapshot = nil
        advance()
        invalidations.before = stateVersion
    }
}

extension RealmCore: CustomStringConvertible {
    var description: String {
        if let url = configuration.fileURL { return "The realm at \(url.path)" }
        return "The in-memory realm \"\(configuration.inMemoryIdentifier ?? "")\""
    }
}

/// Which accessors became invalid without their rows showing it.
private struct Invalidations {
    struct Cancelled {
        var begin: UInt64
        var end: UInt64
        var firstCreated: [Int: ObjectKey]
    }

    var before: UInt64 = 0
    private var begin: UInt64 = 0
    private var firstCreated: [Int: ObjectKey] = [:]
    private var lastCreatedTable = -1
    private var cancelled: [Cancelled] = []

    mutating func didBegin(at version: UInt64) {
        begin = version
        lastCreatedTable = -1
        if !firstCreated.isEmpty { firstCreated = [:] }
    }

    /// Keys of a table rise, so that the first stands for all.
    @inline(__always)
    mutating func didCreate(_ key: ObjectKey, in table: Table) {
        if table.id == lastCreatedTable { return }
        lastCreatedTable = table.id
        if firstCreated[table.id] == nil { firstCreated[table.id] = key }
    }

    mutating func didCancel(at version: UInt64) {
        if firstCreated.isEmpty { return }
        cancelled.append(Cancelled(begin: begin, end: version, firstCreated: firstCreated))
        firstCreated = [:]
    }

    func contains(stamp: UInt64, _ table: Table, _ key: ObjectKey) -> Bool {
        if stamp < before { return true }
        for range in cancelled.reversed() {
            if stamp >= range.end { return false }
            if stamp >= range.begin { return range.firstCreated[table.id].map { $0 <= key } ?? false }
        }
        return false
    }
}
