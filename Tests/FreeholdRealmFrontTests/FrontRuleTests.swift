import FreeholdEngine
import FreeholdRealmFront
import FreeholdRealmWire
import FreeholdSyncCore
import FreeholdSyncRules
import Synchronization
import TestExpectations
import Testing

/// The demands of the official client (N1 to N16 of the design), and the errors of sessions.
@Suite("Realm front: demands of the client")
struct FrontRuleTests {
    private typealias Sessions = FrontSessionTests

    private static func downloads(_ frames: [RealmServerMessage]) -> [RealmServerMessage.Download] {
        frames.compactMap { if case .download(let download) = $0 { download } else { nil } }
    }

    private static func instructions(_ download: RealmServerMessage.Download) -> [Instruction] {
        download.entries.flatMap { (try? Changeset(bytes: $0.changeset).instructions) ?? [] }
    }

    private static func errors(_ frames: [RealmServerMessage]) -> [ServerError] {
        frames.compactMap { if case .error(let error) = $0 { error } else { nil } }
    }

    // MARK: N1 to N5

    @Test func `N1, N2: an upload without entries is acknowledged without a new version`() {
        var world = FrontWorld()
        let client = Sessions.client(&world)
        let progress = UploadCursor(client: client.version + 4, server: client.download.server)
        world.receive(
            .upload(.init(session: 1, progress: progress, lockedServer: client.download.server, entries: [])),
            client.connection
        )
        world.settle()
        let downloads = Self.downloads(world.take(client.connection))
        expectEqual(downloads.count, 1)
        expectEqual(downloads.first?.download.server, client.download.server)
        expectEqual(downloads.first?.upload.client, progress.client)
        expectEqual(downloads.first?.entries, [])
    }

    @Test func `a client that binds before the machine has welcomed it can upload`() {
        var world = FrontWorld()
        world.holdsMessages = true
        var client = OfficialClient()
        client.connection = world.connect()
        client.bind(&world)
        Sessions.exchange([0], &world, &client)
        client.write([.create(1), .set(1, "name", .string("a"))])
        client.send(&world)
        Sessions.exchange([0], &world, &client)
        Sessions.expectSound(world, [client])
        expectEqual(client.log.count, 0)
        expect(world.contents[ObjectName("Person", 1)] != nil)
    }

    @Test func `N3: a bootstrap and another one at one version of the stream have different versions`() {
        var world = FrontWorld()
        var client = Sessions.client(&world)
        let first = client.download.server
        client.query(2, [], &world)
        Sessions.exchange([0], &world, &client)
        Sessions.expectSound(world, [client])
        expectEqual(client.queryVersion, 2)
        expect(client.download.server > first)
        expectEqual(client.download.server >> 20, first >> 20)
    }

    @Test func `N4: an own commit from before an integrated entry reaches its own elements after a reconnect`() {
        var world = FrontWorld()
        var clients = [Sessions.client(&world), Sessions.client(&world)]
        clients[0].write([
            .create(1), .insert(1, "tags", at: 0, .string("a"), size: 0),
            .insert(1, "tags", at: 1, .string("b"), size: 1),
        ])
        clients[0].send(&world)
        Sessions.exchange(&world, &clients)
        // The other client inserts at the front. Meanwhile this one removes the first element, without an upload.
        clients[1].write([.insert(1, "tags", at: 0, .string("x"), size: 2)])
        clients[1].send(&world)
        world.settle()
        clients[0].write([.remove(1, "tags", 0, size: 2)])
        clients[0].receive(&world)
        expectEqual(clients[0].log.map(\.base).max().map { $0 < clients[0].download.server }, true)
        world.cut(clients[0].connection)
        clients[0].connection = world.connect()
        clients[0].bind(&world)
        Sessions.exchange(&world, &clients)
        Sessions.expectSound(world, clients)
        for client in clients {
            guard case .list(let tags)? = client.fields(1)?["tags"] else { return expect(false, "the list is missing") }
            expectEqual(tags.values, [.scalar(.string("x")), .scalar(.string("b"))])
        }
    }

