import CFreeholdShims
import Foundation
import FreeholdEngine
import Synchronization

/// One open database of the process: what the cores of all its threads share.
final class RealmFile: Sendable {
    let database: Database
    let readOnly: Bool
    let watchers = Watchers()
    let schemaCopies = SchemaCopies()
    let checkedSchemas = CheckedSchemas()
    let heldVersions = Mutex(HeldVersionWatch())
    let hub: ObservationHub
    let writingPlace = Mutex<WritingPlace?>(nil)
    /// What works on the file beside the program, once it was asked for.
    let atWork = Mutex<(any FileAttachment)?>(nil)
    private let commits: ChangeFeed.Observation

    private init(database: Database, readOnly: Bool) {
        self.database = database
        self.readOnly = readOnly
        let watchers = watchers
        let feed = ChangeFeed(database)
        let hub = ObservationHub(feed, database, watchers)
        self.hub = hub
        commits = feed.observeCommits { _, _ in
            watchers.didCommit()
            hub.schedule()
        }
    }

    deinit {
        commits.cancel()
        hub.stop()
    }

    // MARK: Frozen realms

    private struct FrozenKey: Hashable {
        let version: UInt64
        let classes: [ObjectIdentifier]
    }

    /// `Sendable` because a frozen core may be used by anyone.
    private struct Frozen: @unchecked Sendable {
        weak var life: RealmLife?
    }

    private let frozen = Mutex<[FrozenKey: Frozen]>([:])

    /// The frozen core of the version that a live one stands at; one for all who freeze it.
    ///
    /// - Parameter snapshot: of another version that it has come from.
    func frozenCore(of core: RealmCore, at snapshot: Snapshot? = nil) -> RealmCore {
        var snapshot = snapshot ?? core.committed
        // Not through the copy of the schema that is the live realm's own.
        snapshot = snapshot.reading(by: snapshot.schema.origin)
        let key = FrozenKey(version: snapshot.version, classes: core.tables.map { ObjectIdentifier($0.info) })
        return frozen.withLock { frozen in
            if let core = frozen[key]?.life?.core { return core }
            let made = RealmCore(
                file: self,
                configuration: core.configuration,
                schema: core.schema,
                snapshot: snapshot,
                confinement: .frozen
            )
            frozen = frozen.filter { $0.value.life != nil }
            frozen[key] = Frozen(life: made.life)
            return made
        }
    }

    // MARK: The open files

    private struct Entry {
        weak var file: RealmFile?
    }

    private static let open = Mutex<[ObjectIdentifier: Entry]>([:])

    /// The file of this database, whichever path led to it.
    static func of(_ database: Database, _ configuration: Realm.Configuration) throws(Realm.Error) -> RealmFile {
        let file = open.withLock { files in
            // An entry's file keeps its database alive, so that a live one can't belong to another database.
            if let file = files[database.identity]?.file { return file }
            let file = RealmFile(database: database, readOnly: configuration.readOnly)
            files = files.filter { $0.value.file != nil }
            files[database.identity] = Entry(file: file)
            return file
        }
        if file.readOnly != configuration.readOnly {
            throw Realm.Error(
                .alreadyOpen,
                "The file is open in this process \(file.readOnly ? "read-only" : "for writing"). "
                    + "Close that realm first, or open this one with the same `readOnly`.",
                fileURL: configuration.fileURL
            )
        }
        return file
    }
}

/// Stands for a core in weak references, which would make every retain of the core itself slower. Held by the core
/// alone.
///
/// A core may be let go of on any thread while another asks for it: the core's memory stays until `end` has returned.
final class RealmLife: Sendable {
    private struct Place: @unchecked Sendable {
        // A core is no `Sendable`: who asks for it sees to it that he is where it may be used.
        var address: UnsafeMutableRawPointer?
    }

    private let place = Mutex(Place())

    /// Nil once nobody holds it.
    var core: RealmCore? {
        let held = place.withLock { place in
            Place(address: place.address.flatMap { fh_try_retain($0) })
        }
        return held.address.map { Unmanaged<RealmCore>.fromOpaque($0).takeRetainedValue() }
    }

    func begin(_ core: RealmCore) {
        let place = Place(address: Unmanaged.passUnretained(core).toOpaque())
        self.place.withLock { $0 = place }
    }

    /// To be called first when the core is deinitialised.
    func end() { place.withLock { $0.address = nil } }
}

/// The cores that are alive, by where they came from and what they are confined to.
enum RealmCache {
    enum Source: Hashable {
        case path(String)
        case memory(String)
        case database(ObjectIdentifier)
    }

    private struct Key: Hashable {
        let source: Source
        /// Threads by numbers that are never used again: what still holds a core must not make a later thread see its
        /// version.
        let confinement: Confinement.Key
    }

    /// A core is no `Sendable`, but only the key of its own thread, queue or actor leads to it.
    private struct Entry: @unchecked Sendable {
        weak var life: RealmLife?
        /// Of an actor's.
        let place: ActorPlace?

        init(_ core: RealmCore) {
            life = core.life
            if case .actor(let place) = core.confinement { self.place = place } else { place = nil }
        }
    }

    private struct Entries {
        var byKey: [Key: Entry] = [:]
        /// The number of entries at which those of dead cores are dropped.
        var limit = 64
    }

    private static let cores = Mutex(Entries())

    static func core(_ source: Source, _ confinement: Confinement.Key) -> RealmCore? {
        let key = Key(source: source, confinement: confinement)
        // A forked child may not use the parent's.
        guard let core = cores.withLock({ $0.byKey[key] })?.life?.core, core.database.belongsToThisProcess,
            !core.confinement.isGone
        else { return nil }
        return core
    }

    /// The core of the queue or actor on which this is called, if there is one.
    static func here(_ source: Source) -> RealmCore? {
        for key in Confinement.surroundings {
            if let core = core(source, key) { return core }
        }
        let executor = Executor.current
        guard executor.isOneOfSeveral else { return nil }
        // Another executor may be the same place under another address.
        let others = cores.withLock { cores in
            cores.byKey.compactMap { $0.key.source == source && $0.value.place != nil ? $0.value : nil }
        }
        return others.filter { $0.place!.isCurrent }.min { $0.place!.executor.identity < $1.place!.executor.identity }
            .flatMap { $0.life?.core }
    }

    /// Whether any thread of the process has a realm of it.
    static func isOpen(_ source: Source) -> Bool {
        cores.withLock { cores in cores.byKey.contains { $0.key.source == source && $0.value.life != nil } }
    }

    static func insert(_ core: RealmCore, _ sources: [Source]) {
        guard let confinement = core.confinement.key else { return }
        cores.withLock { cores in
            // Swept when it has doubled, so that each insertion pays a constant share.
            if cores.byKey.count >= cores.limit {
                cores.byKey = cores.byKey.filter { $0.value.life != nil }
                cores.limit = max(64, 2 * cores.byKey.count)
            }
            for source in sources {
                cores.byKey[Key(source: source, confinement: confinement)] = Entry(core)
            }
        }
    }
}
