import Testing

@testable import FreeholdRealmWire
@testable import TestRealmClient

/// The life of a session: the order of messages, cursors, connections and restarts.
@Suite("Realm client: sessions")
struct ClientLifeTests {
    private let object = ClientBench.object
    private let other = WireObject(table: "A", key: .int(2))

    private func names(_ messages: [RealmClientMessage]) -> [String] { messages.map(\.name) }

    @Test func `a new file binds, proves its ident, and uploads its classes after the first mark`() throws {
        var bench = try ClientBench()
        bench.client.connect()
        expectEqual(names(bench.takeSent()), ["bind"])
        bench.receive(.ident(session: 1, file: RealmFileIdent(ident: 5, salt: 9)))
        expectEqual(names(bench.takeSent()), ["ident", "mark"])
        bench.bootstrap(0)
        expectEqual(names(bench.takeSent()), [])
        expectEqual(bench.client.file.activeSet?.state, .awaitingMark)
        bench.answerMark()
        expectEqual(names(bench.takeSent()), ["upload"])
        expectEqual(bench.client.file.activeSet?.state, .complete)
        expectEqual(bench.client.traps, [])
    }

    @Test func `a server that sends nothing after an ident receives neither changes nor queries`() throws {
        var bench = try ClientBench()
        bench.client.connect()
        bench.client.subscribe(to: [("A", "TRUEPREDICATE")])
        try bench.commit([.create(object)])
        bench.flush()
        bench.receive(.ident(session: 1, file: RealmFileIdent(ident: 5, salt: 9)))
        expectEqual(names(bench.takeSent()), ["bind", "ident", "mark"])
    }

    @Test func `changes before a set of subscriptions are uploaded before it, and the others after it`() throws {
        var bench = try ClientBench()
        bench.begin()
        try bench.commit([.create(object)])
        bench.client.subscribe(to: [("A", "n == 1")])
        try bench.commit([.set(ClientBench.path("n"), .scalar(.int(1)))])
        bench.client.subscribe(to: [("A", "n == 2")])
        try bench.commit([.set(ClientBench.path("n"), .scalar(.int(2)))])
        expectEqual(
            names(bench.takeSent()),
            ["upload", "query", "mark", "upload", "query", "mark", "upload"]
        )
    }

    @Test func `the app's own changes stay, and take part in merges until they are acknowledged`() throws {
        var bench = try ClientBench()
        bench.begin()
        bench.change([
            .createObject(object),
            .arrayInsert(at: ClientBench.path("l", [.index(0)]), value: .int(1), priorSize: 0),
        ])
        bench.client.disconnect()
        let base = bench.client.file.upload.client
        try bench.commit([
            .set(ClientBench.path("n"), .scalar(.int(5))),
            .insert(ClientBench.path("l", [.index(1)]), .scalar(.int(2))),
        ])
        bench.client.connect(isFast: true)
        bench.flush()
        bench.change(
            [
                ClientBench.update("n", .int(6)),
                .arrayInsert(at: ClientBench.path("l", [.index(0)]), value: .int(0), priorSize: 1),
            ],
            client: base
        )
        expectEqual(bench.client.traps, [])
        expectEqual(bench.client.shown.value(at: ClientBench.path("n")), .scalar(.int(5)))
        let list: [WireValue] = [.scalar(.int(0)), .scalar(.int(1)), .scalar(.int(2))]
        expectEqual(bench.client.shown.value(at: ClientBench.path("l")), .list(WireList(values: list)))
        expect(!bench.client.file.isUploaded)
        bench.acknowledge()
        expect(bench.client.file.isUploaded)
    }

    @Test
    func `changes that weren't acknowledged are sent again with their bytes, and bases may be older than the ident`()
        throws
    {
        var bench = try ClientBench()
        bench.begin()
        bench.change([.createObject(object)])
        let base = bench.client.file.download.server
        try bench.commit([.set(ClientBench.path("n"), .scalar(.int(5)))])
        guard case .upload(let first) = bench.takeSent().last else { return expect(false) }
        bench.change([.createObject(other)], client: bench.client.file.upload.client)
        bench.client.disconnect()
        bench.client.connect()
        bench.flush()
        guard case .ident(let ident) = bench.takeSent().first(where: { $0.name == "ident" }) else {
            return expect(false)
        }
        expect(ident.download.server > base)
        bench.answerMark()
        guard case .upload(let second) = bench.takeSent().first else { return expect(false) }
        expectEqual(second.entries.map(\.changeset), first.entries.map(\.changeset))
        expectEqual(second.entries.map(\.clientVersion), first.entries.map(\.clientVersion))
        expectEqual(second.entries.map(\.serverVersion), [base])
    }

