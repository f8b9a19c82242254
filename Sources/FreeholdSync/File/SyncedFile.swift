import Dispatch
public import FreeholdEngine
public import FreeholdSyncCore
import Synchronization

/// A synced Freehold file as the store of a session.
///
///     let file = SyncedFile(try FileClientStore(database))
///     let session = SyncSession(configuration, store: file, transport: client.transport(to: endpoint, user: "ann"))
///
/// The session hears of commits to the file, whichever process makes them. A queue of its own does the session's transactions, so
/// that none blocks a task. Any thread may use it.
public final class SyncedFile: SessionStore, @unchecked Sendable {
    // The store is touched on the queue only.
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
        // Without a watch commits of other processes are seen with the next one of this process, and when the session connects.
        let feed = ChangeFeed(database)
        let watch = try? feed.observe { version in if !own.contains(version) { wake() } }
        observation.withLock {
            $0 = watch ?? feed.observeCommits { snapshot, _ in if !own.contains(snapshot.version) { wake() } }
        }
    }

    /// Writes down what people may want to know. It is no loss where the file can't be written.
    func keep(_ error: KeptError) {
        queue.async { try? FileNotes.write(error, FileNotes.error, self.database) }
    }

    /// Works on the store between two transactions of the session.
    ///
    /// - Complexity: waits for the transaction that is under way.
    public func withStore<Result: Sendable>(_ body: (inout FileClientStore) throws -> Result) rethrows -> Result {
        try queue.sync { try body(&store) }
    }
}

/// The versions that the session itself is making, of which it needn't hear.
final class OwnCommits: Sendable {
    private let version = Mutex<UInt64>(0)

    func contains(_ version: UInt64) -> Bool { self.version.withLock { $0 == version } }
    func expect(_ version: UInt64) { self.version.withLock { $0 = version } }
}
