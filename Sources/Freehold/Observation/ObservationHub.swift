import Dispatch
import FreeholdEngine
import Synchronization

/// Computes, after each commit to a file, what the observers of its realms will be told: one after the other on a queue
/// of its own, never on the threads that read.
final class ObservationHub: Sendable {
    private let database: Database
    private let queue = DispatchQueue(label: "freehold.observation")
    private let isScheduled = Atomic(false)
    private let lastSeen = Atomic<UInt64>(0)
    private let state = Mutex(State())

    private struct Member {
        weak var group: ObserverGroup?
    }

    private struct State {
        var members: [Member] = []
        /// Kept from the first observer on.
        var log: ChangeLog?
        var poll: Poll?
    }

    init(_ database: Database) { self.database = database }

    deinit { state.withLock { $0.poll?.timer.cancel() } }

    /// Records are kept for the observers from now on.
    var log: ChangeLog {
        state.withLock { state in
            if let log = state.log { return log }
            let log = ChangeLog(database)
            state.log = log
            return log
        }
    }

    func add(_ group: ObserverGroup) {
        state.withLock { state in
            state.members.removeAll { $0.group == nil }
            state.members.append(Member(group: group))
            if state.poll == nil {
                lastSeen.store(database.lastVersion, ordering: .relaxed)
                state.poll = Poll(self, queue)
            }
        }
    }

    /// On any thread, after a commit, or when somebody has become ready for what was committed before.
    func schedule() {
        if state.withLock({ $0.members.isEmpty }) { return }
        if isScheduled.exchange(true, ordering: .acquiringAndReleasing) { return }
        queue.async {
            self.isScheduled.store(false, ordering: .releasing)
            self.compute()
        }
    }

    private func compute() {
        let groups = state.withLock { state in state.members.compactMap(\.group) }
        // Where the file can't be read, the next use of a realm says so.
        guard !groups.isEmpty, let newest = try? database.snapshot() else { return }
        for group in groups { group.compute(upTo: newest) }
    }

    // MARK: Other processes

    /// A process isn't told of another's commits, so that it looks for them.
    private struct Poll: @unchecked Sendable {
        let timer: any DispatchSourceTimer

        init(_ hub: ObservationHub, _ queue: DispatchQueue) {
            timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now() + .milliseconds(100), repeating: .milliseconds(100), leeway: .milliseconds(50))
            timer.setEventHandler { [weak hub] in hub?.look() }
            timer.resume()
        }
    }

    private func look() {
        let version = database.lastVersion
        if lastSeen.exchange(version, ordering: .relaxed) < version { schedule() }
    }
}
