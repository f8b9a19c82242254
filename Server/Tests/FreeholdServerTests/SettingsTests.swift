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
        #"{"host": {"name": "x"}}"#, #"{"app": {"tset": {"access": "everyone"}}}"#,
        #"{"app": {"test": {"access": "everyone"}, "a.b": {"streams": ["x"]}}}"#,
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

    /// Runs `serve` in a folder with settings of the test, and with variables of the environment.
    private func serve(
        _ variables: [String],
        in folder: TestFolder? = nil
    ) throws -> (status: Int32, output: String) {
        let folder = try folder ?? ServerProcess.folder()
        return try ServerProcess.run(
            ["serve", folder.path, "--port", "0"],
            launcher: variables + ["timeout", "-s", "KILL", "60"],
            takesErrors: true
        )
    }

    // The names are in two parts, because another test reads all names of variables in the project's files.
    @Test(arguments: [
        ("DRAIN_SECONDS", "abc", "a whole number"), ("DRAIN_SECONDS", "", "a whole number"),
        ("PORT", "10.0.0.1:7700", "a whole number"), ("DEVELOPMENT", "maybe", "true or false"),
        ("LIMITS_USER_BYTES", "1e9", "a whole number"), ("DRAIN_SECOND", "5", "a setting"), ("STROE", "x", "a setting"),
        ("PORT_NAME_TCP", "tcp", "a setting"), ("APP_ACCESS", "everyone", "a setting"),
    ])
    func `a variable that isn't known, or whose value has another type, is refused by name`(
        _ name: String,
        _ value: String,
        _ kind: String
    ) throws {
        let variable = "FREEHOLD_" + name
        let (status, output) = try serve(["\(variable)=\(value)"])
        #expect(status == 1 && output == "Error: '\(variable)' in the environment isn't \(kind).\n", "\(output)")
        // A command that doesn't read settings would use files in place of the database.
        let folder = try ServerProcess.folder()
        let list = try ServerProcess.run(
            ["app", "list", folder.path],
            launcher: ["\(variable)=\(value)"],
            takesErrors: true
        )
        #expect(list.status == 1 && list.output.contains("'\(variable)'"), "\(list.output)")
    }

    @Test func `variables with the values of settings are accepted`() async throws {
        let folder = try ServerProcess.folder()
        let server = try ServerProcess(
            folder.path,
            launcher: [
                "FREEHOLD_COMPRESSION=No", "FREEHOLD_DRAIN_SECONDS=1", "FREEHOLD_HTTP_ORIGINS=*,https://a.example",
                "FREEHOLD_APP_" + "TEST_ACCESS=everyone", "FREEHOLD_APP_" + "TEST_STREAMS=a,b", "FREEHOLD_SEED=5",
                "FREEHOLD_TOKENS_ANONYMOUS=1", "FREEHOLD_ACCOUNTS_TOKEN_SECONDS=60",
                // Kubernetes sets these for services that are named `freehold` and `freehold-node`.
                "FREEHOLD_SERVICE_HOST=10.0.0.1", "FREEHOLD_SERVICE_PORT_HTTP=80", "FREEHOLD_PORT_80_TCP_PROTO=tcp",
                "FREEHOLD_" + "NODE_PORT=tcp://10.0.0.1:80",
            ]
        )
        await server.end(SIGTERM)
        #expect(server.status == 0)
    }

    @Test func `the variables of the project's tests and tools aren't taken for settings`() throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        var names: Set<String> = []
        for place in ["Makefile", "Scripts", "Sources", "Tests", "Tools", "Examples", "Benchmarks", "Server"] {
            let path = root.appendingPathComponent(place).path
            var files = [path]
            if let paths = FileManager.default.enumerator(atPath: path) {
                while let file = paths.nextObject() as? String {
                    if file.contains(".build") { paths.skipDescendants() } else { files.append("\(path)/\(file)") }
                }
            }
            for file in files {
                let kind = URL(fileURLWithPath: file).pathExtension
                guard ["", "swift", "py", "sh", "c", "h", "yaml", "conf", "service"].contains(kind),
                    let text = try? String(contentsOfFile: file, encoding: .utf8), text.contains("FREEHOLD_")
                else { continue }
                for part in text.components(separatedBy: "FREEHOLD_").dropFirst() {
                    let name = String(part.prefix { $0.isUppercase || $0.isNumber || $0 == "_" })
                    // The guards of headers aren't variables, and a name that ends here is the beginning of several.
                    if name.count > 1, !name.hasSuffix("_"), !name.hasSuffix("_H") { names.insert("FREEHOLD_" + name) }
                }
            }
        }
        #expect(names.count > 40, "\(names.sorted())")
        let folder = try ServerProcess.folder()
        let (_, output) = try ServerProcess.run(
            ["status", folder.path],
            launcher: names.sorted().map { "\($0)=x" },
            takesErrors: true
        )
        #expect(!output.contains("isn't a setting"), "\(output)")
    }

    @Test(arguments: [0, -1, 2_592_001]) func `the lifetime of access tokens has a range`(_ seconds: Int) throws {
        let (status, output) = try serve(["FREEHOLD_ACCOUNTS_TOKEN_SECONDS=\(seconds)"])
        #expect(status == 1 && output.contains("'accounts.tokenSeconds' is \(seconds)"), "\(output)")
    }

    @Test func `a file of the secret of accounts that other users can read is refused`() async throws {
        let folder = try ServerProcess.folder()
        let secret = "\(folder.path)/shared.secret"
        try "a text of at least 32 bytes, which signs tokens".write(toFile: secret, atomically: true, encoding: .utf8)
        let link = "\(folder.path)/link.secret"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: secret)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: secret)
        for path in [secret, link] {
            let (status, output) = try serve(["FREEHOLD_ACCOUNTS_SECRET_FILE=\(path)"], in: folder)
            #expect(status == 1 && output.contains("can read \(path): execute chmod 600"), "\(output)")
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret)
        let server = try ServerProcess(folder.path, launcher: ["FREEHOLD_ACCOUNTS_SECRET_FILE=\(link)"])
        await server.end(SIGTERM)
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/accounts.secret"))
    }

    @Test(.enabled(if: geteuid() == 0, "Only root may create files of other users."))
    func `a secret that a command of root creates is the folder's owner's`() throws {
        let folder = try ServerProcess.folder()
        let owner: [FileAttributeKey: Any] = [.ownerAccountID: 65_534, .groupOwnerAccountID: 65_534]
        try FileManager.default.setAttributes(owner, ofItemAtPath: folder.path)
        _ = try ServerProcess.run(["studio", folder.path, "--print-key"])
        let made = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/accounts.secret")
        #expect((made[.ownerAccountID] as? NSNumber)?.intValue == 65_534)
        #expect((made[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }

    @Test func `init keeps the secret of a folder without settings`() throws {
        let folder = try TestFolder()
        let secret = "\(folder.path)/token.secret"
        try TestServer.secret.write(toFile: secret, atomically: true, encoding: .utf8)
        #expect(try ServerProcess.run(["init", folder.path, "--app", "test"]).status == 0)
        #expect(try String(contentsOfFile: secret, encoding: .utf8) == TestServer.secret)
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/server.json"))
        let other = try TestFolder()
        #expect(try ServerProcess.run(["init", other.path, "--app", "test"]).status == 0)
        #expect(try String(contentsOfFile: "\(other.path)/token.secret", encoding: .utf8).utf8.count > 32)
    }

    @Test func `imports write under the file of the server, whichever place its secret has`() async throws {
        let folder = try ServerProcess.folder()
        #expect(try ServerProcess.run(["app", "create", folder.path, "words", "--access", "everyone"]).status == 0)
        let schema = "\(folder.path)/schema.json"
        try #"{"title": "Word", "bsonType": "object", "properties": {"_id": {"bsonType": "string"}}}"#
            .write(toFile: schema, atomically: true, encoding: .utf8)
        #expect(try ServerProcess.run(["schema", "push", folder.path, "words", schema]).status == 0)
        let file = "\(folder.path)/shared.secret"
        try "a text of at least 32 bytes, which signs tokens".write(toFile: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let settings = "\(folder.path)/server.json"
        let text = try String(contentsOfFile: settings, encoding: .utf8)
        for (index, variables) in [
            ["FREEHOLD_ACCOUNTS_SECRET=a text of at least 32 bytes, which signs tokens"],
            ["FREEHOLD_ACCOUNTS_SECRET_FILE=\(file)"], [],
        ].enumerated() {
            if variables.isEmpty {
                try text.replacing(#"{"admin""#, with: #"{"accounts":{"secretFile":"shared.secret"},"admin""#)
                    .write(toFile: settings, atomically: true, encoding: .utf8)
            }
            let done = try ServerProcess.run(
                ["import", folder.path, "words", "-", "--class", "Word"],
                input: "{\"_id\": \"\(index)\"}",
                launcher: variables,
                takesErrors: true
            )
            #expect(done.status == 0 && done.output.contains("1 created"), "\(done.output)")
        }
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/accounts.secret"))
        #expect(try ServerProcess.run(["streams", folder.path]).output.contains("files=1\t"))
    }

    @Test func `a backup into the folder itself is refused, and changes nothing`() throws {
        let folder = try ServerProcess.folder()
        let outside = try TestFolder()
        let (link, back) = (outside.path + "/link", folder.path + "/elsewhere")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path)
        func names() throws -> [String] { try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() }
        let before = try names()
        for target in [folder.path + "/backup", folder.path + "/new/backup", link + "/backup", link + "/a/b"] {
            for command in ["backup", "restore"] {
                let (status, output) = try ServerProcess.run([command, folder.path, target], takesErrors: true)
                #expect(status == 64 && output.contains("Name a folder outside of it."), "\(output)")
                #expect(try names() == before)
            }
        }
        let (status, output) = try ServerProcess.run(["backup", link, folder.path + "/backup"], takesErrors: true)
        #expect(status == 64 && output.contains("outside"), "\(output)")
        #expect(try names() == before)
        // A link in the folder leads to the place of the copy, and another one to a folder that contains it.
        try FileManager.default.createDirectory(atPath: outside.path + "/copies", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: back, withDestinationPath: outside.path + "/copies")
        let linked = try ServerProcess.run(
            ["backup", folder.path, outside.path + "/copies/new"],
            takesErrors: true
        )
        #expect(linked.status == 64 && linked.output.contains("outside"), "\(linked.output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside.path + "/copies").isEmpty)
        try FileManager.default.removeItem(atPath: back)
        try FileManager.default.createSymbolicLink(atPath: back, withDestinationPath: ".")
        let circle = try ServerProcess.run(["backup", folder.path, outside.path + "/circle"], takesErrors: true)
        #expect(circle.status == 64 && circle.output.contains("Remove the link."), "\(circle.output)")
        #expect(!FileManager.default.fileExists(atPath: outside.path + "/circle"))
        try FileManager.default.removeItem(atPath: back)
        // A folder whose name only begins like the source's one.
        let beside = folder.path + "-copy"
        defer { try? FileManager.default.removeItem(atPath: beside) }
        #expect(try ServerProcess.run(["backup", folder.path, beside]).status == 0)
    }

    #if !PostgreSQL
        @Test func `commands of databases in a program without PostgreSQL fail with the reason`() throws {
            let folder = try ServerProcess.folder()
            let place = folder.path
            for words in [
                ["store", "restored", place], ["app", "copy", place], ["migrate-store", place, "postgresql:///x"],
                ["app", "list", place, "--store", "postgresql:///x"], ["sql", "views", place, "test"],
            ] {
                let (status, output) = try ServerProcess.run(words, takesErrors: true)
                #expect(status == 64 && output.contains("built without PostgreSQL"), "\(words): \(output)")
            }
        }
    #endif

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
