import Testing

@testable import FreeholdRealmWire

/// Clients that merge like the official one, and a server that predicts them and repairs what its own merge decides differently.
@Suite("Realm wire: random convergence")
struct RandomConvergenceTests {
    @Test(arguments: [2, 3])
    func `random histories of clients and a server end equal`(_ clients: Int) throws {
        var seeds = SeededRandom(test: "RandomConvergenceTests.histories")
        let schema = try Golden.schema()
        var (changesets, repairs, absolute) = (0, 0, 0)
        for _ in TestBudget.range("RandomConvergenceTests.histories", usual: 40, soak: 50_000) {
            let seed = seeds.next()
            var world = World(schema: schema, clients: clients, seed: seed)
            do {
                try world.run(steps: 60)
            } catch {
                expect(false, "seed \(seed): \(error)")
                return
            }
            for (number, client) in world.clients.enumerated() {
                let difference = client.state.difference(to: world.server)
                expect(difference.isEmpty, "seed \(seed), client \(number): \(difference.instructions)")
            }
            changesets += world.changesets
            repairs += world.repairs
            absolute += world.absoluteRepairs
        }
        print("RandomConvergenceTests: \(changesets) changesets, \(repairs) repairs, \(absolute) of them absolute")
        expect(repairs > 0)
    }
}

/// The client of the tests: it keeps its unsent changes, and merges downloads with them.
private struct Client {
    struct Own {
        var version: UInt64
        var base: UInt64
        var order: ChangeOrder
        var bytes: [UInt8]
        /// The form with which later downloads are merged.
        var reciprocal: MergeEntry
    }

    let ident: UInt64
    var state: WireState
    /// The changes that the server may not have yet.
    var own: [Own] = []
    var version: UInt64 = 0
    /// The server's version that was integrated last.
    var integrated: UInt64 = 0
    /// The changes on their way to the server.
    var uploads: [Own] = []

    mutating func commit(_ changeset: Changeset, timestamp: UInt64) throws {
        guard !changeset.isEmpty else { return }
        version += 1
        let order = ChangeOrder(timestamp: timestamp, ident: ident)
        let bytes = try changeset.encoded()
        let entry = MergeEntry(order: order, changeset: try Changeset(bytes: bytes))
        let change = Own(version: version, base: integrated, order: order, bytes: bytes, reciprocal: entry)
        own.append(change)
        uploads.append(change)
    }

    mutating func integrate(_ entry: DownloadEntry) throws {
        own.removeAll { $0.version <= entry.clientVersion }
        var local = own.map(\.reciprocal)
        var incoming = [
            MergeEntry(
                order: ChangeOrder(timestamp: entry.timestamp, ident: entry.origin),
                changeset: try Changeset(bytes: entry.changeset)
            )
        ]
        try ClientMerge.transform(own: &local, incoming: &incoming)
        for index in own.indices { own[index].reciprocal = local[index] }
        try state.apply(incoming[0].changeset)
        integrated = entry.serverVersion
    }
}

/// The server's session of a client: the algorithm of state repair.
private struct Session {
    /// The client's state at its last commit that the server has.
    var client: WireState
    /// The entries that the client may not have integrated, in the form that they have after its uploads.
    var queue: [(version: UInt64, entry: MergeEntry)] = []
    var lastVersion: UInt64 = 0
    var versions: UInt64 = 0
    /// The entries on their way to the client.
    var downloads: [DownloadEntry] = []

    static let order = ChangeOrder(timestamp: 1, ident: 1)

    /// Returns what the client will show.
    func shown() throws -> WireState {
        var state = client
        for (_, entry) in queue { try state.apply(entry.changeset) }
        return state
    }

    mutating func send(_ changeset: Changeset) throws {
        guard !changeset.isEmpty else { return }
        var shown = try shown()
        try ChangesetValidator(version: 14).apply(changeset, to: &shown)
        versions += 1
        let bytes = try changeset.encoded()
        queue.append((versions, MergeEntry(order: Self.order, changeset: try Changeset(bytes: bytes))))
        downloads.append(DownloadEntry(serverVersion: versions, clientVersion: lastVersion, changeset: bytes))
    }
}

