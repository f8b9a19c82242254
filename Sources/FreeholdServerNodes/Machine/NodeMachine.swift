public import FreeholdSyncCore

/// The state machine of a node that shares a store with other nodes (`docs/nodes.md`).
///
/// It contains the machine of the node's sessions, and adds presence, links, leases, forwards and drains. Each stream has a holder, which merges
/// the commits of all nodes. The other nodes forward the commits of their sessions to it, and receive the steps that it writes.
///
/// The machine does no IO and reads no clock. The caller passes events, in any order that networks and a store can produce, and executes the
/// actions in order. All calls of one machine must be made one after the other.
public struct NodeMachine: Sendable {
    public private(set) var server: ServerMachine
    let configuration: NodeConfiguration
    private var random: any RandomNumberGenerator & Sendable

    /// The identity of the node's process. It is `nil` until the store has answered the registration.
    public internal(set) var identity: NodeIdentity?
    /// The greatest generation of the store that the node has seen.
    public internal(set) var generation: UInt64 = 0
    /// The generation in which the store has the node's row.
    var presentIn: UInt64?
    var places: [StreamName: StreamPlace] = [:]
    var peers: [SyncString: Peer] = [:]
    /// The time of the last answer with the rows of all nodes, or `nil` before the first one.
    var lastPeers: Int64?
    var outgoing: [SyncString: OutgoingLink] = [:]
    var incoming: [UInt64: IncomingLink] = [:]
    /// The greatest number of a link that each node has opened.
    var greeted: [NodeIdentity: UInt64] = [:]
    /// The time since which the node has had no open link to a holder, by the holder's name.
    var unlinked: [SyncString: Int64] = [:]
    /// The time before which the node doesn't try to connect to another node, by the other node's name.
    var nextDial: [SyncString: Int64] = [:]
    var lastLink: UInt64 = 0
    /// Submissions that other nodes forwarded, by the numbers that this node gave them.
    var guests: [SubmissionNumber: (link: UInt64, number: SubmissionNumber)] = [:]
    var lastGuest: SubmissionNumber = 1 << 63
    var beat: UInt64 = 0
    /// The unanswered request for presence, and its time.
    var presence: (number: RequestNumber, at: Int64)?
    var nextBeat: Int64 = 0
    private var lastRequest: RequestNumber = 0
    /// The number of the last round of forwards, in any stream.
    private var lastRound: UInt64 = 0
    /// The streams of unanswered commits.
    private var commits: [RequestNumber: StreamName] = [:]
    /// The streams of the unanswered reads that show whether the store was restored to an earlier state.
    private var checks: [RequestNumber: StreamName] = [:]
    private var connections: Set<ConnectionNumber> = []
    /// The time at which the drain ends, or `nil` if the node doesn't drain.
    var drainEnd: Int64?
    private(set) var hasEnded = false

    var time = NodeTime(monotonic: 0, wall: 0)
    private var actions: [NodeAction] = []

    /// Creates the machine of a node that hasn't started.
    ///
    /// - Parameters:
    ///   - server: The settings of the sessions. `isCoordinated` is set.
    ///   - random: The source of the secrets of files. It must be cryptographically secure in a server.
    public init(
        _ configuration: NodeConfiguration,
        server: ServerConfiguration,
        matcher: any ConditionMatcher,
        random: any RandomNumberGenerator & Sendable
    ) {
        var coordinated = server
        coordinated.isCoordinated = true
        self.configuration = configuration
        self.server = ServerMachine(coordinated, matcher: matcher)
        self.random = random
    }

    /// Handles an event, and returns the actions for the caller in order.
    ///
    /// - Complexity: O(size of the event, messages that it sends). The timer takes O(streams with sessions or commits).
    public mutating func handle(_ event: NodeEvent, at time: NodeTime) -> [NodeAction] {
        self.time = time
        if hasEnded { return [] }
        switch event {
        case .started:
            tick()
        case .timer: tick()
        case .opened(let connection, let generation): open(connection, generation)
        case .server(.submit(let number, let submission)): take(submission, number)
        case .server(.closed(let connection)):
            if connections.remove(connection) != nil { run(.closed(connection)) }
        case .server(let event): run(event)
        case .answered(let number, let answer, let generation): take(answer, number, generation)
        case .answeredNode(let number, let answer, let generation): take(answer, number, generation)
        case .dialled(let link): greet(link)
        case .refused(let link): takeRefusal(of: link)
        case .accepted(let link): incoming[link] = IncomingLink(heard: time.monotonic)
        case .received(let link, let frame): take(frame, link)
        case .ended(let link): forget(link, isEnded: true)
        case .drain(let within): drain(within)
        }
        finishEvent()
        defer { actions = [] }
        return actions
    }

    // MARK: Tools

    mutating func emit(_ action: NodeAction) { actions.append(action) }

    mutating func nextRequest() -> RequestNumber {
        lastRequest += 1
        return lastRequest
    }

    /// Returns 64 random bits.
    mutating func draw() -> UInt64 { random.next() }

    mutating func nextRound() -> UInt64 {
        lastRound += 1
        return lastRound
    }

    mutating func beginRound(_ name: StreamName) {
        guard places[name] != nil else { return }
        let round = nextRound()
        places[name]?.begin(round: round)
    }

    func isBroken(_ rule: NodeRule) -> Bool { configuration.broken.contains(rule) }

    /// Passes an event to the machine of the sessions.
    mutating func run(_ event: ServerEvent) {
        for action in server.handle(event, now: time.wall, random: &random) {
            switch action {
            case .request(let number, let request):
                var lease: StreamLease?
                switch request.kind {
                case .commit:
                    commits[number] = request.stream
                    if !isBroken(.namesLease) { lease = places[request.stream]?.lease ?? StreamLease() }
                case .step, .read: checks[number] = request.stream
                default: break
                }
                emit(.request(number, request, lease: lease))
            case .submitted(let number, let outcome): report(outcome, number)
            case .close(let connection):
                connections.remove(connection)
                emit(.server(action))
            default: emit(.server(action))
            }
        }
        for signal in server.takeSignals() { take(signal) }
    }

