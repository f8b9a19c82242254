#if canImport(Combine) || Combine
    #if canImport(Combine)
        public import Combine
    #endif
    public import Freehold

    // The names that RealmSwift has for the handover of each kind of change.
    extension RealmPublishers {
        public typealias MakeThreadSafeObjectChangeset<Upstream: Publisher, T: ThreadConfined> =
            MakeThreadSafe<Upstream> where Upstream.Output == ObjectChange<T>
        public typealias MakeThreadSafeCollectionChangeset<Upstream: Publisher, T: ThreadConfined> =
            MakeThreadSafe<Upstream> where Upstream.Output == RealmCollectionChange<T>
        public typealias MakeThreadSafeKeyedCollectionChangeset<Upstream: Publisher, T: ThreadConfined> =
            MakeThreadSafe<Upstream> where Upstream.Output == RealmMapChange<T>, T: RealmKeyedCollection
        public typealias MakeThreadSafeSectionedResultsChangeset<Upstream: Publisher, T: ThreadConfined> =
            MakeThreadSafe<Upstream> where Upstream.Output == SectionedResultsChange<T>

        public typealias DeferredHandoverObjectChangeset<Upstream: Publisher, T: ThreadConfined, S: Scheduler> =
            DeferredHandover<Upstream, S> where Upstream.Output == ObjectChange<T>
        public typealias DeferredHandoverCollectionChangeset<Upstream: Publisher, T: ThreadConfined, S: Scheduler> =
            DeferredHandover<Upstream, S> where Upstream.Output == RealmCollectionChange<T>
        public typealias DeferredHandoverKeyedCollectionChangeset<
            Upstream: Publisher,
            T: ThreadConfined,
            S: Scheduler
        > = DeferredHandover<Upstream, S> where Upstream.Output == RealmMapChange<T>, T: RealmKeyedCollection
        public typealias DeferredHandoverSectionedResultsChangeset<
            Upstream: Publisher,
            T: ThreadConfined,
            S: Scheduler
        > = DeferredHandover<Upstream, S> where Upstream.Output == SectionedResultsChange<T>
        public typealias DeferredHandoverSectionChangeset<Upstream: Publisher, T: ThreadConfined, S: Scheduler> =
            DeferredHandover<Upstream, S> where Upstream.Output == SectionedResultsChange<T>
    }
#endif
