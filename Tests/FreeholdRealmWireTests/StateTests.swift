import Testing

@testable import FreeholdRealmWire

private let object = WireObject(table: "A", key: .int(1))

private func path(_ field: WireText, _ elements: PathElement...) -> WirePath {
    WirePath(object: object, field: field, elements: elements)
}

@Suite("Realm wire: states and differences")
struct StateTests {
    private static func state() throws -> WireState {
        var state = WireState(schema: try Golden.schema())
        try state.apply(Changeset([.createObject(object)]))
        return state
    }

    @Test func `a difference keeps elements by their identity`() throws {
        var first = try Self.state()
        let inserts = (0..<4).map { index in
            Instruction.arrayInsert(
                at: path("li", .index(UInt32(index))),
                value: .int(7),
                priorSize: UInt32(index)
            )
        }
        try first.apply(Changeset(inserts), as: 1)
        var second = first
        try second.apply(
            Changeset([
                .arrayErase(at: path("li", .index(1)), priorSize: 4),
                .arrayInsert(at: path("li", .index(0)), value: .int(8), priorSize: 3),
                .update(at: path("li", .index(3)), value: .int(9), mark: .element(priorSize: 4)),
            ]),
            as: 2
        )
        expectEqual(
            first.difference(to: second).instructions,
            [
                .arrayErase(at: path("li", .index(1)), priorSize: 4),
                .arrayInsert(at: path("li", .index(0)), value: .int(8), priorSize: 3),
                .update(at: path("li", .index(3)), value: .int(9), mark: .element(priorSize: 4)),
            ]
        )
    }

    @Test func `a changeset that fails leaves the state unchanged`() throws {
        var state = try Self.state()
        try state.apply(Changeset([.setInsert(at: path("si"), value: .int(1))]))
        let before = state
        let error = #expect(throws: ApplyError.self) {
            try state.apply(
                Changeset([
                    .update(at: path("n"), value: .int(5), mark: .field(isDefault: false)),
                    .setInsert(at: path("si"), value: .int(2)),
                    .createObject(WireObject(table: "B", key: .string("new"))),
                    .eraseObject(object),
                    .addInteger(at: path("n"), amount: 1),
                ])
            )
        }
        expectEqual(error?.position, 4)
        expect(state.hasSameObjects(as: before))
        expectEqual(state.objects, before.objects)
    }

    @Test(arguments: refusedInstructions)
    func `an instruction that the client can't apply has the documented effect`(
        _ instruction: Instruction,
        _ effect: MergeError.Effect
    ) throws {
        var state = try Self.state()
        try state.apply(Changeset([.update(at: path("s"), value: .string("a"), mark: .field(isDefault: false))]))
        let error = #expect(throws: ApplyError.self) { try state.apply(Changeset([instruction])) }
        expectEqual(error?.effect, effect, "\(instruction): \(error?.description ?? "")")
    }

    @Test func `an embedded object at a key of a dictionary is replaced, and in a field it stays`() throws {
        var state = try Self.state()
        let update = Instruction.update(at: path("e", .name("x")), value: .int(4), mark: .field(isDefault: false))
        let entry = Instruction.update(
            at: path("de", .name("k"), .name("x")),
            value: .int(4),
            mark: .field(isDefault: false)
        )
        try state.apply(
            Changeset([
                .update(at: path("e"), value: .object, mark: .field(isDefault: false)), update,
                .update(at: path("de", .name("k")), value: .object, mark: .field(isDefault: false)), entry,
                .update(at: path("e"), value: .object, mark: .field(isDefault: false)),
                .update(at: path("de", .name("k")), value: .object, mark: .field(isDefault: false)),
            ])
        )
        expectEqual(state.value(of: "e", in: object), .object(["x": .scalar(.int(4))]))
        expectEqual(state.value(of: "de", in: object), .dictionary(["k": .object([:])]))
    }

    @Test func `numbers of one value are one element of a mixed set`() {
        let set = WireSet([
            .int(1), .double(1), .float(1), .decimal(WireDecimal(low: 10, exponent: -1, isNegative: false)),
            .double(0.5),
        ])
        expectEqual(set.count, 2)
        expect(set.contains(.float(0.5)))
    }
}

private let refusedInstructions: [(Instruction, MergeError.Effect)] = [
    (
        .update(at: path("n"), value: .string("a"), mark: .field(isDefault: false)),
        .stopsSession
    ),
    (.update(at: path("n"), value: .null, mark: .field(isDefault: false)), .stopsSession),
    (.update(at: path("n"), value: .list, mark: .field(isDefault: false)), .terminatesClient),
    (.update(at: path("missing"), value: .null, mark: .field(isDefault: false)), .stopsSession),
    (.update(at: path("_id"), value: .int(2), mark: .field(isDefault: false)), .stopsSession),
    (.update(at: path("li", .index(0)), value: .int(2), mark: .element(priorSize: 1)), .terminatesClient),
    (.update(at: path("di", .name("a.b")), value: .int(2), mark: .field(isDefault: false)), .terminatesClient),
    (.update(at: path("di", .name("a")), value: .string("x"), mark: .field(isDefault: false)), .terminatesClient),
    (.update(at: path("e", .name("x")), value: .int(2), mark: .field(isDefault: false)), .stopsSession),
    (
        .update(at: path("lk"), value: .link(WireObject(table: "A", key: .int(1))), mark: .field(isDefault: false)),
        .stopsSession
    ),
    (.update(at: path("lk"), value: .object, mark: .field(isDefault: false)), .terminatesClient),
    (.arrayInsert(at: path("li", .index(1)), value: .int(2), priorSize: 0), .stopsSession),
    (.arrayInsert(at: path("li", .index(0)), value: .int(2), priorSize: 5), .stopsSession),
    (.arrayInsert(at: path("li", .index(0)), value: .null, priorSize: 0), .stopsSession),
    (.arrayMove(at: path("li", .index(0)), target: 0, priorSize: 0), .stopsSession),
    (.clear(at: path("li"), kind: .set), .stopsSession),
    (.clear(at: path("n"), kind: .list), .terminatesClient),
    (.clear(at: path("m"), kind: .set), .terminatesClient),
    (.setInsert(at: path("li"), value: .int(1)), .terminatesClient),
    (.addInteger(at: path("s"), amount: 1), .stopsSession),
    (.createObject(WireObject(table: "A", key: .string("x"))), .stopsSession),
    (.createObject(WireObject(table: "E", key: .int(1))), .stopsSession),
    (.createObject(WireObject(table: "None", key: .int(1))), .stopsSession),
]
