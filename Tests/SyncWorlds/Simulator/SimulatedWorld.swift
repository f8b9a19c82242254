@testable import FreeholdSyncCore

/// Clients, nodes, a store and the networks between them, in one thread. Every message goes through its bytes.
struct SimulatedWorld {
    struct Client {
        var store = MemoryClientStore()
        var machine: ClientMachine
        var node = 0
        var connection: ConnectionNumber?
        var up: [ClientMessage] = []
        var down: [(message: ServerMessage, bytes: UInt64)] = []
        /// The times of the timers, by a clock that isn't adjusted.
        var timers: [ClientTimer: Int64] = [:]
        var generator: EditGenerator
        var offset: Int64
        var isSuspended = false
        var backup: MemoryClientStore.Data?
        /// The next transaction of the store crashes.
        var crash: MemoryClientStore.Crash?
        var care = StoreCare()
        /// Failures of the store that the app received.
        var troubles: [StoreTrouble] = []
        /// The reports of scripted worlds.
        var reports: [ClientReport] = []
        /// The message of which it was sent parts last in its connection.
        var parted: PartedMessage?
        /// The values that were seen, to find one that comes back.
        var seen: [Watched: [MergedContent]] = [:]
    }

    struct Watched: Hashable {
        let name: ObjectName
        let property: SyncString
    }

    struct Node {
        var machine: ServerMachine
        var offset: Int64
        var requests: [(number: RequestNumber, request: ServerStoreRequest)] = []
        var works: [(number: WorkNumber, work: ServerWork)] = []
        var timers: [ServerTimer: Int64] = [:]
        /// Answers that come once more.
        var late: [(RequestNumber, ServerStoreAnswer)] = []
        /// Answers that others overtake.
        var held: [(RequestNumber, ServerStoreAnswer)] = []
        var hasHint = false
        /// Steps of the other node on their way.
        var link: [StreamStep] = []
        /// Users with changed roles, of which the node hasn't been notified.
        var newRoles: Set<SyncString> = []
    }

    static let stream = StreamName(app: "sim")
    let profile: SimulatedProfile
    var random: SeededRandom
    var time: Int64 = 400_000_000_000
    var clients: [Client] = []
    var nodes: [Node] = []
    var store: any WorldStore
    var backups: [MemoryServerStore] = []
    var lastEpoch: UInt64 = 7
    var lastConnection: ConnectionNumber = 0
    var isCalm = false
    /// A Boolean value that indicates whether a node receives an unreadable message.
    var isCutting = false
    var resetMode = ResetMode.recover
    /// The number of times that the store was replaced.
    var replacements = 0
    var problems: [String] = []
    var paths: [String: Int] = [:]
    var trace: [String] = []
    var isTracing = false
    /// The bytes of commits that were sent in parts.
    private var assembled: [PartedMessage: [UInt8]] = [:]
    /// Increments that programs without a file asked for, by their numbers.
    var submissions: [SubmissionNumber: (amount: Int64, replacements: Int)] = [:]
    var lastSubmission: SubmissionNumber = 0
    var checks: SimulatedChecks
    let roles = SimulatedRoles()
    let codec = MessageCodec()
    private let seed: UInt64

    init(
        seed: UInt64,
        _ profile: SimulatedProfile,
        store: any WorldStore = MemoryServerStore(epoch: 7),
        isTracing: Bool = false
    ) {
        (self.seed, self.profile, self.store, self.isTracing) = (seed, profile, store, isTracing)
        random = SeededRandom(seed: seed ^ 0x5EED)
        checks = SimulatedChecks(profile, seed)
        for _ in 0..<2 {
            nodes.append(
                Node(machine: Self.node(profile, seed, roles), offset: .random(in: -20_000...20_000, using: &random))
            )
        }
        isCalm = true
        for index in 0..<profile.clients { add(index) }
        guard !profile.isScripted else { return }
        let creation = clients[0].generator.creation(of: ObjectName("Thing", 1), &random)
        commit([profile.work == .counters ? Self.plainCreation(1) : creation], 0)
        for key in 2..<Int64(max(profile.objects, 1) + 1) {
            commit([clients[0].generator.creation(of: ObjectName("Thing", .int(key)), &random)], 0)
        }
        handle(.committed, 0)
        if random.chance(80) { settle() }
        isCalm = false
    }

    static func plainCreation(_ key: Int64) -> LocalEdit {
        .create(ObjectName("Thing", .int(key)), ["count": .value(0), "f": .value(0)], defaults: [])
    }

