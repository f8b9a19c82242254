import ArgumentParser
import Foundation
import FreeholdServer
import FreeholdSync
import FreeholdSyncCore
import Logging

@main struct FreeholdServerBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures a server on loopback, with stores in memory where nothing else is said.",
        subcommands: [Latency.self, Uploads.self, Binds.self, Ingest.self, Lists.self, Fan.self, Idle.self, Realm.self]
    )

    /// Starts a server in this process that permits all users.
    static func server(apps: [SyncString] = ["bench"]) async throws -> RunningServer {
        let all = Dictionary(uniqueKeysWithValues: apps.map { ($0, NodeApp(access: .everyone)) })
        var settings = ServerSettings(node: NodeConfiguration(apps: all))
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

/// The server that is measured: one in this process, or one in another.
struct MeasuredServer: ParsableArguments {
    @Option(help: "The port of a server that runs with --development. Without it, a server is started in this process.")
    var port: Int?
    @Option(help: "The name of the app. Further apps have the numbers from 1 on behind this name.")
    var app = "bench"

    /// Returns the name of an app.
    func app(_ index: Int) -> SyncString { SyncString(index == 0 ? app : app + String(index)) }

    /// Runs a closure with the port of the server, and ends a server of this process afterwards.
    func measure(_ body: (Int) async throws -> Void) async throws {
        if let port { return try await body(port) }
        let server = try await FreeholdServerBench.server(apps: (0..<16).map { app($0) })
        try await body(server.port)
        await server.stop(after: 0)
    }
}

/// Measures the time of one change from one client to another.
struct Latency: AsyncParsableCommand {
    @Option var count = 2_000
    @OptionGroup var server: MeasuredServer

    func run() async throws { try await server.measure { try await run(port: $0) } }

    private func run(port: Int) async throws {
        let client = SyncClient()
        var (stores, sessions): ([QueuedStore<MemoryClientStore>], [SyncSession]) = ([], [])
        for user in ["ann", "bob"] {
            let store = QueuedStore(MemoryClientStore())
            let session = SyncSession(
                ClientConfiguration(app: server.app(0), token: AccessToken(SyncString("user:" + user))),
                store: store,
                transport: client.transport(to: FreeholdServerBench.endpoint(port), user: user)
            )
            let set = try await session.subscribe([ClassQuery(className: "Thing", condition: "TRUEPREDICATE")])
            try await session.waitForQuerySet(set.version)
            stores.append(store)
            sessions.append(session)
        }
        let name = ObjectName("Thing", -1)
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
    }
}

/// Measures the uploads of scripted clients, which have no files: the throughput of the server.
struct Uploads: AsyncParsableCommand {
    @Option var clients = 2
    @Option var commits = 500
    @Option(help: "Objects a commit.") var objects = 200
    @Option(help: "Apps, each with a stream. The clients use them in turns.") var streams = 1
    @OptionGroup var server: MeasuredServer

    func run() async throws { try await server.measure { try await run(port: $0) } }

    private func run(port: Int) async throws {
        let client = SyncClient()
        let started = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<clients {
                group.addTask { [commits, objects, app = server.app(index % streams)] in
                    let uploader = Uploader(index, commits, objects, app: app)
                    let transport = client.transport(to: FreeholdServerBench.endpoint(port), user: "\(index)")
                    await uploader.run(transport)
                }
            }
            try await group.waitForAll()
        }
        let seconds = started.duration(to: .now) / .seconds(1)
        let total = clients * commits * objects
        print(
            "\(total) objects made by \(clients) clients, \(objects) a commit, \(streams) streams: \(Int(Double(total) / seconds)) operations/s"
        )
    }
}

/// Measures the time until many sessions of several connections are bound.
struct Binds: AsyncParsableCommand {
    @Option var connections = 100
    @Option(help: "Sessions of each connection.") var sessions = 100
    @OptionGroup var server: MeasuredServer

    func run() async throws { try await server.measure { try await run(port: $0) } }

    private func run(port: Int) async throws {
        let client = SyncClient()
        let tally = Tally()
        let started = ContinuousClock.now
        var binders: [Binder] = []
        for index in 0..<connections {
            let transport = client.transport(to: FreeholdServerBench.endpoint(port), user: "\(index)")
            for _ in 0..<sessions {
                let binder = Binder(index, tally, app: server.app(0))
                binder.open(transport)
                binders.append(binder)
            }
        }
        await tally.wait(forReady: connections * sessions)
        let seconds = started.duration(to: .now) / .seconds(1)
        print("\(connections * sessions) sessions of \(connections) connections: \(String(format: "%.2f", seconds)) s")
        for binder in binders { binder.close() }
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
        let before = Self.resident(pid)
        var lines: [Receiver] = []
        for index in 0..<count {
            let receiver = Receiver(tally, app: SyncString(app))
            receiver.open(client.transport(to: FreeholdServerBench.endpoint(port), user: "\(index)"), user: "r\(index)")
            lines.append(receiver)
            if index % 50 == 49 { await tally.wait(forReady: index + 1) }
        }
        await tally.wait(forReady: count)
        let after = Self.resident(pid)
        print(
            "\(count) idle connections, each with a session: \(before) kB before, \(after) kB after: \((after - before) * 1_024 / count) bytes each"
        )
        for line in lines { line.close() }
    }

    /// Returns the memory of a process without the pages of files, in KiB.
    static func resident(_ pid: Int) -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        for line in text.split(separator: "\n") where line.hasPrefix("RssAnon:") {
            return Int(line.split(separator: " ").dropFirst().first { !$0.isEmpty } ?? "") ?? 0
        }
        return 0
    }
}
