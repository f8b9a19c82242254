import FreeholdSyncCore

/// Creates random histories of some clients and a server from a seed.
///
/// Clients work offline, download any number of versions between their own commits, have clocks that jump, and send
/// their work in parts and twice. The server's clock jumps, too, and it refuses some work. The commits that reach the
/// server are recorded as a `History`.
struct HistoryGenerator {
    struct Options: CustomStringConvertible {
        var name: String
        var clients = 3
        var steps = 50
        var kinds = Kind.allCases
        /// The number of refused objects in a hundred objects of commits.
        var refusals = 10
        var trims = false
        var mergesAdds = false

        var description: String { name }
    }

    /// A kind of change.
    enum Kind: CaseIterable {
        case write, byDefault, add, mixed, insert, remove, move, setElement, clear, assign
        case set, clearSet, dictionary, clearDictionary, embedded, create, delete

        static let inserts: [Kind] = [.insert]
        /// The kinds for which the order of arrival of concurrent commits makes no difference.
        static let orderless = allCases.filter { $0 != .create && $0 != .delete }
    }

    let options: Options
    var random: SeededRandom
    private(set) var server = Oracle()
    private(set) var clients: [ModelClient]
    private(set) var history: History
    private var offsets: [Int64]
    private var time: Int64 = 1_000_000
    private var fresh: Int64 = 1_000

    init(seed: UInt64, _ options: Options) {
        self.options = options
        random = SeededRandom(seed: seed)
        var rules = OracleRules()
        let percent = UInt64(options.refusals)
        if options.refusals > 0 {
            rules.unique = [("Thing", ["mail"])]
            rules.denying = [OracleRules.Property(className: "Thing", property: "keeper")]
            rules.refusesWholeCommits = seed % 4 == 0
            rules.forbids = { ident, commit, name in
                var random = SeededRandom(seed: seed ^ UInt64(ident.rawValue) << 40 ^ commit.number << 20)
                for byte in name.description.utf8 { random = SeededRandom(seed: random.next() ^ UInt64(byte)) }
                return random.next() % 100 < percent && ident.rawValue > 0 && commit.number > 1
            }
        }
        server.rules = rules
        history = History(seed: seed, rules: rules)
        clients = []
        offsets = []
        var first = ModelClient(ident: FileIdent(rawValue: 1), of: server)
        first.commit(wall: time) { client in
            for key in 1...2 {
                perform([creation(of: ObjectName("Thing", .int(Int64(key))), in: &client)], in: &client)
            }
        }
        clients =
            [first] + (1..<options.clients).map { ModelClient(ident: FileIdent(rawValue: UInt32($0 + 1)), of: server) }
        offsets = clients.map { _ in Int64.random(in: -120_000...120_000, using: &random) }
        synchronize()
    }

    // MARK: Events

    mutating func run() {
        for _ in 0..<options.steps {
            time += .random(in: 0...2_000, using: &random)
            let index = Int.random(in: clients.indices, using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<50: commit(index)
            case 50..<70: upload(index, count: .random(in: 1...3, using: &random))
            case 70..<90: download(index, upTo: .random(in: clients[index].cursor...server.version, using: &random))
            case 90..<94: resend()
            case 94..<97: offsets[index] = .random(in: -120_000...120_000, using: &random)
            default: maintain()
            }
        }
        synchronize()
    }

    /// Everybody sends all, then everybody has all.
    mutating func synchronize() {
        for index in clients.indices { upload(index, count: .max) }
        for index in clients.indices { download(index, upTo: server.version) }
    }

    mutating func commit(_ index: Int) {
        var client = clients[index]
        client.commit(wall: time + offsets[index]) { client in
            for _ in 0..<Int.random(in: 1...3, using: &random) { perform(changes(in: &client), in: &client) }
        }
        clients[index] = client
    }

    mutating func unsent(_ index: Int) -> [Commit] {
        let client = clients[index]
        return client.pending.filter { $0.number > server.files[client.ident]?.lastCommit ?? 0 }
    }

    mutating func upload(_ index: Int, count: Int) {
        for commit in unsent(index).prefix(count) { arrive(clients[index].ident, commit) }
    }

    mutating func download(_ index: Int, upTo version: StreamVersion) {
        clients[index].download(server, upTo: version, wall: time + offsets[index])
    }

    mutating func arrive(_ ident: FileIdent, _ commit: Commit) {
        let now = time + .random(in: -3_000...3_000, using: &random)
        history.events.append(.arrival(ident, commit, serverNow: now))
        try! server.apply(commit, from: ident, serverNow: now)
    }

    private mutating func resend() {
        let arrivals = history.events.compactMap { event in
            if case .arrival(let ident, let commit, _) = event { (ident, commit) } else { nil }
        }
        if let (ident, commit) = arrivals.randomElement(using: &random) { arrive(ident, commit) }
    }

    private mutating func maintain() {
        if options.trims {
            let least = clients.map(\.leastBase).min() ?? 0
            let horizon = max(server.horizon, StreamVersion.random(in: 0...least, using: &random))
            history.events.append(.trim(horizon: horizon))
            server.trim(horizon: horizon)
        }
        if options.mergesAdds {
            history.events.append(.mergeNeighbouringAdds)
            server.mergeNeighbouringAdds()
        }
    }

    // MARK: Changes

    /// Does changes in a client's commit, and notes what the client saw of it.
    private mutating func perform(_ changes: [Change], in client: inout ModelClient) {
        let target = Target(property: "list")
        for change in changes {
            let object = change.object
            let (before, old) = (client.slots(of: object, target), client.display.stored(object) ?? [:])
            let oldElements = elements(before, of: object, client)
            let index = client.perform(change)
            let id = History.ChangeID(ident: client.ident, commit: client.commits, index: index)
            let (after, new) = (client.slots(of: object, target), client.display.stored(object) ?? [:])
            let newElements = elements(after, of: object, client)
            let isObject = if case .delete = change { false } else { true }
            let isAssignment =
                switch change {
                case .assignList, .create: true
                default: false
                }
            let isClear =
                switch change {
                case .clearList(Place(object, "list"), _), .assignList(Place(object, "list"), _, _, _, _): true
                default: false
                }
            let seen = Seen(version: client.confirmed.objects[object]?.changed ?? 0, ident: client.ident)
            history.listEdits.append(
                History.ListEdit(
                    id: id,
                    object: object,
                    inserted: newElements.filter { !oldElements.contains($0) },
                    removed: isObject ? oldElements.filter { !newElements.contains($0) } : [],
                    isAssignment: isAssignment,
                    cleared: isClear ? seen : nil,
                    neighbours: isAssignment
                        ? []
                        : zip(after, after.dropFirst()).filter { !before.contains($1) }
                )
            )
            for property: SyncString in ["f", "g"] where isObject && new[property] != nil {
                guard let value = new[property], old[property] != value else { continue }
                let isReal = if case .set(_, _, .byDefault) = change { false } else { true }
                history.writes.append(
                    History.Write(
                        id: id,
                        object: object,
                        property: property,
                        isReal: isReal,
                        old: old[property],
                        new: value
                    )
                )
            }
        }
    }

    private func elements(_ slots: [OwnID], of object: ObjectName, _ client: ModelClient) -> [OwnID] {
        let list = try? client.display.objects[object]?.list(Target(property: "list"))
        return slots.compactMap { list?.slots[$0]?.element }
    }

    mutating func freshValue() -> SyncValue {
        fresh += 1
        return .int(fresh)
    }
}
