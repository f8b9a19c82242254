import FreeholdRealmFront

@testable import FreeholdRealmWire
@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Fronts of several connections at one machine. Each event is handled with its consequences.
struct FrontBench {
    struct Connection {
        var front: RealmFront
        var number: ConnectionNumber
        /// The messages that the front sent and that weren't taken.
        var sent: [RealmServerMessage] = []
        /// The code with which the front closed the connection.
        var closed: UInt16?
    }

    static let stream = StreamName(app: "test")

    var machine: ServerMachine
    var store: any WorldStore
    var connections: [Connection] = []
    var random: SeededRandom
    var now: Int64 = 375_756_957_000
    private var timers: [ServerTimer: Int64] = [:]
    private var lastNumber: ConnectionNumber = 0
    let schema: SharedSchema
    private let rules: MergeRules
    let codec = RealmMessageCodec(version: 14, compression: SystemZlib())

    init(
        rules: MergeRules = MergeRules(),
        schema: SharedSchema = SharedSchema(),
        store: any WorldStore = MemoryServerStore(epoch: 7)
    ) {
        (self.rules, self.schema, self.store) = (rules, schema, store)
        machine = Self.machine(rules, schema)
        random = SeededRandom(seed: 1)
    }

    private static func machine(_ rules: MergeRules, _ schema: SharedSchema) -> ServerMachine {
        var app = ServerApp(rules: rules)
        app.judge = { _ in SchemaJudgement(.accepted) }
        app.schema = { ConditionSchema(schema.tables) }
        var configuration = ServerConfiguration(apps: ["test": app]) { token, _ in token.text }
        configuration.commitSize = { UInt64($0.estimatedSize) }
        return ServerMachine(configuration, matcher: QueryMatcher())
    }

    /// Opens a connection, and returns its number.
    mutating func connect(version: Int = 14) -> Int {
        lastNumber += 1
        let schema = schema
        var configuration = RealmFrontConfiguration(app: "test") { _ in .tables(schema.tables) }
        configuration.commitSize = { UInt64($0.estimatedSize) }
        let front = RealmFront(configuration, version: version, user: "anna", compression: SystemZlib())
        connections.append(Connection(front: front, number: lastNumber))
        let index = connections.count - 1
        run(.opened(lastNumber))
        perform(connections[index].front.open(now: now), index)
        return index
    }

    mutating func disconnect(_ index: Int) {
        guard connections[index].closed == nil else { return }
        connections[index].closed = 1006
        run(.closed(connections[index].number))
    }

    /// Ends the process of the server, and begins another one.
    mutating func restart() {
        for index in connections.indices { connections[index].closed = 1006 }
        store.reopen()
        machine = Self.machine(rules, schema)
        timers = [:]
    }

    mutating func send(_ message: RealmClientMessage, _ index: Int) throws {
        let frame = try codec.encoded(message)
        now += 1
        perform(connections[index].front.received(frame: frame, now: now), index)
        settle()
    }

    /// Takes the next message that was sent to a connection.
    mutating func next(_ index: Int) -> RealmServerMessage? {
        connections[index].sent.isEmpty ? nil : connections[index].sent.removeFirst()
    }

    private mutating func perform(_ actions: [RealmFrontAction], _ index: Int) {
        for action in actions {
            switch action {
            case .send(let frame):
                if let message = try? codec.serverMessage(frame) { connections[index].sent.append(message) }
            case .pass(let message, let bytes): run(.received(connections[index].number, message, bytes: bytes))
            case .close(let code):
                connections[index].closed = code
                run(.closed(connections[index].number))
            case .log: break
            }
        }
        guard connections[index].closed == nil else { return }
        let credit = connections[index].front.flushed()
        if !credit.isEmpty { perform(credit, index) }
    }

    private mutating func run(_ event: ServerEvent) {
        var events = [event]
        while !events.isEmpty {
            for action in machine.handle(events.removeFirst(), now: now, random: &random) {
                switch action {
                case .send(let number, let message):
                    guard let index = connections.firstIndex(where: { $0.number == number && $0.closed == nil }) else {
                        continue
                    }
                    perform(connections[index].front.received(message, now: now), index)
                case .close(let number):
                    if let index = connections.firstIndex(where: { $0.number == number }) {
                        connections[index].closed = 1011
                    }
                case .request(let number, let request): events.append(.answered(number, store.perform(request)))
                case .work(let number, var work): events.append(.worked(number, work.finish()))
                case .setTimer(let timer, let at): timers[timer] = at
                case .submitted, .cancelWork: break
                }
            }
        }
    }

    /// Lets time pass until the groups of commits are written.
    mutating func settle() {
        for _ in 0..<20 {
            now += 5
            for (timer, at) in timers where at <= now {
                timers[timer] = nil
                run(.timer(timer))
            }
        }
    }
}
