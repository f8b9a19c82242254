import CFreeholdShims
import Foundation
import FreeholdEngine
import Synchronization

/// What a `Realm` is a handle to: one file seen from one thread, at one version or inside one write transaction.
///
/// Objects, lists and results hold it strongly; it holds its tables. It may be used where it is confined to (it may be
/// let go of anywhere); a frozen one anywhere, which is why a frozen one remembers nothing outside its lock.
final class RealmCore {
    let file: RealmFile
    let configuration: Realm.Configuration
    /// The configuration's: to copy one takes longer than to compile a short query.
    let textMatching: Realm.TextMatching
    let schema: Schema
    let confinement: Confinement
    let isFrozen: Bool
    /// `fh_thread_id()` of the thread on which the core was seen to be used rightly; 0 of a frozen one.
    @exclusivity(unchecked) private(set) var threadToken: UInt
    private let frozenLock: NSRecursiveLock?
    /// Of a frozen one: it was closed.
    private let isClosed = Atomic(false)
    let life = RealmLife()
    /// Delivers to this realm's place; nil until somebody asks where that is possible.
    private var knownMailbox: Mailbox?
    /// The asynchronous writes that were asked for, made with the first.
    private(set) lazy var asyncWrites = AsyncWrites(self)
    private(set) var hasAsyncWrites = false
    /// Whether the realm moves on by itself where calls can be delivered to it.
    var autorefresh = true { didSet { observers?.setAutorefresh(autorefresh) } }
    /// Of what belongs to the realm, made with the first.
    private(set) var observers: ObserverGroup?
    private(set) lazy var realmObservers = RealmObservers()
    private(set) var hasRealmObservers = false
    /// Nil of realms that don't tell the Observation framework.
    let tracker: RealmTracker?
    /// The version that the realm's observers were last told to refresh for.
    var refreshRequired: UInt64 = 0
    /// What `changeCount` was when the transaction began.
    private var changesAtBegin: UInt64 = 0
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
    /// What live realms read through: see `SchemaCopies`.
    private var ownSchema: DatabaseSchema?
    @exclusivity(unchecked) private(set) var transaction: WriteTransaction?
    private(set) var pendingError: Realm.Error?
    /// In a migration: the realm of the old objects.
    var predecessor: RealmCore?
    @exclusivity(unchecked) private var snapshot: Snapshot?
    /// The version of the opening, until somebody reads or moves on: so long a reference may lead to an older one.
    private var unread: Snapshot?
    /// Keeps the core itself between `beginWrite()` and the end of the transaction.
    private var keeper: WritingKeeper?
    /// The version that it showed before `invalidate()`.
    private var lastVersion: UInt64 = 0
    /// Why the last `refresh` didn't reach the newest version.
    private(set) var refreshError: Realm.Error?
    @exclusivity(unchecked) private var invalidations = Invalidations()

    init(
        file: RealmFile,
        configuration: Realm.Configuration,
        schema: Schema,
        snapshot: Snapshot,
        confinement: Confinement
    ) {
        self.file = file
        self.confinement = confinement
        if case .frozen = confinement { isFrozen = true } else { isFrozen = false }
        frozenLock = isFrozen ? NSRecursiveLock() : nil
        self.configuration = configuration
        textMatching = configuration.textMatching
        tracker = configuration.observationTracking && !isFrozen ? RealmTracker() : nil
        self.schema = schema
        var snapshot = snapshot
        if !isFrozen {
            let own = file.schemaCopies.take(snapshot.schema)
            ownSchema = own
            snapshot = snapshot.reading(by: own)
        }
        if isFrozen { self.snapshot = snapshot } else { unread = snapshot }
        // Else the first use looks whether it is at the right place.
        if case .thread = confinement { threadToken = UInt(fh_thread_id()) } else { threadToken = 0 }
        boundSchema = snapshot.schema
        clusterSpan = snapshot.clusterSpan
        makeTables(snapshot.schema, clusterSpan: snapshot.clusterSpan)
        if isFrozen { for table in tables { table.freeze() } }
        life.begin(self)
    }

