import Foundation
import FreeholdSync
import FreeholdSyncCore
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A `freehold-server` in a process of its own.
final class ServerProcess: @unchecked Sendable {
    // Not changed after the initializer.
    private let process = Process()
    private let ended: AsyncStream<Void>
    let port: Int
    /// The first line of the server's output.
    let line: String

    static let program = (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0]))
        .deletingLastPathComponent().appendingPathComponent("freehold-server")
    static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: program.path) }
    /// The identifier of the process.
    var identifier: Int32 { process.processIdentifier }

    /// Runs a command and waits for its end.
    static func run(
        _ arguments: [String],
        input: String = "",
        launcher: [String] = [],
        takesErrors: Bool = false
    ) throws -> (
        status: Int32, output: String
    ) {
        let (process, output, given) = (Process(), Pipe(), Pipe())
        process.setCommand(launcher, program, arguments)
        (process.standardOutput, process.standardInput) = (output, given)
        process.standardError = takesErrors ? output : FileHandle.nullDevice
        try process.run()
        given.fileHandleForWriting.write(Data(input.utf8))
        try given.fileHandleForWriting.close()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    /// Starts the server and waits for its first line.
    ///
    /// - Parameters:
    ///   - folder: Nil for a server with a database and no folder.
    ///   - launcher: The name of a program with arguments that runs the server, or variables of the environment. Empty to run the server directly.
    init(_ folder: String?, port: Int = 0, _ flags: [String] = [], launcher: [String] = []) throws {
        let output = Pipe()
        let arguments = ["serve"] + [folder].compactMap { $0 } + ["--port", "\(port)", "--log-level", "error"] + flags
        process.setCommand(launcher, Self.program, arguments)
        // The process of the tests may need long for its first request, because other tests block its threads.
        process.environment = ProcessInfo.processInfo.environment.merging(["FREEHOLD_LIMITS_GREETING_SECONDS": "60"]) {
            $1
        }
        process.standardOutput = output
        let (stream, end) = AsyncStream<Void>.makeStream()
        ended = stream
        process.terminationHandler = { _ in end.finish() }
        try process.run()
        var line = ""
        while !line.hasSuffix("\n") {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            line += String(decoding: data, as: UTF8.self)
        }
        self.line = line
        let digits = line.split(separator: ":").last.map { $0.prefix { $0.isNumber } }
        self.port = try #require(digits.flatMap { Int($0) }, "The server said: \(line)")
    }

    /// The exit status of a process that has ended.
    var status: Int32 { process.terminationStatus }

    /// Kills the server of a failed test. The server would otherwise hold the output of the test run open.
    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    func end(_ signal: Int32) async {
        kill(process.processIdentifier, signal)
        for await _ in ended {}
    }

    /// Returns a new folder whose settings accept the tokens of `TestServer`.
    static func folder() throws -> TestFolder {
        let folder = try TestFolder()
        try TestServer.secret.write(toFile: "\(folder.path)/token.secret", atomically: true, encoding: .utf8)
        let settings = """
            {"admin":{"port":0},"apps":["test"],"app":{"test":{"access":"everyone"}},"tokens":{"secretFile":"token.secret"}}
            """
        try settings.write(toFile: "\(folder.path)/server.json", atomically: true, encoding: .utf8)
        return folder
    }
}

extension Process {
    /// Sets the program and its arguments.
    ///
    /// - Parameter launcher: The name of a program with arguments that runs the command. Empty to run the command
    ///   directly.
    func setCommand(_ launcher: [String], _ program: URL, _ arguments: [String]) {
        executableURL = launcher.isEmpty ? program : URL(fileURLWithPath: "/usr/bin/env")
        self.arguments = launcher.isEmpty ? arguments : launcher + [program.path] + arguments
    }
}

@Suite(.timeLimit(.minutes(20)), .enabled(if: ServerProcess.isBuilt, "freehold-server isn't built"))
struct ProcessTests {
    @Test func `a restart keeps documents`() async throws {
        let folder = try ServerProcess.folder()
        var server = try ServerProcess(folder.path)
        let a = try await TestClient(port: server.port)
        try await a.subscribe()
        for key in 1...20 { try a.create(.int(Int64(key)), ["name": .string(SyncString("thing \(key)"))]) }
        try await a.session.waitForUpload()
        await a.close()
        await server.end(SIGTERM)
        server = try ServerProcess(folder.path)
        let b = try await TestClient(port: server.port, user: "bob")
        try await b.subscribe()
        try await b.settle()
        #expect(b.contents.count == 20)
        #expect(b.value(7, "name") == .string("thing 7"))
        await b.close()
        await server.end(SIGTERM)
    }

