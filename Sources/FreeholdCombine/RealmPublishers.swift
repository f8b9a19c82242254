#if canImport(Combine) || Combine
    #if canImport(Combine)
        public import Combine
    #endif
    import Dispatch
    public import Freehold

    /// The publishers of realms, objects and collections.
    ///
    /// Most programs use them through `objectWillChange`, `collectionPublisher` and `changesetPublisher`, and don't name
    /// the types. The names are those of RealmSwift. Types that RealmSwift has for each kind of collection are one generic
    /// type here, with a type alias for each of RealmSwift's names.
    ///
    /// An observation begins with the subscription, and ends when the subscription is cancelled. A subscriber receives
    /// nothing that it hasn't demanded. If a change of a collection wasn't demanded, the next change is delivered as
    /// `.initial`, because its positions would be those of a state that the subscriber hasn't received.
    public enum RealmPublishers {
        public typealias ObjectChangeset<O: ThreadConfined> = Changeset<ObjectChange<O>>
        public typealias CollectionChangeset<C: ThreadConfined> = Changeset<RealmCollectionChange<C>>
        public typealias MapChangeset<C: RealmKeyedCollection & ThreadConfined> = Changeset<RealmMapChange<C>>
        public typealias SectionedResultsChangeset<C: ThreadConfined> = Changeset<SectionedResultsChange<C>>
        public typealias SectionChangeset<C: ThreadConfined> = Changeset<SectionedResultsChange<C>>

        public typealias RealmWillChangeWithToken<T> = WithToken<RealmWillChange, T>
        public typealias WillChangeWithToken<C: RealmSubscribable & ThreadConfined, T> = WithToken<WillChange<C>, T>
        public typealias ValueWithToken<C: RealmSubscribable & ThreadConfined, T> = WithToken<Value<C>, T>
        public typealias ObjectChangesetWithToken<O: ThreadConfined, T> = WithToken<ObjectChangeset<O>, T>
        public typealias CollectionChangesetWithToken<C: ThreadConfined, T> = WithToken<CollectionChangeset<C>, T>
        public typealias MapChangesetWithToken<C: RealmKeyedCollection & ThreadConfined, T> =
            WithToken<MapChangeset<C>, T>
        public typealias SectionedResultsChangesetWithToken<C: ThreadConfined, T> =
            WithToken<SectionedResultsChangeset<C>, T>
        public typealias SectionChangesetWithToken<C: ThreadConfined, T> = WithToken<SectionChangeset<C>, T>
    }

    /// A publisher that observes a realm, and that can give away the token of the observation.
    public protocol _ObservingPublisher: Publisher {
        /// Subscribes the subscriber, and passes the token of the observation to the closure.
        func _receive<S: Subscriber>(subscriber: S, saving: ((NotificationToken) -> Void)?)
        where S.Input == Output, S.Failure == Failure
    }

    /// A publisher whose observation can take place on a queue.
    public protocol _QueuedPublisher: _ObservingPublisher {
        func subscribe<S: Scheduler>(on scheduler: S) -> Self
    }

    extension _ObservingPublisher {
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            _receive(subscriber: subscriber, saving: nil)
        }
    }

    extension RealmPublishers {
        /// A publisher that stores the token of its observation in a property. The token can be passed to
        /// `write(withoutNotifying:)`. See `saveToken(on:at:)`.
        public struct WithToken<Upstream: _ObservingPublisher, Owner>: _ObservingPublisher {
            public typealias Output = Upstream.Output
            public typealias Failure = Upstream.Failure

            private let upstream: Upstream
            private let owner: Owner
            private let keyPath: WritableKeyPath<Owner, NotificationToken?>

            init(_ upstream: Upstream, on owner: Owner, at keyPath: WritableKeyPath<Owner, NotificationToken?>) {
                (self.upstream, self.owner, self.keyPath) = (upstream, owner, keyPath)
            }

            public func _receive<S: Subscriber>(subscriber: S, saving save: ((NotificationToken) -> Void)?)
            where S.Input == Output, S.Failure == Failure {
                upstream._receive(subscriber: subscriber) { token in
                    var owner = owner
                    owner[keyPath: keyPath] = token
                    save?(token)
                }
            }
        }
    }

    extension RealmPublishers.WithToken: _QueuedPublisher where Upstream: _QueuedPublisher {
        /// Returns a publisher whose observation takes place on a serial queue.
        public func subscribe<S: Scheduler>(on scheduler: S) -> Self {
            Self(upstream.subscribe(on: scheduler), on: owner, at: keyPath)
        }
    }

    /// Returns the queue that a scheduler is. Ends the process for other schedulers.
    func requireQueue<S: Scheduler>(_ scheduler: S) -> DispatchQueue {
        guard let queue = queue(of: scheduler) else {
            fatalError("Cannot subscribe on scheduler \(scheduler): only serial dispatch queues are supported.")
        }
        return queue
    }

    /// Returns the queue that a scheduler is, or `nil` for other schedulers.
    func queue<S: Scheduler>(of scheduler: S) -> DispatchQueue? {
        if let queue = scheduler as? DispatchQueue { return queue }
        #if !canImport(Combine)
            if let wrapper = scheduler as? DispatchQueue.OCombine { return wrapper.queue }
        #endif
        return nil
    }
#endif
