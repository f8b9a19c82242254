public import Dispatch
public import Foundation
import FreeholdEngine

/// A handle to a database, which stores objects and runs queries.
///
/// ```swift
/// let realm = try Realm()
/// try realm.write { realm.add(Person(value: ["name": "Ada"])) }
/// let adults = realm.objects(Person.self).where { $0.age >= 18 }
/// ```
///
/// **Confinement.** A realm, and all its objects, lists and results, may be used only at the place where the realm was
/// opened: on a thread, a serial queue, or an actor. Any other use is a programmer error and traps. Opening the same
/// file again at the same place returns the same realm, for the cost of a dictionary look-up. Frozen values
/// (``freeze()``) may be used anywhere, and a ``ThreadSafeReference`` passes a value from one place to another. In
/// async code, open a realm with `open(configuration:)`, or use ``read(_:timeout:_:)``, `Realm.write` and ``Store``.
///
/// **Version.** The realm shows one version of the data. It changes only with ``refresh()``, with automatic refreshes
/// (``autorefresh``), and with the realm's own write transactions.
///
/// **One writer.** A write transaction waits for all other write transactions on the file, in all threads and
/// processes.
public struct Realm {
    let core: RealmCore

    init(core: RealmCore) { self.core = core }

    /// Opens the configuration's file, and creates it if it doesn't exist.
    ///
    /// A file with a lower schema version is migrated. For an equal version, new classes and indexes are added to the
    /// file. Any other difference between the classes and the file throws ``Error/Code/schemaMismatch``, with a list of
    /// all differences. Mistakes in the classes themselves are thrown together as one ``Error/Code/invalidSchema``.
    ///
    /// - Throws: `Realm.Error`.
    ///
    /// - Parameter queue: A serial queue to which the realm is confined. The call must run on this queue. If `nil`, the
    ///   realm is confined to the present thread.
    /// - Parameter configuration: The configuration of the realm.
    public init(configuration: Configuration, queue: DispatchQueue? = nil) throws {
        core = try RealmCore.open(configuration, queue: queue)
    }

    /// Opens the default configuration.
    ///
    /// - Parameter queue: A serial queue to which the realm is confined. The call must run on this queue. If `nil`, the
    ///   realm is confined to the present thread.
    /// - Throws: `Realm.Error`.
    public init(queue: DispatchQueue? = nil) throws {
        try self.init(configuration: .defaultConfiguration, queue: queue)
    }

    /// Opens the default configuration with another file.
    ///
    /// - Throws: `Realm.Error`.
    public init(fileURL: URL) throws {
        var configuration = Configuration.defaultConfiguration
        configuration.fileURL = fileURL
        try self.init(configuration: configuration)
    }

    /// The configuration with which the realm was opened.
    public var configuration: Configuration { core.configuration }

    /// The classes of the realm.
    public var schema: Schema { core.schema }

    /// A Boolean value that indicates whether all of the realm's classes have no objects.
    ///
    /// - Complexity: O(classes).
    public var isEmpty: Bool {
        core.verifyThread()
        let view = core.view
        return core.schemaTables.allSatisfy { view.count($0) == 0 }
    }

    /// Moves the realm to the newest version, which includes the commits of other threads and processes.
    ///
    /// The method does nothing inside a write transaction, which already shows the newest version. If the newest
    /// version can't be read, or the realm's classes no longer fit it, the realm stays at its version, and
    /// ``refreshError`` contains the reason.
    ///
    /// - Returns: `true` if a newer version existed and the realm moved to it.
    @discardableResult
    public func refresh() -> Bool {
        do throws(Realm.Error) {
            return try core.refresh()
        } catch {
            // A child process can't use its parent's realm.
            if error.code == .databaseClosed { programmerError("\(core) couldn't be refreshed: \(error)") }
            return false
        }
    }

    /// The error of the last attempt to move to the newest version, by ``refresh()`` or automatically. It is `nil` if
    /// the attempt succeeded.
    ///
    /// - ``Error/Code/readersExhausted``: All reader slots of the file are in use, because readers hold too many
    ///   versions.
    /// - ``Error/Code/mapResized``: Another process has grown the file beyond this process's map.
    /// - ``Error/Code/schemaMismatch``: Another process has migrated the file.
    public var refreshError: Error? {
        core.verifyThread()
        return core.refreshError
    }

    /// Releases the version that the realm shows. All its objects, lists and results become invalid or empty, and an
    /// open write transaction is rolled back. The next read uses the newest version.
    ///
    /// Call this method on long-lived threads so that the file needn't keep an old version.
    public func invalidate() { core.invalidate() }
}

extension Realm: Equatable {
    /// Returns a Boolean value that indicates whether both are handles to the same realm at the same place.
    public static func == (a: Realm, b: Realm) -> Bool { a.core === b.core }
}

extension Realm: CustomStringConvertible {
    public var description: String { "\(core)" }
}

@available(
    *,
    unavailable,
    message: "A realm belongs to the thread that opened it: open one there, or use Realm.read and Realm.write"
)
extension Realm: Sendable {}

/// A class whose objects `Realm.objects` can return.
public protocol RealmFetchable: RealmCollectionValue {
    static func className() -> String
}
