import CoreMetrics
import Foundation
import Freehold
import Logging
import NIOCore
import ServiceLifecycle
import Testing

@testable import InventoryService

/// A folder that is removed after the test.
final class TestFolder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("inventory-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// The metrics of all services of the test run: a process has one factory.
let testMetrics: PrometheusText = {
    let metrics = PrometheusText()
    MetricsSystem.bootstrap(metrics)
    return metrics
}()

/// A service in this process.
struct RunningService {
    let port: Int
    let service: InventoryService
    let group: ServiceGroup

    /// Runs a service on a new file during the body, and stops it.
    static func run(
        _ folder: TestFolder = TestFolder(),
        settings change: (inout ServiceSettings) -> Void = { _ in },
        _ body: @escaping (RunningService) async throws -> Void
    ) async throws {
        var settings = ServiceSettings(folder: folder.url)
        settings.port = 0
        settings.timeout = .seconds(60)
        change(&settings)
        let (ports, port) = AsyncStream<Int>.makeStream()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let service = try await InventoryService(settings, metrics: testMetrics, logger: logger) { channel in
            port.yield(channel.localAddress?.port ?? 0)
        }
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [service], logger: logger))
        let run = Task {
            defer { port.finish() }
            try await group.run()
        }
        guard let number = await ports.first(where: { _ in true }) else { return try await run.value }
        let running = RunningService(port: number, service: service, group: group)
        do {
            try await body(running)
        } catch {
            run.cancel()
            _ = await run.result
            throw error
        }
        await group.triggerGracefulShutdown()
        try await run.value
        #expect(service.inventory.store.isClosed)
    }

    /// Sends a request over a connection of its own.
    func request(
        _ method: String,
        _ path: String,
        headers: [String: String] = [:],
        body: String = ""
    ) async throws -> Answer {
        try await HTTPConnection.open(port: port) { connection in
            try await connection.request(method, path, headers: headers, body: body)
        }
    }

    /// Creates an item.
    @discardableResult func create(
        _ sku: String,
        quantity: Int = 0,
        category: String = "tools"
    ) async throws -> Answer {
        let body = #"{"sku":"\#(sku)","name":"Item \#(sku)","category":"\#(category)","quantity":\#(quantity)}"#
        let answer = try await request("POST", "/items", body: body)
        #expect(answer.status == 201, "\(answer.body)")
        return answer
    }

    /// Moves a quantity of an item.
    func move(_ sku: String, by delta: Int, id: UUID = UUID()) async throws -> Answer {
        try await request("POST", "/movements", body: #"[{"id":"\#(id)","sku":"\#(sku)","delta":\#(delta)}]"#)
    }
}

/// Waits until a condition is true. The time limit only ends a test that would hang.
func eventually(_ condition: () async throws -> Bool) async throws {
    let limit = ContinuousClock.now + .seconds(120)
    while try await !condition() {
        try #require(ContinuousClock.now < limit, "The condition didn't become true.")
        try await Task.sleep(for: .milliseconds(5))
    }
}