    @Test func `a signal that is sent when the first line is read ends the server`() async throws {
        let folder = try ServerProcess.folder()
        for number in 0..<20 {
            let server = try ServerProcess(folder.path)
            let start = ContinuousClock.now
            await server.end(number % 2 == 0 ? SIGTERM : SIGINT)
            let time = ContinuousClock.now - start
            #expect(time < .seconds(30) && server.status == 0, "\(number): \(time), status \(server.status)")
        }
    }

    @Test func `SIGTERM ends a server in time whatever its clients ask for`() async throws {
        let folder = try ServerProcess.folder()
        let settings = try String(contentsOfFile: "\(folder.path)/server.json", encoding: .utf8)
        let limits = #"{"drain":{"seconds":1},"limits":{"objectSteps":1000000000},"admin""#
        try settings.replacing(#"{"admin""#, with: limits)
            .write(toFile: "\(folder.path)/server.json", atomically: true, encoding: .utf8)
        let server = try ServerProcess(folder.path)
        let client = try await TestClient(port: server.port)
        try await client.subscribe()
        for key in 1...40 {
            let lists = [("l", 0), ("m", 1_000_000)].map { name, start in
                (SyncString(name), MergedContent.list((start..<start + 500).map { .value(.int(Int64($0))) }))
            }
            let contents = Dictionary(uniqueKeysWithValues: lists)
            try client.commit([.create(ObjectName("Thing", .int(Int64(key))), contents, defaults: [])])
        }
        try await client.settle()
        let expensive = ClassQuery(className: "Thing", condition: "ANY l == ANY m")
        var peers: [RawPeer] = []
        for number in 0..<8 {
            let peer = try await RawPeer(port: server.port)
            try await peer.hello(TestServer.token("mallory \(number)"))
            #expect(try await peer.bind("test") == nil)
            try await peer.send(.credit(1, bytes: 1 << 30))
            try await peer.send(.queries(1, Queries(version: 1, queries: [expensive])))
            _ = try await peer.next { if case .bootstrapBegin = $0 { true } else { false } }
            peers.append(peer)
        }
        let start = ContinuousClock.now
        await server.end(SIGTERM)
        let time = ContinuousClock.now - start
        #expect(time < .seconds(10), "\(time)")
        for peer in peers { peer.close() }
        await client.close()
    }

    @Test func `a server that is killed while clients write loses nothing and doubles nothing`() async throws {
        let folder = try ServerProcess.folder()
        var server = try ServerProcess(folder.path)
        let (port, rounds) = (server.port, ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] == nil ? 4 : 100)
        let a = try await TestClient(port: port)
        let b = try await TestClient(port: port, user: "bob")
        try await a.subscribe()
        try await b.subscribe()
        var key: Int64 = 0
        for _ in 0..<rounds {
            for client in [a, b] {
                for _ in 0..<10 {
                    key += 1
                    try client.create(.int(key), ["name": .string(SyncString("\(key)"))])
                }
            }
            // The server is killed in the middle of its work: the clients didn't wait for the uploads.
            await server.end(SIGKILL)
            for client in [a, b] {
                key += 1
                try client.create(.int(key), ["name": .string(SyncString("\(key)"))])
            }
            server = try ServerProcess(folder.path, port: port)
        }
        for client in [a, b] { try await client.session.waitForUpload() }
        for client in [a, b] { try await client.session.waitForDownload() }
        #expect(a.contents.count == Int(key))
        #expect(a.contents == b.contents)
        let late = try await TestClient(port: port, user: "late")
        try await late.subscribe()
        try await late.settle()
        #expect(late.contents == a.contents)
        for client in [a, b, late] { await client.close() }
        await server.end(SIGTERM)
    }

    @Test func `a backup of a server at work is restored, and clients bring what came after it`() async throws {
        let folder = try ServerProcess.folder()
        var server = try ServerProcess(folder.path)
        let port = server.port
        let a = try await TestClient(port: port)
        try await a.subscribe()
        for key in 1...20 { try a.create(.int(Int64(key)), ["name": .string("before")]) }
        try await a.session.waitForUpload()
        let (backup, restored) = (folder.path + "/../backup-\(UUID())", folder.path + "/../restored-\(UUID())")
        defer {
            try? FileManager.default.removeItem(atPath: backup)
            try? FileManager.default.removeItem(atPath: restored)
        }
        #expect(try ServerProcess.run(["backup", folder.path, backup]).status == 0)
        #expect(try ServerProcess.run(["backup", folder.path, backup]).status != 0)
        for key in 21...30 { try a.create(.int(Int64(key)), ["name": .string("after")]) }
        try await a.settle()
        await server.end(SIGKILL)
        #expect(try ServerProcess.run(["restore", backup, restored]).status == 0)
        server = try ServerProcess(restored, port: port)
        try a.create(.int(31), ["name": .string("later")])
        try await a.settle()
        let b = try await TestClient(port: port, user: "bob")
        try await b.subscribe()
        try await b.settle()
        #expect(b.contents.count == 31)
        #expect(b.contents == a.contents)
        for client in [a, b] { await client.close() }
        await server.end(SIGTERM)
    }