    mutating func add(_ index: Int) {
        var generator = EditGenerator(kinds: checks.kinds)
        generator.fitsFiles = profile.hasVersions
        generator.skip(to: Int64(index + 1) * 1_000_000_000)
        let offset = Int64.random(in: -60_000...60_000, using: &random)
        clients.append(Client(machine: machine(index), generator: generator, offset: offset))
        clients[index].node = index % nodes.count
        handle(.started, index)
        handle(.subscribed(queries(0, index)), index)
    }

    static func user(_ index: Int) -> SyncString { SyncString("user \(index)") }

    static func node(_ profile: SimulatedProfile, _ seed: UInt64, _ roles: SimulatedRoles) -> ServerMachine {
        var rules = MergeRules()
        rules.createOnly = ["Log"]
        rules.refusesWholeCommits = profile.refusesWhole
        if profile.refusals > 0 {
            rules.unique = [.init(className: "Thing", properties: ["mail"])]
            rules.forbids = SimulatedChecks.forbids(profile.refusals, seed)
        }
        if let forbids = profile.forbids { rules.forbids = forbids }
        var app = ServerApp(rules: rules)
        if profile.hasVersions { app.judge = { SimulatedVersions.judge($0) } }
        if profile.hasRoles {
            app.rights = { user, _ -> any SessionRights in
                profile.hasVersions ? QueryRole(role: roles[user]) as any SessionRights : roles[user]
            }
        }
        var configuration = ServerConfiguration(apps: ["sim": app]) { token, _ in token.text }
        configuration.commitSize = \.estimatedSize
        // All nodes write submissions under one file, as all processes of a server do.
        configuration.writerSecret = { _ in FileSecret(high: 1, low: 2) }
        configuration.broken = profile.broken
        let codec = MessageCodec()
        configuration.size = { (try? UInt64(codec.encode($0).count)) ?? 0 }
        if profile.isNarrow {
            configuration.chunkObjects = 2
            configuration.chunkBytes = 300
            configuration.stepObjects = 3
            configuration.heldObjects = 3
            configuration.fetchedObjects = 3
            configuration.groupChanges = 4
            configuration.uploadCredit = 4_000
            configuration.limits.messageBytes = 2_000
            configuration.partBytes = 60
            (configuration.keptBytes, configuration.keepDelay) = (100, 300)
            configuration.inlineSteps = 100
        }
        // Every third world has a node of an earlier version.
        if seed % 3 == 0 { configuration.limits.commitBytes = 0 }
        if profile.hasVersions { return ServerMachine(configuration, matcher: QueryMatcher()) }
        return ServerMachine(configuration, matcher: SimpleMatcher())
    }

    func machine(_ index: Int) -> ClientMachine {
        var configuration = ClientConfiguration(
            app: "sim",
            schema: SchemaClaim(version: schemaVersion(index), hash: .empty),
            token: AccessToken(profile.hasRoles ? Self.user(index) : "t")
        )
        configuration.session = SessionNumber(rawValue: UInt32(index + 1))
        if profile.isNarrow {
            configuration.window = 2_500
            // Every second client names more than the server keeps.
            if index % 2 == 0 { configuration.heldObjects = 2 }
            configuration.fetchedObjects = 3
            configuration.uploadBytes = 600
            configuration.partBytes = 60
            (configuration.keptBytes, configuration.keepDelay) = (100, 300)
        }
        // Every fourth client is of an earlier version.
        configuration.takesParts = (seed &+ UInt64(index)) % 4 != 0
        configuration.resetMode = resetMode
        return ClientMachine(configuration)
    }

    mutating func note(_ path: String) { paths[path, default: 0] += 1 }

    // MARK: Clients

    func wall(_ index: Int) -> Int64 { time + clients[index].offset }

    mutating func commit(_ edits: [LocalEdit], _ index: Int) {
        guard !edits.isEmpty else { return }
        if isTracing { trace.append("client \(index) commits \(edits)") }
        do {
            try clients[index].store.commit(edits, wall: wall(index), schemaVersion: schemaVersion(index))
            checks.note(edits, self, index)
        } catch { problems.append("a local commit fails: \(error)") }
    }

    mutating func handle(_ event: ClientEvent, _ index: Int) {
        var events = [event]
        while !events.isEmpty {
            let actions = clients[index].machine.handle(events.removeFirst(), now: wall(index), random: &random)
            guard let more = perform(actions, index) else { return }
            events += more
        }
    }

    /// The app lets a file be reset.
    mutating func reset(_ index: Int, _ mode: ResetMode) {
        for event in perform(clients[index].machine.reset(mode), index) ?? [] { handle(event, index) }
    }

