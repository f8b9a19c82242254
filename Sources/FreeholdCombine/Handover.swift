#if canImport(Combine) || Combine
    #if canImport(Combine)
        public import Combine
    #endif
    import Dispatch
    public import Freehold

    /// A value or a change on its way to a scheduler.
    struct Carriage<Content> {
        /// Returns the content for a realm of the scheduler, or `nil` if its value doesn't exist any more or if the realm can't
        /// be opened. The closure is called on the scheduler.
        ///
        /// - Parameter queue: The queue that the scheduler is, or `nil` for other schedulers.
        let arrive: (_ queue: DispatchQueue?) -> Content?
    }

    extension Carriage where Content: ThreadConfined {
        init(_ value: Content) {
            guard let reference = VersionedReference(value) else {
                self.init { _ in value }
                return
            }
            self.init { queue in reference.resolve(on: queue)?.value }
        }
    }

    extension Carriage where Content: _PublishedChange {
        /// Creates the carriage of a change.
        ///
        /// The realm of the scheduler may show a newer version than that of the change. The positions of a change don't fit
        /// such a state, so the change is replaced by an initial one.
        init(change: Content) {
            guard let reference = change._observed.flatMap({ VersionedReference($0) }) else {
                self.init { _ in change }
                return
            }
            let frozen = change.frozen()
            self.init { queue in
                guard let (value, isOfOtherVersion) = reference.resolve(on: queue) else { return nil }
                let change = frozen._with(value)
                return isOfOtherVersion ? change._restarted() : change
            }
        }
    }

    /// A reference to a live value at a version. It keeps the version in the file.
    private struct VersionedReference<Value: ThreadConfined> {
        private let reference: ThreadSafeReference<Value>
        private let configuration: Realm.Configuration
        private let version: UInt64

        /// Returns `nil` for a frozen, unmanaged or invalidated value, which is passed as it is.
        init?(_ value: Value) {
            guard let realm = value.realm, !realm.isFrozen, !value.isInvalidated else { return nil }
            (reference, configuration, version) = (ThreadSafeReference(to: value), realm.configuration, realm._version)
        }

        func resolve(on queue: DispatchQueue?) -> (value: Value, isOfOtherVersion: Bool)? {
            guard let realm = try? Realm(configuration: configuration, queue: queue),
                let value = realm.resolve(reference)
            else { return nil }
            return (value, realm._version != version)
        }
    }

    extension RealmPublishers {
        /// A publisher that emits values or changes on a scheduler, with values of a realm of that scheduler. Frozen and
        /// unmanaged values are passed as they are.
        public struct DeferredHandover<Upstream: Publisher, S: Scheduler>: Publisher {
            public typealias Output = Upstream.Output
            public typealias Failure = Upstream.Failure

            private let upstream: Upstream
            private let scheduler: S
            private let pack: (Output) -> Carriage<Output>

            init(_ upstream: Upstream, on scheduler: S, pack: @escaping (Output) -> Carriage<Output>) {
                (self.upstream, self.scheduler, self.pack) = (upstream, scheduler, pack)
            }

            public func receive<Downstream: Subscriber>(subscriber: Downstream)
            where Downstream.Input == Output, Downstream.Failure == Failure {
                let place = queue(of: scheduler)
                upstream.map(pack).receive(on: scheduler).compactMap { $0.arrive(place) }
                    .receive(subscriber: subscriber)
            }
        }

        public typealias Handover<Upstream: Publisher, S: Scheduler> = DeferredHandover<Upstream, S>

        /// A publisher whose values or changes can be received on a scheduler. See `threadSafeReference()`.
        public struct MakeThreadSafe<Upstream: Publisher>: Publisher {
            public typealias Output = Upstream.Output
            public typealias Failure = Upstream.Failure

            private let upstream: Upstream
            private let pack: (Output) -> Carriage<Output>

            init(_ upstream: Upstream, pack: @escaping (Output) -> Carriage<Output>) {
                (self.upstream, self.pack) = (upstream, pack)
            }

            public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
                upstream.receive(subscriber: subscriber)
            }

            /// Returns a publisher that emits on a scheduler, with values of a realm of that scheduler.
            public func receive<S: Scheduler>(on scheduler: S) -> DeferredHandover<Upstream, S> {
                DeferredHandover(upstream, on: scheduler, pack: pack)
            }
        }
    }

    extension Publisher where Output: ThreadConfined {
        /// Returns a publisher of the frozen values. Any thread may use them.
        ///
        /// ```swift
        /// cancellable = valuePublisher(dog)
        ///     .freeze()
        ///     .receive(on: DispatchQueue.global())
        ///     .sink(receiveCompletion: { _ in }) { dog in print(dog.name) }
        /// ```
        public func freeze() -> Publishers.Map<Self, Output> {
            map { $0.realm == nil || $0.isInvalidated ? $0 : $0.freeze() }
        }

        /// Returns a publisher for a following `receive(on:)`, which passes live values to another place by references:
        /// the subscriber receives values of a realm of the scheduler.
        ///
        /// ```swift
        /// cancellable = dogs.collectionPublisher
        ///     .map { $0.where { $0.age > 5 } }
        ///     .threadSafeReference()
        ///     .receive(on: queue)
        ///     .sink(receiveCompletion: { _ in }) { dogs in … }
        /// ```
        /// Frozen and unmanaged values are passed as they are. A value that doesn't exist isn't emitted.
        public func threadSafeReference() -> RealmPublishers.MakeThreadSafe<Self> {
            RealmPublishers.MakeThreadSafe(self) { Carriage($0) }
        }
    }

    extension Publisher where Output: _PublishedChange {
        /// Returns a publisher of the changes with frozen values. Any thread may use them.
        public func freeze() -> Publishers.Map<Self, Output> { map { $0.frozen() } }

        /// Returns a publisher for a following `receive(on:)`, which passes the live value of a change to another place by
        /// a reference: the subscriber receives changes with values of a realm of the scheduler.
        ///
        /// If that realm already shows a newer version, a change of a collection is delivered as `.initial`. Objects and
        /// collections among the values of properties are frozen.
        public func threadSafeReference() -> RealmPublishers.MakeThreadSafe<Self> {
            RealmPublishers.MakeThreadSafe(self) { Carriage(change: $0) }
        }
    }
#endif
