import CFreeholdShims
import Foundation
import FreeholdEngine
import Synchronization

/// An open database of the process. The cores of all threads share it.
final class RealmFile: Sendable {
    let database: Database
    let readOnly: Bool
    let watchers = Watchers()
    let schemaCopies = SchemaCopies()
    let checkedSchemas = CheckedSchemas()
    let heldVersions = Mutex(HeldVersionWatch())
    let hub: ObservationHub
    let writingPlace = Mutex<WritingPlace?>(nil)
    /// The service that works on the file, after it was attached.
    let atWork = Mutex<(any FileAttachment)?>(nil)
    private let commits: ChangeFeed.Observation

    private init(database: Database, readOnly: Bool) {
        self.database = database
        self.readOnly = readOnly
        let watchers = watchers
        let feed = ChangeFeed(database)
        let hub = ObservationHub(feed, database, watchers: watchers)
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

    /// `Sendable` because any thread may use a frozen core.
    private struct Frozen: @unchecked Sendable {
        weak var life: RealmLife?
    }

    private let frozen = Mutex<[FrozenKey: Frozen]>([:])

    /// Returns the frozen core for the version of a live core. All callers that freeze the version share it.
    ///
    /// - Parameter snapshot: Another version to freeze, from which the core has since moved.
    func frozenCore(of core: RealmCore, at snapshot: Snapshot? = nil) -> RealmCore {
        var snapshot = snapshot ?? core.committed
        // The frozen core doesn't read through the live realm's own copy of the schema.
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

    /// Returns the file of the database, independent of the path.
    static func of(_ database: Database, _ configuration: Realm.Configuration) throws(Realm.Error) -> RealmFile {
        let file = open.withLock { files in
            // An entry's file keeps its database alive, so a live entry can't belong to another database.
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

/// A reference to a core that can be held weakly. Weak references to the core itself would make each retain of it
/// slower. Only the core holds this object.
///
/// A core may be released on any thread while another thread requests it. The core's memory stays valid until `end` has
/// returned.
final class RealmLife: Sendable {
    private struct Place: @unchecked Sendable {
        // A core isn't `Sendable`. Code that requests it must run at a place where it may be used.
        var address: UnsafeMutableRawPointer?
    }

    private let place = Mutex(Place())

    /// The core, or nil after its last release.
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

    /// Removes the reference to the core. This must be the first call when the core is deinitialised.
    func end() { place.withLock { $0.address = nil } }
}

/// The live cores, by their source and confinement.
enum RealmCache {
    enum Source: Hashable {
        case path(String)
        case memory(String)
        case database(ObjectIdentifier)
    }

    private struct Key: Hashable {
        let source: Source
        /// Threads have numbers that are never reused. A core that outlives its thread must not show its version to a
        /// later thread.
        let confinement: Confinement.Key
    }

    /// A core isn't `Sendable`, but only the key of its own thread, queue or actor leads to it.
    private struct Entry: @unchecked Sendable {
        weak var life: RealmLife?
        /// The place of an actor's core.
        let place: ActorPlace?

        init(_ core: RealmCore) {
            life = core.life
            if case .actor(let place) = core.confinement { self.place = place } else { place = nil }
        }
    }

    private struct Entries {
        var byKey: [Key: Entry] = [:]
        /// The number of entries at which those of released cores are removed.
        var limit = 64
    }

    private static let cores = Mutex(Entries())

    static func core(_ source: Source, _ confinement: Confinement.Key) -> RealmCore? {
        let key = Key(source: source, confinement: confinement)
        // A forked child process may not use its parent's core.
        guard let core = cores.withLock({ $0.byKey[key] })?.life?.core, core.database.belongsToThisProcess,
            !core.confinement.isGone
        else { return nil }
        return core
    }

    /// Returns the core of the queue or actor on which this is called, or nil if it has none.
    static func here(_ source: Source) -> RealmCore? {
        for key in Confinement.surroundings {
            if let core = core(source, key) { return core }
        }
        let executor = Executor.current
        guard executor.isOneOfSeveral else { return nil }
        // The same place can have another executor with another address.
        let others = cores.withLock { cores in
            cores.byKey.compactMap { $0.key.source == source && $0.value.place != nil ? $0.value : nil }
        }
        return others.filter { $0.place!.isCurrent }.min { $0.place!.executor.identity < $1.place!.executor.identity }
            .flatMap { $0.life?.core }
    }

    /// Returns a Boolean value that indicates whether any thread of the process has a realm of the source.
    static func isOpen(_ source: Source) -> Bool {
        cores.withLock { cores in cores.byKey.contains { $0.key.source == source && $0.value.life != nil } }
    }

    static func insert(_ core: RealmCore, _ sources: [Source]) {
        guard let confinement = core.confinement.key else { return }
        cores.withLock { cores in
            // Released cores are removed when the number of entries has doubled, so each insertion has a constant share
            // of the cost.
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