private struct World {
    var random: SeededRandom
    var writer: RandomWriter
    var server: WireState
    var clients: [Client]
    var sessions: [Session]
    var changesets = 0
    var repairs = 0
    var absoluteRepairs = 0

    init(schema: WireSchema, clients count: Int, seed: UInt64) {
        random = SeededRandom(seed: seed)
        writer = RandomWriter(random: SeededRandom(seed: seed &+ 1))
        server = WireState(schema: schema)
        clients = (0..<count).map { Client(ident: UInt64($0 + 2), state: WireState(schema: schema)) }
        sessions = (0..<count).map { _ in Session(client: WireState(schema: schema)) }
    }

    mutating func run(steps: Int) throws {
        for step in 0..<steps {
            let number = random.below(clients.count)
            switch random.below(3) {
            case 0:
                let changeset = try writer.write(to: &clients[number].state, changes: random.number(1..<6))
                // Clocks differ, so that the order of changes isn't that of their commits.
                try clients[number].commit(changeset, timestamp: UInt64(2 + step + random.below(20)))
            case 1: try upload(number)
            default: try download(number)
            }
        }
        for number in clients.indices {
            while !clients[number].uploads.isEmpty { try upload(number) }
        }
        for number in clients.indices {
            while !sessions[number].downloads.isEmpty { try download(number) }
        }
    }

    private mutating func download(_ number: Int) throws {
        guard !sessions[number].downloads.isEmpty else { return }
        try clients[number].integrate(sessions[number].downloads.removeFirst())
        // If nothing is on its way, the prediction is what the client shows.
        if sessions[number].downloads.isEmpty, clients[number].uploads.isEmpty {
            let difference = clients[number].state.difference(to: try sessions[number].shown())
            expect(difference.isEmpty, "A prediction was wrong: \(difference.instructions)")
        }
    }

    private mutating func upload(_ number: Int) throws {
        guard !clients[number].uploads.isEmpty else { return }
        let change = clients[number].uploads.removeFirst()
        changesets += 1
        var session = sessions[number]
        while let first = session.queue.first, first.version <= change.base {
            try session.client.apply(first.entry.changeset)
            session.queue.removeFirst()
        }
        let changeset = try Changeset(bytes: change.bytes)
        try session.client.apply(changeset)
        var own = [MergeEntry(order: change.order, changeset: changeset)]
        for index in session.queue.indices {
            // The client merges each entry by itself, and writes its own changes again between two.
            var entry = [session.queue[index].entry]
            try ClientMerge.transform(own: &own, incoming: &entry)
            session.queue[index].entry = entry[0]
        }
        session.lastVersion = change.version
        let shown = try session.shown()
        let before = server
        server = try merged(shown, before: before)
        let repair: Changeset
        if random.oneIn(10) {
            repair = server.absoluteRepair(of: touched(from: shown, to: server))
            absoluteRepairs += repair.isEmpty ? 0 : 1
        } else {
            repair = shown.difference(to: server)
        }
        repairs += repair.isEmpty ? 0 : 1
        try session.send(repair)
        sessions[number] = session
        for other in sessions.indices where other != number { try sessions[other].send(before.difference(to: server)) }
    }

    /// Returns the server's decision, which is often another one than the client's.
    private mutating func merged(_ shown: WireState, before: WireState) throws -> WireState {
        switch random.below(6) {
        case 0: return before
        case 1:
            var state = shown
            _ = try writer.write(to: &state, changes: 2)
            return state
        default: return shown
        }
    }

    private func touched(from first: WireState, to second: WireState) -> [WireObject] {
        var objects: [WireObject] = []
        for instruction in first.difference(to: second).instructions {
            if let object = instruction.object, objects.last != object { objects.append(object) }
        }
        return objects
    }
}
