import Dispatch
import FreeholdSyncCore
import Synchronization

/// A queue for the requests of streams.
typealias StreamQueue = TurnQueue<StreamName>

/// A queue that runs work for many owners, such as streams or users, on a few threads. The work of one owner keeps its order, and owners take
/// turns.
///
/// An owner with long work occupies one thread. After each piece of work, an owner with more work is queued after the waiting owners. An
/// owner with much work therefore delays each other owner by at most one piece. Any thread may use it.
final class TurnQueue<Owner: Hashable & Sendable>: Sendable {
    private struct State {
        /// The work of each owner that has some: the first piece may be running.
        var work: [Owner: ArraySlice<@Sendable () -> Void>] = [:]
        /// Owners with work that isn't running, in the order of their turns.
        var turns: ArraySlice<Owner> = []
        /// Threads without work.
        var free: [Int]
    }

    private let state: Mutex<State>
    /// The serial queues, which have separate threads. Concurrent queues aren't used, because they share the threads of Swift's tasks, one for each
    /// core. Long work would delay all tasks there.
    private let threads: [DispatchQueue]

    /// - Parameter width: The number of pieces that run at the same time, at least 1.
    init(width: Int) {
        precondition(width > 0, "A queue needs a thread.")
        state = Mutex(State(free: Array(0..<width)))
        threads = (0..<width).map { DispatchQueue(label: "freehold.server.turns.\($0)") }
    }

    /// Adds work to that of an owner.
    ///
    /// - Complexity: O(1)
    func add(_ owner: Owner, _ body: @escaping @Sendable () -> Void) {
        let thread = state.withLock { state -> Int? in
            if state.work[owner] == nil { state.turns.append(owner) }
            state.work[owner, default: []].append(body)
            return state.turns.isEmpty ? nil : state.free.popLast()
        }
        if let thread { threads[thread].async { self.run(on: thread) } }
    }

    /// The number of pieces of work that wait or run.
    var count: Int { state.withLock { $0.work.values.reduce(0) { $0 + $1.count } } }

    /// Takes turns until no owner waits.
    private func run(on thread: Int) {
        while let (owner, body) = next(on: thread) {
            body()
            finish(owner)
        }
    }

    private func next(on thread: Int) -> (Owner, @Sendable () -> Void)? {
        state.withLock { state in
            guard let owner = state.turns.popFirst(), let body = state.work[owner]?.first else {
                state.free.append(thread)
                return nil
            }
            return (owner, body)
        }
    }

    private func finish(_ owner: Owner) {
        state.withLock { state in
            state.work[owner]?.removeFirst()
            if state.work[owner]?.isEmpty == true {
                state.work[owner] = nil
            } else {
                state.turns.append(owner)
            }
        }
    }
}