    /// - Returns: what follows; nil if the client was started anew.
    private mutating func perform(_ actions: [ClientAction], _ index: Int) -> [ClientEvent]? {
        var events: [ClientEvent] = []
        for action in actions {
            switch action {
            case .connect:
                disconnect(index)
                lastConnection += 1
                clients[index].connection = lastConnection
                if !isCalm, !profile.isScripted, random.chance(30) {
                    clients[index].node = Int.random(in: nodes.indices, using: &random)
                    note("another node")
                }
                run(.opened(lastConnection), clients[index].node)
                events.append(.connectionOpened)
            case .send(let message): send(message, index)
            case .close: disconnect(index)
            case .setTimer(let timer, let at): clients[index].timers[timer] = time + at - wall(index)
            case .clearTimer(let timer): clients[index].timers[timer] = nil
            case .report(let report): note(report, index)
            case .store(let request):
                guard let outcome = perform(request, index) else {
                    restart(index)
                    return nil
                }
                events.append(.stored(outcome))
            }
        }
        return events
    }

    private mutating func send(_ message: ClientMessage, _ index: Int) {
        guard clients[index].connection != nil else { return }
        do {
            guard let read = try codec.clientMessage(codec.encode(message)) else { return }
            if read != message { problems.append("a client's message isn't read as it was: \(message)") }
            clients[index].up.append(read)
            if case .upload(_, let upload) = read {
                if !upload.oldLists.isEmpty { note("old lists") }
                if upload.commits.contains(where: { $0.part != nil }) { note("split commits") }
                checks.note(upload)
            }
            if case .part(_, let part) = read { noteUp(part, index) }
        } catch { problems.append("a client's message: \(error)") }
    }

    /// Remembers what the parts of a commit are together.
    private mutating func noteUp(_ part: MessagePart, _ index: Int) {
        let known = assembled[part.message] ?? []
        if part.offset == 0 { note("commits in parts") }
        guard part.offset <= UInt64(known.count) else {
            return problems.append("client \(index) leaves bytes of a commit out")
        }
        let bytes = Array(known.prefix(Int(part.offset))) + part.bytes
        assembled[part.message] = bytes
        guard UInt64(bytes.count) == part.message.count else { return }
        guard case .upload(_, let upload)? = try? MessageCodec.whole.clientMessage(bytes) else {
            return problems.append("the parts of client \(index) make no commit")
        }
        if !upload.oldLists.isEmpty { note("old lists") }
        checks.note(upload)
    }

    private mutating func perform(_ request: StoreRequest, _ index: Int) -> StoreOutcome? {
        if !isCalm, let crash = clients[index].crash {
            clients[index].store.crashes = [crash]
            clients[index].crash = nil
            note(crash.isAfter ? "crash after a transaction" : "crash before a transaction")
        }
        var outcome: StoreOutcome?
        do {
            var care = clients[index].care
            defer { clients[index].care = care }
            outcome = try clients[index].store.perform(request, now: wall(index), random: &random, care: &care)
        } catch let error as RepeatedFailure {
            clients[index].troubles.append(error.trouble)
        } catch {
            let cause = (error as? StoreTrouble)?.error ?? error
            if cause is MemoryClientStore.Data.Unstorable {
                note("a store that can't store an object")
            } else if let crash = error as? MemoryClientStore.Crash {
                // The process ends. Before a transaction, only the transaction fails.
                if crash.isAfter { clients[index].care = StoreCare() }
            } else {
                problems.append("a file fails: \(error)")
            }
        }
        if isTracing {
            trace.append(
                "client \(index) \(request) -> \(clients[index].store.data.edited) \(outcome.map { "\($0)" } ?? "crash")"
            )
        }
        if case .misfit? = outcome { note("misfit") }
        problems += checks.check(self, index, request)
        checks.remember(&clients[index])
        return outcome
    }

    private mutating func note(_ report: ClientReport, _ index: Int) {
        switch report {
        case .refused(let refusals):
            for refusal in refusals {
                note("refused: \(refusal.reason)")
                // A create that a role refuses leaves no slots: what names its elements is malformed, with or without versions.
                guard profile.hasVersions, !profile.hasRoles, refusal.reason == .malformed else { continue }
                problems.append("refused: \(refusal)")
            }
            checks.note(refusals)
        case .mismatch(let classes):
            note("mismatch")
            problems.append("client \(index) has other sums of \(classes)")
        case .forked: note("fork")
        case .resetBegins: note("reset")
        case .wasReset(let lost): note(lost > 0 ? "reset with loss" : "reset without loss")
        case .fault(let fault, let text): problems.append("client \(index): \(fault) \(text)")
        case .reached: note("waited")
        default: break
        }
        if profile.isScripted { clients[index].reports.append(report) }
        if isTracing { trace.append("client \(index) reports \(report)") }
    }