    @Test func `N5: an entry in flight is sent again with its old bytes and versions`() {
        var world = FrontWorld()
        var clients = [Sessions.client(&world), Sessions.client(&world)]
        clients[1].write([.create(1), .set(1, "name", .string("a"))])
        clients[1].send(&world)
        world.settle()
        let lost = Self.downloads(world.take(clients[0].connection)).filter { !$0.entries.isEmpty }
        expectEqual(lost.count, 1)
        for isRestart in [false, true] {
            if isRestart { world.restart() } else { world.cut(clients[0].connection) }
            clients[0].connection = world.connect()
            clients[0].bind(&world)
            world.settle()
            let again = Self.downloads(world.frames[clients[0].connection] ?? []).filter { !$0.entries.isEmpty }
            expectEqual(again.first?.entries, lost.first?.entries)
            expectEqual(again.first?.download, lost.first?.download)
        }
        Sessions.exchange([0], &world, &clients[0])
        expectEqual(clients[0].fields(1)?["name"], .scalar(.string("a")))
        Sessions.expectSound(world, [clients[0]])
    }

    // MARK: N6 to N13

    @Test func `N6: the fields of an object follow its creation directly`() {
        var world = FrontWorld()
        var client = Sessions.client(&world)
        var writes: [Instruction] = []
        for key in 1...5 as ClosedRange<Int64> {
            writes += [.create(key), .set(key, "any", .list), .insert(key, "any", at: 0, .int(key), size: 0)]
        }
        client.write(writes)
        client.send(&world)
        Sessions.exchange([0], &world, &client)
        var late = OfficialClient()
        late.connection = world.connect()
        late.bind(&world)
        Sessions.exchange([0], &world, &late)
        late.query(1, Sessions.everyone, &world)
        world.settle()
        let all = Self.downloads(world.frames[late.connection] ?? []).flatMap { Self.instructions($0) }
        expectEqual(all.count { if case .createObject = $0 { true } else { false } }, 5)
        var last: WireObject?
        for instruction in all {
            if case .createObject(let object) = instruction {
                last = object
            } else {
                expectEqual(instruction.object, last)
            }
        }
        Sessions.exchange([0], &world, &late)
        Sessions.expectSound(world, [client, late])
    }

    @Test func `N7: refused writes are reported, may be tried again, and are undone`() {
        var world = FrontWorld(
            rules: {
                var rules = MergeRules()
                rules.forbids = { _, _, name in name == ObjectName("Person", 13) }
                return rules
            }()
        )
        var client = Sessions.client(&world)
        client.write([.create(13), .set(13, "name", .string("x")), .create(14)])
        let version = client.version
        client.send(&world)
        world.settle()
        let error = Self.errors(world.frames[client.connection] ?? []).first
        expectEqual(error?.code, 231)
        expectEqual(error?.tryAgain, true)
        expectEqual(error?.compensation?.clientVersion, version)
        expectEqual(error?.compensation?.updates.map(\.object), [Instruction.person(13)])
        Sessions.exchange([0], &world, &client)
        Sessions.expectSound(world, [client])
        expectEqual(client.fields(13), nil)
        expect(client.fields(14) != nil)
    }

    @Test func `N8: nothing follows the error of a session`() {
        var world = FrontWorld()
        let client = Sessions.client(&world)
        world.receive(.error(session: 1, code: 212, message: "bad"), client.connection)
        world.receive(.mark(session: 1, number: 50), client.connection)
        world.receive(.unbind(session: 1), client.connection)
        world.settle()
        let frames = world.take(client.connection)
        expectEqual(frames.count, 1)
        // N12: the client is silent after its error.
        expectEqual(Self.errors(frames).first?.code, 225)
        expectEqual(Self.errors(frames).first?.action, "ApplicationBug")
    }

    @Test(arguments: [
        (RealmEndReason.tokenExpired, UInt16(4001)), (.movedAway, 4003), (.idle, 4003), (.tooLarge, 1009),
    ])
    func `N10: connections end with codes that the client understands`(_ reason: RealmEndReason, _ code: UInt16) {
        var front = RealmFront(RealmFrontConfiguration(app: "app") { _ in .unknown }, version: 14, user: "user")
        _ = front.open(now: 0)
        guard case .close(let found)? = front.end(reason).first else { return expect(false, "no close") }
        expectEqual(found, code)
        expect(front.received(frame: Array("ping 1 0\n".utf8), now: 0).isEmpty)
    }

