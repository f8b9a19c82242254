import ArgumentParser
import Foundation
import FreeholdServer
import FreeholdSync
import FreeholdSyncCore
import Logging

@main struct FreeholdServerBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures a server on loopback, with stores in memory where nothing else is said.",
        subcommands: [Latency.self, Uploads.self, Ingest.self, Fan.self, Idle.self]
    )

    /// Starts a server in this process that each user may use.
    static func server() async throws -> RunningServer {
        var settings = ServerSettings(node: NodeConfiguration(apps: ["bench": NodeApp(access: .everyone)]))
        (settings.port, settings.administratorPort, settings.isDevelopment) = (0, nil, true)
        return try await RunningServer.start(
            settings,
            store: QueuedServerStore(MemoryServerStore(epoch: 1)),
            logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    static func endpoint(_ port: Int) -> SyncEndpoint { SyncEndpoint(host: "127.0.0.1", port: port, isSecure: false) }

    static func quantiles(_ times: [Double]) -> String {
        let sorted = times.sorted()
        func at(_ part: Double) -> String { String(format: "%.2f", sorted[Int(Double(sorted.count - 1) * part)]) }
        return "p50 \(at(0.5)) ms, p90 \(at(0.9)) ms, p99 \(at(0.99)) ms, max \(at(1)) ms"
    }
}

/// Measures the time of one change from one client to another.
struct Latency: AsyncParsableCommand {
    @Option var count = 2_000

    func run() async throws {
        let server = try await FreeholdServerBench.server()
        let client = SyncClient()
        var (stores, sessions): ([QueuedStore<MemoryClientStore>], [SyncSession]) = ([], [])
        for user in ["ann", "bob"] {
            let store = QueuedStore(MemoryClientStore())
            let session = SyncSession(
                ClientConfiguration(app: "bench", token: AccessToken(SyncString("user:" + user))),
                store: store,
                transport: client.transport(to: FreeholdServerBench.endpoint(server.port), user: user)
            )
            let set = try await session.subscribe([ClassQuery(className: "Thing", condition: "TRUEPREDICATE")])
            try await session.waitForQuerySet(set.version)
            stores.append(store)
            sessions.append(session)
        }
        let name = ObjectName("Thing", 1)
        try stores[0].commit { try $0.commit([.create(name, [:], defaults: [])], wall: DeviceClock.shared.now()) }
        try await sessions[0].waitForUpload()
        try await sessions[1].waitForDownload()
        var events = sessions[1].events().makeAsyncIterator()
        var times: [Double] = []
        for round in 0..<count {
            let started = ContinuousClock.now
            let edit = LocalEdit.set(LocalPlace(name, "size"), .value(.int(Int64(round))), .real)
            try stores[0].commit { try $0.commit([edit], wall: DeviceClock.shared.now()) }
            while let event = await events.next() { if case .report(.downloaded) = event { break } }
            times.append(started.duration(to: .now) / .milliseconds(1))
        }
        print("a change to another client, \(count) one after the other: \(FreeholdServerBench.quantiles(times))")
        for session in sessions { await session.close() }
        await server.stop(after: 0)
    }
}

/// Measures the uploads of scripted clients, which have no files: the throughput of the server.
struct Uploads: AsyncParsableCommand {
    @Option var clients = 2
    @Option var commits = 500
    @Option(help: "Objects a commit.") var objects = 200

    func run() async throws {
        let server = try await FreeholdServerBench.server()
        let client = SyncClient()
        let started = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<clients {
                group.addTask { [commits, objects] in
                    let uploader = Uploader(index, commits, objects)
                    let transport = client.transport(to: FreeholdServerBench.endpoint(server.port), user: "\(index)")
                    await uploader.run(transport)
                }
            }
            try await group.waitForAll()
        }
        let seconds = started.duration(to: .now) / .seconds(1)
        let total = clients * commits * objects
        print(
            "\(total) objects made by \(clients) clients, \(objects) a commit: \(Int(Double(total) / seconds)) operations/s"
        )
        await server.stop(after: 0)
    }
}

/// Measures the delivery of one change to many sockets.
struct Fan: AsyncParsableCommand {
    @Option var receivers = 1_000
    @Option var count = 50

    func run() async throws {
        let server = try await FreeholdServerBench.server()
        let client = SyncClient()
        let tally = Tally()
        var lines: [Receiver] = []
        for index in 0..<receivers {
            let receiver = Receiver(tally)
            receiver.open(
                client.transport(to: FreeholdServerBench.endpoint(server.port), user: "\(index)"),
                user: "r\(index)"
            )
            lines.append(receiver)
            if index % 50 == 49 { await tally.wait(forReady: index + 1) }
        }
        await tally.wait(forReady: receivers)
        var times: [Double] = []
        let uploader = Uploader(0, count, 1)
        await uploader.run(client.transport(to: FreeholdServerBench.endpoint(server.port), user: "writer")) { number in
            let started = ContinuousClock.now
            return {
                await tally.wait(forChanges: receivers * number)
                times.append(started.duration(to: .now) / .milliseconds(1))
            }
        }
        print("a change to all of \(receivers) sockets: \(FreeholdServerBench.quantiles(times))")
        for line in lines { line.close() }
        await server.stop(after: 0)
    }
}

/// Opens idle connections to a server in another process.
struct Idle: AsyncParsableCommand {
    @Option(help: "The port of a server that runs with --development.") var port: Int
    @Option var pid: Int
    @Option var count = 10_000
    @Option var app = "app"

    func run() async throws {
        let client = SyncClient()
        let tally = Tally()
        let before = resident()
        var lines: [Receiver] = []
        for index in 0..<count {
            let receiver = Receiver(tally, app: SyncString(app))
            receiver.open(client.transport(to: FreeholdServerBench.endpoint(port), user: "\(index)"), user: "r\(index)")
            lines.append(receiver)
            if index % 50 == 49 { await tally.wait(forReady: index + 1) }
        }
        await tally.wait(forReady: count)
        let after = resident()
        print(
            "\(count) idle connections, each with a session: \(before) kB before, \(after) kB after: \((after - before) * 1_024 / count) bytes each"
        )
        for line in lines { line.close() }
    }

    private func resident() -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        for line in text.split(separator: "\n") where line.hasPrefix("VmRSS:") {
            return Int(line.split(separator: " ").dropFirst().first { !$0.isEmpty } ?? "") ?? 0
        }
        return 0
    }
}
