public import Dispatch

extension ProjectedCollection {
    /// Calls the block with the present state of the collection, and then after each change, like `observe` of
    /// collections of objects.
    ///
    /// - Parameters:
    ///   - keyPaths: The key paths of the collection's objects on which a change makes an element count as modified. If
    ///     `nil`, the projected property is observed.
    ///   - queue: A serial queue on which the block runs. The block then receives the collection in a realm of that
    ///     queue. If `nil`, the block runs where this collection's realm is.
    ///   - block: A closure that is called with each change.
    public func observe(
        keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<ProjectedCollection>) -> Void
    ) -> NotificationToken { observing(on: queue, observation(keyPaths), block) }

    /// Calls the block with the collection's changes on a queue. Protocols of older code require this overload.
    public func observe(
        on queue: DispatchQueue?,
        _ block: @escaping (RealmCollectionChange<ProjectedCollection>) -> Void
    ) -> NotificationToken { observe(keyPaths: [String]?.none, on: queue, block) }

    /// Calls the block with the collection's changes, isolated to an actor. The block receives the collection in a
    /// realm of the actor. See `observe(keyPaths:on:_:)` with a queue.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil,
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<ProjectedCollection>) -> Void
    ) async -> NotificationToken {
        await observing(on: actor, _isolation: _isolation, observation(keyPaths), block)
    }

    /// The changes of the collection: see ``RealmChanges``.
    public var changes: RealmChanges<RealmCollectionChange<ProjectedCollection>> { changes(keyPaths: nil) }

    /// Returns the changes of the collection, with modifications only for the key paths. See `observe`.
    public func changes(keyPaths: [String]?) -> RealmChanges<RealmCollectionChange<ProjectedCollection>> {
        changes(observation(keyPaths))
    }

    private func observation(
        _ keyPaths: [String]?
    ) -> ObservationKind<ProjectedCollection, RealmCollectionChange<ProjectedCollection>> {
        let keyPaths = keyPaths ?? box.origin.map { [$0.names.joined(separator: ".")] } ?? []
        box.check(keyPaths)
        return ObservationKind(
            follow: { $0.box.following(keyPaths) },
            teller: { _ in { change, shown, _ in .change(change, of: shown) } }
        )
    }
}
