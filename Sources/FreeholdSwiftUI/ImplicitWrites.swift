#if canImport(SwiftUI) || SwiftUIShapes
    import Freehold
    import Synchronization

    /// The writes that bindings of views make. Each change is a transaction of its own, unless the realm is in a write
    /// transaction.
    public enum ImplicitWrites {
        private static let handler = Mutex<@Sendable (any Error) -> Void>({ Realm._log(failedWrite: $0) })

        /// A closure that receives the error of a write that failed, such as ``Freehold/Realm/Error/Code/outOfDiskSpace``
        /// or the error of a value that can't be stored. The change is rolled back, and the view shows the stored value
        /// again. The default writes the error to the library's logger.
        public static var onError: @Sendable (any Error) -> Void {
            get { handler.withLock { $0 } }
            set { handler.withLock { $0 = newValue } }
        }
    }

    /// Changes a value. A frozen value is thawed first. A managed value is changed in a transaction of its own, unless its
    /// realm is in a write transaction. A value that was deleted isn't changed.
    func write<Value: ThreadConfined>(to value: Value, _ change: (Value) -> Void) {
        if value.isInvalidated { return }
        guard value.realm != nil else { return change(value) }
        guard let live = value.thaw(), !live.isInvalidated, let realm = live.realm else { return }
        if realm.isInWriteTransaction { return change(live) }
        do { try realm.write { change(live) } } catch { ImplicitWrites.onError(error) }
    }

    extension ThreadConfined {
        /// The live value, or the value itself if it is unmanaged. It is `nil` if the value was deleted.
        var live: Self? {
            if realm == nil { return isInvalidated ? nil : self }
            return isFrozen ? thaw() : self
        }
    }
#endif
