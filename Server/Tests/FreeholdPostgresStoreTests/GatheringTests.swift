#if PostgreSQL
    import PostgresProcess
    import Synchronization
    import Testing

    @testable import FreeholdPostgresStore
    @testable import FreeholdSyncCore

    /// Requests that the store executes together.
    @Suite(.needsPostgres) struct GatheringTests {
        private static func stream(_ number: Int) -> StreamName {
            StreamName(app: "gathering", value: .int(Int64(number)))
        }

        /// Makes requests at the same time, and waits for their answers.
        private static func answers(
            _ store: PostgresStore,
            _ requests: [ServerStoreRequest]
        ) async -> [ServerStoreAnswer] {
            await withTaskGroup(of: (Int, ServerStoreAnswer).self) { group in
                for (index, request) in requests.enumerated() {
                    group.addTask {
                        await withCheckedContinuation { continuation in
                            store.perform(request) { continuation.resume(returning: (index, $0)) }
                        }
                    }
                }
                var answers = [ServerStoreAnswer](repeating: .failed(.unknown), count: requests.count)
                for await (index, answer) in group { answers[index] = answer }
                return answers
            }
        }

        @Test func `The heads of many streams are read by few statements`() async throws {
            let store = try await PostgresStore.opened()
            defer { store.remove() }
            let count = 200
            var writers: [StoreWriter] = []
            for number in 0..<count {
                writers.append(
                    try await onThread {
                        var writer = try StoreWriter(store, Self.stream(number))
                        if number % 20 == 0 { for _ in 0...number / 20 { try writer.commit(store) } }
                        return writer
                    }
                )
            }
            let before = store.pool.jobs
            let reads = (0..<count).map { number in
                var query = RowQuery()
                if number % 3 > 0 { query.known = UInt64(number % 3) }
                return ServerStoreRequest(Self.stream(number), .read(query))
            }
            let answers = await Self.answers(store, reads)
            #expect(store.pool.jobs - before <= count / 4, "\(store.pool.jobs - before)")
            for (number, answer) in answers.enumerated() {
                guard case .rows(let rows) = answer else {
                    Issue.record("\(answer)")
                    continue
                }
                #expect(rows.head.version == writers[number].last && rows.head.epoch == store.epoch)
                let known = number % 3 > 0 ? UInt64(number % 3) : nil
                #expect((rows.known != nil) == (known.map { $0 <= writers[number].last } ?? false), "\(number)")
            }
            // A stream that doesn't exist is empty.
            let other = await Self.answers(store, [ServerStoreRequest(Self.stream(count), .read(RowQuery()))])
            guard case .rows(let rows)? = other.first else { throw PostgresServer.Failure(description: "\(other)") }
            #expect(rows.head.version == 0)
        }

        @Test func `New files of a stream are created by few statements, each with its own number`() async throws {
            let store = try await PostgresStore.opened()
            defer { store.remove() }
            func row(_ number: Int) -> FileRow {
                let parents = number % 3 == 0 ? [FileParent(ident: FileIdent(rawValue: 7), version: 5)] : []
                let secret = SecretHash(FileSecret(high: UInt64(number), low: 1))
                var row = FileRow(.me, user: SyncString("user \(number)"), secret: secret, parents: parents)
                row.clock = Clock(milliseconds: Int64(number))
                return row
            }
            let count = 1_200
            let requests = (0..<count).map { number in
                let row = row(number)
                return ServerStoreRequest(
                    Self.stream(number % 2),
                    .makeFile(user: row.user, secret: row.secret, parents: row.parents, clock: row.clock)
                )
            }
            let answers = await Self.answers(store, requests)
            #expect(store.pool.jobs <= count / 4, "\(store.pool.jobs)")
            var idents: [StreamName: Set<FileIdent>] = [:]
            for (number, answer) in answers.enumerated() {
                guard case .file(let made) = answer else {
                    Issue.record("\(answer)")
                    continue
                }
                let wanted = row(number)
                #expect(made.user == wanted.user && made.secret == wanted.secret && made.clock == wanted.clock)
                #expect(made.parents == wanted.parents)
                idents[Self.stream(number % 2), default: []].insert(made.ident)
                // The database has the same row.
                guard number % 50 == 0 else { continue }
                var query = RowQuery()
                query.files = [made.ident]
                let read = await Self.answers(store, [ServerStoreRequest(Self.stream(number % 2), .read(query))])
                guard case .rows(let rows)? = read.first else { throw PostgresServer.Failure(description: "\(read)") }
                #expect(rows.files[made.ident] == made)
            }
            // The numbers have no gaps.
            for number in 0..<2 {
                #expect(idents[Self.stream(number)] == Set((1...600).map { FileIdent(rawValue: $0) }))
            }
        }

        @Test func `Files that have no number left are refused, and the others are created`() async throws {
            let store = try await PostgresStore.opened()
            defer { store.remove() }
            let make = ServerStoreRequest(
                Self.stream(0),
                .makeFile(user: "ann", secret: SecretHash(FileSecret(high: 1, low: 1)), parents: [], clock: .zero)
            )
            _ = await Self.answers(store, [make])
            let schema = store.options.schema
            try PostgresServer.shared?.sql("UPDATE \"\(schema)\".stream SET last_ident = 4294967290")
            let answers = await Self.answers(store, [ServerStoreRequest](repeating: make, count: 20))
            let made = answers.compactMap { if case .file(let row) = $0 { row.ident.rawValue } else { nil } }
            #expect(made.sorted() == Array(4_294_967_291...4_294_967_295))
            #expect(answers.count { if case .failed(.unavailable) = $0 { true } else { false } } == 15)
        }

        @Test func `Notes about files are gathered, and seen by the next bind`() async throws {
            let store = try await PostgresStore.opened { $0.noteDelay = 60_000 }
            defer { store.remove() }
            let writers = try await onThread { try (0..<20).map { try StoreWriter(store, Self.stream($0 % 4)) } }
            let before = store.pool.jobs
            let noted = Atomic(0)
            for round in 1...3 as ClosedRange<UInt64> {
                for writer in writers {
                    let kind = ServerStoreRequest.Kind.noteFile(
                        writer.ident,
                        acknowledged: 0,
                        leastBase: round + UInt64(writer.ident.rawValue),
                        time: Int64(round)
                    )
                    store.perform(ServerStoreRequest(writer.stream, kind)) { answer in
                        if case .done = answer { noted.add(1, ordering: .relaxed) }
                    }
                }
            }
            // The bind doesn't wait for the time that notes are gathered for.
            for writer in writers {
                let query = FileQuery(ident: writer.ident, acknowledged: 0)
                let answers = await Self.answers(store, [ServerStoreRequest(writer.stream, .bind(query))])
                guard case .bind(let answer)? = answers.first else {
                    throw PostgresServer.Failure(description: "\(answers)")
                }
                #expect(answer.file?.leastBase == 3 + UInt64(writer.ident.rawValue) && answer.file?.time == 3)
            }
            #expect(noted.load(ordering: .relaxed) == 60)
            #expect(store.pool.jobs - before <= writers.count + 4, "\(store.pool.jobs - before)")
        }
    }
#endif
