import FreeholdEngine

extension ObjectBase: ThreadConfined {
    public final func _moved(to target: _RealmTarget) -> Self? {
        guard let table = _table, !isInvalidated, let other = target.core.table(like: table),
            let key = other.living(_key)
        else { return nil }
        return unsafeDowncast(other.object(key), to: Self.self)
    }
}

extension List: _ConfinedCollection { var _core: RealmCore? { core } }
extension MutableSet: _ConfinedCollection { var _core: RealmCore? { home?.core } }
extension Map: _ConfinedCollection { var _core: RealmCore? { home?.core } }
extension LinkingObjects: _ConfinedCollection { var _core: RealmCore? { target?._core } }

extension SectionedResults: ThreadConfined {
    public func _moved(to target: _RealmTarget) -> Self? {
        query.results._moved(to: target).map { SectionedResults(query: SectionQuery($0, query.keyOf)) }
    }
}

extension ResultsSection: ThreadConfined {
    /// Nil also where no element has the section's key there.
    public func _moved(to target: _RealmTarget) -> Self? {
        guard let results = query.results._moved(to: target) else { return nil }
        let query = SectionQuery(results, query.keyOf)
        return query.positions(of: key).isEmpty ? nil : ResultsSection(key: key, query: query)
    }
}

/// Something frozen, to be sent to any thread, task or actor.
///
/// ```swift
/// let frozen = Frozen(realm.objects(Dog.self).where { $0.age > 5 })
/// Task.detached { print(frozen.value.count) }
/// ```
/// The compiler can't see of an object or a collection that it is frozen; this wrapper makes sure of it.
public struct Frozen<Value: ThreadConfined> {
    /// The frozen object or collection.
    public let value: Value

    /// Freezes it.
    ///
    /// - Precondition: as for ``ThreadConfined/freeze()``.
    public init(_ value: Value) { self.value = value.freeze() }
}

// Sendable because what is frozen never changes, and what is remembered of it is behind a lock.
extension Frozen: @unchecked Sendable {}
