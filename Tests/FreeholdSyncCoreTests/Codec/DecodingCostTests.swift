import FreeholdBSON
import FreeholdEngine
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// No input of a decoder costs more than 200 times its bytes of memory, and none ends the process: messages of both sides, parts, what
/// client and server store, and conditions.
@Suite(.enabled(if: DecodingCost.isMeasured, "it needs glibc"))
struct DecodingCostTests {
    /// Returns messages of both sides, many of them with hundreds of equal or similar rows.
    private static func frames(_ seed: UInt64) throws -> [[UInt8]] {
        var messages = RandomMessages(seed: seed, steps: 8)
        let codec = MessageCodec()
        var frames = try (0..<6).map { index in
            try index % 2 == 0 ? codec.encode(messages.client()) : codec.encode(messages.server())
        }
        let repeated = CostlyMessages.all[Int(seed % UInt64(CostlyMessages.all.count))]
        frames.append(try repeated.frame(count: 1 + Int(seed >> 8) % 300))
        return frames
    }

    @Test func `no message costs more than 200 times its bytes`() throws {
        let codec = MessageCodec(limit: 1 << 20)
        let costly = try DecodingFuzz.costlyInput(
            "DecodingCostTests.messages",
            usual: 2_100,
            soak: 4_000_000,
            corpus: Self.frames
        ) { input in
            _ = try? codec.clientMessage(input)
            _ = try? codec.serverMessage(input)
        }
        expect(costly == nil, "\(costly.map(\.description) ?? "")")
    }

    /// Damage rarely makes long messages. Here the rows of one message are all equal, which takes the fewest bytes.
    @Test(arguments: CostlyMessages.all)
    func `equal rows don't cost more either`(_ message: CostlyMessages) throws {
        let count = TestBudget.cases(1_000, soak: 100_000)
        let frame = try message.frame(count: count)
        let codec = MessageCodec(limit: 1 << 30)
        let (isRead, cost) = DecodingCost.measure {
            message.isServers
                ? (try? codec.serverMessage(frame)) != nil : (try? codec.clientMessage(frame)) != nil
        }
        expect(isRead)
        print("\(message.name): \(frame.count) bytes, \(cost / frame.count) bytes of memory for each")
        let isCostly = cost > DecodingCost.limit(frame.count)
        if message.isKnown {
            withKnownIssue { expect(!isCostly, "\(cost / frame.count) bytes of memory for each byte") }
        } else {
            expect(!isCostly, "\(cost / frame.count) bytes of memory for each byte")
        }
    }

    @Test func `parts of a message cost no more than their bytes`() throws {
        var random = SeededRandom(test: "DecodingCostTests.parts")
        for _ in TestBudget.range("DecodingCostTests.parts", usual: 200, soak: 100_000) {
            let message = PartedMessage(number: 1, hash: .empty, count: random.pick([10, 1_000, 1 << 40, .max]))
            var incoming = IncomingParts(message, kept: random.pick([0, 0, 0, 5]))
            var given = 0
            let cost = DecodingCost.measure {
                for _ in 0..<random.number(1..<40) {
                    let offset = random.chance(80) ? incoming.received : random.pick([0, 1, .max])
                    let part = MessagePart(
                        message: message,
                        offset: offset,
                        bytes: [UInt8](repeating: 1, count: random.number(0..<200))
                    )
                    if incoming.take(part, now: 0) { given += part.bytes.count }
                }
            }.bytes
            expect(cost <= 10 * given + DecodingCost.base, "\(cost) bytes of memory for \(given)")
        }
    }

    @Test func `no stored object costs more than 200 times its bytes`() throws {
        let costly = try DecodingFuzz.costlyInput(
            "DecodingCostTests.objects",
            usual: 1_000,
            soak: 1_500_000,
            corpus: { seed in
                var generator = HistoryGenerator(seed: seed, .init(name: "stored", steps: 30))
                generator.run()
                var stream = MergedStream(generator.history.rules)
                for event in generator.history.events { _ = try stream.apply(event) }
                return try stream.store.objects.sorted { $0.key < $1.key }.map { name, object in
                    let stored = object.stored(name.key)
                    let document = try stored.doc.bytes()
                    // The first two bytes are the length of the document.
                    return [UInt8(truncatingIfNeeded: document.count), UInt8(truncatingIfNeeded: document.count >> 8)]
                        + document + stored.meta
                } + [[2, 0, 0, 0]]
            },
            decode: { input in
                guard input.count > 2 else { return }
                let end = min(2 + Int(input[0]) + Int(input[1]) << 8, input.count)
                guard let document = try? BSONDocument(bytes: Array(input[2..<end])) else { return }
                _ = try? MergedObject(StoredObject(doc: document, meta: Array(input[end...]))).contents
            }
        )
        expect(costly == nil, "\(costly.map(\.description) ?? "")")
    }

