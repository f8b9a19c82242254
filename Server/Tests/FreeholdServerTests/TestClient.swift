import Foundation
import FreeholdSync
import FreeholdSyncCore
import Testing

/// A client file in memory and its session.
final class TestClient: Sendable {
    let store: QueuedStore<MemoryClientStore>
    let session: SyncSession
    private let watch: Task<Void, Never>
    let journal = EventJournal()

    static let everything = [ClassQuery(className: "Thing", condition: "TRUEPREDICATE")]

    /// Returns a client with short pauses between connections.
    static func connections(_ change: (inout ConnectionSettings) -> Void = { _ in }) -> SyncClient {
        var settings = ConnectionSettings()
        settings.shortestPause = 5
        settings.longestPause = 50
        change(&settings)
        return SyncClient(settings: settings)
    }

    init(
        _ client: SyncClient = TestClient.connections(),
        port: Int,
        user: String = "ann",
        token: String? = nil,
        tokens: (any TokenSource)? = nil,
        store: QueuedStore<MemoryClientStore>? = nil,
        endpoint: SyncEndpoint? = nil,
        isSuspended: Bool = false,
        _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) async throws {
        let text: String
        if let token { text = token } else { text = try await TestServer.token(user) }
        var configuration = ClientConfiguration(app: "test", token: AccessToken(SyncString(text)))
        configuration.shortestRetry = 5
        configuration.longestRetry = 50
        change(&configuration)
        self.store = store ?? QueuedStore(MemoryClientStore())
        session = SyncSession(
            configuration,
            store: self.store,
            transport: client.transport(
                to: endpoint ?? SyncEndpoint(host: "127.0.0.1", port: port, isSecure: false),
                user: user
            ),
            tokens: tokens,
            isSuspended: isSuspended
        )
        let (events, journal) = (session.events(), journal)
        watch = Task { for await event in events { journal.note(event) } }
    }

    func subscribe(_ queries: [ClassQuery] = everything) async throws {
        let set = try await session.subscribe(queries)
        try await session.waitForQuerySet(set.version)
    }

    /// Commits a transaction as the app does.
    func commit(_ edits: [LocalEdit]) throws {
        let now = DeviceClock.shared.now()
        try store.commit { try $0.commit(edits, wall: now) }
    }

    func create(_ key: PrimaryKey, _ fields: [SyncString: SyncValue] = [:]) throws {
        var contents = fields.mapValues { MergedContent.value($0) }
        contents["_id"] = nil
        try commit([.create(ObjectName("Thing", key), contents, defaults: [])])
    }

    func set(_ key: PrimaryKey, _ property: SyncString, _ value: SyncValue) throws {
        try commit([.set(LocalPlace(ObjectName("Thing", key), property), .value(value), .real)])
    }

    var contents: [ObjectName: [SyncString: MergedContent]] { store.withStore { $0.data.objects } }

    func value(_ key: PrimaryKey, _ property: SyncString) -> SyncValue? {
        guard case .value(let value)? = contents[ObjectName("Thing", key)]?[property] else { return nil }
        return value
    }

    /// Waits for all uploads, and then for all downloads.
    func settle() async throws {
        try await session.waitForUpload()
        try await session.waitForDownload()
    }

    func close() async {
        await session.close()
        await watch.value
    }
}

/// The events of a session.
final class EventJournal: @unchecked Sendable {
    private let lock = NSLock()
    private var events: [SessionEvent] = []
    private var waits: [(predicate: (SessionEvent) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

    func note(_ event: SessionEvent) {
        let done = lock.withLock {
            events.append(event)
            let done = waits.filter { $0.predicate(event) }
            waits.removeAll { $0.predicate(event) }
            return done
        }
        for wait in done { wait.continuation.resume() }
    }

    func contains(_ predicate: (SessionEvent) -> Bool) -> Bool { lock.withLock { events.contains(where: predicate) } }

    /// Waits for an event, which may have arrived already.
    func wait(for predicate: @escaping @Sendable (SessionEvent) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isThere = lock.withLock {
                if events.contains(where: predicate) { return true }
                waits.append((predicate, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}

/// Waits for all clients, and expects that they show the server's contents.
func expectConvergence(_ server: TestServer, _ clients: [TestClient], sourceLocation: SourceLocation = #_sourceLocation)
    async throws
{
    for client in clients { try await client.session.waitForUpload() }
    for client in clients { try await client.session.waitForDownload() }
    let expected = server.contents
    for client in clients { #expect(client.contents == expected, sourceLocation: sourceLocation) }
}
