public import Dispatch
public import Foundation
import FreeholdEngine

/// A handle to a database: where objects are stored and queried.
///
/// ```swift
/// let realm = try Realm()
/// try realm.write { realm.add(Person(value: ["name": "Ada"])) }
/// let adults = realm.objects(Person.self).where { $0.age >= 18 }
/// ```
///
/// **One place.** A realm, and every object, list and result of it, may only be used where it was opened: on a thread,
/// a serial queue, or an actor; anything else is a programmer error and traps. Opening the same file there again gives
/// the same realm and costs a dictionary look-up. What is frozen (``freeze()``) may be used anywhere, and a
/// ``ThreadSafeReference`` leads from one place to another. From async code open it with
/// `open(configuration:)`, or use ``read(_:timeout:_:)``, `Realm.write` and ``Store``.
///
/// **One version.** What it shows changes only with ``refresh()`` and with write transactions of its own.
///
/// **One writer.** A write transaction waits for every other one on the file, of any thread and process.
public struct Realm {
    let core: RealmCore

    init(core: RealmCore) { self.core = core }

    /// Opens the configuration's file, and makes it where it doesn't exist.
    ///
    /// A file with a lower schema version is migrated. Else new classes and indexes are added to it, and any other
    /// difference between the classes and the file throws ``Error/Code/schemaMismatch`` with a list of all of them. What is wrong with the classes themselves is thrown
    /// as one ``Error/Code/invalidSchema``.
    ///
    /// - Throws: `Realm.Error`.
    ///
    /// - Parameter queue: a serial queue, on which this must be called, and which the realm then belongs to. Nil: the
    ///   realm belongs to the present thread.
    /// - Parameter configuration: what the realm opens, and how.
    public init(configuration: Configuration, queue: DispatchQueue? = nil) throws {
        core = try RealmCore.open(configuration, queue: queue)
    }

    /// Opens the default configuration.
    ///
    /// - Parameter queue: a serial queue, on which this must be called, and which the realm then belongs to. Nil: the
    ///   realm belongs to the present thread.
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

    /// What the realm was opened with.
    public var configuration: Configuration { core.configuration }

    /// The classes of the realm.
    public var schema: Schema { core.schema }

    /// Whether there is no object of any of the realm's classes. - Complexity: O(classes).
    public var isEmpty: Bool {
        core.verifyThread()
        let view = core.view
        return core.schemaTables.allSatisfy { view.count($0) == 0 }
    }

    /// Moves to the newest version, that of other threads' and processes' commits.
    ///
    /// Does nothing inside a write transaction, which stands at the newest version anyway. Where the newest version can't
    /// be read, or the realm's classes don't fit it any more, the realm stays at its own, and ``refreshError`` says why.
    ///
    /// - Returns: Whether there was a newer version, and the realm has moved to it.
    @discardableResult
    public func refresh() -> Bool {
        do throws(Realm.Error) {
            return try core.refresh()
        } catch {
            // A child process that goes on with its parent's realm.
            if error.code == .databaseClosed { programmerError("\(core) couldn't be refreshed: \(error)") }
            return false
        }
    }

    /// Why the realm couldn't move to the newest version when it tried last, by ``refresh()`` or by itself; nil where it
    /// could.
    ///
    /// ``Error/Code/readersExhausted`` where every reader's slot of the file is taken (others hold too many versions),
    /// ``Error/Code/mapResized`` where another process has grown the file past this process's map,
    /// ``Error/Code/schemaMismatch`` where another process has migrated it.
    public var refreshError: Error? {
        core.verifyThread()
        return core.refreshError
    }

    /// Lets go of the version that the realm shows: every object, list and result of it becomes invalid or empty, an
    /// open write transaction is rolled back. The next read takes the newest version.
    ///
    /// Long-lived threads call it so that the file needn't keep an old version.
    public func invalidate() { core.invalidate() }
}

extension Realm: Equatable {
    /// Whether both are handles to the same realm of the same thread.
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

/// A class whose objects `Realm.objects` fetches.
public protocol RealmFetchable: RealmCollectionValue {
    static func className() -> String
}
