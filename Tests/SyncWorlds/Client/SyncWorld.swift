import FreeholdSyncCore

/// Some clients, a synchronous server and a network, in one thread and from one seed.
struct SyncWorld {
    struct Options: CustomStringConvertible {
        var name: String
        var clients = 3
        var steps = 150
        var kinds = EditGenerator.Kind.allCases
        /// The number of refused objects in a hundred objects of commits.
        var refusals = 0
        /// The number of crashes in a thousand store transactions.
        var crashes = 0
        /// The number of drops in a thousand steps.
        var drops = 20
        var queries = false
        /// A Boolean value that indicates whether a file can store the results of all edits.
        var fitsFiles = false

        var description: String { name }
    }

    struct Client {
        var store: any WorldClient = MemoryClientStore()
        var machine: ClientMachine
        var up: [ClientMessage] = []
        var down: [ServerMessage] = []
        var isConnected = false
        var timers: [ClientTimer: Int64] = [:]
        var reports: [ClientReport] = []
        var generator: EditGenerator
        var offset: Int64
        var refused: [Refusal] = []
        /// Elements of lists that the app has removed.
        var removed: Set<ListedValue> = []
    }

    /// An element of a list of an object. Generators assign a unique value to each element.
    struct ListedValue: Hashable {
        let object: ObjectName
        let number: Int64
    }

    let options: Options
    var random: SeededRandom
    var server: SynchronousServer
    var clients: [Client] = []
    var time: Int64 = 1_000_000
    var problems: [String] = []
    var log: [String] = []
    var isCalm = false

    init(
        seed: UInt64,
        _ options: Options,
        clients makeClient: () -> any WorldClient = { MemoryClientStore() }
    ) {
        self.options = options
        random = SeededRandom(seed: seed)
        var rules = OracleRules()
        let percent = UInt64(options.refusals)
        if options.refusals > 0 {
            rules.unique = [("Thing", ["mail"])]
            rules.refusesWholeCommits = seed % 4 == 0
            rules.forbids = { ident, commit, name in
                var random = SeededRandom(seed: seed ^ UInt64(ident.rawValue) << 40 ^ commit.number << 20)
                for byte in name.description.utf8 { random = SeededRandom(seed: random.next() ^ UInt64(byte)) }
                return random.next() % 100 < percent && commit.number > 1
            }
        }
        server = SynchronousServer(rules: rules)
        for index in 0..<options.clients {
            var generator = EditGenerator(kinds: options.kinds)
            generator.fitsFiles = options.fitsFiles
            generator.skip(to: Int64(index + 1) << 40)
            clients.append(
                Client(
                    store: makeClient(),
                    machine: Self.machine(index),
                    generator: generator,
                    offset: .random(in: -60_000...60_000, using: &random)
                )
            )
        }
        isCalm = true
        defer { isCalm = false }
        for index in clients.indices {
            handle(.started, index)
            handle(.subscribed([ClassQuery(className: "Thing", condition: "TRUEPREDICATE")]), index)
        }
        if options.clients > 0 {
            let creation = clients[0].generator.creation(of: ObjectName("Thing", 1), &random)
            commit([creation], 0)
        }
    }

    private static func machine(_ index: Int) -> ClientMachine {
        var configuration = ClientConfiguration(app: "test", token: AccessToken("t"))
        configuration.session = SessionNumber(rawValue: UInt32(index + 1))
        configuration.uploadBytes = 600
        configuration.window = 1_000
        return ClientMachine(configuration)
    }

    // MARK: A client

    private func wall(_ index: Int) -> Int64 { time + clients[index].offset }

    mutating func commit(_ edits: [LocalEdit], _ index: Int) {
        guard !edits.isEmpty else { return }
        log.append("client \(index) commits \(edits)")
        let before = listed(index)
        defer {
            let after = listed(index)
            clients[index].removed.formUnion(before.subtracting(after))
            clients[index].removed.subtract(after)
        }
        do {
            try clients[index].store.commit(edits, wall: wall(index))
        } catch {
            problems.append("a local commit fails: \(error)")
        }
        problems += clients[index].store.problems.map { "client \(index): \($0)" }
    }

    mutating func handle(_ event: ClientEvent, _ index: Int) {
        var events = [event]
        while !events.isEmpty {
            let event = events.removeFirst()
            for action in clients[index].machine.handle(event, now: wall(index), random: &random) {
                switch action {
                case .connect:
                    clients[index].isConnected = false
                    events.append(.connectionOpened)
                    clients[index].isConnected = true
                    clients[index].up = []
                    clients[index].down = []
                    server.disconnect(index)
                case .send(let message): if clients[index].isConnected { clients[index].up.append(message) }
                case .close: disconnect(index)
                case .setTimer(let timer, let at): clients[index].timers[timer] = at
                case .clearTimer(let timer): clients[index].timers[timer] = nil
                case .report(let report):
                    clients[index].reports.append(report)
                    if case .refused(let refusals) = report { clients[index].refused += refusals }
                case .store(let request):
                    guard let outcome = perform(request, index) else {
                        restart(index)
                        return
                    }
                    events.append(.stored(outcome))
                }
            }
        }
    }

