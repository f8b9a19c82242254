#if PostgreSQL
    import Dispatch
    import Foundation
    import PostgresProcess
    import Testing

    @testable import FreeholdPostgresStore
    @testable import FreeholdSyncCore

    /// Standbys, servers that take no writes any more, tables of later versions, and connections that other clients share.
    @Suite(.needsPostgres) struct FailoverTests {
        private static let stream = StreamName(app: "failovers")

        @Test func `What a commit without an answer wrote is reported after a write that the standby has`() async throws
        {
            let server = try await onThread { try PostgresServer() }
            defer { try? server.stop(.immediate) }
            let store = try await PostgresStore.opened(address: server.address()) { $0.patience = 3_000 }
            defer { store.close() }
            let schema = store.options.schema
            try await onThread {
                var writer = try StoreWriter(store, Self.stream)
                try writer.commit(store)
                func waiting() throws -> Int {
                    Int(
                        try server.sql(
                            "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = '\(schema)'"
                        )
                    ) ?? 0
                }
                // A synchronous standby that doesn't answer.
                try server.sql("ALTER SYSTEM SET synchronous_standby_names = 'none'")
                try server.sql("SELECT pg_reload_conf()")
                let (box, start) = (AnswerBox(), writer)
                Thread.detachNewThread {
                    var (copy, answer) = (start, ServerStoreAnswer.done)
                    // The database needs a moment until it waits for the standby.
                    while case .done = answer { answer = copy.attempt(store) }
                    box.set(answer)
                }
                while try waiting() == 0 { usleep(20_000) }
                let confirmed = UInt64(try server.sql("SELECT max(version) FROM \"\(schema)\".stream_head"))
                let version = try #require(confirmed) + 1
                // The commit is then stored here, and nowhere else.
                try server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
                guard case .failed(.uncertain) = box.wait() else {
                    Issue.record("The outcome is known.")
                    return
                }
                while try server.sql("SELECT max(version) FROM \"\(schema)\".stream_head") != "\(version)" {
                    usleep(20_000)
                }
                // Neither the rows nor a bind show it as long as the standby doesn't have it.
                for kind in [
                    ServerStoreRequest.Kind.read(RowQuery()), .bind(FileQuery(ident: writer.ident, acknowledged: 0)),
                ] {
                    guard case .failed(.unavailable(let text)) = store.answer(Self.stream, kind) else {
                        Issue.record("A commit was shown that a failover could lose.")
                        return
                    }
                    #expect(text.string.contains("wasn't confirmed"))
                }
                try server.sql("ALTER SYSTEM RESET synchronous_standby_names")
                try server.sql("SELECT pg_reload_conf()")
                var answer = store.answer(Self.stream, .read(RowQuery()))
                for _ in 0..<600 {
                    if case .rows = answer { break }
                    usleep(50_000)
                    answer = store.answer(Self.stream, .read(RowQuery()))
                }
                guard case .rows(let rows) = answer else {
                    Issue.record("\(answer)")
                    return
                }
                #expect(rows.head.version == version)
                // The outcome is known now: reads need no writes any more.
                let stream = try #require(Int64(server.sql("SELECT sid FROM \"\(schema)\".stream_head")))
                #expect(!store.doubts.contains(stream))
                #expect(try store.problems(in: Self.stream, commits: [writer.ident: version]) == [])
            }
        }

        @Test func `A server that takes no writes any more is left by all connections, also those for reading`()
            async throws
        {
            let old = try await onThread { try PostgresServer() }
            defer { try? old.stop(.immediate) }
            let new = try #require(PostgresServer.shared)
            let second = try await PostgresStore.opened()
            defer { second.remove() }
            let address = "postgresql://freehold@127.0.0.1:\(old.port),127.0.0.1:\(new.port)/postgres?sslmode=disable"
            let store = try await PostgresStore.opened(schema: second.options.schema, address: address)
            defer { store.close() }
            try await onThread {
                var first = try StoreWriter(store, Self.stream)
                try first.commit(store)
                // The second server continues with a state of its own.
                var other = try StoreWriter(second, Self.stream)
                for _ in 0..<3 { try other.commit(second) }
                try old.sql("ALTER SYSTEM SET default_transaction_read_only = on")
                try old.sql("SELECT pg_reload_conf()")
                while try old.sql("SHOW default_transaction_read_only") != "on" { usleep(20_000) }
                // The first write fails, and all later requests go to the server that takes writes.
                _ = try? first.commit(store)
                withKnownIssue("The rows that a commit needs are read from the old server first", isIntermittent: true)
                {
                    try other.commit(store)
                    guard case .rows(let rows) = store.answer(Self.stream, .read(RowQuery())) else {
                        Issue.record("The head can't be read.")
                        return
                    }
                    #expect(rows.head.version == other.last)
                }
            }
        }

        @Test func `Tables that a later version changed meanwhile are neither written nor read`() async throws {
            let store = try await PostgresStore.opened()
            defer { store.remove() }
            let (schema, server) = (store.options.schema, try #require(PostgresServer.shared))
            try await onThread {
                var writer = try StoreWriter(store, Self.stream)
                try writer.commit(store)
                try server.sql("UPDATE \"\(schema)\".store SET format = 99")
                let answer = writer.attempt(store)
                guard case .failed(.unavailable(let text)) = answer else {
                    Issue.record("\(answer)")
                    return
                }
                #expect(text.string.contains("the format 99"), "\(text)")
                #expect(try server.sql("SELECT version FROM \"\(schema)\".stream_head") == "1")
                // Reads end, too.
                for _ in 0..<600 {
                    guard case .rows = store.answer(Self.stream, .read(RowQuery())) else { break }
                    usleep(50_000)
                }
                guard case .failed(.unavailable(let text)) = store.answer(Self.stream, .read(RowQuery())) else {
                    Issue.record("The tables are read.")
                    return
                }
                #expect(text.string.contains("the format 99"), "\(text)")
                try server.sql("UPDATE \"\(schema)\".store SET format = \(Tables.format)")
                try writer.commit(store)
            }
        }

        static let malformed = [
            "postgresql://freehold:secret%zz@127.0.0.1/postgres", "postgresql://freehold:top@secret@127.0.0.1/postgres",
            "postgresql://freehold:top/secret@127.0.0.1/postgres", "postgresql://freehold:12/secret@127.0.0.1/postgres",
            "postgresql://freehold@127.0.0.1/postgres?password=x&secret",
            "postgresql://freehold@127.0.0.1/postgres?secret=x", "postgresql://freehold:sec\"secret@[::1/postgres",
            "host=127.0.0.1 password='secret", "host=127.0.0.1 secret",
        ]

        @Test(arguments: malformed) func `The error of a malformed address quotes no password`(address: String)
            async throws
        {
            let error = await #expect(throws: PostgresStoreError.self) {
                try await PostgresStore.opened(address: address) { $0.patience = 2_000 }
            }
            let text = try #require(error?.description)
            #expect(text.contains("address isn't valid") && !text.contains("secret"), "\(text)")
        }

        @Test func `Rows after the newest version are reported as damage, and don't cause endless attempts`()
            async throws
        {
            let store = try await PostgresStore.opened()
            defer { store.remove() }
            let (schema, server) = (store.options.schema, try #require(PostgresServer.shared))
            try await onThread {
                var writer = try StoreWriter(store, Self.stream)
                try writer.commit(store)
                try server.sql(
                    "INSERT INTO \"\(schema)\".commit_mark SELECT sid, version + 1, hash, clock, at FROM \"\(schema)\".commit_mark WHERE version = 1"
                )
                for _ in 0..<2 {
                    let answer = writer.attempt(store)
                    guard case .failed(.damaged(let text)) = answer else {
                        Issue.record("\(answer)")
                        return
                    }
                    #expect(text.string.contains("after the newest version"), "\(text)")
                }
                try server.sql("DELETE FROM \"\(schema)\".commit_mark WHERE version = 2")
                try writer.commit(store)
                #expect(try store.problems(in: Self.stream, commits: [writer.ident: 2]) == [])
            }
        }

        @Test func `Statements that another client removed are prepared anew, and the error names the pooler`()
            async throws
        {
            let store = try await PostgresStore.opened()
            defer { store.remove() }
            let call = PostgresJob.Call(.format, [])
            _ = try await store.pool.run(.reading, [call])
            // A pooler lets another client use the connection, whose statements are then removed.
            _ = try await store.pool.run(
                .reading,
                [PostgresJob.Call(name: "", sql: "DEALLOCATE ALL", parameters: [])]
            )
            let failure = await #expect(throws: PostgresFailure.self) { _ = try await store.pool.run(.reading, [call]) }
            #expect(failure?.description.contains("pool_mode = session") == true, "\(String(describing: failure))")
            #expect(try await store.pool.run(.reading, [call])[0].count == 1)
        }

        @Test func `Attempts to connect block no threads that others use`() async throws {
            // It accepts no connection, and refuses none.
            let silent = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(silent) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withUnsafeMutablePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(silent, $0, length) == 0 && listen(silent, 64) == 0 && getsockname(silent, $0, &length) == 0
                }
            }
            try #require(isBound)
            var options = PostgresStore.Options(
                address: "postgresql://freehold@127.0.0.1:\(UInt16(bigEndian: address.sin_port))/none"
            )
            (options.writers, options.readers, options.patience) = (32, 32, 5_000)
            let pool = PostgresPool(PostgresPool.Configuration(options))
            defer { pool.close() }
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        _ = try? await pool.run(number % 2 == 0 ? .reading : .writing, .format, [])
                    }
                }
                // Meanwhile work of others runs at once.
                let isRun = await onGlobalQueues(count: 64, within: .seconds(4))
                #expect(isRun)
            }
        }

        /// Returns whether so many blocks run on the shared queues within a time.
        private func onGlobalQueues(count: Int, within time: DispatchTimeInterval) async -> Bool {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    // The attempts have begun.
                    usleep(300_000)
                    let group = DispatchGroup()
                    for _ in 0..<count { DispatchQueue.global().async(group: group) {} }
                    continuation.resume(returning: group.wait(timeout: .now() + time) == .success)
                }
            }
        }

        @Test func `Connections are replaced when they are old`() async throws {
            let store = try await PostgresStore.opened { $0.mostAge = 200 }
            defer { store.remove() }
            let server = try #require(PostgresServer.shared)
            func backends() throws -> Set<String> {
                Set(
                    try server.sql(
                        "SELECT pid FROM pg_stat_activity WHERE application_name = '\(store.options.name)'"
                    ).split(separator: "\n").map { String($0) }
                )
            }
            _ = try await store.pool.run(.reading, .format, [])
            let first = try backends()
            for _ in 0..<600 {
                if try backends().isDisjoint(with: first) { break }
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(try backends().isDisjoint(with: first))
            #expect(try await store.pool.run(.reading, .format, []).count == 1)
        }
    }
#endif
