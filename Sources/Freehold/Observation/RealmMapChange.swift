public import Dispatch
import FreeholdEngine

/// A change of an observed map.
public enum RealmMapChange<MapType: RealmKeyedCollection> {
    /// The state of the map when the observation begins. It is delivered once.
    case initial(MapType)
    /// The map has changed, and already shows the state after the change. The keys are in ascending order of their
    /// bytes.
    case update(MapType, deletions: [MapType.Key], insertions: [MapType.Key], modifications: [MapType.Key])
    /// An error. Freehold doesn't deliver this case at present.
    case error(any Error)
}

extension Map {
    /// Calls the block with the present state of the map, and then after each change. It is like `observe` of
    /// collections, with keys instead of positions.
    ///
    /// - Parameters:
    ///   - keyPaths: For maps of objects: the key paths on which a change makes an entry count as modified.
    ///   - queue: A serial queue on which the block runs. The block then receives the map in a realm of that queue.
    ///   - block: A closure that is called with each change.
    public func observe(
        keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmMapChange<Map>) -> Void
    ) -> NotificationToken { observing(on: queue, observation(keyPaths), block) }

    /// Calls the block with the map's changes on a queue. Protocols of older code require this overload.
    public func observe(
        on queue: DispatchQueue?,
        _ block: @escaping (RealmMapChange<Map>) -> Void
    ) -> NotificationToken { observe(keyPaths: [String]?.none, on: queue, block) }

    /// Calls the block with the map's changes, isolated to an actor. The block receives the map in a realm of the
    /// actor. See `observe(keyPaths:on:_:)` with a queue.
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
    /// Calls the block with the map's changes. The key paths are typed. See `observe(keyPaths:on:_:)` with strings.
    public func observe(
        keyPaths: [PartialKeyPath<Value.Wrapped>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmMapChange<Map>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block) }

    /// Calls the block with the map's changes, isolated to an actor. The key paths are typed. See
    /// `observe(keyPaths:on:_:)` with strings.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Value.Wrapped>],
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmMapChange<Map>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
    }
}