    private mutating func perform(_ request: StoreRequest, _ index: Int) -> StoreOutcome? {
        if !isCalm, Int.random(in: 0..<1000, using: &random) < options.crashes {
            clients[index].store.crashes = [MemoryClientStore.Crash(isAfter: random.chance(50))]
        }
        let before = clients[index].store.data
        let outcome = try? clients[index].store.perform(request, now: wall(index), random: &random)
        let after = clients[index].store.data
        log.append("client \(index) \(request) -> \(after.edited)")
        check(index, before, after)
        checkRemoved(index)
        problems += clients[index].store.problems.map { "client \(index): \($0)" }
        return outcome
    }

    private mutating func disconnect(_ index: Int) {
        clients[index].isConnected = false
        clients[index].up = []
        clients[index].down = []
        server.disconnect(index)
    }

    mutating func restart(_ index: Int) {
        log.append("client \(index) starts anew")
        disconnect(index)
        clients[index].timers = [:]
        clients[index].machine = Self.machine(index)
        handle(.started, index)
    }

    mutating func drop(_ index: Int) {
        log.append("client \(index) is cut off")
        disconnect(index)
        handle(.connectionClosed, index)
    }

    mutating func deliverUp(_ index: Int) {
        guard !clients[index].up.isEmpty else { return }
        let message = clients[index].up.removeFirst()
        server.now = max(server.now, time)
        clients[index].down += server.receive(message, from: index, &random)
    }

    mutating func deliverDown(_ index: Int) {
        guard !clients[index].down.isEmpty else { return }
        let message = clients[index].down.removeFirst()
        handle(.received(message, bytes: 50), index)
    }

    mutating func fireTimers(_ index: Int) {
        for timer in ClientTimer.allCases {
            if let at = clients[index].timers[timer], at <= wall(index) {
                clients[index].timers[timer] = nil
                handle(.timer(timer), index)
            }
        }
    }

    // MARK: Events

    mutating func run() {
        for _ in 0..<options.steps where problems.isEmpty { step() }
        problems += server.problems
        if problems.isEmpty { heal() }
    }

