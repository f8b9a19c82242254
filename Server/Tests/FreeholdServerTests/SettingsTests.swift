import Foundation
import FreeholdSync
import FreeholdSyncCore
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Other settings, modes and limits of `freehold-server`.
@Suite(.timeLimit(.minutes(20)), .enabled(if: ServerProcess.isBuilt, "freehold-server isn't built"))
struct SettingsTests {
    @Test(arguments: [
        #"{"tls": {"certificate": "a.pem", "key": "b.pem"}}"#, #"{"tls": {"key": "b.pem"}}"#, #"{"port": "7700"}"#,
        #"{"port": 70000}"#, #"{"proxy": {"addresses": "10.0.0.1"}}"#, #"{"threads": 0}"#,
        #"{"drain": {"seconds": 1e17}}"#,
        #"{"drain": {"seconds": -1}}"#, #"{"limits": {"connections": -5}}"#, #"{"path": "sync"}"#, #"{"appz": ["a"]}"#,
        #"{"app": {"a": {"acces": "everyone"}}}"#, #"{"development": "yes"}"#, #"{"tls": 5}"#,
        #"{"host": {"name": "x"}}"#,
    ])
    func `a setting that isn't known, of another type or out of range is refused by name`(_ settings: String) throws {
        let folder = try ServerProcess.folder()
        var text = settings
        if !settings.contains("apps") {
            text = String(settings.dropLast()) + #", "apps": ["test"], "tokens": {"secretFile": "token.secret"}}"#
        }
        try text.write(toFile: "\(folder.path)/server.json", atomically: true, encoding: .utf8)
        let launcher = ["timeout", "-s", "KILL", "60"]
        let answer = try ServerProcess.run(["serve", folder.path], launcher: launcher, takesErrors: true)
        #expect(answer.status != 0 && answer.status < 128, "\(settings): \(answer)")
        #expect(answer.output.contains("'"), "\(settings): \(answer)")
    }

    /// The modes don't depend on the process's mask, which is 022 in shells.
    @Test func `documents, accounts and settings are their owner's`() async throws {
        let parent = try TestFolder()
        let folder = parent.path + "/a folder"
        #expect(try ServerProcess.run(["init", folder, "--app", "test", "--access", "everyone"]).status == 0)
        try TestServer.secret.write(toFile: "\(folder)/token.secret", atomically: true, encoding: .utf8)
        let server = try ServerProcess(folder, ["--development"])
        let a = try await TestClient(port: server.port)
        try await a.subscribe()
        try a.create(1)
        try await a.session.waitForUpload()
        await a.close()
        await server.end(SIGTERM)
        let files = FileManager.default
        func mode(_ path: String) throws -> Int {
            try #require(try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
        }
        #expect(try mode(folder) == 0o700)
        let names = try #require(files.enumerator(atPath: folder)?.allObjects as? [String])
        #expect(names.contains { $0.hasSuffix(".freehold") })
        for name in names where !name.hasSuffix("token.secret") {
            #expect(try mode("\(folder)/\(name)") & 0o077 == 0, "\(name)")
        }
    }

    @Test func `a server that may have few files open serves`() async throws {
        let folder = try ServerProcess.folder()
        let launcher = ["sh", "-c", #"ulimit -n 300 && exec "$@""#, "sh"]
        let server = try ServerProcess(folder.path, launcher: launcher)
        var clients: [TestClient] = []
        for index in 0..<10 {
            let client = try await TestClient(port: server.port, user: "user\(index)")
            try await client.subscribe()
            try client.create(.int(Int64(index)))
            clients.append(client)
        }
        for client in clients { try await client.session.waitForUpload() }
        for client in clients { try await client.session.waitForDownload() }
        #expect(clients.allSatisfy { $0.contents.count == 10 })
        for client in clients { await client.close() }
        await server.end(SIGTERM)
    }

    @Test func `a backup has certificates and other files, and those that links lead to`() async throws {
        let folder = try ServerProcess.folder()
        try "a certificate".write(toFile: "\(folder.path)/real.pem", atomically: true, encoding: .utf8)
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/tls.pem", withDestinationPath: "real.pem")
        let server = try ServerProcess(folder.path)
        let target = folder.path + ".backup"
        defer { try? FileManager.default.removeItem(atPath: target) }
        #expect(try ServerProcess.run(["backup", folder.path, target]).status == 0)
        await server.end(SIGTERM)
        #expect(FileManager.default.contents(atPath: "\(target)/tls.pem") == Data("a certificate".utf8))
        let type = try FileManager.default.attributesOfItem(atPath: "\(target)/tls.pem")[.type]
        #expect(type as? FileAttributeType == .typeRegular)
        #expect(FileManager.default.fileExists(atPath: "\(target)/server.json"))
        #expect(try !FileManager.default.contentsOfDirectory(atPath: target).contains { $0.hasSuffix("lock") })
    }
}
