import ArgumentParser
import Foundation
import FreeholdCompression
import FreeholdServer
import FreeholdServerStore
import FreeholdSync
import FreeholdSyncCore
import Logging

/// Measures the upload of asymmetric objects over sockets into a store in files, and their delivery into files of JSON
/// lines.
struct Ingest: AsyncParsableCommand {
    @Option var clients = 2
    @Option var commits = 500
    @Option(help: "Objects a commit.") var objects = 200
    @Option(help: "A folder for the store and the sink; made, and removed.") var folder: String?
    @Flag(help: "Delivers objects after all are stored, to measure the delivery alone.") var sinkAfterwards = false

    func run() async throws {
        let folder = folder ?? FileManager.default.temporaryDirectory.path + "/freehold-ingest-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder + "/out", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var options = FileServerStore.Options()
        options.compression = ZlibCompression.shared
        let store = try FileServerStore(at: folder + "/sync", epoch: 1, options: options)
        var rules = MergeRules()
        rules.createOnly = ["Event"]
        let app = NodeApp(access: .everyone, rules: rules)
        var settings = ServerSettings(node: NodeConfiguration(apps: ["bench": app]))
        (settings.port, settings.administratorPort, settings.isDevelopment) = (0, nil, true)
        let server = try await RunningServer.start(
            settings,
            store: FileNodeStore(store),
            logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
        )
        let source = StoreIngestSource(store, stream: StreamName(app: "bench"), className: "Event")
        let sink = try FileSink(folder + "/out", name: "event")
        let pump = IngestPump(source, to: sink, ledger: folder + "/ledger", options: .init(idle: .milliseconds(20)))
        var pumping = sinkAfterwards ? nil : Task { try await pump.run() }
        let client = SyncClient()
        let total = clients * commits * objects
        let started = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<clients {
                group.addTask { [commits, objects] in
                    let uploader = Uploader(index, commits, objects, of: "Event")
                    let transport = client.transport(to: FreeholdServerBench.endpoint(server.port), user: "\(index)")
                    await uploader.run(transport)
                }
            }
            try await group.waitForAll()
        }
        let taken = started.duration(to: .now) / .seconds(1)
        print(
            "\(total) objects of \(clients) clients, \(objects) a commit: taken in \(Int(Double(total) / taken)) a second"
        )
        let handing = ContinuousClock.now
        if pumping == nil { pumping = Task { try await pump.run() } }
        while await pump.status.delivered < total { try await Task.sleep(for: .milliseconds(1)) }
        let begun = sinkAfterwards ? handing : started
        let all = begun.duration(to: .now) / .seconds(1)
        print(
            "handed on to files: \(Int(Double(total) / all)) a second"
                + (sinkAfterwards ? "" : ", from the first upload on")
        )
        pumping?.cancel()
        try await pumping?.value
        await server.stop(after: 0)
    }
}
