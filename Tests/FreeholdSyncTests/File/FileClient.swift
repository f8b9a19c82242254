import Foundation
import FreeholdEngine
import FreeholdSync
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// A temporary folder, removed together with its owner.
final class TemporaryFolder: Sendable {
    let path = NSTemporaryDirectory() + "freehold-sync-file-" + UUID().uuidString

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A file, its session, and an app that writes to the file by the engine's means.
final class FileClient: Sendable {
    let folder: TemporaryFolder
    let database: Database
    let file: SyncedFile
    let session: SyncSession

    static let schema = [
        TableSpec(
            "Person",
            columns: [
                ColumnSpec("_id", .int), ColumnSpec("name", .string), ColumnSpec("age", .int),
                ColumnSpec("friends", .link, collection: .list, target: "Person"),
            ],
            primaryKey: "_id"
        )
    ]

    static let everyone = [ClassQuery(className: "Person", condition: "TRUEPREDICATE")]

    init(_ server: LoopbackServer, folder: TemporaryFolder? = nil, schema: [TableSpec] = FileClient.schema) throws {
        self.folder = try folder ?? TemporaryFolder()
        database = try Database.open(at: self.folder.path + "/client.realm")
        let write = try database.beginWrite()
        try write.applySchema(schema)
        _ = try write.commit()
        file = SyncedFile(try FileClientStore(database))
        var configuration = ClientConfiguration(app: "test", token: AccessToken("ann"))
        (configuration.shortestRetry, configuration.longestRetry) = (5, 50)
        session = SyncSession(configuration, store: file, transport: server)
    }

    func subscribe(_ queries: [ClassQuery] = everyone) async throws {
        let set = try await session.subscribe(queries)
        try await session.waitForQuerySet(set.version)
    }

    func write(_ body: (WriteTransaction) throws -> Void) throws {
        let write = try database.beginWrite()
        do { try body(write) } catch {
            write.cancel()
            throw error
        }
        _ = try write.commit()
    }

    /// All objects that the file shows, with the links that it doesn't.
    var contents: [ObjectName: [SyncString: MergedContent]] {
        get throws { try FileClient.contents(database.snapshot()) }
    }

    static func contents(_ snapshot: Snapshot) -> [ObjectName: [SyncString: MergedContent]] {
        let contents = FileContents(snapshot)
        var objects: [ObjectName: [SyncString: MergedContent]] = [:]
        for table in snapshot.schema.tables where !table.isEmbedded {
            for key in snapshot.keys(table) {
                if let name = contents.name(table.id, key) { objects[name] = contents.contents(table, key) }
            }
        }
        return objects
    }

    /// Adds the defaults of missing values to a server's objects, as a file contains them.
    static func complete(
        _ objects: [ObjectName: [SyncString: MergedContent]]
    ) -> [ObjectName: [SyncString: MergedContent]] {
        let defaults: [SyncString: MergedContent] = ["name": .value(""), "age": .value(0), "friends": .list([])]
        return objects.mapValues { $0.merging(defaults) { own, _ in own } }
    }

    func settle() async throws {
        try await session.waitForUpload()
        try await session.waitForDownload()
    }
}

extension BootstrapPosition {
    /// A position that is never read.
    static let start = BootstrapPosition(
        cursor: Cursor(epoch: 1, version: 1, hash: .empty),
        queryVersion: 1,
        last: ObjectName("", .null)
    )
}
