import Testing

@testable import FreeholdRealmWire
@testable import TestRealmClient

/// Differences inside of an embedded object at a key of a dictionary, which the client may have replaced meanwhile.
@Suite("Realm client: replaced entries")
struct EntryReplacementTests {
    private let object = WireObject(table: "A", key: .int(1))

    private func state(_ fields: WireFields) throws -> WireState {
        var state = WireState(schema: try Golden.schema())
        state[object] = ["de": .dictionary(["k": .object(fields)])]
        return state
    }

    @Test(
        arguments: [
            (["x": .scalar(.int(1))], ["x": .scalar(.int(2))]),
            (["q": .list(WireList(values: [.scalar(.int(1)), .scalar(.int(2))]))], ["q": .list(WireList(values: []))]),
            (
                ["q": .list(WireList(values: [.scalar(.int(1))]))],
                ["q": .list(WireList(values: [.scalar(.int(1)), .scalar(.int(5))]))]
            ),
            (["g": .object(["z": .scalar(.int(1))])], ["g": .object(["z": .scalar(.int(2))])]),
            (["g": .object([:])], ["x": .scalar(.int(4))]),
        ] as [(WireFields, WireFields)]
    )
    func `a client that has replaced the object unsent can apply a difference`(_ old: WireFields, _ new: WireFields)
        throws
    {
        let (before, after) = (try state(old), try state(new))
        let difference = before.difference(to: after)
        var writer = LocalWriter(state: before, version: 2)
        let path = WirePath(object: object, field: "de", elements: [.name("k")])
        try writer.make(.set(path, .object(["x": .scalar(.int(9))])))
        let own = MergeEntry(order: ChangeOrder(timestamp: 100, ident: 2), changeset: Changeset(writer.instructions))
        let incoming = MergeEntry(order: ChangeOrder(timestamp: 1, ident: 1), changeset: difference)
        var shown = writer.state
        try shown.apply(ClientMerge.transformed(own: own, incoming: incoming).incoming)
        expectEqual(shown.value(at: path.inside("x")), .scalar(.int(9)))
        var plain = before
        try plain.apply(difference)
        expect(plain.hasSameObjects(as: after))
    }

    @Test func `a mark is checked with the query set that it follows`() throws {
        var bench = try ClientBench()
        var validator = SessionValidator(version: 14)
        bench.begin()
        for message in bench.log { try validator.take(message) }
        bench.log = []
        bench.client.subscribe(to: [("A", "n == 1")])
        bench.flush()
        bench.client.subscribe(to: [("A", "n == 2")])
        bench.flush()
        let first = bench.client.sessions[0].sentMark - 1
        bench.bootstrap(2)
        bench.receive(.mark(session: 1, number: first))
        for message in bench.log { try validator.take(message) }
        expectEqual(bench.client.traps, [])
        #expect(throws: OutgoingError.self) { try validator.send(.mark(session: 1, number: first + 1)) }
    }
}

extension WirePath {
    fileprivate func inside(_ name: WireText) -> WirePath {
        WirePath(object: object, field: field, elements: elements + [.name(name)])
    }
}

extension SessionValidator {
    fileprivate mutating func take(_ message: ClientBench.Message) throws {
        switch message {
        case .sent(let message): try receive(message)
        case .received(let message): try send(message)
        }
    }
}
