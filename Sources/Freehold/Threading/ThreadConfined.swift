import FreeholdEngine

/// What belongs to a realm, and with it to a thread, a queue or an actor: objects, collections, linking objects.
///
/// To use it elsewhere, freeze it (``freeze()``: what is there now, for all threads), or send a
/// ``ThreadSafeReference`` to it (the live thing, of the realm that resolves it).
public protocol ThreadConfined {
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
    /// - Precondition: it is managed.
    func thaw() -> Self?
    /// The same in another realm of the file; nil if it isn't there. For the library only.
    func _moved(to target: _RealmTarget) -> Self?
}

/// A realm of the same file. For the library only.
public struct _RealmTarget {
    let core: RealmCore
    init(_ core: RealmCore) { self.core = core }
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
        guard let frozen = _moved(to: _RealmTarget(core.frozen())) else {
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
        return core.isFrozen ? _moved(to: _RealmTarget(core.thawed())) : self
    }

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
    func thawed() -> RealmCore {
        guard isFrozen else { return self }
        do {
            return try RealmCore.here(configuration, standIn: committed)
        } catch {
            programmerError("\(self) couldn't be thawed: \(error). Open it by `Realm(configuration:)`, which throws.")
        }
    }

    /// The table of the same class, or of the same dynamic one; nil where this realm's schema lacks it.
    func table(like other: ManagedTable) -> ManagedTable? {
        if other.info.dynamic == nil {
            return table(id: other.table.id).flatMap { $0.info.cls == other.info.cls ? $0 : nil }
        }
        let schema = view.schema
        return schema.table(id: other.table.id).flatMap { dynamicTable($0, in: schema) }
    }
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
        return value._moved(to: _RealmTarget(core))
    }
}
