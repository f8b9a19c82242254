import FreeholdSyncCore

/// Clients' machines, a server's machine, their stores and the network between them, in one thread and from one seed.
/// Every message is encoded and decoded.
struct JointWorld {
    struct Options: CustomStringConvertible {
        var name: String
        var clients = 3
        var steps = 120
        var kinds = EditGenerator.Kind.allCases
        /// The number of crashes in a thousand transactions of a client's store.
        var crashes = 0
        /// The number of failures in a hundred requests of the server to its store. The answer is lost, or nothing was
        /// done.
        var failures = 0
        /// The number of drops in a thousand steps.
        var drops = 20
        /// The number of kills of the server's node in a thousand steps.
        var kills = 0
        /// A Boolean value that indicates whether a file can store the results of all edits.
        var fitsFiles = false
        /// The queries of all clients.
        var queries = [ClassQuery(className: "Thing", condition: "all")]
        /// A Boolean value that indicates whether the first client creates an object.
        var hasFirstObject = true

        var description: String { name }
    }

    static let stream = StreamName(app: "test")

    let options: Options
    var random: SeededRandom
    var clients: [SyncWorld.Client] = []
    var connections: [Int: ConnectionNumber] = [:]
    var lastConnection: ConnectionNumber = 0
    var server: ServerMachine
    /// Creates the machine of a process of the server.
    private let makeServer: () -> ServerMachine
    /// The messages to connections that aren't those of clients, and `nil` for connections that the server has closed.
    var undelivered: [(connection: ConnectionNumber, message: ServerMessage?)] = []
    var store: any WorldStore
    var timers: [ServerTimer: Int64] = [:]
    var requests: [(RequestNumber, ServerStoreRequest)] = []
    var works: [(WorkNumber, ServerWork)] = []
    var time: Int64 = 1_000_000
    var problems: [String] = []
    var counts: [String: Int] = [:]
    var isCalm = false
    /// The last recorded messages.
    private var last: [String] = []
    private let codec = MessageCodec()

    static func newServer() -> ServerMachine {
        var configuration = ServerConfiguration(apps: ["test": ServerApp()]) { token, _ in
            token.text == "" ? nil : token.text
        }
        configuration.commitSize = { UInt64($0.estimatedSize) }
        return ServerMachine(configuration, matcher: SimpleMatcher())
    }

    init(
        seed: UInt64,
        _ options: Options,
        store: any WorldStore = MemoryServerStore(epoch: 7),
        clients makeClient: () -> any WorldClient = { MemoryClientStore() },
        server makeServer: @escaping () -> ServerMachine = JointWorld.newServer
    ) {
        self.options = options
        self.store = store
        self.makeServer = makeServer
        random = SeededRandom(seed: seed)
        server = makeServer()
        for index in 0..<options.clients {
            var generator = EditGenerator(kinds: options.kinds)
            generator.fitsFiles = options.fitsFiles
            generator.skip(to: Int64(index + 1) * 1_000_000_000)
            clients.append(
                SyncWorld.Client(
                    store: makeClient(),
                    machine: Self.machine(index),
                    generator: generator,
                    offset: .random(in: -60_000...60_000, using: &random)
                )
            )
        }
        isCalm = true
        for index in clients.indices {
            handle(.started, index)
            handle(.subscribed(options.queries), index)
        }
        if options.hasFirstObject { commit([clients[0].generator.creation(of: ObjectName("Thing", 1), &random)], 0) }
        isCalm = false
    }

    private static func machine(_ index: Int) -> ClientMachine {
        var configuration = ClientConfiguration(app: "test", token: AccessToken("t"))
        configuration.session = SessionNumber(rawValue: UInt32(index + 1))
        return ClientMachine(configuration)
    }

    private mutating func note(_ text: String) { counts[text, default: 0] += 1 }

    // MARK: Clients

    private func wall(_ index: Int) -> Int64 { time + clients[index].offset }

