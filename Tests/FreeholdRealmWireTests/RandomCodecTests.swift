import Testing

@testable import FreeholdRealmWire

/// Random changesets and messages: encoded and decoded they are equal, and damaged ones give an error.
@Suite("Realm wire: random codec")
struct RandomCodecTests {
    @Test func `random changesets are the same after encoding and decoding`() throws {
        var source = RandomInstructions(random: SeededRandom(test: "RandomCodecTests.changesets"))
        for _ in TestBudget.range("RandomCodecTests.changesets", usual: 3_000, soak: 300_000) {
            let changeset = source.changeset(source.random.below(12))
            for layout in [Changeset.Layout.recorded, .stringsFirst] {
                let bytes = try changeset.encoded(layout: layout)
                let decoded = try Changeset(bytes: bytes)
                expectEqual(decoded.instructions, changeset.instructions)
                try expectEqual(decoded.encoded(layout: layout), bytes)
            }
        }
    }

    @Test(arguments: 8...14)
    func `random messages are the same after encoding and decoding`(_ version: Int) throws {
        var source = RandomInstructions(random: SeededRandom(test: "RandomCodecTests.messages"))
        let codec = RealmMessageCodec(version: version, compression: SystemZlib())
        for _ in TestBudget.range("RandomCodecTests.messages", usual: 400, soak: 20_000) {
            var message = try source.clientMessage()
            if case .bind(var bind) = message {
                if version < 11 { bind.schemaVersion = nil }
                if version < 10 { bind.reason = nil }
                message = .bind(bind)
            }
            try expectEqual(codec.clientMessage(codec.encoded(message)), message)
            let answer = try source.serverMessage(version: version)
            try expectEqual(codec.serverMessage(codec.encoded(answer)), answer)
        }
    }

    /// A damaged frame must give an error or a message, and never trap. An accepted message has a form on the wire.
    @Test func `damaged messages give an error or a message`() throws {
        var seeds = SeededRandom(test: "RandomCodecTests.damaged")
        var (accepted, acceptedChangesets, count) = (0, 0, 0)
        let codec = RealmMessageCodec(version: 14, compression: SystemZlib())
        let golden = try Golden.connections.flatMap { try Golden.lines($0 + ".jsonl") }.map {
            Golden.bytes($0["frame"]!.string!)
        }
        for _ in TestBudget.range("RandomCodecTests.damaged, rounds", usual: 24, soak: 2_000) {
            var source = RandomInstructions(random: SeededRandom(seed: seeds.next()))
            var damage = InputDamage(seed: seeds.next())
            var frames = (0..<20).map { _ in source.random.pick(golden) }
            for _ in 0..<20 { frames.append(try codec.encoded(source.clientMessage())) }
            for _ in 0..<20 { frames.append(try codec.encoded(source.serverMessage(version: 14))) }
            let changesets = try (0..<20).map { _ in try source.changeset(source.random.number(1..<12)).encoded() }
            for index in 0..<500 {
                var frame = frames[index % frames.count]
                damage.apply(to: &frame, others: frames)
                count += 1
                if Self.decode(frame, codec) { accepted += 1 }
                // Most damaged messages fail by their sizes, so that changesets are damaged by themselves, too.
                var changeset = changesets[index % changesets.count]
                damage.apply(to: &changeset, others: changesets)
                if Self.decode(changeset: changeset) { acceptedChangesets += 1 }
            }
        }
        print(
            "RandomCodecTests.damaged: \(count) messages, \(accepted) accepted; as many changesets, "
                + "\(acceptedChangesets) accepted"
        )
        expect(accepted > count / 100)
        expect(acceptedChangesets > count / 100)
    }

    /// Decodes a frame in both directions, and the changesets in it.
    private static func decode(_ frame: [UInt8], _ codec: RealmMessageCodec) -> Bool {
        var isAccepted = false
        if let message = try? codec.clientMessage(frame) {
            isAccepted = true
            if case .upload(let upload) = message { for entry in upload.entries { decode(changeset: entry.changeset) } }
            expect((try? codec.encoded(message)) != nil)
        }
        if let message = try? codec.serverMessage(frame) {
            isAccepted = true
            if case .download(let download) = message {
                for entry in download.entries { decode(changeset: entry.changeset) }
            }
            expect((try? codec.encoded(message)) != nil)
        }
        return isAccepted
    }

