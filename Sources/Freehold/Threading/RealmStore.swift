import FreeholdEngine
import Synchronization

extension Realm {
    /// A file that is kept open for the tasks of a server.
    ///
    /// ```swift
    /// let store = try await Realm.Store(configuration)
    /// let id = try await store.write { realm in realm.create(User.self, value: document)._id }
    /// let names = try await store.read(timeout: .seconds(2)) { realm in realm.objects(User.self).map(\.name) as [String] }
    /// await store.close()
    /// ```
    /// Any thread and any task may use it. ``Realm/read(_:timeout:_:)`` and `Realm.write` do the same for single calls; the
    /// store saves them the configuration, and opening the file, comparing its schema and closing it each time. It holds no
    /// version of the file, so old pages are used again.
    ///
    /// **Reads** run at once, side by side, each on the newest version. **Writes** run one after the other, in the order of
    /// the calls, first come, first served, also among other threads and tasks of the process. Those that wait hold no
    /// thread.
    ///
    /// **Shutdown.** ``close()`` lets what was called end, and refuses what comes after it. A program that goes without
    /// calling it loses nothing: each write that has returned is on the disk.
    public final class Store: Sendable {
        /// What the file was opened with.
        public let configuration: Configuration
        private let state: Mutex<StoreState>

        /// Opens the file, and makes or migrates it where that is needed, on a thread of the library.
        ///
        /// - Throws: `Realm.Error`; `CancellationError` if the task was cancelled.
        public init(_ configuration: Configuration = .defaultConfiguration) async throws {
            self.configuration = configuration
            state = Mutex(StoreState(try await FileAccess(configuration, timeout: nil).open()))
        }

        /// Runs the block with a realm of the newest version: see ``Realm/read(_:timeout:_:)``.
        ///
        /// - Throws: ``Realm/Error/Code/databaseClosed`` after ``close()``; else as there.
        public func read<R: Sendable>(
            timeout: Duration? = nil,
            _ body: @escaping @Sendable (Realm) throws -> R
        ) async throws -> R {
            try await whileOpen { _ in try await FileAccess(configuration, timeout: timeout).read(body) }
        }

        /// Runs the block in a write transaction: see ``Realm/write(_:timeout:_:)-(_,_,(Realm)->R)``.
        ///
        /// - Throws: ``Realm/Error/Code/databaseClosed`` after ``close()``; else as there.
        @discardableResult
        public func write<R: Sendable>(
            timeout: Duration? = nil,
            _ body: @escaping @Sendable (Realm) throws -> R
        ) async throws -> R {
            try await whileOpen { try await FileAccess(configuration, timeout: timeout).write(to: $0, body) }
        }

        /// The same for a block whose result nobody takes.
        public func write(
            timeout: Duration? = nil,
            _ body: @escaping @Sendable (Realm) throws -> Void
        ) async throws {
            try await whileOpen { try await FileAccess(configuration, timeout: timeout).write(to: $0, body) }
        }

        /// The changes of a collection, whose elements are frozen: see ``Realm/changes(_:keyPaths:of:)``.
        ///
        /// An iteration keeps the file open by itself, until its task is cancelled. ``close()`` doesn't end it.
        ///
        /// - Throws: ``Realm/Error/Code/databaseClosed`` after ``close()``; else as there.
        public func changes<C: RealmCollection>(
            keyPaths: [String]? = nil,
            of collection: @escaping @Sendable (Realm) throws -> C
        ) async throws -> RealmChanges<RealmCollectionChange<C>> {
            try await whileOpen { _ in
                try await Realm.changes(configuration, keyPaths: keyPaths, of: collection)
            }
        }

        /// Closes the file when the reads and writes that were called before have ended. Calls that come later throw.
        ///
        /// The file itself closes when nothing else of the process has it open: no other store, no realm, no frozen object.
        /// Several calls wait for the same end. A task that is cancelled meanwhile waits on: cancel the tasks that read and
        /// write to be quicker.
        public func close() async {
            await withCheckedContinuation { continuation in
                let ended = state.withLock { state in
                    state.isClosed = true
                    state.closing.append(continuation)
                    return state.end()
                }
                ended.finish()
            }
        }

