import ArgumentParser
import FreeholdSync
import FreeholdSyncCore

/// Two people's dogs: offline, online, in conflict, and seen in part. `make sync-demo` starts the server that it talks to.
@main struct FreeholdSyncDemo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows two clients and a third one on a server that runs with --development."
    )

    @Option(help: "Where the server listens.") var address = "ws://127.0.0.1:7700/sync"
    @Option(help: "The server's app.") var app = "demo"

    func run() async throws {
        guard let endpoint = SyncEndpoint(address) else { throw ValidationError("'\(address)' is no address.") }
        let client = SyncClient()
        let rex = ObjectName("Dog", 1)
        let ann = Device("ann", client, endpoint, app)
        let bob = Device("bob", client, endpoint, app)
        for device in [ann, bob] { try await device.subscribe("Dog", "Person") }

        say("Ann makes a person with a dog; Bob sees both")
        try ann.commit(
            .create(rex, ["name": .text("Rex"), "age": .number(3), "tags": .list([.text("brown")])], defaults: []),
            .create(ObjectName("Person", 1), ["name": .text("Ann"), "dog": .value(.link(rex))], defaults: [])
        )
        try await settle(ann, bob)
        bob.show()

        say("Both go offline and change the same dog")
        ann.session.suspend()
        bob.session.suspend()
        try ann.commit(
            .set(LocalPlace(rex, "name"), .text("Rex the Great"), .real),
            .insert(LocalPlace(rex, "tags"), at: 1, [.text("clever")]),
            .increment(LocalPlace(rex, "age"), 1)
        )
        try bob.commit(
            .insert(LocalPlace(rex, "tags"), at: 0, [.text("fast")]),
            .increment(LocalPlace(rex, "age"), 1),
            .create(ObjectName("Dog", 2), ["name": .text("Fido"), "age": .number(12), "tags": .list([])], defaults: [])
        )
        ann.show()
        bob.show()

        say("They connect again: both show the same, and nothing of either is lost")
        ann.session.resume()
        bob.session.resume()
        try await settle(ann, bob)
        ann.show()
        bob.show()

        say("A third client asks for old dogs only: Dog, age > 10")
        let vet = Device("vet", client, endpoint, app)
        try await vet.subscribe([ClassQuery(className: "Dog", condition: "age > 10")])
        vet.show()
        guard ann.objects == bob.objects, vet.objects.count == 1 else { throw ExitCode(1) }
        for device in [ann, bob, vet] { await device.session.close() }
    }

    private func settle(_ devices: Device...) async throws {
        for device in devices { try await device.session.waitForUpload() }
        for device in devices { try await device.session.waitForDownload() }
    }
}

private func say(_ text: String) { print("\n── \(text)") }

/// A client with a file in memory.
private struct Device {
    let user: String
    let store = QueuedStore(MemoryClientStore())
    let session: SyncSession

    init(_ user: String, _ client: SyncClient, _ endpoint: SyncEndpoint, _ app: String) {
        self.user = user
        let token = AccessToken(SyncString("user:" + user))
        session = SyncSession(
            ClientConfiguration(app: SyncString(app), token: token),
            store: store,
            transport: client.transport(to: endpoint, user: user)
        )
    }

    func subscribe(_ classes: SyncString...) async throws {
        try await subscribe(classes.map { ClassQuery(className: $0, condition: "TRUEPREDICATE") })
    }

    func subscribe(_ queries: [ClassQuery]) async throws {
        let set = try await session.subscribe(queries)
        try await session.waitForQuerySet(set.version)
    }

    func commit(_ edits: LocalEdit...) throws {
        try store.commit { try $0.commit(edits, wall: DeviceClock.shared.now()) }
    }

    var objects: [ObjectName: [SyncString: MergedContent]] { store.withStore { $0.data.objects } }

    func show() {
        print("\(user)'s file:")
        for (name, fields) in objects.sorted(by: { $0.key < $1.key }) {
            let texts = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.shown)" }
            print("  \(name)  \(texts.joined(separator: ", "))")
        }
    }
}

extension MergedContent {
    fileprivate static func text(_ text: SyncString) -> MergedContent { .value(.string(text)) }
    fileprivate static func number(_ number: Int64) -> MergedContent { .value(.int(number)) }

    fileprivate var shown: String {
        switch self {
        case .value(let value): "\(value)"
        case .list(let elements): "[" + elements.map(\.shown).joined(separator: ", ") + "]"
        default: "…"
        }
    }
}
