internal import Synchronization

/// Follows what is committed to a database, by this process or another: it tells of new versions, waits for them, and says
/// what lies between two of them, and who made it.
///
/// ```swift
/// let feed = ChangeFeed(database)
/// for try await update in feed.updates(after: try database.snapshot()) {
///     for (table, delta) in update.changes.tables { print(table, delta.inserted.count, delta.deleted.count) }
/// }
/// ```
/// Any thread may use it. It keeps its database open. For each commit whole and with values, in order and across restarts, give the
/// file a journal: `WriteTransaction.addJournalCursor(_:)`.
public final class ChangeFeed: Sendable {
    private let database: Database
    private let state = Mutex(State())
    private let waiting = Waiting()

    private struct State {
        /// Kept once somebody has asked for changes.
        var log: ChangeLog?
        /// Kept once somebody has waited.
        var watch: CommitWatch?
    }

    public init(_ database: Database) { self.database = database }

    // MARK: What changed

    /// What lies between two versions: from the records of the commits between them, or by comparing the two where records are gone
    /// or don't tell everything (the file keeps those of the last 1,000 commits at most).
    ///
    /// - Precondition: both are of this database, and `new` isn't older than `old`.
    /// - Complexity: O(changes); of a comparison O(blocks that differ).
    public func changes(from old: Snapshot, to new: Snapshot) -> VersionChanges {
        precondition(old.version <= new.version, "changes from version \(old.version) back to \(new.version)")
        return log.changes(from: old, to: new)
    }

    /// Returns the record of each commit behind the one version up to the other, in order, with its origin, or `nil` if one is gone.
    ///
    /// - Complexity: O(changes)
    public func records(from old: Snapshot, to new: Snapshot) -> [ChangeRecord]? { log.records(from: old, to: new) }

    /// From now on the records of this process's commits are kept in memory (a few hundred, one MiB), so that those needn't be
    /// read from the file. The first question does the same.
    public func keepRecords() { _ = log }

    private var log: ChangeLog {
        state.withLock { state in
            if let log = state.log { return log }
            let log = ChangeLog(database)
            state.log = log
            return log
        }
    }

    // MARK: Being told

    /// Ends what it stands for when it is cancelled, or let go of.
    public final class Observation: Sendable {
        private let held: Mutex<(any Sendable)?>

        fileprivate init(_ held: any Sendable) { self.held = Mutex(held) }

        /// A call that is under way may still come.
        public func cancel() {
            let gone = held.withLock { held in
                defer { held = nil }
                return held
            }
            withExtendedLifetime(gone) {}
        }
    }

    /// Tells of each commit of this process, on the thread that commits, before the next writer begins.
    ///
    /// - Parameter body: gets the new version and what the commit changed. It must be quick and must not write.
    public func observeCommits(_ body: @escaping @Sendable (Snapshot, ChangeRecord) -> Void) -> Observation {
        Observation(CommitObserver(database, body))
    }

    private final class CommitObserver: Sendable {
        private let database: Database
        private let id: Int

        init(_ database: Database, _ body: @escaping @Sendable (Snapshot, ChangeRecord) -> Void) {
            self.database = database
            id = database.addCommitObserver(body)
        }

        deinit { database.removeCommitObserver(id) }
    }

    /// Tells of new versions, whoever commits them, without polling. Several may be told as one.
    ///
    /// - Parameter body: gets the number of the newest version, each at most once. It must be quick, must not write, and may be
    ///   called on any thread, also on two at once, so that an older number can come last.
    /// - Throws: `.io` where the system has no more file watches to give.
    public func observe(_ body: @escaping @Sendable (UInt64) -> Void) throws(EngineError) -> Observation {
        Observation(try CommitWatch(database, body))
    }

    // MARK: Waiting

    /// Returns the newest version, once it is newer than the one given; it may be there already.
    ///
    /// - Throws: `CancellationError` where the task is cancelled; `EngineError` as `Database.snapshot()`, and `.io` where the
    ///   system has no more file watches to give.
    public func snapshot(after version: UInt64) async throws -> Snapshot {
        try watch()
        while true {
            let newest = try database.snapshot()
            if newest.version > version { return newest }
            try await waiting.wait(after: version)
        }
    }

    private func watch() throws(EngineError) {
        try state.withLock { (state) throws(EngineError) in
            if state.watch != nil { return }
            state.watch = try CommitWatch(database) { [waiting] in waiting.tell($0) }
        }
    }

    /// What changed from one version to another, later one.
    public struct Update: Sendable {
        public let old: Snapshot
        public let new: Snapshot
        public let changes: VersionChanges
        /// Who made the commits between the two, in order, or `nil` if their records are gone.
        public let origins: [CommitOrigin]?
    }

    /// Returns the changes behind a version, as they are committed. Who is slow gets several commits as one update, so that nothing piles up; the
    /// sequence holds on to one version, whose pages the file can't use again meanwhile.
    ///
    /// Its iterator throws as ``snapshot(after:)``, and goes on behind what it gave last.
    public func updates(after snapshot: Snapshot) -> Updates { Updates(feed: self, last: snapshot) }

    public struct Updates: AsyncSequence, Sendable {
        fileprivate let feed: ChangeFeed
        fileprivate let last: Snapshot

        public func makeAsyncIterator() -> Iterator { Iterator(feed: feed, last: last) }

        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let feed: ChangeFeed
            fileprivate var last: Snapshot

            public mutating func next() async throws -> Update? {
                let new = try await feed.snapshot(after: last.version)
                let origins = feed.records(from: last, to: new)?.map(\.origin)
                let changes = feed.changes(from: last, to: new)
                defer { last = new }
                return Update(old: last, new: new, changes: changes, origins: origins)
            }
        }
    }
}

/// Tasks that wait for a version.
private final class Waiting: Sendable {
    private struct State {
        var newest: UInt64 = 0
        var lastID = 0
        var tasks: [Int: (version: UInt64, continuation: CheckedContinuation<Void, any Error>)] = [:]
        /// Cancelled before they waited.
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    /// Until a newer version has been told.
    func wait(after version: UInt64) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Void, any Error>? = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
                    if state.newest > version { return .success(()) }
                    state.tasks[id] = (version, continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let task = state.withLock { state in
                let task = state.tasks.removeValue(forKey: id)
                if task == nil { state.cancelled.insert(id) }
                return task
            }
            task?.continuation.resume(throwing: CancellationError())
        }
        state.withLock { _ = $0.cancelled.remove(id) }
    }

    func tell(_ version: UInt64) {
        let ready = state.withLock { state in
            state.newest = max(state.newest, version)
            let ready = state.tasks.filter { $0.value.version < version }
            for id in ready.keys { state.tasks[id] = nil }
            return ready.values.map(\.continuation)
        }
        for continuation in ready { continuation.resume() }
    }
}