    mutating func commit(_ edits: [LocalEdit], _ index: Int) {
        guard !edits.isEmpty else { return }
        do { try clients[index].store.commit(edits, wall: wall(index)) } catch {
            problems.append("a local commit fails: \(error)")
        }
        problems += clients[index].store.problems.map { "client \(index): \($0)" }
    }

    mutating func handle(_ event: ClientEvent, _ index: Int) {
        var events = [event]
        while !events.isEmpty {
            for action in clients[index].machine.handle(events.removeFirst(), now: wall(index), random: &random) {
                switch action {
                case .connect:
                    disconnect(index)
                    lastConnection += 1
                    connections[index] = lastConnection
                    run(.opened(lastConnection))
                    events.append(.connectionOpened)
                case .send(let message):
                    guard connections[index] != nil else { continue }
                    do {
                        if let message = try codec.clientMessage(codec.encode(message)) {
                            clients[index].up.append(message)
                        }
                    } catch { problems.append("a client's message: \(error)") }
                case .close: disconnect(index)
                case .setTimer(let timer, let at): clients[index].timers[timer] = at
                case .clearTimer(let timer): clients[index].timers[timer] = nil
                case .report(let report): clients[index].reports.append(report)
                case .store(let request):
                    if !isCalm, Int.random(in: 0..<1000, using: &random) < options.crashes {
                        note("crashes")
                        clients[index].store.crashes = [MemoryClientStore.Crash(isAfter: random.chance(50))]
                    }
                    let outcome = try? clients[index].store.perform(request, now: wall(index), random: &random)
                    problems += clients[index].store.problems.map { "client \(index): \($0)" }
                    guard let outcome else {
                        disconnect(index)
                        clients[index].timers = [:]
                        clients[index].machine = Self.machine(index)
                        return handle(.started, index)
                    }
                    events.append(.stored(outcome))
                }
            }
        }
    }

    private mutating func disconnect(_ index: Int) {
        clients[index].up = []
        clients[index].down = []
        guard let connection = connections.removeValue(forKey: index) else { return }
        run(.closed(connection))
    }

    mutating func drop(_ index: Int) {
        note("drops")
        disconnect(index)
        handle(.connectionClosed, index)
    }

    // MARK: The server

    mutating func run(_ event: ServerEvent) {
        for action in server.handle(event, now: time, random: &random) {
            switch action {
            case .send(let connection, let message):
                guard let index = connections.first(where: { $0.value == connection })?.key else {
                    undelivered.append((connection, message))
                    continue
                }
                do {
                    if let message = try codec.serverMessage(codec.encode(message)) {
                        clients[index].down.append(message)
                    }
                } catch { problems.append("a server's message: \(error)") }
            case .close(let connection):
                guard let index = connections.first(where: { $0.value == connection })?.key else {
                    undelivered.append((connection, nil))
                    continue
                }
                note("closed by the server")
                connections[index] = nil
                clients[index].up = []
                clients[index].down = []
                handle(.connectionClosed, index)
            case .request(let number, let request): requests.append((number, request))
            case .work(let number, let work): works.append((number, work))
            case .submitted, .cancelWork: break
            case .setTimer(let timer, let at): timers[timer] = at
            }
        }
    }

    /// Answers the request that waits longest.
    mutating func answer() {
        if !works.isEmpty, requests.isEmpty || random.chance(50) {
            var (number, work) = works.removeFirst()
            return run(.worked(number, work.finish()))
        }
        guard !requests.isEmpty else { return }
        let (number, request) = requests.removeFirst()
        guard !isCalm, random.chance(options.failures) else { return run(.answered(number, store.perform(request))) }
        note("failed requests")
        if random.chance(50) { _ = store.perform(request) }
        run(.answered(number, .failed(.unknown)))
    }

    mutating func fireServerTimers() {
        for (timer, at) in timers where at <= time {
            timers[timer] = nil
            run(.timer(timer))
        }
    }

    /// The node dies; its store lives on.
    mutating func kill() {
        note("kills")
        store.reopen()
        server = makeServer()
        (timers, requests, works, undelivered) = ([:], [], [], [])
        let connected = connections.keys.sorted()
        connections = [:]
        for index in connected {
            clients[index].up = []
            clients[index].down = []
            handle(.connectionClosed, index)
        }
    }

