import CoreMetrics
import Dispatch
import Foundation
import Freehold
import NIOCore
import ServiceLifecycle
import Testing

@testable import InventoryService

@Suite(.timeLimit(.minutes(5))) struct ServiceTests {
    @Test func `a stop completes requests, ends streams and closes the file`() async throws {
        let folder = TestFolder()
        try await RunningService.run(folder) { service in
            try await service.create("A", quantity: 1)
            let store = service.service.inventory.store
            try await HTTPConnection.open(port: service.port) { stream in
                try await stream.send("GET", "/events")
                #expect(try await stream.event(after: stream.head())?.name == "reload")

                // A writer at work: the request has to wait for it.
                let (begun, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                let writer = Task {
                    try await store.write { _ in
                        begun.signal()
                        end.wait()
                    }
                }
                await wait(for: begun)
                let request = Task { try await service.move("A", by: 1) }
                try await eventually { try await store.statistics().waitingWriters == 1 }
                await service.group.triggerGracefulShutdown()

                // The stream ends in the way of HTTP, with its last chunk.
                #expect(try await stream.event() == nil)
                try await eventually {
                    do {
                        return try await HTTPConnection.open(port: service.port) { _ in false }
                    } catch { return true }
                }
                #expect(!store.isClosed)
                end.signal()
                try await writer.value
                #expect(try await request.value.status == 201)
                try await eventually { store.isClosed }
            }
        }
        let inventory = try await Inventory(folder: folder.url)
        #expect(try await inventory.item("A").quantity == 2)
        await inventory.store.close()
    }

    @Test func `a request that waits too long for a writer can be repeated`() async throws {
        try await RunningService.run(settings: { $0.timeout = .milliseconds(50) }) { service in
            let store = service.service.inventory.store
            let (begun, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let writer = Task {
                try await store.write { _ in
                    begun.signal()
                    end.wait()
                }
            }
            await wait(for: begun)
            let body = #"{"sku":"A","name":"N","category":"c"}"#
            let answer = try await service.request("POST", "/items", body: body)
            #expect([503, 504].contains(answer.status))
            end.signal()
            try await writer.value
            try await eventually { try await service.request("POST", "/items", body: body).status == 201 }
        }
    }

    @Test func `backups are copies of one version, and the newest stay`() async throws {
        let folder = TestFolder()
        try await RunningService.run(
            folder,
            settings: { ($0.operatorToken, $0.keptBackups) = ("secret", 2) }
        ) { service in
            #expect(try await service.request("POST", "/backups").status == 401)
            let wrong = ["authorization": "Bearer secreT"]
            #expect(try await service.request("POST", "/backups", headers: wrong).status == 401)
            let token = ["authorization": "Bearer secret"]
            for number in 1...4 {
                try await service.create("N-\(number)")
                #expect(try await service.request("POST", "/backups", headers: token).status == 201)
            }
            let names = try await service.request("GET", "/backups", headers: token).decoded([String].self)
            #expect(names.count == 2)

            // A backup is a file like others. To restore it, put it in the place of the service's file.
            let restored = TestFolder()
            try FileManager.default.createDirectory(at: restored.url, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: folder.url.appendingPathComponent("backups/\(names[1])"),
                to: restored.url.appendingPathComponent("inventory.realm")
            )
            try await RunningService.run(restored) { old in
                let page = try await old.request("GET", "/items").decoded(Page<ItemInfo>.self)
                #expect(page.items.map(\.sku) == ["N-1", "N-2", "N-3"])
                // This service has no token for operators.
                #expect(try await old.request("POST", "/backups", headers: token).status == 404)
            }
        }
    }

    @Test func `backups are made at intervals`() async throws {
        try await RunningService.run(
            settings: { ($0.operatorToken, $0.backupInterval) = ("secret", .milliseconds(20)) }
        ) { service in
            try await eventually { try !service.service.backups.list().isEmpty }
        }
    }

    @Test func `metrics count requests by route and describe the file`() async throws {
        try await RunningService.run { service in
            try await service.create("A")
            _ = try await service.request("GET", "/items/A")
            _ = try await service.request("GET", "/items/NONE")
            try await eventually {
                let text = try await service.request("GET", "/metrics").body
                let lines = text.split(separator: "\n")
                func value(_ start: String) -> Double {
                    lines.first { $0.hasPrefix(start) }.flatMap { Double($0.split(separator: " ").last ?? "") } ?? 0
                }
                // Other tests of the process count, too.
                let route = #"hb_requests_total{http_route="/items/{sku}",http_request_method="GET""#
                return value(route + #",http_response_status_code="200"}"#) >= 1
                    && value(route + #",http_response_status_code="404"}"#) >= 1
                    && value("freehold_file_bytes ") > 0 && value("freehold_versions_active ") >= 1
                    && lines.contains("# TYPE http_server_request_duration_seconds histogram")
            }
            #expect(try await service.request("GET", "/health").status == 200)
        }
    }

    @Test func `series of metrics have Prometheus' text format`() {
        let metrics = PrometheusText()
        metrics.makeCounter(label: "a.b", dimensions: [("path", "x\"\\\ny")]).increment(by: 2)
        metrics.makeCounter(label: "a.b", dimensions: [("path", "x\"\\\ny")]).increment(by: 1)
        let timer = metrics.makeTimer(label: "t", dimensions: [])
        timer.recordNanoseconds(2_000_000)
        timer.recordNanoseconds(20_000_000_000)
        let text = metrics.text()
        #expect(text.contains("# TYPE a_b_total counter\na_b_total{path=\"x\\\"\\\\\\ny\"} 3\n"))
        #expect(text.contains("t_seconds_bucket{le=\"0.001\"} 0\nt_seconds_bucket{le=\"0.0025\"} 1\n"))
        #expect(text.contains("t_seconds_bucket{le=\"+Inf\"} 2\nt_seconds_sum 20.002\nt_seconds_count 2\n"))
    }
}

/// Waits for a semaphore without a thread of Swift's pool.
private func wait(for semaphore: DispatchSemaphore) async {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
            semaphore.wait()
            continuation.resume()
        }
    }
}
