import Foundation
import FreeholdEngine
import FreeholdSync
import Testing

/// Tests of `freehold sync` with files that the tests write directly with the store of a sync client, without a server.
struct SyncCommandTests {
    /// A file that syncs, with an object that isn't uploaded.
    private func make(_ path: String, key: EncryptionKey? = nil, syncs: Bool = true) throws -> Database {
        var options = Database.Options()
        options.encryptionKey = key
        let database = try Database.open(at: path, options: options)
        try write(database) { write in
            try write.applySchema([
                TableSpec(
                    "Dog",
                    columns: [
                        ColumnSpec("_id", .int), ColumnSpec("name", .string), ColumnSpec("best", .link, target: "Dog"),
                    ],
                    primaryKey: "_id"
                )
            ])
        }
        if syncs { _ = try FileClientStore(database) }
        try add(database, 1, name: "Rex")
        return database
    }

    private func write(_ database: Database, _ body: (WriteTransaction) throws -> Void) throws {
        let write = try database.beginWrite()
        do { try body(write) } catch {
            write.cancel()
            throw error
        }
        _ = try write.commit()
    }

    private func add(_ database: Database, _ id: Int64, name: String) throws {
        try write(database) { write in
            let dogs = try require(write.schema.table(named: "Dog"))
            let dog = try write.create(dogs, primaryKey: .int(id))
            try write.set(dogs.columns[1], dog, to: .string(name))
            try write.set(dogs.columns[2], dog, to: .link(dog))
        }
    }

    private func lines(_ run: Run) throws -> [[String: Any]] {
        try run.output.split(separator: "\n").map { line in
            try require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    @Test func `status, pending and lost of a file that this process has open and writes to`() throws {
        try withFolder { folder in
            let path = folder + "/a.realm"
            let database = try make(path)
            let status = try Run.freehold("sync", "status", path)
            expect(status.status == 0 && status.error == "", "\(status)")
            for part in [
                "File            \(path)", "User            unknown", "none yet: the file was never connected",
                "Not uploaded    1 commit without a number yet", "Lost            nothing", "Subscriptions   none",
                "by no process at the moment",
            ] {
                expect(status.output.contains(part), "\(part) in \(status.output)")
            }
            struct Status: Decodable { let recordedCommits: Int, unsentCommits: Int, isSyncing: Bool, lost: Int }
            let json = try Run.freehold("sync", "status", path, "--json")
            let told = try JSONDecoder().decode(Status.self, from: Data(json.output.utf8))
            expect(told.recordedCommits == 1 && told.unsentCommits == 0 && !told.isSyncing && told.lost == 0)

            try add(database, 2, name: "Fido\nof two lines")
            let pending = try lines(try Run.freehold("sync", "pending", path))
            expectEqual(pending.map { $0["state"] as? String }, ["recorded", "recorded"])
            expectEqual(pending.map { $0["change"] as? String }, ["create", "create"])
            expectEqual(pending.map { $0["key"] as? Int }, [1, 2])
            let values = try require(pending[1]["values"] as? [String: Any])
            expectEqual(values["name"] as? String, "Fido\nof two lines")
            expectEqual((values["best"] as? [String: [String: Any]])?["$link"]?["class"] as? String, "Dog")
            let lost = try Run.freehold("sync", "lost", path)
            expect(lost.status == 0 && lost.output == "" && lost.error == "")
        }
    }

    @Test func `Encrypted files need their key`() throws {
        try withFolder { folder in
            let path = folder + "/secret.realm"
            let bytes = Data((0..<64).map { UInt8($0) })
            _ = try make(path, key: EncryptionKey(bytes))
            try bytes.write(to: URL(fileURLWithPath: folder + "/key"))
            expect(try Run.freehold("sync", "pending", path).status != 0)
            let run = try Run.freehold("sync", "pending", path, "--encryption-key-file", folder + "/key")
            expectEqual(run.status, 0, "\(run)")
            try expectEqual(lines(run).count, 1)
        }
    }

    @Test func `a file that doesn't sync, or is missing, is refused in one line`() throws {
        try withFolder { folder in
            let path = folder + "/local.realm"
            _ = try make(path, syncs: false)
            for command in ["status", "pending", "lost"] {
                let run = try Run.freehold("sync", command, path)
                expect(run.status == 65 && run.output == "", "\(run)")
                expectEqual(run.error, "freehold: \(path): The file doesn't sync.\n")
                try expectEqual(Run.freehold("sync", command, folder + "/none.realm").status, 66)
            }
            try expectEqual(Run.freehold("sync", "stat", path).status, 64)
        }
    }
}
