import Dispatch
import FreeholdEngine
import Synchronization

/// Computes, after each commit to a file, what the observers of its realms will be told: one after the other on a queue
/// of its own, never on the threads that read.
final class ObservationHub: Sendable {
    /// Records are kept from the first observer on.
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

    init(_ feed: ChangeFeed, _ database: Database, _ watchers: Watchers) {
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

    /// On any thread, after a commit, or when somebody has become ready for what was committed before.
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
            // Where the file can't be read any more, the next use of a realm says so. Others may let go of their readers'
            // slots, though, and nobody will tell.
            guard error.code == .readersFull || error.code == .mapResized else { return }
            if isScheduled.exchange(true, ordering: .acquiringAndReleasing) { return }
            enqueue(delay: min(50 << min(retries, 6), 2000), retries: retries + 1)
        }
    }

    // MARK: Other processes

    /// From now on commits of other processes are heard of, too. Where the system has no more file watches, they are
    /// seen when somebody refreshes or writes.
    func listen() { listening.start(feed) }

    /// The same a little later, so that who opens a realm needn't wait for it.
    func listenSoon() {
        guard database.isSharedWithProcesses, listening.isFirst() else { return }
        // Keeps the database open no longer than its file is.
        queue.async { [listening, weak feed] in feed.map { listening.start($0) } }
    }

    /// Lets go of the database. To be called when nobody uses the file any more.
    func stop() { listening.stop() }

    private final class Listening: Sendable {
        private struct State {
            var commits: ChangeFeed.Observation?
            var isStopped = false
            var body: @Sendable () -> Void = {}
        }

        private let state = Mutex(State())
        private let wasAsked = Atomic(false)

        /// Whether it is the first call.
        func isFirst() -> Bool { !wasAsked.exchange(true, ordering: .relaxed) }

        /// - Parameter body: runs after each commit of another process.
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