    @Test func `an export has every document, while the server runs and afterwards`() async throws {
        let folder = try ServerProcess.folder()
        #expect(try ServerProcess.run(["export", folder.path, "test", "--class", "Thing"]).status != 0)
        let server = try ServerProcess(folder.path)
        let a = try await TestClient(port: server.port)
        try await a.subscribe()
        for key in 1...20 {
            try a.create(.int(Int64(key)), ["name": .string(SyncString("thing \(key)")), "size": .int(1 << 40)])
        }
        try await a.session.waitForUpload()
        let lines = try ServerProcess.run(["export", folder.path, "test", "--class", "Thing"]).output.split(
            separator: "\n"
        )
        #expect(lines.count == 20)
        #expect(lines.contains(#"{"_id":7,"name":"thing 7","size":1099511627776}"#))
        await a.close()
        await server.end(SIGTERM)
        let target = folder.path + "/../export-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: target) }
        #expect(try ServerProcess.run(["export", folder.path, "test", "--canonical", "--output", target]).status == 0)
        let text = try String(contentsOfFile: target + "/Thing.jsonl", encoding: .utf8)
        #expect(text.split(separator: "\n").count == 20)
        #expect(text.contains(#"{"_id":{"$numberLong":"7"},"name":"thing 7","size":{"$numberLong":"1099511627776"}}"#))
        #expect(try ServerProcess.run(["export", folder.path, "test", "--output", target]).status != 0)
        #expect(try ServerProcess.run(["export", folder.path, "other", "--class", "Thing"]).status != 0)
        #expect(try ServerProcess.run(["export", folder.path, "test", "--class", "Nothing"]).output.isEmpty)
    }

    @Test func `commands make apps and users while the server runs`() async throws {
        let folder = try ServerProcess.folder()
        let server = try ServerProcess(folder.path)
        let made = try ServerProcess.run(["app", "create", folder.path, "notes", "--email-password", "mail"])
        #expect(made.status == 0)
        #expect(try ServerProcess.run(["app", "create", folder.path, "notes"]).status != 0)
        #expect(try ServerProcess.run(["app", "list", folder.path]).output.contains("notes\temail-password=mail"))
        let user = try ServerProcess.run(
            ["user", "create", folder.path, "notes", "ann@example.org"],
            input: "a long password\n"
        )
        let id = user.output.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(AccountIdentifiers.isOne(id))
        #expect(try ServerProcess.run(["user", "disable", folder.path, id]).status == 0)
        let list = try ServerProcess.run(["user", "list", folder.path, "notes"]).output
        #expect(list == "\(id)\tdisabled\tann@example.org\n")
        #expect(try ServerProcess.run(["user", "enable", folder.path, id]).status == 0)
        #expect(try ServerProcess.run(["user", "log-out", folder.path, id]).status == 0)
        #expect(try ServerProcess.run(["key", "list", folder.path, id]).output.isEmpty)
        let secret = try ServerProcess.run(["key", "create", folder.path, id, "job"])
        #expect(secret.status == 0)
        #expect(secret.output.count > 32)
        #expect(try ServerProcess.run(["key", "create", folder.path, id, "job"]).status != 0)
        func key() throws -> [String] {
            try ServerProcess.run(["key", "list", folder.path, id]).output.split(whereSeparator: \.isWhitespace).map(
                String.init
            )
        }
        #expect(try key().dropFirst() == ["enabled", "job"])
        let number = try #require(try key().first)
        #expect(try ServerProcess.run(["key", "disable", folder.path, id, number]).status == 0)
        #expect(try key() == [number, "disabled", "job"])
        #expect(try ServerProcess.run(["key", "enable", folder.path, id, number]).status == 0)
        #expect(try key() == [number, "enabled", "job"])
        #expect(try ServerProcess.run(["key", "delete", folder.path, id, "5f0000000000000000000000"]).status != 0)
        #expect(try ServerProcess.run(["key", "delete", folder.path, id, number]).status == 0)
        #expect(try key().isEmpty)
        #expect(try ServerProcess.run(["user", "delete", folder.path, id]).status == 0)
        #expect(try ServerProcess.run(["user", "list", folder.path, "notes"]).output.isEmpty)
        #expect(try ServerProcess.run(["app", "delete", folder.path, "notes"]).status == 0)
        await server.end(SIGTERM)
    }
}

enum AccountIdentifiers {
    static func isOne(_ text: String) -> Bool { text.count == 24 && text.allSatisfy { $0.isHexDigit } }
}
