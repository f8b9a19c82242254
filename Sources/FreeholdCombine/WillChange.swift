#if canImport(Combine) || Combine
    #if canImport(Combine)
        public import Combine
    #endif
    public import Freehold

    extension RealmPublishers {
        /// A publisher that emits a value whenever a realm moves to a newer version, or has to be refreshed.
        public struct RealmWillChange: _ObservingPublisher {
            public typealias Output = Void
            public typealias Failure = Never

            private let realm: Realm

            init(_ realm: Realm) { self.realm = realm }

            public func _receive<S: Subscriber>(subscriber: S, saving save: ((NotificationToken) -> Void)?)
            where S.Input == Output, S.Failure == Failure {
                Delivery.begin(subscriber, saving: save) { delivery in
                    _Observing(realm.observe { [weak delivery] _, _ in delivery?.send { _ in () } })
                }
            }

            /// Stores the token of the observation in a property when a subscription begins.
            public func saveToken<T>(
                on object: T,
                for keyPath: WritableKeyPath<T, NotificationToken?>
            ) -> RealmWillChangeWithToken<T> { WithToken(self, on: object, at: keyPath) }

            /// Stores the token of the observation in a property when a subscription begins.
            public func saveToken<T>(
                on object: T,
                at keyPath: WritableKeyPath<T, NotificationToken?>
            ) -> RealmWillChangeWithToken<T> { WithToken(self, on: object, at: keyPath) }
        }

        /// A publisher that emits a value after each change of an object or a collection. For collections, it also emits
        /// one value when the observation begins.
        ///
        /// Despite its name, which is that of RealmSwift and of `ObservableObject`, the value is emitted after the change.
        public struct WillChange<Subscribable: RealmSubscribable & ThreadConfined>: _ObservingPublisher {
            public typealias Output = Void
            public typealias Failure = Never

            private let value: Subscribable

            init(_ value: Subscribable) { self.value = value }

            public func _receive<S: Subscriber>(subscriber: S, saving save: ((NotificationToken) -> Void)?)
            where S.Input == Output, S.Failure == Failure {
                Delivery.begin(subscriber, saving: save) { delivery in
                    value._observe(keyPaths: nil, on: nil) { [weak delivery] _ in delivery?.send { _ in () } }
                }
            }

            /// Stores the token of the observation in a property when a subscription begins. The token can be passed to
            /// `write(withoutNotifying:)`.
            public func saveToken<T>(
                on object: T,
                at keyPath: WritableKeyPath<T, NotificationToken?>
            ) -> WillChangeWithToken<Subscribable, T> { WithToken(self, on: object, at: keyPath) }
        }
    }
#endif
