import FreeholdRealmFront
import FreeholdRealmWire
import FreeholdSyncCore
import TestRandom

/// A random history of some official clients: concurrent and offline work, lost connections, and restarts.
struct FrontHistory {
    var world = FrontWorld()
    var clients: [OfficialClient] = []
    var random: SeededRandom
    var steps: Int
    /// The per cent of steps that cut a connection, and that restart the server.
    var cuts: Int
    var restarts: Int
    var log: [String] = []

    init(seed: UInt64, clients: Int = 3, steps: Int = 60, cuts: Int = 5, restarts: Int = 1) {
        random = SeededRandom(seed: seed)
        (self.steps, self.cuts, self.restarts) = (steps, cuts, restarts)
        for _ in 0..<clients { self.clients.append(FrontSessionTests.client(&world)) }
        for index in self.clients.indices { self.clients[index].time += UInt64(index) }
    }

    /// Returns the faults.
    func run() -> [String] {
        var history = self
        return history.play()
    }

    private mutating func play() -> [String] {
        for _ in 0..<steps {
            let index = random.number(0..<clients.count)
            switch random.number(0..<100) {
            case ..<restarts:
                world.restart()
                for index in clients.indices { reconnect(index) }
            case ..<(restarts + cuts):
                world.cut(clients[index].connection)
                reconnect(index)
            case ..<(restarts + cuts + 5): world.holdsMessages ? world.releaseMessages() : (world.holdsMessages = true)
            case ..<55: write(index)
            case ..<75: clients[index].send(&world)
            case ..<90: clients[index].receive(&world, most: random.number(1..<4))
            default: world.settle()
            }
            if !faults.isEmpty { return faults }
        }
        for _ in 0..<5 {
            for index in clients.indices { clients[index].send(&world) }
            FrontSessionTests.exchange(&world, &clients)
        }
        var found = faults
        // What the server predicts is what each client shows.
        for (index, client) in clients.enumerated() {
            guard let shown = world.fronts[client.connection]?.shown(session: client.session) else {
                found.append("client \(index) isn't live")
                continue
            }
            for object in shown.objects where shown.state[object] != client.state[object] {
                found.append("client \(index): the prediction of \(object) is wrong")
            }
        }
        let first = clients[0].state
        for (index, client) in clients.enumerated().dropFirst() where !first.hasSameObjects(as: client.state) {
            found.append(
                "client \(index) has other objects than client 0: \(first.difference(to: client.state).instructions.prefix(4))"
            )
        }
        let late = FrontSessionTests.client(&world)
        if !first.hasSameObjects(as: late.state) {
            found.append(
                "the server has other objects than client 0: \(first.difference(to: late.state).instructions.prefix(4))"
            )
        }
        return found
    }

    private var faults: [String] {
        world.faults
            + clients.enumerated().flatMap { index, client in
                (client.faults + client.errors.map { "\($0.code) \($0.message)" }).map { "client \(index): \($0)" }
            }
    }

    private mutating func reconnect(_ index: Int) {
        clients[index].connection = world.connect()
        clients[index].bind(&world)
    }

    // MARK: Writes

    private mutating func write(_ index: Int) {
        var instructions: [Instruction] = []
        var state = clients[index].state
        for _ in 0..<random.number(1..<4) {
            let made = change(state)
            for instruction in made {
                do {
                    try state.apply(Changeset([instruction]))
                    instructions.append(instruction)
                } catch { break }
            }
        }
        guard !instructions.isEmpty else { return }
        clients[index].write(instructions)
    }

