import Foundation
import FreeholdBSON
import FreeholdServerStore
import Logging
import Synchronization
import TestReceiver
import Testing

@testable import FreeholdServer
@testable import FreeholdSyncCore

/// A store in files with a function that commits objects without a node.
private final class Stock: Sendable {
    let folder: SinkFolder
    let store: FileServerStore
    let metrics = PrometheusMetrics()
    private let holds = Mutex<[[SyncString: Set<SyncString>]]>([])

    var held: [[SyncString: Set<SyncString>]] { holds.withLock { $0 } }
    var sinks: String { folder.path + "/sinks" }

    init() throws {
        folder = try SinkFolder()
        store = try FileServerStore(at: folder.path + "/sync", epoch: 1)
    }

    func service(openLanes: Int = 32) -> IngestService {
        IngestService(
            store,
            folder: sinks,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            metrics: metrics,
            backoff: .quick,
            openLanes: openLanes
        ) { [weak self] held in self?.holds.withLock { $0.append(held) } }
    }

    @discardableResult
    func ingest(_ stream: StreamName, _ className: SyncString, _ keys: Range<Int64>) throws -> [SyncString: Int] {
        guard case .bind(let answer) = store.perform(.init(stream, .bind(FileQuery(ident: nil, acknowledged: 0))))
        else { throw NotDone() }
        var next = answer.head
        next.version += 1
        next.hash = next.hash.appending(Array("\(next.version)".utf8))
        var commit = StoreCommit(expected: answer.head, head: next)
        commit.entries = [
            LogEntry(
                stored: next.version,
                hash: next.hash,
                clock: next.clock,
                time: 0,
                author: PartName(FileIdent(rawValue: 1), next.version),
                changes: []
            )
        ]
        for key in keys {
            commit.ingested[ObjectName(className, .int(key))] = [NewField("text", .value(.string("größe")))]
        }
        guard case .done = store.perform(.init(stream, .commit(commit))) else { throw NotDone() }
        return [className: keys.count]
    }

    struct NotDone: Error {}

    func files(_ className: String, in folder: String = "files", _ change: (inout SinkSettings) -> Void = { _ in })
        -> SinkSettings
    {
        let target = SinkSettings.FileTarget(folder: "\(self.folder.path)/\(folder)", fileSize: 5_000)
        var settings = SinkSettings(className: className, target: .files(target))
        change(&settings)
        return settings
    }

    /// Returns the keys in the files of a folder, in order.
    func keys(_ folder: String = "files", _ name: String = "Reading") -> [Int64] {
        let path = "\(self.folder.path)/\(folder)"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? []
        return names.filter { $0.hasPrefix(name + "-") && $0.hasSuffix(".jsonl") }.flatMap { name -> [Int64] in
            let text = (try? String(contentsOfFile: path + "/" + name, encoding: .utf8)) ?? ""
            return text.split(separator: "\n").compactMap {
                (try? BSONDocument(extendedJSON: String($0)))?["_id"]?.asInt64()
            }
        }
    }

    func metric(_ name: String, _ className: String = "Reading") -> Int? {
        let line = metrics.text().split(separator: "\n").first {
            $0.hasPrefix("\(name){") && $0.contains("class=\"\(className)\"")
        }
        return line?.split(separator: " ").last.flatMap { Int($0) }
    }

    func eventually(_ isSo: () -> Bool) async throws {
        for _ in 0..<3_000 {
            if isSo() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("It didn't come. \(metrics.text())")
    }
}

@Suite("The service that runs sinks", .timeLimit(.minutes(20)))
struct ServiceTests {
    private let stream = StreamName(app: "shop")

    @Test
    func `stored objects, new ones, and those after a restart are handed on once`() async throws {
        let stock = try Stock()
        try stock.ingest(stream, "Reading", 0..<100)
        for round in 0..<4 as Range<Int64> {
            let service = stock.service()
            await service.follow(["shop": [stock.files("Reading")], "other": []])
            let new = 100 + round * 50..<150 + round * 50
            service.ingested(stream, try stock.ingest(stream, "Reading", new))
            try await stock.eventually { stock.keys().count == Int(new.upperBound) }
            // Setting the same sinks again changes nothing.
            await service.follow(["shop": [stock.files("Reading")]])
            await service.stop(after: .seconds(5))
            #expect(stock.keys() == Array(0..<new.upperBound))
        }
        #expect(stock.metric("freehold_sink_delivered_objects_total") == 300)
        #expect(stock.metric("freehold_sink_waiting_objects") == 0)
        #expect(stock.metric("freehold_sink_failures_total") == 0)
        #expect(stock.held.isEmpty)
    }

