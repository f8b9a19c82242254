#if canImport(Combine) || Combine
    import Dispatch
    import Freehold

    /// An observation that begins with an unmanaged object. After a realm has added the object, the observation continues
    /// with the changes of the managed object.
    ///
    /// The object doesn't keep the observation alive.
    final class UnmanagedWatch<Value: RealmSubscribable>: UnmanagedObserver {
        private let value: Value
        private let object: ObjectBase
        private let keyPaths: [String]?
        private let queue: DispatchQueue?
        private let block: (_ValueEvent) -> Void
        /// The observation of the realm until the end of the transaction that adds the object.
        private var addition: NotificationToken?
        private var managed: _Observing?

        init(
            _ value: Value,
            of object: ObjectBase,
            keyPaths: [String]?,
            on queue: DispatchQueue?,
            events block: @escaping (_ValueEvent) -> Void
        ) {
            (self.value, self.object, self.keyPaths, self.queue, self.block) = (value, object, keyPaths, queue, block)
            object._addUnmanagedObserver(self)
        }

        deinit { object._removeUnmanagedObserver(self) }

        func didAssign() { block(.value(value)) }

        func didBecomeManaged() {
            guard let realm = object.realm, realm._isObservable else { return }
            addition = realm.observe { [weak self] _, _ in self?.begin() }
        }

        private func begin() {
            addition = nil
            // The transaction may have been rolled back, and the object with it.
            guard managed == nil, object.realm != nil, !object.isInvalidated else { return }
            managed = value._observe(keyPaths: keyPaths, on: queue, events: block)
        }
    }
#endif
