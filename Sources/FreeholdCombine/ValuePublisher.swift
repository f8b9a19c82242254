#if canImport(Combine) || Combine
    #if canImport(Combine)
        public import Combine
    #endif
    import Dispatch
    public import Freehold

    extension RealmPublishers {
        /// A publisher of an object or a collection: it emits the value after each change. For collections, the first
        /// value is the state when the observation begins. The publisher of an object finishes when the object is deleted.
        public struct Value<Subscribable: RealmSubscribable & ThreadConfined>: _QueuedPublisher {
            public typealias Output = Subscribable
            public typealias Failure = any Error

            private let value: Subscribable
            private let keyPaths: [String]?
            private let queue: DispatchQueue?

            /// - Precondition: The value is managed.
            init(_ value: Subscribable, keyPaths: [String]? = nil, queue: DispatchQueue? = nil) {
                precondition(value.realm != nil, "Only managed objects can be published")
                (self.value, self.keyPaths, self.queue) = (value, keyPaths, queue)
            }

            public func _receive<S: Subscriber>(subscriber: S, saving save: ((NotificationToken) -> Void)?)
            where S.Input == Output, S.Failure == Failure {
                Delivery.begin(subscriber, saving: save) { delivery in
                    value._observe(keyPaths: keyPaths, on: queue) { [weak delivery] event in
                        switch event {
                        case .initial(let value), .value(let value): delivery?.send { _ in value as! Subscribable }
                        case .deleted: delivery?.finish(.finished)
                        case .failed(let error): delivery?.finish(.failure(error))
                        }
                    }
                }
            }

            /// Stores the token of the observation in a property when a subscription begins. The token can be passed to
            /// `write(withoutNotifying:)`.
            public func saveToken<T>(
                on object: T,
                at keyPath: WritableKeyPath<T, NotificationToken?>
            ) -> ValueWithToken<Subscribable, T> { WithToken(self, on: object, at: keyPath) }

            /// Returns a publisher whose observation takes place on a serial queue. It emits values of a realm of that
            /// queue.
            ///
            /// - Precondition: The scheduler is a serial `DispatchQueue`.
            public func subscribe<S: Scheduler>(on scheduler: S) -> Self {
                Self(value, keyPaths: keyPaths, queue: requireQueue(scheduler))
            }

            /// Returns a publisher that emits the values on a scheduler, as values of a realm of that scheduler. A value
            /// that doesn't exist there isn't emitted.
            public func receive<S: Scheduler>(on scheduler: S) -> Handover<Self, S> {
                Handover(self, on: scheduler) { Carriage($0) }
            }
        }
    }

    extension RealmPublishers.WithToken where Upstream: _QueuedPublisher, Upstream.Output: ThreadConfined {
        /// Returns a publisher that emits the values on a scheduler, as values of a realm of that scheduler.
        public func receive<S: Scheduler>(on scheduler: S) -> RealmPublishers.Handover<Self, S> {
            RealmPublishers.Handover(self, on: scheduler) { Carriage($0) }
        }
    }

    /// Returns a publisher that emits the object after each change, and finishes when the object is deleted.
    ///
    /// - Parameter keyPaths: The observed key paths, or `nil` for all properties of the object.
    /// - Precondition: The object is managed.
    public func valuePublisher<T: ObjectBase>(_ object: T, keyPaths: [String]? = nil) -> RealmPublishers.Value<T> {
        RealmPublishers.Value(object, keyPaths: keyPaths)
    }

    /// Returns a publisher that emits the collection when the observation begins, and after each change.
    ///
    /// - Parameter keyPaths: The key paths on which a change of an element counts. See `observe(keyPaths:on:_:)`.
    /// - Precondition: The collection is managed.
    public func valuePublisher<T: RealmCollection & RealmSubscribable>(
        _ collection: T,
        keyPaths: [String]? = nil
    ) -> RealmPublishers.Value<T> { RealmPublishers.Value(collection, keyPaths: keyPaths) }

    /// Returns a publisher that emits the projection after each change, and finishes when its object is deleted.
    ///
    /// - Parameter keyPaths: The observed key paths, or `nil` for all projected properties.
    /// - Precondition: The projected object is managed.
    public func valuePublisher<T: ProjectionObservable & RealmSubscribable>(
        _ projection: T,
        keyPaths: [String]? = nil
    ) -> RealmPublishers.Value<T> { RealmPublishers.Value(projection, keyPaths: keyPaths) }
#endif