    @Test func `N11: the first bootstrap follows the ident directly`() {
        var world = FrontWorld()
        var client = OfficialClient()
        client.connection = world.connect()
        client.bind(&world)
        world.settle()
        client.receive(&world, most: 1)
        world.settle()
        let frames = world.frames[client.connection] ?? []
        guard case .download(let download)? = frames.first else { return expect(false, "no download") }
        expectEqual(download.batch, .last)
        expectEqual(download.queryVersion, 0)
        expect(!download.entries.isEmpty)
        expectEqual(Self.instructions(download).filter { if case .addTable = $0 { true } else { false } }.count, 3)
    }

    @Test func `N13: a session that the machine ends is bound again`() {
        var world = FrontWorld()
        let client = Sessions.client(&world)
        world.handle(.schemaChanged(FrontWorld.app))
        let error = Self.errors(world.take(client.connection)).first
        expectEqual(error?.code, 200)
        expectEqual(error?.action, "Transient")
        expectEqual(error?.tryAgain, true)
    }

    // MARK: N14 to N16

    @Test func `N14: objects that leave and enter the view are erased and created`() {
        var world = FrontWorld()
        var clients = [Sessions.client(&world), Sessions.client(&world)]
        clients[0].write([.create(1), .set(1, "age", .int(10)), .create(2), .set(2, "age", .int(30))])
        clients[0].send(&world)
        Sessions.exchange(&world, &clients)
        clients[1].query(2, [FreeholdRealmWire.ClassQuery(table: "Person", text: "(age > 20)")], &world)
        Sessions.exchange(&world, &clients)
        Sessions.expectSound(world, clients)
        expectEqual(clients[1].fields(1), nil)
        expect(clients[1].fields(2) != nil)
        clients[0].write([.set(1, "age", .int(40)), .set(2, "age", .int(1))])
        clients[0].send(&world)
        Sessions.exchange(&world, &clients)
        Sessions.expectSound(world, clients)
        expect(clients[1].fields(1) != nil)
        expectEqual(clients[1].fields(2), nil)
    }

    @Test func `N15: classes and fields of one app are stored, and visible to an app that declares them later`() throws
    {
        let served = Mutex(ServedSchema([], mode: .development))
        var world = FrontWorld { app, configuration in
            app.judge = { claim in SchemaJudgement(served.withLock { $0.judge(claim).verdict }) }
            configuration.schema = { _ in .tables(served.withLock { $0.tables }) }
        }
        var first = OfficialClient()
        first.connection = world.connect()
        first.bind(&world)
        Sessions.exchange([0], &world, &first)
        expectEqual(first.state.schema.tables.count, 0)
        let key = FreeholdRealmWire.TableSpec.PrimaryKey(field: "_id", kind: .int, isNullable: false)
        first.write([
            .addTable(.init(name: "Person", kind: .topLevel, primaryKey: key)),
            .addColumn(.init(table: "Person", field: "name", kind: .string, isNullable: false)),
        ])
        first.send(&world)
        Sessions.exchange([0], &world, &first)
        first.query(1, Sessions.everyone, &world)
        Sessions.exchange([0], &world, &first)
        first.write([.create(1), .set(1, "name", .string("Ada"))])
        first.send(&world)
        Sessions.exchange([0], &world, &first)
        var second = Sessions.client(&world)
        expectEqual(second.fields(1)?["name"], .scalar(.string("Ada")))
        second.write([
            .addColumn(.init(table: "Person", field: "age", kind: .int, isNullable: true)),
            .set(1, "age", .int(36)),
        ])
        second.send(&world)
        var clients = [first, second]
        Sessions.exchange(&world, &clients)
        Sessions.expectSound(world, clients)
        expectEqual(clients[0].fields(1)?["age"], .scalar(.int(36)))
    }

