import FreeholdSyncCore
import Synchronization

/// The messages of all clients that wait for the machine. The messages of a user keep their order, and users take turns. Any thread may add
/// messages.
final class MessageTurns: Sendable {
    enum Item: Sendable {
        case message(ClientMessage, bytes: Int, Peer)
        case closed(Peer)
    }

    private struct State {
        var items: [SyncString: ArraySlice<Item>] = [:]
        /// Users with messages, in the order of their turns.
        var turns: ArraySlice<SyncString> = []
        /// Users whose messages wait until the store has answered earlier requests of the user.
        var parked: Set<SyncString> = []
        var isScheduled = false

        /// - Returns: A Boolean value that indicates whether a turn is to be scheduled.
        mutating func schedule() -> Bool {
            guard !isScheduled, !turns.isEmpty else { return false }
            isScheduled = true
            return true
        }
    }

    private let state = Mutex(State())

    /// Adds an item to those of a user.
    ///
    /// - Returns: A Boolean value that indicates whether a turn is to be scheduled.
    func add(_ item: Item, of user: SyncString) -> Bool {
        state.withLock { state in
            if state.items[user] == nil { state.turns.append(user) }
            state.items[user, default: []].append(item)
            return state.schedule()
        }
    }

    /// Begins the turn of the next user. Returns `nil` if no messages wait for a turn.
    func next() -> SyncString? {
        state.withLock { state in
            if let user = state.turns.popFirst() { return user }
            state.isScheduled = false
            return nil
        }
    }

    /// Removes and returns the next item of the user whose turn it is.
    func item(of user: SyncString) -> Item? { state.withLock { $0.items[user]?.popFirst() } }

    /// Ends a user's turn.
    ///
    /// - Parameter isBusy: A Boolean value that indicates whether the user's next messages wait until `resume` is called.
    /// - Returns: A Boolean value that indicates whether a turn is to be scheduled.
    func end(_ user: SyncString, isBusy: Bool) -> Bool {
        state.withLock { state in
            if state.items[user]?.isEmpty == true {
                state.items[user] = nil
            } else if isBusy {
                state.parked.insert(user)
            } else {
                state.turns.append(user)
            }
            state.isScheduled = false
            return state.schedule()
        }
    }

    /// The users whose messages wait until the store has answered earlier requests of the user.
    var parked: Set<SyncString> { state.withLock { $0.parked } }

    /// Continues the messages of a user that waited.
    ///
    /// - Returns: A Boolean value that indicates whether a turn is to be scheduled.
    func resume(_ user: SyncString) -> Bool {
        state.withLock { state in
            guard state.parked.remove(user) != nil else { return false }
            state.turns.append(user)
            return state.schedule()
        }
    }

    /// The number of items that wait.
    var count: Int { state.withLock { $0.items.values.reduce(0) { $0 + $1.count } } }
}
