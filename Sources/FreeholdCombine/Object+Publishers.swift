#if canImport(Combine) || Combine
    #if canImport(Combine)
        public import Combine
    #endif
    public import Freehold

    // For views: `@ObservedObject var dog: Dog` shows the changes of a managed object, and the assignments to an unmanaged one.

    extension Object: ObservableObject {
        /// A publisher that emits a value after each change of the object, and when the object is deleted. For an unmanaged
        /// object, it emits a value after each assignment to a property.
        public var objectWillChange: RealmPublishers.WillChange<Object> { RealmPublishers.WillChange(self) }
    }

    extension EmbeddedObject: ObservableObject {
        /// A publisher that emits a value after each change of the object, and when the object is deleted. For an unmanaged
        /// object, it emits a value after each assignment to a property.
        public var objectWillChange: RealmPublishers.WillChange<EmbeddedObject> { RealmPublishers.WillChange(self) }
    }

    extension Projection: ObservableObject {
        /// A publisher that emits a value after each change of a projected property, and when the object is deleted.
        public var objectWillChange: RealmPublishers.WillChange<Projection> { RealmPublishers.WillChange(self) }
    }

    extension Realm {
        /// A publisher that emits a value whenever the realm moves to a newer version, or has to be refreshed.
        public var objectWillChange: RealmPublishers.RealmWillChange { RealmPublishers.RealmWillChange(self) }
    }
#endif
