import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// A user whose sessions send what they like among honest ones: random messages, legal ones, ones that cost much and ones that are too large.
struct AdversaryTests {
    static let seeds = CodecSeeds.seeds("AdversaryTests", count: 4, soak: 3_000)

    /// Bounds that a few messages reach.
    private static func narrow(_ configuration: inout ServerConfiguration) {
        (configuration.limits.messageBytes, configuration.limits.sessions) = (64 << 10, 6)
        (configuration.limits.commitBytes, configuration.limits.commitChanges) = (128 << 10, 2_000)
        (configuration.conditions, configuration.heldObjects, configuration.pendingCommits) = (20, 50, 50)
        (configuration.rowBytes, configuration.userBytes, configuration.uploadCredit) = (64 << 10, 512 << 10, 32 << 10)
        (configuration.chunkObjects, configuration.stepObjects, configuration.logAge) = (3, 4, 60_000)
        (configuration.keptBytes, configuration.partBytes) = (4 << 10, 1 << 10)
        configuration.outgoingBytes = 128 << 10
        configuration.connections = 20
        configuration.size = { $0.estimatedSize }
    }

    /// Returns the bytes that a machine with these bounds may keep for a user with that number of connections, beside
    /// those of honest clients.
    ///
    /// Each session may have waiting credit, a commit in parts, a download in parts, and a query set.
    private static func bound(connections: Int) -> Int { (1 << 20) + connections * 6 * (64 << 10) }

    @Test(arguments: seeds)
    func `honest clients continue beside an adversary, and the node keeps a bounded number of bytes`(_ seed: UInt64)
        throws
    {
        var random = SeededRandom(seed: seed)
        var bench = ServerBench(seed: seed, configure: Self.narrow)
        for _ in 0..<3 { _ = bench.add() }
        var adversary = Adversary(seed: seed, user: "eve", mostConnections: 5)
        var greatest = 0
        for step in 0..<120 {
            bench.now += Int64.random(in: 0..<2_000, using: &random)
            for _ in 0..<random.number(1..<6) { adversary.act(&bench) }
            // A commit of an honest client is answered as soon as it is sent.
            let client = random.below(3)
            commit(by: client, step: Int64(step), to: &bench, &random)
            expect(bench.clients[client].pending.isEmpty, "seed \(seed), step \(step): a commit isn't answered")
            expect(bench.clients[client].connection != nil, "seed \(seed), step \(step): a client lost its connection")
            if step % 10 == 0 { greatest = max(greatest, Weight.of(bench.machine)) }
            if random.chance(10) { bench.tick() }
            if random.chance(3) { bench.run(.timer(.trim)) }
        }
        expect(greatest <= Self.bound(connections: 5), "seed \(seed): the node keeps \(greatest) bytes")
        adversary.leave(&bench)
        for index in bench.clients.indices {
            bench.connect(index)
            let own = bench.clients[index]
            expectEqual(own.mistakes, [], "seed \(seed)")
            expectEqual(own.faults, [], "seed \(seed)")
            expectEqual(own.shown, bench.expected(index), "seed \(seed), client \(index)")
        }
        // The rest is that of honest clients.
        expect(bench.machine.sessionLedger.users["eve"] == nil, "seed \(seed)")
        let left = bench.machine.connections.count
        expectEqual(left, bench.clients.count, "seed \(seed)")
        expectEqual(bench.machine.sessions.keys.count, bench.clients.count, "seed \(seed)")
        let (kept, inbox) = (Weight.of(bench.machine), adversary.inbox)
        expect(kept <= 512 << 10, "seed \(seed): \(kept) bytes are left")
        print("AdversaryTests: seed \(seed), the node kept \(greatest >> 10) KiB, then \(kept >> 10); \(inbox.counts)")
        // An adversary that is refused at once isn't an attack.
        for kind in ["bound", "ack", "error"] { expect(inbox.counts[kind] ?? 0 > 0, "no \(kind)") }
    }

