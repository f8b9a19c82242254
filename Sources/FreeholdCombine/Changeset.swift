#if canImport(Combine) || Combine
    #if canImport(Combine)
        public import Combine
    #endif
    import Dispatch
    public import Freehold

    extension RealmPublishers {
        /// A publisher of the changes of an object, a collection, a map or sections. It emits the same changes as
        /// `observe(keyPaths:on:_:)`. The publisher of an object's changes finishes when the object is deleted.
        public struct Changeset<Change: _PublishedChange>: _QueuedPublisher {
            public typealias Output = Change
            public typealias Failure = Never

            typealias Observe = (_ queue: DispatchQueue?, _ block: @escaping (Change) -> Void) -> NotificationToken

            private let queue: DispatchQueue?
            private let observe: Observe

            init(on queue: DispatchQueue? = nil, _ observe: @escaping Observe) {
                (self.queue, self.observe) = (queue, observe)
            }

            public func _receive<S: Subscriber>(subscriber: S, saving save: ((NotificationToken) -> Void)?)
            where S.Input == Output, S.Failure == Failure {
                Delivery.begin(subscriber, saving: save) { delivery in
                    _Observing(
                        observe(queue) { [weak delivery] change in
                            if case .deleted = change._event {
                                delivery?.finish(.finished)
                            } else {
                                delivery?.send { isMissingOne in isMissingOne ? change._restarted() : change }
                            }
                        }
                    )
                }
            }

            /// Stores the token of the observation in a property when a subscription begins. The token can be passed to
            /// `write(withoutNotifying:)`.
            public func saveToken<T>(
                on object: T,
                at keyPath: WritableKeyPath<T, NotificationToken?>
            ) -> WithToken<Self, T> { WithToken(self, on: object, at: keyPath) }

            /// Returns a publisher whose observation takes place on a serial queue. It emits changes with values of a
            /// realm of that queue.
            ///
            /// - Precondition: The scheduler is a serial `DispatchQueue`.
            public func subscribe<S: Scheduler>(on scheduler: S) -> Self {
                Self(on: requireQueue(scheduler), observe)
            }

            /// Returns a publisher that emits the changes on a scheduler, with values of a realm of that scheduler. See
            /// `threadSafeReference()`.
            public func receive<S: Scheduler>(on scheduler: S) -> DeferredHandover<Self, S> {
                DeferredHandover(self, on: scheduler) { Carriage(change: $0) }
            }
        }
    }

    extension RealmPublishers.WithToken where Upstream: _QueuedPublisher, Upstream.Output: _PublishedChange {
        /// Returns a publisher that emits the changes on a scheduler, with values of a realm of that scheduler.
        public func receive<S: Scheduler>(on scheduler: S) -> RealmPublishers.DeferredHandover<Self, S> {
            RealmPublishers.DeferredHandover(self, on: scheduler) { Carriage(change: $0) }
        }
    }

    /// Returns a publisher of the changes of an object. It finishes when the object is deleted.
    ///
    /// - Parameter keyPaths: The observed key paths, or `nil` for all properties of the object.
    /// - Precondition: The object is managed.
    public func changesetPublisher<T: ObjectBase>(
        _ object: T,
        keyPaths: [String]? = nil
    ) -> RealmPublishers.ObjectChangeset<T> {
        precondition(object.realm != nil, "Only managed objects can be published")
        return RealmPublishers.Changeset { queue, block in object.observe(keyPaths: keyPaths, on: queue, block) }
    }

    /// Returns a publisher of the changes of a projection. It finishes when the projected object is deleted.
    ///
    /// - Parameter keyPaths: The observed key paths, or `nil` for all projected properties.
    /// - Precondition: The projected object is managed.
    public func changesetPublisher<T: ProjectionObservable>(
        _ projection: T,
        keyPaths: [String]? = nil
    ) -> RealmPublishers.ObjectChangeset<T> {
        precondition(projection.realm != nil, "Only managed objects can be published")
        return RealmPublishers.Changeset { queue, block in projection.observe(keyPaths: keyPaths, on: queue, block) }
    }

    /// Returns a publisher of the changes of a collection. The first change is the state when the observation begins.
    ///
    /// - Parameter keyPaths: The key paths on which a change of an element counts. See `observe(keyPaths:on:_:)`.
    /// - Precondition: The collection is managed.
    public func changesetPublisher<T: RealmCollection>(
        _ collection: T,
        keyPaths: [String]? = nil
    ) -> RealmPublishers.CollectionChangeset<T> {
        precondition(collection.realm != nil, "Only managed collections can be published")
        return RealmPublishers.Changeset { queue, block in collection.observe(keyPaths: keyPaths, on: queue, block) }
    }
#endif