    @Test func `nothing in a client's file costs more than 200 times its bytes`() throws {
        let costly = DecodingFuzz.costlyInput(
            "DecodingCostTests.kept",
            usual: 1_000,
            soak: 1_000_000,
            corpus: { seed in
                let profile = SimulatedProfile.all[Int(seed % UInt64(SimulatedProfile.all.count))]
                var world = SimulatedWorld(seed: seed, profile)
                world.play(Array(profile.script(seed).prefix(60)))
                return world.clients.map { KeptBytes.of($0.store.data.state) } + [[1]]
            },
            decode: { input in
                input.withUnsafeBytes { bytes in
                    _ = try? KeptBytes.state(bytes)
                    _ = try? KeptBytes.shadow(bytes)
                    _ = try? KeptBytes.parted(bytes)
                    _ = try? KeptBytes.name(bytes)
                }
            }
        )
        expect(costly == nil, "\(costly.map(\.description) ?? "")")
    }

    @Test func `no condition costs more than 200 times its bytes`() {
        let matcher = QueryMatcher()
        let costly = DecodingFuzz.costlyInput(
            "DecodingCostTests.conditions",
            usual: 1_000,
            soak: 1_000_000,
            corpus: { seed in
                var conditions = RandomConditions(world: ConditionWorld(random: SeededRandom(seed: seed)))
                let short = (0..<8).map { _ in conditions.next() }
                let joined = [" AND ", " OR "].map { short.map { "(\($0))" }.joined(separator: $0) }
                let nested = String(repeating: "NOT (", count: 60) + short[0] + String(repeating: ")", count: 60)
                let list = "n IN {" + (0..<200).map { "\($0)" }.joined(separator: ",") + "}"
                return (short + joined + [nested, list]).map { Array($0.utf8) }
            },
            decode: { input in
                _ = try? matcher.compile("A", SyncString(String(decoding: input, as: UTF8.self)))
            }
        )
        expect(costly == nil, "\(costly.map(\.description) ?? "")")
    }
}

/// Messages with as many equal rows as one likes.
struct CostlyMessages: Sendable, CustomTestStringConvertible {
    let name: String
    var isServers = false
    /// A Boolean value that indicates whether the message is known to cost more than the limit.
    var isKnown = false
    let make: @Sendable (Int) -> Either

    enum Either {
        case client(ClientMessage)
        case server(ServerMessage)
    }

    var testDescription: String { name }

    func frame(count: Int) throws -> [UInt8] {
        let codec = MessageCodec(limit: 1 << 30)
        return switch make(count) {
        case .client(let message): try codec.encode(message)
        case .server(let message): try codec.encode(message)
        }
    }

    private static let thing = ObjectName("A", 1)
    private static let place = Place(thing, "p")

    private static func upload(_ name: String, isKnown: Bool = false, _ change: @escaping @Sendable () -> Change)
        -> CostlyMessages
    {
        CostlyMessages(name: name, isKnown: isKnown) { count in
            let commit = Commit(number: 1, clock: .zero, base: 0, changes: (0..<count).map { _ in change() })
            return .client(.upload(1, Upload(commits: [UploadedCommit(commit: commit, hash: .empty)])))
        }
    }

    private static func client(
        _ name: String,
        isKnown: Bool = false,
        _ make: @escaping @Sendable (Int) -> ClientMessage
    )
        -> CostlyMessages
    {
        CostlyMessages(name: name, isKnown: isKnown) { .client(make($0)) }
    }

    private static func server(
        _ name: String,
        isKnown: Bool = false,
        _ make: @escaping @Sendable (Int) -> ServerMessage
    )
        -> CostlyMessages
    {
        CostlyMessages(name: name, isServers: true, isKnown: isKnown) { .server(make($0)) }
    }

    private static func batch(_ name: String, _ content: ObjectUpdate.Content) -> CostlyMessages {
        server(name) { count in
            let batch = ClassBatch(className: "A", objects: (0..<count).map { _ in ObjectUpdate(1, content) })
            let cursor = Cursor(epoch: 1, version: 1, hash: .empty)
            return .changes(1, Changes(from: cursor, to: cursor, clock: .zero, classes: [batch]))
        }
    }

    private static let embedded = SyncValue.embedded(EmbeddedValue(number: 1, fields: []))