    private func commit(
        by client: Int,
        step: Int64,
        to bench: inout ServerBench,
        _ random: inout SeededRandom
    ) {
        let name = ObjectName("A", .int(Int64(client) * 1_000 + step % 7))
        if let held = bench.clients[client].objects[name] {
            let change: Change =
                random.chance(20) ? .delete(name, .edit) : .set(Place(name, "n"), .int(step), .real)
            bench.commit(client, [change], [name: held.version])
        } else {
            bench.commit(client, [.create(name, [NewField("n", .value(.int(step)))])])
        }
    }

    // MARK: Two worlds

    /// Plays a world in which an adversary may not see objects with 1 for `mail`, nor the field `g`.
    ///
    /// - Returns: All messages to the adversary.
    private func play(_ seed: UInt64, isOther: Bool) throws -> [[UInt8]] {
        var random = SeededRandom(seed: seed)
        let roles = SimulatedRoles()
        roles["eve"] = SimulatedRole(hiddenMail: 1, hiddenFields: ["g", "list"])
        var bench = ServerBench(seed: seed, matcher: SimpleMatcher()) { configuration in
            Self.narrow(&configuration)
            // Both worlds count credit alike: hidden values may be longer in one.
            configuration.size = { _ in 100 }
            configuration.apps["app"]?.rights = { user, _ in roles[user] }
        }
        let ann = bench.add([ClassQuery(className: "Thing", condition: "all")])
        var adversary = Adversary(seed: seed, user: "eve", mostConnections: 4)
        adversary.className = "Thing"
        adversary.conditions = ["all", "f == 1", "g == 7", "mail == 1", "mail == 0", "nonsense"]
        adversary.fields = ["f", "h", "free"]
        for step in 1...80 as ClosedRange<Int64> {
            bench.now += 1_000
            let name = ObjectName("Thing", .int(Int64.random(in: 0..<6, using: &random)))
            let isHidden = name.key < PrimaryKey.int(3)
            let secret = Int64.random(in: 0...1_000, using: &random) + (isOther ? 5_000 : 0)
            let held = bench.clients[ann].objects[name]
            let changes: [Change]
            switch (random.below(4), held != nil) {
            case (_, false):
                changes = [
                    .create(
                        name,
                        [
                            NewField("mail", .value(.int(isHidden ? 1 : 0))), NewField("g", .value(.int(secret))),
                            NewField("f", .value(.int(isHidden ? secret : step))),
                            NewField("list", .list(first: 1, [.int(secret)])),
                        ]
                    )
                ]
            case (0, _): changes = [.set(Place(name, "g"), .int(secret), .real)]
            case (1, _): changes = [.set(Place(name, "f"), .int(isHidden ? secret : step), .real)]
            case (2, _): changes = [.clearList(Place(name, "list"), hidden: [])]
            default: changes = [.delete(name, .edit)]
            }
            bench.commit(ann, changes, held.map { [name: $0.version] } ?? [:])
            for _ in 0..<random.number(1..<4) { adversary.act(&bench) }
            if random.chance(20) { bench.tick() }
        }
        adversary.leave(&bench)
        let codec = MessageCodec(limit: 1 << 30)
        return try adversary.inbox.received.map { try codec.encode($0.withoutHashes) }
    }

    @Test(arguments: seeds)
    func `an adversary can't distinguish two worlds that differ in what it may not see`(_ seed: UInt64) throws {
        let (first, second) = (try play(seed, isOther: false), try play(seed, isOther: true))
        expect(!first.isEmpty)
        expectEqual(first.map(\.count), second.map(\.count), "seed \(seed): sizes")
        let place = zip(first, second).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        expect(place == nil, "seed \(seed): message \(place ?? -1)")
    }
}

/// The sessions of a user that follow no rule.
private struct Adversary {
    final class Inbox {
        // A world is one thread.
        var received: [ServerMessage] = []
        var counts: [String: Int] = [:]
        var isOpen: Set<ConnectionNumber> = []
        var files: [FileIdentity] = []
        var cursors: [Cursor] = []
        /// The last commit that each session sent, and whether it is bound.
        var bound: [SessionKey: UInt64] = [:]

