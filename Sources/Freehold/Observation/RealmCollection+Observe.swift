public import Dispatch
import FreeholdEngine

extension RealmCollection {
    /// Calls the block with the collection as it is, and then each time it has changed.
    ///
    /// ```swift
    /// token = realm.objects(Dog.self).where { $0.age > 5 }.observe { change in
    ///     switch change {
    ///     case .initial(let dogs): show(dogs)
    ///     case .update(let dogs, let deletions, let insertions, let modifications): …
    ///     case .error: break
    ///     }
    /// }
    /// ```
    /// The block runs where the collection's realm is, at a turn after the commit, or when that realm begins a write or
    /// is refreshed. The realm then stands at the very version that the change leads to. Several commits may come as
    /// one change; a commit that changes nothing of it makes none. The changes are computed on a thread of the library.
    ///
    /// - Parameters:
    ///   - keyPaths: when an element counts as modified: when something on one of these paths was set. Nil: when it, or
    ///     an object that it links to over at most three links, was. Empty: never.
    ///   - queue: a serial queue, on which the block then runs, with the collection of a realm of that queue. Nil: where
    ///     this collection's realm is.
    ///   - block: is called with each change.
    /// - Returns: What keeps the observation going.
    /// - Precondition: the collection is managed, valid, and neither frozen nor of a read-only realm; its realm is one
    ///   of the main thread, a queue, an actor, or a thread with a running run loop (or `queue` is given); no change was
    ///   made in a transaction that is open; the key paths lead through properties.
    /// - Complexity: O(1) here; on the library's thread the query is run once.
    public func observe(
        keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken { observing(on: queue, observation(keyPaths), block) }

    /// The same with a queue alone, as protocols of older code ask for it.
    public func observe(
        on queue: DispatchQueue?,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: [String]?.none, on: queue, block) }

    /// The same on an actor: the block is called in its isolation, with the collection of a realm of the actor.
    ///
    /// Returns when the observation has begun; of a task that is cancelled the token of one that never begins.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil,
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        await observing(on: actor, _isolation: _isolation, observation(keyPaths), block)
    }

    func observation(_ keyPaths: [String]?) -> ObservationKind<Self, RealmCollectionChange<Self>> {
        let keyPaths = Element.observedKeyPaths(keyPaths)
        // What is wrong with a key path shows at once.
        if let keyPaths, let source = _source { for keyPath in keyPaths { _ = source.table.observedPath(keyPath) } }
        return ObservationKind(
            follow: { $0.following(keyPaths) },
            teller: { _ in { change, shown, _ in .change(change, of: shown) } }
        )
    }

    func following(_ keyPaths: [String]?) -> Observation.Start {
        if let source = _source { return source.following(keyPaths) }
        if !(keyPaths ?? []).isEmpty {
            programmerError("\(Self.self) holds values, which have no properties: key paths can't be observed.")
        }
        guard let values = _values else { programmerError("An unmanaged \(Self.self) can't be observed.") }
        return values.following()
    }
}

extension RealmCollection where Element: KeypathSortable {
    /// The same with key paths of the class: see ``RealmCollection/observe(keyPaths:on:_:)-([String]?,_,_)``.
    public func observe(
        keyPaths: [PartialKeyPath<Element>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { keyPathReading($0).name }, on: queue, block) }

    /// The same with key paths of the class, on an actor.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Element>],
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { keyPathReading($0).name }, on: actor, _isolation: _isolation, block)
    }
}

extension RealmCollection where Element: OptionalProtocol, Element.Wrapped: ObjectBase {
    /// The same with key paths of the class.
    public func observe(
        keyPaths: [PartialKeyPath<Element.Wrapped>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block) }

    /// The same with key paths of the class, on an actor.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Element.Wrapped>],
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
    }
}
