import Synchronization

/// An object that keeps an observation alive. The observation ends when the token is released or invalidated.
///
/// ```swift
/// token = realm.objects(Dog.self).observe { change in … }
/// ```
public final class NotificationToken: Sendable {
    private enum State {
        case empty
        /// The observation begins later, at another place.
        case pending
        case observing(Observation)
        case ended
    }

    private let state: Mutex<State>

    private init(_ state: State) { self.state = Mutex(state) }

    init(_ observation: Observation) { state = Mutex(.observing(observation)) }

    /// Creates a token without an observation.
    public init() { state = Mutex(.empty) }

    /// Creates a token for an observation that begins later. See `adopt`.
    static func pending() -> NotificationToken { NotificationToken(.pending) }

    deinit { invalidate() }

    /// Ends the observation. Its block isn't called again, but a call that is already running finishes.
    ///
    /// Any thread may call this, also inside the block. Further calls do nothing.
    ///
    /// - Returns: `true` if the call ended an observation, or `false` if the observation had already ended.
    @discardableResult
    public func invalidate() -> Bool {
        let last = state.withLock { state in
            defer { state = .ended }
            return state
        }
        switch last {
        case .empty, .ended: return false
        case .pending: return true
        case .observing(let observation):
            observation.end()
            return true
        }
    }

    /// A Boolean value that indicates whether the token was invalidated.
    var isEnded: Bool { state.withLock { if case .ended = $0 { true } else { false } } }

    var observation: Observation? {
        state.withLock { if case .observing(let observation) = $0 { observation } else { nil } }
    }

    /// Connects the token to an observation that began later, at another place.
    func adopt(_ observation: Observation) {
        let isEnded = state.withLock { state in
            if case .ended = state { return true }
            state = .observing(observation)
            return false
        }
        if isEnded { observation.end() }
    }
}
