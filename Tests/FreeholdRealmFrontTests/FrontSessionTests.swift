import FreeholdEngine
import FreeholdRealmFront
import FreeholdRealmWire
import FreeholdSyncCore
import TestExpectations
import Testing

/// Sessions of official clients with a server's machine.
@Suite("Realm front: sessions")
struct FrontSessionTests {
    static let everyone = [FreeholdRealmWire.ClassQuery(table: "Person", text: "(TRUEPREDICATE)")]

    /// Returns a client that is bound, subscribed and up to date.
    static func client(_ world: inout FrontWorld, version: Int = 14, user: SyncString = "user") -> OfficialClient {
        var client = OfficialClient()
        client.connection = world.connect(version: version, user: user)
        client.bind(&world)
        exchange([0], &world, &client)
        client.query(1, everyone, &world)
        exchange([0], &world, &client)
        return client
    }

    /// Exchanges messages until nothing happens any more.
    static func exchange(_: [Int], _ world: inout FrontWorld, _ client: inout OfficialClient) {
        var clients = [client]
        exchange(&world, &clients)
        client = clients[0]
    }

    static func exchange(_ world: inout FrontWorld, _ clients: inout [OfficialClient]) {
        for _ in 0..<60 {
            world.settle()
            var isQuiet = true
            for index in clients.indices {
                if world.frames[clients[index].connection]?.isEmpty == false { isQuiet = false }
                clients[index].receive(&world)
                clients[index].send(&world)
            }
            world.settle()
            if isQuiet { return }
        }
        world.note("the clients and the server don't become quiet")
    }

    /// Returns the connection of a Freehold client with a session.
    static func freehold(_ world: inout FrontWorld) -> ConnectionNumber {
        let connection = world.connectFreehold()
        world.pass(
            .bind(1, Bind(app: FrontWorld.app, schema: SchemaClaim(version: 0, hash: .empty))),
            connection
        )
        world.settle()
        world.pass(.credit(1, bytes: 1 << 20), connection)
        return connection
    }

    /// Uploads a commit of a Freehold client.
    static func upload(
        _ number: UInt64,
        _ changes: [Change],
        at base: StreamVersion = 0,
        by connection: ConnectionNumber,
        _ world: inout FrontWorld
    ) {
        let commit = Commit(
            number: number,
            clock: Clock(milliseconds: world.now),
            base: base,
            changes: changes
        )
        let upload = UploadedCommit(commit: commit, hash: RunningHash(high: number, low: 2), part: nil)
        world.pass(.upload(1, Upload(commits: [upload])), connection)
    }

    static func expectSound(_ world: FrontWorld, _ clients: [OfficialClient], _ comment: Comment? = nil) {
        expectEqual(world.faults, [], comment)
        for client in clients {
            expectEqual(client.faults, [], comment)
            expectEqual(client.errors.map(\.message), [], comment)
        }
    }

    @Test(arguments: [8, 10, 11, 12, 13, 14])
    func `a new client receives an ident, the schema and a bootstrap`(_ version: Int) {
        var world = FrontWorld()
        let client = Self.client(&world, version: version)
        Self.expectSound(world, [client])
        expect(client.file!.ident >= 2)
        expectEqual(client.state.schema.tables.count, 3)
        expectEqual(client.queryVersion, 1)
        expectEqual(client.marks.answered, client.marks.sent)
    }

