import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The programs of the tests. `make rounds` builds both into one folder.
enum Programs {
    static let folder = (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0]))
        .deletingLastPathComponent()
    static let rounds = folder.appendingPathComponent("rounds")
    static let server = folder.appendingPathComponent("freehold-server")

    /// Runs a program, and waits for its end.
    static func run(
        _ program: URL,
        _ arguments: [String],
        environment: [String: String] = [:]
    ) async throws -> (status: Int32, output: String) {
        try await withCheckedThrowingContinuation { continuation in
            // No thread of Swift's pool waits for the process.
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        let (process, output) = (Process(), Pipe())
                        process.executableURL = program
                        process.arguments = arguments
                        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
                        process.standardInput = FileHandle.nullDevice
                        (process.standardOutput, process.standardError) = (output, output)
                        try process.run()
                        let data = output.fileHandleForReading.readDataToEndOfFile()
                        process.waitUntilExit()
                        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
                    }
                )
            }
        }
    }
}

/// A folder that is removed after the test.
final class TestFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("rounds-\(UUID().uuidString)").path

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A `freehold-server` with the app of this example, in a process of its own.
final class RoundsServer: @unchecked Sendable {
    // One test uses a server, one call after another.
    private var process = Process()
    private var ended = AsyncStream<Never> { $0.finish() }
    private(set) var port = 0
    let folder: TestFolder
    private var data: String { folder.path + "/data" }

    var address: String { "http://127.0.0.1:\(port)" }

    init() async throws {
        folder = try TestFolder()
        // The files of a deployment: this source file is in Examples/Rounds/Tests/RoundsTests.
        let files = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Server").path
        try await run("init", data, "--app", "rounds")
        try await run("app", "create", data, "rounds", "--email-password", "auto-confirm")
        try await run("schema", "push", data, "rounds", files + "/schema")
        try await run("rules", "push", data, "rounds", files + "/rules.json")
        try start()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// Runs a command of the server on its folder.
    @discardableResult func run(_ arguments: String...) async throws -> String {
        let (status, output) = try await Programs.run(Programs.server, arguments)
        try #require(status == 0, "\(arguments): \(output)")
        return output
    }

    /// Starts the server, on the port that it had before.
    func start() throws {
        process = Process()
        let output = Pipe()
        process.executableURL = Programs.server
        process.arguments = ["serve", data, "--port", "\(port)", "--log-level", "error"]
        process.environment = ProcessInfo.processInfo.environment.merging(["FREEHOLD_ADMIN_PORT": "0"]) { $1 }
        process.standardOutput = output
        let (stream, end) = AsyncStream<Never>.makeStream()
        ended = stream
        process.terminationHandler = { _ in end.finish() }
        try process.run()
        var line = ""
        while !line.contains("\n") {
            let bytes = output.fileHandleForReading.availableData
            if bytes.isEmpty { break }
            line += String(decoding: bytes, as: UTF8.self)
        }
        let digits = line.split(separator: ":").last.map { $0.prefix { $0.isNumber } }
        port = try #require(digits.flatMap { Int($0) }, "The server printed: \(line)")
    }

    func stop() async {
        kill(process.processIdentifier, SIGTERM)
        for await _ in ended {}
    }

    func backup(_ name: String) async throws { try await run("backup", data, "\(folder.path)/\(name)") }

    /// Replaces the data of the stopped server by a backup.
    func restore(_ name: String) async throws {
        try FileManager.default.removeItem(atPath: data)
        try await run("restore", "\(folder.path)/\(name)", data)
    }

    func makeSupervisor(_ user: String) async throws {
        try await run("user", "set-data", data, user, #"{"supervisor": true}"#)
    }

    func disable(_ user: String) async throws { try await run("user", "disable", data, user) }
    func enable(_ user: String) async throws { try await run("user", "enable", data, user) }

    /// The documents of a class, as lines of JSON.
    func documents(_ name: String) async throws -> [String] {
        try await run("export", data, "rounds", "--class", name).split(separator: "\n").map(String.init)
    }
}

/// A device with the program of the example.
struct RoundsDevice {
    let name: String
    let server: RoundsServer
    let user: String
    private let folder: TestFolder

    /// Registers a user, and logs in. With the name of an existing user, it only logs in.
    init(_ name: String, _ server: RoundsServer, isNewUser: Bool = true) async throws {
        (self.name, self.server, folder) = (name, server, try TestFolder())
        let output = try await Self.logIn(name, server, folder: folder, register: isNewUser)
        try #require(output.status == 0, "\(output.output)")
        user = String(output.output.dropFirst("Logged in as ".count).prefix(24))
    }

    func logIn(password: String = "a long password") async throws -> (status: Int32, output: String) {
        try await Self.logIn(name, server, folder: folder, register: false, password: password)
    }

    private static func logIn(
        _ name: String,
        _ server: RoundsServer,
        folder: TestFolder,
        register: Bool,
        password: String = "a long password"
    ) async throws -> (status: Int32, output: String) {
        try await Programs.run(
            Programs.rounds,
            ["login", "\(name)@example.org", "--server", server.address, "--folder", folder.path]
                + (register ? ["--register"] : []),
            environment: ["ROUNDS_PASSWORD": password]
        )
    }

    /// Runs a command, and returns its output.
    @discardableResult func run(_ arguments: String..., status: Int32 = 0) async throws -> String {
        let result = try await Programs.run(Programs.rounds, arguments + ["--folder", folder.path])
        try #require(result.status == status, "\(name) \(arguments): \(result.output)")
        return result.output
    }

    @discardableResult func sync(status: Int32 = 0) async throws -> String {
        try await run("sync", "--seconds", "120", status: status)
    }
}
