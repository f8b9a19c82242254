#if canImport(Combine) || Combine
    public import Dispatch
    public import Freehold

    /// An event of an observed value, for publishers.
    public enum _ValueEvent {
        /// The present value, when the observation of a collection begins.
        case initial(Any)
        /// The value after a change.
        case value(Any)
        /// The value was deleted. No further event follows.
        case deleted
        /// The observation has failed. No further event follows.
        case failed(any Error)
    }

    /// A value that keeps an observation alive.
    public struct _Observing {
        /// The token, or `nil` for an unmanaged object.
        let token: NotificationToken?
        /// The observation of an unmanaged object.
        let watch: AnyObject?

        init(_ token: NotificationToken) { (self.token, watch) = (token, nil) }
        init(watch: AnyObject) { (token, self.watch) = (nil, watch) }

        func end() { token?.invalidate() }
    }

    /// A type whose values can be observed by publishers: objects, projections, collections and sections.
    public protocol RealmSubscribable {
        /// Begins an observation. The block receives the present value once if the type is a collection, and the value
        /// after each change.
        ///
        /// - Parameters:
        ///   - keyPaths: The observed key paths, or `nil` for all.
        ///   - queue: The queue of the block, or `nil` for the place of the value's realm.
        func _observe(
            keyPaths: [String]?,
            on queue: DispatchQueue?,
            events block: @escaping (_ValueEvent) -> Void
        ) -> _Observing
    }

    extension RealmSubscribable where Self: ObjectBase {
        public func _observe(
            keyPaths: [String]?,
            on queue: DispatchQueue?,
            events block: @escaping (_ValueEvent) -> Void
        ) -> _Observing {
            if realm == nil, !isInvalidated {
                return _Observing(watch: UnmanagedWatch(self, of: self, keyPaths: keyPaths, on: queue, events: block))
            }
            return _Observing(
                observe(keyPaths: keyPaths, on: queue) { (change: ObjectChange<Self>) in block(change._event) }
            )
        }
    }

    extension RealmSubscribable where Self: ProjectionObservable {
        public func _observe(
            keyPaths: [String]?,
            on queue: DispatchQueue?,
            events block: @escaping (_ValueEvent) -> Void
        ) -> _Observing {
            if realm == nil, !isInvalidated {
                let watch = UnmanagedWatch(self, of: rootObject, keyPaths: keyPaths, on: queue, events: block)
                return _Observing(watch: watch)
            }
            return _Observing(
                observe(keyPaths: keyPaths, on: queue) { (change: ObjectChange<Self>) in block(change._event) }
            )
        }
    }

    extension RealmSubscribable where Self: RealmCollection {
        public func _observe(
            keyPaths: [String]?,
            on queue: DispatchQueue?,
            events block: @escaping (_ValueEvent) -> Void
        ) -> _Observing { _Observing(observe(keyPaths: keyPaths, on: queue) { block($0._event) }) }
    }

    extension Map: RealmSubscribable {
        public func _observe(
            keyPaths: [String]?,
            on queue: DispatchQueue?,
            events block: @escaping (_ValueEvent) -> Void
        ) -> _Observing { _Observing(observe(keyPaths: keyPaths, on: queue) { block($0._event) }) }
    }

    extension SectionedResults: RealmSubscribable {
        public func _observe(
            keyPaths: [String]?,
            on queue: DispatchQueue?,
            events block: @escaping (_ValueEvent) -> Void
        ) -> _Observing { _Observing(observe(keyPaths: keyPaths, on: queue) { block($0._event) }) }
    }

    extension ResultsSection: RealmSubscribable {
        public func _observe(
            keyPaths: [String]?,
            on queue: DispatchQueue?,
            events block: @escaping (_ValueEvent) -> Void
        ) -> _Observing { _Observing(observe(keyPaths: keyPaths, on: queue) { block($0._event) }) }
    }

    extension ObjectBase: RealmSubscribable {}
    extension Projection: RealmSubscribable {}
    extension List: RealmSubscribable {}
    extension MutableSet: RealmSubscribable {}
    extension LinkingObjects: RealmSubscribable {}
    extension Results: RealmSubscribable {}
    extension AnyRealmCollection: RealmSubscribable {}
#endif
