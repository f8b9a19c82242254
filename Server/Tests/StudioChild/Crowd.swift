import Foundation
import FreeholdSync
import FreeholdSyncCore

/// Devices in one process, each with a file in memory and a connection of its own.
///
/// The tokens are the first lines of standard input, up to an empty line. After that, each line is an order: `write N KEY OWNER` creates an object with the owner
/// on the device N, `conflict` lets the devices 0 and 1 write the same field before they see each other's write, `declare CLASS` connects a device of the first user whose schema has a class with the keys `_id` and `text`, and `leave N` closes a
/// device.
struct Crowd {
    private struct Device {
        let store: QueuedStore<MemoryClientStore>
        let session: SyncSession

        func commit(_ edits: [LocalEdit]) throws {
            let now = DeviceClock.shared.now()
            try store.commit { try $0.commit(edits, wall: now) }
        }

        func settle() async throws {
            try await session.waitForUpload()
            try await session.waitForDownload()
        }
    }

    private var devices: [Device] = []
    private let endpoint: SyncEndpoint
    private let first: ClientConfiguration

    init(port: Int, app: String) async throws {
        var tokens: [String] = []
        while let line = readLine(), !line.isEmpty { tokens.append(line) }
        endpoint = SyncEndpoint(host: "127.0.0.1", port: port, isSecure: false)
        first = ClientConfiguration(app: SyncString(app), token: AccessToken(SyncString(tokens.first ?? "")))
        for (number, token) in tokens.enumerated() {
            let store = QueuedStore(MemoryClientStore())
            // Each device has a connection of its own.
            let transport = SyncClient().transport(to: endpoint, user: "device\(number)")
            let configuration = ClientConfiguration(app: SyncString(app), token: AccessToken(SyncString(token)))
            let session = SyncSession(configuration, store: store, transport: transport)
            devices.append(Device(store: store, session: session))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for device in devices {
                group.addTask {
                    let everything = [ClassQuery(className: "Thing", condition: "TRUEPREDICATE")]
                    let set = try await device.session.subscribe(everything)
                    try await device.session.waitForQuerySet(set.version)
                }
            }
            try await group.waitForAll()
        }
    }

    /// Executes an order, and returns the answer.
    func run(_ line: String) async throws -> String {
        let words = line.split(separator: " ").map(String.init)
        switch words.first {
        case "write":
            let (device, key) = (devices[Int(words[1])!], Int64(words[2])!)
            let fields: [SyncString: MergedContent] = [
                "owner": .value(.string(SyncString(words[3]))), "name": .value(.string("a name")),
            ]
            try device.commit([.create(ObjectName("Thing", .int(key)), fields, defaults: [])])
            try await device.settle()
        case "conflict":
            let place = LocalPlace(ObjectName("Thing", .int(Int64(words[1])!)), "name")
            try await devices[1].settle()
            // The first device writes while it is offline, and the second one meanwhile.
            devices[0].session.suspend()
            try devices[0].commit([.set(place, .value(.string("by the first")), .real)])
            try devices[1].commit([.set(place, .value(.string("by the second")), .real)])
            try await devices[1].settle()
            devices[0].session.resume()
            try await devices[0].settle()
        case "declare": await declare(words[1])
        case "leave": await devices[Int(words[1])!].session.close()
        default: return "unknown"
        }
        return "done"
    }

    /// Connects a device that declares a class, until the server has accepted or refused it.
    private func declare(_ className: String) async {
        let json = """
            {"schema": {"title": "\(className)", "bsonType": "object", "required": ["_id"],
             "properties": {"_id": {"bsonType": "long"}, "text": {"bsonType": "string"}}}}
            """
        let document = SchemaDocument(className: SyncString(className), json: SyncString(json))
        let hash = RunningHash.empty.appending(Array(className.utf8)).appending(Array(json.utf8))
        var configuration = first
        (configuration.schema, configuration.documents) = (SchemaClaim(version: 0, hash: hash), [document])
        let transport = SyncClient().transport(to: endpoint, user: "declare")
        let session = SyncSession(configuration, store: QueuedStore(MemoryClientStore()), transport: transport)
        let end = Task {
            try await Task.sleep(for: .seconds(20))
            await session.close()
        }
        // A refused schema ends the wait with an error.
        try? await session.waitForDownload()
        end.cancel()
        await session.close()
    }
}
