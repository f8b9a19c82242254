#if PostgreSQL
    import FreeholdBSON
    import FreeholdPostgresStore
    import FreeholdServer
    import FreeholdServerStore
    import FreeholdSyncCore

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// The documents of a server in PostgreSQL, for commands.
    struct PostgresDocuments: Documents {
        let store: PostgresStore

        func uses(unreadable: (String, any Error) -> Void) async throws -> [StreamFileUse] {
            try await store.streamUses()
        }
        func exists(_ stream: StreamName) async throws -> Bool { try await store.exists(stream) }
        func forEachDocument(
            of stream: StreamName,
            className: SyncString?,
            _ body: (SyncString, BSONDocument) throws -> Void
        ) async throws { try await store.forEachDocument(of: stream, className: className, body) }
        func verify(_ stream: StreamName) async throws -> [String] { try await store.verify(stream) }
        /// Returns an empty array, because this store never accepts long keys.
        func longKeys(of stream: StreamName) -> [LongKey] { [] }
        func perform(_ request: ServerStoreRequest) -> ServerStoreAnswer {
            Waiting.wait { done in store.perform(request, done) }
        }
    }

    /// The store of a node in PostgreSQL.
    struct PostgresNodeStore: NodeStore {
        let store: PostgresStore

        func perform(_ request: ServerStoreRequest, _ answer: @escaping @Sendable (ServerStoreAnswer) -> Void) {
            store.perform(request, answer)
        }

        var ingest: (any IngestStore)? { PostgresIngestStore(store: store) }
        var sql: (any SQLStore)? { store }
        func databaseFigures() async throws -> DatabaseFigures? { try await store.figures() }
    }

    /// Objects of asymmetric classes in PostgreSQL. Its methods block.
    private struct PostgresIngestStore: IngestStore {
        let store: PostgresStore

        var isShared: Bool { true }
        func streams(unreadable: (String, any Error) -> Void) throws -> [StreamName] {
            try Waiting.wait { try await store.streams() }
        }
        func exists(_ stream: StreamName) throws -> Bool { try Waiting.wait { try await store.exists(stream) } }
        func abandoned() throws -> [(stream: StreamName, className: SyncString)] {
            try Waiting.wait { try await store.abandonedLanes() }
        }
        func source(of stream: StreamName, className: SyncString) -> any IngestSource {
            PostgresIngestSource(store: store, stream: stream, className: className)
        }
        func ledger(of stream: StreamName, className: SyncString, file: String) throws -> any IngestLedger {
            guard let lane = try Waiting.wait({ try await store.claim(stream, className: className) }) else {
                throw IngestFailure("Another server delivers the objects of \(className).", code: EWOULDBLOCK)
            }
            return PostgresIngestLedger(lane)
        }
    }

    private struct PostgresIngestSource: IngestSource {
        let store: PostgresStore
        let stream: StreamName
        let className: SyncString

        func page(
            after position: IngestPosition,
            upTo end: IngestPosition?,
            count: Int,
            bytes: Int
        ) throws -> IngestedPage {
            let page = try Waiting.wait {
                try await store.ingested(
                    of: stream,
                    className: className,
                    after: position,
                    upTo: end,
                    count: count,
                    bytes: bytes
                )
            }
            return page ?? .empty(at: position)
        }

        func count(after position: IngestPosition) throws -> Int {
            try Waiting.wait { try await store.ingestedCount(of: stream, className: className, after: position) }
        }

        func hash(at version: StreamVersion) throws -> RunningHash? {
            try Waiting.wait { try await store.hash(of: stream, at: version) }
        }

        func remove(upTo position: IngestPosition) throws {
            try Waiting.wait { try await store.removeIngested(of: stream, className: className, upTo: position) }
        }
    }

    /// The position of the delivery to a sink, stored in PostgreSQL. The object holds its claim until it is closed.
    private final class PostgresIngestLedger: IngestLedger {
        private let lane: PostgresStore.Lane
        private let keeping: Task<Void, Never>
        private(set) var document: BSONDocument

        init(_ lane: PostgresStore.Lane) {
            (self.lane, document) = (lane, lane.record)
            keeping = Task {
                while (try? await Task.sleep(for: .milliseconds(PostgresStore.laneTouchTime))) != nil {
                    // If the claim was lost, the next write detects it.
                    _ = try? await lane.touch()
                }
            }
        }

        deinit { keeping.cancel() }

        func write(_ document: BSONDocument) throws {
            let lane = lane
            guard try Waiting.wait({ try await lane.write(document) }) else {
                throw IngestFailure("Another server has taken over the delivery.", code: EWOULDBLOCK)
            }
            self.document = document
        }

        func close() {
            keeping.cancel()
            let lane = lane
            _ = try? Waiting.wait { await lane.release() }
        }
    }
#endif
