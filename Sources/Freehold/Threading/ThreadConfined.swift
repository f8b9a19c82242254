import FreeholdEngine

/// A constraint that allows all threads to use the conformances of a type. The compiler requires it since version 6.2.
#if compiler(>=6.2)
    public typealias _SendableMetatype = SendableMetatype
#else
    public typealias _SendableMetatype = Any
#endif

/// A value that belongs to a realm, and so to a thread, a queue or an actor: an object, a collection, or linking
/// objects.
///
/// To use it at another place, freeze it or send a ``ThreadSafeReference``. ``freeze()`` returns a copy of the present
/// state for all threads. A reference leads to the live value in the realm that resolves it.
public protocol ThreadConfined: _SendableMetatype {
    /// The realm of the value, or `nil` for an unmanaged value.
    var realm: Realm? { get }
    /// A Boolean value that indicates whether the value can't be used any more, because it or its owner was deleted or
    /// its realm was invalidated.
    var isInvalidated: Bool { get }
    /// A Boolean value that indicates whether the value never changes and may be used on any thread. It is `false` for
    /// unmanaged values.
    var isFrozen: Bool { get }
    /// Returns the present state of the value, which never changes and may be used on all threads. Returns the value
    /// itself if it is frozen.
    ///
    /// Inside a write transaction, the method returns the state before the transaction. The version stays in the file
    /// as long as a value that is frozen at it is alive.
    ///
    /// - Precondition: The value is managed and valid, and wasn't created in the open transaction.
    func freeze() -> Self
    /// Returns the live value in the realm of this thread, queue or actor, or `nil` if it was deleted. Returns the
    /// value itself if it is live.
    ///
    /// If that realm shows an older version than the frozen value, it first moves to the newest, unless it is in a
    /// write transaction.
    ///
    /// - Precondition: The value is managed.
    func thaw() -> Self?
    /// The location of the value in the file. Must be read where its realm is. For use by the library only.
    var _rlmLocation: _Location { get }
}

/// A description that finds a value in any realm of the file. It belongs to no realm itself. For use by the library
/// only.
///
/// `Sendable` because it contains names and numbers of the file, and closures that only the finding thread runs.
public struct _Location: @unchecked Sendable {
    /// A closure that returns the value, or nil if it doesn't exist.
    let find: (RealmCore) -> Any?

    init(_ find: @escaping (RealmCore) -> Any?) { self.find = find }

    /// The location of an unmanaged value.
    static let nowhere = _Location { _ in nil }

    /// Returns the location of a value that is made from the found one.
    func map<Found, Other>(_ make: @escaping (Found) -> Other?) -> _Location {
        _Location { core in (find(core) as! Found?).flatMap(make) }
    }
}

extension ThreadConfined {
    public var isFrozen: Bool { _confinedCore?.isFrozen ?? false }

    public func freeze() -> Self {
        guard let core = _confinedCore else {
            programmerError("freeze() was called on an unmanaged \(Self.self). Add it to a realm first.")
        }
        if core.isFrozen { return self }
        core.verifyThread()
        if isInvalidated {
            programmerError("freeze() was called on an invalidated \(Self.self). Check `isInvalidated` first.")
        }
        guard let frozen = _moved(to: core.frozen()) else {
            programmerError(
                "freeze() was called on a \(Self.self) that was made in the transaction that is open. Commit it first."
            )
        }
        return frozen
    }

    public func thaw() -> Self? {
        guard let core = _confinedCore else {
            programmerError("thaw() was called on an unmanaged \(Self.self). Add it to a realm first.")
        }
        guard core.isFrozen else { return self }
        let live = core.thawed()
        live.catchUp(with: core.committed)
        return _moved(to: live)
    }

    /// Returns the value in another realm of the file, or nil if it doesn't exist there.
    func _moved(to core: RealmCore) -> Self? { isInvalidated ? nil : _rlmLocation.find(core) as! Self? }

    /// The core of the value, even if the value is invalidated.
    var _confinedCore: RealmCore? {
        if let object = self as? ObjectBase { return object._core }
        if let collection = self as? any _ConfinedCollection { return collection._core }
        return realm?.core
    }
}

/// A collection whose core is known even if the collection is invalidated.
protocol _ConfinedCollection {
    var _core: RealmCore? { get }
}

extension RealmCore {
    /// Returns the frozen core for the version of this core.
    func frozen() -> RealmCore {
        verifyThread()
        return isFrozen ? self : file.frozenCore(of: self)
    }

    /// Returns the live core of the file for the caller.
    func thawed() -> RealmCore { isFrozen ? .live(configuration, file, standIn: committed) : self }

    /// Returns the live core of the file for the caller. Traps if it can't be opened.
    ///
    /// - Parameter standIn: The version to show if the newest version isn't available.
    static func live(_ configuration: Realm.Configuration, _ file: RealmFile, standIn: Snapshot? = nil) -> RealmCore {
        do throws(Realm.Error) {
            return try here(configuration, file, standIn: standIn)
        } catch {
            programmerError(
                "A realm couldn't be opened where something of it is used: \(error) Open it by `Realm(configuration:)`, which "
                    + "throws."
            )
        }
    }

    /// Returns the table of the same class or of the same dynamic class, or nil if this realm's schema lacks it.
    func table(like other: ManagedTable) -> ManagedTable? { table(like: other.likeness) }

    func table(like other: TableLikeness) -> ManagedTable? {
        if !other.isDynamic {
            return table(id: other.id).flatMap { $0.info.cls == other.cls ? $0 : nil }
        }
        let schema = view.schema
        return schema.table(id: other.id).flatMap { dynamicTable($0, in: schema) }
    }
}

/// The properties by which the same table of another realm is found.
struct TableLikeness: Sendable {
    let id: Int
    let cls: ObjectBase.Type
    let isDynamic: Bool
}

extension ManagedTable {
    var likeness: TableLikeness { TableLikeness(id: table.id, cls: info.cls, isDynamic: info.dynamic != nil) }
}

extension Realm {
    /// A Boolean value that indicates whether the realm never changes and may be used on every thread.
    public var isFrozen: Bool { core.isFrozen }

    /// Returns a realm with the present version, which never changes and may be used on all threads. Its objects can't
    /// be changed or observed.
    ///
    /// Inside a write transaction, the frozen realm shows the version before the transaction. The version stays in the
    /// file as long as the frozen realm or a value of it is alive.
    public func freeze() -> Realm { Realm(core: core.frozen()) }

    /// Returns the live realm of this thread, queue or actor. Returns the realm itself if it is live.
    public func thaw() -> Realm { Realm(core: core.thawed()) }

    /// Returns the present state of an object or collection, which never changes and may be used on all threads.
    public func freeze<T: ThreadConfined>(_ value: T) -> T { value.freeze() }

    /// Returns the live value of this realm, or `nil` if it was deleted.
    public func thaw<T: ThreadConfined>(_ value: T) -> T? {
        core.verifyThread()
        if let other = value._confinedCore, other.isFrozen { core.catchUp(with: other.committed) }
        return value._moved(to: core)
    }
}
