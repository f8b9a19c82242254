import CFreeholdShims
import Foundation
import FreeholdEngine
import Synchronization

/// The state behind a `Realm`: one file, used at one place, at one version or inside one write transaction.
///
/// Objects, lists and results hold the core strongly, and the core holds its tables. A core may be used only where it
/// is confined to, but may be released anywhere. A frozen core may be used anywhere, so it caches values only under its
/// lock.
///
/// This file contains the state. Extensions change it: `RealmCore+Versions` moves it from version to version,
/// `RealmCore+Transactions` begins and ends writes, `RealmCore+Tables` finds tables, and `RealmCore+Confinement` checks
/// the place of use. No other code sets the properties that these files share.
final class RealmCore {
    let file: RealmFile
    let configuration: Realm.Configuration
    /// The rules of the configuration. Copying a configuration takes longer than compiling a short query.
    let textMatching: Realm.TextMatching
    let schema: Schema
    let confinement: Confinement
    let isFrozen: Bool
    /// The `fh_thread_id()` of the thread on which a correct use of the core was last verified. It is 0 for a frozen
    /// core.
    @exclusivity(unchecked) var threadToken: UInt
    let frozenLock: NSRecursiveLock?
    /// A Boolean value that indicates whether a frozen core was closed.
    let isClosed = Atomic(false)
    let life = RealmLife()
    /// The mailbox that delivers calls to this realm's place. It is nil until it is first requested at a place that can
    /// receive calls.
    private var knownMailbox: Mailbox?
    /// The requested asynchronous writes, created with the first.
    private(set) lazy var asyncWrites = AsyncWrites(self)
    private(set) var hasAsyncWrites = false
    /// A Boolean value that indicates whether the realm advances automatically at a place that can receive calls.
    var autorefresh = true { didSet { observers?.setAutorefresh(autorefresh) } }
    /// The observers of values that belong to the realm, created with the first.
    var observers: ObserverGroup?
    private(set) lazy var realmObservers = RealmObservers()
    private(set) var hasRealmObservers = false
    /// The tracker of the Observation framework, or nil without tracking.
    let tracker: RealmTracker?
    /// The version for which the realm's observers were last notified to refresh.
    var refreshRequired: UInt64 = 0
    /// The value of `changeCount` when the transaction began.
    var changesAtBegin: UInt64 = 0
    var tables: [ManagedTable] = []
    var tablesByClass: [ObjectIdentifier: ManagedTable] = [:]
    /// The last requested class and its table.
    @exclusivity(unchecked) var lastClass: ObjectIdentifier?
    @exclusivity(unchecked) unowned(unsafe) var lastTable: ManagedTable?
    var tablesByID: [Int: ManagedTable] = [:]
    var tablesByName: [String: ManagedTable] = [:]
    /// The tables with dynamic objects by id, created on demand.
    var dynamicTables: [Int: ManagedTable] = [:]
    var formerTables: [ManagedTable] = []
    var dynamicCatalogue: DynamicCatalogue?
    let clusterSpan: Int

    /// A counter that changes with every refresh, begin, commit and cancel, and with every deletion inside a
    /// transaction.
    @exclusivity(unchecked) private(set) var stateVersion: UInt64 = 1
    /// A counter that changes with every change inside a transaction.
    @exclusivity(unchecked) var changeCount: UInt64 = 0
    /// A counter that changes when columns must be looked up again.
    private(set) var schemaGeneration = 0
    var boundSchema: DatabaseSchema?
    /// The schema through which a live realm reads. See `SchemaCopies`.
    private var ownSchema: DatabaseSchema?
    @exclusivity(unchecked) var transaction: WriteTransaction? {
        // The transaction has an unowned reference to this core. See `adopt`.
        willSet { transaction?.didCascade = nil }
    }
    var pendingError: Realm.Error?
    /// The realm of the old objects, during a migration.
    var predecessor: RealmCore?
    @exclusivity(unchecked) var snapshot: Snapshot?
    /// The version of the opening, until the first read or move. Before that, a reference may still lead to an older
    /// version.
    var unread: Snapshot?
    /// A reference that keeps the core alive between `beginWrite()` and the end of the transaction.
    var keeper: WritingKeeper?
    /// The version that the realm showed before `invalidate()`.
    var lastVersion: UInt64 = 0
    /// The error of the last `refresh` that didn't reach the newest version.
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
        // For queues and actors, the first use verifies the place.
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
                message: "\(self) was let go of in a write transaction, which is rolled back. Hold it, and commit."
            )
            transaction.didCascade = nil
            transaction.cancel()
            file.didEndWrite(transaction)
        }
        dynamicCatalogue?.clear()
        if let ownSchema { file.schemaCopies.give(ownSchema) }
    }

    /// Returns the version with the schema that only this realm reads through.
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

    /// The state that reads see: the open transaction or otherwise the snapshot.
    var view: DataView { transaction ?? snapshot ?? beginRead() }

    // MARK: Delivery and observers

    /// The mailbox, or nil on a thread without a running run loop and for a frozen realm.
    var mailbox: Mailbox? {
        if knownMailbox == nil { knownMailbox = Mailbox(confinement) }
        return knownMailbox
    }

    func useAsyncWrites() -> AsyncWrites {
        hasAsyncWrites = true
        return asyncWrites
    }

    /// Returns the group of observers, created with the first.
    ///
    /// - Precondition: Calls can be delivered to the realm.
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

    /// Adopts a schema to which another realm or process may have added indexes, or from which it may have removed
    /// them.
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

    /// Records a deletion inside a transaction. It must be called after the deletion. Accessors then check again
    /// whether their objects exist.
    func didDelete() {
        changeCount &+= 1
        advance()
    }

    func didCreate(_ key: ObjectKey, in table: Table) { invalidations.didCreate(key, in: table) }

    /// Returns a Boolean value that indicates whether an accessor was invalidated after `stamp` in a way that its row
    /// can't show. This happens by `invalidate()`, and by the rollback of the transaction that created the object,
    /// because a later transaction may have given the key to another object.
    func wasInvalidated(stamp: UInt64, _ table: Table, _ key: ObjectKey) -> Bool {
        invalidations.contains(stamp: stamp, table, key)
    }

    /// The lowest stamp of accessors that `invalidate()` hasn't invalidated.
    var invalidatedBefore: UInt64 { invalidations.before }
}

extension RealmCore: CustomStringConvertible {
    var description: String {
        if let url = configuration.fileURL { return "The realm at \(url.path)" }
        return "The in-memory realm \"\(configuration.inMemoryIdentifier ?? "")\""
    }

    /// The description for use within a sentence.
    var name: String { "t" + description.dropFirst() }
}
