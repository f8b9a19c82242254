import Dispatch
import FreeholdEngine
import Synchronization

/// Computes, after each commit to a file, what the observers of its realms will be told: one after the other on a queue
/// of its own, never on the threads that read.
final class ObservationHub: Sendable {
    private let database: Database
    private let watchers: Watchers
    private let queue = DispatchQueue(label: "freehold.observation")
    private let isScheduled = Atomic(false)
    private let state = Mutex(State())

    private struct Member {
        weak var group: ObserverGroup?
    }

    private struct State {
        var members: [Member] = []
        /// Kept from the first observer on.
        var log: ChangeLog?
        var commits: CommitWatch?
    }

    init(_ database: Database, _ watchers: Watchers) {
        self.database = database
        self.watchers = watchers
    }

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
        }
        listen()
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

    /// From now on commits of other processes are heard of, too. Where the system has no more file watches, they are
    /// seen when somebody refreshes or writes.
    func listen() {
        if state.withLock({ $0.commits != nil }) { return }
        let watchers = watchers
        let watch = try? CommitWatch(database) { [weak self] _ in
            watchers.didCommit()
            self?.schedule()
        }
        state.withLock { $0.commits = watch }
    }
}