    static let all: [CostlyMessages] = [
        upload("increments") { .increment(place, 1) },
        upload("sets") { .set(place, .null, .real) },
        upload("sets in entries 4 deep") {
            .set(place.entry("").nested("").nested("").nested(""), .null, .real)
        },
        upload("sets of empty dictionaries") { .set(place, .dictionary(SyncDictionary()), .real) },
        upload("sets of empty lists") { .set(place, .list([]), .real) },
        upload("sets of embedded objects") { .set(place, embedded, .real) },
        upload("creates") { .create(thing, []) },
        upload("creates with a field") { .create(thing, [NewField("p", .value(.null))]) },
        upload("creates with an empty list") { .create(thing, [NewField("p", .list(first: 1, []))]) },
        upload("deletions") { .delete(thing, .edit) },
        upload("cascades") { .delete(thing, .cascade(of: thing)) },
        upload("inserts") { .insert(place, Gap(after: nil, before: nil), first: 1, [.null]) },
        upload("removals of nothing") { .remove(place, []) },
        upload("moves") { .move(place, .own(1), Gap(after: nil, before: nil), number: 1) },
        upload("lists that are assigned") {
            .assignList(place, hidden: [], Gap(after: nil, before: nil), first: 1, [])
        },
        upload("sets that are assigned") { .assignSet(place, hidden: [], []) },
        upload("dictionaries that are assigned") { .assignDictionary(place, hidden: [], SyncDictionary()) },
        upload("entries that are removed") { .removeEntry(place.entry("")) },
        client("commits") { count in
            let commits = (0..<count).map { number in
                let commit = Commit(number: UInt64(number + 1), clock: .zero, base: 0, changes: [])
                return UploadedCommit(commit: commit, hash: .empty)
            }
            return .upload(1, Upload(commits: commits))
        },
        client("objects that were seen") { count in
            let seen = Dictionary(
                uniqueKeysWithValues: (0..<count).map { (ObjectName("A", .int(Int64($0))), UInt64(1)) }
            )
            let commit = Commit(number: 1, clock: .zero, base: 0, seen: seen, changes: [])
            return .upload(1, Upload(commits: [UploadedCommit(commit: commit, hash: .empty)]))
        },
        client("old lists") { count in
            .upload(1, Upload(commits: [], oldLists: (0..<count).map { _ in OldList(place: place, elements: []) }))
        },
        client("values of a list") { count in
            let insert = Change.insert(
                place,
                Gap(after: nil, before: nil),
                first: 1,
                Array(repeating: .null, count: count)
            )
            let commit = Commit(number: 1, clock: .zero, base: 0, changes: [insert])
            return .upload(1, Upload(commits: [UploadedCommit(commit: commit, hash: .empty)]))
        },
        client("held objects") { count in
            var bind = Bind(app: "a", schema: SchemaClaim(version: 0, hash: .empty))
            bind.held = (0..<count).map { _ in HeldObject(name: thing, version: 1) }
            return .bind(1, bind)
        },
        client("pending hashes") { count in
            let documents = [SchemaDocument(className: "A", json: SyncString(String(repeating: " ", count: count)))]
            var bind = Bind(app: "a", schema: SchemaClaim(version: 0, hash: .empty, documents: documents))
            bind.journal = JournalRange(pending: Array(repeating: .empty, count: count))
            return .bind(1, bind)
        },
        client("documents") { count in
            let documents = Array(repeating: SchemaDocument(className: "", json: ""), count: count)
            return .bind(1, Bind(app: "a", schema: SchemaClaim(version: 0, hash: .empty, documents: documents)))
        },
        client("queries") { count in
            let queries = Array(repeating: ClassQuery(className: "", condition: ""), count: count)
            return .queries(1, Queries(version: 1, queries: queries))
        },
        client("names to fetch") { count in .fetch(1, Array(repeating: thing, count: count)) },
        client("classes to compare") { count in
            .resume(1, Resume(cursor: nil, compare: Array(repeating: "", count: count)))
        },
        client("versions of the protocol") { count in
            .hello(Hello(versions: Array(repeating: 1, count: count), deviceTime: 0, token: AccessToken("")))
        },
        server("versions of answers") { count in
            .ack(1, Ack(first: 1, versions: Array(repeating: 1, count: count), clock: .zero))
        },
        server("refusals") { count in
            let refusals = (0..<count).map {
                Refusal(commit: 1, index: $0, change: .increment(place, 1), reason: .forbidden)
            }
            return .ack(1, Ack(first: 1, versions: [1], clock: .zero, refusals: refusals))
        },
        server("problems") { count in
            let problems = (0..<count).map { _ in SchemaProblem(className: "", property: nil, text: "") }
            return .bound(1, Bound(schema: .refused(problems), epoch: 1, acknowledged: 0, start: .nothing))
        },
        batch("objects that are present", .present(version: 1)),
        batch("objects that are erased", .erased),
        batch("whole objects", .whole(version: 1, born: 1, [])),
        batch("whole objects with a field", .whole(version: 1, born: 1, [ConfirmedField("p", .value(.null))])),
        batch("whole objects with a list", .whole(version: 1, born: 1, [ConfirmedField("p", .list([]))])),
        batch("differences", .difference(version: 1, base: 1, [])),
        batch(
            "differences of a list",
            .difference(version: 1, base: 1, [FieldDifference("p", .list(ListDifference(pieces: [], edits: [])))])
        ),
    ]
}
