import FreeholdSyncCore

/// Conditions of tests: `all`, or `property == number`.
struct SimpleMatcher: ConditionMatcher {
    struct Condition: CompiledCondition {
        let property: SyncString?
        let value: Int64
        /// A property and the value that it must not have.
        var other: (property: SyncString, value: Int64)?

        var goesThroughLinks: Bool { false }
        var equality: ConditionEquality? { property.flatMap { ConditionEquality($0, [.int(value)]) } }

        func matches(_ name: ObjectName, _ contents: [SyncString: MergedContent], budget: inout WorkBudget) -> Bool {
            guard budget.charge() else { return false }
            if let other, contents[other.property] == .value(.int(other.value)) { return false }
            guard let property else { return true }
            return contents[property] == .value(.int(value))
        }
    }

    func compile(_ className: SyncString, _ text: SyncString) throws(ConditionError) -> any CompiledCondition {
        if let (first, second) = Self.parts(text), let found = try compile(className, first) as? Condition {
            var condition = found
            let words = second.string.split(separator: " ")
            guard words.count == 3, words[1] == "!=", let value = Int64(words[2]) else {
                throw ConditionError(position: 0, text: "not understood")
            }
            condition.other = (SyncString(String(words[0])), value)
            return condition
        }
        if text == "all" { return Condition(property: nil, value: 0) }
        let words = text.string.split(separator: " ")
        guard words.count == 3, words[1] == "==", let value = Int64(words[2]) else {
            throw ConditionError(position: 0, text: "not understood")
        }
        return Condition(property: SyncString(String(words[0])), value: value)
    }

    private static func parts(_ text: SyncString) -> (SyncString, SyncString)? {
        let parts = text.string.split(separator: " & ", maxSplits: 1)
        return parts.count == 2 ? (SyncString(String(parts[0])), SyncString(String(parts[1]))) : nil
    }
}

/// A node, its store, and the clients that talk to it, in one thread.
struct ServerBench {
    static let stream = StreamName(app: "app")

    var configuration: ServerConfiguration
    let matcher: any ConditionMatcher
    var machine: ServerMachine
    var store: any WorldStore
    var random: SeededRandom
    var now: Int64 = 1_000_000
    var clients: [ScriptedClient] = []
    private var lastConnection: ConnectionNumber = 0
    /// How many of a hundred commits fail, and how many of those were done after all.
    var failures = 0
    var lostAnswers = 0
    /// Commits stay in nodes' queues.
    var holdsGroups = false
    /// Work that is handed out stays undone.
    var holdsWork = false
    var works: [(number: WorkNumber, work: ServerWork)] = []
    /// Requests stay unanswered.
    var holdsRequests = false
    var requests: [(number: RequestNumber, request: ServerStoreRequest)] = []
    /// Receives what is sent to connections that aren't those of clients.
    var overhears: ((ConnectionNumber, ServerMessage?) -> Void)?
    /// The outcomes of submissions.
    var submitted: [SubmissionNumber: SubmissionOutcome] = [:]

    init(
        seed: UInt64 = 1,
        store: any WorldStore = MemoryServerStore(epoch: 7),
        matcher: any ConditionMatcher = SimpleMatcher(),
        configure: (inout ServerConfiguration) -> Void = { _ in }
    ) {
        (self.store, self.matcher) = (store, matcher)
        configuration = ServerConfiguration(apps: ["app": ServerApp()]) { token, _ in
            token.text == "" ? nil : token.text
        }
        configure(&configuration)
        machine = ServerMachine(configuration, matcher: matcher)
        random = SeededRandom(seed: seed)
    }

    /// Adds a client and connects it.
    mutating func add(
        _ queries: [ClassQuery] = [ClassQuery(className: "A", condition: "all")],
        user: SyncString = "anna",
        claim: SchemaClaim = SchemaClaim(version: 0, hash: .empty),
        isRecording: Bool = false
    ) -> Int {
        var client = ScriptedClient(queries: Queries(version: 1, queries: queries))
        (client.user, client.claim, client.isRecording) = (user, claim, isRecording)
        clients.append(client)
        connect(clients.count - 1)
        return clients.count - 1
    }

