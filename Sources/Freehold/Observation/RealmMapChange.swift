public import Dispatch
import FreeholdEngine

/// What an observer of a map is told.
public enum RealmMapChange<MapType: RealmKeyedCollection> {
    /// The map as it is when the observation begins; once.
    case initial(MapType)
    /// It has changed, and stands after the change already: keys, by rising bytes.
    case update(MapType, deletions: [MapType.Key], insertions: [MapType.Key], modifications: [MapType.Key])
    /// Never at present.
    case error(any Error)
}

extension Map {
    /// Calls the block with the map as it is, and then each time it has changed: as for collections, with keys in the
    /// place of positions.
    ///
    /// - Parameters:
    ///   - keyPaths: of maps of objects: when an entry whose object changed counts as modified.
    ///   - queue: a serial queue, on which the block then runs, with the map of a realm of that queue.
    ///   - block: is called with each change.
    public func observe(
        keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmMapChange<Map>) -> Void
    ) -> NotificationToken { observing(on: queue, observation(keyPaths), block) }

    /// The same with a queue alone, as protocols of older code ask for it.
    public func observe(
        on queue: DispatchQueue?,
        _ block: @escaping (RealmMapChange<Map>) -> Void
    ) -> NotificationToken { observe(keyPaths: [String]?.none, on: queue, block) }

    /// The same on an actor: the block is called in its isolation, with the map of a realm of the actor.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil,
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmMapChange<Map>) -> Void
    ) async -> NotificationToken {
        await observing(on: actor, _isolation: _isolation, observation(keyPaths), block)
    }

    func observation(_ keyPaths: [String]?) -> ObservationKind<Map, RealmMapChange<Map>> {
        if let keyPaths, let table = place()?.elementTable {
            for keyPath in keyPaths { _ = table.observedPath(keyPath) }
        }
        return ObservationKind(
            follow: { $0.following(keyPaths) },
            teller: { _ in { change, shown, _ in .change(change, of: shown) } }
        )
    }

    private func following(_ keyPaths: [String]?) -> Observation.Start {
        let at = place()!
        let stored = at.stored
        if stored.nested != nil { return { .entries(FollowedEntries(stored, in: $0)) } }
        let watched = at.elementTable?.watched(keyPaths) ?? .deep
        return { .dictionary(ObservedDictionary(stored.column, of: stored.owner, watching: watched, in: $0)) }
    }
}

extension RealmMapChange {
    static func change(_ change: ObservedChange, of map: MapType) -> Self {
        guard case .dictionary(let changes) = change else { return .initial(map) }
        func keys(_ names: [String]) -> [MapType.Key] { names.map { MapType.Key(_rlmMapKey: $0) } }
        return .update(
            map,
            deletions: keys(changes.deletions),
            insertions: keys(changes.insertions),
            modifications: keys(changes.modifications)
        )
    }
}

extension Map where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
    /// The same with key paths of the class.
    public func observe(
        keyPaths: [PartialKeyPath<Value.Wrapped>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmMapChange<Map>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block) }

    /// The same with key paths of the class, on an actor.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Value.Wrapped>],
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmMapChange<Map>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
    }
}
