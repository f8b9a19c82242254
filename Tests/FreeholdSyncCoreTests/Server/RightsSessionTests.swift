import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// The messages to users of different roles, and the effects of their writes (sync-design.md, section 10).
struct RightsSessionTests {
    private static let query = [ClassQuery(className: "Thing", condition: "all")]
    private let things = (0..<6 as Range<Int64>).map { ObjectName("Thing", .int($0)) }
    private let roles = SimulatedRoles()

    private func bench(_ configure: (inout ServerConfiguration) -> Void = { _ in }) -> ServerBench {
        ServerBench { [roles] configuration in
            configuration.apps["app"]?.rights = { user, _ in roles[user] }
            configure(&configuration)
        }
    }

    private func create(_ name: ObjectName, mail: Int64, g: Int64 = 1, list: [Int64] = []) -> Change {
        .create(
            name,
            [
                NewField("mail", .value(.int(mail))), NewField("g", .value(.int(g))), NewField("f", .value(.int(g))),
                NewField("list", .list(first: 1, list.map { .int($0) })),
            ]
        )
    }

    private func set(_ name: ObjectName, _ property: SyncString, _ value: Int64) -> Change {
        .set(Place(name, property), .int(value), .real)
    }

    private func fields(_ bench: ServerBench, _ client: Int, _ name: ObjectName) -> [SyncString]? {
        bench.clients[client].objects[name].map { ScriptedClient.withoutEmpty($0.fields).map(\.name) }
    }

    private func check(_ bench: ServerBench, _ location: SourceLocation = #_sourceLocation) {
        for client in bench.clients {
            expect(client.mistakes.isEmpty, "\(client.mistakes)", sourceLocation: location)
            expect(client.faults.isEmpty, "\(client.faults)", sourceLocation: location)
        }
    }

    @Test func `a user is sent what the role shows, and objects leave with their values`() {
        var bench = bench()
        roles["ben"] = SimulatedRole(hiddenMail: 1, hiddenFields: ["g"])
        let (ann, ben) = (bench.add(Self.query), bench.add(Self.query, user: "ben"))
        bench.commit(ann, [create(things[0], mail: 0), create(things[1], mail: 1), create(things[2], mail: 2)])
        expectEqual(Set(bench.clients[ben].objects.keys), [things[0], things[2]])
        expectEqual(fields(bench, ben, things[0]), ["f", "mail"])
        expectEqual(fields(bench, ann, things[0]), ["f", "g", "mail"])

        bench.commit(ann, [set(things[0], "mail", 1), set(things[1], "mail", 0)], [things[0]: 1, things[1]: 1])
        expectEqual(Set(bench.clients[ben].objects.keys), [things[1], things[2]])
        // A user that was offline receives the same.
        bench.disconnect(ben)
        bench.commit(ann, [set(things[2], "mail", 1)], [things[2]: 1])
        bench.connect(ben)
        expectEqual(Set(bench.clients[ben].objects.keys), [things[1]])
        check(bench)
    }

    @Test func `a change of a hidden field isn't sent to users that can't see it, and changes no version`() {
        var bench = bench()
        roles["ben"] = SimulatedRole(hiddenFields: ["g", "list"])
        let (ann, ben) = (bench.add(Self.query), bench.add(Self.query, user: "ben", isRecording: true))
        bench.commit(ann, [create(things[0], mail: 0, list: [1, 2])])
        let version = bench.clients[ben].objects[things[0]]?.version
        bench.clients[ben].received = []
        bench.commit(ann, [set(things[0], "g", 7)], [things[0]: 1])
        bench.commit(ann, [.remove(Place(things[0], "list"), [.confirmed(0)])], [things[0]: 2])
        let said = bench.clients[ben].received.contains { if case .changes = $0 { true } else { false } }
        expect(!said)
        expectEqual(bench.clients[ben].objects[things[0]]?.version, version)
        // The sums of a new bootstrap agree with it.
        bench.disconnect(ben)
        bench.connect(ben)
        bench.clients[ben].queries.version = 2
        bench.say(ben, .queries(1, bench.clients[ben].queries))
        expectEqual(bench.clients[ben].completed, 2)
        bench.commit(ann, [set(things[0], "f", 9)], [things[0]: 3])
        expectEqual(bench.clients[ben].objects[things[0]]?.version, 4)
        check(bench)
    }