    @Test func `N16: an invalid query set is refused, and the next one is served`() {
        var world = FrontWorld()
        var client = Sessions.client(&world)
        client.write([.create(1)])
        client.send(&world)
        Sessions.exchange([0], &world, &client)
        client.query(2, [FreeholdRealmWire.ClassQuery(table: "Person", text: "(nonsense ==== 5)")], &world)
        Sessions.exchange([0], &world, &client)
        expectEqual(client.queryErrors, [2])
        expectEqual(client.queryVersion, 1)
        expectEqual(client.marks.answered, client.marks.sent)
        client.query(3, Sessions.everyone, &world)
        Sessions.exchange([0], &world, &client)
        Sessions.expectSound(world, [client])
        expectEqual(client.queryVersion, 3)
        expect(client.fields(1) != nil)
    }

    @Test func `N16: a connection carries several sessions`() {
        var world = FrontWorld()
        var first = OfficialClient()
        first.connection = world.connect()
        first.bind(&world)
        Sessions.exchange([0], &world, &first)
        world.receive(.bind(.init(session: 9, needsIdent: true, schemaVersion: 0, reason: 1)), first.connection)
        world.settle()
        let idents = world.take(first.connection).compactMap { message -> UInt64? in
            if case .ident(9, let file) = message { file.ident } else { nil }
        }
        expectEqual(idents.count, 1)
        expect(idents.first != first.file?.ident)
        world.receive(.unbind(session: 9), first.connection)
        expectEqual(world.take(first.connection), [.unbound(session: 9)])
        first.query(1, Sessions.everyone, &world)
        Sessions.exchange([0], &world, &first)
        Sessions.expectSound(world, [first])
    }

    // MARK: Busy servers

    @Test func `an upload during a bootstrap doesn't return an object that leaves the view`() {
        var world = FrontWorld()
        var client = Sessions.client(&world)
        client.write([.create(1), .set(1, "age", .int(30)), .create(2), .set(2, "age", .int(10))])
        client.send(&world)
        Sessions.exchange([0], &world, &client)
        world.holdsMessages = true
        client.query(2, [FreeholdRealmWire.ClassQuery(table: "Person", text: "(age < 20)")], &world)
        world.settle(releases: false)
        world.releaseMessages { if case .bootstrapEnd = $0 { true } else { false } }
        client.write([.set(1, "name", .string("x"))])
        client.send(&world)
        Sessions.exchange([0], &world, &client)
        Sessions.expectSound(world, [client])
        expectEqual(world.contents[ObjectName("Person", 1)]?["name"], .value("x"))
        expectEqual(client.fields(1), nil)
        expect(client.fields(2) != nil)
    }

    // MARK: Errors

    @Test func `a wrong salt, and a file of another user, are client resets`() {
        for isOtherUser in [false, true] {
            var world = FrontWorld()
            var client = Sessions.client(&world)
            if !isOtherUser { client.file?.salt += 1 }
            client.connection = world.connect(user: isOtherUser ? "other" : "user")
            client.bind(&world)
            Sessions.exchange([0], &world, &client)
            expectEqual(client.errors.first?.code, isOtherUser ? 206 : 208)
            if !isOtherUser { expectEqual(client.errors.first?.shouldClientReset, true) }
        }
    }

    @Test func `another history of the stream is a client reset`() {
        var world = FrontWorld()
        var client = Sessions.client(&world)
        client.write([.create(1)])
        client.send(&world)
        Sessions.exchange([0], &world, &client)
        world.store.wasCopied(epoch: 99)
        world.restart()
        client.connection = world.connect()
        client.bind(&world)
        Sessions.exchange([0], &world, &client)
        expectEqual(client.errors.first?.code, 209)
        expectEqual(client.errors.first?.action, "ClientReset")
    }

    @Test func `an unreadable changeset ends the session, and the server continues`() {
        var world = FrontWorld()
        var client = Sessions.client(&world)
        let entry = UploadEntry(
            clientVersion: client.version + 2,
            serverVersion: client.download.server,
            timestamp: 1,
            changeset: [0xFF, 0xFF, 1]
        )
        let progress = UploadCursor(client: entry.clientVersion, server: entry.serverVersion)
        world.receive(
            .upload(.init(session: 1, progress: progress, lockedServer: 0, entries: [entry])),
            client.connection
        )
        Sessions.exchange([0], &world, &client)
        expectEqual(client.errors.map(\.code), [212])
        let other = Sessions.client(&world)
        Sessions.expectSound(world, [other])
    }

