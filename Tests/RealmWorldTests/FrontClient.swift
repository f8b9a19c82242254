@testable import FreeholdRealmWire
@testable import FreeholdSyncCore
@testable import TestRealmClient

/// Official clients of the tests at the fronts of a bench. Messages are delivered one by one.
struct FrontClients {
    var bench: FrontBench
    var clients: [TestRealmClient] = []
    /// The connection of each client.
    private var connections: [Int] = []
    /// The messages that each client has received and sent.
    var received: [[RealmServerMessage]] = []
    var sent: [[RealmClientMessage]] = []
    /// The number of messages that a client still receives before its connection is lost.
    var remaining: [Int?] = []
    var time: UInt64 = 375_756_957_000

    init(
        _ count: Int,
        rules: MergeRules = MergeRules(),
        schema: [Instruction] = WorldSchema.instructions,
        queries: [(String, String)] = [("A", "TRUEPREDICATE"), ("B", "TRUEPREDICATE")],
        resetMode: ResetTracker.Mode = .recoverOrDiscard,
        version: Int = 14
    ) throws {
        bench = FrontBench(rules: rules, schema: SharedSchema(WorldSchema.tables))
        for _ in 0..<count {
            var client = try TestRealmClient(
                schema: schema,
                resetMode: resetMode,
                version: version,
                compression: SystemZlib(),
                time: time
            )
            if !queries.isEmpty { client.subscribe(to: queries) }
            append(client)
            try connect(clients.count - 1)
        }
        try run()
    }

    /// Adds a client without a connection.
    mutating func append(_ client: TestRealmClient) {
        clients.append(client)
        connections.append(-1)
        received.append([])
        sent.append([])
        remaining.append(nil)
    }

    mutating func connect(_ index: Int, isFast: Bool = false) throws {
        guard connections[index] < 0 else { return }
        connections[index] = bench.connect(version: clients[index].codec.version)
        clients[index].connect(isFast: isFast)
    }

    mutating func disconnect(_ index: Int) {
        guard connections[index] >= 0 else { return }
        bench.disconnect(connections[index])
        connections[index] = -1
        clients[index].disconnect()
    }

    /// Ends the process of the server. All connections are lost.
    mutating func restartServer() {
        bench.restart()
        for index in clients.indices {
            connections[index] = -1
            clients[index].disconnect()
        }
    }

    mutating func commit(_ index: Int, _ changes: [LocalChange]) throws {
        time += 1_000
        try clients[index].commit(changes, time: time)
    }

    /// Forgets the recorded messages.
    mutating func forget() {
        for index in clients.indices { (received[index], sent[index]) = ([], []) }
    }

    /// Lets a client send its messages. Returns a Boolean value that indicates whether it sent one.
    @discardableResult
    mutating func send(_ index: Int) throws -> Bool {
        var hasSent = false
        while connections[index] >= 0, let message = clients[index].nextMessage() {
            sent[index].append(message)
            try bench.send(message, connections[index])
            hasSent = true
        }
        return hasSent
    }

    /// Lets a client take the messages that were sent to it, or the first of them.
    @discardableResult
    mutating func take(_ index: Int, most: Int = .max) -> Bool {
        var hasTaken = false
        var count = 0
        while count < most, connections[index] >= 0, let message = bench.next(connections[index]) {
            if let left = remaining[index] {
                guard left > 0 else {
                    remaining[index] = nil
                    disconnect(index)
                    return true
                }
                remaining[index] = left - 1
            }
            count += 1
            received[index].append(message)
            clients[index].receive(message)
            hasTaken = true
        }
        if connections[index] >= 0, let code = bench.connections[connections[index]].closed {
            connections[index] = -1
            clients[index].closed(code: Int(code))
        }
        return hasTaken
    }

    /// Lets a client send a ping.
    mutating func ping(_ index: Int) throws {
        time += 60_000
        guard connections[index] >= 0, let message = clients[index].ping(timestamp: time) else { return }
        sent[index].append(message)
        try bench.send(message, connections[index])
    }

    /// Adds a copy of a client's file, without a connection, and returns its position.
    mutating func copy(_ index: Int) throws -> Int {
        var client = clients[index]
        try client.restart(time: time)
        client.events = []
        append(client)
        return clients.count - 1
    }

    /// Delivers messages to a client until it has a part of a bootstrap, and ends its connection.
    mutating func interruptBootstrap(_ index: Int) throws {
        for _ in 0..<50 where clients[index].file.bootstrap == nil {
            try send(index)
            bench.settle()
            take(index, most: 1)
        }
        guard clients[index].file.bootstrap != nil else { throw LocalError("no bootstrap begins") }
        disconnect(index)
    }

    /// Delivers everything.
    mutating func run() throws {
        for _ in 0..<200 {
            var isDone = true
            for index in clients.indices {
                clients[index].bindAgain()
                if try send(index) { isDone = false }
                if take(index) { isDone = false }
            }
            bench.settle()
            if isDone { return }
        }
        throw LocalError("the messages don't end")
    }

    var traps: [ClientTrap] { clients.flatMap(\.traps) }

    /// The downloads that a client has received.
    func downloads(_ index: Int) -> [RealmServerMessage.Download] {
        received[index].compactMap { if case .download(let download) = $0 { download } else { nil } }
    }

    /// Returns the instructions of the entries that a client has received.
    func instructions(_ index: Int) throws -> [[Instruction]] {
        try downloads(index).flatMap { try $0.entries.map { try Changeset(bytes: $0.changeset).instructions } }
    }
}