    deinit {
        life.end()
        if let transaction {
            Log.write(
                .warn,
                .sdk,
                "\(self) was let go of in a write transaction, which is rolled back. Hold it, and commit."
            )
            transaction.cancel()
            file.didEndWrite(transaction)
        }
        dynamicCatalogue?.clear()
        if let ownSchema { file.schemaCopies.give(ownSchema) }
    }

    /// The version as this realm alone reads it.
    private func own(_ version: Snapshot) -> Snapshot {
        guard let ownSchema else { return version }
        let stored = version.schema
        if stored.origin === ownSchema.origin { return version.reading(by: ownSchema) }
        let taken = file.schemaCopies.take(stored)
        file.schemaCopies.give(ownSchema)
        self.ownSchema = taken
        return version.reading(by: taken)
    }

    var database: Database { file.database }

    /// The state that reads see: the open transaction's, else the snapshot's.
    var view: DataView { transaction ?? snapshot ?? beginRead() }

    /// The first read is one of the version of the opening. After `invalidate()` the next read takes the newest version, or
    /// if that can't be had, one that others hold and that is no older than what was seen before.
    private func beginRead() -> DataView {
        if let unread {
            snapshot = unread
            self.unread = nil
            return unread
        }
        do {
            let snapshot: Snapshot
            do { snapshot = try database.snapshot() } catch {
                guard let held = database.heldSnapshot(), held.version >= lastVersion else { throw error }
                snapshot = held
            }
            try checkFits(snapshot.schema)
            let own = own(snapshot)
            self.snapshot = own
            follow(own.schema)
            return own
        } catch {
            programmerError("\(self) can't be read after invalidate(): \(error). Open it anew, which throws.")
        }
    }

    // MARK: Tables

    private func makeTables(_ stored: DatabaseSchema, clusterSpan: Int) {
        let classes = schema.classes
        tables.reserveCapacity(classes.count)
        tablesByClass.reserveCapacity(classes.count)
        tablesByID.reserveCapacity(classes.count)
        tablesByName.reserveCapacity(classes.count)
        for info in classes {
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
        if isFrozen { return found }
        lastClass = id
        lastTable = found
        return found
    }

    /// The table of a class by its name in the file, else in Swift.
    func table(named name: String) -> ManagedTable? { schema[name].flatMap { tablesByName[$0.className] } }
    var classNames: [String] { Array(tablesByName.keys) }
    func table(id: Int) -> ManagedTable? { tablesByID[id] }

    /// The same, or that of dynamic objects where there is no Swift class.
    func anyTable(id: Int) -> ManagedTable? {
        if let table = table(id: id) { return table }
        let stored = view.schema
        return stored.table(id: id).flatMap { dynamicTable($0, in: stored) }
    }

    /// The table of a class's name in the file, else in Swift, as one of dynamic objects. Also of classes that only the
    /// file has.
    func dynamicTable(named name: String) -> ManagedTable? {
        let stored = view.schema
        let tableName = schema[name]?.className ?? name
        return stored.table(named: tableName).flatMap { dynamicTable($0, in: stored) }
    }

    func dynamicTable(_ table: Table, in stored: DatabaseSchema) -> ManagedTable? {
        exclusively { makeDynamicTable(table, in: stored) }
    }

    private func makeDynamicTable(_ table: Table, in stored: DatabaseSchema) -> ManagedTable? {
        if let known = dynamicTables[table.id] { return known }
        guard let info = dynamicInfo(named: table.name, in: stored) else { return nil }
        let made = ManagedTable(core: self, table: table, info: info, clusterSpan: clusterSpan)
        if isFrozen { made.freeze() }
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
            "Class \(cls.className()) isn't in the schema of \(name). Add it to `objectTypes` of the configuration."
        )
    }

    /// The table that an object's like are rows of.
    func requireTable(of object: ObjectBase) -> ManagedTable { requireTable(of: object._info) }

    func requireTable(of info: ClassInfo) -> ManagedTable {
        guard info.dynamic != nil else { return requireTable(for: info.cls) }
        if let table = dynamicTable(named: info.tableName) { return table }
        programmerError("Class \(info.className) isn't in \(name). Add it to the schema of its configuration.")
    }