    /// Decodes a changeset, and uses it as both sides of a merge and on an empty state.
    @discardableResult
    private static func decode(changeset bytes: [UInt8]) -> Bool {
        guard let changeset = try? Changeset(bytes: bytes) else { return false }
        expect((try? Changeset(bytes: changeset.encoded()).instructions) == changeset.instructions)
        var state = WireState()
        try? state.apply(changeset)
        var (own, incoming) = (
            [MergeEntry(order: ChangeOrder(timestamp: 1, ident: 1), changeset: changeset)],
            [MergeEntry(order: ChangeOrder(timestamp: 1, ident: 2), changeset: changeset)]
        )
        try? ClientMerge.transform(own: &own, incoming: &incoming)
        return true
    }

    /// Random changesets that have little in common with a schema must be refused without a trap.
    @Test func `changesets that don't fit the schema are refused without a change`() throws {
        var source = RandomInstructions(random: SeededRandom(test: "RandomCodecTests.schema"))
        let schema = try Golden.schema()
        for _ in TestBudget.range("RandomCodecTests.schema", usual: 1_000, soak: 50_000) {
            var state = WireState(schema: schema)
            try state.apply(Changeset([.createObject(WireObject(table: "B", key: .string("a")))]))
            let before = state
            let changeset = source.changeset(5)
            if (try? state.apply(changeset)) == nil { expect(state.hasSameObjects(as: before)) }
            try? ChangesetValidator(version: 14).check(changeset, schema: schema)
        }
    }

    @Test func `decoding allocates memory in proportion to the input`() throws {
        guard DecodingCost.isMeasured else { return }
        let codec = RealmMessageCodec(version: 14)
        let costly = try DecodingFuzz.costlyInput(
            "RandomCodecTests.cost",
            usual: 1_500,
            soak: 200_000,
            corpus: { seed in
                var source = RandomInstructions(random: SeededRandom(seed: seed))
                return try (0..<20).map { _ in try source.changeset(20).encoded() }
                    + (0..<20).map { _ in try codec.encoded(source.serverMessage(version: 14)) }
            },
            decode: { bytes in
                _ = try? Changeset(bytes: bytes)
                _ = try? codec.serverMessage(bytes)
                _ = try? codec.clientMessage(bytes)
            }
        )
        expect(costly == nil, "\(costly.map(\.description) ?? "")")
    }

    @Test func `sub-protocols select the greatest version`() {
        let offered = "com.mongodb.realm-query-sync#14, com.mongodb.realm-query-sync#13, com.mongodb.realm-query-sync#2"
        expectEqual(RealmMessageCodec.version(offered: offered)?.version, 14)
        expectEqual(
            RealmMessageCodec.version(offered: "com.mongodb.realm-query-sync#15,com.mongodb.realm-query-sync#9 ")?
                .version,
            9
        )
        expectEqual(
            RealmMessageCodec.version(offered: "com.mongodb.realm-query-sync#9")?.name,
            "com.mongodb.realm-query-sync#9"
        )
        expect(RealmMessageCodec.version(offered: "com.mongodb.realm-sync#14") == nil)
        expect(RealmMessageCodec.version(offered: "") == nil)
    }

    @Test func `a compressed body that expands to more than it says is refused`() throws {
        let codec = RealmMessageCodec(version: 14, compression: SystemZlib())
        let body = SystemZlib().compressed([UInt8](repeating: 7, count: 100_000))!
        func frame(_ size: Int) -> [UInt8] { Array("upload 1 1 \(size) \(body.count) 0 0 0\n".utf8) + body }
        let error = #expect(throws: WireError.self) { try codec.clientMessage(frame(99_999)) }
        expectEqual(error?.code, .invalidCompression)
        let larger = #expect(throws: WireError.self) { try codec.clientMessage(frame(1 << 40)) }
        expectEqual(larger?.code, .tooLarge)
    }
}
