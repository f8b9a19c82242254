#if canImport(Combine) || Combine
    #if canImport(Combine)
        import Combine
    #endif
    import Foundation
    import Freehold

    /// The subscription of one subscriber to an observation.
    ///
    /// The subscriber receives nothing that it hasn't demanded. A change without a demand isn't delivered later. The next
    /// delivery takes into account that one is missing.
    final class Delivery<Downstream: Subscriber>: Subscription {
        private let lock = NSLock()
        private var downstream: Downstream?
        private var demand = Subscribers.Demand.none
        private var isMissingOne = false
        private var observing: _Observing?

        private init(_ downstream: Downstream) { self.downstream = downstream }

        /// Subscribes the subscriber, and then begins the observation.
        ///
        /// - Parameters:
        ///   - save: A closure that receives the token.
        ///   - observe: A closure that begins the observation. Its block must keep only a weak reference to the delivery:
        ///     the subscriber keeps the delivery, and the delivery keeps the observation.
        static func begin(
            _ downstream: Downstream,
            saving save: ((NotificationToken) -> Void)?,
            observe: (Delivery) -> _Observing
        ) {
            let delivery = Delivery(downstream)
            downstream.receive(subscription: delivery)
            if delivery.isOver { return }
            let observing = observe(delivery)
            delivery.keep(observing)
            save?(observing.token ?? NotificationToken())
        }

        private var isOver: Bool { lock.withLock { downstream == nil } }

        private func keep(_ observing: _Observing) {
            let isOver = lock.withLock {
                if downstream == nil { return true }
                self.observing = observing
                return false
            }
            if isOver { observing.end() }
        }

        /// Delivers a value if the subscriber has demanded one.
        ///
        /// - Parameter value: Returns the value. The argument indicates whether an earlier value wasn't delivered.
        func send(_ value: (_ isMissingOne: Bool) -> Downstream.Input) {
            let found: (downstream: Downstream, isMissingOne: Bool)? = lock.withLock {
                guard let downstream else { return nil }
                guard demand > 0 else {
                    isMissingOne = true
                    return nil
                }
                demand -= 1
                defer { isMissingOne = false }
                return (downstream, isMissingOne)
            }
            guard let found else { return }
            let more = found.downstream.receive(value(found.isMissingOne))
            lock.withLock { demand += more }
        }

        func finish(_ completion: Subscribers.Completion<Downstream.Failure>) {
            end()?.receive(completion: completion)
        }

        func request(_ demand: Subscribers.Demand) { lock.withLock { self.demand += demand } }

        func cancel() { _ = end() }

        /// Ends the observation, and returns the subscriber if the subscription wasn't over.
        private func end() -> Downstream? {
            let (downstream, observing) = lock.withLock {
                defer { (self.downstream, self.observing) = (nil, nil) }
                return (self.downstream, self.observing)
            }
            observing?.end()
            return downstream
        }
    }
#endif