        func count(_ message: ServerMessage) {
            switch message {
            case .bound: counts["bound", default: 0] += 1
            case .ack(_, let ack):
                counts["ack", default: 0] += ack.versions.count
                counts["refusal", default: 0] += ack.refusals.count
            case .bootstrapEnd: counts["bootstrap", default: 0] += 1
            case .error:
                counts["error", default: 0] += 1
            default: break
            }
        }
    }

    let inbox = Inbox()
    private let user: SyncString
    private let mostConnections: Int
    private var random: SeededRandom
    private var messages: RandomMessages
    private var last: ConnectionNumber = 1_000_000
    private var hash = RunningHash.empty
    private var queryVersion: UInt64 = 0
    private var isHeard = false

    var className: SyncString = "A"
    var conditions: [SyncString] = ["all", "n == 1", "n == 2", "nonsense"]
    var fields: [SyncString] = ["n", "list", "set", "dictionary", "other"]

    init(seed: UInt64, user: SyncString, mostConnections: Int) {
        (self.user, self.mostConnections) = (user, mostConnections)
        random = SeededRandom(seed: seed ^ 0xE7E)
        messages = RandomMessages(seed: seed, steps: 10)
    }

    mutating func leave(_ bench: inout ServerBench) {
        for connection in inbox.isOpen.sorted() { bench.run(.closed(connection)) }
        inbox.isOpen = []
    }

    /// Does one thing.
    mutating func act(_ bench: inout ServerBench) {
        if !isHeard {
            isHeard = true
            bench.overhears = { [inbox] connection, message in
                guard let message else {
                    inbox.isOpen.remove(connection)
                    inbox.bound = inbox.bound.filter { $0.key.connection != connection }
                    return
                }
                inbox.received.append(message)
                inbox.count(message)
                switch message {
                case .bound(let session, let bound):
                    inbox.bound[SessionKey(connection: connection, number: session)] = bound.acknowledged
                    if let file = bound.file { inbox.files.append(file) }
                case .bootstrapEnd(_, let end): inbox.cursors.append(end.cursor)
                case .changes(_, let changes): inbox.cursors.append(changes.to)
                case .error(let session?, _):
                    inbox.bound[SessionKey(connection: connection, number: session)] = nil
                default: break
                }
            }
        }
        guard inbox.isOpen.count > 1, !random.chance(5) || inbox.isOpen.count >= mostConnections else {
            return open(&bench)
        }
        var connection = inbox.isOpen.sorted()[random.below(inbox.isOpen.count)]
        var session = SessionNumber(rawValue: UInt32(random.number(1..<8)))
        let bound = inbox.bound.keys.sorted()
        if !bound.isEmpty, random.chance(80) {
            let key = bound[random.below(bound.count)]
            (connection, session) = (key.connection, key.number)
        }
        let key = SessionKey(connection: connection, number: session)
        switch random.below(30) {
        case 0:
            inbox.isOpen.remove(connection)
            inbox.bound = inbox.bound.filter { $0.key.connection != connection }
            bench.run(.closed(connection))
        case 1 where random.chance(30): bench.run(.unreadable(connection))
        case 2, 3: say(messages.client().addressed(to: session), connection, &bench)
        case 4, 5, 6, 7:
            let free = SessionNumber(rawValue: UInt32(random.number(1..<8)))
            say(.bind(random.chance(80) ? free : session, bind()), connection, &bench)
            if random.chance(70) { say(.credit(free, bytes: 1 << 20), connection, &bench) }
        case 8, 9, 20, 21, 22: say(.queries(session, queries()), connection, &bench)
        case 10: say(.credit(session, bytes: random.pick([0, 1, 500, 1 << 40, .max])), connection, &bench)
        case 11: for _ in 0..<random.pick([1, 3, 3, 1_200]) { say(.mark(session, random.next()), connection, &bench) }
        case 12: say(.fetch(session, names(random.pick([1, 10, 2_000]))), connection, &bench)
        case 13:
            let resume = Resume(cursor: cursor(), compare: [className, "B", ""], leastBase: random.next() >> 60)
            say(.resume(session, resume), connection, &bench)
        case 14: say(.unbind(session), connection, &bench)
        case 15: part(key, &bench)
        default: upload(key, &bench)
        }
    }

