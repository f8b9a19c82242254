@testable import FreeholdServerNodes
@testable import FreeholdSyncCore

/// Clients, nodes, a store that can fail over, and the networks between them, in one thread and in virtual time.
///
/// The machines are the real ones. All times are in milliseconds.
struct NodeWorld {
    enum Event {
        case nodeTimer(node: Int, life: UInt64)
        case serverTimer(node: Int, life: UInt64, ServerTimer, at: Int64)
        /// An event for a node, for example an answer of the store. A stopped node receives it later.
        case node(Int, life: UInt64, NodeEvent)
        case execute(Call)
        case frame(link: Int, isUp: Bool, LinkFrame)
        case dial(node: Int, life: UInt64, number: UInt64, SyncString)
        case start(Int)
        case up(client: Int, ConnectionNumber, ClientMessage)
        case down(client: Int, ConnectionNumber, ServerMessage)
        case clientClosed(client: Int, ConnectionNumber)
        case clientTimer(client: Int, ClientTimer, at: Int64)
        case work(Int)
        case submit(Int)
        case fault
        case drainNext(Int)
        case resume(Int)
        case generation(client: Int, ConnectionNumber, UInt64)
    }

    /// A request of a node to the store.
    struct Call {
        enum Kind {
            case stream(RequestNumber, ServerStoreRequest, StreamLease?)
            case node(RequestNumber, NodeStoreRequest)
        }

        let node: Int
        let life: UInt64
        let identity: NodeIdentity?
        let primary: Int
        let kind: Kind
        /// A Boolean value that indicates whether the node receives the answer.
        var isAnswered = true
        var delay: Int64 = 0
    }

    struct Node {
        let name: SyncString
        var machine: NodeMachine?
        /// The number of the process. It isn't used again.
        var life: UInt64 = 0
        var offset: Int64
        var pausedUntil: Int64 = 0
        /// The events that arrived while the process was stopped.
        var inbox: [Event] = []
        var isResuming = false
        /// The server of the database to which the node is connected.
        var primary = 0
        var lastExecution: Int64 = 0
        var lastAnswer: Int64 = 0
        var storeCutUntil: Int64 = 0
        var timers: [ServerTimer: Int64] = [:]
        var isDraining = false
        var isRestarting = false
    }

    struct Link {
        let dialler: (node: Int, life: UInt64, number: UInt64)
        let acceptor: (node: Int, life: UInt64, number: UInt64)
        var isOpenAtDialler = true
        var isOpenAtAcceptor = true
        var lastUp: Int64 = 0
        var lastDown: Int64 = 0
    }

    struct Client {
        var store = MemoryClientStore()
        var machine: ClientMachine
        var node = 0
        var connection: ConnectionNumber?
        var isAccepted = false
        var lastUp: Int64 = 0
        var lastDown: Int64 = 0
        var timers: [ClientTimer: Int64] = [:]
        var offset: Int64
        var care = StoreCare()
        var generation: UInt64 = 0
    }

    static let stream = StreamName(app: "sim")
    let profile: NodeProfile
    var random: SeededRandom
    var time: Int64 = 0
    var queue = EventQueue<Event>()
    var nodes: [Node] = []
    var links: [Link] = []
    var clients: [Client] = []
    var primaries: [Primary] = [Primary(generation: 1)]
    /// The states of the current primary after its last transactions.
    var snapshots: [Primary] = []
    var current = 0
    var cuts: [Set<Int>: Int64] = [:]
    var lastConnection: ConnectionNumber = 0
    var lastLife: UInt64 = 0
    var lastAccepted: UInt64 = 0
    var lastSubmission: SubmissionNumber = 0
    var isCalm = true
    var replacements = 0
    /// The versions that the authors of commits had seen, by running hashes.
    var bases: [RunningHash: StreamVersion] = [:]
    /// All commits that were executed in any history.
    var executed: [PartName: [StoredAnswer]] = [:]
    var sum: Int64 = 0
    var maybe: Int64 = 0
    var submitted: [SubmissionNumber: Int64] = [:]
    var problems: [String] = []
    var paths: [String: Int] = [:]
    var trace: [String] = []
    let isTracing: Bool
    let seed: UInt64

