public import Dispatch
import FreeholdEngine

extension ThreadConfined where Self: ObjectBase {
    /// Calls the block when properties of the object are set, and once when the object is deleted.
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
    /// An assignment counts even if the value stays the same. Changes of linked objects count only if key paths lead to
    /// them. The block runs at the place and time that `observe(keyPaths:on:_:)` of collections describes, and the same
    /// preconditions hold. Unlike for collections, the block isn't called with the initial state.
    ///
    /// - Parameters:
    ///   - keyPaths: The observed key paths. If `nil`, all properties of the object itself are observed.
    ///   - queue: A serial queue on which the block runs. The block then receives the object in a realm of that queue.
    ///   - block: A closure that is called with each change.
    public func observe(
        keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken { observing(on: queue, _observation(keyPaths), block) }

    /// Calls the block with the object's changes on a queue. Protocols of older code require this overload.
    public func observe(
        on queue: DispatchQueue?,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: [String]?.none, on: queue, block) }

    /// Calls the block with the changes on typed key paths. See `observe(keyPaths:on:_:)` with strings.
    public func observe(
        keyPaths: [PartialKeyPath<Self>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block) }

    /// Calls the block with the object's changes, isolated to an actor. The block receives the object in a realm of the
    /// actor. See `observe(keyPaths:on:_:)` with a queue.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil,
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await observing(on: actor, _isolation: _isolation, _observation(keyPaths), block)
    }

    /// Calls the block with the changes on typed key paths, isolated to an actor. See `observe(keyPaths:on:_:)` with
    /// strings.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Self>],
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
    }

    /// Calls the block with the object's changes, which contain the object as an object of another class. See
    /// `observe(keyPaths:on:_:)`.
    @_disfavoredOverload
    public func observe<T: ObjectBase>(
        keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths, on: queue) { (change: ObjectChange<Self>) in block(change.cast()) }
    }

    /// Calls the block with the changes on typed key paths, which contain the object as an object of the class of the
    /// key paths. See `observe(keyPaths:on:_:)` with strings.
    @_disfavoredOverload
    public func observe<T: ObjectBase>(
        keyPaths: [PartialKeyPath<T>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block) }

    /// Calls the block with the object's changes, isolated to an actor. The changes contain the object as an object of
    /// another class. See `observe(keyPaths:on:_:)`.
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

    /// Calls the block with the changes on typed key paths, isolated to an actor. The changes contain the object as an
    /// object of the class of the key paths. See `observe(keyPaths:on:_:)` with strings.
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
    /// Returns the change with the object as an object of another class. Traps if the object isn't of that class.
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