    mutating func step() {
        time += .random(in: 0...400, using: &random)
        let index = Int.random(in: clients.indices, using: &random)
        fireTimers(index)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<25:
            let objects = clients[index].store.data.objects
            var generator = clients[index].generator
            let edits = generator.transaction(on: objects, &random)
            clients[index].generator = generator
            commit(edits, index)
            if random.chance(80) { handle(.committed, index) }
        case 25..<50: for _ in 0..<Int.random(in: 1...3, using: &random) { deliverUp(index) }
        case 50..<75: for _ in 0..<Int.random(in: 1...4, using: &random) { deliverDown(index) }
        case 75..<88:
            let from = server.session(index)?.cursor ?? 0
            guard from < server.version else { break }
            let to = StreamVersion.random(in: from + 1...server.version, using: &random)
            clients[index].down += server.push(index, upTo: to, split: random.chance(30))
        case 88..<92: clients[index].down += server.acknowledgeAll(index)
        case 92..<95: clients[index].down += server.continueBootstrap(index, count: .random(in: 1...2, using: &random))
        case 95..<97:
            if Int.random(in: 0..<60, using: &random) < options.drops { drop(index) }
        case 97: time += 70_000
        case 98 where options.queries:
            let condition: SyncString = ["TRUEPREDICATE", "key < 3", "g even"].randomElement(using: &random)!
            handle(.subscribed([ClassQuery(className: "Thing", condition: condition)]), index)
        default: handle(.committed, index)
        }
    }

    /// Connects all clients, and delivers all messages.
    mutating func heal() {
        isCalm = true
        for round in 0..<60 where problems.isEmpty {
            var isQuiet = true
            for index in clients.indices {
                if !clients[index].isConnected {
                    time += 200_000
                    fireTimers(index)
                }
                handle(.committed, index)
                while server.session(index)?.rest != nil {
                    clients[index].down += server.continueBootstrap(index, count: 5)
                }
                clients[index].down += server.push(index, upTo: server.version)
                clients[index].down += server.acknowledgeAll(index)
                while !clients[index].up.isEmpty || !clients[index].down.isEmpty {
                    isQuiet = false
                    deliverUp(index)
                    deliverDown(index)
                }
            }
            if isQuiet, round > 2 { break }
            if round == 59 { problems.append("the messages don't end") }
        }
        problems += server.problems
        if !server.agrees { problems.append("the merge and the oracle differ") }
        for index in clients.indices { checkEnd(index) }
    }

    // MARK: Checks

    private func text(_ objects: [ObjectName: [SyncString: Content]]) -> String {
        objects.sorted { $0.key < $1.key }.map { "\($0.key): \(Content.dictionary($0.value))" }.joined(separator: "\n")
    }

    private mutating func checkEnd(_ index: Int) {
        let data = clients[index].store.data
        let queries = data.state.querySets.last.map { Queries(version: $0.version, queries: $0.queries) }
        let view = server.view(queries, at: server.version)
        let expected = server.oracle.stored().filter { view[$0.key] != nil }
        let shown = data.objects.mapValues { Content.withoutEmpty($0.mapValues(Content.init)) }
        if shown != expected {
            problems.append("client \(index) shows\n\(text(shown))\nexpected\n\(text(expected))")
        }
        if !data.shadows.isEmpty || !data.local.isEmpty || data.state.firstPending <= data.state.lastCommit {
            problems.append("client \(index) still has pending work: \(data.shadows.keys) \(data.state)")
        }
        if data.versions != view { problems.append("client \(index) holds other versions: \(data.versions), \(view)") }
        if data.state.querySets.last?.state != .complete { problems.append("client \(index): \(data.state.querySets)") }
    }

    /// Checks each transaction: shadows explain the shown objects, the confirmed objects equal the server's at that
    /// version, and no pending value was replaced.
    private mutating func check(_ index: Int, _ before: MemoryClientStore.Data, _ after: MemoryClientStore.Data) {
        func plain(_ contents: [SyncString: MergedContent]?) -> [SyncString: Content]? {
            contents.map { Content.withoutEmpty($0.mapValues(Content.init)) }
        }
        let touched = Set(after.local.flatMap { $0.edits.map(\.object) })
        for (name, shadow) in after.shadows where !touched.contains(name) {
            if plain(shadow.contents) != plain(after.objects[name]) {
                problems.append("client \(index) shows \(name) otherwise than its shadow says")
            }
        }
        for (name, version) in after.versions where version > 0 && after.versions[name] != before.versions[name] {
            let confirmed = plain(after.shadows[name]?.confirmedContents ?? after.objects[name])
            let server = self.server.oracle.copies[Int(version)]
            guard let object = server[name], object.changed == version else {
                problems.append("client \(index) holds \(name) at \(version), which never was")
                continue
            }
            let expected = Content.withoutEmpty(object.contents(of: object.record) { _ in true })
            if confirmed != expected, !touched.contains(name) {
                problems.append(
                    "client \(index) holds \(name) at \(version) as \(confirmed ?? [:]), expected \(expected)"
                )
            }
        }
        for (name, shadow) in after.shadows where !touched.contains(name) {
            guard let shown = after.objects[name] else { continue }
            for property: SyncString in ["f", "g"] {
                guard let value = pendingValue(shadow, property), shown[property] != value else { continue }
                problems.append(
                    "client \(index): the pending \(property) of \(name) gave way: \(value), \(String(describing: shown[property])); pending \(shadow.pending.map { "\($0.commit) \($0.change) seen \($0.seen ?? 0) \($0.isBeforeErasure)" }), at \(shadow.version ?? 0)"
                )
            }
        }
    }

    /// The elements of the lists that a client shows, also of lists in embedded objects. Empty if a rule may refuse the removal of one.
    private func listed(_ index: Int) -> Set<ListedValue> {
        guard options.refusals == 0 else { return [] }
        var values: Set<ListedValue> = []
        for (name, contents) in clients[index].store.data.objects {
            for case .list(let elements) in contents.lists {
                for case .value(.int(let number)) in elements {
                    values.insert(ListedValue(object: name, number: EditGenerator.element(number)))
                }
            }
        }
        return values
    }

    /// No download shows what the app has removed, unless a rule may refuse the removal.
    private mutating func checkRemoved(_ index: Int) {
        guard !clients[index].removed.isEmpty else { return }
        let back = listed(index).intersection(clients[index].removed)
        guard let value = back.first else { return }
        let pending = clients[index].store.data.shadows[value.object]?.pending ?? []
        problems.append(
            "client \(index) shows \(value) again, which it removed; pending \(pending.map { "\($0.commit) \($0.change) seen \($0.seen ?? 0)" })"
        )
    }

    /// Returns the last value that pending work assigned to a property, if the object is the one that it meant.
    private func pendingValue(_ shadow: Shadow, _ property: SyncString) -> MergedContent? {
        var value: MergedContent?
        var isOwn = false
        var isThere = shadow.version != nil
        for pending in shadow.pending {
            switch pending.change {
            case .set(let place, let new, .real) where place.path == [.property(property)]:
                if isThere, isOwn || shadow.means(pending) { value = .value(new) }
            case .create(_, let fields):
                if pending.isBeforeErasure, shadow.version == nil { break }
                (isOwn, isThere) = (true, true)
                for field in fields where field.name == property && field.origin == .real {
                    if case .value(let new) = field.content { value = .value(new) }
                }
            case .delete: if isOwn || shadow.means(pending) { (value, isThere) = (nil, false) }
            default: break
            }
        }
        return value
    }
}

extension [SyncString: MergedContent] {
    /// The lists in the contents, at whatever depth.
    fileprivate var lists: [MergedContent] { values.flatMap(\.lists) }
}

extension MergedContent {
    fileprivate var lists: [MergedContent] {
        switch self {
        case .value, .set: []
        case .embedded(let fields): fields.lists
        case .list(let elements): [self] + elements.flatMap(\.lists)
        case .dictionary(let entries): entries.lists
        }
    }
}