    // MARK: Confinement

    /// What tables have for `threadToken`: 0 where no read may be quick.
    var tableToken: UInt { tracker == nil ? threadToken : 0 }

    @inline(__always)
    func verifyThread() {
        if threadToken != UInt(fh_thread_id()) { verifyConfinement() }
    }

    /// The realm of what belongs to it, also for a caller who mayn't use it: to ask for its configuration. Nil for what is
    /// invalidated, as far as the caller may know.
    func handle(isInvalidated: () -> Bool) -> Realm? {
        let isHere = threadToken == UInt(fh_thread_id()) || confinement.isSurelyHere
        return isHere && isInvalidated() ? nil : Realm(core: self)
    }

    /// What a queue or an actor does next may be done by another thread.
    @inline(never)
    private func verifyConfinement() {
        if isFrozen {
            if isClosed.load(ordering: .relaxed) {
                programmerError("\(self) is frozen and was closed by invalidate(). Freeze a live realm again.")
            }
            return
        }
        guard confinement.isHere(wrongPlace) else { programmerError(wrongPlace) }
        threadToken = UInt(fh_thread_id())
        for table in tables { table.state.pointee.thread = tableToken }
        for table in dynamicTables.values { table.state.pointee.thread = tableToken }
    }

    private var wrongPlace: String {
        if case .thread = confinement {
            return "\(self) was used on another thread than the one it was opened on. "
                + "Open a realm on this thread, pass a frozen object or a ThreadSafeReference, or use `Realm.read` and "
                + "`Realm.write` from async code."
        }
        return
            "\(self) belongs to \(confinement.described) and was used elsewhere. Use it there, open a realm here, or "
            + "pass a frozen object or a ThreadSafeReference."
    }

    /// Runs what remembers something: of a frozen realm one caller at a time.
    @inline(__always)
    func exclusively<T>(_ body: () -> T) -> T { isFrozen ? locked(body) : body() }

    @inline(never)
    private func locked<T>(_ body: () -> T) -> T {
        frozenLock?.lock()
        defer { frozenLock?.unlock() }
        return body()
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
        if isFrozen {
            programmerError("\(self) is frozen, so that it can't be changed. Change what `thaw()` gives, in a write.")
        }
        programmerError("\(self) was changed outside a write transaction. Make the change inside `realm.write { … }`.")
    }

    /// Notes bad data inside a write transaction, which can then only roll back. The first error wins.
    func record(_ error: Realm.Error) {
        if pendingError == nil { pendingError = error.with(fileURL: configuration.fileURL) }
    }

    // MARK: Delivery

    /// Nil on a thread without a running run loop, and of a frozen realm.
    var mailbox: Mailbox? {
        if knownMailbox == nil { knownMailbox = Mailbox(confinement) }
        return knownMailbox
    }