    /// Both ways lead to the versions that a new file receives, also after dead data was removed.
    @Test func `versions of what is seen stay the same when dead elements are forgotten`() {
        var bench = bench()
        roles["ben"] = SimulatedRole(hiddenFields: ["g"])
        let (ann, ben) = (bench.add(Self.query), bench.add(Self.query, user: "ben"))
        bench.commit(ann, [create(things[0], mail: 0, list: [1, 2, 3])])
        bench.commit(ann, [.remove(Place(things[0], "list"), [.confirmed(1)])], [things[0]: 1])
        bench.commit(ann, [set(things[0], "g", 5)], [things[0]: 2])
        bench.now += 90 * 86_400_000
        bench.run(.timer(.trim))
        bench.disconnect(ben)
        let new = bench.add(Self.query, user: "ben")
        bench.connect(ben)
        expectEqual(bench.clients[new].objects[things[0]]?.version, 2)
        expectEqual(bench.clients[ben].objects[things[0]]?.version, 2)
        check(bench)
    }

    @Test func `another role moves a view by the difference`() {
        var bench = bench()
        let (ann, ben) = (bench.add(Self.query), bench.add(Self.query, user: "ben", isRecording: true))
        bench.commit(ann, things.enumerated().map { create($1, mail: Int64($0 % 3)) })
        expectEqual(bench.clients[ben].objects.count, 6)

        bench.clients[ben].received = []
        roles["ben"] = SimulatedRole(hiddenMail: 1)
        bench.run(.rightsChanged(["ben"]))
        expectEqual(bench.clients[ben].objects.count, 4)
        var updates = bench.clients[ben].updates
        expectEqual(updates.count, 2)
        expect(updates.allSatisfy { $0 == .erased })

        bench.clients[ben].received = []
        roles["ben"] = SimulatedRole(hiddenMail: 1, hiddenFields: ["g"])
        bench.run(.rightsChanged(nil))
        expectEqual(fields(bench, ben, things[0]), ["f", "mail"])

        bench.clients[ben].received = []
        roles["ben"] = SimulatedRole(hiddenMail: 2)
        bench.run(.rightsChanged(["ben"]))
        expectEqual(bench.clients[ben].objects.count, 4)
        expectEqual(fields(bench, ben, things[0]), ["f", "g", "mail"])
        updates = bench.clients[ben].updates
        expectEqual(updates.filter { $0 == .erased }.count, 2)

        // Nothing that matters changed.
        bench.clients[ben].received = []
        roles["ben"] = SimulatedRole(hiddenMail: 2, deletes: false)
        bench.run(.rightsChanged(["ben"]))
        expect(bench.clients[ben].received.isEmpty)
        check(bench)
    }

    @Test func `a user that was offline during a change of role keeps nothing and lacks nothing`() {
        var bench = bench()
        roles["ben"] = SimulatedRole(hiddenMail: 1, hiddenFields: ["g"])
        let (ann, ben) = (bench.add(Self.query), bench.add(Self.query, user: "ben"))
        bench.commit(ann, things.enumerated().map { create($1, mail: Int64($0 % 3)) })
        bench.disconnect(ben)
        roles["ben"] = SimulatedRole(hiddenMail: 2, hiddenFields: ["f"])
        bench.connect(ben)
        expectEqual(Set(bench.clients[ben].objects.keys), [things[0], things[1], things[3], things[4]])
        for name in bench.clients[ben].objects.keys { expectEqual(fields(bench, ben, name), ["g", "mail"]) }
        check(bench)
    }

    @Test func `a user that may not bind any more gets an error, and other users continue`() {
        var bench = bench { configuration in
            configuration.apps["app"]?.allows = { [roles] user, _ in roles[user].creates }
        }
        let (ann, ben) = (bench.add(Self.query), bench.add(Self.query, user: "ben"))
        roles["ben"] = SimulatedRole(creates: false)
        bench.run(.rightsChanged(["ben"]))
        expectEqual(bench.clients[ben].faults, [.forbidden])
        bench.commit(ann, [create(things[0], mail: 0)])
        expectEqual(bench.clients[ann].objects.count, 1)
    }

    // MARK: Writes

