#if Logging || Metrics
    import FreeholdEngine

    /// A token that stops the diagnostics that `Realm.log(to:)` or `Realm.recordMetrics()` has started.
    public struct DiagnosticsToken: Sendable {
        private let id: Int

        init(_ kinds: Diagnostics.Kinds, _ listener: @escaping Diagnostics.Listener) {
            id = Diagnostics.listen(to: kinds, listener)
        }

        /// Stops logging or recording. A call that is already running on another thread still finishes.
        public func stop() { Diagnostics.stop(id) }
    }

    extension Duration {
        /// A text for people, such as "1.234 s".
        var inSeconds: String {
            let milliseconds = (self / .milliseconds(1)).rounded()
            return "\(milliseconds / 1000) s"
        }
    }
#endif
