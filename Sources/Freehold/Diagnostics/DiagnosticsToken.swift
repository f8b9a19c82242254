#if Logging || Metrics
    import FreeholdEngine

    /// Ends what `Realm.log(to:)` or `Realm.recordMetrics()` has begun.
    public struct DiagnosticsToken: Sendable {
        private let id: Int

        init(_ kinds: Diagnostics.Kinds, _ listener: @escaping Diagnostics.Listener) {
            id = Diagnostics.listen(to: kinds, listener)
        }

        /// From now on nothing more is logged or recorded. A call that is under way on another thread still ends.
        public func stop() { Diagnostics.stop(id) }
    }

    extension Duration {
        /// For people: "1.234 s".
        var inSeconds: String {
            let milliseconds = (self / .milliseconds(1)).rounded()
            return "\(milliseconds / 1000) s"
        }
    }
#endif