    @Test func `a write that the role forbids is refused, and all else of the commit stands`() {
        var bench = bench()
        roles["ben"] = SimulatedRole(hiddenMail: 1, fixedFields: ["f"], deletes: false)
        let (ann, ben) = (bench.add(Self.query), bench.add(Self.query, user: "ben"))
        bench.commit(ann, [create(things[0], mail: 0), create(things[1], mail: 1), create(things[2], mail: 2)])
        let seen = Dictionary(uniqueKeysWithValues: things.map { ($0, StreamVersion(1)) })
        bench.commit(
            ben,
            [
                set(things[0], "f", 5), set(things[0], "g", 5),
                // The object is hidden. To the user it is missing, except that its key is taken.
                set(things[1], "g", 5),
                set(things[2], "g", 5),
                create(things[3], mail: 1), create(things[4], mail: 2),
            ],
            seen
        )
        let refused = Set(bench.clients[ben].refusals.map(\.change.object))
        expectEqual(refused, [things[0], things[1], things[3], things[4]])
        expect(bench.clients[ben].refusals.allSatisfy { $0.reason == .forbidden })
        let contents = bench.store.contents(of: ServerBench.stream)
        expectEqual(contents[things[2]]?.contents["g"], .value(.int(5)))
        expectEqual(contents[things[0]]?.contents["g"], .value(.int(1)))
        expect(contents[things[3]] == nil)

        bench.clients[ben].refusals = []
        bench.commit(ben, [.delete(things[2], .edit), set(things[0], "mail", 1)], [things[2]: 2, things[0]: 1])
        expectEqual(bench.clients[ben].refusals.count, 2)
        expectEqual(bench.store.contents(of: ServerBench.stream)[things[2]]?.isAlive, true)
        check(bench)
    }

    @Test func `a refused deletion brings back what the user may see`() {
        var bench = bench()
        roles["ben"] = SimulatedRole(hiddenFields: ["g", "list"], deletes: false)
        let ann = bench.add(Self.query)
        bench.commit(ann, [create(things[0], mail: 0, list: [1, 2])])
        let ben = bench.add(Self.query, user: "ben", isRecording: true)
        bench.clients[ben].received = []
        bench.commit(ben, [.delete(things[0], .edit)], [things[0]: 1])
        var restored: [[SyncString]] = []
        for case .ack(_, let ack) in bench.clients[ben].received {
            for case .whole(_, _, let fields) in ack.restored.flatMap({ $0.objects.map(\.content) }) {
                restored.append(fields.map(\.name))
            }
        }
        expectEqual(restored, [["f", "mail"]])
        check(bench)
    }

    @Test func `a thousand forbidden objects of one commit cost one more attempt`() {
        var bench = bench()
        roles["ben"] = SimulatedRole(creates: false)
        let ben = bench.add(Self.query, user: "ben")
        let start = ContinuousClock.now
        bench.commit(ben, (0..<3_000 as Range<Int64>).map { create(ObjectName("Thing", .int($0)), mail: 0) })
        expectEqual(bench.clients[ben].refusals.count, 3_000)
        // One attempt for each object would take minutes.
        expect(ContinuousClock.now - start < .seconds(60))
        check(bench)
    }

    /// Guesses at `g` (1), `list` (1 and 2), `set` (1) and `map` (a: 1).
    private static let guesses: [@Sendable (ObjectName) -> Change] = [
        { .set(Place($0, "g"), .int(1), .real) },
        { .set(Place($0, "g"), .int(2), .real) },
        { .set(Place($0, "g"), .null, .real) },
        { .increment(Place($0, "g"), 0) },
        { .insertIntoSet(Place($0, "set"), [.int(1)]) },
        { .insertIntoSet(Place($0, "set"), [.int(2)]) },
        { .removeFromSet(Place($0, "set"), [.int(3)]) },
        { .assignSet(Place($0, "set"), hidden: [], [.int(1)]) },
        { .set(Place($0, "map").entry("a"), .int(1), .real) },
        { .removeEntry(Place($0, "map").entry("b")) },
        { .remove(Place($0, "list"), [.confirmed(1)]) },
        { .remove(Place($0, "list"), [.confirmed(7)]) },
        { .set(Place($0, "list").element(.confirmed(0)), .int(1), .real) },
        { .create($0, [NewField("mail", .value(.int(0))), NewField("g", .value(.int(1)))]) },
        { .create($0, [NewField("mail", .value(.int(0))), NewField("g", .value(.int(2)))]) },
    ]

