import Testing

@testable import FreeholdRealmWire
@testable import TestRealmClient

/// Client resets: what the app keeps of its unanswered work.
@Suite("Realm client: resets")
struct ClientResetTests {
    private let object = ClientBench.object

    /// Makes a reset whose fresh file contains the classes and one object with these instructions.
    private func reset(
        _ bench: inout ClientBench,
        to instructions: [Instruction],
        action: String = "ClientReset"
    ) throws {
        bench.receive(bench.error(208, action: action))
        guard bench.client.fresh != nil else { return }
        expectEqual(bench.client.sessions.last?.role, .fresh)
        bench.sent = []
        bench.flush()
        bench.receive(
            .ident(session: bench.client.sessions[0].number, file: RealmFileIdent(ident: 8, salt: 3))
        )
        bench.bootstrap(0, ClientBench.schema)
        bench.answerMark()
        bench.bootstrap(1, instructions)
        bench.answerMark()
        // The session of the fresh file ends, and that of the main one begins.
        if let fresh = bench.client.sessions.first(where: { $0.role == .fresh }) {
            bench.receive(.unbound(session: fresh.number))
        }
        bench.flush()
    }

    private func offline(_ changes: [LocalChange], mode: ResetTracker.Mode = .recoverOrDiscard) throws -> ClientBench {
        var bench = try ClientBench(resetMode: mode)
        bench.begin()
        bench.change([
            .createObject(object), ClientBench.update("s", .string("old")),
            .arrayInsert(at: ClientBench.path("l", [.index(0)]), value: .int(1), priorSize: 0),
        ])
        bench.client.disconnect()
        try bench.commit(changes)
        bench.client.connect()
        bench.flush()
        return bench
    }

    private let server: [Instruction] = [
        .createObject(ClientBench.object), ClientBench.update("s", .string("new")), ClientBench.update("n", .int(55)),
        .arrayInsert(at: ClientBench.path("l", [.index(0)]), value: .int(1), priorSize: 0),
        .arrayInsert(at: ClientBench.path("l", [.index(1)]), value: .int(11), priorSize: 1),
    ]

    private func list(_ numbers: [Int64]) -> WireValue { .list(WireList(values: numbers.map { .scalar(.int($0)) })) }

    @Test func `unanswered changes are made again on the server's objects`() throws {
        var bench = try offline([
            .set(ClientBench.path("s"), .scalar(.string("mine"))),
            .insert(ClientBench.path("l", [.index(1)]), .scalar(.int(22))),
            .create(WireObject(table: "A", key: .int(9))),
        ])
        try reset(&bench, to: server)
        expectEqual(bench.client.traps, [])
        expect(bench.client.events.contains(.afterReset(isRecovered: true)))
        expectEqual(bench.client.file.ident, RealmFileIdent(ident: 8, salt: 3))
        expectEqual(bench.client.shown.value(at: ClientBench.path("s")), .scalar(.string("mine")))
        expectEqual(bench.client.shown.value(at: ClientBench.path("n")), .scalar(.int(55)))
        expectEqual(bench.client.shown.value(at: ClientBench.path("l")), list([1, 22, 11]))
        expectEqual(bench.client.file.download, DownloadCursor(server: bench.version, client: 0))
        bench.answerMark()
        guard case .upload(let upload) = bench.takeSent().last(where: { $0.name == "upload" }) else {
            return expect(false)
        }
        expectEqual(upload.entries.map(\.serverVersion), [bench.version])
        bench.acknowledge()
        bench.client.endReset()
        expectEqual(bench.client.file.reset, nil)
    }

    @Test func `a list of which an old element was erased is copied`() throws {
        var bench = try offline([
            .insert(ClientBench.path("l", [.index(1)]), .scalar(.int(22))), .remove(ClientBench.path("l", [.index(0)])),
        ])
        try reset(&bench, to: server)
        expectEqual(bench.client.shown.value(at: ClientBench.path("l")), list([22]))
        expectEqual(bench.client.traps, [])
    }