    func useAsyncWrites() -> AsyncWrites {
        hasAsyncWrites = true
        return asyncWrites
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
    func checkFits(_ schema: DatabaseSchema) throws(Realm.Error) {
        if schema.origin === boundSchema?.origin { return }
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
        if schema.origin === boundSchema?.origin { return }
        let schema = schema.origin === ownSchema?.origin ? ownSchema! : schema
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
        if let observers, observers.isActive, let newest = try? database.snapshot() {
            observers.drain(upTo: newest, self)
            try checkWritable()
        }
        let overtaken = hasAsyncWrites ? asyncWrites.overtake() : nil
        let transaction: WriteTransaction
        if let overtaken { transaction = overtaken } else { transaction = try file.beginWrite(configuration) }
        do { try checkFits(transaction.schema) } catch {
            transaction.cancel()
            throw error
        }
        adopt(transaction)
        if let pendingError {
            cancel()
            throw pendingError
        }
    }

    /// Begins a transaction that can only be rolled back, on the version that the realm shows: for who can't be told
    /// otherwise why no other could begin.
    ///
    /// - Returns: false where there is no version to show.
    func beginFailed(_ error: Realm.Error) -> Bool {
        guard let base = snapshot ?? database.heldSnapshot(), (try? checkFits(base.schema)) != nil else { return false }
        let failure = error.cause as? EngineError ?? EngineError(.environmentFailed, error.message)
        adopt(database.failedWrite(on: base, failure))
        pendingError = error
        return true
    }

    func checkWritable() throws(Realm.Error) {
        if isFrozen {
            throw Realm.Error(
                .invalidTransactionState,
                "The realm is frozen, so that it can't be written to. Write to a live realm: see `thaw()`.",
                fileURL: configuration.fileURL
            )
        }
        if configuration.readOnly { throw Realm.Error.written(readOnly: configuration.fileURL) }
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
        let isMoved = snapshotVersion != transaction.base.version
        unread = nil
        tracking(snapshot, transaction.base) {
            self.transaction = transaction
            // The version of before isn't held any longer.
            snapshot = own(transaction.base)
            pendingError =
                configuration.versionLimitError(database)
                ?? file.heldVersionError(configuration, at: transaction.base)
            transaction.didCascade = { [weak self] in self?.didDelete() }
            advance()
        }
        file.didBeginWrite(transaction, confinement)
        Log.write(.debug, .transaction, "Begin a write of \(name), after version \(transaction.base.version).")
        invalidations.didBegin(at: stateVersion)
        changesAtBegin = changeCount
        observers?.didBegin(at: transaction.base, movedTo: isMoved, self)
    }

    /// Whether something was changed in the open transaction.
    var hasUncommittedChanges: Bool { transaction != nil && changeCount != changesAtBegin }

    /// Commits; on a pending error, or where the commit fails, rolls back and throws.
    ///
    /// - Parameters:
    ///   - tokens: those whose observers aren't told of it.
    ///   - durably: if false, it reaches the disk with a later commit, or `Database.makeDurable()`.
    func commit(withoutNotifying tokens: [NotificationToken] = [], durably: Bool = true) throws(Realm.Error) {
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
        if let attachment = file.attachment {
            do throws(Realm.Error) { try attachment.willCommit(transaction) } catch {
                cancel()
                throw error
            }
        }
        do {
            let snapshot = try transaction.commit(durably: durably)
            tracking(transaction.base, snapshot) {
                self.snapshot = own(snapshot)
                self.transaction = nil
                file.didEndWrite(transaction)
                advance()
            }
            endKeeping()
            Log.write(.debug, .transaction, "Committed version \(snapshot.version) of \(name).")
            for held in transaction.journalWarnings {
                Log.write(
                    .warn,
                    .storage,
                    "The journal's cursor '\(held.cursor)' of \(name) isn't moved and keeps about \(held.bytes >> 20) MiB. "
                        + "Move it, or drop it."
                )
            }
            observers?.didEnd(at: snapshot, silent: tokens.compactMap(\.observation))
            if hasRealmObservers { realmObservers.tell(.didChange, except: tokens) }
        } catch {
            cancel()
            throw Realm.Error(error, fileURL: configuration.fileURL)
        }
    }

    /// The version that was committed last, as far as this realm knows: that before an open transaction.
    var committed: Snapshot {
        if let transaction { return transaction.base }
        return view as! Snapshot
    }

    /// Nil after `invalidate()`, until the next read.
    var snapshotVersion: UInt64? { (snapshot ?? unread)?.version }

    /// Drops the changes. ``pendingError`` stays readable until the next transaction begins.
    func cancel() {
        guard let transaction else { return }
        Log.write(.debug, .transaction, "Roll back a write of \(name).")
        endKeeping()
        func end() {
            snapshot = own(transaction.base)
            self.transaction = nil
            transaction.cancel()
            file.didEndWrite(transaction)
            advance()
            invalidations.didCancel(at: stateVersion)
        }
        if let tracker { tracker.cancel(end) } else { end() }
        observers?.didEnd(at: transaction.base)
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
        endKeeping()
        if let transaction { file.didEndWrite(transaction) }
        transaction = nil
        predecessor = nil
        invalidate()
    }

    /// Moves to the newest version; whether there was a newer one.
    ///
    /// - Throws: where it can't be read, or the classes don't fit it any more; the realm stays where it is.
    func refresh() throws(Realm.Error) -> Bool {
        verifyThread()
        guard transaction == nil, !isFrozen else { return false }
        if let unread {
            snapshot = unread
            self.unread = nil
        }
        do throws(Realm.Error) {
            let isNewer = try moveToNewest()
            refreshError = nil
            return isNewer
        } catch {
            refreshError = error
            throw error
        }
    }

    /// Moves at least to a version that another realm of the file holds, which takes no reader's slot.
    func catchUp(with target: Snapshot) {
        guard transaction == nil, !isFrozen else { return }
        if let version = snapshotVersion, version >= target.version { return }
        if (try? refresh()) != nil, committed.version >= target.version { return }
        guard (try? checkFits(target.schema)) != nil else { return }
        observers?.drain(upTo: target, self)
        move(to: target)
    }

    private func moveToNewest() throws(Realm.Error) -> Bool {
        let newest: Snapshot
        do throws(EngineError) {
            newest = try database.snapshot()
        } catch {
            throw Realm.Error(error, fileURL: configuration.fileURL)
        }
        let isNewer = snapshot?.version != newest.version
        if isNewer { try checkFits(newest.schema) }
        observers?.drain(upTo: newest, self)
        move(to: newest)
        if !isNewer, let snapshot, !newest.sharesCaches(with: snapshot) {
            // Of an encrypted file: it holds more than it should.
            self.snapshot = own(newest)
            advance()
        }
        return isNewer
    }

    /// To be called before a reference of that version is followed: the realm then shows it, or a newer one.
    ///
    /// - Parameter isUncommitted: whether what the reference leads to may be of the next version.
    func reach(_ version: Snapshot, isUncommitted: Bool) {
        verifyThread()
        if isFrozen || transaction != nil { return }
        if let snapshot {
            if snapshot.version > version.version || snapshot.version == version.version && !isUncommitted { return }
        } else if !isUncommitted, (try? checkFits(version.schema)) != nil {
            unread = nil
            snapshot = own(version)
            advance()
            // Nobody has told it of what was committed since.
            if version.version < database.lastVersion { mailbox?.post { [life] in life.core?.didCommitElsewhere() } }
            return
        }
        Realm(core: self).refresh()
        catchUp(with: version)
    }

    // MARK: Keeping

    /// The core lives until the transaction ends, whoever lets go of it. To be called by one who leaves it open.
    func keepWhileWriting() {
        // An observer that was told of the begin may have ended it.
        if transaction != nil { keeper = WritingKeeper(self) }
    }

    private func endKeeping() {
        if keeper == nil { return }
        keeper?.end()
        keeper = nil
    }

    /// Moves to a later version.
    func move(to newer: Snapshot) {
        if transaction != nil || snapshot.map({ $0.version >= newer.version }) ?? false { return }
        tracking(snapshot, newer) {
            snapshot = own(newer)
            advance()
        }
        observers?.didMove(to: newer)
        if hasRealmObservers { realmObservers.tell(.didChange) }
    }

    // MARK: Observers

    /// Made with the first observer. - Precondition: calls can be delivered to the realm.
    func useObservers(_ mailbox: Mailbox) -> ObserverGroup {
        if let observers { return observers }
        let made = ObserverGroup(self, mailbox)
        observers = made
        return made
    }

    func useRealmObservers() -> RealmObservers {
        hasRealmObservers = true
        return realmObservers
    }

    func invalidate() {
        verifyThread()
        if isFrozen { return isClosed.store(true, ordering: .relaxed) }
        cancel()
        observers?.endAll()
        observers = nil
        lastVersion = snapshot?.version ?? lastVersion
        snapshot = nil
        unread = nil
        advance()
        invalidations.before = stateVersion
    }
}

extension RealmCore: CustomStringConvertible {
    var description: String {
        if let url = configuration.fileURL { return "The realm at \(url.path)" }
        return "The in-memory realm \"\(configuration.inMemoryIdentifier ?? "")\""
    }

    /// The same within a sentence.
    var name: String { "t" + description.dropFirst() }
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
