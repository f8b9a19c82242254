#if canImport(SwiftUI) || SwiftUIShapes
    #if canImport(SwiftUI)
        import Combine
        import SwiftUI
    #else
        import SwiftUIShapes
    #endif
    import Freehold
    import FreeholdCombine

    /// The value of a view, its observation, and the frozen state that the view shows.
    ///
    /// The live value belongs to the realm of the main thread. A view shows frozen values, because SwiftUI compares the
    /// present elements of a list with those of the previous evaluation.
    final class ValueStorage<Value: RealmSubscribable & ThreadConfined & Equatable>: ObservableObject {
        let objectWillChange = ObservableObjectPublisher()
        /// The value that is shown after the deletion of the observed one.
        let replacement: Value
        private var observing: _Observing?
        private var shown: Value?

        private(set) var live: Value

        init(_ value: Value, replacement: Value) {
            self.replacement = replacement
            live = value.live ?? value
        }

        /// Replaces the value, and evaluates the view again.
        func replace(by value: Value) {
            let value = value.live ?? value
            if value != live || value.realm == nil {
                (live, observing, shown) = (value, nil, nil)
                objectWillChange.send()
            }
            observe()
        }

        /// The value without freezing, or the replacement after its deletion.
        var current: Value { live.isInvalidated ? replacement : live }

        /// The value that the view shows: unmanaged or frozen.
        var frozen: Value {
            observe()
            if live.isInvalidated { return replacement }
            guard let realm = live.realm else { return live }
            if let shown, shown.realm == realm.freeze() { return shown }
            let frozen = live.freeze()
            shown = frozen
            return frozen
        }

        /// Begins the observation, unless it has begun. A collection that is unmanaged can't be observed yet.
        func observe() {
            guard observing == nil, !live.isInvalidated else { return }
            if let realm = live.realm {
                guard realm._isObservable, !realm.isInWriteTransaction else { return }
            } else if !(live is ObjectBase), !(live is any ProjectionObservable) {
                return
            }
            observing = live._observe(keyPaths: nil, on: nil) { [weak self] event in self?.take(event) }
        }

        private func take(_ event: _ValueEvent) {
            // The view shows the present state already, unless a change was made before the observation began.
            if case .initial = event, let shown, shown.realm == live.realm?.freeze() { return }
            // The view shows another version from now on.
            shown = nil
            objectWillChange.send()
        }
    }
#endif
