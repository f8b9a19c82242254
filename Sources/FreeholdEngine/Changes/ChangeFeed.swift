internal import Synchronization

/// A feed of the commits to a database, by this process or another. It reports new versions, waits for them, and returns the changes between two
/// versions and the origins of the commits.
///
/// ```swift
/// let feed = ChangeFeed(database)
/// for try await update in feed.updates(after: try database.snapshot()) {
///     for (table, delta) in update.changes.tables { print(table, delta.inserted.count, delta.deleted.count) }
/// }
/// ```
/// Any thread may use it. It keeps its database open. If each commit is needed completely and with values, in order and across restarts, add a
/// journal to the file: `WriteTransaction.addJournalCursor(_:)`.
public final class ChangeFeed: Sendable {
    private let database: Database
    private let state = Mutex(State())
    private let waiting = Waiting()

    private struct State {
        /// The log, created when changes are requested for the first time.
        var log: ChangeLog?
        /// The watch, created when a caller waits for the first time.
        var watch: CommitWatch?
    }

    public init(_ database: Database) { self.database = database }

    // MARK: Changes

    /// Returns the changes between two versions. They come from the records of the commits in between. If records are missing or incomplete, the two
    /// versions are compared (the file keeps the records of the last 1,000 commits at most).
    ///
    /// - Precondition: both versions belong to this database, and `new` isn't older than `old`.
    /// - Complexity: O(changes). For a comparison, O(blocks that differ).
    public func changes(from old: Snapshot, to new: Snapshot) -> VersionChanges {
        precondition(old.version <= new.version, "changes from version \(old.version) back to \(new.version)")
        return log.changes(from: old, to: new)
    }

    /// Returns the records of the commits after one version up to another, in order, with their origins, or `nil` if a record is missing.
    ///
    /// - Complexity: O(changes)
    public func records(from old: Snapshot, to new: Snapshot) -> [ChangeRecord]? { log.records(from: old, to: new) }

    /// Keeps the records of this process's following commits in memory (a few hundred, up to one MiB), so that they don't have to be read from the
    /// file. The first request for changes has the same effect.
    public func keepRecords() { _ = log }

    private var log: ChangeLog {
        state.withLock { state in
            if let log = state.log { return log }
            let log = ChangeLog(database)
            state.log = log
            return log
        }
    }

    // MARK: Observation

    /// An observation that ends when it is cancelled or deallocated.
    public final class Observation: Sendable {
        private let held: Mutex<(any Sendable)?>

        fileprivate init(_ held: any Sendable) { self.held = Mutex(held) }

        /// Ends the observation. A call that is in progress may still arrive.
        public func cancel() {
            let gone = held.withLock { held in
                defer { held = nil }
                return held
            }
            withExtendedLifetime(gone) {}
        }
    }

    /// Reports each commit of this process, on the thread that commits, before the next writer begins.
    ///
    /// - Parameter body: receives the new version and the changes of the commit. It must be quick and must not write.
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

    /// Reports new versions of all processes, without polling. Several versions may be reported as one.
    ///
    /// - Parameter body: receives the number of the newest version, each number at most once. It must be quick and must not write. It may be called
    ///   on any thread, and on two threads at once, so an older number may arrive last.
    /// - Throws: `.io` if the system can't provide another file watch.
    public func observe(_ body: @escaping @Sendable (UInt64) -> Void) throws(EngineError) -> Observation {
        Observation(try CommitWatch(database, body))
    }

    // MARK: Waiting

    /// Returns the newest version when it is newer than the given one, which may be the case already.
    ///
    /// - Throws: `CancellationError` if the task is cancelled; `EngineError` like `Database.snapshot()`, and `.io` if the system can't provide
    ///   another file watch.
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

    /// The changes from one version to a later one.
    public struct Update: Sendable {
        public let old: Snapshot
        public let new: Snapshot
        public let changes: VersionChanges
        /// The origins of the commits between the two versions, in order, or `nil` if their records are missing.
        public let origins: [CommitOrigin]?
    }

    /// Returns the changes after a version, as they are committed. A slow consumer receives several commits as one update, so updates don't
    /// accumulate. The sequence holds one version, whose pages the file can't reuse meanwhile.
    ///
    /// Its iterator throws errors like ``snapshot(after:)``, and then continues after the last update that it returned.
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

/// The tasks that wait for a version.
private final class Waiting: Sendable {
    private struct State {
        var newest: UInt64 = 0
        var lastID = 0
        var tasks: [Int: (version: UInt64, continuation: CheckedContinuation<Void, any Error>)] = [:]
        /// The tasks that were cancelled before they waited.
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    /// Waits until a newer version has been reported.
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
