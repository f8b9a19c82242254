import FreeholdSyncCore
import Synchronization

/// The state of a session that any thread may read, and the waits for its changes.
final class SessionBoard: Sendable {
    enum Goal: Hashable, Sendable {
        case upload
        case download
        case querySet(UInt64)
        /// The file has stored the new queries.
        case subscription
        /// The session has read the state of the file.
        case description
    }

    fileprivate struct Wait: Sendable {
        let goal: Goal
        let continuation: CheckedContinuation<QuerySet?, any Error>
    }

    fileprivate struct State {
        var connection = ConnectionState.disconnected
        var isSuspended = false
        var isClosed = false
        var needsApp: SessionError?
        /// The number of tokens that the app has given the session.
        var renewals = 0
        var querySets: [UInt64: QuerySet] = [:]
        var newest: UInt64 = 0
        var waits: [UInt64: Wait] = [:]
        var lastWait: UInt64 = 0
        var listeners: [UInt64: AsyncStream<SessionEvent>.Continuation] = [:]
        var lastListener: UInt64 = 0
        var isWoken = false
        var isDescribed = false
        var hearer: (@Sendable (SessionEvent) -> Void)?
        /// The number of client resets.
        var resets = 0
    }

    private let state = Mutex(State())

    var connection: ConnectionState { state.withLock { $0.connection } }
    var isSuspended: Bool { state.withLock { $0.isSuspended } }
    var isClosed: Bool { state.withLock { $0.isClosed } }
    var resets: Int { state.withLock { $0.resets } }
    var newestSet: QuerySet? { state.withLock { $0.querySets[$0.newest] } }

    func hear(_ hearer: (@Sendable (SessionEvent) -> Void)?) { state.withLock { $0.hearer = hearer } }

    /// Records that the query sets of the file are known.
    func describe() {
        state.withLock { $0.isDescribed = true }
        settleQuerySets()
    }

    func setSuspended(_ isSuspended: Bool) { state.withLock { $0.isSuspended = isSuspended } }

    /// Records a commit.
    ///
    /// - Returns: A Boolean value that indicates whether the loop has to be notified. Several commits in quick
    ///   succession cause one notification.
    func wake() -> Bool {
        state.withLock { state in
            defer { state.isWoken = true }
            return !state.isWoken
        }
    }

    func awoke() { state.withLock { $0.isWoken = false } }

    // MARK: Events

