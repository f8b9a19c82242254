import Testing

@testable import FreeholdRealmWire
@testable import TestRealmClient

/// Two clients with copies of one file. The server resets one of them, and no write of either is lost.
@Suite("Realm worlds: copied files")
struct CopiedFileTests {
    private let object = WireObject(table: "A", key: .int(1))

    private func path(_ field: WireText, _ elements: [PathElement] = []) -> WirePath {
        WirePath(object: object, field: field, elements: elements)
    }

    /// Returns two clients with an object. A third one is a copy of the second one, and has no connection.
    private func clients() throws -> (FrontClients, copy: Int) {
        var clients = try FrontClients(2)
        try clients.commit(0, [.create(object), .insert(path("li", [.index(0)]), .scalar(.int(0)))])
        try clients.run()
        let copy = try clients.copy(1)
        return (clients, copy)
    }

    /// Expects that all clients show the same numbers in a list, and the resets of some.
    private func expectEnd(_ clients: FrontClients, list: Set<Int64>, resets: [Int]) {
        expectEqual(clients.traps, [])
        for (index, client) in clients.clients.enumerated() {
            let difference = clients.clients[0].shown.difference(to: client.shown)
            expect(difference.isEmpty, "client \(index): \(difference.instructions)")
            let count = client.events.count { if case .afterReset = $0 { true } else { false } }
            expectEqual(count, resets.filter { $0 == index }.count, "client \(index)")
            expect(client.isIdle, "client \(index): \(client.sessions)")
        }
        guard case .list(let shown)? = clients.clients[0].shown.value(at: path("li")) else { return expect(false) }
        expectEqual(Set(shown.values), Set(list.map { .scalar(.int($0)) }))
        expectEqual(shown.elements.count, list.count)
    }

    @Test func `a copy whose progress is less than that of its file is reset`() throws {
        var (clients, copy) = try clients()
        try clients.commit(1, [.insert(path("li", [.index(0)]), .scalar(.int(1)))])
        try clients.run()
        try clients.commit(0, [.insert(path("li", [.index(0)]), .scalar(.int(2)))])
        try clients.run()
        // The server knows that the original has received the last change.
        try clients.commit(1, [.insert(path("li", [.index(0)]), .scalar(.int(3)))])
        try clients.run()
        clients.disconnect(1)
        try clients.commit(copy, [.insert(path("li", [.index(0)]), .scalar(.int(4)))])
        try clients.connect(copy)
        try clients.run()
        try clients.connect(1)
        try clients.run()
        expectEnd(clients, list: [0, 1, 2, 3, 4], resets: [copy])
    }

    @Test(arguments: [false, true])
    func `a copy with other changes of the same versions is reset`(_ isRestarted: Bool) throws {
        var (clients, copy) = try clients()
        try clients.commit(1, [.insert(path("li", [.index(0)]), .scalar(.int(1)))])
        try clients.run()
        clients.disconnect(1)
        if isRestarted {
            clients.restartServer()
            try clients.connect(0)
        }
        try clients.commit(copy, [.insert(path("li", [.index(1)]), .scalar(.int(2)))])
        try clients.connect(copy)
        try clients.run()
        try clients.connect(1)
        try clients.run()
        expectEnd(clients, list: [0, 1, 2], resets: [copy])
    }

    @Test func `an original is reset if its copy was the first to upload changes of the same versions`() throws {
        var (clients, copy) = try clients()
        clients.disconnect(1)
        try clients.commit(1, [.insert(path("li", [.index(0)]), .scalar(.int(1)))])
        try clients.commit(copy, [.insert(path("li", [.index(1)]), .scalar(.int(2)))])
        try clients.connect(copy)
        try clients.run()
        clients.disconnect(copy)
        try clients.connect(1)
        try clients.run()
        try clients.connect(copy)
        try clients.run()
        expectEnd(clients, list: [0, 1, 2], resets: [1])
    }

    @Test func `a copy that lacks the changes of its file is noticed by its pings`() throws {
        var (clients, copy) = try clients()
        try clients.commit(1, [.insert(path("li", [.index(0)]), .scalar(.int(1)))])
        try clients.send(1)
        clients.bench.settle()
        clients.disconnect(1)
        try clients.connect(copy)
        try clients.run()
        for _ in 0..<3 {
            try clients.ping(copy)
            try clients.run()
        }
        expect(clients.clients[copy].events.contains(.afterReset(isRecovered: true)))
        try clients.connect(1)
        try clients.run()
        expectEnd(clients, list: [0, 1], resets: [copy])
    }

    @Test func `two copies with connections at the same time don't end each other's sessions without end`() throws {
        var (clients, copy) = try clients()
        try clients.connect(copy)
        try clients.run()
        try clients.commit(copy, [.insert(path("li", [.index(0)]), .scalar(.int(1)))])
        try clients.commit(1, [.insert(path("li", [.index(0)]), .scalar(.int(2)))])
        try clients.run()
        expectEnd(clients, list: [0, 1, 2], resets: [1])
    }

    @Test(arguments: [1, 5, 100])
    func `a client that sends its changes again isn't a copy`(_ count: Int) throws {
        var (clients, _) = try clients()
        clients.clients.removeLast()
        for number in 1...count {
            try clients.commit(1, [.insert(path("li", [.index(0)]), .scalar(.int(Int64(number))))])
        }
        for attempt in 0..<3 {
            try clients.send(1)
            clients.bench.settle()
            clients.disconnect(1)
            if attempt == 1 { clients.restartServer() }
            for index in 0...1 { try clients.connect(index) }
            // The answers of the marks arrive, so that the changes are sent again.
            for _ in 0..<4 {
                clients.take(1, most: 1)
                try clients.send(1)
                try clients.ping(1)
            }
            clients.disconnect(1)
            try clients.connect(1)
        }
        try clients.run()
        expectEnd(clients, list: Set((0...Int64(count))), resets: [])
    }
}