    mutating func connect(_ index: Int) {
        if let old = clients[index].connection { run(.closed(old)) }
        lastConnection += 1
        clients[index].connection = lastConnection
        run(.opened(lastConnection))
        for message in clients[index].greeting() { say(index, message) }
    }

    mutating func disconnect(_ index: Int) {
        guard let connection = clients[index].connection else { return }
        clients[index].connection = nil
        run(.closed(connection))
    }

    mutating func say(_ index: Int, _ message: ClientMessage) {
        guard let connection = clients[index].connection else { return }
        run(.received(connection, message, bytes: 100))
    }

    /// The node dies, and a new one replaces it.
    mutating func killNode() {
        store.reopen()
        machine = ServerMachine(configuration, matcher: matcher)
        for index in clients.indices { clients[index].connection = nil }
    }

    mutating func commit(_ index: Int, _ changes: [Change], _ seen: [ObjectName: StreamVersion] = [:]) {
        guard let upload = clients[index].commit(changes, seen, now) else { return }
        say(index, .upload(1, upload))
    }

    /// Handles an event and its consequences, except timers that are further away than a group's.
    mutating func run(_ event: ServerEvent) {
        var events = [event]
        while !events.isEmpty {
            let actions = machine.handle(events.removeFirst(), now: now, random: &random)
            for action in actions {
                switch action {
                case .send(let connection, let message):
                    guard let index = clients.firstIndex(where: { $0.connection == connection }) else {
                        overhears?(connection, message)
                        continue
                    }
                    for answer in clients[index].take(message) {
                        events.append(.received(connection, answer, bytes: 100))
                    }
                    // A client that receives an error disconnects.
                    if clients[index].connection == nil { events.append(.closed(connection)) }
                case .close(let connection):
                    if let index = clients.firstIndex(where: { $0.connection == connection }) {
                        clients[index].connection = nil
                    } else {
                        overhears?(connection, nil)
                    }
                case .request(let number, let request) where holdsRequests: requests.append((number, request))
                case .request(let number, let request): events.append(.answered(number, answer(request)))
                case .submitted(let number, let outcome): submitted[number] = outcome
                case .work(let number, let work) where holdsWork: works.append((number, work))
                case .work(let number, var work): events.append(.worked(number, work.finish()))
                case .cancelWork(let number): works.removeAll { $0.number == number }
                case .setTimer(.group, _) where holdsGroups: break
                case .setTimer(.group(let stream), _): events.append(.timer(.group(stream)))
                case .setTimer: break
                }
            }
        }
    }

    private mutating func answer(_ request: ServerStoreRequest) -> ServerStoreAnswer {
        guard random.chance(failures) else { return store.perform(request) }
        if case .commit = request.kind, random.chance(lostAnswers) { _ = store.perform(request) }
        return .failed(.unknown)
    }

    /// Performs the held work.
    mutating func finishWork() {
        while !works.isEmpty {
            var (number, work) = works.removeFirst()
            run(.worked(number, work.finish()))
        }
    }

    /// Answers the oldest held request.
    mutating func answerRequest() {
        let (number, request) = requests.removeFirst()
        run(.answered(number, answer(request)))
    }

    /// Time passes: what failed is tried again.
    mutating func tick() {
        now += 1_000
        run(.timer(.look(Self.stream)))
    }

    /// Returns the content that a client must have in the end.
    func expected(_ index: Int) -> [ObjectName: [ConfirmedField]] {
        let conditions = clients[index].queries.queries
        return store.contents(of: Self.stream).filter { name, object in
            conditions.contains { query in
                guard query.className == name.className else { return false }
                let compiled = try? SimpleMatcher().compile(query.className, query.condition)
                return compiled?.matches(name, object.contents) ?? false
            }
        }
        .compactMapValues { ScriptedClient.fields($0).map(ScriptedClient.withoutEmpty) }
    }
}
