import Dispatch
import FreeholdEngine
import Synchronization

/// The computation of the changes for the observers of a file's realms, after each commit. The computations run one
/// after another on a queue of the hub, never on the threads that read.
final class ObservationHub: Sendable {
    /// The feed of changes. It keeps change records from the first observer on.
    let feed: ChangeFeed
    private let database: Database
    private let queue = DispatchQueue(label: "freehold.observation")
    private let isScheduled = Atomic(false)
    private let state = Mutex(State())
    private let listening = Listening()

    private struct Member {
        weak var group: ObserverGroup?
    }

    private struct State {
        var members: [Member] = []
    }

    init(_ feed: ChangeFeed, _ database: Database, watchers: Watchers) {
        self.feed = feed
        self.database = database
        listening.tell { [weak self] in
            watchers.didCommit()
            self?.schedule()
        }
    }

    func add(_ group: ObserverGroup) {
        state.withLock { state in
            state.members.removeAll { $0.group == nil }
            state.members.append(Member(group: group))
        }
        feed.keepRecords()
        listen()
    }

    /// Schedules a computation. Any thread may call this, after a commit or when an observer becomes ready for earlier
    /// commits.
    func schedule() {
        if state.withLock({ $0.members.isEmpty }) { return }
        if isScheduled.exchange(true, ordering: .acquiringAndReleasing) { return }
        enqueue(delay: 0, retries: 0)
    }

    private func enqueue(delay: Int, retries: Int) {
        let run: @Sendable () -> Void = { [weak self] in
            guard let self else { return }
            isScheduled.store(false, ordering: .releasing)
            compute(retries)
        }
        if delay == 0 { return queue.async(execute: run) }
        queue.asyncAfter(deadline: .now() + .milliseconds(delay), execute: run)
    }

    private func compute(_ retries: Int) {
        let groups = state.withLock { state in state.members.compactMap(\.group) }
        if groups.isEmpty { return }
        do throws(EngineError) {
            let newest = try database.snapshot()
            for group in groups { group.compute(upTo: newest) }
        } catch {
            // If the file can no longer be read, the next use of a realm reports the error. If only reader slots are
            // missing, other processes may free them without a notification, so the computation is retried.
            guard error.code == .readersFull || error.code == .mapResized else { return }
            if isScheduled.exchange(true, ordering: .acquiringAndReleasing) { return }
            enqueue(delay: min(50 << min(retries, 6), 2000), retries: retries + 1)
        }
    }

    // MARK: Other processes

    /// Starts to watch for commits of other processes. If the system has no more file watches, such commits are found
    /// when a realm is refreshed or begins a write.
    func listen() { listening.start(feed) }

    /// Begins to listen later, on the queue, so that opening a realm doesn't wait for it. See `listen()`.
    func listenSoon() {
        guard database.isSharedWithProcesses, listening.isFirst() else { return }
        // The closure keeps the database open no longer than the file is in use.
        queue.async { [listening, weak feed] in feed.map { listening.start($0) } }
    }

    /// Releases the database. The method must be called when no realm uses the file any more.
    func stop() { listening.stop() }

    private final class Listening: Sendable {
        private struct State {
            var commits: ChangeFeed.Observation?
            var isStopped = false
            var body: @Sendable () -> Void = {}
        }

        private let state = Mutex(State())
        private let wasAsked = Atomic(false)

        /// Returns a Boolean value that indicates whether this is the first call.
        func isFirst() -> Bool { !wasAsked.exchange(true, ordering: .relaxed) }

        /// Sets the closure that runs after each commit of another process.
        ///
        /// - Parameter body: The closure.
        func tell(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.body = body } }

        func start(_ feed: ChangeFeed) {
            state.withLock { state in
                if state.isStopped || state.commits != nil { return }
                let body = state.body
                state.commits = try? feed.observe { _ in body() }
            }
        }

        func stop() {
            let last = state.withLock { state in
                state.isStopped = true
                defer {
                    state.commits = nil
                    state.body = {}
                }
                return state.commits
            }
            withExtendedLifetime(last) {}
        }
    }
}