    @Test("many users' streams share a few open files, each in a folder of its own; ordinary classes stay")
    func streams() async throws {
        let stock = try Stock()
        let service = stock.service(openLanes: 3)
        let names = (0..<25).map { StreamName(app: "shop", value: .string(SyncString("üser \($0)"))) }
        for name in names.prefix(12) { try stock.ingest(name, "Reading", 0..<7) }
        await service.follow(["shop": [stock.files("Reading"), stock.files("Größe")]])
        for (index, name) in names.enumerated() {
            let count = Int64(index)
            service.ingested(name, try stock.ingest(name, "Reading", 100..<130 + count))
            service.ingested(name, try stock.ingest(name, "Größe", 0..<2))
            try stock.ingest(name, "Else", 0..<2)
        }
        func found() -> [String: Int] {
            let folders = (try? FileManager.default.contentsOfDirectory(atPath: stock.folder.path + "/files")) ?? []
            return Dictionary(uniqueKeysWithValues: folders.map { ($0, stock.keys("files/" + $0).count) })
        }
        let total = (0..<25).reduce(0) { $0 + 30 + $1 } + 12 * 7
        try await stock.eventually { found().values.reduce(0, +) == total }
        #expect(found().count == 25)
        // The app's own stream doesn't exist, and gets no files.
        await service.wakeMainStreams()
        try await stock.eventually { stock.metric("freehold_sink_delivered_objects_total", "Größe") == 50 }
        await service.stop(after: .seconds(5))
        #expect(found().count == 25)
        for (folder, count) in found() { #expect(Set(stock.keys("files/" + folder)).count == count) }
        // Characters that a name of a file may not contain are replaced.
        let folder = try #require(found().keys.first)
        #expect(stock.keys("files/" + folder, "Gr__e").count == 2)
        #expect(try stock.store.ingested(of: names[0], className: "Else", after: .start, count: 10)?.objects.count == 2)
    }

    @Test
    func `uploads are held while too many objects wait, and continue when a quarter is delivered`() async throws {
        let stock = try Stock()
        let isUp = Mutex(false)
        let receiver = try await Receiver { _, _ in isUp.withLock { $0 } ? .status(200) : .status(503) }
        let hook = SinkSettings.HookTarget(address: receiver.address)
        let settings = SinkSettings(className: "Reading", target: .hook(hook), mostWaiting: 1_000)
        let service = stock.service()
        await service.follow(["shop": [settings]])
        service.ingested(stream, try stock.ingest(stream, "Reading", 0..<900))
        try await stock.eventually { stock.metric("freehold_sink_failures_total") ?? 0 > 2 }
        #expect(stock.metric("freehold_sink_waiting_objects") == 900)
        #expect(stock.held.isEmpty)
        service.ingested(stream, try stock.ingest(stream, "Reading", 900..<1_100))
        try await stock.eventually { stock.held.last == ["shop": ["Reading"]] }
        #expect(stock.metric("freehold_sink_holding_uploads") == 1)
        isUp.withLock { $0 = true }
        try await stock.eventually { stock.held.last == [:] && stock.held.count == 2 }
        try await stock.eventually { stock.metric("freehold_sink_waiting_objects") == 0 }
        #expect(stock.metric("freehold_sink_holding_uploads") == 0)
        #expect(stock.metric("freehold_sink_delivered_objects_total") == 1_100)
        // A removed sink holds no uploads.
        isUp.withLock { $0 = false }
        service.ingested(stream, try stock.ingest(stream, "Reading", 2_000..<3_000))
        try await stock.eventually { stock.held.last == ["shop": ["Reading"]] }
        await service.follow([:])
        #expect(stock.held.last == [:])
        #expect(stock.metric("freehold_sink_waiting_objects") == 0)
        await service.stop(after: .seconds(5))
        await receiver.close()
    }

    @Test(
        "a sink that is set anew goes on where the old one was; delivered objects leave the store if that is asked for"
    )
    func changes() async throws {
        let stock = try Stock()
        let service = stock.service()
        await service.follow(["shop": [stock.files("Reading", in: "first")]])
        service.ingested(stream, try stock.ingest(stream, "Reading", 0..<20))
        try await stock.eventually { stock.keys("first").count == 20 }
        await service.follow(["shop": [stock.files("Reading", in: "second") { $0.removesDelivered = true }]])
        service.ingested(stream, try stock.ingest(stream, "Reading", 20..<40))
        try await stock.eventually { stock.keys("second").count == 20 }
        #expect(stock.keys("first") == Array(0..<20) && stock.keys("second") == Array(20..<40))
        try await stock.eventually {
            (try? stock.store.ingested(of: stream, className: "Reading", after: .start, count: 1)?.objects.isEmpty)
                == true
        }
        await service.follow([:])
        try stock.ingest(stream, "Reading", 40..<50)
        try await Task.sleep(for: .milliseconds(50))
        #expect(stock.keys("second").count == 20)
        await service.stop(after: .seconds(5))
    }

    @Test(
        "what was given up is counted, and lies in the file of dead letters; a receiver that is silent doesn't hold the end up"
    )
    func endings() async throws {
        let stock = try Stock()
        let answer = Mutex(Receiver.Answer.status(400))
        let receiver = try await Receiver { _, _ in answer.withLock { $0 } }
        let hook = SinkSettings.HookTarget(address: receiver.address, giveUp: 1)
        let service = stock.service()
        await service.follow(["shop": [SinkSettings(className: "Reading", target: .hook(hook))]])
        service.ingested(stream, try stock.ingest(stream, "Reading", 0..<5))
        try await stock.eventually { stock.metric("freehold_sink_given_up_objects_total") == 5 }
        let letters = try String(contentsOfFile: stock.sinks + "/shop/Reading.main.dead.jsonl", encoding: .utf8)
        #expect(letters.split(separator: "\n").count == 5)
        answer.withLock { $0 = .silence }
        service.ingested(stream, try stock.ingest(stream, "Reading", 5..<6))
        try await Task.sleep(for: .milliseconds(50))
        let started = ContinuousClock.now
        await service.stop(after: .milliseconds(100))
        #expect(ContinuousClock.now - started < .seconds(30))
        await receiver.close()
    }

    @Test
    func `settings are kept as documents, and bad ones are refused`() throws {
        let hook = SinkSettings.HookTarget(
            address: "https://example.org/a?key=1",
            secretFile: "/s",
            headerFile: "/h",
            certificates: "/c",
            timeout: 5,
            giveUp: 7
        )
        for settings in [
            SinkSettings(className: "A", target: .hook(hook), isCanonical: true, mostWaiting: 3),
            SinkSettings(className: "B", target: .files(.init(folder: "/f", fileSize: 9)), removesDelivered: true),
        ] {
            try settings.check()
            #expect(SinkSettings(settings.document) == settings)
            #expect(!"\(settings)".contains("key="))
        }
        #expect(SinkSettings(["class": "A"]) == nil)
        let bad: [SinkSettings] = [
            SinkSettings(className: "A", target: .files(.init(folder: "relative"))),
            SinkSettings(className: "A", target: .files(.init(folder: "/a", fileSize: 0))),
            SinkSettings(className: "A", target: .files(.init(folder: "/a")), mostWaiting: 0),
            SinkSettings(className: "A", target: .hook(.init(address: "http://example.org/"))),
            SinkSettings(className: "A", target: .hook(.init(address: "https://a/", secretFile: "s"))),
        ]
        for settings in bad { #expect(throws: IngestFailure.self) { try settings.check() } }
    }

    @Test
    func `files of secrets and headers are read, and what is wrong with them isn't quoted`() async throws {
        let stock = try Stock()
        let path = stock.folder.path
        try "newest\n\nolder\n".write(toFile: path + "/secrets", atomically: true, encoding: .utf8)
        try "Authorization: Bearer abc\n".write(toFile: path + "/headers", atomically: true, encoding: .utf8)
        let receiver = try await Receiver { _, _ in .status(200) }
        let hook = SinkSettings.HookTarget(
            address: receiver.address,
            secretFile: path + "/secrets",
            headerFile: path + "/headers"
        )
        let service = stock.service()
        await service.follow(["shop": [SinkSettings(className: "Reading", target: .hook(hook))]])
        let own = StreamName(app: "shop", value: .string("änn"))
        service.ingested(own, try stock.ingest(own, "Reading", 0..<3))
        try await stock.eventually { !receiver.requests.isEmpty }
        await service.stop(after: .seconds(5))
        let request = try #require(receiver.requests.first)
        #expect(request.headers["authorization"] == "Bearer abc")
        #expect(request.headers["freehold-stream"] == "%C3%A4nn")
        let (signature, key) = (request.headers["freehold-signature"]!, request.headers["idempotency-key"]!)
        let now = Int64(Date().timeIntervalSince1970)
        for secret in ["newest", "older"] {
            #expect(HookSignature.isValid(signature, secret: secret, key: key, body: request.body, now: now))
        }
        await receiver.close()

        try "hunter2 without a colon".write(toFile: path + "/headers", atomically: true, encoding: .utf8)
        let files = try SinkFiles(stream, "Reading", folder: stock.sinks)
        #expect {
            _ = try SinkSettings(className: "Reading", target: .hook(hook)).sink(files)
        } throws: { !"\($0)".contains("hunter2") }
        try "".write(toFile: path + "/secrets", atomically: true, encoding: .utf8)
        #expect(throws: IngestFailure.self) {
            _ = try SinkSettings(className: "Reading", target: .hook(hook)).sink(files)
        }
    }
}
