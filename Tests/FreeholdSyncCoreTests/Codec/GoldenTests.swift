import Foundation
import FreeholdEngine
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Messages and their bytes, which no change of the code may change. The bytes are in `Golden`, as hexadecimal numbers.
///
/// `FREEHOLD_REGENERATE=1` writes them again. This is only for new messages.
struct GoldenTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Golden")

    /// The bytes of a file, or what is written to it.
    static func golden(_ name: String, _ bytes: [UInt8]) throws -> [UInt8] {
        let file = folder.appendingPathComponent(name + ".hex")
        if ProcessInfo.processInfo.environment["FREEHOLD_REGENERATE"] != nil {
            let lines = stride(from: 0, to: bytes.count, by: 32).map { start in
                bytes[start..<min(start + 32, bytes.count)].map { byte in
                    (byte < 16 ? "0" : "") + String(byte, radix: 16)
                }.joined(separator: " ")
            }
            try (lines.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
        }
        let text = try String(contentsOf: file, encoding: .utf8)
        return text.split(whereSeparator: \.isWhitespace).compactMap { UInt8($0, radix: 16) }
    }

    static let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    static let cursor = Cursor(epoch: 7, version: 1_000, hash: RunningHash(high: 0x0102_0304, low: 0xA0B0_C0D0))
    static let later = Cursor(epoch: 7, version: 1_002, hash: RunningHash(high: 0x0506_0708, low: 0xE0F0))

    static let client: [(String, ClientMessage)] = [
        (
            "hello",
            .hello(
                Hello(
                    compressions: [.zlib],
                    deviceTime: 375_000_000_000,
                    token: AccessToken("t0ken"),
                    agent: "golden 1"
                )
            )
        ),
        (
            "bind",
            .bind(
                1,
                Bind(
                    app: "todo",
                    stream: "tenant-4",
                    file: FileIdentity(ident: FileIdent(rawValue: 300), secret: FileSecret(high: 1 << 60, low: 3)),
                    schema: SchemaClaim(version: 2, hash: RunningHash(high: 5, low: 6)),
                    cursor: cursor,
                    view: 99,
                    queryVersion: 4,
                    journal: JournalRange(acknowledged: 8, hash: .empty, pending: [RunningHash(high: 1, low: 2)]),
                    leastBase: 990,
                    held: [HeldObject(name: ObjectName("Todo", 5), version: 995)],
                    bootstrap: BootstrapPosition(cursor: cursor, queryVersion: 4, last: ObjectName("Todo", 3))
                )
            )
        ),
        (
            "queries",
            .queries(1, Queries(version: 5, queries: [ClassQuery(className: "Todo", condition: "done == false")]))
        ),
        ("upload", .upload(1, upload)),
        ("credit", .credit(1, bytes: 65_536)),
        ("mark", .mark(1, 3)),
        ("resume", .resume(1, Resume(cursor: cursor, compare: ["Todo"]))),
        ("fetch", .fetch(1, [ObjectName("Todo", 1), ObjectName("Person", .uuid(uuid)), ObjectName("Todo", 1)])),
        ("unbind", .unbind(1)),
        ("ping", .ping(Ping(deviceTime: 375_000_000_001))),
        ("helloWithParts", .hello(helloWithParts)),
        ("bindWithPart", .bind(1, bindWithPart)),
        ("part", .part(1, part)),
    ]

    static let parted = PartedMessage(number: 1_002, hash: RunningHash(high: 0x0A0B, low: 0x0C0D), count: 100_000)
    static let part = MessagePart(message: parted, offset: 16_384, bytes: [1, 2, 3, 0xFF])
    static let partial = PartialMessage(message: parted, received: 16_384)

    static let helloWithParts: Hello = {
        var hello = Hello(deviceTime: 375_000_000_000, token: AccessToken("t0ken"))
        hello.takesParts = true
        return hello
    }()

    static let bindWithPart: Bind = {
        var bind = Bind(app: "todo", schema: SchemaClaim(version: 2, hash: RunningHash(high: 5, low: 6)))
        bind.partial = partial
        return bind
    }()

    static let welcomeWithParts: Welcome = {
        var welcome = Welcome(serverTime: 375_000_000_005, credit: 1 << 20)
        welcome.limits.commitBytes = 1 << 28
        return welcome
    }()

    static let boundWithPart: Bound = {
        var bound = Bound(schema: .accepted, epoch: 7, acknowledged: 8, start: .resume(nil))
        bound.staged = partial
        return bound
    }()

    static let upload: Upload = {
        let (todo, person) = (ObjectName("Todo", 1), ObjectName("Person", "ada"))
        let gap = Gap(after: .confirmed(2), before: .own(7))
        let address = EmbeddedValue(number: 9, fields: [NewField("city", .value("Basel"), .byDefault)])
        let changes: [Change] = [
            .create(
                todo,
                [
                    NewField("title", .value("Milk")), NewField("done", .value(.bool(false)), .byDefault),
                    NewField("tags", .set(["a", "b"])), NewField("steps", .list(first: 10, ["buy", "drink"])),
                    NewField("notes", .dictionary(SyncDictionary([("k", .double(1))]))),
                ]
            ),
            .set(Place(person, "address"), .embedded(address), .real),
            .set(Place(person, "address").instance(.own(9)).property("zip"), 4051, .byDefault),
            .increment(Place(person, "points"), -3),
            .insert(Place(person, "todos"), gap, first: 12, [.link(todo), .link(todo)]),
            .remove(Place(person, "todos"), [.confirmed(0), .own(12)]),
            .move(Place(person, "todos"), .own(13), Gap(after: nil, before: nil), number: 14),
            .clearList(Place(person, "todos"), hidden: [.confirmed(4)]),
            .assignList(Place(person, "todos"), hidden: [], gap, first: 15, [.link(todo)]),
            .insertIntoSet(Place(person, "numbers"), [1, .null]),
            .removeFromSet(Place(person, "numbers"), [2]),
            .clearSet(Place(person, "numbers"), hidden: [3]),
            .assignSet(Place(person, "numbers"), hidden: [4], [5]),
            .set(Place(person, "map").entry("k"), .uuid(uuid), .real),
            .removeEntry(Place(person, "any").nested("a").nested("b")),
            .clearDictionary(Place(person, "map"), hidden: ["x"]),
            .assignDictionary(Place(person, "map"), hidden: ["y"], SyncDictionary([("z", .list([1, "2"]))])),
            .delete(person, .edit),
            .delete(ObjectName("Dog", .null), .cascade(of: person)),
        ]
        let commit = Commit(
            number: 9,
            clock: Clock(milliseconds: 375_000_000_000, counter: 2),
            base: 1_000,
            seen: [person: 998],
            schemaVersion: 2,
            changes: changes
        )
        let old = OldList(place: Place(person, "todos"), elements: [.link(todo)])
        return Upload(
            commits: [
                UploadedCommit(commit: commit, hash: RunningHash(high: 3, low: 4), part: .init(index: 1, isLast: true))
            ],
            oldLists: [old]
        )
    }()

    static let batches: [ClassBatch] = {
        let instance = ConfirmedInstance(
            made: Made(version: 900, number: 5),
            fields: [ConfirmedField("city", .value("Bern"))]
        )
        var todos: [ObjectUpdate] = []
        for index in 0..<10 {
            let title: SyncString = index % 2 == 0 ? "even" : "odd"
            let due = Timestamp(seconds: 1_700_000_000 + Int64(index), nanoseconds: 0)
            let price: SyncValue = index == 3 ? .null : .double(Double(index) / 4)
            let fields: [ConfirmedField] = [
                ConfirmedField("title", .value(.string(title))),
                ConfirmedField("done", .value(.bool(index > 4))),
                ConfirmedField("due", .value(.date(due))),
                ConfirmedField("owner", .value(.link(ObjectName("Person", "ada")))),
                ConfirmedField("price", .value(price)),
            ]
            let version = 900 + UInt64(index)
            todos.append(ObjectUpdate(.int(Int64(index)), .whole(version: version, born: 900, fields)))
        }
        let run = ElementRun(made: Made(version: 1_002, number: 4), [.value(1), .value(2)])
        let fields: [ConfirmedField] = [
            ConfirmedField("address", .embedded(instance)),
            ConfirmedField("todos", .list([run])),
            ConfirmedField("numbers", .set([1, .float(0.5)])),
            ConfirmedField("map", .dictionary([ConfirmedEntry("k", .value(.data(Data([0xFF, 0]))))])),
        ]
        let whole = ObjectUpdate("ada", .whole(version: 1_002, born: 1, fields))
        let falling = ElementRun(made: Made(version: 1_001, number: 9), isFalling: true, [.value(9), .value(7)])
        let list = ListDifference(
            pieces: [.kept(start: 3, count: 2), .new(ElementRun([.value(8)])), .new(falling)],
            edits: [ListDifference.Edit(index: 1, content: .whole(.value(.null)))]
        )
        let entry = DictionaryDifference.Entry("l", .whole(.value(1)))
        let nested = [NestedDifference(path: ["a", "b"], value: nil), NestedDifference(path: ["c"], value: 1)]
        let differences: [FieldDifference] = [
            FieldDifference("address", .instance([FieldDifference("city", .whole(.value("Biel")))])),
            FieldDifference("todos", .list(list)),
            FieldDifference("numbers", .set(SetDifference(removed: [1], inserted: [2, 3]))),
            FieldDifference("map", .dictionary(DictionaryDifference(removed: ["k"], changed: [entry]))),
            FieldDifference("any", .nested(nested)),
        ]
        let difference = ObjectUpdate("bob", .difference(version: 1_002, base: 999, differences))
        return [
            ClassBatch(className: "Todo", objects: todos),
            ClassBatch(
                className: "Person",
                objects: [whole, difference, ObjectUpdate("eve", .erased), ObjectUpdate("kim", .present(version: 3))]
            ),
        ]
    }()

    static let sums = Checksums(view: 99, classes: [ClassChecksum(className: "Todo", count: 10, sum: 1 << 63)])

    static let server: [(String, ServerMessage)] = [
        ("welcome", .welcome(Welcome(compression: .zlib, serverTime: 375_000_000_005, credit: 1 << 20))),
        (
            "bound",
            .bound(
                1,
                Bound(
                    file: FileIdentity(ident: FileIdent(rawValue: 301), secret: FileSecret(high: 1, low: 2)),
                    schema: .refused([SchemaProblem(className: "Todo", property: "due", text: "unknown")]),
                    epoch: 7,
                    acknowledged: 0,
                    fork: Fork(common: 8),
                    start: .resume(sums)
                )
            )
        ),
        (
            "queryError",
            .queryError(1, QueryError(version: 5, className: "Todo", index: 0, position: 8, text: "no such property"))
        ),
        (
            "ack",
            .ack(
                1,
                Ack(
                    first: 8,
                    versions: [1_001, 1_004],
                    clock: Clock(milliseconds: 375_000_000_000),
                    refusals: [
                        Refusal(commit: 9, index: 1, change: .delete(ObjectName("Todo", 2), .edit), reason: .denied)
                    ],
                    restored: [
                        ClassBatch(className: "Todo", objects: [ObjectUpdate(2, .whole(version: 5, born: 5, []))])
                    ]
                )
            )
        ),
        (
            "changes",
            .changes(
                1,
                Changes(from: cursor, to: later, clock: Clock(milliseconds: 5), classes: batches, checksums: sums)
            )
        ),
        (
            "bootstrapBegin",
            .bootstrapBegin(1, BootstrapBegin(cursor: cursor, queryVersion: 5, view: 99, objects: 14, bytes: 900))
        ),
        (
            "bootstrapChunk",
            .bootstrapChunk(
                1,
                BootstrapChunk(
                    classes: [ClassBatch(className: "Todo", objects: [ObjectUpdate(1, .present(version: 3))])],
                    covers: [KeyRange(className: "Todo", after: nil, through: 1), KeyRange(className: "Dog")],
                    position: BootstrapPosition(cursor: cursor, queryVersion: 5, last: ObjectName("Todo", 1))
                )
            )
        ),
        (
            "bootstrapEnd",
            .bootstrapEnd(1, BootstrapEnd(cursor: cursor, queryVersion: 5, clock: .zero, checksums: sums))
        ),
        ("serverCredit", .credit(1, bytes: 4_096)),
        ("marked", .marked(1, 3, 1_002)),
        ("notice", .notice(1, Notice(.leaving(after: 5_000), text: "update"))),
        ("error", .error(nil, ErrorMessage(.transient(after: 1_000), text: "busy"))),
        ("pong", .pong(Pong(deviceTime: 1, serverTime: 2))),
        ("welcomeWithParts", .welcome(welcomeWithParts)),
        ("boundWithPart", .bound(1, boundWithPart)),
        ("serverPart", .part(1, part)),
    ]

    @Test func `messages have the same bytes as always`() throws {
        let codec = MessageCodec()
        for (name, message) in Self.client {
            let bytes = try codec.encode(message)
            let golden = try Self.golden(name, bytes)
            expectEqual(bytes, golden, "\(name)")
            try expectEqual(codec.clientMessage(golden), message, "\(name)")
        }
        for (name, message) in Self.server {
            let bytes = try codec.encode(message)
            let golden = try Self.golden(name, bytes)
            expectEqual(bytes, golden, "\(name)")
            try expectEqual(codec.serverMessage(golden), message, "\(name)")
        }
    }

    /// Computed by a program in another language.
    @Test func `the hash of an object has the same value as always`() {
        expectEqual(ClassChecksum.hash(5, 1), 0x75A6_3CC5_D209_0D79)
    }
}
