import Synchronization

/// Keeps an observation going: it ends when the token is let go of, or invalidated.
///
/// ```swift
/// token = realm.objects(Dog.self).observe { change in … }
/// ```
public final class NotificationToken: Sendable {
    private struct State {
        var observation: Observation?
        var isEnded = false
    }

    private let state = Mutex(State())

    init(_ observation: Observation? = nil) { state.withLock { $0.observation = observation } }

    deinit { invalidate() }

    /// Ends the observation: its block isn't called any more (a call that is running goes on). Any thread may do so,
    /// also inside of the block. More calls do nothing.
    public func invalidate() {
        let observation = state.withLock { state in
            defer { state.observation = nil }
            state.isEnded = true
            return state.observation
        }
        observation?.end()
    }

    /// Whether it was invalidated.
    var isEnded: Bool { state.withLock { $0.isEnded } }

    var observation: Observation? { state.withLock { $0.observation } }

    /// What the token stands for, where that was begun later, at another place.
    func adopt(_ observation: Observation) {
        let isEnded = state.withLock { state in
            if !state.isEnded { state.observation = observation }
            return state.isEnded
        }
        if isEnded { observation.end() }
    }
}
