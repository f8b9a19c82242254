import Testing

@testable import FreeholdRealmWire
@testable import TestRealmClient

/// Bootstraps whose connection ends in the middle. The official client keeps the parts that it has received, and appends those of the
/// next bootstrap of the query set to them.
@Suite("Realm worlds: interrupted bootstraps")
struct InterruptedBootstrapTests {
    private let object = WireObject(table: "A", key: .int(1))
    private let other = WireObject(table: "A", key: .int(2))

    private func path(_ object: WireObject, _ field: WireText, _ elements: [PathElement] = []) -> WirePath {
        WirePath(object: object, field: field, elements: elements)
    }

    /// Returns a client that has everything, and one that has lost its connection after the first part of a bootstrap.
    private func clients(version: Int) throws -> FrontClients {
        var clients = try FrontClients(1, version: version)
        var changes: [LocalChange] = []
        for object in [object, other] {
            changes += [
                .create(object), .set(path(object, "n"), .scalar(.int(1))),
                .insert(path(object, "li", [.index(0)]), .scalar(.int(7))),
                .insert(path(object, "le", [.index(0)]), .object(["x": .scalar(.int(1))])),
                .set(path(object, "di", [.name("p")]), .scalar(.int(1))),
                .insertIntoSet(path(object, "si"), .int(4)),
                .set(path(object, "m"), .list(WireList(values: [.scalar(.int(1))]))),
            ]
            if version < 13 { changes.removeLast() }
        }
        try clients.commit(0, changes)
        try clients.run()
        var client = try TestRealmClient(
            schema: WorldSchema.instructions,
            version: version,
            compression: SystemZlib(),
            time: 1
        )
        client.subscribe(to: [("A", "n == 1")])
        clients.append(client)
        try clients.connect(1)
        try clients.interruptBootstrap(1)
        expectEqual(clients.clients[1].file.bootstrap?.last == nil, true)
        return clients
    }

    /// Expects that the second client shows the objects of the first one whose field `n` is 1.
    private func expectView(_ clients: FrontClients, of version: Int) {
        expectEqual(clients.clients.flatMap(\.traps), [], "version \(version)")
        let all = clients.clients[0].shown
        let wanted = [object, other].filter { all.value(at: path($0, "n")) == .scalar(.int(1)) }
        let shown = clients.clients[1].shown
        expectEqual(shown.objects.sorted { $0.text < $1.text }, wanted, "version \(version)")
        let difference = shown.difference(to: all, of: wanted)
        expect(difference.isEmpty, "version \(version): \(difference.instructions)")
        expect(clients.clients[1].isIdle, "version \(version)")
    }

    @Test(arguments: [8, 11, 13, 14])
    func `a repeated bootstrap writes objects as a whole`(_ version: Int) throws {
        var clients = try clients(version: version)
        try clients.connect(1)
        try clients.run()
        expectView(clients, of: version)
        expectEqual(clients.received[1].contains { $0.name == "json_error" }, false)
    }

    @Test(arguments: [8, 13, 14])
    func `a repeated bootstrap contains the newest lists`(_ version: Int) throws {
        var clients = try clients(version: version)
        try clients.commit(
            0,
            [
                .insert(path(object, "li", [.index(0)]), .scalar(.int(6))),
                .set(path(object, "di", [.name("q")]), .scalar(.int(1))),
                .removeEntry(path(object, "di", [.name("p")])),
                .removeFromSet(path(object, "si"), .int(4)), .remove(path(other, "le", [.index(0)])),
            ]
        )
        try clients.run()
        try clients.connect(1)
        try clients.run()
        expectView(clients, of: version)
    }

    @Test func `objects that left the view before a bootstrap is repeated are missing`() throws {
        var clients = try clients(version: 14)
        try clients.commit(0, [.delete(object), .set(path(other, "n"), .scalar(.int(2)))])
        try clients.run()
        try clients.connect(1)
        try clients.run()
        expectView(clients, of: 14)
        expectEqual(clients.clients[1].shown.objects, [])
    }

    @Test(arguments: [1, 2, 3])
    func `a bootstrap may be interrupted several times`(_ count: Int) throws {
        var clients = try clients(version: 14)
        for number in 0..<count {
            try clients.commit(0, [.insert(path(object, "li", [.index(0)]), .scalar(.int(Int64(number))))])
            try clients.run()
            try clients.connect(1)
            clients.remaining[1] = 3 + number
            try clients.run()
            clients.disconnect(1)
        }
        clients.remaining[1] = nil
        try clients.connect(1)
        try clients.run()
        expectView(clients, of: 14)
    }

    @Test func `an object that returns to the view before a bootstrap is repeated is present`() throws {
        var clients = try FrontClients(2)
        clients.clients[1].subscribe(to: [("A", "s == 'x'")])
        try clients.commit(
            0,
            [
                .create(object), .set(path(object, "n"), .scalar(.int(1))),
                .set(path(object, "s"), .scalar(.string("x"))),
            ]
        )
        try clients.run()
        clients.clients[1].subscribe(to: [("A", "n == 2")])
        try clients.interruptBootstrap(1)
        // The first part erases the object, which now belongs to both views.
        try clients.commit(0, [.set(path(object, "n"), .scalar(.int(2)))])
        try clients.run()
        try clients.connect(1)
        try clients.run()
        expectEqual(clients.clients[1].traps, [])
        expectEqual(clients.clients[1].shown.objects, [object])
        let difference = clients.clients[1].shown.difference(to: clients.clients[0].shown)
        expect(difference.isEmpty, "\(difference.instructions)")
    }

    @Test func `a client that was restarted receives a repeated bootstrap`() throws {
        var clients = try clients(version: 14)
        try clients.commit(0, [.set(path(other, "n"), .scalar(.int(2)))])
        try clients.run()
        try clients.clients[1].restart(time: 5)
        try clients.connect(1)
        try clients.run()
        expectView(clients, of: 14)
    }
}