    @Test func `an upload that doesn't fit the client's state is a client reset`() {
        var world = FrontWorld()
        var client = Sessions.client(&world)
        let changeset = Changeset([.remove(5, "tags", 0, size: 1)])
        let entry = UploadEntry(
            clientVersion: client.version + 2,
            serverVersion: client.download.server,
            timestamp: 1,
            changeset: (try? changeset.encoded()) ?? []
        )
        let progress = UploadCursor(client: entry.clientVersion, server: entry.serverVersion)
        world.receive(
            .upload(.init(session: 1, progress: progress, lockedServer: 0, entries: [entry])),
            client.connection
        )
        Sessions.exchange([0], &world, &client)
        expectEqual(client.errors.map(\.code), [208])
    }

    @Test func `a schema that production refuses is error 225`() {
        let served = Mutex(ServedSchema(FrontWorld.tables, mode: .production))
        var world = FrontWorld { app, _ in
            app.judge = { claim in SchemaJudgement(served.withLock { $0.judge(claim).verdict }) }
        }
        var client = Sessions.client(&world)
        Sessions.expectSound(world, [client])
        client.write([.addColumn(.init(table: "Person", field: "extra", kind: .int, isNullable: true))])
        client.send(&world)
        Sessions.exchange([0], &world, &client)
        expectEqual(client.errors.map(\.code), [225])
    }

    @Test func `an unknown schema version is error 235`() {
        var world = FrontWorld()
        var client = OfficialClient()
        client.schemaVersion = 3
        client.connection = world.connect()
        client.bind(&world)
        Sessions.exchange([0], &world, &client)
        expectEqual(client.errors.map(\.code), [235])
    }

    @Test func `a file of another schema version continues under its own until the client has migrated`() {
        var world = FrontWorld { _, configuration in
            configuration.schema = { $0 < 2 ? .tables(FrontWorld.tables) : .unknown }
        }
        var client = Sessions.client(&world)
        client.schemaVersion = 1
        client.connection = world.connect()
        client.bind(&world)
        Sessions.exchange([0], &world, &client)
        expectEqual(client.errors.map(\.code), [236])
        expectEqual(client.errors.first?.previousSchemaVersion, 0)
        expectEqual(world.faults, [])
    }

    @Test func `objects of asymmetric classes are taken in, and never come back`() {
        var world = FrontWorld()
        var client = Sessions.client(&world)
        let event = WireObject(table: "Event", key: .int(5))
        let text = WirePath(object: event, field: "text")
        client.write([
            .createObject(event), .update(at: text, value: .string("hello"), mark: .field(isDefault: false)),
        ])
        client.state[event] = nil
        client.send(&world)
        Sessions.exchange([0], &world, &client)
        Sessions.expectSound(world, [client])
        let taken = world.store.ingested(of: FrontWorld.stream)
        expectEqual(taken[ObjectName("Event", 5)], [NewField("text", .value("hello"))])
    }

    @Test(arguments: [8, 14]) func `damaged frames never end the process`(_ version: Int) {
        var world = FrontWorld()
        let client = Sessions.client(&world, version: version)
        var random = SystemRandomNumberGenerator()
        for text in [
            "", "\n", "bind\n", "bind 1 0 0 1 0\n", "ident 1 18446744073709551615 1 0 0 0 0 0 2\n{}",
            "upload 1 0 0 0 18446744073709551615 18446744073709551615 0\n", "mark 1 18446744073709551615\n",
            "query 1 9223372036854775807 2\n{}", "unbind 7\n", "json_error 1 2 1\n{}",
        ] {
            var copy = world
            copy.receive(frame: Array(text.utf8), client.connection)
            copy.settle()
        }
        for _ in 0..<200 {
            var copy = world
            let bytes = (0..<Int.random(in: 0..<80, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            copy.receive(frame: bytes, client.connection)
        }
        var ident = OfficialClient()
        ident.file = RealmFileIdent(ident: client.file!.ident, salt: client.file!.salt)
        ident.download = DownloadCursor(server: .max, client: .max)
        ident.latest = LatestVersion(version: 0, salt: 0)
        ident.connection = world.connect(version: version)
        ident.bind(&world)
        world.settle()
        expectEqual(Self.errors(world.take(ident.connection)).map(\.code), [209])
    }
}
