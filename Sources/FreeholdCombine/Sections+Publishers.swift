#if canImport(Combine) || Combine
    #if canImport(Combine)
        public import Combine
    #endif
    public import Freehold

    extension SectionedResults {
        /// A publisher that emits a value when the observation begins, and after each change of the sections.
        public var objectWillChange: RealmPublishers.WillChange<Self> { RealmPublishers.WillChange(self) }

        /// A publisher that emits the sections when the observation begins, and after each change.
        public var collectionPublisher: RealmPublishers.Value<Self> { RealmPublishers.Value(self) }

        /// Returns a publisher that emits the sections when the observation begins, and after each change.
        ///
        /// - Parameter keyPaths: The key paths on which a change of an element counts. See `observe(keyPaths:on:_:)`.
        public func collectionPublisher(keyPaths: [String]?) -> RealmPublishers.Value<Self> {
            RealmPublishers.Value(self, keyPaths: keyPaths)
        }

        /// A publisher of the changes of the sections. The first change is the state when the observation begins.
        public var changesetPublisher: RealmPublishers.SectionedResultsChangeset<Self> {
            changesetPublisher(keyPaths: nil)
        }

        /// Returns a publisher of the changes of the sections.
        ///
        /// - Parameter keyPaths: The key paths on which a change makes an element count as modified.
        public func changesetPublisher(keyPaths: [String]?) -> RealmPublishers.SectionedResultsChangeset<Self> {
            RealmPublishers.Changeset { queue, block in observe(keyPaths: keyPaths, on: queue, block) }
        }
    }

    extension ResultsSection {
        /// A publisher that emits a value when the observation begins, and after each change of the section.
        public var objectWillChange: RealmPublishers.WillChange<Self> { RealmPublishers.WillChange(self) }

        /// A publisher that emits the section when the observation begins, and after each change.
        public var collectionPublisher: RealmPublishers.Value<Self> { RealmPublishers.Value(self) }

        /// Returns a publisher that emits the section when the observation begins, and after each change.
        ///
        /// - Parameter keyPaths: The key paths on which a change of an element counts. See `observe(keyPaths:on:_:)`.
        public func collectionPublisher(keyPaths: [String]?) -> RealmPublishers.Value<Self> {
            RealmPublishers.Value(self, keyPaths: keyPaths)
        }

        /// A publisher of the changes of the section. The first change is the state when the observation begins.
        public var changesetPublisher: RealmPublishers.SectionChangeset<Self> { changesetPublisher(keyPaths: nil) }

        /// Returns a publisher of the changes of the section.
        ///
        /// - Parameter keyPaths: The key paths on which a change makes an element count as modified.
        public func changesetPublisher(keyPaths: [String]?) -> RealmPublishers.SectionChangeset<Self> {
            RealmPublishers.Changeset { queue, block in observe(keyPaths: keyPaths, on: queue, block) }
        }
    }
#endif
