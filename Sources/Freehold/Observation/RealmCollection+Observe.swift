public import Dispatch
import FreeholdEngine

extension RealmCollection {
    /// Calls the block with the present state of the collection, and then after each change.
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
    /// The block runs where the collection's realm is: at a turn of the run loop, queue or actor after the commit, or
    /// when the realm begins a write or is refreshed. During the call the realm is at the version to which the change
    /// leads. Several commits can become one change. A commit that doesn't change the collection causes no call. A
    /// thread of the library computes the changes.
    ///
    /// - Parameters:
    ///   - keyPaths: The key paths on which a change makes an element count as modified. If `nil`, an element is
    ///     modified if it changes, or an object to which it links over at most three links. If empty, no element is
    ///     ever modified.
    ///   - queue: A serial queue on which the block runs. The block then receives the collection in a realm of that
    ///     queue. If `nil`, the block runs where this collection's realm is.
    ///   - block: A closure that is called with each change.
    /// - Returns: A token that keeps the observation alive.
    /// - Precondition: The collection is managed, valid and not frozen, and its realm isn't read-only. The realm is
    ///   confined to the main thread, a queue, an actor, or a thread with a running run loop, unless `queue` is given.
    ///   An open write transaction hasn't made changes yet. The key paths lead through properties.
    /// - Complexity: O(1) for the call. The thread of the library runs the query once.
    public func observe(
        keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken { observing(on: queue, observation(keyPaths), block) }

    /// Calls the block with the collection's changes on a queue. Protocols of older code require this overload.
    public func observe(
        on queue: DispatchQueue?,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: [String]?.none, on: queue, block) }

    /// Calls the block with the collection's changes, isolated to an actor. The block receives the collection in a
    /// realm of the actor. See `observe(keyPaths:on:_:)` with a queue.
    ///
    /// The method returns when the observation has begun. If the task is cancelled, the method returns a token whose
    /// observation never begins.
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
        // Resolving the key paths here reports an invalid one immediately.
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
    /// Calls the block with the collection's changes. The key paths are typed. See
    /// ``RealmCollection/observe(keyPaths:on:_:)-([String]?,_,_)``.
    public func observe(
        keyPaths: [PartialKeyPath<Element>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { keyPathReading($0).name }, on: queue, block) }

    /// Calls the block with the collection's changes, isolated to an actor. The key paths are typed. See
    /// `observe(keyPaths:on:_:)` with strings.
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
    /// Calls the block with the collection's changes. The key paths are typed. See `observe(keyPaths:on:_:)` with
    /// strings.
    public func observe(
        keyPaths: [PartialKeyPath<Element.Wrapped>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block) }

    /// Calls the block with the collection's changes, isolated to an actor. The key paths are typed. See
    /// `observe(keyPaths:on:_:)` with strings.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Element.Wrapped>],
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
    }
}
