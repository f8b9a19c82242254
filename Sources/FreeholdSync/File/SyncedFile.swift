import Dispatch
public import FreeholdEngine
public import FreeholdSyncCore
import Synchronization

/// A synced Freehold file, as the store of a session.
///
///     let file = SyncedFile(try FileClientStore(database))
///     let session = SyncSession(configuration, store: file, transport: client.transport(to: endpoint, user: "ann"))
///
/// The session is notified of commits to the file by all processes. The transactions of the session run on a queue, so
/// that they don't block a task. Any thread may use the file.
public final class SyncedFile: SessionStore, @unchecked Sendable {
    // The store is only used on the queue.
    private let queue = DispatchQueue(label: "freehold.sync.file")
    private var store: FileClientStore
    private var care = StoreCare()
    private let own = OwnCommits()
    private let observation = Mutex<ChangeFeed.Observation?>(nil)

    public let database: Database

    public init(_ store: FileClientStore) {
        database = store.database
        self.store = store
        self.store.own = own
    }

    public func perform(_ request: StoreRequest, now: Int64) async throws -> StoreOutcome {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                var random = SystemRandomNumberGenerator()
                continuation.resume(
                    with: Result { try self.store.perform(request, now: now, random: &random, care: &self.care) }
                )
            }
        }
    }

    public func observeCommits(_ wake: (@Sendable () -> Void)?) {
        guard let wake else { return observation.withLock { $0 = nil } }
        let own = own
        // Without a watch, commits of other processes are noticed at the next commit of this process, and when the
        // session connects.
        let feed = ChangeFeed(database)
        let watch = try? feed.observe { version in if !own.contains(version) { wake() } }
        observation.withLock {
            $0 = watch ?? feed.observeCommits { snapshot, _ in if !own.contains(snapshot.version) { wake() } }
        }
    }

    /// Stores the last error for inspections of the file. A failed write is ignored.
    func keep(_ error: KeptError) {
        queue.async { try? FileNotes.write(error, FileNotes.error, self.database) }
    }

    /// Calls a closure with the store, between two transactions of the session.
    ///
    /// - Complexity: The call waits for the end of a running transaction.
    public func withStore<Result: Sendable>(_ body: (inout FileClientStore) throws -> Result) rethrows -> Result {
        try queue.sync { try body(&store) }
    }
}

/// The version that the session itself commits, so that the session needn't be notified of it.
final class OwnCommits: Sendable {
    private let version = Mutex<UInt64>(0)

    func contains(_ version: UInt64) -> Bool { self.version.withLock { $0 == version } }
    func expect(_ version: UInt64) { self.version.withLock { $0 = version } }
}
