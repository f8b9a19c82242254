#if canImport(Combine) || Combine
    #if canImport(Combine)
        public import Combine
    #endif
    import Dispatch
    import Foundation
    public import Freehold
    #if Sync
        public import FreeholdSync
    #endif

    extension RealmPublishers {
        /// A publisher that opens a realm when a subscription begins. It emits the realm, which belongs to the queue of
        /// `receive(on:)` or to the main thread, and finishes. If the subscription is cancelled, the opening is, too.
        public struct AsyncOpenPublisher: Publisher {
            public typealias Output = Realm
            public typealias Failure = any Error

            private let configuration: Realm.Configuration
            private var queue = DispatchQueue.main
            #if Sync
                private var progress: (@Sendable (SyncSession.Progress) -> Void)?
            #endif

            init(_ configuration: Realm.Configuration) { self.configuration = configuration }

            /// Returns a publisher that opens the realm for a serial queue.
            ///
            /// - Precondition: The scheduler is a serial `DispatchQueue`.
            public func receive<S: Scheduler>(on scheduler: S) -> Self {
                var copy = self
                copy.queue = requireQueue(scheduler)
                return copy
            }

            #if Sync
                /// Returns a publisher that calls a closure with the progress of the download, on the queue of the realm.
                /// It has no effect for a realm that doesn't sync.
                public func onProgressNotification(
                    _ closure: @escaping @Sendable (SyncSession.Progress) -> Void
                ) -> Self {
                    var copy = self
                    copy.progress = closure
                    return copy
                }
            #endif

            public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
                let opening = Opening { result in
                    switch result {
                    case .success(let realm):
                        _ = subscriber.receive(realm)
                        subscriber.receive(completion: .finished)
                    case .failure(let error): subscriber.receive(completion: .failure(error))
                    }
                }
                subscriber.receive(subscription: opening)
                let task = Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
                    opening.finish(result)
                }
                #if Sync
                    if let progress {
                        task.addProgressNotification(queue: queue) { [weak opening] in
                            if opening?.isOver == false { progress($0) }
                        }
                    }
                #endif
                opening.keep(task)
            }
        }

        /// The subscription of one subscriber to an opening.
        private final class Opening: Subscription, @unchecked Sendable {
            private let lock = NSLock()
            private var deliver: ((Result<Realm, any Error>) -> Void)?
            private var task: Realm.AsyncOpenTask?

            init(deliver: @escaping (Result<Realm, any Error>) -> Void) { self.deliver = deliver }

            var isOver: Bool { lock.withLock { deliver == nil } }

            func keep(_ task: Realm.AsyncOpenTask) {
                let isOver = lock.withLock {
                    if deliver == nil { return true }
                    self.task = task
                    return false
                }
                if isOver { task.cancel() }
            }

            func finish(_ result: Result<Realm, any Error>) { end().deliver?(result) }

            private func end() -> (deliver: ((Result<Realm, any Error>) -> Void)?, task: Realm.AsyncOpenTask?) {
                lock.withLock {
                    defer { (deliver, task) = (nil, nil) }
                    return (deliver, task)
                }
            }

            // There is only one value. It is delivered as soon as the realm is open, like RealmSwift does.
            func request(_ demand: Subscribers.Demand) {}

            func cancel() { end().task?.cancel() }
        }
    }

    extension Realm {
        /// Returns a publisher that opens a realm, and migrates its file if necessary, on another thread.
        ///
        /// ```swift
        /// cancellable = Realm.asyncOpen(configuration: configuration)
        ///     .onProgressNotification { print($0.progressEstimate) }
        ///     .sink(receiveCompletion: { … }) { realm in … }
        /// ```
        /// A realm that syncs is emitted after it has downloaded the state that the server had at the call. The realm belongs
        /// to the main thread, or to the queue of `receive(on:)`.
        public static func asyncOpen(
            configuration: Configuration = .defaultConfiguration
        ) -> RealmPublishers.AsyncOpenPublisher { RealmPublishers.AsyncOpenPublisher(configuration) }
    }
#endif
