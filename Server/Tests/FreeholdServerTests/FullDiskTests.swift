import Foundation
import FreeholdBSON
import FreeholdSync
import FreeholdSyncCore
import Logging
import Synchronization
import Testing

@testable import FreeholdServer

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A store in memory that can refuse writes as on a full disk.
private final class FullStore: NodeStore {
    private let store = QueuedServerStore(MemoryServerStore(epoch: 7))
    let isFull = Atomic(false)

    func perform(_ request: ServerStoreRequest, _ answer: @escaping @Sendable (ServerStoreAnswer) -> Void) {
        guard request.kind.isWrite, isFull.load(ordering: .relaxed) else { return store.perform(request, answer) }
        answer(.failed(.fullDisk("No byte is left.")))
    }
}

/// A server with a full disk, or with a full disk for its log.
@Suite(.timeLimit(.minutes(20))) struct FullDiskTests {
    @Test func `a full disk is named in the log, in the status and to the administrator, and devices read`()
        async throws
    {
        let (lines, store) = (LogLines(), FullStore())
        let server = try await AccountProbe(logger: Logger(label: "test") { _ in lines.handler() }, sync: store) {
            $0.administratorPort = 0
        }
        let token = try #require(try await server.loginAnonymous()["access_token"])
        let first = try await TestClient(port: server.port, token: token)
        try await first.subscribe()
        try first.create(.int(1), ["name": "a"])
        try await first.session.waitForUpload()

        store.isFull.store(true, ordering: .relaxed)
        try first.create(.int(2), ["name": "b"])
        let node = server.running.node
        for _ in 0..<500 where node.status.blocked.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        // A new device, whose file the server doesn't know yet.
        let other = try #require(try await server.loginAnonymous()["access_token"])
        let second = try await TestClient(port: server.port, token: other)
        try await second.subscribe()
        try await second.settle()
        #expect(second.value(1, "name") == "a" && second.contents.count == 1)

        let status = node.status
        #expect(status.isReady && status.blocked.count == 1)
        #expect(status.blocked.first?.reason == "The disk is full. No byte is left.")
        #expect(status.json.contains("The disk is full.") && status.json.contains(#""diskFull":true"#))
        let port = try #require(server.running.administratorPort)
        let inside = try await RawConnection.ask(["GET /ready HTTP/1.1", "Host: localhost"], port: port)
        #expect(inside.status == 200 && inside.text.contains("test") && inside.text.contains("The disk is full."))
        func metrics() async throws -> String {
            try await RawConnection.ask(["GET /metrics HTTP/1.1", "Host: localhost"], port: port).text
        }
        let full = try await metrics().split(whereSeparator: \.isNewline)
        #expect(full.contains("freehold_blocked_streams 1") && full.contains("freehold_disk_full 1"))
        let space = full.filter { $0.hasPrefix("freehold_disk_") }.compactMap { $0.split(separator: " ").last }
        #expect(space.count { (Double($0) ?? 0) > 1_000 } == 2, "\(space)")
        let outside = try await RawConnection.ask(["GET /ready HTTP/1.1", "Host: localhost"], port: server.port)
        #expect(outside.status == 200 && !outside.text.contains("The disk is full."))
        let failures = lines.text.split(separator: "\n").filter { $0.contains("the store failed") }
        #expect(!failures.isEmpty && failures.count <= 8, "\(failures.count)")
        #expect(failures.allSatisfy { $0.contains("The disk is full.") && $0.contains("\"app\"") })

        store.isFull.store(false, ordering: .relaxed)
        try await first.session.waitForUpload()
        for _ in 0..<2_000 where second.contents.count < 2 { try await Task.sleep(for: .milliseconds(20)) }
        #expect(second.value(2, "name") == "b")
        #expect(node.status.blocked.isEmpty)
        let free = try await metrics().split(whereSeparator: \.isNewline)
        #expect(free.contains("freehold_blocked_streams 0") && free.contains("freehold_disk_full 0"))
        await first.close()
        await second.close()
        await server.stop()
    }

    @Test func `failures of one reason have a line of the log after growing pauses`() {
        var log = FailureLog()
        var times: [Int64] = []
        for time in 0..<200_000 as Range<Int64> where log.takes("full", of: "a", at: time) { times.append(time) }
        #expect(times == [0, 1_000, 3_000, 7_000, 15_000, 31_000, 63_000, 123_000, 183_000])
        let others = [
            log.takes("full", of: "b", at: 200_000), log.takes("damaged", of: "a", at: 200_000),
            log.takes("damaged", of: "a", at: 200_500),
        ]
        #expect(others == [true, true, false])
        log.succeeded("a")
        let next = log.takes("damaged", of: "a", at: 200_501)
        #expect(next)
    }

    @Test(
        .enabled(if: ServerProcess.isBuilt && FileManager.default.fileExists(atPath: "/dev/full")),
        arguments: [">/dev/full 2>/dev/full", "2>/dev/full", ">&- 2>&-"]
    )
    func `a server whose output has no room goes on`(_ target: String) async throws {
        let folder = try ServerProcess.folder()
        let port = try await DeployTests.freePort()
        let process = Process()
        process.setCommand(
            ["sh", "-c", "exec \"$0\" \"$@\" \(target)"],
            ServerProcess.program,
            ["serve", folder.path, "--port", "\(port)", "--development", "--log-level", "trace"]
        )
        try process.run()
        defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        func status(_ path: String) async -> Int {
            let answer = try? await RawConnection.ask(["GET \(path) HTTP/1.1", "Host: localhost"], port: port)
            return answer?.status ?? 0
        }
        for _ in 0..<2_400 where process.isRunning {
            if await status("/health") == 200 { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        // Each request writes lines to the log.
        for _ in 0..<20 {
            var answer = await status("/nothing")
            // On a busy machine, a connection may end before its answer.
            for _ in 0..<10 where answer == 0 && process.isRunning { answer = await status("/nothing") }
            #expect(answer == 404)
        }
        process.terminate()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    }

    /// The program that changes the limits of a running process.
    private static let prlimit = "/usr/bin/prlimit"
    private static var isPossible: Bool {
        ServerProcess.isBuilt && FileManager.default.isExecutableFile(atPath: prlimit)
    }

    /// Sets the largest file size of the process to 1 byte. That stands for a full disk: no byte behind the first can
    /// be written, and no test needs a disk of its own.
    private static func setFull(_ isFull: Bool, _ server: ServerProcess) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: prlimit)
        process.arguments = ["--pid", "\(server.identifier)", "--fsize=\(isFull ? "1" : "unlimited"):unlimited"]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    @Test(.enabled(if: isPossible))
    func `a stream that has no room is reported, is read by a new device, and goes on`() async throws {
        let folder = try ServerProcess.folder()
        let port = try await DeployTests.freePort()
        let launcher = ["env", "FREEHOLD_ADMIN_PORT=\(port)"]
        let server = try ServerProcess(folder.path, launcher: launcher)
        func status() async throws -> String {
            try await RawConnection.ask(["GET /status HTTP/1.1", "Host: localhost"], port: port).text
        }
        let a = try await TestClient(port: server.port)
        try await a.subscribe()
        for key in 1...3 { try a.create(.int(Int64(key)), ["name": "a"]) }
        try await a.session.waitForUpload()

        try Self.setFull(true, server)
        try a.create(.int(4), ["name": "b"])
        for _ in 0..<500 where try await !status().contains("The disk is full.") {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(
            try ServerProcess.run(["status", folder.path], launcher: launcher).output.contains("The disk is full.")
        )
        let b = try await TestClient(port: server.port, user: "bob")
        try await b.subscribe()
        try await b.settle()
        #expect(b.contents.count == 3)
        try b.create(.int(5), ["name": "c"])

        try Self.setFull(false, server)
        try await a.session.waitForUpload()
        try await b.session.waitForUpload()
        for client in [a, b] {
            for _ in 0..<2_000 where client.contents.count < 5 { try await Task.sleep(for: .milliseconds(20)) }
            #expect(client.contents.count == 5)
        }
        #expect(try await status().contains("\"blocked\":[]"))
        for client in [a, b] { await client.close() }
        await server.end(SIGTERM)
    }

    @Test(.enabled(if: isPossible))
    func `a log-in is renewed while the file of accounts has no room`() async throws {
        let folder = try ServerProcess.folder()
        let server = try ServerProcess(folder.path, ["--development"])
        func ask(_ method: String, _ path: String, _ body: String = "", token: String = "") async throws -> (
            status: Int, body: BSONDocument
        ) {
            let head = [
                "\(method) /api/client/v2.0\(path) HTTP/1.1", "Host: localhost", "Authorization: Bearer \(token)",
                "Content-Length: \(body.utf8.count)", "Connection: close",
            ]
            let answer = try await RawConnection.ask(head, Array(body.utf8), port: server.port)
            let text = answer.text.replacing("\r\n", with: "\n")
            let start = text.firstRange(of: "\n\n")?.upperBound ?? text.endIndex
            return (answer.status, (try? BSONDocument(extendedJSON: String(text[start...]))) ?? [:])
        }
        var login = try await ask("POST", "/app/test/auth/providers/anon-user/login", "{}")
        // On a busy machine, the first log-in may fail.
        for _ in 0..<20 where login.status != 200 {
            login = try await ask("POST", "/app/test/auth/providers/anon-user/login", "{}")
        }
        let token = try #require(login.body["refresh_token"]?.stringValue)

        try Self.setFull(true, server)
        #expect(try await ask("POST", "/app/test/auth/providers/anon-user/login", "{}").status == 503)
        var renewed = try await ask("POST", "/auth/session", token: token)
        #expect(renewed.status == 201 && renewed.body["refresh_token"]?.stringValue == token)
        let access = try #require(renewed.body["access_token"]?.stringValue)
        #expect(try await ask("GET", "/auth/profile", token: access).status == 200)
        #expect(try await ask("POST", "/auth/session", token: access).status == 401)

        try Self.setFull(false, server)
        renewed = try await ask("POST", "/auth/session", token: token)
        #expect(renewed.status == 201 && renewed.body["refresh_token"]?.stringValue != token)
        await server.end(SIGTERM)
    }
}
