public import Dispatch
import FreeholdEngine

extension ThreadConfined where Self: ObjectBase {
    /// Calls the block when properties of the object were set, and once when it is deleted.
    ///
    /// ```swift
    /// token = dog.observe { change in
    ///     switch change {
    ///     case .change(let dog, let properties): for property in properties { print(property.name, property.newValue) }
    ///     case .deleted: …
    ///     case .error: break
    ///     }
    /// }
    /// ```
    /// A property that was set to what it was counts as set. What happens to objects that it links to doesn't count,
    /// unless key paths lead there. Where and when the block runs, and what else holds: as for collections, except that
    /// there is no first call.
    ///
    /// - Parameters:
    ///   - keyPaths: what is observed. Nil: all properties of the object itself.
    ///   - queue: a serial queue, on which the block then runs, with the object of a realm of that queue.
    ///   - block: is called with each change.
    public func observe(
        keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken { observing(on: queue, _observation(keyPaths), block) }

    /// The same with a queue alone, as protocols of older code ask for it.
    public func observe(
        on queue: DispatchQueue?,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: [String]?.none, on: queue, block) }

    /// The same with key paths of the class.
    public func observe(
        keyPaths: [PartialKeyPath<Self>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block) }

    /// The same on an actor: the block is called in its isolation, with the object of a realm of the actor.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil,
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await observing(on: actor, _isolation: _isolation, _observation(keyPaths), block)
    }

    /// The same with key paths of the class, on an actor.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Self>],
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
    }

    /// The same for a block that takes the object as one of another class.
    @_disfavoredOverload
    public func observe<T: ObjectBase>(
        keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths, on: queue) { (change: ObjectChange<Self>) in block(change.cast()) }
    }

    /// The same with key paths of that class.
    @_disfavoredOverload
    public func observe<T: ObjectBase>(
        keyPaths: [PartialKeyPath<T>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block) }

    /// The same for a block that takes the object as one of another class, on an actor.
    @_disfavoredOverload
    public func observe<A: Actor, T: ObjectBase>(
        keyPaths: [String]? = nil,
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths, on: actor, _isolation: _isolation) {
            (actor: isolated A, change: ObjectChange<Self>) in block(actor, change.cast())
        }
    }

    /// The same with key paths of that class, on an actor.
    @_disfavoredOverload
    public func observe<A: Actor, T: ObjectBase>(
        keyPaths: [PartialKeyPath<T>],
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
    }

    func _observation(_ keyPaths: [String]?) -> ObservationKind<Self, ObjectChange<Self>> {
        if let keyPaths, let table = _table { for keyPath in keyPaths { _ = table.observedPath(keyPath) } }
        return .object({ $0 }, paths: keyPaths) { object, columns, fired, old in
            object._propertyChanges(columns, deep: fired.map { keyPaths![$0] }, old: old)
        }
    }
}

extension ObjectChange where T: ObjectBase {
    /// The same of the object as one of another class. Traps where it is none.
    fileprivate func cast<U: ObjectBase>() -> ObjectChange<U> {
        switch self {
        case .error(let error): return .error(error)
        case .change(let object, let properties):
            guard let object = object as? U else {
                programmerError("An observer of \(type(of: object)) takes \(U.self). Take the object's class.")
            }
            return .change(object, properties)
        case .deleted: return .deleted
        }
    }
}
