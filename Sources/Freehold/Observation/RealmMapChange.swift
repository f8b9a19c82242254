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
    public func observe(
        keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmMapChange<Map>) -> Void
    ) -> NotificationToken { observing(on: queue, observation(keyPaths, block)) }

    /// The same on an actor: the block is called in its isolation, with the map of a realm of the actor.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil,
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmMapChange<Map>) -> Void
    ) async -> NotificationToken {
        let call = callable(block)
        return await observing(on: actor, _isolation: _isolation, observation(keyPaths) { call(actor, $0) })
    }

    private func observation(
        _ keyPaths: [String]?,
        _ block: @escaping (RealmMapChange<Map>) -> Void
    ) -> ObservationStart<Map> {
        if let keyPaths, let table = place()?.elementTable {
            for keyPath in keyPaths { _ = table.observedPath(keyPath) }
        }
        return ObservationStart { map, _ in
            let at = map.place()!
            let group = at.table.core.requireObservers("\(Map.self)")
            let start: @Sendable (Snapshot) -> Followed
            let stored = at.stored
            if stored.nested != nil {
                start = { .entries(FollowedEntries(stored, in: $0)) }
            } else {
                let watched = at.elementTable?.watched(keyPaths) ?? .deep
                start = { .dictionary(ObservedDictionary(stored.column, of: stored.owner, watching: watched, in: $0)) }
            }
            let observation = Observation(at.table.core, group, startingAt: nil, start) { change, _ in
                guard case .dictionary(let changes) = change else { return block(.initial(map)) }
                func keys(_ names: [String]) -> [Key] { names.map { Key(_rlmMapKey: $0) } }
                block(
                    .update(
                        map,
                        deletions: keys(changes.deletions),
                        insertions: keys(changes.insertions),
                        modifications: keys(changes.modifications)
                    )
                )
            }
            group.add(observation)
            return observation
        } isGone: {
        }
    }
}

extension Map where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
    /// The same with key paths of the class.
    public func observe(
        keyPaths: [PartialKeyPath<Value.Wrapped>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmMapChange<Map>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block) }
}
