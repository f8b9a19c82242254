import FreeholdEngine

/// What says that a type's conformances may be used on every thread, where the compiler (6.2 and later) asks for it.
#if compiler(>=6.2)
    public typealias _SendableMetatype = SendableMetatype
#else
    public typealias _SendableMetatype = Any
#endif

/// What belongs to a realm, and with it to a thread, a queue or an actor: objects, collections, linking objects.
///
/// To use it elsewhere, freeze it (``freeze()``: what is there now, for all threads), or send a
/// ``ThreadSafeReference`` to it (the live thing, of the realm that resolves it).
public protocol ThreadConfined: _SendableMetatype {
    /// Nil for what is unmanaged.
    var realm: Realm? { get }
    /// Whether it can't be used any more: it or its owner was deleted, or its realm invalidated.
    var isInvalidated: Bool { get }
    /// Whether it never changes and may be used on any thread. False for what is unmanaged.
    var isFrozen: Bool { get }
    /// The same as it is now, for ever, and for all threads; itself if it is frozen.
    ///
    /// Inside a write transaction: as it was before the transaction. The version stays in the file for as long as
    /// something frozen at it is held.
    ///
    /// - Precondition: it is managed and valid, and wasn't made in the transaction that is open.
    func freeze() -> Self
    /// The live one, of the realm of this thread, queue or actor; nil if it was deleted. Itself if it is live.
    ///
    /// A realm that stands at an older version than the frozen one moves to the newest first, unless it is in a write
    /// transaction.
    ///
    /// - Precondition: it is managed.
    func thaw() -> Self?
    /// Where it lies in the file. To be asked where its realm is. For the library only.
    var _rlmLocation: _Location { get }
}

/// Finds something in any realm of the file. Belongs to no realm itself. For the library only.
///
/// `Sendable` because what it holds are names and numbers of the file, and closures that the one who finds it runs.
public struct _Location: @unchecked Sendable {
    /// Nil where it isn't there.
    let find: (RealmCore) -> Any?

    init(_ find: @escaping (RealmCore) -> Any?) { self.find = find }

    /// Of what is unmanaged.
    static let nowhere = _Location { _ in nil }

    /// Finds what is made of it.
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

    /// The same in another realm of the file; nil if it isn't there.
    func _moved(to core: RealmCore) -> Self? { isInvalidated ? nil : _rlmLocation.find(core) as! Self? }

    /// Also of what is invalidated.
    var _confinedCore: RealmCore? {
        if let object = self as? ObjectBase { return object._core }
        if let collection = self as? any _ConfinedCollection { return collection._core }
        return realm?.core
    }
}

/// Whose core is known also when it is invalidated.
protocol _ConfinedCollection {
    var _core: RealmCore? { get }
}

extension RealmCore {
    /// The frozen core of the version that this one stands at.
    func frozen() -> RealmCore {
        verifyThread()
        return isFrozen ? self : file.frozenCore(of: self)
    }

    /// The live core of the file for the caller.
    func thawed() -> RealmCore { isFrozen ? .live(configuration, file, standIn: committed) : self }

    /// The live core of the file for the caller. Traps where it can't be opened.
    ///
    /// - Parameter standIn: what it shows where the newest version can't be had.
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

    /// The table of the same class, or of the same dynamic one; nil where this realm's schema lacks it.
    func table(like other: ManagedTable) -> ManagedTable? { table(like: other.likeness) }

    func table(like other: TableLikeness) -> ManagedTable? {
        if !other.isDynamic {
            return table(id: other.id).flatMap { $0.info.cls == other.cls ? $0 : nil }
        }
        let schema = view.schema
        return schema.table(id: other.id).flatMap { dynamicTable($0, in: schema) }
    }
}

/// What the same table of another realm has, too.
struct TableLikeness: Sendable {
    let id: Int
    let cls: ObjectBase.Type
    let isDynamic: Bool
}

extension ManagedTable {
    var likeness: TableLikeness { TableLikeness(id: table.id, cls: info.cls, isDynamic: info.dynamic != nil) }
}

extension Realm {
    /// Whether the realm stands at one version for ever and may be used on every thread.
    public var isFrozen: Bool { core.isFrozen }

    /// The realm as it is now, for ever, and for all threads. Its objects can't be changed or observed.
    ///
    /// Inside a write transaction: as it was before it. The version stays in the file for as long as the frozen realm
    /// or something of it is held.
    public func freeze() -> Realm { Realm(core: core.frozen()) }

    /// The live realm of this thread, queue or actor. Itself if it is live.
    public func thaw() -> Realm { Realm(core: core.thawed()) }

    /// The object, collection or realm's part as it is now, for ever, and for all threads.
    public func freeze<T: ThreadConfined>(_ value: T) -> T { value.freeze() }

    /// The live one of this realm; nil if it was deleted.
    public func thaw<T: ThreadConfined>(_ value: T) -> T? {
        core.verifyThread()
        if let other = value._confinedCore, other.isFrozen { core.catchUp(with: other.committed) }
        return value._moved(to: core)
    }
}