    @Test func `a cleared list contains the elements that were inserted after it`() throws {
        var bench = try offline([
            .removeAll(ClientBench.path("l")), .insert(ClientBench.path("l", [.index(0)]), .scalar(.int(7))),
            .insert(ClientBench.path("l", [.index(1)]), .scalar(.int(8))), .remove(ClientBench.path("l", [.index(0)])),
        ])
        try reset(&bench, to: server)
        expectEqual(bench.client.shown.value(at: ClientBench.path("l")), list([8]))
    }

    @Test func `changes of an object that the server doesn't have any more are left out`() throws {
        var bench = try offline([.set(ClientBench.path("s"), .scalar(.string("mine"))), .add(ClientBench.path("n"), 3)])
        try reset(&bench, to: [.createObject(WireObject(table: "A", key: .int(4)))])
        expectEqual(bench.client.shown.objects, [WireObject(table: "A", key: .int(4))])
        expect(bench.client.events.contains(.afterReset(isRecovered: true)))
    }

    @Test(arguments: [ResetTracker.Mode.discard, .recoverOrDiscard])
    func `a reset without recovery shows the server's objects`(_ mode: ResetTracker.Mode) throws {
        var bench = try offline([.set(ClientBench.path("s"), .scalar(.string("mine")))], mode: mode)
        try reset(&bench, to: server, action: mode == .discard ? "ClientReset" : "ClientResetNoRecovery")
        expectEqual(bench.client.traps, [])
        expect(bench.client.events.contains(.afterReset(isRecovered: false)))
        expectEqual(bench.client.shown.value(at: ClientBench.path("s")), .scalar(.string("new")))
        expect(bench.client.file.isUploaded)
    }

    @Test func `a reset without recovery fails if the app wants a recovery`() throws {
        var bench = try offline([.set(ClientBench.path("s"), .scalar(.string("mine")))], mode: .recover)
        try reset(&bench, to: server, action: "ClientResetNoRecovery")
        expect(bench.client.isStopped)
        expectEqual(bench.client.shown.value(at: ClientBench.path("s")), .scalar(.string("mine")))
    }

    @Test func `a fresh file without the app's classes makes the reset fail, and nothing is lost`() throws {
        var bench = try offline([.set(ClientBench.path("s"), .scalar(.string("mine")))])
        bench.receive(bench.error(208, action: "ClientReset"))
        bench.flush()
        bench.receive(.ident(session: bench.client.sessions[0].number, file: RealmFileIdent(ident: 8, salt: 3)))
        bench.bootstrap(0)
        bench.answerMark()
        bench.bootstrap(1)
        bench.answerMark()
        bench.flush()
        expect(bench.client.events.contains { if case .resetFailed = $0 { true } else { false } })
        expectEqual(bench.client.shown.value(at: ClientBench.path("s")), .scalar(.string("mine")))
    }

    @Test func `a restart in the middle of a reset continues with its fresh file`() throws {
        var bench = try offline([.set(ClientBench.path("s"), .scalar(.string("mine")))])
        bench.receive(bench.error(208, action: "ClientReset"))
        bench.flush()
        bench.receive(.ident(session: bench.client.sessions[0].number, file: RealmFileIdent(ident: 8, salt: 3)))
        try bench.client.restart(time: 40)
        bench.client.connect()
        bench.sent = []
        bench.flush()
        expectEqual(bench.client.sessions.map(\.role), [.fresh])
        guard case .ident(let ident) = bench.takeSent().first(where: { $0.name == "ident" }) else {
            return expect(false)
        }
        expectEqual(ident.file.ident, 8)
        bench.bootstrap(0, ClientBench.schema)
        bench.answerMark()
        bench.bootstrap(1, server)
        bench.answerMark()
        expect(bench.client.events.contains(.afterReset(isRecovered: true)))
        expectEqual(bench.client.shown.value(at: ClientBench.path("s")), .scalar(.string("mine")))
    }
}
