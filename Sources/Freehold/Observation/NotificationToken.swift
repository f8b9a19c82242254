import Synchronization

/// Keeps an observation going: it ends when the token is let go of, or invalidated.
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

    /// A token of nothing.
    public init() { state = Mutex(.empty) }

    /// Of an observation that begins later: see `adopt`.
    static func pending() -> NotificationToken { NotificationToken(.pending) }

    deinit { invalidate() }

    /// Ends the observation: its block isn't called any more (a call that is running goes on). Any thread may do so,
    /// also inside of the block. More calls do nothing.
    ///
    /// - Returns: Whether there was something to end: false where it has ended already.
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

    /// Whether it was invalidated.
    var isEnded: Bool { state.withLock { if case .ended = $0 { true } else { false } } }

    var observation: Observation? {
        state.withLock { if case .observing(let observation) = $0 { observation } else { nil } }
    }

    /// What the token stands for, where that was begun later, at another place.
    func adopt(_ observation: Observation) {
        let isEnded = state.withLock { state in
            if case .ended = state { return true }
            state = .observing(observation)
            return false
        }
        if isEnded { observation.end() }
    }
}