    // MARK: Steps

    private mutating func remember(_ text: String) {
        last.append(String(text.prefix(300)))
        if last.count > 8 { last.removeFirst() }
    }

    mutating func deliverUp(_ index: Int) {
        guard let connection = connections[index], !clients[index].up.isEmpty else { return }
        remember("\(index): \(clients[index].up[0])")
        run(.received(connection, clients[index].up.removeFirst(), bytes: 50))
    }

    mutating func deliverDown(_ index: Int) {
        guard !clients[index].down.isEmpty else { return }
        let message = clients[index].down.removeFirst()
        remember("to \(index): \(message)")
        handle(.received(message, bytes: .init(message.estimatedSize)), index)
    }

    mutating func fireTimers(_ index: Int) {
        for timer in ClientTimer.allCases {
            guard let at = clients[index].timers[timer], at <= wall(index) else { continue }
            clients[index].timers[timer] = nil
            handle(.timer(timer), index)
        }
    }

    mutating func run() {
        for _ in 0..<options.steps where problems.isEmpty && store.problems.isEmpty {
            time += .random(in: 0...400, using: &random)
            let index = Int.random(in: clients.indices, using: &random)
            fireTimers(index)
            fireServerTimers()
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<25:
                let objects = clients[index].store.data.objects
                commit(clients[index].generator.transaction(on: objects, &random), index)
                if random.chance(80) { handle(.committed, index) }
            case 25..<45: for _ in 0..<Int.random(in: 1...3, using: &random) { deliverUp(index) }
            case 45..<65: for _ in 0..<Int.random(in: 1...4, using: &random) { deliverDown(index) }
            case 65..<92: for _ in 0..<Int.random(in: 1...3, using: &random) { answer() }
            case 92: time += 70_000
            case 93: if Int.random(in: 0..<10, using: &random) < options.drops { drop(index) }
            case 94: if Int.random(in: 0..<10, using: &random) < options.kills { kill() }
            default: handle(.committed, index)
            }
        }
        problems += store.problems
        if problems.isEmpty { heal() }
    }

    /// Connects all clients, stops all failures, and delivers everything.
    mutating func heal() {
        isCalm = true
        var quiet = 0
        for _ in 0..<400 where problems.isEmpty && quiet < 4 {
            var isQuiet = true
            time += 3_000
            if clients.indices.contains(where: { connections[$0] == nil }) { time += 200_000 }
            fireServerTimers()
            for index in clients.indices {
                fireTimers(index)
                handle(.committed, index)
                while !clients[index].up.isEmpty || !clients[index].down.isEmpty || !requests.isEmpty
                    || !works.isEmpty
                {
                    // A server checks its store from time to time, and so does a client its server.
                    let isPing = { (message: ClientMessage) in if case .ping = message { true } else { false } }
                    let isPong = { (message: ServerMessage) in if case .pong = message { true } else { false } }
                    if !clients[index].up.allSatisfy(isPing) || !clients[index].down.allSatisfy(isPong) {
                        isQuiet = false
                    }
                    deliverUp(index)
                    deliverDown(index)
                    answer()
                    if !problems.isEmpty { return }
                }
            }
            quiet = isQuiet ? quiet + 1 : 0
        }
        problems += store.problems
        if quiet < 4 { problems.append("the messages don't end, the last: \(last)") }
        let expected = store.contents(of: Self.stream).mapValues {
            Content.withoutEmpty($0.contents.mapValues(Content.init))
        }
        for index in clients.indices {
            let data = clients[index].store.data
            let shown = data.objects.mapValues { Content.withoutEmpty($0.mapValues(Content.init)) }
            if shown != expected { problems.append("client \(index) shows\n\(shown)\nexpected\n\(expected)") }
            if !data.shadows.isEmpty || !data.local.isEmpty || data.state.firstPending <= data.state.lastCommit {
                problems.append("client \(index) still has pending work: \(data.shadows.keys)")
            }
        }
    }
}