    init(seed: UInt64, _ profile: NodeProfile, isTracing: Bool = false) {
        (self.seed, self.profile, self.isTracing) = (seed, profile, isTracing)
        random = SeededRandom(seed: seed &* 0x9E37_79B9_7F4A_7C15 ^ 0x0DE5)
        for index in 0..<(2 + random.below(2)) {
            nodes.append(Node(name: SyncString("n\(index)"), offset: Int64(random.below(4_000)) - 2_000))
            start(index)
        }
        for index in 0..<(2 + random.below(2)) { addClient(index) }
    }

    mutating func note(_ path: String) { paths[path, default: 0] += 1 }

    mutating func log(_ text: String) {
        trace.append("\(time) \(text)")
    }

    mutating func add(_ event: Event, in delay: Int64) { queue.add(event, at: time + delay) }

    /// Returns a short time that a message needs.
    mutating func latency() -> Int64 { Int64(1 + random.below(4)) }

    // MARK: The course of a world

    /// Plays the world: the start, the time with faults, and the healing.
    mutating func play() {
        run(until: 600)
        commit(
            [
                .create(counter(0), ["count": .value(0)], defaults: []),
                .create(counter(1), ["count": .value(0)], defaults: []),
            ],
            0
        )
        handle(.committed, 0)
        run(until: 20_000) { $0.isAtRest }
        guard problems.isEmpty else { return }
        guard isAtRest else { return problems.append("the world doesn't start: \(unrest ?? "")") }
        isCalm = false
        snapshots = []
        let end = time + profile.duration
        for index in clients.indices { add(.work(index), in: 1 + Int64(random.below(Int(profile.work)))) }
        if profile.submissions > 0 { add(.submit(0), in: 100) }
        add(.fault, in: 100 + Int64(random.below(Int(profile.pace))))
        run(until: end)
        guard problems.isEmpty else { return }
        heal()
    }

    private mutating func heal() {
        if isTracing { log("-- healing") }
        isCalm = true
        cuts = [:]
        for index in primaries.indices where index != current { stop(primary: index) }
        for index in nodes.indices {
            nodes[index].pausedUntil = min(nodes[index].pausedUntil, time)
            nodes[index].storeCutUntil = 0
            if nodes[index].machine == nil, !nodes[index].isRestarting { start(index) }
        }
        let begin = time
        run(until: time + 30_000) { $0.isAtRest }
        guard problems.isEmpty else { return }
        guard isAtRest else { return problems.append("there is no rest after 30 s: \(unrest ?? "")") }
        paths["longest time to rest, ms"] = Int(time - begin)
        checkEnd()
    }

    private mutating func run(until end: Int64, _ isDone: ((NodeWorld) -> Bool)? = nil) {
        var nextCheck = time + 50
        while problems.isEmpty, let next = queue.nextTime, next <= end {
            if let isDone, next >= nextCheck {
                nextCheck = next + 50
                if isDone(self) { return }
            }
            guard let (time, event) = queue.removeFirst() else { break }
            self.time = max(self.time, time)
            handle(event)
        }
        if problems.isEmpty, isDone == nil { time = max(time, end) }
    }

