import CFreeholdShims
import Foundation
import FreeholdEngine
import Synchronization

/// What a `Realm` is a handle to: one file seen from one thread, at one version or inside one write transaction.
///
/// Objects, lists and results hold it strongly; it holds its tables. It may be used where it is confined to (it may be
/// let go of anywhere); a frozen one anywhere, which is why a frozen one remembers nothing outside its lock.
///
/// Its state stands here. What changes it stands beside it: `RealmCore+Versions` moves it from version to version,
/// `RealmCore+Transactions` begins and ends writes, `RealmCore+Tables` finds tables, `RealmCore+Confinement` guards where it is
/// used. Nobody else sets the properties that these files share.
final class RealmCore {
    let file: RealmFile
    let configuration: Realm.Configuration
    /// The configuration's: to copy one takes longer than to compile a short query.
    let textMatching: Realm.TextMatching
    let schema: Schema
    let confinement: Confinement
    let isFrozen: Bool
    /// `fh_thread_id()` of the thread on which the core was seen to be used rightly; 0 of a frozen one.
    @exclusivity(unchecked) var threadToken: UInt
    let frozenLock: NSRecursiveLock?
    /// Of a frozen one: it was closed.
    let isClosed = Atomic(false)
    let life = RealmLife()
    /// Delivers to this realm's place; nil until somebody asks where that is possible.
    private var knownMailbox: Mailbox?
    /// The asynchronous writes that were asked for, made with the first.
    private(set) lazy var asyncWrites = AsyncWrites(self)
    private(set) var hasAsyncWrites = false
    /// Whether the realm moves on by itself where calls can be delivered to it.
    var autorefresh = true { didSet { observers?.setAutorefresh(autorefresh) } }
    /// Of what belongs to the realm, made with the first.
    var observers: ObserverGroup?
    private(set) lazy var realmObservers = RealmObservers()
    private(set) var hasRealmObservers = false
    /// Nil of realms that don't tell the Observation framework.
    let tracker: RealmTracker?
    /// The version that the realm's observers were last told to refresh for.
    var refreshRequired: UInt64 = 0
    /// What `changeCount` was when the transaction began.
    var changesAtBegin: UInt64 = 0
    var tables: [ManagedTable] = []
    var tablesByClass: [ObjectIdentifier: ManagedTable] = [:]
    /// The last class asked for, and its table.
    @exclusivity(unchecked) var lastClass: ObjectIdentifier?
    @exclusivity(unchecked) unowned(unsafe) var lastTable: ManagedTable?
    var tablesByID: [Int: ManagedTable] = [:]
    var tablesByName: [String: ManagedTable] = [:]
    /// Those whose objects are dynamic, by id, made when they are asked for.
    var dynamicTables: [Int: ManagedTable] = [:]
    var formerTables: [ManagedTable] = []
    var dynamicCatalogue: DynamicCatalogue?
    let clusterSpan: Int

    /// Changes with every refresh, begin, commit and cancel, and with every deletion inside a transaction.
    @exclusivity(unchecked) private(set) var stateVersion: UInt64 = 1
    /// Changes with every change inside a transaction.
    @exclusivity(unchecked) var changeCount: UInt64 = 0
    /// Changes when columns must be looked up anew.
    private(set) var schemaGeneration = 0
    var boundSchema: DatabaseSchema?
    /// What live realms read through: see `SchemaCopies`.
    private var ownSchema: DatabaseSchema?
    @exclusivity(unchecked) var transaction: WriteTransaction? {
        // It refers to this core without keeping it: see `adopt`.
        willSet { transaction?.didCascade = nil }
    }
    var pendingError: Realm.Error?
    /// In a migration: the realm of the old objects.
    var predecessor: RealmCore?
    @exclusivity(unchecked) var snapshot: Snapshot?
    /// The version of the opening, until somebody reads or moves on: so long a reference may lead to an older one.
    var unread: Snapshot?
    /// Keeps the core itself between `beginWrite()` and the end of the transaction.
    var keeper: WritingKeeper?
    /// The version that it showed before `invalidate()`.
    var lastVersion: UInt64 = 0
    /// Why the last `refresh` didn't reach the newest version.
    var refreshError: Realm.Error?
    @exclusivity(unchecked) var invalidations = Invalidations()

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
            transaction.didCascade = nil
            transaction.cancel()
            file.didEndWrite(transaction)
        }
        dynamicCatalogue?.clear()
        if let ownSchema { file.schemaCopies.give(ownSchema) }
    }

    /// The version as this realm alone reads it.
    func own(_ version: Snapshot) -> Snapshot {
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

    // MARK: Delivery and observers

    /// Nil on a thread without a running run loop, and of a frozen realm.
    var mailbox: Mailbox? {
        if knownMailbox == nil { knownMailbox = Mailbox(confinement) }
        return knownMailbox
    }

    func useAsyncWrites() -> AsyncWrites {
        hasAsyncWrites = true
        return asyncWrites
    }

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

    // MARK: State

    func advance() {
        stateVersion &+= 1
        for table in tables { table.invalidate() }
        if !dynamicTables.isEmpty { for table in dynamicTables.values { table.invalidate() } }
        for table in formerTables { table.invalidate() }
        if let schema = transaction?.schema ?? snapshot?.schema { follow(schema) }
    }

    /// Another realm or process may have added or dropped indexes.
    func follow(_ schema: DatabaseSchema) {
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
}

extension RealmCore: CustomStringConvertible {
    var description: String {
        if let url = configuration.fileURL { return "The realm at \(url.path)" }
        return "The in-memory realm \"\(configuration.inMemoryIdentifier ?? "")\""
    }

    /// The same within a sentence.
    var name: String { "t" + description.dropFirst() }
}