    @Test(arguments: guesses.indices) func `a guess at a hidden field is refused, right or wrong`(_ index: Int) {
        var bench = bench()
        roles["ben"] = SimulatedRole(hiddenFields: ["g", "list", "set", "map"])
        let (ann, ben) = (bench.add(Self.query), bench.add(Self.query, user: "ben"))
        let fields = [
            NewField("mail", .value(.int(0))), NewField("g", .value(.int(1))), NewField("set", .set([.int(1)])),
            NewField("list", .list(first: 1, [.int(1), .int(2)])),
            NewField("map", .dictionary(SyncDictionary([(key: "a", value: .int(1))]))),
        ]
        bench.commit(ann, [.create(things[0], fields)])
        bench.commit(ben, [Self.guesses[index](things[0])], [things[0]: 1])
        expectEqual(bench.clients[ben].refusals.map(\.reason), [.forbidden])
        // Default values of the model are allowed, and don't win.
        let defaults = [NewField("mail", .value(.int(0))), NewField("g", .value(.int(9)), .byDefault)]
        bench.commit(ben, [.create(things[0], defaults)], [things[0]: 1])
        expectEqual(bench.clients[ben].refusals.count, 1)
        expectEqual(bench.store.contents(of: ServerBench.stream)[things[0]]?.contents["g"], .value(.int(1)))
        check(bench)
    }

    @Test func `rules of asymmetric classes are asked before rows arrive`() {
        var bench = bench { configuration in
            var rules = MergeRules()
            rules.createOnly = ["Thing"]
            configuration.apps["app"]?.merge = StreamMerge(rules)
        }
        roles["ben"] = SimulatedRole(creates: false)
        let (ann, ben) = (bench.add(Self.query), bench.add(Self.query, user: "ben"))
        bench.commit(ben, [create(things[0], mail: 0)])
        expectEqual(bench.clients[ben].refusals.map(\.reason), [.forbidden])
        bench.commit(ann, [create(things[1], mail: 0)])
        expectEqual(Set(bench.store.ingested(of: ServerBench.stream).keys), [things[1]])
    }

    // MARK: Bootstraps

    /// Chunks that were sent for another role are ignored.
    @Test func `an interrupted bootstrap doesn't go on if the role changed meanwhile`() {
        for changes in [false, true] {
            let roles = SimulatedRoles()
            var bench = ServerBench { configuration in
                configuration.apps["app"]?.rights = { user, _ in roles[user] }
                configuration.chunkObjects = 1
            }
            let ann = bench.add(Self.query)
            bench.commit(ann, things.enumerated().map { create($1, mail: Int64($0 % 3)) })
            roles["ben"] = SimulatedRole(hiddenFields: ["g"])
            var client = ScriptedClient(queries: Queries(version: 1, queries: Self.query))
            (client.user, client.window) = ("ben", 500)
            bench.clients.append(client)
            bench.connect(1)
            expect(bench.clients[1].position != nil)
            expectEqual(bench.clients[1].completed, 0)
            bench.disconnect(1)
            if changes { roles["ben"] = SimulatedRole(hiddenFields: ["f"]) }
            bench.clients[1].window = 1 << 40
            let before = bench.clients[1].objects.count
            bench.clients[1].isRecording = true
            bench.connect(1)
            expectEqual(bench.clients[1].completed, 1)
            expectEqual(bench.clients[1].objects.count, 6)
            for name in things { expectEqual(fields(bench, 1, name), (changes ? ["g", "mail"] : ["f", "mail"])) }
            // Sends the rest of the chunks, or all of them.
            expectEqual(bench.clients[1].updates.count, (changes ? 6 : 6 - before))
            check(bench)
        }
    }
}

extension ScriptedClient {
    /// The received updates of objects.
    fileprivate var updates: [ObjectUpdate.Content] {
        received.flatMap { message -> [ClassBatch] in
            switch message {
            case .changes(_, let changes): changes.classes
            case .bootstrapChunk(_, let chunk): chunk.classes
            default: []
            }
        }
        .flatMap { $0.objects.map(\.content) }
    }
}
