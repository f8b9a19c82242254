import Testing

@testable import FreeholdRealmWire
@testable import FreeholdSyncCore
@testable import TestRealmClient

/// The demands of the official client, one by one: N1 to N16 of the design.
@Suite("Realm worlds: demands of the client")
struct ClientDemandTests {
    private let object = WireObject(table: "A", key: .int(1))
    private let other = WireObject(table: "A", key: .int(2))

    private func path(_ field: WireText, _ elements: [PathElement] = []) -> WirePath {
        WirePath(object: object, field: field, elements: elements)
    }

    /// Expects that all clients show the same objects, and that none received a message that it must not receive.
    private func expectEqualClients(_ clients: FrontClients) {
        expectEqual(clients.traps, [])
        for client in clients.clients.dropFirst() {
            let difference = clients.clients[0].shown.difference(to: client.shown)
            expect(difference.isEmpty, "\(difference.instructions)")
        }
    }

    @Test func `N1 and N2: acknowledgements repeat the last version, and only entries have a new one`() throws {
        var clients = try FrontClients(2)
        try clients.commit(0, [.create(object), .set(path("n"), .scalar(.int(3)))])
        try clients.run()
        for index in 0...1 {
            var last: UInt64 = 0
            for download in clients.downloads(index) {
                if download.entries.isEmpty, download.batch == .steady { expectEqual(download.download.server, last) }
                if !download.entries.isEmpty { expect(download.download.server > last) }
                last = download.download.server
            }
            expect(clients.sent[index].count { $0.name == "upload" } < 10)
        }
        expectEqualClients(clients)
    }

    @Test func `N3: downloads at one version of the stream have different versions`() throws {
        var clients = try FrontClients(2)
        try clients.commit(0, [.create(object)])
        try clients.run()
        clients.clients[1].subscribe(to: [("A", "n == 0"), ("B", "TRUEPREDICATE")])
        try clients.run()
        clients.clients[1].subscribe(to: [("A", "TRUEPREDICATE"), ("B", "TRUEPREDICATE")])
        try clients.run()
        let versions = clients.downloads(1).filter { $0.batch != .more && !$0.entries.isEmpty }.map(\.download.server)
        expectEqual(Set(versions).count, versions.count)
        expectEqualClients(clients)
    }

    @Test func `N4: own changes after a reconnection may have an older base than the ident`() throws {
        var clients = try FrontClients(2)
        try clients.commit(
            0,
            [.create(object)] + (0..<3).map { .insert(path("li", [.index($0)]), .scalar(.int(Int64($0)))) }
        )
        try clients.run()
        // The second client erases the last element, and its upload is lost. It then receives an insertion before it.
        try clients.commit(1, [.remove(path("li", [.index(2)]))])
        try clients.commit(0, [.insert(path("li", [.index(0)]), .scalar(.int(9)))])
        try clients.send(0)
        clients.take(0)
        clients.take(1)
        clients.disconnect(1)
        try clients.connect(1)
        try clients.run()
        expectEqualClients(clients)
        let list = WireValue.list(WireList(values: [9, 0, 1].map { .scalar(.int($0)) }))
        expectEqual(clients.clients[0].shown.value(at: path("li")), list)
    }

    @Test(arguments: [false, true])
    func `N5: entries in flight are sent again with their bytes, versions and client versions`(_ isRestarted: Bool)
        throws
    {
        var clients = try FrontClients(2)
        try clients.commit(0, [.create(object)])
        try clients.run()
        clients.remaining[1] = 0
        try clients.commit(0, [.set(path("n"), .scalar(.int(5))), .insert(path("li", [.index(0)]), .scalar(.int(7)))])
        try clients.send(0)
        clients.take(0)
        let connection = clients.bench.connections.count - 1
        let lost = clients.bench.connections[connection].sent
        expectEqual(lost.count { if case .download(let download) = $0 { !download.entries.isEmpty } else { false } }, 1)
        if isRestarted { clients.restartServer() } else { clients.disconnect(1) }
        clients.remaining[1] = nil
        clients.forget()
        for index in 0...1 where isRestarted || index == 1 { try clients.connect(index) }
        try clients.run()
        guard case .download(let first)? = lost.first(where: { $0.session > 0 }),
            let second = clients.downloads(1).first(where: { !$0.entries.isEmpty })
        else { return expect(false, "\(lost)") }
        expectEqual(second.entries, first.entries)
        expectEqual(second.download, first.download)
        expectEqualClients(clients)
    }

