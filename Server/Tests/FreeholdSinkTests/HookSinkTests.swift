import Foundation
import FreeholdBSON
import FreeholdServerStore
import FreeholdSyncCore
import ServerTestRandom
import Synchronization
import TestReceiver
import Testing

@testable import FreeholdServer

@Suite("Objects to an HTTP address", .timeLimit(.minutes(20)))
struct HookSinkTests {
    private func pump(
        _ source: MemorySource,
        _ address: String,
        _ folder: SinkFolder,
        _ options: HookSink.Options = .init(secrets: ["new", "old"], timeout: .seconds(20)),
        disk: FaultyDisk = FaultyDisk(),
        now: @escaping @Sendable () -> Int64 = HookClock.now
    ) throws -> IngestPump {
        let sink = try HookSink(
            address,
            deadLetters: folder.path + "/dead.jsonl",
            options: options,
            transport: HookClient(),
            calls: .system,
            now: now
        )
        return IngestPump(
            source,
            to: sink,
            ledger: folder.path + "/ledger",
            options: .init(batchObjects: 5, idle: .milliseconds(5), backoff: .quick),
            calls: disk.calls,
            now: now
        )
    }

    private static func keys(_ requests: [Receiver.Request]) throws -> [Int64] {
        try requests.flatMap { request in
            try String(decoding: request.body, as: UTF8.self).split(separator: "\n").map { line in
                try #require(BSONDocument(extendedJSON: String(line))["_id"]?.asInt64())
            }
        }
    }

    @Test
    func `a batch is a POST of lines of JSON, signed, with its own key`() async throws {
        let (folder, source) = (try SinkFolder(), MemorySource())
        let receiver = try await Receiver { _, _ in .status(204) }
        source.add(0..<12)
        let options = HookSink.Options(secrets: ["new", "old"], headers: [("Authorization", "Bearer x")])
        try await pump(source, receiver.address, folder, options).drain()
        let requests = receiver.requests
        #expect(try Self.keys(requests) == Array(0..<12) && requests.count == 3)
        let now = HookClock.now() / 1_000
        for request in requests {
            #expect(request.uri == "/hook?app=shop")
            #expect(request.headers["content-type"] == "application/x-ndjson")
            #expect(request.headers["freehold-app"] == "shop" && request.headers["freehold-class"] == "Reading")
            #expect(request.headers["authorization"] == "Bearer x")
            let key = try #require(request.headers["idempotency-key"])
            let signature = try #require(request.headers["freehold-signature"])
            for secret in ["new", "old"] {
                #expect(HookSignature.isValid(signature, secret: secret, key: key, body: request.body, now: now))
            }
            #expect(!HookSignature.isValid(signature, secret: "other", key: key, body: request.body, now: now))
            #expect(!HookSignature.isValid(signature, secret: "new", key: key + "x", body: request.body, now: now))
            #expect(!HookSignature.isValid(signature, secret: "new", key: key, body: request.body + [1], now: now))
            #expect(!HookSignature.isValid(signature, secret: "new", key: key, body: request.body, now: now + 400))
        }
        #expect(Set(requests.compactMap { $0.headers["idempotency-key"] }).count == 3)
        await receiver.close()
    }

