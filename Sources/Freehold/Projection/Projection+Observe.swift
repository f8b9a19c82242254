public import Dispatch
import FreeholdEngine

/// A type that can be observed as a projection of an object, such as every ``Projection``.
public protocol ProjectionObservable: AnyObject, ThreadConfined, KeypathSortable {
    associatedtype Root: ObjectBase
    /// The projected object.
    var rootObject: Root { get }
    init(projecting object: Root)
}

/// A change of a projected property.
public typealias ProjectedPropertyChange = PropertyChange

extension ProjectionObservable {
    /// Calls the block when a projected property is set, and once when the object of the projection is deleted.
    ///
    /// ```swift
    /// token = projection.observe { change in
    ///     if case .change(let person, let properties) = change { show(person, properties.map(\.name)) }
    /// }
    /// ```
    /// Each projected property that shows a changed property is reported, under its name in the projection. Changes of
    /// other properties aren't reported. Key paths through links are followed: `\Person.address?.city` reports a new
    /// address and a new city. Old and new values are those of the projected properties. The old value is missing if
    /// the observed realm itself made the change. Collections have no values. The place and time of the calls are those
    /// of the observation of objects.
    ///
    /// - Parameters:
    ///   - keyPaths: The names of observed properties, either projected properties or properties of the object. If
    ///     `nil`, all projected properties are observed.
    ///   - queue: A serial queue on which the block runs. The block then receives the projection of an object in a
    ///     realm of that queue.
    ///   - block: A closure that is called with each change.
    public func observe(
        keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken { observing(on: queue, observation(projected.watched(keyPaths)), block) }

    /// Calls the block with the projection's changes on a queue. Protocols of older code require this overload.
    public func observe(
        on queue: DispatchQueue?,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: [String]?.none, on: queue, block) }

    /// Calls the block with the changes on typed key paths of the projection. See `observe(keyPaths:on:_:)` with
    /// strings.
    public func observe(
        keyPaths: [PartialKeyPath<Self>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken { observing(on: queue, observation(projected.watched(keyPaths)), block) }

    /// Calls the block with the changes on typed key paths of the object's class. See `observe(keyPaths:on:_:)` with
    /// strings.
    @_disfavoredOverload
    public func observe(
        keyPaths: [PartialKeyPath<Root>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observing(on: queue, observation(keyPaths.flatMap { projected.watched(path: _name(for: $0)) }), block)
    }

    /// Calls the block with the projection's changes, isolated to an actor. The block receives the projection of an
    /// object in a realm of the actor. See `observe(keyPaths:on:_:)` with a queue.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil,
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await observing(on: actor, _isolation: _isolation, observation(projected.watched(keyPaths)), block)
    }

    /// Calls the block with the changes on typed key paths of the projection, isolated to an actor. See
    /// `observe(keyPaths:on:_:)` with strings.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Self>],
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await observing(on: actor, _isolation: _isolation, observation(projected.watched(keyPaths)), block)
    }

    /// Calls the block with the changes on typed key paths of the object's class, isolated to an actor. See
    /// `observe(keyPaths:on:_:)` with strings.
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
            programmerError("\(type(of: self)) can't be observed: it isn't a subclass of Projection.")
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

    /// The changes of the projected properties, without an initial element. See ``RealmChanges``.
    public var changes: RealmChanges<ObjectChange<Self>> { changes(observation(projected.watched([String]?.none))) }

    /// Returns the changes on the key paths. See `observe`.
    public func changes(keyPaths: [PartialKeyPath<Self>]) -> RealmChanges<ObjectChange<Self>> {
        changes(observation(projected.watched(keyPaths)))
    }
}

extension ObjectBase {
    /// Returns the object at another version, or nil if it didn't exist then or the version isn't known.
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
        // A link to an object that has since been deleted is nil.
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
