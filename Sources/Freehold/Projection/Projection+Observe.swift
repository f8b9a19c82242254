public import Dispatch
import FreeholdEngine

/// What can be observed as a projection of an object: every ``Projection``.
public protocol ProjectionObservable: AnyObject, ThreadConfined, KeypathSortable {
    associatedtype Root: ObjectBase
    /// What is projected.
    var rootObject: Root { get }
    init(projecting object: Root)
}

/// A projected property that was set.
public typealias ProjectedPropertyChange = PropertyChange

extension ProjectionObservable {
    /// Calls the block when something that the projection shows was set, and once when its object is deleted.
    ///
    /// ```swift
    /// token = projection.observe { change in
    ///     if case .change(let person, let properties) = change { show(person, properties.map(\.name)) }
    /// }
    /// ```
    /// Properties are reported under the projection's names, each of those that show a property that was set. What isn't
    /// projected isn't told. Key paths through links are followed to where they lead: `\Person.address?.city` tells of a
    /// new address and of a new city. Values before and after are those of the projected properties; there is none before
    /// where the realm itself made the change, and none at all of collections. Where and when the block runs: as for objects.
    ///
    /// - Parameters:
    ///   - keyPaths: what is observed: names of projected properties, or of the object's. Nil: all projected properties.
    ///   - queue: a serial queue, on which the block then runs, with the projection of an object of a realm of that queue.
    ///   - block: is called with each change.
    public func observe(
        keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken { observing(on: queue, observation(projected.watched(keyPaths)), block) }

    /// The same with a queue alone, as protocols of older code ask for it.
    public func observe(
        on queue: DispatchQueue?,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: [String]?.none, on: queue, block) }

    /// The same with key paths of the projection.
    public func observe(
        keyPaths: [PartialKeyPath<Self>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken { observing(on: queue, observation(projected.watched(keyPaths)), block) }

    /// The same with key paths of the object's class.
    @_disfavoredOverload
    public func observe(
        keyPaths: [PartialKeyPath<Root>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observing(on: queue, observation(keyPaths.flatMap { projected.watched(path: _name(for: $0)) }), block)
    }

    /// The same on an actor: the block is called in its isolation, with the projection of an object of a realm of the
    /// actor.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil,
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await observing(on: actor, _isolation: _isolation, observation(projected.watched(keyPaths)), block)
    }

    /// The same with key paths of the projection, on an actor.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Self>],
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await observing(on: actor, _isolation: _isolation, observation(projected.watched(keyPaths)), block)
    }

    /// The same with key paths of the object's class, on an actor.
    @_disfavoredOverload
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Root>],
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        let watched = keyPaths.flatMap { projected.watched(path: _name(for: $0)) }
        return await observing(on: actor, _isolation: _isolation, observation(watched), block)
    }

    private var projected: ProjectionSchema {
        guard let type = type(of: self) as? any AnyProjection.Type else {
            programmerError("\(type(of: self)) can't be observed: it is no subclass of Projection.")
        }
        return ProjectionSchema.of(type)
    }

    private func observation(_ watched: [ProjectionSchema.Watched]) -> ObservationKind<Self, ObjectChange<Self>> {
        if let table = rootObject._table { for watched in watched { _ = table.observedPath(watched.path) } }
        return .object(\.rootObject, paths: watched.map(\.path)) { root, _, fired, old in
            let before = root._before(old)
            return fired.map { watched[$0].change(of: root, before) }
        }
    }

    /// The changes of what the projection shows, without a first element: see ``RealmChanges``.
    public var changes: RealmChanges<ObjectChange<Self>> { changes(observation(projected.watched([String]?.none))) }

    /// The same, of what is on these paths: see `observe`.
    public func changes(keyPaths: [PartialKeyPath<Self>]) -> RealmChanges<ObjectChange<Self>> {
        changes(observation(projected.watched(keyPaths)))
    }
}

extension ObjectBase {
    /// The object as it was in another version; nil where it wasn't there, or the version isn't known.
    fileprivate final func _before(_ snapshot: Snapshot?) -> ObjectBase? {
        guard let snapshot, let core = _core, let table = _table else { return nil }
        let frozen = core.file.frozenCore(of: core, at: snapshot)
        guard let old = frozen.table(like: table), let key = old.living(_key) else { return nil }
        return old.object(key)
    }
}

extension ProjectionSchema.Watched {
    fileprivate func change(of root: ObjectBase, _ before: ObjectBase?) -> PropertyChange {
        let new = value(root)
        if Self.isCollection(new) { return PropertyChange(name: name, oldValue: nil, newValue: new) }
        var old = before.flatMap { value($0) }
        // A link to what was deleted meanwhile is nil.
        if let link = old as? ObjectBase, let core = root._core { old = link._moved(to: core) }
        if Self.isCollection(old) { old = nil }
        return PropertyChange(name: name, oldValue: old, newValue: new)
    }

    private static func isCollection(_ value: Any?) -> Bool {
        switch value {
        case is any RealmCollectionBase, is any RealmKeyedCollection, is any ProjectedElements: true
        case let mixed as AnyRealmValue: mixed.listValue != nil || mixed.dictionaryValue != nil
        default: false
        }
    }
}