        /// Whether ``close()`` was called.
        public var isClosed: Bool { state.withLock { $0.isClosed } }

        /// Waits until the task is cancelled, or the store closed, and closes the store: for groups of services.
        public func run() async throws {
            let (closed, end) = AsyncStream<Never>.makeStream()
            let isClosed = state.withLock { state in
                if !state.isClosed { state.runs.append(end) }
                return state.isClosed
            }
            if isClosed { end.finish() }
            for await _ in closed {}
            await close()
        }

        /// How large the file is and who uses it, for a status page or gauges.
        ///
        /// - Throws: `Realm.Error`.
        public func statistics() async throws -> Statistics {
            try await whileOpen { file in
                try await ConfinedQueue.readers.run {
                    do throws(EngineError) { return try Statistics(file.database) } catch {
                        throw Realm.Error(error, fileURL: self.configuration.fileURL)
                    }
                }
            }
        }

        /// The state of a file at one moment.
        public struct Statistics: Sendable, Equatable {
            /// The number of the newest version.
            public let version: UInt64
            /// Bytes of the file.
            public let fileBytes: UInt64
            /// Bytes of it that the newest version needs; the rest is used again, or is held by older versions.
            public let usedBytes: UInt64
            /// How many versions there are from the oldest that somebody holds to the newest.
            public let activeVersions: UInt64
            /// How many versions are held, over all processes.
            public let readers: Int
            /// How many writes of this process wait for another one.
            public let waitingWriters: Int

            fileprivate init(_ database: Database) throws(EngineError) {
                let use = try database.fileUse()
                version = database.lastVersion
                fileBytes = use.total
                usedBytes = use.used
                activeVersions = database.activeVersionCount
                readers = database.readers().filter { $0.version > 0 }.count
                waitingWriters = database.waitingWriterCount
            }
        }

        private func whileOpen<R>(_ body: (RealmFile) async throws -> R) async throws -> R {
            try state.withLock { state in
                if state.isClosed {
                    throw Realm.Error(
                        .databaseClosed,
                        "The store was closed. Open a new one.",
                        fileURL: configuration.fileURL
                    )
                }
                state.running += 1
            }
            defer { didEnd() }
            return try await run(body)
        }

        /// Has let go of the file when it returns.
        private func run<R>(_ body: (RealmFile) async throws -> R) async throws -> R { try await body(file!) }

        /// Nil when the store is closed and nothing runs any more.
        private var file: RealmFile? { state.withLock { $0.file } }

        private func didEnd() {
            let ended = state.withLock { state in
                state.running -= 1
                return state.end()
            }
            ended.finish()
        }

        /// How many writes wait for another one; for tests.
        var waitingWriterCount: Int { file?.database.waitingWriterCount ?? 0 }
    }
}

/// What a store is, guarded by its lock.
private struct StoreState {
    var file: RealmFile?
    var isClosed = false
    var running = 0
    var closing: [CheckedContinuation<Void, Never>] = []
    /// Of those that wait in `run` for the store to be closed.
    var runs: [AsyncStream<Never>.Continuation] = []

    init(_ file: RealmFile) { self.file = file }

    /// What is let go of, and who is woken then, outside of the lock.
    struct Ended: ~Copyable {
        var file: RealmFile?
        var closing: [CheckedContinuation<Void, Never>] = []
        var runs: [AsyncStream<Never>.Continuation] = []

        consuming func finish() {
            file = nil
            for run in runs { run.finish() }
            for continuation in closing { continuation.resume() }
        }
    }

    /// To be called after the store was closed, and after each call has ended.
    mutating func end() -> Ended {
        var ended = Ended()
        guard isClosed else { return ended }
        swap(&ended.runs, &runs)
        guard running == 0 else { return ended }
        swap(&ended.file, &file)
        swap(&ended.closing, &closing)
        return ended
    }
}
