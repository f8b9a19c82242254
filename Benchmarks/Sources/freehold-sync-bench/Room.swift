import FreeholdSyncCore

/// A file in memory that can't take a transaction back: what is measured is sync, not a copy of a million objects for each.
struct PlainStore: ClientStore {
    var data = MemoryClientStore().data

    mutating func transact<Result>(_ body: (inout MemoryClientStore.Data) throws -> Result) throws -> Result {
        try body(&data)
    }
}

/// Clients' machines and a server's, with their stores, in one thread. Every message goes through its bytes.
struct Room {
    struct Client {
        var store = PlainStore()
        var machine: ClientMachine
        var connection: ConnectionNumber?
        /// The time at which the client had its first object.
        var first: ContinuousClock.Instant?
    }

    private enum Event {
        case client(Int, ClientEvent)
        case server(ServerEvent)
    }

    static let stream = StreamName(app: "bench")

    static func configuration() -> ServerConfiguration {
        var configuration = ServerConfiguration(apps: ["bench": ServerApp()]) { token, _ in token.text }
        configuration.commitSize = \.estimatedSize
        configuration.connections = 1_000_000
        return configuration
    }

    private(set) var clients: [Client] = []
    private var server = ServerMachine(Room.configuration(), matcher: QueryMatcher())
    private var perform: (ServerStoreRequest) -> ServerStoreAnswer
    private var queue: [Event] = []
    private var random = SystemRandomNumberGenerator()
    private let codec = MessageCodec()
    private var now: Int64 = 400_000_000_000
    /// Bytes that went down.
    private(set) var bytes = 0
    /// What the server's machine, its store and the bytes on its side took.
    private(set) var serverTime: Duration = .zero

    /// - Parameter createOnly: asymmetric classes.
    init(createOnly: Set<SyncString> = [], _ perform: @escaping (ServerStoreRequest) -> ServerStoreAnswer) {
        self.perform = perform
        guard !createOnly.isEmpty else { return }
        var configuration = Self.configuration()
        var rules = MergeRules()
        rules.createOnly = createOnly
        configuration.apps["bench"] = ServerApp(rules: rules)
        server = ServerMachine(configuration, matcher: QueryMatcher())
    }

    /// A client that wants everything of a class.
    mutating func join(_ className: SyncString) throws {
        let machine = ClientMachine(ClientConfiguration(app: "bench", token: AccessToken("t")))
        clients.append(Client(machine: machine))
        let index = clients.count - 1
        queue += [
            .client(index, .started),
            .client(index, .subscribed([ClassQuery(className: className, condition: "TRUEPREDICATE")])),
        ]
        try run()
    }

    mutating func commit(_ index: Int, _ edits: [LocalEdit]) throws {
        try clients[index].store.data.commit(edits, wall: now)
        now += 1
    }

    mutating func tell(_ index: Int, _ event: ClientEvent) throws {
        queue.append(.client(index, event))
        try run()
    }

    private mutating func run() throws {
        var next = 0
        while next < queue.count {
            let event = queue[next]
            next += 1
            if next == 10_000 {
                queue.removeFirst(next)
                next = 0
            }
            switch event {
            case .client(let index, let event):
                for action in clients[index].machine.handle(event, now: now, random: &random) {
                    try take(action, index)
                }
            case .server(let event):
                let start = ContinuousClock.now
                for action in server.handle(event, now: now, random: &random) { try take(action) }
                serverTime += ContinuousClock.now - start
            }
        }
        queue.removeAll()
    }

    private mutating func take(_ action: ClientAction, _ index: Int) throws {
        switch action {
        case .connect:
            let connection = ConnectionNumber(index + 1)
            clients[index].connection = connection
            queue += [.server(.opened(connection)), .client(index, .connectionOpened)]
        case .send(let message):
            guard let connection = clients[index].connection else { return }
            let frame = try codec.encode(message)
            guard let read = try codec.clientMessage(frame) else { return }
            queue.append(.server(.received(connection, read, bytes: UInt64(frame.count))))
        case .store(let request):
            let outcome = try clients[index].store.perform(request, now: now, random: &random)
            queue.append(.client(index, .stored(outcome)))
            if clients[index].first == nil, !clients[index].store.data.objects.isEmpty {
                clients[index].first = ContinuousClock.now
            }
        case .report(.fault(let fault, let text)): fatalError("\(fault): \(text)")
        case .close: fatalError("a client closes its connection")
        case .setTimer, .clearTimer, .report: break
        }
    }

    private mutating func take(_ action: ServerAction) throws {
        switch action {
        case .send(let connection, let message):
            if case .error(_, let error) = message { fatalError("the server says \(error)") }
            let frame = try codec.encode(message)
            bytes += frame.count
            guard let read = try codec.serverMessage(frame) else { return }
            // Both sides count credit alike.
            queue.append(.client(Int(connection) - 1, .received(read, bytes: read.estimatedSize)))
        case .request(let number, let request): queue.append(.server(.answered(number, perform(request))))
        case .setTimer(.group(let stream), _): queue.append(.server(.timer(.group(stream))))
        case .work(let number, var work): queue.append(.server(.worked(number, work.finish())))
        case .setTimer, .submitted, .cancelWork: break
        case .close: fatalError("the server closes a connection")
        }
    }
}
