import Foundation
import Synchronization
import Testing

@testable import InventoryService

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The program in a process of its own.
private final class ServiceProcess: @unchecked Sendable {
    // Not changed after the initializer.
    private let process = Process()
    private let ended: AsyncStream<Void>
    let port: Int

    init(_ folder: TestFolder, environment: [String: String] = [:]) throws {
        let output = Pipe()
        process.executableURL = (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0]))
            .deletingLastPathComponent().appendingPathComponent("inventory")
        process.arguments = [folder.url.path, "--port", "0"]
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
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
        port = line.split(separator: ":").last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// Sends a signal, and waits for the end of the process.
    func end(_ signal: Int32) async -> Int32 {
        kill(process.processIdentifier, signal)
        return await status()
    }

    /// Waits for the end of the process.
    func status() async -> Int32 {
        for await _ in ended {}
        return process.terminationStatus
    }

    func request(_ method: String, _ path: String, body: String = "") async throws -> Answer {
        try await HTTPConnection.open(port: port) { try await $0.request(method, path, body: body) }
    }
}

private final class Counter: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
}

@Suite(.timeLimit(.minutes(5))) struct ProcessTests {
    @Test func `SIGTERM ends the program without an error, also with an open stream`() async throws {
        let folder = TestFolder()
        let first = try ServiceProcess(folder)
        let body = #"{"sku":"A","name":"N","category":"c"}"#
        #expect(try await first.request("POST", "/items", body: body).status == 201)
        try await HTTPConnection.open(port: first.port) { stream in
            try await stream.send("GET", "/events")
            #expect(try await stream.event(after: stream.head())?.name == "reload")
            #expect(await first.end(SIGTERM) == 0)
        }
        let second = try ServiceProcess(folder)
        #expect(try await second.request("GET", "/items/A").status == 200)
        #expect(await second.end(SIGINT) == 0)
    }

    @Test func `a killed program has every movement that it has confirmed`() async throws {
        let folder = TestFolder()
        let service = try ServiceProcess(folder)
        let item = #"{"sku":"A","name":"N","category":"c"}"#
        #expect(try await service.request("POST", "/items", body: item).status == 201)
        let confirmed = Counter()
        let clients = (0..<4).map { _ in
            Task {
                while true {
                    let body = #"[{"id":"\#(UUID())","sku":"A","delta":1}]"#
                    guard try await service.request("POST", "/movements", body: body).status == 201 else { return }
                    confirmed.add()
                }
            }
        }
        try await eventually { confirmed.value >= 20 }
        #expect(await service.end(SIGKILL) != 0)
        for client in clients { _ = await client.result }
        let again = try ServiceProcess(folder)
        let stored = try await again.request("GET", "/items/A").decoded(ItemInfo.self)
        // A client can miss the response of a movement that was stored.
        let count = confirmed.value
        #expect((count...count + clients.count).contains(stored.quantity))
        #expect(stored.revision == stored.quantity + 1)
        #expect(await again.end(SIGTERM) == 0)
    }

    @Test func `an encrypted file needs its key`() async throws {
        let folder = TestFolder()
        let key = ["INVENTORY_KEY": String(repeating: "0f", count: 64)]
        let first = try ServiceProcess(folder, environment: key)
        #expect(try await first.request("GET", "/items").status == 200)
        #expect(await first.end(SIGTERM) == 0)
        let wrong = ["INVENTORY_KEY": String(repeating: "0e", count: 64)]
        #expect(try await ServiceProcess(folder, environment: wrong).status() != 0)
        #expect(try await ServiceProcess(folder, environment: ["INVENTORY_KEY": "0f"]).status() != 0)
        let second = try ServiceProcess(folder, environment: key)
        #expect(try await second.request("GET", "/items").status == 200)
        #expect(await second.end(SIGTERM) == 0)
    }
}
