#if PostgreSQL
    internal import FreeholdServerStore
    public import FreeholdSyncCore
    internal import Synchronization

    /// A server's store in PostgreSQL.
    ///
    /// ```swift
    /// let store = try await PostgresStore.open(PostgresStore.Options(address: "postgresql://freehold@db.example/freehold"))
    /// store.perform(request) { answer in … }
    /// ```
    /// Several servers may use one database. A commit is stored only if the head of the stream is still the head on which the commit was merged. The
    /// durability of a commit depends on the settings of the database (`fsync`, `synchronous_commit`).
    ///
    /// If the connection ends before the answer to a commit, the outcome is reported as unknown (`.uncertain`).
    ///
    /// Any thread may use it. Requests that write one stream are executed in their order, and reads after the writes that were requested before them.
    public final class PostgresStore: Sendable {
        public struct Options: Sendable {
            /// A URI, or keywords and values, in the form of all programs that use libpq. It may name several hosts, a service or a file of
            /// passwords.
            public var address: String
            /// The schema for the tables. It is created if it doesn't exist.
            public var schema = "freehold"
            /// The name of the server, which the database shows for its connections.
            public var name = "freehold"
            /// The compression of the log. It has to be the same whenever the store is opened.
            public var compression: (any MessageCompression)?
            /// The mark of the secret of the server's folder. All servers of a database must have the same mark. If `nil`, it isn't compared.
            public var secretMark: [UInt8]?
            /// The marks that earlier versions of the server computed for the same secrets.
            public var earlierSecretMarks: [[UInt8]] = []
            /// A Boolean value that indicates whether the database may be one that was restored from a backup: see `wasRestored()`.
            public var isRestored = false
            /// The number of connections for writing.
            public var writers = 4
            /// The number of connections for reading.
            public var readers = 4
            /// The maximum time that the store waits for an answer, in milliseconds. The connection is closed after that.
            public var patience = 10_000
            /// The time after which connections are replaced, in milliseconds.
            public var mostAge = 300_000
            /// The time for which notes about files are collected, in milliseconds.
            public var noteDelay = 100
            /// The maximum number of bytes of one answer.
            public var mostAnswerBytes = 256 << 20
            /// The maximum number of bytes of a stream's log after trimming. The age of the entries is another limit.
            public var logBytes: UInt64 = 1 << 30
            /// The minimum number of elements of a long list: see `StoredImages`.
            var longList = MergedObject.longList

            /// - Parameter address: See `address`.
            public init(address: String) { self.address = address }
        }

        let pool: PostgresPool
        let options: Options
        /// The epoch of new streams.
        public let epoch: UInt64
        let turns = StreamTurns()
        let past = PastImages()
        let heads = HeadReads()
        let doubts = StreamDoubts()
        let notes: FileNotes
        let creations = FileCreations()
        private let streams = Mutex<[StreamName: Int64]>([:])
        let sqlStates = Mutex<[Int64: SQLState]>([:])
        /// The random number that identifies this process in claims.
        let owner = Int64.random(in: 1 ... .max)
        /// The maximum number of streams whose numbers are kept in memory.
        static let mostStreams = 100_000

        private init(_ options: Options, epoch: UInt64) {
            (self.options, self.epoch) = (options, epoch)
            notes = FileNotes(delay: options.noteDelay)
            pool = PostgresPool(PostgresPool.Configuration(options))
            pool.watchFormat()
        }

        /// Connects to a database, and creates or changes its tables if that is needed.
        ///
        /// - Throws: `PostgresStoreError` if the database can't be reached, if its tables are those of a later version, or if it belongs to servers
        ///   with another secret.
        public static func open(_ options: Options) async throws(PostgresStoreError) -> PostgresStore {
            PostgresStore(options, epoch: try await Migration.prepared(options))
        }

        /// Ends all connections. Later requests fail.
        public func close() { pool.close() }

        // MARK: Requests

        /// Executes a request, and reports the result on any thread. It doesn't block.
        public func perform(_ request: ServerStoreRequest, _ answer: @escaping @Sendable (ServerStoreAnswer) -> Void) {
            if case .noteFile(let ident, let acknowledged, let leastBase, let time) = request.kind {
                // Other requests of the stream don't wait for a note, except those that read notes (`readsNotes`).
                let note = FileNotes.Note(
                    stream: request.stream,
                    ident: ident,
                    acknowledged: acknowledged,
                    leastBase: leastBase,
                    time: time,
                    answer: answer
                )
                return notes.add(note) { await self.write($0) }
            }
            if case .makeFile(let user, let secret, let parents, let clock) = request.kind {
                let creation = FileCreations.Creation(
                    user: user,
                    secret: secret,
                    parents: parents,
                    clock: clock,
                    answer: answer
                )
                if creations.add(creation, to: request.stream) { createFiles(of: request.stream) }
                return
            }
            let isWrite = request.kind.isWrite
            turns.add(request.stream, isWrite: isWrite) {
                Task {
                    if request.kind.readsNotes { await self.notes.settle(request.stream) { await self.write($0) } }
                    answer(await self.confirmed(request, isWrite: isWrite))
                    self.turns.end(request.stream, isWrite: isWrite)
                }
            }
        }

        /// Executes a request. If the stream has a commit with an unknown outcome, the answer to a read is reported only after another write was
        /// confirmed: see `StreamDoubts`.
        private func confirmed(_ request: ServerStoreRequest, isWrite: Bool) async -> ServerStoreAnswer {
            let answer = await answer(request, isWrite: isWrite)
            guard let stream = streams.withLock({ $0[request.stream] }) else { return answer }
            if case .commit(let commit) = request.kind {
                doubts.note(answer, of: stream, expected: commit.expected.cursor)
                return answer
            }
            guard !isWrite, !answer.isFailure, doubts.contains(stream) else { return answer }
            do {
                _ = try await pool.run(.writing, .barrier, [])
            } catch {
                return .failed(.unavailable(SyncString("PostgreSQL: A write wasn't confirmed: \(error.description)")))
            }
            if let head = answer.reportedHead { doubts.settle(stream, at: head) }
            return answer
        }

        private func answer(_ request: ServerStoreRequest, isWrite: Bool) async -> ServerStoreAnswer {
            await answer(about: request.stream, isWrite: isWrite) {
                guard let stream = try await stream(request.stream, making: request.kind.makesStream) else {
                    var empty = MemoryServerStore(epoch: epoch)
                    return empty.perform(request)
                }
                return try await perform(request, on: stream)
            }
        }

        /// Returns the answer of a closure, or the failure for the error that it throws.
        func answer(
            about name: StreamName,
            isWrite: Bool,
            _ body: () async throws -> ServerStoreAnswer
        ) async -> ServerStoreAnswer {
            do { return try await body() } catch let failure as PostgresFailure {
                return .failed(failure.storeFailure(isWrite: isWrite))
            } catch let failure as StoreFailure {
                return .failed(failure)
            } catch is MissingStream {
                // The database has lost the stream, for example in a failover. The number of the stream is read again at the next request.
                forget(name)
                return .failed(.unavailable("The stream isn't in the database any more."))
            } catch let limit as RowLimit {
                return .failed(.limit(SyncString(limit.description)))
            } catch { return .failed(.damaged(SyncString("\(error)"))) }
        }

        /// An error that is thrown if the head of a stream is missing.
        struct MissingStream: Error {}

        /// Returns the number of a stream. Returns `nil` if the stream doesn't exist.
        func stream(_ name: StreamName, making isMaking: Bool) async throws -> Int64? {
            if let known = streams.withLock({ $0[name] }) { return known }
            let parameters: [Parameter] = [.text(name.app), .bytes(name.bytes)]
            func find(_ lane: PostgresPool.Lane) async throws -> Int64? {
                try await pool.run(lane, .findStream, parameters).first?.int(0)
            }
            var found = try await find(.reading)
            if found == nil, isMaking {
                let label = Parameter.text(StreamLabel.text(name))
                _ = try await pool.run(.writing, .makeStream, [.int(.random(in: 1 ... .max))] + parameters + [label])
                found = try await find(.writing)
            }
            if let found {
                streams.withLock { streams in
                    if streams.count >= Self.mostStreams { streams = [:] }
                    streams[name] = found
                }
            }
            return found
        }

        /// Removes the number of a stream from the cache, so that it is read again.
        func forget(_ name: StreamName) { streams.withLock { $0[name] = nil } }

        /// Removes the state of a stream's JSON from the cache, so that it is read again.
        func forgetSQLState(_ stream: Int64) { sqlStates.withLock { $0[stream] = nil } }

        private func perform(_ request: ServerStoreRequest, on stream: Int64) async throws -> ServerStoreAnswer {
            let past = PastKey(name: request.stream, stream: stream)
            switch request.kind {
            case .bind(let query): return .bind(try await bind(query, stream))
            case .openWriter(let secret): return try await openWriter(secret, stream)
            case .trimWriters(let secret):
                try await trimWriters(keeping: secret, stream)
                return .done
            // `perform(_:_:)` handles new files and notes.
            case .makeFile, .noteFile: return .done
            case .noteFront(let ident, let bytes):
                try await noteFront(bytes, of: ident, in: stream)
                return .done
            case .noteQueries(let ident, let queries, let isComplete):
                try await note(queries, of: ident, isComplete: isComplete, in: stream)
                return .done
            case .read(let query) where query.isOfHead:
                let answer = try await heads.read(stream, known: query.known, pool)
                var rows = StoreRows(at: answer.head)
                (rows.asked, rows.known) = (query.answers, answer.known)
                return .rows(rows)
            case .read(let query): return .rows(try await rows(query, stream))
            case .commit(let commit): return try await self.commit(commit, stream)
            case .stage(let ident, let part): return try await stage(part, of: ident, in: stream)
            case .parts(let name): return .parts(try await parts(name, stream))
            case .dropParts(let name):
                _ = try await pool.run(.writing, .dropParts, [.int(stream), .ident(name.ident), .word(name.commit)])
                return .done
            case .keepPart(let ident, let part, let time): return try await keep(part, of: ident, at: time, in: stream)
            case .keptParts(let ident): return .keptParts(try await keptBytes(ident, stream))
            case .trimParts(let time):
                _ = try await pool.run(.writing, .dropOldIncoming, [.int(stream), .int(time)])
                _ = try await pool.run(.writing, .dropUnboundParts, [.int(stream), .int(time)])
                return .done
            case .trimFiles(let unused, let idle):
                _ = try await pool.run(.writing, .trimFiles, [.int(stream), .int(unused), .int(idle)])
                return .done
            case .step(let cursor, let count, let end):
                return .step(try await step(after: cursor, objects: count, through: end, past))
            case .page(let name, let key, let version, let count):
                return .page(try await page(of: name, after: key, at: version, objects: count, past))
            case .keys(let keys, let name, let version):
                return .page(try await page(of: name, keys: keys, at: version, past))
            case .objects(let names, let version): return .objects(try await objects(names, at: version, past))
            case .trim(let log, let horizon): return .head(try await trim(log: log, horizon: horizon, stream))
            }
        }
    }

    /// The reason why a database can't be used.
    public struct PostgresStoreError: Error, CustomStringConvertible {
        public let description: String

        init(_ description: String) { self.description = description }
    }

    extension ServerStoreRequest.Kind {
        fileprivate var isWrite: Bool {
            switch self {
            case .makeFile, .openWriter, .noteFile, .noteQueries, .noteFront, .commit, .stage, .dropParts, .keepPart,
                .trimParts,
                .trimFiles, .trimWriters, .trim:
                true
            case .bind, .read, .parts, .keptParts, .step, .page, .keys, .objects: false
            }
        }

        /// A Boolean value that indicates whether the request creates a stream that doesn't exist yet.
        fileprivate var makesStream: Bool {
            switch self {
            case .makeFile, .openWriter, .commit, .stage, .keepPart: true
            default: false
            }
        }
    }
#endif