    func events() -> AsyncStream<SessionEvent> {
        let (stream, continuation) = AsyncStream<SessionEvent>.makeStream(bufferingPolicy: .bufferingNewest(1_000))
        let number: UInt64? = state.withLock { state in
            guard !state.isClosed else { return nil }
            state.lastListener += 1
            state.listeners[state.lastListener] = continuation
            return state.lastListener
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    func tell(_ event: SessionEvent) {
        let (listeners, hearer) = state.withLock { state in
            state.note(event)
            if case .report(.wasReset) = event { state.resets += 1 }
            return (Array(state.listeners.values), state.hearer)
        }
        hearer?(event)
        for listener in listeners { listener.yield(event) }
    }

    // MARK: Waits

    /// Waits for a goal.
    ///
    /// - Parameter begin: Sends the request to the loop, with the number of the wait.
    func wait(for goal: Goal, _ begin: (UInt64) -> Void) async throws -> QuerySet? {
        try Task.checkCancellation()
        let number = state.withLock { state in
            state.lastWait += 1
            return state.lastWait
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let early: Result<QuerySet?, any Error>? = state.withLock { state in
                    if state.isClosed { return .failure(SessionError.closed) }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if goal.needsServer, let error = state.needsApp { return .failure(error) }
                    if let result = state.result(of: goal) { return result }
                    state.waits[number] = Wait(goal: goal, continuation: continuation)
                    return nil
                }
                if let early { continuation.resume(with: early) } else { begin(number) }
            }
        } onCancel: {
            end(number, .failure(CancellationError()))
        }
    }

    func end(_ number: UInt64, _ result: Result<QuerySet?, any Error>) {
        state.withLock { $0.waits.removeValue(forKey: number) }?.continuation.resume(with: result)
    }

    /// Returns the waits that a new machine has to receive.
    func open() -> [(number: UInt64, goal: Goal)] {
        state.withLock { state in state.waits.map { ($0.key, $0.value.goal) }.sorted { $0.0 < $1.0 } }
    }

    /// Ends the waits that can't succeed before the app acts. Later waits end as well until the app has acted.
    func block(_ error: SessionError) { endWaits(error, isLasting: true) }

    /// Like `block(_:)`, except that it has no effect if the app has given a token since `renewals` was read.
    func block(_ error: SessionError, renewals: Int) {
        if self.renewals == renewals { block(error) }
    }

    var renewals: Int { state.withLock { $0.renewals } }

    /// Records that the app gives the session a token.
    func renew() {
        state.withLock { state in
            state.renewals += 1
            state.needsApp = nil
        }
    }

    /// A Boolean value that indicates whether the session waits for a token.
    var needsToken: Bool {
        if case .needsApp(.auth, _) = state.withLock({ $0.needsApp }) { true } else { false }
    }

    /// Ends the waits for something that the server refuses now. Later waits wait for the server's next answer.
    func refuse(_ error: SessionError) { endWaits(error, isLasting: false) }

    private func endWaits(_ error: SessionError, isLasting: Bool) {
        let waits = state.withLock { state in
            if isLasting { state.needsApp = error }
            let waits = state.waits.filter { $0.value.goal.needsServer }
            for number in waits.keys { state.waits[number] = nil }
            return waits
        }
        for wait in waits.values { wait.continuation.resume(throwing: error) }
    }

    /// Removes the refusals of a schema or an app version before the server is asked again.
    func unblockRefused() {
        state.withLock { state in
            switch state.needsApp {
            case .needsApp(.schema, _), .needsApp(.upgradeRequired, _): state.needsApp = nil
            default: break
            }
        }
    }

    func unblock() { state.withLock { $0.needsApp = nil } }

    /// Ends the waits for query sets that are complete or can't become complete.
    func settleQuerySets() {
        let ended = state.withLock { state in
            var ended: [(Wait, Result<QuerySet?, any Error>)] = []
            for (number, wait) in state.waits {
                guard let result = state.result(of: wait.goal) else { continue }
                state.waits[number] = nil
                ended.append((wait, result))
            }
            return ended
        }
        for (wait, result) in ended { wait.continuation.resume(with: result) }
    }

    func close() {
        let (waits, listeners) = state.withLock { state in
            state.isClosed = true
            state.connection = .disconnected
            defer { (state.waits, state.listeners, state.hearer) = ([:], [:], nil) }
            return (Array(state.waits.values), Array(state.listeners.values))
        }
        for wait in waits { wait.continuation.resume(throwing: SessionError.closed) }
        for listener in listeners { listener.finish() }
    }
}

extension SessionBoard.Goal {
    fileprivate var needsServer: Bool {
        switch self {
        case .upload, .download, .querySet: true
        case .subscription, .description: false
        }
    }
}

extension SessionBoard.State {
    fileprivate mutating func note(_ event: SessionEvent) {
        switch event {
        case .report(.connection(let connection)): self.connection = connection
        case .report(.querySet(let set)): note(set)
        default: break
        }
    }

    private mutating func note(_ set: QuerySet) {
        newest = max(newest, set.version)
        querySets[set.version] = set
        // Sets before a complete set are no longer needed.
        if set.isComplete { querySets = querySets.filter { $0.key >= set.version } }
    }

    fileprivate func result(of goal: SessionBoard.Goal) -> Result<QuerySet?, any Error>? {
        if case .description = goal { return isDescribed ? .success(querySets[newest]) : nil }
        guard case .querySet(let version) = goal else { return nil }
        if let set = querySets[version], set.isComplete { return .success(set) }
        if newest > version { return .failure(SessionError.superseded) }
        return nil
    }
}
