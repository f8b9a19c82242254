#if (canImport(Combine) || Combine) && Sync
    #if canImport(Combine)
        public import Combine
    #endif
    import Dispatch
    public import FreeholdSync
    public import FreeholdSyncCore

    /// A publisher that emits an app whenever its current user changes: by a log-in, a log-out or a switch.
    public struct AppPublisher: Publisher {
        public typealias Output = App
        public typealias Failure = Never

        private let publisher: AnyPublisher<App, Never>
        private let source: AnyPublisher<App, Never>

        init(_ app: App) {
            source = StreamPublisher { app.currentUsers }.map { _ in app }.eraseToAnyPublisher()
            publisher = source.receive(on: DispatchQueue.main).eraseToAnyPublisher()
        }

        private init(_ source: AnyPublisher<App, Never>, _ publisher: AnyPublisher<App, Never>) {
            (self.source, self.publisher) = (source, publisher)
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == App, S.Failure == Never {
            publisher.receive(subscriber: subscriber)
        }

        /// Returns a publisher that emits the app on a scheduler instead of the main queue.
        public func receive<S: Scheduler>(on scheduler: S) -> AppPublisher {
            AppPublisher(source, source.receive(on: scheduler).eraseToAnyPublisher())
        }
    }

    extension App: ObservableObject {
        /// A publisher that emits the app, on the main queue, whenever its current user changes.
        public var objectWillChange: AppPublisher { AppPublisher(self) }
    }

    extension User: ObservableObject {
        /// A publisher that emits the user, on the main queue, whenever the user is logged in, logged out or removed.
        public var objectWillChange: AnyPublisher<User, Never> {
            StreamPublisher { self.states }.map { _ in self }.receive(on: DispatchQueue.main).eraseToAnyPublisher()
        }
    }

    extension SyncSession {
        /// Returns a publisher of the progress of a transfer, on a thread of the library. Depending on `mode`, it finishes
        /// when everything that was outstanding at the subscription is transferred. Otherwise it finishes with the session. See
        /// ``SyncSession/progress(for:mode:)``. This is an addition to RealmSwift's API.
        public func progressPublisher(
            for direction: ProgressDirection,
            mode: ProgressMode
        ) -> AnyPublisher<Progress, Never> {
            StreamPublisher { self.progress(for: direction, mode: mode) }.eraseToAnyPublisher()
        }

        /// A publisher of the states of the connection from the subscription on. This is an addition to RealmSwift's API,
        /// in the place of key-value observation.
        public var connectionStatePublisher: AnyPublisher<ConnectionState, Never> {
            StreamPublisher { self.connectionStates }.eraseToAnyPublisher()
        }
    }

    extension SyncSubscriptionSet {
        /// A publisher of the states of the newest subscription set, beginning with the present one. This is an addition
        /// to RealmSwift's API.
        public var statePublisher: AnyPublisher<SyncSubscriptionState, Never> {
            StreamPublisher { self.states }.eraseToAnyPublisher()
        }
    }
#endif