    private mutating func change(_ state: WireState) -> [Instruction] {
        let key = Int64(random.number(1..<4))
        let object = Instruction.person(key)
        guard let fields = state[object] else {
            return [.create(key), .set(key, "name", .string(text()))]
        }
        func list(_ field: WireText) -> WireList {
            if case .list(let list)? = fields[field] { list } else { WireList() }
        }
        let tags = list("tags").elements.count
        let homes = list("homes").elements.count
        let friends = list("friends").elements.count
        switch random.number(0..<20) {
        case 0:
            return random.number(0..<3) == 0 ? [.erase(key)] : []
        case 1, 2: return [.set(key, "name", .string(text()))]
        case 3: return [.set(key, "age", random.number(0..<2) == 0 ? .null : .int(Int64(random.number(0..<9))))]
        case 4: return [.addInteger(at: WirePath(object: object, field: "age"), amount: 1)]
        case 5, 6, 7:
            return [.insert(key, "tags", at: UInt32(random.number(0..<(tags + 1))), .string(text()), size: tags)]
        case 8, 9:
            guard tags > 0 else { return [] }
            return [.remove(key, "tags", UInt32(random.number(0..<tags)), size: tags)]
        case 10:
            guard tags > 0 else { return [] }
            let path = WirePath(object: object, field: "tags", elements: [.index(UInt32(random.number(0..<tags)))])
            return [.update(at: path, value: .string(text()), mark: .element(priorSize: UInt32(tags)))]
        case 11:
            guard tags > 1 else { return [] }
            let (from, to) = (random.number(0..<tags), random.number(0..<tags))
            guard from != to else { return [] }
            let path = WirePath(object: object, field: "tags", elements: [.index(UInt32(from))])
            return [.arrayMove(at: path, target: UInt32(to), priorSize: UInt32(tags))]
        case 12:
            return random.number(0..<3) == 0
                ? [.clear(at: WirePath(object: object, field: "tags"), kind: .list)] : []
        case 13:
            let place = WirePath(object: object, field: "scores")
            let value = Payload.int(Int64(random.number(0..<4)))
            return [
                random.number(0..<2) == 0 ? .setInsert(at: place, value: value) : .setErase(at: place, value: value)
            ]
        case 14:
            let value = random.number(0..<3) == 0 ? Payload.erased : .string(text())
            return [.set(key, "notes", value, at: [.name(random.number(0..<2) == 0 ? "k" : "l")])]
        case 15:
            if case .object? = fields["home"], random.number(0..<3) > 0 {
                return [.set(key, "home", .string(text()), at: [.name("street")])]
            }
            return [
                .set(key, "home", .null), .set(key, "home", .object),
                .set(key, "home", .string(text()), at: [.name("street")]),
            ]
        case 16:
            return [
                .insert(key, "homes", at: UInt32(homes), .object, size: homes),
                .set(key, "homes", .string(text()), at: [.index(UInt32(homes)), .name("street")]),
            ]
        case 17:
            guard homes > 0 else { return [] }
            let index = UInt32(random.number(0..<homes))
            return [.set(key, "homes", .string(text()), at: [.index(index), .name("street")])]
        case 18:
            return [
                .insert(
                    key,
                    "friends",
                    at: UInt32(friends),
                    .link(Instruction.person(Int64(random.number(1..<4)))),
                    size: friends
                )
            ]
        default:
            switch random.number(0..<3) {
            case 0: return [.set(key, "any", .int(Int64(random.number(0..<9))))]
            case 1:
                if case .list(let list)? = fields["any"] {
                    return [
                        .insert(key, "any", at: UInt32(list.elements.count), .string(text()), size: list.elements.count)
                    ]
                }
                return [
                    .set(key, "any", .list),
                    .clear(at: WirePath(object: object, field: "any"), kind: .list),
                    .insert(key, "any", at: 0, .string(text()), size: 0),
                ]
            default:
                if case .dictionary? = fields["any"] { return [.set(key, "any", .string(text()), at: [.name("d")])] }
                return [
                    .set(key, "any", .dictionary),
                    .clear(at: WirePath(object: object, field: "any"), kind: .dictionary),
                    .set(key, "any", .string(text()), at: [.name("d")]),
                ]
            }
        }
    }

    private mutating func text() -> WireText { WireText("t\(random.number(0..<1_000))") }
}
