#if PostgreSQL
    import Foundation
    import Freehold
    import FreeholdSync
    import FreeholdSyncCore
    import PostgresProcess
    import Synchronization
    import TestReceiver
    import Testing

    @testable import FreeholdServer

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Commands and sinks of a server whose documents are in PostgreSQL.
    @Suite(.timeLimit(.minutes(20)), .needsPostgresServer) struct PostgresCommandTests {
        private let folder: TestFolder
        private let clients: TestFolder
        private let database: TestDatabase

        init() throws {
            (folder, clients, database) = (try ServerProcess.folder(), try TestFolder(), try TestDatabase())
        }

        @discardableResult
        private func run(_ arguments: [String], input: String = "") throws -> (status: Int32, output: String) {
            try ServerProcess.run(arguments + database.flags, input: input, takesErrors: true)
        }

        @Test func `exports and lists of streams have the documents, while the server runs and afterwards`()
            async throws
        {
            #expect(try run(["export", folder.path, "test", "--class", "Thing"]).status != 0)
            let server = try ServerProcess(folder.path, database.flags)
            let a = try await TestClient(port: server.port)
            try await a.subscribe(
                TestClient.everything + [ClassQuery(className: "Other", condition: "TRUEPREDICATE")]
            )
            for key in 1...20 {
                try a.create(.int(Int64(key)), ["name": .string(SyncString("thing \(key)")), "size": .int(1 << 40)])
            }
            try a.commit([.create(ObjectName("Other", .string("x")), ["n": .value(.int(1))], defaults: [])])
            try a.commit([.delete(ObjectName("Thing", .int(20)), .edit)])
            try await a.session.waitForUpload()
            let lines = try run(["export", folder.path, "test", "--class", "Thing"]).output.split(separator: "\n")
            #expect(lines.count == 19)
            #expect(lines.contains(#"{"_id":7,"name":"thing 7","size":1099511627776}"#))
            let inferred = try run(["schema", "infer", folder.path, "test", "--class", "Thing"]).output
            #expect(inferred.contains("\"title\": \"Thing\"") && inferred.contains("\"size\""), "\(inferred)")
            let streams = try run(["streams", folder.path]).output
            #expect(streams.hasPrefix("test\t-\tcommits=22\tfiles=1\tbytes="), "\(streams)")
            #expect(streams.split(separator: "\n").count == 1)
            await a.close()
            await server.end(SIGTERM)
            // The address can be a setting, too.
            let settings = "\(folder.path)/server.json"
            try String(contentsOfFile: settings, encoding: .utf8)
                .replacing(#"{"admin""#, with: #"{"store":"\#(database.address)","admin""#)
                .write(toFile: settings, atomically: true, encoding: .utf8)
            let target = "\(clients.path)/export"
            let all = ["export", folder.path, "test", "--canonical", "--output", target]
            #expect(try ServerProcess.run(all).status == 0)
            let text = try String(contentsOfFile: target + "/Thing.jsonl", encoding: .utf8)
            #expect(text.split(separator: "\n").count == 19)
            #expect(try String(contentsOfFile: target + "/Other.jsonl", encoding: .utf8).contains(#""_id":"x""#))
            let backup = try ServerProcess.run(["backup", folder.path, "\(clients.path)/backup"], takesErrors: true)
            #expect(backup.status == 0 && backup.output.contains("pg_dump"), "\(backup.output)")
            try database.expectSound(folder)
        }

        @Test func `verify names the rows that are damaged`() async throws {
            let server = try ServerProcess(folder.path, database.flags)
            let a = try await TestClient(port: server.port)
            try await a.subscribe()
            for key in 1...10 { try a.create(.int(Int64(key)), ["name": "x"]) }
            try await a.session.waitForUpload()
            await a.close()
            await server.end(SIGTERM)
            try database.expectSound(folder)
            for (damage, repair, word) in [
                (
                    "UPDATE object SET doc = '\\x00' WHERE key = '\\x018000000000000003'",
                    "UPDATE object o SET doc = k.doc FROM kept_object k WHERE k.key = o.key", "018000000000000003"
                ),
                (
                    "UPDATE object SET dead = true WHERE key = '\\x018000000000000004'",
                    "UPDATE object SET dead = false", "dead"
                ),
                (
                    "DELETE FROM commit_mark WHERE version = 5",
                    "INSERT INTO commit_mark SELECT * FROM kept_mark WHERE version = 5", "marks"
                ),
                (
                    "UPDATE stream_head SET hash = '00000000-0000-0000-0000-000000000001'",
                    "UPDATE stream_head SET hash = (SELECT hash FROM kept_mark ORDER BY version DESC LIMIT 1)", "mark"
                ),
                (
                    "UPDATE client_file SET parents = '\\xff' WHERE ident = 1",
                    "UPDATE client_file SET parents = NULL WHERE ident = 1", "file 1"
                ),
                (
                    "UPDATE commit_log SET body = '\\x0100' WHERE version = (SELECT max(version) FROM commit_log)", "",
                    "log"
                ),
            ] {
                try database.sql(
                    """
                    SET client_min_messages = error; SET search_path = freehold;
                    CREATE TABLE IF NOT EXISTS kept_object AS SELECT * FROM object;
                    CREATE TABLE IF NOT EXISTS kept_mark AS SELECT * FROM commit_mark; \(damage)
                    """
                )
                let verify = try run(["verify", folder.path])
                #expect(
                    verify.status == 1 && verify.output.contains("1 of them damaged"),
                    "\(damage)\n\(verify.output)"
                )
                #expect(verify.output.contains(word), "\(damage)\n\(verify.output)")
                guard !repair.isEmpty else { continue }
                try database.sql("SET search_path = freehold; \(repair)")
                try database.expectSound(folder)
            }
        }

        private static let schema = """
            [{"title": "Note", "bsonType": "object", "required": ["_id", "owner", "text", "salary"], "properties": {
              "_id": {"bsonType": "objectId"}, "owner": {"bsonType": "string"}, "team": {"bsonType": "string"},
              "text": {"bsonType": "string"}, "salary": {"bsonType": "long"}}},
             {"asymmetric": true, "schema": {"title": "Sample", "bsonType": "object", "required": ["_id", "celsius"],
              "properties": {"_id": {"bsonType": "string"}, "celsius": {"bsonType": "double"}}}}]
            """

        private func makeShop() throws {
            let path = "\(folder.path)/schema.json"
            try Self.schema.write(toFile: path, atomically: true, encoding: .utf8)
            let words = ["--email-password", "auto-confirm", "--access", "everyone"]
            #expect(try ServerProcess.run(["app", "create", folder.path, "shop"] + words + database.flags).status == 0)
            let push = try ServerProcess.run(
                ["schema", "push", folder.path, "shop", path] + database.flags,
                takesErrors: true
            )
            #expect(push.status == 0, "\(push.output)")
        }

        @MainActor private func realm(_ port: Int, _ device: String) async throws -> Realm {
            try await SinkDevice.realm(port, device, folder: clients.path)
        }

        @MainActor @Test func `imports merge with the work of devices`() async throws {
            try makeShop()
            let id = "5f0000000000000000000001"
            func line(_ text: String) -> String {
                #"{"_id":{"$oid":"\#(id)"},"owner":"o","text":"\#(text)","salary":5}"# + "\n"
            }
            let words = ["import", folder.path, "shop", "-", "--class", "Note"]
            let before = try run(words, input: line("before"))
            #expect(before.status == 0 && before.output.contains("1 created"), "\(before.output)")
            let server = try ServerProcess(folder.path, database.flags)
            let realm = try await realm(server.port, "phone")
            try await realm.syncSession?.wait(for: .download)
            realm.refresh()
            let note = try #require(realm.objects(Note.self).first)
            #expect(note.text == "before" && note.salary == 5)
            try realm.write { note.salary = 6 }
            try await realm.syncSession?.wait(for: .upload)
            // The server runs meanwhile, and sees the change within a second.
            let after = try run(words, input: line("after").replacing("5}", with: "6}"))
            #expect(after.status == 0 && after.output.contains("1 changed"), "\(after.output)")
            try await eventually("the change") {
                realm.refresh()
                return note.text == "after"
            }
            #expect(note.salary == 6)
            await server.end(SIGTERM)
            try database.expectSound(folder)
        }

        /// The objects that a receiver has, if it recognizes repeated batches by their keys.
        private final class Ledger: Sendable {
            struct State {
                var batches: [String: [UInt8]] = [:]
                var keys: [String] = []
                var problems: [String] = []
            }

            let state = Mutex(State())

            func take(_ request: Receiver.Request) {
                let key = request.headers["idempotency-key"] ?? ""
                state.withLock { state in
                    if let known = state.batches.updateValue(request.body, forKey: key) {
                        if known != request.body { state.problems.append("two batches have one key") }
                    } else {
                        let lines = String(decoding: request.body, as: UTF8.self).split(separator: "\n")
                        state.keys += lines.map { String($0.split(separator: "\"")[3]) }
                    }
                }
            }
        }

        @MainActor @Test func `sinks of two servers get each object once, also while servers are killed`()
            async throws
        {
            try makeShop()
            let ledger = Ledger()
            let receiver = try await Receiver { number, request in
                guard number % 5 != 1 else { return .status(503) }
                ledger.take(request)
                return number % 5 == 2 ? .cut(takes: true) : .status(200)
            }
            let set = ["sink", "set", folder.path, "shop", "Sample", "--hook", receiver.address]
            #expect(try ServerProcess.run(set + database.flags).status == 0)
            var servers = [
                try ServerProcess(folder.path, database.flags), try ServerProcess(folder.path, database.flags),
            ]
            let devices = [try await realm(servers[0].port, "phone"), try await realm(servers[1].port, "sensor")]
            var written: Set<String> = []
            for round in 0..<4 {
                for (index, device) in devices.enumerated() {
                    for part in 0..<5 {
                        try device.write {
                            for key in 0..<10 {
                                // An object that both devices create counts once.
                                let id = key == 0 ? "both \(round) \(part)" : "\(index) \(round) \(part) \(key)"
                                device.create(Sample.self, value: ["_id": id, "celsius": 1.5] as [String: Any])
                                written.insert(id)
                            }
                        }
                    }
                }
                let killed = round % 2
                await servers[killed].end(SIGKILL)
                servers[killed] = try ServerProcess(folder.path, port: servers[killed].port, database.flags)
            }
            for device in devices { try await device.syncSession?.wait(for: .upload) }
            let count = written.count
            try await eventually("all objects") { ledger.state.withLock { $0.keys.count } >= count }
            let state = ledger.state.withLock { $0 }
            #expect(state.problems.isEmpty)
            #expect(Set(state.keys) == written)
            #expect(state.keys.count == count)
            for server in servers { await server.end(SIGTERM) }
            await receiver.close()
            let lines = try run(["export", folder.path, "shop", "--class", "Sample"]).output.split(separator: "\n")
            #expect(lines.count == count)
            try database.expectSound(folder)
        }

        @MainActor @Test func `files have each object once, and delivered objects can be removed`() async throws {
            try makeShop()
            let target = folder.path + "/out"
            let words = ["sink", "set", folder.path, "shop", "Sample", "--files", target, "--remove-delivered"]
            #expect(try run(words).status == 0)
            var server = try ServerProcess(folder.path, database.flags)
            let port = server.port
            let device = try await realm(port, "phone")
            func lines() -> [String] {
                let names = (try? FileManager.default.contentsOfDirectory(atPath: target).sorted()) ?? []
                return names.flatMap { name in
                    let text = (try? String(contentsOfFile: "\(target)/\(name)", encoding: .utf8)) ?? ""
                    return text.split(separator: "\n").map { String($0.split(separator: "\"")[3]) }
                }
            }
            var number = 0
            for _ in 0..<2 {
                for _ in 0..<10 {
                    try device.write {
                        for _ in 0..<10 {
                            number += 1
                            device.create(Sample.self, value: ["_id": "s\(number)"])
                        }
                    }
                }
                await server.end(SIGKILL)
                server = try ServerProcess(folder.path, port: port, database.flags)
            }
            try await device.syncSession?.wait(for: .upload)
            try await eventually("200 lines") { lines().count >= 200 }
            #expect(lines().count == 200 && Set(lines()).count == 200)
            let database = database
            try await eventually("no rows") { try database.sql("SELECT count(*) FROM freehold.ingest") == "0" }
            await server.end(SIGTERM)
        }
    }
#endif