    mutating func disconnect(_ index: Int) {
        clients[index].up = []
        clients[index].down = []
        guard let connection = clients[index].connection else { return }
        clients[index].connection = nil
        run(.closed(connection), clients[index].node)
    }

    mutating func drop(_ index: Int) {
        disconnect(index)
        handle(.connectionClosed, index)
    }

    mutating func restart(_ index: Int) {
        guard problems.isEmpty else { return }
        disconnect(index)
        clients[index].timers = [:]
        clients[index].machine = machine(index)
        handle(.started, index)
        if clients[index].isSuspended { handle(.suspended, index) }
    }

    // MARK: Nodes

    func now(_ node: Int) -> Int64 { time + nodes[node].offset }

    mutating func run(_ event: ServerEvent, _ node: Int) {
        let actions = nodes[node].machine.handle(event, now: now(node), random: &random)
        if profile.broken.isEmpty { nodes[node].machine.checkHeads() }
        if profile.readsOnce { problems += checks.reads(of: actions) }
        for action in actions {
            switch action {
            case .send(let connection, let message):
                guard let index = clients.firstIndex(where: { $0.connection == connection }) else { continue }
                deliver(message, index)
            case .close(let connection):
                guard let index = clients.firstIndex(where: { $0.connection == connection }) else { continue }
                note("closed by the server")
                clients[index].connection = nil
                clients[index].up = []
                clients[index].down = []
                handle(.connectionClosed, index)
            case .request(let number, let request): nodes[node].requests.append((number, request))
            case .work(let number, let work):
                note("work that is handed out")
                nodes[node].works.append((number, work))
            case .cancelWork(let number):
                note("work that nobody needs")
                if random.chance(50) { nodes[node].works.removeAll { $0.number == number } }
            case .submitted(let number, let outcome): take(outcome, number)
            case .setTimer(let timer, let at): nodes[node].timers[timer] = time + at - now(node)
            }
        }
    }

    private mutating func take(_ outcome: SubmissionOutcome, _ number: SubmissionNumber) {
        guard let (amount, earlier) = submissions.removeValue(forKey: number) else {
            return problems.append("submission \(number) is answered twice")
        }
        switch outcome {
        case .done(_, let refusals):
            note("submitted")
            // The answer may have been on its way when the store went back.
            if refusals.isEmpty { checks.countSubmitted(amount, mayBeGone: replacements > earlier) }
        // The outcome is unknown.
        case .failed:
            note("a submission that failed")
            checks.maybeCount(amount)
        }
    }

    private mutating func deliver(_ message: ServerMessage, _ index: Int) {
        do {
            let bytes = try codec.encode(message)
            guard let read = try codec.serverMessage(bytes) else { return }
            if read != message { problems.append("a server's message isn't read as it was: \(message)") }
            clients[index].down.append((read, UInt64(bytes.count)))
            switch read {
            case .error(_, let error):
                note("error: \(error.text.string)")
                if error.text == ServerMachine.wentBack, replacements == 0 {
                    problems.append("client \(index) is told of a store that went back, and none did")
                }
                if error.fault == .violation, !isCutting { problems.append("client \(index) violates: \(error.text)") }
            case .bound(_, let bound):
                switch bound.start {
                case .bootstrap: note("resumed bootstrap")
                case .resume: note("resumed changes")
                case .nothing: note("bound anew")
                }
                if bound.staged != nil { note("an upload goes on in the middle") }
                clients[index].parted = nil
            case .bootstrapChunk(_, let chunk): if !chunk.covers.isEmpty { note("resync by keys") }
            case .changes(_, let changes):
                if changes.continues { note("split changes") }
                if changes.from == changes.to { note("fetched") }
            case .part(_, let part):
                if part.offset > 0, clients[index].parted != part.message { note("a download goes on in the middle") }
                clients[index].parted = part.message
            default: break
            }
        } catch { problems.append("a server's message: \(error)") }
    }

