internal import Synchronization

/// Tells of new versions of a database, whoever commits them.
///
/// Commits of this process are told on the committing thread, before the next writer begins; those of other processes on a
/// thread that sleeps until the file is written to, so that nothing is polled. That one may also be the first to see a commit
/// of this process. A process that is killed leaves nothing behind that could be missed: what counts is the file. Several
/// versions may be told as one.
final class CommitWatch: Sendable {
    private let database: Database
    private let observer: Int
    private let file: FileWatch.Registration?

    /// - Parameter body: gets the number of the newest version, which can be read; each at most once. It must be quick, must
    ///   not write, and may be called on any thread, also on two at once, so that an older number can come last. `deinit`
    ///   waits for a call about another process's commit, unless it is made by it; one about a commit of this process
    ///   that is under way can still come.
    /// - Throws: `.io` where the system has no more file watches to give.
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
                    // Somebody will let go of a reader's slot.
                    return error.code != .readersFull
                }
            }
        } catch {
            database.removeCommitObserver(observer)
            throw error
        }
        // What was committed while the watches were being set up.
        if let version = try? core.readableVersion(after: told.version), told.advance(to: version) { body(version) }
    }

    deinit {
        database.removeCommitObserver(observer)
        file?.cancel()
    }

    /// The newest version that was told.
    private final class Told: Sendable {
        private let newest: Mutex<UInt64>

        init(_ version: UInt64) { newest = Mutex(version) }

        var version: UInt64 { newest.withLock { $0 } }

        /// Returns whether it is new.
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
    /// Returns the newest version that a reader gets, if there may be a newer one than that: while another process commits, the file's newest version
    /// can be one that isn't there yet.
    fileprivate func readableVersion(after version: UInt64) throws(EngineError) -> UInt64? {
        guard storage.lastVersion > version else { return nil }
        return try storage.beginRead().version
    }
}

extension Database {
    /// A Boolean value that indicates whether other processes can commit to it.
    package var isSharedWithProcesses: Bool {
        !core.storage.options.inMemory && !core.storage.options.immutable
    }
}
