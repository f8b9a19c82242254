#if PostgreSQL
    import Foundation
    import FreeholdSync
    import FreeholdSyncCore
    import PostgresProcess
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Processes of the server whose documents are in PostgreSQL, and clients over sockets.
    @Suite(.timeLimit(.minutes(20)), .needsPostgresServer) struct PostgresServerTests {
        private let folder: TestFolder
        private let database: TestDatabase

        init() throws {
            folder = try ServerProcess.folder()
            database = try TestDatabase()
        }

        private func server(port: Int = 0, _ database: TestDatabase? = nil) throws -> ServerProcess {
            try ServerProcess(folder.path, port: port, (database ?? self.database).flags)
        }

        private func client(_ server: ServerProcess, _ user: String = "ann") async throws -> TestClient {
            let client = try await TestClient(port: server.port, user: user)
            try await client.subscribe()
            return client
        }

        @Test func `documents survive a restart of the server`() async throws {
            var server = try server()
            let port = server.port
            let a = try await client(server)
            for key in 1...20 { try a.create(.int(Int64(key)), ["name": .string(SyncString("thing \(key)"))]) }
            try a.set(.int(3), "name", "changed")
            try a.commit([.delete(ObjectName("Thing", .int(4)), .edit)])
            try await a.session.waitForUpload()
            await server.end(SIGTERM)
            #expect(server.status == 0)
            server = try self.server(port: port)
            let b = try await client(server, "bob")
            try await b.settle()
            #expect(b.contents.count == 19)
            #expect(b.value(7, "name") == "thing 7" && b.value(3, "name") == "changed")
            // The client that was connected before continues at its place.
            try b.set(.int(7), "name", "after")
            try await b.session.waitForUpload()
            try await eventually("the change") { a.value(7, "name") == "after" }
            for client in [a, b] { await client.close() }
            await server.end(SIGTERM)
            #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/sync"))
            try database.expectSound(folder)
        }

        @Test func `a server with another secret doesn't start`() async throws {
            let first = try server()
            await first.end(SIGTERM)
            let other = try ServerProcess.folder()
            let (path, flags) = (other.path, database.flags)
            func run() async throws -> (status: Int32, output: String) {
                try await onThread {
                    try ServerProcess.run(["serve", path, "--port", "0"] + flags, takesErrors: true)
                }
            }
            let refused = try await run()
            #expect(refused.status != 0 && refused.output.contains("accounts.secret"), "\(refused.output)")
            let secret = "\(path)/accounts.secret"
            try FileManager.default.removeItem(atPath: secret)
            try FileManager.default.copyItem(atPath: "\(folder.path)/accounts.secret", toPath: secret)
            let second = try ServerProcess(path, flags)
            await second.end(SIGTERM)
            #expect(second.status == 0)
        }

        @Test func `a server that is killed while clients write loses nothing and doubles nothing`() async throws {
            var server = try server()
            let (port, rounds) = (server.port, ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] == nil ? 4 : 100)
            let clients = [try await client(server), try await client(server, "bob")]
            var key: Int64 = 0
            for _ in 0..<rounds {
                for client in clients {
                    for _ in 0..<10 {
                        key += 1
                        try client.create(.int(key), ["name": .string(SyncString("\(key)"))])
                    }
                }
                await server.end(SIGKILL)
                for client in clients {
                    key += 1
                    try client.create(.int(key), ["name": .string(SyncString("\(key)"))])
                }
                server = try self.server(port: port)
            }
            for client in clients { try await client.session.waitForUpload() }
            for client in clients { try await client.session.waitForDownload() }
            #expect(clients[0].contents.count == Int(key))
            #expect(clients[0].contents == clients[1].contents)
            let late = try await client(server, "late")
            try await late.settle()
            #expect(late.contents == clients[0].contents)
            for client in clients + [late] { await client.close() }
            await server.end(SIGTERM)
            try database.expectSound(folder)
        }

        @Test func `clients of two servers on one database converge, also while servers are killed`() async throws {
            var servers = [try server(), try server()]
            var clients: [TestClient] = []
            for (number, user) in ["ann", "bob", "cid", "dan"].enumerated() {
                clients.append(try await client(servers[number % 2], user))
            }
            try clients[0].create(.int(0), ["count": .int(0), "last": "nobody"])
            try await clients[0].session.waitForUpload()
            for client in clients { try await eventually("the counter") { !client.contents.isEmpty } }
            var (key, increments) = (Int64(0), Int64(0))
            for round in 0..<4 {
                for (number, client) in clients.enumerated() {
                    for _ in 0..<5 {
                        key += 1
                        try client.create(.int(key), ["name": .string(SyncString("\(key)"))])
                    }
                    // All write one object.
                    try client.set(.int(0), "last", .string(SyncString("\(number) \(round)")))
                    increments += 1
                    let place = LocalPlace(ObjectName("Thing", .int(0)), "count")
                    try client.commit([.increment(place, 1)])
                }
                guard round % 2 == 1 else { continue }
                let killed = round / 2
                await servers[killed].end(SIGKILL)
                servers[killed] = try server(port: servers[killed].port)
            }
            for client in clients { try await client.session.waitForUpload() }
            for client in clients {
                try await eventually("\(key) objects") { client.contents.count == Int(key) + 1 }
                try await eventually("all increments") { client.value(0, "count") == .int(increments) }
            }
            for client in clients.dropFirst() {
                try await eventually("the same contents") { client.contents == clients[0].contents }
            }
            let late = try await client(servers[1], "late")
            try await late.settle()
            #expect(late.contents == clients[0].contents)
            for client in clients + [late] { await client.close() }
            for server in servers { await server.end(SIGTERM) }
            try database.expectSound(folder)
        }

        @Test func `clients stay connected while the database is away, and lose nothing`() async throws {
            let postgres = try await onThread { try PostgresServer() }
            defer { try? postgres.stop(.immediate) }
            let own = try TestDatabase(postgres)
            let port = try await DeployTests.freePort()
            let settings = "\(folder.path)/server.json"
            try String(contentsOfFile: settings, encoding: .utf8).replacing("\"port\":0", with: "\"port\":\(port)")
                .write(toFile: settings, atomically: true, encoding: .utf8)
            let server = try server(own)
            let clients = [try await client(server), try await client(server, "bob")]
            var key: Int64 = 0
            func create(_ count: Int) throws {
                for _ in 0..<count {
                    for client in clients {
                        key += 1
                        try client.create(.int(key), ["name": .string(SyncString("\(key)"))])
                    }
                }
            }
            func status() async throws -> (status: Int32, output: String) {
                let path = folder.path
                return try await onThread { try ServerProcess.run(["status", path]) }
            }
            for mode in [PostgresServer.StopMode.fast, .immediate] {
                try create(10)
                for client in clients { try await client.session.waitForUpload() }
                let acknowledged = key
                #expect(try await status().status == 0)
                // The user of a new connection can't be looked up while the database is away.
                let peer = try await RawPeer(port: server.port)
                try await peer.hello(TestServer.token("cid"))
                // Some of these are in progress when the database stops.
                try create(20)
                try await onThread { try postgres.stop(mode) }
                try create(5)
                // The cause is in the status, and nowhere else.
                try await eventually("the cause") { try await status().output.contains("storeFailure") }
                let said = try await status().output
                #expect(said.contains("PostgreSQL: "), "\(said)")
                try await eventually("not ready") { try await self.isReady(port) == false }
                // New sessions are asked to try again, on a connection that stays open.
                for _ in 0..<2 {
                    let fault = try await peer.bind("test")
                    guard case .transient = fault else {
                        Issue.record("The fault is \(String(describing: fault)).")
                        break
                    }
                }
                try await onThread { try postgres.start() }
                for client in clients { try await client.session.waitForUpload() }
                for client in clients { try await eventually("all objects") { client.contents.count == Int(key) } }
                try await eventually("a session") { try await peer.bind("test") == nil }
                peer.close()
                #expect(Int(try own.sql("SELECT count(*) FROM freehold.object WHERE NOT dead")) == Int(key))
                #expect(acknowledged < key)
                try await eventually("ready") { try await self.isReady(port) }
                try await eventually("no cause") { try await !status().output.contains("storeFailure") }
            }
            for client in clients {
                let isCut = client.journal.contains { if case .disconnected = $0 { true } else { false } }
                #expect(!isCut)
                await client.close()
            }
            await server.end(SIGTERM)
            try own.expectSound(folder)
        }

        private func isReady(_ port: Int) async throws -> Bool {
            try await RawConnection.ask(["GET /ready HTTP/1.1", "Host: localhost"], port: port).status == 200
        }
    }
#endif