    private mutating func open(_ bench: inout ServerBench) {
        last += 1
        inbox.isOpen.insert(last)
        bench.run(.opened(last))
        var hello = Hello(deviceTime: 0, token: AccessToken(user))
        hello.takesParts = random.chance(50)
        say(.hello(hello), last, &bench)
    }

    /// The transport reports how many bytes a message had.
    private func say(_ message: ClientMessage, _ connection: ConnectionNumber, _ bench: inout ServerBench) {
        guard inbox.isOpen.contains(connection) else { return }
        // Each bind starts a new session.
        if case .unbind(let session) = message {
            inbox.bound[SessionKey(connection: connection, number: session)] = nil
        }
        let bytes = (try? MessageCodec(limit: 1 << 30).encode(message).count) ?? 1
        bench.run(.received(connection, message, bytes: UInt64(bytes)))
    }

    // MARK: Messages

    private mutating func cursor() -> Cursor? {
        guard !inbox.cursors.isEmpty, random.chance(70) else {
            return random.chance(50) ? nil : Cursor(epoch: 7, version: random.next() >> 58, hash: .empty)
        }
        return inbox.cursors[random.below(inbox.cursors.count)]
    }

    private mutating func names(_ count: Int) -> [ObjectName] {
        (0..<count).map { _ in ObjectName(random.pick([className, "B"]), .int(Int64(random.below(3_000)))) }
    }

    private mutating func bind() -> Bind {
        if random.chance(60) { return Bind(app: "app", schema: SchemaClaim(version: 0, hash: .empty)) }
        var bind = Bind(
            app: random.chance(90) ? "app" : "nothing",
            stream: random.chance(90) ? nil : .string(user),
            schema: SchemaClaim(version: 0, hash: .empty)
        )
        if !inbox.files.isEmpty, random.chance(50) { bind.file = inbox.files[random.below(inbox.files.count)] }
        if random.chance(50) { bind.cursor = cursor() }
        let pending = Array(repeating: RunningHash.empty, count: random.pick([0, 0, 1, 40, 60]))
        bind.journal = JournalRange(acknowledged: random.pick([0, 0, 1, .max]), hash: .empty, pending: pending)
        bind.held = names(random.pick([0, 0, 3, 40, 80])).map { HeldObject(name: $0, version: random.next() >> 60) }
        bind.leastBase = random.pick([nil, 0, 1, .max])
        bind.isReset = random.chance(10)
        return bind
    }

    private mutating func queries() -> Queries {
        queryVersion += random.pick([0, 1, 1, 1])
        let count = random.pick([1, 1, 2, 3, 19, 40])
        return Queries(
            version: queryVersion,
            queries: (0..<count).map { _ in
                ClassQuery(className: random.pick([className, "B"]), condition: random.pick(conditions))
            }
        )
    }

    private mutating func value() -> SyncValue {
        switch random.below(8) {
        case 0: .string(SyncString(String(repeating: "x", count: random.pick([1, 1, 10, 100, 5_000, 70_000]))))
        case 1: .list((0..<random.pick([0, 5, 500])).map { .int(Int64($0)) })
        case 2: .dictionary(SyncDictionary((0..<random.pick([0, 5, 300])).map { (SyncString("k\($0)"), .int(1)) }))
        case 3: .embedded(EmbeddedValue(number: random.next() >> 50, fields: [NewField("x", .value(1))]))
        case 4: .link(ObjectName(className, 1))
        default: .int(Int64(random.below(5)))
        }
    }