    /// Answers one of the requests of a node; not always the oldest.
    mutating func answer(_ node: Int) {
        if !nodes[node].works.isEmpty, nodes[node].requests.isEmpty || random.chance(50) {
            // The work of different users ends in any order.
            let most = isCalm ? 0 : min(2, nodes[node].works.count - 1)
            var (number, work) = nodes[node].works.remove(at: .random(in: 0...most, using: &random))
            return run(.worked(number, work.finish()), node)
        }
        guard !nodes[node].requests.isEmpty else { return }
        let most = isCalm || random.chance(70) ? 0 : min(2, nodes[node].requests.count - 1)
        let (number, request) = nodes[node].requests.remove(at: .random(in: 0...most, using: &random))
        let answer = perform(request, node)
        if !isCalm, random.chance(5) { nodes[node].late.append((number, answer)) }
        run(.answered(number, answer), node)
    }

    mutating func perform(_ request: ServerStoreRequest, _ node: Int) -> ServerStoreAnswer {
        let answer = store.perform(request)
        problems += store.problems
        if isTracing { trace.append("node \(node): \(request.kind) -> \(answer)") }
        if case .commit(let commit) = request.kind {
            if case .done = answer {
                problems += checks.committed(commit)
                for other in nodes.indices where other != node { nodes[other].hasHint = true }
                link(commit, from: node)
            } else {
                note("moved")
            }
        }
        return answer
    }

    /// Sends a step to the other nodes.
    private mutating func link(_ commit: StoreCommit, from node: Int) {
        guard profile.weights[.link] != nil, !isCalm else { return }
        let kind = ServerStoreRequest.Kind.step(
            after: commit.expected.cursor,
            objects: .max,
            through: commit.head.version
        )
        guard case .step(var step?) = store.perform(ServerStoreRequest(stream: Self.stream, kind: kind)) else { return }
        step.head = nil
        for other in nodes.indices where other != node { nodes[other].link.append(step) }
    }

    /// Performs a request whose answer others may overtake.
    mutating func hold(_ node: Int) {
        guard !nodes[node].requests.isEmpty else { return }
        let (number, request) = nodes[node].requests.removeFirst()
        nodes[node].held.append((number, perform(request, node)))
    }

    /// Delivers an answer that was held.
    mutating func release(_ node: Int) {
        guard !nodes[node].held.isEmpty else { return }
        let index = Int.random(in: nodes[node].held.indices, using: &random)
        if nodes[node].held.count > 1, index > 0 { note("an answer that overtakes another one") }
        let (number, answer) = nodes[node].held.remove(at: index)
        run(.answered(number, answer), node)
    }

    mutating func fireTimers(_ node: Int) {
        for timer in nodes[node].timers.keys.sorted(by: { "\($0)" < "\($1)" }) {
            guard let at = nodes[node].timers[timer], at <= time else { continue }
            nodes[node].timers[timer] = nil
            run(.timer(timer), node)
        }
    }

    mutating func kill(_ node: Int) {
        nodes[node].machine = Self.node(profile, seed, roles)
        nodes[node].newRoles = []
        // What the node had been asked for may be done, or not.
        for (number, (amount, _)) in submissions where number % UInt64(nodes.count) == UInt64(node) {
            submissions[number] = nil
            checks.maybeCount(amount)
        }
        (nodes[node].requests, nodes[node].works, nodes[node].timers, nodes[node].late) = ([], [], [:], [])
        (nodes[node].held, nodes[node].link) = ([], [])
        for index in clients.indices where clients[index].node == node && clients[index].connection != nil {
            clients[index].connection = nil
            clients[index].up = []
            clients[index].down = []
            handle(.connectionClosed, index)
        }
    }

    // MARK: Network

    mutating func deliverUp(_ index: Int) {
        guard let connection = clients[index].connection, !clients[index].up.isEmpty else { return }
        let message = clients[index].up.removeFirst()
        if isTracing { trace.append("\(index) -> \(clients[index].node): \(message)") }
        let bytes = (try? codec.encode(message).count) ?? 0
        run(.received(connection, message, bytes: UInt64(bytes)), clients[index].node)
    }

    mutating func deliverDown(_ index: Int) {
        guard !clients[index].down.isEmpty else { return }
        let (message, bytes) = clients[index].down.removeFirst()
        if isTracing { trace.append("\(clients[index].node) -> \(index): \(message)") }
        problems += checks.received(message, clients[index].store.data).map { "client \(index): \($0)" }
        handle(.received(message, bytes: bytes), index)
    }

    mutating func fireClientTimers(_ index: Int) {
        for timer in ClientTimer.allCases {
            guard let at = clients[index].timers[timer], at <= time else { continue }
            clients[index].timers[timer] = nil
            handle(.timer(timer), index)
        }
    }
}