    @Test func `N6: the fields of a new object follow its creation`() throws {
        var clients = try FrontClients(1)
        var changes: [LocalChange] = []
        for key in 0..<6 {
            let object = WireObject(table: "A", key: .int(Int64(key)))
            changes.append(.create(object))
        }
        for key in 0..<6 {
            let object = WireObject(table: "A", key: .int(Int64(key)))
            let list = WireValue.list(WireList(values: [.scalar(.int(1)), .dictionary(["k": .scalar(.bool(true))])]))
            changes.append(.set(WirePath(object: object, field: "m"), list))
        }
        try clients.commit(0, changes)
        try clients.run()
        var later = try FrontClients(0)
        later.bench.store = clients.bench.store
        var client = try TestRealmClient(schema: WorldSchema.instructions, compression: SystemZlib(), time: 1)
        client.subscribe(to: [("A", "TRUEPREDICATE")])
        later.append(client)
        try later.connect(0)
        try later.run()
        expectEqual(later.traps, [])
        expectEqual(later.clients[0].shown.tables["A"]?.count, 6)
        let difference = clients.clients[0].shown.difference(to: later.clients[0].shown)
        expect(difference.isEmpty, "\(difference.instructions)")
    }

    @Test func `N7: refused changes may be tried again, and precede their entry`() throws {
        var rules = MergeRules()
        rules.forbids = { _, _, object in object.className == "B" }
        var clients = try FrontClients(1, rules: rules)
        let refused = WireObject(table: "B", key: .string("x"))
        try clients.commit(
            0,
            [.create(object), .create(refused), .set(WirePath(object: refused, field: "n"), .scalar(.int(1)))]
        )
        try clients.run()
        expectEqual(clients.traps, [])
        guard case .error(let error)? = clients.received[0].first(where: { $0.name == "json_error" }) else {
            return expect(false)
        }
        expectEqual(error.code, 231)
        expect(error.tryAgain)
        expectEqual(error.action, "Warning")
        expectEqual(error.compensation?.updates.map(\.object), [refused])
        expect(clients.clients[0].events.contains { if case .refused(231, _, [refused]) = $0 { true } else { false } })
        expectEqual(clients.clients[0].shown.objects, [object])
        expect(clients.clients[0].file.isUploaded)
    }

    @Test func `N8: nothing follows the error of a session`() throws {
        var clients = try FrontClients(1)
        clients.clients[0].sessions[0].ownError = 212
        try clients.commit(0, [.create(object)])
        clients.clients[0].waitForDownloads()
        try clients.send(0)
        // A mark that crosses the error.
        try clients.bench.send(.mark(session: 1, number: 90), clients.bench.connections.count - 1)
        try clients.run()
        expectEqual(clients.traps, [])
        expectEqual(clients.received[0].last?.name, "json_error")
    }

    @Test func `N11: the first bootstrap follows the ident directly`() throws {
        let clients = try FrontClients(1)
        let names = clients.received[0].map(\.name)
        expectEqual(names.prefix(3), ["ident", "download", "mark"])
        let first = clients.downloads(0)[0]
        expectEqual(first.queryVersion, 0)
        expectEqual(first.batch, .last)
        expectEqual(clients.traps, [])
    }

    @Test func `N12: a changeset that the app's classes don't fit ends the session, and nothing is lost`() throws {
        var schema = WorldSchema.instructions
        for (position, instruction) in schema.enumerated() {
            guard case .addColumn(var column) = instruction, column.table == "A", column.field == "s" else { continue }
            (column.kind, column.isNullable) = (.int, false)
            schema[position] = .addColumn(column)
        }
        var clients = try FrontClients(0)
        var client = try TestRealmClient(schema: schema, compression: SystemZlib(), time: 1)
        client.mayDisagree = true
        client.subscribe(to: [("A", "TRUEPREDICATE")])
        clients.append(client)
        try clients.connect(0)
        try clients.run()
        expect(clients.sent[0].contains { $0.name == "json_error" })
        guard case .error(let error)? = clients.received[0].last else { return expect(false) }
        expectEqual(error.code, 225)
        expectEqual(error.action, "ApplicationBug")
        expect(clients.clients[0].isStopped)
    }

    @Test func `N14: objects enter and leave a view by plain differences`() throws {
        var clients = try FrontClients(2)
        clients.clients[1].subscribe(to: [("A", "n == 1"), ("B", "TRUEPREDICATE")])
        try clients.run()
        try clients.commit(
            0,
            [.create(object), .set(path("n"), .scalar(.int(1))), .set(path("s"), .scalar(.string("x")))]
        )
        try clients.run()
        expectEqual(clients.clients[1].shown.objects, [object])
        clients.forget()
        try clients.commit(0, [.set(path("n"), .scalar(.int(2)))])
        try clients.run()
        expectEqual(try clients.instructions(1), [[.eraseObject(object)]])
        try clients.commit(0, [.set(path("n"), .scalar(.int(1)))])
        try clients.run()
        expect(clients.downloads(1).allSatisfy { $0.batch == .steady })
        expectEqual(clients.clients[1].shown.value(at: path("s")), .scalar(.string("x")))
        expectEqual(clients.traps, [])
    }

