internal import Synchronization

/// A watch that reports new versions of a database, whichever process commits them.
///
/// Commits of this process are reported on the committing thread, before the next writer begins. Commits of other processes are reported on a thread
/// that sleeps until the file is written, so polling isn't necessary. That thread may also be the first to report a commit of this process. A killed
/// process can't cause a missed report, because only the content of the file counts. Several versions may be reported as one.
final class CommitWatch: Sendable {
    private let database: Database
    private let observer: Int
    private let file: FileWatch.Registration?

    /// - Parameter body: receives the number of the newest version, which can be read. Each number is reported at most once. It must be quick and
    ///   must not write. It may be called on any thread, and on two threads at once, so an older number may arrive last. `deinit` waits for a call
    ///   about a commit of another process, unless the call itself causes it. A call about a commit of this process that is in progress can still
    ///   arrive.
    /// - Throws: `.io` if the system can't provide another file watch.
    init(_ database: Database, _ body: @escaping @Sendable (UInt64) -> Void) throws(EngineError) {
        self.database = database
        let told = Told(database.lastVersion)
        observer = database.addCommitObserver { snapshot, _ in
            if told.advance(to: snapshot.version) { body(snapshot.version) }
        }
        let core = database.core
        guard database.isSharedWithProcesses else {
            file = nil
            return
        }
        do throws(EngineError) {
            file = try FileWatch.shared.add(core.path) { [weak core] in
                guard let core else { return true }
                do throws(EngineError) {
                    guard let version = try core.readableVersion(after: told.version) else { return true }
                    if told.advance(to: version) { body(version) }
                    return version >= core.storage.lastVersion
                } catch {
                    // A reader slot will become available.
                    return error.code != .readersFull
                }
            }
        } catch {
            database.removeCommitObserver(observer)
            throw error
        }
        // Reports a commit that was made while the watches were being set up.
        if let version = try? core.readableVersion(after: told.version), told.advance(to: version) { body(version) }
    }

    deinit {
        database.removeCommitObserver(observer)
        file?.cancel()
    }

    /// The newest version that was reported.
    private final class Told: Sendable {
        private let newest: Mutex<UInt64>

        init(_ version: UInt64) { newest = Mutex(version) }

        var version: UInt64 { newest.withLock { $0 } }

        /// Returns whether the version is newer than the last one.
        func advance(to version: UInt64) -> Bool {
            newest.withLock { newest in
                guard version > newest else { return false }
                newest = version
                return true
            }
        }
    }
}

extension DatabaseCore {
    /// Returns the newest version that readers can open, if there may be a version newer than the given one. While another process commits, the
    /// file's newest version may not be readable yet.
    fileprivate func readableVersion(after version: UInt64) throws(EngineError) -> UInt64? {
        guard storage.lastVersion > version else { return nil }
        return try storage.beginRead().version
    }
}

extension Database {
    /// A Boolean value that indicates whether other processes can commit to the database.
    package var isSharedWithProcesses: Bool {
        !core.storage.options.inMemory && !core.storage.options.immutable
    }
}
