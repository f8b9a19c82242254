import Foundation
import FreeholdBSON
import FreeholdSyncCore
import FreeholdSyncRules
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import FreeholdServer

/// A server process with apps of each kind, as the target of attacks.
///
/// | App | |
/// |---|---|
/// | `notes` | All users share one stream. It has no schema. The attackers write there. |
/// | `other` | Like `notes`, for users that the attackers don't meet. |
/// | `own` | Each user has a stream. |
/// | `docs` | It has a schema, so that documents can be read and written over HTTP. |
/// | `safe` | Like `docs`, for users that the attackers don't meet. |
final class AttackedServer: Sendable {
    static let schema = """
        {"title": "Doc", "bsonType": "object", "required": ["_id"], "properties": {
          "_id": {"bsonType": "long"}, "owner": {"bsonType": "string"}, "text": {"bsonType": "string"},
          "number": {"bsonType": "long"}, "tags": {"bsonType": "array", "items": {"bsonType": "string"}}}}
        """
    static let password = "a long password"

    /// The rounds of the hash of the honest user's password. In debug builds, the usual number takes seconds.
    private static var passwordRounds: Int {
        #if DEBUG
            1 << 10
        #else
            1 << 15
        #endif
    }

    /// A Boolean value that indicates whether the server is built and the system shows the memory of processes.
    static var canRun: Bool {
        ServerProcess.isBuilt && FileManager.default.fileExists(atPath: "/proc/self/status")
    }

    /// A Boolean value that indicates whether this run includes all attacks.
    static let runsAll = ProcessInfo.processInfo.environment["FREEHOLD_ATTACKS"] != nil

    let folder: TestFolder
    let process: ServerProcess
    private let administratorPort: Int

    var port: Int { process.port }

    /// Creates the folder and starts the process.
    init() async throws {
        folder = try TestFolder()
        administratorPort = try await Self.freePort()
        let settings = """
            {"admin": {"port": \(administratorPort)}, "apps": ["notes", "other", "own"],
             "app": {"notes": {"access": "everyone"}, "other": {"access": "everyone"}, "own": {"access": "own-stream"}},
             "proxy": {"addresses": ["127.0.0.1"]}, "drain": {"seconds": 1},
             "tokens": {"secretFile": "token.secret", "apps": ["notes", "other", "own", "docs", "safe"]}}
            """
        try TestServer.secret.write(toFile: "\(folder.path)/token.secret", atomically: true, encoding: .utf8)
        try settings.write(toFile: "\(folder.path)/server.json", atomically: true, encoding: .utf8)
        let schema = try BSONDocument(extendedJSON: Self.schema)
        let accounts = try AccountStore(at: folder.path)
        for id in ["docs", "safe"] {
            let app = AccountApp(id: id, allowsAnonymous: true, emailPassword: .autoConfirm, access: .everyone)
            try await accounts.createApp(app)
            try await accounts.changeDocuments(of: id) {
                try $0.push([FreeholdSyncRules.SchemaDocument(schema: schema)])
            }
        }
        let hash = try PasswordHash(Self.password, rounds: Self.passwordRounds).text
        _ = try await accounts.createUser(
            NewUser(app: "safe", provider: .emailPassword, name: "ann@example.org", password: hash)
        )
        process = try ServerProcess(folder.path)
    }

    /// Kills the process, since an attacked process may be unable to end by itself.
    func end() async { await process.end(SIGKILL) }

    private static func freePort() async throws -> Int {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        let channel = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
        let port = channel.localAddress?.port
        try await channel.close()
        return try #require(port)
    }

    // MARK: Figures

    /// Returns the value of a metric, or `nil` if the server doesn't answer.
    func metric(_ name: String) async -> Int? {
        let answer = try? await AdministratorClient.get(
            "/metrics",
            host: "127.0.0.1",
            port: administratorPort,
            within: 60
        )
        let line = answer?.body.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.flatMap { Int($0.split(separator: " ")[1]) }
    }

    /// The resident memory of the process in bytes, without pages of files: the system takes those back when necessary.
    var residentBytes: Int { memory("RssAnon") }

    private func memory(_ name: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(process.identifier)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
        let digits = line.filter(\.isNumber)
        return (Int(digits) ?? 0) << 10
    }

    /// The bytes of the files in the server's folder. Holes of sparse files don't count.
    var diskBytes: Int {
        let keys: [URLResourceKey] = [.totalFileAllocatedSizeKey]
        let files = FileManager.default.enumerator(
            at: URL(fileURLWithPath: folder.path),
            includingPropertiesForKeys: keys
        )
        var sum = 0
        while let file = files?.nextObject() as? URL {
            sum += (try? file.resourceValues(forKeys: Set(keys)).totalFileAllocatedSize) ?? 0
        }
        return sum
    }
}

/// Watches the memory of a process and keeps the greatest value.
final class MemoryWatch: Sendable {
    private let greatest: Atomic<Int>
    private let isOver = Atomic(false)
    private let server: AttackedServer

    init(_ server: AttackedServer) {
        self.server = server
        greatest = Atomic(server.residentBytes)
        // The watch has a thread of its own, because tasks of the tests may wait for each other.
        Thread { [self] in
            while !isOver.load(ordering: .acquiring) {
                _ = greatest.max(server.residentBytes, ordering: .relaxed)
                Thread.sleep(forTimeInterval: 0.01)
            }
        }.start()
    }

    /// Ends the watch. Returns the greatest memory in bytes.
    func end() -> Int {
        isOver.store(true, ordering: .releasing)
        return greatest.load(ordering: .relaxed)
    }
}