    @Test func `changes of each client reach the others, and a later client by its bootstrap`() {
        var world = FrontWorld()
        var clients = [Self.client(&world), Self.client(&world)]
        clients[0].write([
            .create(1), .set(1, "name", .string("Ada")), .set(1, "age", .int(36)),
            .insert(1, "tags", at: 0, .string("a"), size: 0), .insert(1, "tags", at: 1, .string("b"), size: 1),
            .setInsert(at: WirePath(object: Instruction.person(1), field: "scores"), value: .int(5)),
            .set(1, "notes", .string("x"), at: [.name("k")]), .set(1, "home", .object),
            .set(1, "home", .string("Main"), at: [.name("street")]),
            .insert(1, "homes", at: 0, .object, size: 0),
            .set(1, "homes", .string("Side"), at: [.index(0), .name("street")]),
            .set(1, "any", .list), .insert(1, "any", at: 0, .int(1), size: 0),
        ])
        clients[0].send(&world)
        Self.exchange(&world, &clients)
        Self.expectSound(world, clients)
        expect(clients[1].fields(1) != nil)
        expectEqual(clients[1].fields(1), clients[0].fields(1))
        expectEqual(world.contents.count, 1)
        expectEqual(world.contents[ObjectName("Person", 1)]?["name"], .value("Ada"))

        clients[1].write([
            .set(1, "name", .string("Ada L.")), .insert(1, "tags", at: 1, .string("c"), size: 2),
            .remove(1, "tags", 0, size: 3), .set(1, "home", .string("High"), at: [.name("street")]),
            .set(1, "homes", .string("Low"), at: [.index(0), .name("street")]),
            .insert(1, "any", at: 1, .string("two"), size: 1),
        ])
        clients[1].send(&world)
        Self.exchange(&world, &clients)
        Self.expectSound(world, clients)
        expectEqual(clients[0].fields(1), clients[1].fields(1))
        let late = Self.client(&world)
        expectEqual(late.fields(1), clients[1].fields(1))
    }

    @Test func `a Freehold client sees the changes of an official client, and the reverse`() {
        var world = FrontWorld()
        var client = Self.client(&world)
        let freehold = Self.freehold(&world)
        let query = FreeholdSyncCore.ClassQuery(className: "Person", condition: "TRUEPREDICATE")
        world.pass(.queries(1, Queries(version: 1, queries: [query])), freehold)
        world.settle()
        client.write([.create(7), .set(7, "name", .string("official"))])
        client.send(&world)
        Self.exchange([0], &world, &client)
        let received = world.messages[freehold]!.contains { message in
            guard case .changes(_, let changes) = message else { return false }
            return changes.classes.contains { $0.objects.contains { $0.key == 7 } }
        }
        expect(received, "the Freehold client has received the object")

        Self.upload(
            1,
            [.create(ObjectName("Person", 8), [NewField("name", .value("freehold"))])],
            by: freehold,
            &world
        )
        Self.exchange([0], &world, &client)
        Self.expectSound(world, [client])
        expectEqual(client.fields(8), ["name": .scalar(.string("freehold"))])
    }

    @Test func `concurrent writes are repaired, and all clients end equal`() {
        var world = FrontWorld()
        var clients = [Self.client(&world), Self.client(&world)]
        clients[0].write([.create(1), .insert(1, "tags", at: 0, .string("a"), size: 0)])
        clients[0].send(&world)
        Self.exchange(&world, &clients)
        // Both write without the other's changes.
        clients[0].write([.insert(1, "tags", at: 1, .string("b"), size: 1), .set(1, "name", .string("zero"))])
        clients[1].write([
            .clear(at: WirePath(object: Instruction.person(1), field: "tags"), kind: .list),
            .insert(1, "tags", at: 0, .string("c"), size: 0), .set(1, "name", .string("one")),
        ])
        clients[1].send(&world)
        clients[0].send(&world)
        Self.exchange(&world, &clients)
        Self.expectSound(world, clients)
        expectEqual(clients[0].fields(1), clients[1].fields(1))
        guard case .list(let tags)? = clients[0].fields(1)?["tags"] else { return expect(false, "the list is missing") }
        expectEqual(Set(tags.values), [.scalar(.string("b")), .scalar(.string("c"))])
    }

    @Test func `a client that returns continues at its cursors`() {
        var world = FrontWorld()
        var clients = [Self.client(&world), Self.client(&world)]
        clients[0].write([.create(1), .set(1, "name", .string("a"))])
        clients[0].send(&world)
        Self.exchange(&world, &clients)
        world.cut(clients[0].connection)
        clients[1].write([.set(1, "name", .string("b"))])
        clients[0].write([.insert(1, "tags", at: 0, .string("offline"), size: 0)])
        clients[1].send(&world)
        Self.exchange(&world, &clients)
        clients[0].connection = world.connect()
        clients[0].bind(&world)
        Self.exchange(&world, &clients)
        Self.expectSound(world, clients)
        expectEqual(clients[0].fields(1), clients[1].fields(1))
        expectEqual(clients[0].fields(1)?["name"], .scalar(.string("b")))
    }

    @Test(arguments: 0..<40)
    func `random histories of official clients end equal`(_ seed: UInt64) {
        let report = FrontHistory(seed: seed).run()
        expectEqual(report, [], "seed \(seed)")
    }
}