    private mutating func change() -> Change {
        let name = ObjectName(random.chance(80) ? className : "B", .int(Int64(random.below(8))))
        let place = Place(name, random.pick(fields))
        let reference: ElementReference = random.chance(50) ? .confirmed(random.below(3)) : .own(random.next() >> 58)
        let gap = Gap(after: random.chance(50) ? reference : nil, before: nil)
        switch random.below(12) {
        case 0, 1: return .create(name, [NewField(random.pick(fields), .value(value()))])
        case 2: return .delete(name, .edit)
        case 3, 4: return .set(place, value(), .real)
        case 5: return .increment(place, 1)
        case 6: return .insert(place, gap, first: random.next() >> 50, [value()])
        case 7: return .remove(place, [reference])
        case 8: return .insertIntoSet(place, [.int(Int64(random.below(5)))])
        case 9: return .set(place.entry("k").nested("a"), value(), .real)
        case 10: return .clearList(place, hidden: [])
        default: return .move(place, reference, gap, number: random.next() >> 50)
        }
    }

    /// Sends commits, mostly with the number that is next.
    private mutating func upload(_ key: SessionKey, _ bench: inout ServerBench) {
        let next = (inbox.bound[key] ?? 0) + 1
        let number = random.chance(85) ? next : random.pick([0, 1, next + 1, .max])
        let changes = (0..<random.pick([0, 1, 2, 2, 5, 300])).map { _ in change() }
        let seen = Dictionary(changes.map { ($0.object, random.next() >> 60) }) { first, _ in first }
        let commit = Commit(
            number: number,
            clock: Clock(rawValue: random.chance(50) ? .max : random.next() >> 20),
            base: random.pick([0, 1, random.next() >> 58, .max]),
            seen: random.chance(70) ? seen : [:],
            changes: changes
        )
        hash = hash.appending([1], salt: random.next())
        let part: UploadedCommit.Part? =
            random.chance(20) ? .init(index: UInt32(random.below(3)), isLast: random.chance(30)) : nil
        let upload = Upload(commits: [UploadedCommit(commit: commit, hash: hash, part: part)])
        if inbox.bound[key] != nil, number == next, part == nil { inbox.bound[key] = next }
        say(.upload(key.number, upload), key.connection, &bench)
    }

    /// Sends parts of a commit that seldom ends.
    private mutating func part(_ key: SessionKey, _ bench: inout ServerBench) {
        let number = (inbox.bound[key] ?? 0) + 1
        let count = random.pick([2_000, 60_000, 120_000, 1 << 40] as [UInt64])
        let message = PartedMessage(number: number, hash: RunningHash(high: 1, low: count), count: count)
        var offset: UInt64 = 0
        for _ in 0..<random.pick([1, 3, 20]) {
            let bytes = [UInt8](repeating: 0x20, count: Int(min(count - offset, 6_000)))
            guard !bytes.isEmpty else { break }
            say(.part(key.number, MessagePart(message: message, offset: offset, bytes: bytes)), key.connection, &bench)
            offset += UInt64(bytes.count)
        }
    }
}

extension ClientMessage {
    /// Returns the message for another session.
    fileprivate func addressed(to session: SessionNumber) -> ClientMessage {
        switch self {
        case .hello, .ping: self
        case .bind(_, let bind): .bind(session, bind)
        case .queries(_, let queries): .queries(session, queries)
        case .upload(_, let upload): .upload(session, upload)
        case .part(_, let part): .part(session, part)
        case .credit(_, let bytes): .credit(session, bytes: bytes)
        case .mark(_, let number): .mark(session, number)
        case .resume(_, let resume): .resume(session, resume)
        case .fetch(_, let names): .fetch(session, names)
        case .unbind: .unbind(session)
        case .note(_, let number, let bytes): .note(session, number, bytes)
        case .claim(_, let claim): .claim(session, claim)
        }
    }
}

/// The approximate number of bytes of memory that a value takes, with its content. Shared content counts each time.
private enum Weight {
    static func of(_ value: Any) -> Int {
        switch value {
        case let text as SyncString: return 16 + text.string.utf8.count
        case let bytes as [UInt8]: return 32 + bytes.count
        default:
            let children = Mirror(reflecting: value).children
            // Each child has a place in its parent, and in a dictionary one more that is free.
            return children.reduce(16) { $0 + 16 + of($1.value) }
        }
    }
}
