public import Dispatch

extension ProjectedCollection {
    /// Calls the block with the collection as it is, and then each time it has changed: as for collections of objects.
    ///
    /// - Parameters:
    ///   - keyPaths: of the collection's objects: when an element counts as modified. Nil: when what is projected was set.
    ///   - queue: a serial queue, on which the block then runs, with the collection of a realm of that queue. Nil: where
    ///     this collection's realm is.
    ///   - block: is called with each change.
    public func observe(
        keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<ProjectedCollection>) -> Void
    ) -> NotificationToken { observing(on: queue, observation(keyPaths), block) }

    /// The same with a queue alone, as protocols of older code ask for it.
    public func observe(
        on queue: DispatchQueue?,
        _ block: @escaping (RealmCollectionChange<ProjectedCollection>) -> Void
    ) -> NotificationToken { observe(keyPaths: [String]?.none, on: queue, block) }

    /// The same on an actor: the block is called in its isolation, with the collection of a realm of the actor.
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

    /// The same, where only what is set on these paths counts as a modification: see `observe`.
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
