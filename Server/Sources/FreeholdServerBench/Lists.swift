import ArgumentParser
import Foundation
import FreeholdCompression
import FreeholdEngine
import FreeholdServer
import FreeholdServerStore
import FreeholdSync
import FreeholdSyncCore
import Logging

/// Measures edits of a long list on two devices that are offline, and the merge after both are online again.
///
/// The devices have files, and the server keeps its documents in files. Each edit is a separate transaction.
struct Lists: AsyncParsableCommand {
    @Option(help: "Elements of the list.") var length = 100_000
    @Option(help: "Edits of each device: 3 inserts, 1 move and 1 removal in turns.") var edits = 500
    @Option(help: "A folder for the files; made, and removed.") var folder: String?

    func run() async throws {
        let folder = folder ?? FileManager.default.temporaryDirectory.path + "/freehold-lists-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var options = FileServerStore.Options()
        options.compression = ZlibCompression.shared
        let store = try FileServerStore(at: folder + "/sync", epoch: 1, options: options)
        var settings = ServerSettings(node: NodeConfiguration(apps: ["bench": NodeApp(access: .everyone)]))
        (settings.port, settings.administratorPort, settings.isDevelopment) = (0, nil, true)
        let server = try await RunningServer.start(
            settings,
            store: FileNodeStore(store),
            logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
        )
        let (ann, ben) = (try ListDevice(folder + "/ann"), try ListDevice(folder + "/ben"))
        let devices = [ann, ben]
        try ann.fill(length)
        var started = ContinuousClock.now
        for device in devices { try await device.connect(to: server.port) }
        for device in devices { try await device.settle() }
        print("a list of \(length) elements from one device to the other: \(Self.milliseconds(since: started)) ms")

        for device in devices { await device.disconnect() }
        started = .now
        for (index, device) in devices.enumerated() { try device.edit(edits, seed: index + 1) }
        let each = started.duration(to: .now) / .milliseconds(1) / Double(2 * edits)
        print("an edit of the list, offline: \(String(format: "%.2f", each)) ms")

        started = .now
        let processor = clock()
        for device in devices { try await device.connect(to: server.port) }
        for device in devices { try await device.settle() }
        // The first device receives the last upload of the second device.
        while try ann.elements() != ben.elements() { for device in devices { try await device.settle() } }
        let used = Int(Double(clock() - processor) / Double(CLOCKS_PER_SEC) * 1_000)
        print(
            "\(edits) edits of each of two devices, until both are equal: \(Self.milliseconds(since: started)) ms, \(used) ms of processor time (both devices and the server)"
        )
        // If the list is long, it is unlikely that both devices remove the same element.
        let expected = length + 2 * (edits * 3 / 5 - edits / 5)
        guard try abs(ann.elements().count - expected) <= edits * edits / length + 1 || edits % 5 != 0 else {
            throw ValidationError("The list has \(try ann.elements().count) elements.")
        }

        started = .now
        let rounds = 20
        for round in 0..<rounds {
            try ann.edit(1, seed: round)
            try await ann.settle()
            try await ben.settle()
        }
        print("one edit to the other device, online: \(Self.milliseconds(since: started) / rounds) ms")
        for device in devices { await device.disconnect() }
        await server.stop(after: 0)
    }

    private static func milliseconds(since start: ContinuousClock.Instant) -> Int {
        Int(start.duration(to: .now) / .milliseconds(1))
    }
}

/// A device: a file with one object that has a list, and its sessions.
private final class ListDevice {
    private let database: Database
    private let file: SyncedFile
    private var session: SyncSession?

    init(_ path: String) throws {
        database = try Database.open(at: path + ".realm")
        let write = try database.beginWrite()
        let columns = [ColumnSpec("_id", .int), ColumnSpec("list", .int, collection: .list)]
        try write.applySchema([TableSpec("Thing", columns: columns, primaryKey: "_id")])
        _ = try write.commit()
        file = SyncedFile(try FileClientStore(database))
    }

    func connect(to port: Int) async throws {
        let transport = SyncClient().transport(to: FreeholdServerBench.endpoint(port), user: "ann")
        let session = SyncSession(
            ClientConfiguration(app: "bench", token: AccessToken("user:ann")),
            store: file,
            transport: transport
        )
        self.session = session
        let set = try await session.subscribe([ClassQuery(className: "Thing", condition: "TRUEPREDICATE")])
        try await session.waitForQuerySet(set.version)
    }

    func disconnect() async {
        await session?.close()
        session = nil
    }

    func settle() async throws {
        try await session?.waitForUpload()
        try await session?.waitForDownload()
    }

    func fill(_ length: Int) throws {
        let write = try database.beginWrite()
        let table = write.schema.table(named: "Thing")!
        let key = try write.create(table, primaryKey: .int(1))
        try write.listAppend(table.column(named: "list")!, key, values: (0..<length).map { .int(Int64($0)) })
        _ = try write.commit()
    }

    /// Makes edits, each in a separate transaction.
    func edit(_ count: Int, seed: Int) throws {
        for index in 0..<count {
            let write = try database.beginWrite()
            let table = write.schema.table(named: "Thing")!
            let (column, key) = (table.column(named: "list")!, write.find(primaryKey: .int(1), in: table)!)
            let length = write.listCount(column, key)
            let at = (index + 1) * 7_919 * seed % (length - 1)
            switch index % 5 {
            case 0, 1, 2: try write.listInsert(column, key, at: at, value: .int(Int64(seed * 1_000_000 + index)))
            case 3: try write.listMove(column, key, from: at, to: (at * 31 + seed) % length)
            default: try write.listRemove(column, key, range: at..<at + 1)
            }
            _ = try write.commit()
        }
    }

    func elements() throws -> [Value] {
        let view = try database.snapshot()
        let table = view.schema.table(named: "Thing")!
        guard let key = view.find(primaryKey: .int(1), in: table) else { return [] }
        return view.listValues(table.column(named: "list")!, key)
    }
}
