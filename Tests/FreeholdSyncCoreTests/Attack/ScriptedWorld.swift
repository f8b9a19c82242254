import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// A scripted history between real machines: the connections, the edits and the times.
struct ScriptedWorld {
    static let name = ObjectName("Thing", 1)
    var world: SimulatedWorld
    private var online: Set<Int> = []

    /// All clients are connected and empty. Clocks are right.
    init(clients: Int = 2, rules: (inout SimulatedProfile) -> Void = { _ in }) {
        var profile = SimulatedProfile(name: "script", work: .everything, weights: [:])
        (profile.clients, profile.isScripted) = (clients, true)
        rules(&profile)
        world = SimulatedWorld(seed: 1, profile)
        for index in world.clients.indices { world.clients[index].offset = 0 }
        for node in world.nodes.indices { world.nodes[node].offset = 0 }
        sync(Array(0..<clients))
    }

    /// Creates the list of the one object, which all clients receive.
    init(clients: Int = 2, list: String) {
        self.init(clients: clients)
        commit(0, .create(Self.name, ["list": .list(list.map(Self.element))], defaults: []))
        sync(Array(0..<clients))
    }

    static func element(_ character: Character) -> MergedContent { .value(.string(SyncString(String(character)))) }

    // MARK: What happens

    /// Connects these clients, and delivers all messages. Other clients receive nothing.
    mutating func sync(_ connected: [Int]) {
        for index in world.clients.indices where !connected.contains(index) {
            world.clients[index].isSuspended = true
            world.handle(.suspended, index)
        }
        for index in connected { world.wake(index) }
        world.settle()
    }

    /// Delivers messages from some clients and to some clients, for a while. Those of other clients wait.
    mutating func pump(up: [Int], down: [Int]) {
        for _ in 0..<20 {
            world.time += 1_000
            for index in up {
                world.handle(.committed, index)
                while !world.clients[index].up.isEmpty { world.deliverUp(index) }
            }
            answerAll()
            for index in down { while !world.clients[index].down.isEmpty { world.deliverDown(index) } }
        }
    }

    /// Lets the store answer all requests, and fires the due timers of nodes.
    mutating func answerAll() {
        for node in world.nodes.indices {
            world.run(.moved(SimulatedWorld.stream), node)
            world.fireTimers(node)
            while !world.nodes[node].requests.isEmpty { world.answer(node) }
            world.time += 10
            world.fireTimers(node)
            while !world.nodes[node].requests.isEmpty { world.answer(node) }
        }
    }

    /// Delivers the messages of one client until a condition holds, and fires no timer of a node. So commits wait for their group.
    mutating func talk(_ client: Int, until isDone: (SimulatedWorld.Client) -> Bool) {
        for _ in 0..<1_000 where !isDone(world.clients[client]) {
            world.time += 1_000
            world.fireClientTimers(client)
            while !world.clients[client].up.isEmpty { world.deliverUp(client) }
            let node = world.clients[client].node
            while !world.nodes[node].requests.isEmpty { world.answer(node) }
            world.deliverDown(client)
        }
    }

    mutating func syncAll() { sync(Array(world.clients.indices)) }

    /// A transaction of the app. Nothing is sent.
    mutating func commit(_ client: Int, _ edits: LocalEdit...) { world.commit(edits, client) }

    mutating func insert(_ client: Int, _ text: String, at index: Int, of name: ObjectName = name) {
        commit(client, .insert(LocalPlace(name, "list"), at: index, text.map(Self.element)))
    }

    mutating func remove(_ client: Int, at index: Int, of name: ObjectName = name) {
        commit(client, .remove(LocalPlace(name, "list"), at: index, count: 1))
    }

    mutating func set(_ client: Int, _ value: Int64, _ property: SyncString = "f", of name: ObjectName = name) {
        commit(client, .set(LocalPlace(name, property), .value(.int(value)), .real))
    }

    mutating func add(_ client: Int, _ number: Int64) {
        commit(client, .increment(LocalPlace(Self.name, "count"), number))
    }

    /// Time passes, and nodes cut what is old.
    mutating func pass(days: Int64) {
        world.time += days * 86_400_000
        for node in world.nodes.indices { world.run(.timer(.trim), node) }
        for node in world.nodes.indices { while !world.nodes[node].requests.isEmpty { world.answer(node) } }
    }

    // MARK: What is there

    func shown(_ client: Int, _ name: ObjectName = name) -> [SyncString: MergedContent]? {
        world.clients[client].store.data.objects[name]
    }

    /// The list's elements as one text.
    func list(_ client: Int, _ name: ObjectName = name) -> String { Self.text(shown(client, name)?["list"]) }
    var store: MemoryServerStore { world.store as! MemoryServerStore }
    var stored: String { Self.text(world.store.contents(of: SimulatedWorld.stream)[Self.name]?.content("list")) }

    func value(_ client: Int, _ property: SyncString = "f", _ name: ObjectName = name) -> Int64? {
        if case .value(.int(let value))? = shown(client, name)?[property] { value } else { nil }
    }

    private static func text(_ content: MergedContent?) -> String {
        guard case .list(let elements)? = content else { return "" }
        return elements.map { if case .value(.string(let text)) = $0 { text.string } else { "?" } }.joined()
    }

    var refusals: [Refusal] {
        world.clients.flatMap { client in
            client.store.data.lost.compactMap { if case .refused(let refusal) = $0 { refusal } else { nil } }
        }
    }

    func lost(_ client: Int) -> [LostWork] { world.clients[client].store.data.lost }

    /// Checks that all clients show the store's content, and that no work is pending.
    func check(_ location: SourceLocation = #_sourceLocation) {
        for problem in world.problems + world.checks.end(world) {
            Issue.record(Comment(rawValue: problem), sourceLocation: location)
        }
    }
}