    private mutating func handle(_ event: Event) {
        switch event {
        case .nodeTimer(let node, let life): deliver(.timer, node, life)
        case .serverTimer(let node, let life, let timer, let at):
            guard nodes[node].life == life, nodes[node].timers[timer] == at else { return }
            if postpone(event, node) { return }
            nodes[node].timers[timer] = nil
            deliver(.server(.timer(timer)), node, life)
        case .node(let node, let life, let event): deliver(event, node, life)
        case .execute(let call): execute(call)
        case .frame(let link, let isUp, let frame): deliver(frame, link: link, isUp: isUp)
        case .dial(let node, let life, let number, let name): dial(from: node, life, number, to: name)
        case .start(let node): start(node)
        case .up(let client, let connection, let message): deliver(message, of: client, connection)
        case .down(let client, let connection, let message): deliver(message, to: client, connection)
        case .clientClosed(let client, let connection):
            guard clients[client].connection == connection else { return }
            clients[client].connection = nil
            handle(.connectionClosed, client)
        case .clientTimer(let client, let timer, let at):
            guard clients[client].timers[timer] == at else { return }
            clients[client].timers[timer] = nil
            handle(.timer(timer), client)
        case .work(let client): work(client)
        case .submit(let node): submit(node)
        case .fault: if !isCalm { playFault() }
        case .drainNext(let node): drainNext(node)
        case .resume(let node): resume(node)
        case .generation(let client, let connection, let generation):
            guard clients[client].connection == connection else { return }
            clients[client].generation = max(clients[client].generation, generation)
        }
    }

    /// Keeps an event if the node is stopped, or if earlier events wait.
    mutating func postpone(_ event: Event, _ node: Int) -> Bool {
        guard nodes[node].pausedUntil > time || !nodes[node].inbox.isEmpty, !nodes[node].isResuming else {
            return false
        }
        if nodes[node].inbox.isEmpty { queue.add(.resume(node), at: nodes[node].pausedUntil) }
        nodes[node].inbox.append(event)
        return true
    }

    /// Continues a node that was stopped: it receives the events that have waited, in their order.
    private mutating func resume(_ node: Int) {
        guard nodes[node].pausedUntil <= time else {
            return queue.add(.resume(node), at: nodes[node].pausedUntil)
        }
        nodes[node].isResuming = true
        while !nodes[node].inbox.isEmpty { handle(nodes[node].inbox.removeFirst()) }
        nodes[node].isResuming = false
    }

    // MARK: Rest

    var isAtRest: Bool { unrest == nil }

    /// A description of the first thing that isn't finished.
    var unrest: String? {
        let head = primaries[current].memory.head(of: Self.stream)
        for (index, client) in clients.enumerated() {
            let data = client.store.data
            guard data.local.isEmpty, data.state.acknowledged == data.state.lastCommit, data.state.recovery.isEmpty,
                !data.state.isReset
            else { return "client \(index) has work that isn't answered: \(data.state)" }
            let isCurrent = data.state.cursor.map { $0.version <= head.version } ?? false
            guard isCurrent, data.state.firstPending > data.state.lastCommit else {
                return "client \(index) waits at \(String(describing: data.state.cursor)), the head is \(head.cursor)"
            }
            for name in [counter(0), counter(1)] where head.version > 0 || index > 0 {
                let stored = primaries[current].memory.contents(of: Self.stream)[name]?.contents["count"]
                if data.objects[name]?["count"] != stored {
                    return "client \(index) shows \(String(describing: data.objects[name]?["count"])) for \(name), not "
                        + "\(String(describing: stored))"
                }
            }
        }
        for (index, node) in nodes.enumerated() {
            guard let machine = node.machine else {
                if node.isRestarting { return "node \(index) doesn't run" }
                continue
            }
            if let work = machine.server.unfinishedWork.first { return "node \(index): \(work)" }
        }
        if !submitted.isEmpty { return "submissions \(submitted.keys.sorted()) have no outcome" }
        return nil
    }

    private mutating func checkEnd() {
        let contents = primaries[current].memory.contents(of: Self.stream)
        var total: Int64 = 0
        for object in contents.values {
            if case .value(.int(let number))? = object.contents["count"] { total += number }
        }
        if total < sum || total > sum + maybe {
            problems.append("\(total) was counted, not \(sum) (+\(maybe))")
        }
        for (index, client) in clients.enumerated() where !client.store.data.lost.isEmpty {
            problems.append("client \(index) lost \(client.store.data.lost)")
        }
        for (index, node) in nodes.enumerated() {
            guard let machine = node.machine else { continue }
            if !machine.server.forwards(of: Self.stream).isEmpty {
                problems.append("node \(index) keeps commits that the log has")
            }
            machine.checkInvariants()
        }
    }
}
