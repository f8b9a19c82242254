#if PostgreSQL
    import Foundation
    import PostgresProcess
    import Testing

    @testable import FreeholdPostgresStore
    @testable import FreeholdSyncCore
    @testable import TestRandom

    /// A database that fails: no commit is lost, and none is done twice.
    @Suite(.needsPostgres) struct FaultTests {
        private static let stream = StreamName(app: "faults")

        @Test func `A connection that is cut at any byte of a commit leaves it done once`() async throws {
            let proxy = try ByteProxy(to: #require(PostgresServer.shared).port)
            defer { proxy.close() }
            let address = try #require(PostgresServer.shared).address(port: proxy.port)
            let store = try await PostgresStore.opened(address: address)
            defer { store.remove() }
            try await onThread {
                var random = SeededRandom(test: "FaultTests, cuts")
                var writer = try StoreWriter(store, Self.stream)
                for _ in 0..<2 { try writer.commit(store) }
                // The statement is prepared: this is how long it and its answer are.
                _ = writer.attempt(store) { proxy.arm() }
                let counts = proxy.counts
                #expect(counts.up > 500 && counts.down > 20)
                var outcomes: [String: Int] = [:]
                func cut(_ arm: () -> Void) throws {
                    try writer.commit(store)
                    let answer = writer.attempt(store, beforeCommit: arm)
                    proxy.arm()
                    switch answer {
                    case .done: outcomes["done", default: 0] += 1
                    case .failed(.uncertain): outcomes["uncertain", default: 0] += 1
                    default: Issue.record("\(answer)")
                    }
                    try writer.commit(store)
                }
                for place in TestBudget.sample(
                    of: counts.up + 8,
                    usual: 60,
                    borders: [counts.up - 5, counts.up - 1],
                    using: &random
                ) {
                    try cut { proxy.arm(up: place) }
                }
                for place in TestBudget.sample(of: counts.down, usual: 20, using: &random) {
                    try cut { proxy.arm(down: place) }
                }
                #expect(outcomes["uncertain", default: 0] > 30, "\(outcomes)")
                #expect(try store.problems(in: Self.stream, commits: [writer.ident: writer.last]) == [])
            }
        }

        @Test func `Damaged answers of the database end requests, and nothing else`() async throws {
            let proxy = try ByteProxy(to: #require(PostgresServer.shared).port)
            defer { proxy.close() }
            let address = try #require(PostgresServer.shared).address(port: proxy.port)
            let first = try await PostgresStore.opened()
            defer { first.remove() }
            let store = try await PostgresStore.opened(schema: first.options.schema, address: address) {
                $0.patience = 300
            }
            defer { store.close() }
            try await onThread {
                var random = SeededRandom(test: "FaultTests, damage")
                var writer = try StoreWriter(first, Self.stream)
                for _ in 0..<3 { try writer.commit(first) }
                for _ in 0..<TestBudget.cases(60, soak: 5_000) {
                    proxy.arm(damage: Int.random(in: 0..<700, using: &random))
                    _ = store.answer(Self.stream, .bind(FileQuery(ident: writer.ident, acknowledged: 0, cursor: 1)))
                    _ = store.answer(Self.stream, .page(class: "Thing", after: nil, at: 3, objects: 10))
                    let start = Cursor(epoch: store.epoch, version: 0, hash: .empty)
                    _ = store.answer(Self.stream, .step(after: start, objects: 10))
                }
                proxy.arm()
                try writer.commit(store)
            }
        }

        @Test func `A commit whose backend is terminated has an unknown outcome, and is done once`() async throws {
            let store = try await PostgresStore.opened()
            defer { store.remove() }
            let schema = store.options.schema
            try await onThread {
                let server = try #require(PostgresServer.shared)
                var writer = try StoreWriter(store, Self.stream)
                try writer.commit(store)
                let lock = try Lock(schema)
                let box = AnswerBox()
                Thread.detachNewThread { [writer] in
                    var copy = writer
                    box.set(copy.attempt(store))
                }
                try lock.waitForWaiting()
                try server.sql(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = '\(schema)'"
                )
                guard case .failed(.uncertain) = box.wait() else {
                    Issue.record("The outcome is known.")
                    return
                }
                try lock.release()
                try writer.commit(store)
                #expect(try store.problems(in: Self.stream, commits: [writer.ident: writer.last]) == [])
            }
        }

        @Test func `A commit that isn't answered in time has an unknown outcome, and is done once`() async throws {
            let first = try await PostgresStore.opened()
            defer { first.remove() }
            let schema = first.options.schema
            let store = try await PostgresStore.opened(schema: schema) { $0.patience = 2_000 }
            defer { store.close() }
            try await onThread {
                var writer = try StoreWriter(first, Self.stream)
                try writer.commit(first)
                let lock = try Lock(schema)
                guard case .failed(.uncertain) = writer.attempt(store) else {
                    Issue.record("The outcome is known.")
                    return
                }
                // The statement waits for the lock still, and may be done later.
                try lock.release()
                try writer.commit(first)
                #expect(try first.problems(in: Self.stream, commits: [writer.ident: writer.last]) == [])
            }
        }

        @Test func `A statement that waits for a lock ends after its connection was given up`() async throws {
            let first = try await PostgresStore.opened()
            defer { first.remove() }
            let schema = first.options.schema
            let store = try await PostgresStore.opened(schema: schema) { $0.patience = 2_000 }
            defer { store.close() }
            try await onThread {
                var writer = try StoreWriter(first, Self.stream)
                try writer.commit(first)
                let lock = try Lock(schema)
                for _ in 0..<2 {
                    guard case .failed(.uncertain) = writer.attempt(store) else {
                        Issue.record("The outcome is known.")
                        return
                    }
                }
                // The lock is still held.
                try lock.waitForWaiting(0)
                try lock.release()
                try writer.commit(first)
                #expect(try first.problems(in: Self.stream, commits: [writer.ident: writer.last]) == [])
            }
        }

        @Test func `A statement that takes longer than the database allows does nothing`() async throws {
            let first = try await PostgresStore.opened()
            defer { first.remove() }
            let (schema, server) = (first.options.schema, try #require(PostgresServer.shared))
            let limited = server.address() + "&options=-c%20statement_timeout%3D2000"
            let store = try await PostgresStore.opened(schema: schema, address: limited)
            defer { store.close() }
            try await onThread {
                var writer = try StoreWriter(first, Self.stream)
                try writer.commit(first)
                let lock = try Lock(schema)
                let answer = writer.attempt(store)
                guard case .failed(.unavailable(let text)) = answer else {
                    Issue.record("\(answer)")
                    return
                }
                #expect(text.string.contains("statement timeout"))
                try lock.release()
                try writer.commit(store)
                #expect(try store.problems(in: Self.stream, commits: [writer.ident: writer.last]) == [])
            }
        }

        @Test func `A database that takes no writes is read, and refuses commits with the reason`() async throws {
            let first = try await PostgresStore.opened()
            defer { first.remove() }
            let (schema, server) = (first.options.schema, try #require(PostgresServer.shared))
            let readOnly = server.address() + "&options=-c%20default_transaction_read_only%3Don"
            // By default such a server isn't taken at all.
            await #expect(throws: PostgresStoreError.self) {
                try await PostgresStore.opened(schema: schema, address: readOnly)
            }
            let store = try await PostgresStore.opened(schema: schema, address: readOnly + "&target_session_attrs=any")
            defer { store.close() }
            try await onThread {
                var writer = try StoreWriter(first, Self.stream)
                try writer.commit(first)
                let answer = writer.attempt(store)
                guard case .failed(.unavailable(let text)) = answer else {
                    Issue.record("\(answer)")
                    return
                }
                #expect(text.string.contains("read-only"))
                try writer.commit(first)
            }
        }

        enum Outcome: String { case full, damaged, unavailable, uncertain, limit }

        static let codes: [(String, Outcome)] = [
            ("53100", .full), ("XX001", .damaged), ("XX002", .damaged), ("40001", .unavailable), ("40003", .uncertain),
            ("57P01", .uncertain), ("54000", .limit), ("53200", .unavailable), ("25006", .unavailable),
            ("WARNING", .uncertain),
        ]

        @Test(arguments: codes)
        func `The error of a statement has an outcome`(code: String, outcome: Outcome) async throws {
            let store = try await PostgresStore.opened()
            defer { store.remove() }
            let schema = store.options.schema
            try await onThread {
                let server = try #require(PostgresServer.shared)
                var writer = try StoreWriter(store, Self.stream)
                try writer.commit(store)
                let raise =
                    code == "WARNING" ? "WARNING 'like this'" : "EXCEPTION 'like this' USING ERRCODE = '\(code)'"
                try server.sql(
                    """
                    SET search_path = "\(schema)"; CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN RAISE \(raise); RETURN NEW; END $$;
                    CREATE TRIGGER fail BEFORE INSERT ON commit_mark FOR EACH ROW EXECUTE FUNCTION fail()
                    """
                )
                let answer = writer.attempt(store)
                let isRight =
                    switch (outcome, answer) {
                    case (.full, .failed(let failure)): failure.isFullDisk
                    case (.damaged, .failed(.damaged)), (.uncertain, .failed(.uncertain)), (.limit, .failed(.limit)):
                        true
                    case (.unavailable, .failed(.unavailable)): true
                    default: false
                    }
                #expect(isRight, "\(answer)")
                try server.sql("SET search_path = \"\(schema)\"; DROP TRIGGER fail ON commit_mark")
                try writer.commit(store)
                #expect(try store.problems(in: Self.stream, commits: [writer.ident: writer.last]) == [])
            }
        }

        @Test func `Requests fail at once while the database can't be reached, and go on when it can`() async throws {
            let proxy = try ByteProxy(to: #require(PostgresServer.shared).port)
            defer { proxy.close() }
            let address = try #require(PostgresServer.shared).address(port: proxy.port)
            let store = try await PostgresStore.opened(address: address)
            defer { store.remove() }
            try await onThread {
                var writer = try StoreWriter(store, Self.stream)
                try writer.commit(store)
                // All bytes are kept back from now on, those of new connections, too.
                proxy.arm(up: 0)
                for _ in 0..<3 {
                    guard
                        case .failed(.unavailable) = store.answer(
                            Self.stream,
                            .bind(FileQuery(ident: nil, acknowledged: 0))
                        )
                    else {
                        Issue.record("The database answered.")
                        break
                    }
                }
                proxy.arm()
                try writer.commit(store)
                #expect(try store.problems(in: Self.stream, commits: [writer.ident: writer.last]) == [])
            }
        }

        @Test func `Several servers commit to one stream, each commit once`() async throws {
            let first = try await PostgresStore.opened()
            defer { first.remove() }
            let schema = first.options.schema
            let count = UInt64(TestBudget.cases(15, soak: 300))
            var commits: [FileIdent: UInt64] = [:]
            try await withThrowingTaskGroup(of: StoreWriter.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let store = try await PostgresStore.opened(schema: schema)
                        defer { store.close() }
                        return try await onThread {
                            var writer = try StoreWriter(store, Self.stream)
                            for _ in 0..<count { try writer.commit(store) }
                            return writer
                        }
                    }
                }
                for try await writer in group { commits[writer.ident] = writer.last }
            }
            #expect(commits.count == 4)
            let all = commits
            let problems = try await onThread { try first.problems(in: Self.stream, commits: all) }
            #expect(problems == [])
        }
    }

    /// A session that locks the heads of all streams.
    private final class Lock {
        private let session: PostgresSession
        private let schema: String

        init(_ schema: String) throws {
            self.schema = schema
            session = try PostgresSession(try #require(PostgresServer.shared).address(), name: "test")
            try session.prepare(schema: schema)
            try session.execute("BEGIN; UPDATE stream_head SET now = now")
        }

        /// Waits until a number of connections of the store wait for the lock.
        func waitForWaiting(_ count: Int = 1) throws {
            let query =
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = '\(schema)'"
            while try PostgresServer.shared?.sql(query) != "\(count)" { usleep(5_000) }
        }

        func release() throws { try session.execute("ROLLBACK") }
    }
#endif