    private mutating func open(_ connection: ConnectionNumber, _ generation: UInt64) {
        // A client that has seen a greater generation has newer data than the store of this node.
        let isOld = !learn(generation: generation)
        guard identity != nil, drainEnd == nil, presentIn == self.generation || isBroken(.comparesGenerations), !isOld
        else { return emit(.server(.close(connection))) }
        connections.insert(connection)
        emit(.generation(connection, self.generation))
        run(.opened(connection))
    }

    /// Handles a generation that a client or another node has seen.
    ///
    /// - Returns: `false` if the generation was greater than the known one. Then the node's connections lead to a store that was replaced.
    @discardableResult
    mutating func learn(generation new: UInt64) -> Bool {
        guard new > generation, !isBroken(.comparesGenerations) else { return true }
        generation = new
        checkAll()
        emit(.reconnectStore)
        return false
    }

    /// Reads leases, rows and heads again, because a new generation may have another history.
    private mutating func checkAll() {
        (presence, nextBeat) = (nil, time.monotonic)
        // A client must know the generation of each answer and step that it receives. Otherwise a node with an older store resets it.
        for connection in connections.sorted() { emit(.generation(connection, generation)) }
        for name in places.keys.sorted(by: { $0.order < $1.order }) {
            places[name]?.isUnchecked = true
            readLease(name)
            run(.moved(name))
        }
    }

    /// Returns whether an answer has the present generation. An answer of an older generation is ignored.
    private mutating func accepts(_ answered: UInt64) -> Bool {
        if isBroken(.comparesGenerations) { return true }
        if answered > generation {
            let isFirst = generation == 0
            generation = answered
            if !isFirst { checkAll() }
        }
        guard answered == generation else {
            emit(.reconnectStore)
            return false
        }
        return true
    }

    private mutating func take(_ answer: ServerStoreAnswer, _ number: RequestNumber, _ generation: UInt64) {
        var answer = answer
        if !accepts(generation) { answer = .failed(.unknown) }
        if let stream = checks.removeValue(forKey: number) {
            run(.answered(number, answer))
            // A missing step doesn't show whether it was removed from the log, or whether the store was restored to an earlier state.
            switch answer {
            case .rows, .step(.some): places[stream]?.isUnchecked = false
            default: break
            }
            return
        }
        guard let stream = commits.removeValue(forKey: number) else { return run(.answered(number, answer)) }
        if case .failed(.unknown) = answer, isBroken(.distinguishesUnknown) { answer = .done }
        run(.answered(number, answer))
        // Another node may have taken the stream.
        if case .failed = answer { readLease(stream) }
    }

    private mutating func take(_ answer: NodeStoreAnswer, _ number: RequestNumber, _ generation: UInt64) {
        let answer = accepts(generation) ? answer : .failed
        if presence?.number == number { return take(presence: answer) }
        guard let name = places.first(where: { $0.value.asked?.number == number })?.key else { return }
        take(lease: answer, name)
    }

    private mutating func tick() {
        emit(.setTimer(at: time.monotonic + configuration.tick))
        beatIfDue()
        for name in server.knownStreams where server.hasSessions(name) && places[name] == nil {
            places[name] = StreamPlace()
        }
        checkLinks()
        for name in places.keys.sorted(by: { $0.order < $1.order }) { visit(name) }
        continueDrain()
    }

    /// Passes kept forwards to the server's machine and sends hints, after an event was handled.
    private mutating func finishEvent() {
        for (name, place) in places where place.isHolding {
            if !place.kept.isEmpty { mergeKept(name) }
            if !place.subscribers.isEmpty { sendHints(name) }
        }
    }

    /// Ends the node at once, because it has drained or the store has a greater incarnation of it.
    mutating func end() {
        guard !hasEnded else { return }
        hasEnded = true
        for connection in connections.sorted() { emit(.server(.close(connection))) }
        connections = []
        emit(.end)
    }

    /// Closes the connections of all clients.
    mutating func closeClients() {
        for connection in connections.sorted() {
            emit(.server(.close(connection)))
            run(.closed(connection))
        }
        connections = []
    }
}

extension StreamName {
    /// A text by which streams are sorted, so that they are processed in the same order in each run.
    var order: String { value.map { "\(app.string) \($0)" } ?? app.string }
}

extension NodeMachine {
    /// Checks the invariants after an event: the node merges only in streams that it considers its own, forwards only to a holder, and keeps no
    /// subscriber, forward or link of a connection that has ended.
    ///
    /// - Complexity: O(streams and links of the node)
    package func checkInvariants() {
        server.checkHeads()
        for (name, place) in places {
            assert(!place.isHolding || place.lease?.holder == identity, "The node holds another node's stream.")
            assert(place.state != .acquiring || place.asked != nil, "The node waits for no answer.")
            assert(!server.merges(name) || place.isHolding || place.asked != nil, "The node merges without a lease.")
            assert(place.subscribers.keys.allSatisfy { incoming[$0]?.peer != nil }, "A subscriber has no link.")
            assert(place.kept.allSatisfy { incoming[$0.link]?.peer != nil }, "A kept forward has no link.")
        }
        for link in outgoing.values { assert(link.number <= lastLink, "A link has a number that wasn't given.") }
        for link in incoming.values {
            if let peer = link.peer { assert(greeted[peer] != nil, "A link was accepted without a greeting.") }
        }
    }
}
