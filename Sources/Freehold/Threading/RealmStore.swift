import FreeholdEngine
import Synchronization

extension Realm {
    /// A handle that keeps a file open for the tasks of a server.
    ///
    /// ```swift
    /// let store = try await Realm.Store(configuration)
    /// let id = try await store.write { realm in realm.create(User.self, value: document)._id }
    /// let names = try await store.read(timeout: .seconds(2)) { realm in realm.objects(User.self).map(\.name) as [String] }
    /// await store.close()
    /// ```
    /// Any thread and any task may use a store. ``Realm/read(_:timeout:_:)`` and `Realm.write` do the same for single
    /// calls. With a store, the calls don't need a configuration, and the file isn't opened, compared with the schema
    /// and closed for each call. A store holds no version of the file, so the space of old versions is reused.
    ///
    /// **Reads** run immediately and concurrently, each on the newest version. **Writes** run one after another in the
    /// order of the calls, also relative to other threads and tasks of the process. Waiting writes block no thread.
    ///
    /// **Shutdown.** ``close()`` waits for the calls that have begun, and refuses later calls. A program that ends
    /// without this call loses no data, because each write that has returned is on the disk.
    public final class Store: Sendable {
        /// The configuration with which the file was opened.
        public let configuration: Configuration
        private let state: Mutex<StoreState>

        /// Opens the file on a thread of the library, and creates or migrates it if necessary.
        ///
        /// - Throws: `Realm.Error`; `CancellationError` if the task was cancelled.
        public init(_ configuration: Configuration = .defaultConfiguration) async throws {
            self.configuration = configuration
            state = Mutex(StoreState(try await FileAccess(configuration, timeout: nil).open()))
        }

        /// Runs the block with a realm at the newest version. See ``Realm/read(_:timeout:_:)``.
        ///
        /// - Throws: ``Realm/Error/Code/databaseClosed`` after ``close()``; otherwise the errors of that method.
        public func read<R: Sendable>(
            timeout: Duration? = nil,
            _ body: @escaping @Sendable (Realm) throws -> R
        ) async throws -> R {
            try await whileOpen { _ in try await FileAccess(configuration, timeout: timeout).read(body) }
        }

        /// Runs the block in a write transaction. See ``Realm/write(_:timeout:_:)-(_,_,(Realm)->R)``.
        ///
        /// - Throws: ``Realm/Error/Code/databaseClosed`` after ``close()``; otherwise the errors of that method.
        @discardableResult
        public func write<R: Sendable>(
            timeout: Duration? = nil,
            _ body: @escaping @Sendable (Realm) throws -> R
        ) async throws -> R {
            try await whileOpen { try await FileAccess(configuration, timeout: timeout).write(to: $0, body) }
        }

        /// Runs the block in a write transaction, and discards its result.
        public func write(
            timeout: Duration? = nil,
            _ body: @escaping @Sendable (Realm) throws -> Void
        ) async throws {
            try await whileOpen { try await FileAccess(configuration, timeout: timeout).write(to: $0, body) }
        }

        /// Returns the changes of a collection with frozen elements. See ``Realm/changes(_:keyPaths:of:)``.
        ///
        /// An iteration itself keeps the file open until its task is cancelled. ``close()`` doesn't end it.
        ///
        /// - Throws: ``Realm/Error/Code/databaseClosed`` after ``close()``; otherwise the errors of that method.
        public func changes<C: RealmCollection>(
            keyPaths: [String]? = nil,
            of collection: @escaping @Sendable (Realm) throws -> C
        ) async throws -> RealmChanges<RealmCollectionChange<C>> {
            try await whileOpen { _ in
                try await Realm.changes(configuration, keyPaths: keyPaths, of: collection)
            }
        }

        /// Waits for the reads and writes that have begun, and closes the file. Later calls throw.
        ///
        /// The file itself is closed when the process has no other store, realm or frozen object of it. Several calls
        /// wait for the same end. A cancelled task continues to wait. To close the store sooner, cancel the tasks that
        /// read and write.
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

        /// A Boolean value that indicates whether ``close()`` was called.
        public var isClosed: Bool { state.withLock { $0.isClosed } }

        /// Waits until the task is cancelled or the store is closed, and closes the store. Use this method in a service
        /// group.
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

        /// Returns the size and the use of the file, for example for a status page or gauges.
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

        /// The state of a file at a point in time.
        public struct Statistics: Sendable, Equatable {
            /// The number of the newest version.
            public let version: UInt64
            /// The size of the file in bytes.
            public let fileBytes: UInt64
            /// The number of bytes that the newest version needs. The remaining bytes are free, or older versions hold
            /// them.
            public let usedBytes: UInt64
            /// The number of versions from the oldest held version to the newest.
            public let activeVersions: UInt64
            /// The number of held versions in all processes.
            public let readers: Int
            /// The number of writes of this process that wait for another write.
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

        /// Runs a body. The method has released its reference to the file when it returns.
        private func run<R>(_ body: (RealmFile) async throws -> R) async throws -> R { try await body(file!) }

        /// The file, or nil after the store was closed and all calls have ended.
        private var file: RealmFile? { state.withLock { $0.file } }

        private func didEnd() {
            let ended = state.withLock { state in
                state.running -= 1
                return state.end()
            }
            ended.finish()
        }

        /// The number of writes that wait for another write, for tests.
        var waitingWriterCount: Int { file?.database.waitingWriterCount ?? 0 }
    }
}

/// The state of a store, protected by its lock.
private struct StoreState {
    var file: RealmFile?
    var isClosed = false
    var running = 0
    var closing: [CheckedContinuation<Void, Never>] = []
    /// The continuations of `run` calls that wait until the store is closed.
    var runs: [AsyncStream<Never>.Continuation] = []

    init(_ file: RealmFile) { self.file = file }

    /// The objects to release and the tasks to resume after the lock is released.
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

    /// Returns the resources that a closed store can release now. Call this method after the store was closed, and
    /// after the end of each call.
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
