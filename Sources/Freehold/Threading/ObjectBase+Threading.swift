import FreeholdEngine

extension ObjectBase: ThreadConfined {
    public final var _rlmLocation: _Location {
        guard let table = _table else { return .nowhere }
        let (like, key) = (table.likeness, _key)
        return _Location { core in
            guard let other = core.table(like: like), let key = other.living(key) else { return nil }
            return other.object(key)
        }
    }
}

extension List: _ConfinedCollection { var _core: RealmCore? { core } }
extension MutableSet: _ConfinedCollection { var _core: RealmCore? { home?.core } }
extension Map: _ConfinedCollection { var _core: RealmCore? { home?.core } }
extension LinkingObjects: _ConfinedCollection { var _core: RealmCore? { target?._core } }

extension SectionedResults: ThreadConfined {
    public var _rlmLocation: _Location {
        let keyOf = query.keyOf
        return query.results._rlmLocation.map { (results: Results<SectionElement>) in
            SectionedResults(query: SectionQuery(results, keyOf))
        }
    }
}

extension ResultsSection: ThreadConfined {
    /// The location. It also remains valid if no element has the section's key.
    public var _rlmLocation: _Location {
        let (key, keyOf) = (identity, query.keyOf)
        return query.results._rlmLocation.map { (results: Results<SectionElement>) in
            let query = SectionQuery(results, keyOf)
            return query.positions(of: key).isEmpty ? nil : ResultsSection(identity: key, query: query)
        }
    }
}

/// A frozen value that can be sent to any thread, task or actor.
///
/// ```swift
/// let frozen = Frozen(realm.objects(Dog.self).where { $0.age > 5 })
/// Task.detached { print(frozen.value.count) }
/// ```
/// The compiler can't know whether an object or a collection is frozen. This wrapper guarantees it.
public struct Frozen<Value: ThreadConfined> {
    /// The frozen object or collection.
    public let value: Value

    /// Freezes a value.
    ///
    /// - Precondition: The preconditions of ``ThreadConfined/freeze()``.
    public init(_ value: Value) { self.value = value.freeze() }
}

// Sendable because frozen data never changes, and a lock protects cached values.
extension Frozen: @unchecked Sendable {}