    @Test(
        "statuses, cut connections, silence and floods: objects arrive in order, and repetitions have equal keys and bodies"
    )
    func flaky() async throws {
        var random = SeededRandom(test: "flaky receiver")
        for _ in 0..<(isSoak ? 20 : 3) {
            let (folder, source) = (try SinkFolder(), MemorySource())
            let faults = Mutex(random)
            _ = random.next()
            let receiver = try await Receiver { _, _ in
                faults.withLock { random in
                    switch Int.random(in: 0..<20, using: &random) {
                    case 0: .status(500)
                    case 1: .status(503, retryAfter: 1)
                    case 2: .status(404)
                    case 3: .status(301)
                    case 4, 5: .cut(takes: true)
                    case 6: .cut(takes: false)
                    case 7: .silence
                    case 8: .flood
                    default: .status(200)
                    }
                }
            }
            let pump = try pump(source, receiver.address, folder, .init(secrets: ["s"], timeout: .milliseconds(100)))
            let task = Task { try await pump.run() }
            var next: Int64 = 0
            for _ in 0..<15 {
                let count = Int64.random(in: 1...12, using: &random)
                source.add(next..<next + count)
                next += count
                pump.wake()
                try await Task.sleep(for: .milliseconds(2))
            }
            while await pump.status.delivered < next { try await Task.sleep(for: .milliseconds(5)) }
            task.cancel()
            try await task.value
            let requests = receiver.requests
            var bodies: [String: [UInt8]] = [:]
            var distinct: [Receiver.Request] = []
            for request in requests {
                let key = try #require(request.headers["idempotency-key"])
                if let known = bodies.updateValue(request.body, forKey: key) {
                    #expect(known == request.body)
                } else {
                    distinct.append(request)
                }
            }
            #expect(try Self.keys(distinct) == Array(0..<next))
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/dead.jsonl"))
            await receiver.close()
        }
    }

    @Test
    func `deaths at any write of the ledger: the receiver knows what it has by the key`() async throws {
        for death in 0..<14 {
            for share in [0, 50, 100] {
                let (folder, source) = (try SinkFolder(), MemorySource())
                let receiver = try await Receiver { _, _ in .status(200) }
                source.add(0..<12)
                let dying = try pump(
                    source,
                    receiver.address,
                    folder,
                    disk: FaultyDisk(.init(death: death, share: share))
                )
                try? await dying.drain()
                source.add(12..<20)
                try await pump(source, receiver.address, folder).drain()
                var bodies: [String: [UInt8]] = [:]
                var distinct: [Receiver.Request] = []
                for request in receiver.requests {
                    let key = try #require(request.headers["idempotency-key"])
                    if let known = bodies.updateValue(request.body, forKey: key) {
                        #expect(known == request.body)
                    } else {
                        distinct.append(request)
                    }
                }
                #expect(try Self.keys(distinct) == Array(0..<20), "death at \(death), \(share) %")
                await receiver.close()
            }
        }
    }

    /// A transport without a network whose answers a test chooses.
    private struct Scripted: HookTransport {
        let answer: @Sendable (HookRequest) throws -> HookAnswer

        func post(_ request: HookRequest) throws -> HookAnswer { try answer(request) }
    }

