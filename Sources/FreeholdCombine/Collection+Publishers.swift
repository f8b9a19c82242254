#if canImport(Combine) || Combine
    #if canImport(Combine)
        public import Combine
    #endif
    public import Freehold

    extension RealmCollection where Self: RealmSubscribable {
        /// A publisher that emits a value when the observation begins, and after each change of the collection.
        public var objectWillChange: RealmPublishers.WillChange<Self> { RealmPublishers.WillChange(self) }

        @available(*, deprecated, renamed: "collectionPublisher")
        public var publisher: RealmPublishers.Value<Self> { collectionPublisher }

        /// A publisher that emits the collection when the observation begins, and after each change.
        ///
        /// - Precondition: The collection is managed.
        public var collectionPublisher: RealmPublishers.Value<Self> { RealmPublishers.Value(self) }

        /// Returns a publisher that emits the collection when the observation begins, and after each change.
        ///
        /// - Parameter keyPaths: The key paths on which a change of an element counts. See `observe(keyPaths:on:_:)`.
        /// - Precondition: The collection is managed.
        public func collectionPublisher(keyPaths: [String]?) -> RealmPublishers.Value<Self> {
            RealmPublishers.Value(self, keyPaths: keyPaths)
        }

        /// A publisher of the changes of the collection. The first change is the state when the observation begins.
        ///
        /// - Precondition: The collection is managed.
        public var changesetPublisher: RealmPublishers.CollectionChangeset<Self> { changesetPublisher(keyPaths: nil) }

        /// Returns a publisher of the changes of the collection.
        ///
        /// - Parameter keyPaths: The key paths on which a change makes an element count as modified.
        /// - Precondition: The collection is managed.
        public func changesetPublisher(keyPaths: [String]?) -> RealmPublishers.CollectionChangeset<Self> {
            RealmPublishers.Changeset { queue, block in observe(keyPaths: keyPaths, on: queue, block) }
        }
    }

    extension List: ObservableObject {
        /// A publisher that emits a value when the observation begins, and after each change of the list.
        public var objectWillChange: RealmPublishers.WillChange<List> { RealmPublishers.WillChange(self) }
    }

    extension MutableSet: ObservableObject {
        /// A publisher that emits a value when the observation begins, and after each change of the set.
        public var objectWillChange: RealmPublishers.WillChange<MutableSet> { RealmPublishers.WillChange(self) }
    }

    extension Map: ObservableObject {
        /// A publisher that emits a value when the observation begins, and after each change of the map.
        public var objectWillChange: RealmPublishers.WillChange<Map> { RealmPublishers.WillChange(self) }

        @available(*, deprecated, renamed: "collectionPublisher")
        public var publisher: RealmPublishers.Value<Map> { collectionPublisher }

        /// A publisher that emits the map when the observation begins, and after each change.
        ///
        /// - Precondition: The map is managed.
        public var collectionPublisher: RealmPublishers.Value<Map> { RealmPublishers.Value(self) }

        /// Returns a publisher that emits the map when the observation begins, and after each change.
        ///
        /// - Parameter keyPaths: The key paths on which a change of an object counts.
        /// - Precondition: The map is managed.
        public func collectionPublisher(keyPaths: [String]?) -> RealmPublishers.Value<Map> {
            RealmPublishers.Value(self, keyPaths: keyPaths)
        }

        /// A publisher of the changes of the map. The first change is the state when the observation begins.
        ///
        /// - Precondition: The map is managed.
        public var changesetPublisher: RealmPublishers.MapChangeset<Map> { changesetPublisher(keyPaths: nil) }

        /// Returns a publisher of the changes of the map.
        ///
        /// - Parameter keyPaths: The key paths on which a change makes an entry count as modified.
        /// - Precondition: The map is managed.
        public func changesetPublisher(keyPaths: [String]?) -> RealmPublishers.MapChangeset<Map> {
            RealmPublishers.Changeset { queue, block in self.observe(keyPaths: keyPaths, on: queue, block) }
        }
    }
#endif