    @Test func `N15: fields and classes of another app arrive, and are kept`() throws {
        var clients = try FrontClients(1)
        let added: [Instruction] = [
            .addColumn(ColumnSpec(table: "A", field: "later", kind: .int, isNullable: false)),
            .addTable(
                TableSpec(
                    name: "New",
                    kind: .topLevel,
                    primaryKey: TableSpec.PrimaryKey(field: "_id", kind: .int, isNullable: false)
                )
            ),
            .addColumn(ColumnSpec(table: "New", field: "x", kind: .string, isNullable: true)),
        ]
        var client = try TestRealmClient(
            schema: WorldSchema.instructions + added,
            compression: SystemZlib(),
            time: 1
        )
        client.subscribe(to: [("A", "TRUEPREDICATE"), ("New", "TRUEPREDICATE")])
        clients.bench.schema.adopt(added)
        clients.append(client)
        try clients.connect(1)
        try clients.run()
        try clients.commit(1, [.create(object), .set(path("later"), .scalar(.int(4)))])
        try clients.run()
        expectEqual(clients.traps, [])
        expectEqual(clients.clients[0].shown.value(at: path("later")), .scalar(.int(4)))
    }

    @Test func `N16: a query that can't be evaluated fails, and the next set is served`() throws {
        var clients = try FrontClients(1)
        clients.clients[0].subscribe(to: [("A", "missing == 5")])
        try clients.run()
        expectEqual(clients.clients[0].file.sets.last?.state, .failed)
        clients.clients[0].subscribe(to: [("A", "n == 0")])
        try clients.run()
        expectEqual(clients.clients[0].file.activeSet?.state, .complete)
        expectEqual(clients.traps, [])
    }

    @Test(arguments: [ResetTracker.Mode.recoverOrDiscard, .discard])
    func `N16: a client whose file isn't known resets on a second session of its connection`(
        _ mode: ResetTracker.Mode
    ) throws {
        var clients = try FrontClients(2, resetMode: mode)
        try clients.commit(0, [.create(object), .insert(path("li", [.index(0)]), .scalar(.int(1)))])
        try clients.run()
        clients.disconnect(1)
        try clients.commit(
            1,
            [.set(path("s"), .scalar(.string("mine"))), .insert(path("li", [.index(1)]), .scalar(.int(2)))]
        )
        clients.clients[1].file.ident?.salt ^= 1
        try clients.connect(1)
        try clients.run()
        expectEqualClients(clients)
        expect(clients.clients[1].events.contains(.afterReset(isRecovered: mode != .discard)))
        expectEqual(
            clients.clients[0].shown.value(at: path("s")),
            mode == .discard ? .null : .scalar(.string("mine"))
        )
        expectEqual(clients.clients[1].file.reset, nil)
    }

    @Test(arguments: [8, 10, 11, 12, 13])
    func `clients of earlier versions receive the same objects`(_ version: Int) throws {
        var clients = try FrontClients(2, version: version)
        var changes: [LocalChange] = [.create(object), .set(path("e"), .object(["x": .scalar(.int(2))]))]
        for number in 0..<5 {
            changes.append(.insert(path("li", [.index(UInt32(number))]), .scalar(.int(Int64(number)))))
        }
        try clients.commit(0, changes)
        try clients.run()
        try clients.commit(1, [.remove(path("li", [.index(2)])), .set(path("e", [.name("x")]), .scalar(.int(3)))])
        try clients.run()
        expectEqualClients(clients)
    }

    /// The connection is lost at each message of a bootstrap, of an upload and of a download.
    @Test(arguments: 0..<14)
    func `a connection that ends at any message continues`(_ count: Int) throws {
        var clients = try FrontClients(1)
        try clients.commit(
            0,
            [.create(object), .set(path("n"), .scalar(.int(3))), .insert(path("li", [.index(0)]), .scalar(.int(1)))]
        )
        try clients.run()
        var client = try TestRealmClient(schema: WorldSchema.instructions, compression: SystemZlib(), time: 1)
        client.subscribe(to: [("A", "TRUEPREDICATE")])
        clients.append(client)
        clients.remaining[1] = count
        try clients.connect(1)
        try clients.run()
        try clients.connect(1)
        clients.remaining[1] = nil
        try clients.run()
        if clients.clients[1].shown[object] != nil {
            try clients.commit(1, [.insert(path("li", [.index(1)]), .scalar(.int(2)))])
        }
        try clients.commit(0, [.insert(path("li", [.index(0)]), .scalar(.int(0)))])
        try clients.run()
        expectEqualClients(clients)
    }
}