    @Test
    func `a batch that is refused for long is written to the dead letters, and the next is tried`() async throws {
        let (folder, source) = (try SinkFolder(), MemorySource())
        let time = Mutex<Int64>(1_000_000)
        let sent = Mutex<[String]>([])
        let now: @Sendable () -> Int64 = { time.withLock { $0 } }
        let transport = Scripted { request in
            sent.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
            return HookAnswer(status: request.body.starts(with: Array(#"{"_id":0,"#.utf8)) ? 422 : 200)
        }
        func pump() throws -> IngestPump {
            let sink = try HookSink(
                "https://hooks.example/in",
                deadLetters: folder.path + "/dead.jsonl",
                options: .init(giveUp: .seconds(3_600)),
                transport: transport,
                calls: .system,
                now: now
            )
            return IngestPump(
                source,
                to: sink,
                ledger: folder.path + "/ledger",
                options: .init(batchObjects: 3),
                calls: .system,
                now: now
            )
        }
        source.add(0..<6)
        for _ in 0..<3 {
            await #expect(throws: IngestFailure.self) { try await pump().drain() }
            time.withLock { $0 += 1_000_000 }
        }
        #expect(sent.withLock { $0.count } == 3)
        // The time of the first attempt is kept over restarts.
        time.withLock { $0 += 1_000_000 }
        try await pump().drain()
        let letters = try String(contentsOfFile: folder.path + "/dead.jsonl", encoding: .utf8).split(separator: "\n")
        #expect(letters.count == 3)
        let letter = try BSONDocument(extendedJSON: String(letters[2]))
        #expect(
            letter["document"]?.documentValue?["_id"] == .int32(2) && letter["class"] == "Reading"
                && letter["app"] == "shop"
        )
        #expect(letter["reason"]?.stringValue?.contains("422") == true)
        #expect(sent.withLock { $0.last?.hasPrefix(#"{"_id":3,"#) } == true)
    }

    @Test
    func `Retry-After is what the failure asks for`() async throws {
        let folder = try SinkFolder()
        let sink = try HookSink(
            "https://hooks.example/in",
            deadLetters: folder.path + "/dead.jsonl",
            options: .init(),
            transport: Scripted { _ in HookAnswer(status: 429, retryAfter: 17) },
            calls: .system,
            now: { 0 }
        )
        let batch = IngestBatch(stream: StreamName(app: "a"), className: "B", key: "k", objects: [], firstAttempt: 0)
        let error = await #expect(throws: IngestFailure.self) { try await sink.deliver(batch) }
        #expect(error?.pause == .seconds(17))
    }

    @Test
    func `a missing receiver, and one without encryption, cause failures and no waits`() async throws {
        let receiver = try await Receiver { _, _ in .status(200) }
        let secure = receiver.address.replacing("http://", with: "https://")
        let transport = HookClient()
        func post(_ address: String) async throws -> HookAnswer {
            try await transport.post(
                HookRequest(address: HookAddress(address), headers: [], body: [1], timeout: .seconds(60))
            )
        }
        #expect(try await post(receiver.address).status == 200)
        await #expect(throws: (any Error).self) { try await post(secure) }
        let gone = receiver.address
        await receiver.close()
        await #expect(throws: (any Error).self) { try await post(gone) }
        await #expect(throws: (any Error).self) { try await post("https://no-such-host.invalid/") }
    }

    @Test
    func `a cancelled request ends at once`() async throws {
        let receiver = try await Receiver { _, _ in .silence }
        let address = try HookAddress(receiver.address)
        let task = Task {
            try await HookClient().post(HookRequest(address: address, headers: [], body: [1], timeout: .seconds(600)))
        }
        while receiver.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        await receiver.close()
    }

    @Test(arguments: [
        ("https://hooks.example", "hooks.example", 443, "/", "hooks.example"),
        ("https://hooks.example:8443/a/b?c=d", "hooks.example", 8443, "/a/b?c=d", "hooks.example:8443"),
        ("https://hooks.example?x", "hooks.example", 443, "/?x", "hooks.example"),
        ("http://127.0.0.1:80/x", "127.0.0.1", 80, "/x", "127.0.0.1"),
        ("http://[::1]:99/", "::1", 99, "/", "[::1]:99"),
        ("http://localhost:7000", "localhost", 7000, "/", "localhost:7000"),
    ])
    func addresses(_ text: String, _ host: String, _ port: Int, _ path: String, _ authority: String) throws {
        let address = try HookAddress(text)
        #expect(address.host == host && address.port == port && address.path == path && address.authority == authority)
    }

    @Test(arguments: [
        "", "hooks.example", "ftp://hooks.example", "http://hooks.example", "http://127.0.0.1.example", "https://",
        "https://user:word@hooks.example", "https://hooks.example:0", "https://hooks.example:99999",
        "https://hooks.example:x",
        "https://hooks.example/#a", "https://hooks.example/a b", "https://hooks.example/\r\nX: y",
        "https://größe.example", "https://[::1",
    ])
    func `addresses that aren't used`(_ text: String) {
        #expect(throws: IngestFailure.self) { try HookAddress(text) }
    }

    @Test
    func `headers that would break the request are refused`() {
        for (name, value) in [("A b", "x"), ("A", "x\r\nB: y"), ("", "x"), ("A:", "x"), ("A", "ä")] {
            #expect(throws: IngestFailure.self) {
                try HookSink("https://hooks.example", deadLetters: "x", options: .init(headers: [(name, value)]))
            }
        }
    }
}