    @Test func `a bootstrap without its end is dropped at a restart, and its set is sent again`() throws {
        var bench = try ClientBench()
        bench.begin()
        bench.client.subscribe(to: [("A", "n == 1")])
        bench.flush()
        var message = bench.download([.createObject(object)])
        (message.batch, message.queryVersion) = (.more, 2)
        bench.receive(.download(message))
        expectEqual(bench.client.shown.objects, [])
        try bench.client.restart(time: 30)
        expectEqual(bench.client.file.set(2)?.state, .pending)
        bench.client.connect()
        bench.sent = []
        bench.flush()
        bench.answerMark()
        let messages = bench.takeSent()
        guard case .ident(let ident) = messages.first(where: { $0.name == "ident" }) else { return expect(false) }
        expectEqual(ident.queryVersion, 1)
        expect(messages.contains { $0.name == "query" })
        bench.bootstrap(2, [.createObject(object)])
        bench.answerMark()
        expectEqual(bench.client.shown.objects, [object])
        expectEqual(bench.client.file.sets.map(\.version), [2])
        expectEqual(bench.client.traps, [])
    }

    @Test func `a connection that ends before the mark of a bootstrap continues with its set`() throws {
        var bench = try ClientBench()
        bench.begin()
        bench.client.subscribe(to: [("A", "n == 1")])
        bench.flush()
        bench.bootstrap(2, [.createObject(object)])
        expectEqual(bench.client.file.activeSet?.state, .awaitingMark)
        bench.client.disconnect()
        bench.client.connect()
        bench.sent = []
        bench.flush()
        guard case .ident(let ident) = bench.takeSent().first(where: { $0.name == "ident" }) else {
            return expect(false)
        }
        expectEqual(ident.queryVersion, 2)
        bench.answerMark()
        expectEqual(bench.client.file.activeSet?.state, .complete)
    }

    @Test func `a refusal is reported after its entry, and forgotten with the connection`() throws {
        var bench = try ClientBench()
        bench.begin()
        try bench.commit([.create(object)])
        bench.flush()
        bench.receive(bench.refusal(of: bench.version + 1))
        expect(!bench.client.events.contains { if case .refused = $0 { true } else { false } })
        bench.change([.eraseObject(object)])
        expect(bench.client.events.contains { if case .refused(231, _, [object]) = $0 { true } else { false } })
        bench.receive(bench.refusal(of: bench.version + 1))
        bench.client.disconnect()
        bench.client.connect()
        bench.flush()
        expect(bench.client.sessions[0].refusals.isEmpty)
        expectEqual(bench.client.traps, [])
    }

    @Test func `a transient error is followed by another bind without a mark`() throws {
        var bench = try ClientBench()
        bench.begin()
        bench.receive(bench.error(200, action: "Transient", tryAgain: true))
        expectEqual(names(bench.takeSent()), ["unbind"])
        bench.client.bindAgain()
        expectEqual(names(bench.takeSent()), ["bind", "ident"])
        expectEqual(bench.client.traps, [])
    }

    @Test(arguments: ["ApplicationBug", "ProtocolViolation", "LogOutUser", "DeleteRealm"])
    func `an error that isn't tried again ends the sync`(_ action: String) throws {
        var bench = try ClientBench()
        bench.begin()
        bench.receive(bench.error(225, action: action))
        expect(bench.client.isStopped)
        expectEqual(names(bench.takeSent()), ["unbind"])
        try bench.commit([.create(object)])
        bench.client.bindAgain()
        expectEqual(names(bench.takeSent()), [])
    }

    @Test func `a changeset that the app's classes don't fit is reported once, and the session is silent`() throws {
        var bench = try ClientBench()
        bench.begin()
        bench.client.mayDisagree = true
        bench.change([.addColumn(ColumnSpec(table: "A", field: "n", kind: .string, isNullable: false))])
        expectEqual(names(bench.takeSent()), ["json_error"])
        try bench.commit([.create(object)])
        bench.change([.createObject(other)])
        expectEqual(names(bench.takeSent()), [])
        expect(bench.client.shown[other] == nil)
    }

    @Test func `an asymmetric object is uploaded and not kept`() throws {
        var bench = try ClientBench()
        bench.begin()
        try bench.commit([.create(WireObject(table: "Log", key: .int(4)))])
        guard case .upload(let upload) = bench.takeSent().first else { return expect(false) }
        expectEqual(upload.entries.count, 1)
        expectEqual(bench.client.shown.objects, [])
    }

    @Test func `an object of a class without a subscription can't be created`() throws {
        var bench = try ClientBench()
        bench.begin(subscribing: false)
        #expect(throws: LocalError.self) { try bench.commit([.create(object)]) }
    }

    @Test(arguments: [(4001, ClientRequest.renewToken), (4003, .location)])
    func `codes of closed connections request a token or an address`(_ code: Int, _ request: ClientRequest) throws {
        var bench = try ClientBench()
        bench.begin()
        bench.client.closed(code: code)
        expectEqual(bench.client.requests, [request])
        expectEqual(bench.client.traps, [])
    }

    @Test func `two copies of a file send the same ident and go on separately`() throws {
        var bench = try ClientBench()
        bench.begin()
        try bench.commit([.create(object)])
        var copy = try ClientBench()
        copy.client.file = bench.client.file
        copy.client.connect()
        copy.flush()
        guard case .ident(let ident) = copy.takeSent().first(where: { $0.name == "ident" }) else {
            return expect(false)
        }
        expectEqual(ident.file, bench.client.file.ident)
        try copy.commit([.delete(object)])
        expect(bench.client.shown[object] != nil)
        expect(copy.client.shown[object] == nil)
    }
}
