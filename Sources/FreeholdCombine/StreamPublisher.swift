#if (canImport(Combine) || Combine) && Sync
    #if canImport(Combine)
        import Combine
    #endif
    import Foundation

    /// A publisher of the elements of an asynchronous stream. Each subscription has a stream of its own. The elements are
    /// delivered on a thread of Swift's pool. An element without a demand isn't delivered.
    struct StreamPublisher<Output: Sendable>: Publisher {
        typealias Failure = Never

        let stream: () -> AsyncStream<Output>?

        func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
            let reading = Reading(
                deliver: { subscriber.receive($0) },
                complete: { subscriber.receive(completion: .finished) }
            )
            // The stream begins before the subscriber continues, so that it contains what happens from now on.
            let stream = stream()
            subscriber.receive(subscription: reading)
            guard let stream else { return reading.finish() }
            reading.keep(
                Task { [weak reading] in
                    for await element in stream { reading?.send(element) }
                    reading?.finish()
                }
            )
        }

        private final class Reading: Subscription, @unchecked Sendable {
            private let lock = NSLock()
            /// The subscriber, until the end of the subscription.
            private var downstream: (deliver: (Output) -> Subscribers.Demand, complete: () -> Void)?
            private var demand = Subscribers.Demand.none
            private var task: Task<Void, Never>?

            init(deliver: @escaping (Output) -> Subscribers.Demand, complete: @escaping () -> Void) {
                downstream = (deliver, complete)
            }

            deinit { task?.cancel() }

            func keep(_ task: Task<Void, Never>) {
                let isOver = lock.withLock {
                    self.task = task
                    return downstream == nil
                }
                if isOver { task.cancel() }
            }

            func send(_ element: Output) {
                let deliver: ((Output) -> Subscribers.Demand)? = lock.withLock {
                    guard let downstream, demand > 0 else { return nil }
                    demand -= 1
                    return downstream.deliver
                }
                guard let more = deliver?(element) else { return }
                lock.withLock { demand += more }
            }

            func finish() {
                let complete = lock.withLock {
                    defer { downstream = nil }
                    return downstream?.complete
                }
                complete?()
            }

            func request(_ demand: Subscribers.Demand) { lock.withLock { self.demand += demand } }

            func cancel() {
                let task = lock.withLock {
                    downstream = nil
                    return self.task
                }
                task?.cancel()
            }
        }
    }
#endif
