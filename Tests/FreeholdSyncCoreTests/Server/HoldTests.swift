import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Classes of which the server accepts no objects for a while, because their sink is too slow.
struct HoldTests {
    private static let query = [ClassQuery(className: "Thing", condition: "all")]
    private let thing = ObjectName("Thing", 1)

    private func bench() -> ServerBench {
        ServerBench { configuration in
            var rules = MergeRules()
            rules.createOnly = ["Event"]
            configuration.apps["app"]?.merge = StreamMerge(rules)
        }
    }

    private func event(_ key: Int64) -> Change {
        .create(ObjectName("Event", .int(key)), [NewField("mail", .value(.int(key)))])
    }

    private func create(_ name: ObjectName) -> Change { .create(name, [NewField("mail", .value(1))]) }

    private func keys(_ bench: ServerBench) -> [ObjectName] {
        bench.store.ingested(of: ServerBench.stream).keys.sorted()
    }

    @Test func `uploads of a held class wait, those of others and downloads go on`() {
        var bench = bench()
        let (ann, ben) = (bench.add(Self.query), bench.add(Self.query, user: "ben"))
        bench.commit(ann, [event(1)])
        bench.run(.hold(["app": ["Event"]]))
        bench.commit(ann, [event(2)])
        // Later work of the device waits behind it.
        bench.commit(ann, [create(ObjectName("Thing", 7))])
        bench.commit(ben, [create(thing)])
        expectEqual(keys(bench), [ObjectName("Event", 1)])
        expect(bench.clients[ann].objects[thing] != nil)
        expectEqual(bench.clients[ann].pending.count, 2)
        expect(bench.clients[ben].pending.isEmpty)
        // Another app's class of the same name is not held, and other classes aren't.
        bench.run(.hold(["other": ["Event"], "app": ["Else"]]))
        expectEqual(keys(bench).count, 2)
        expect(bench.clients[ann].pending.isEmpty)
        expectEqual(bench.clients[ben].objects.count, 2)
        expect(bench.clients.allSatisfy { $0.mistakes.isEmpty })
    }

    @Test func `a device that reconnects while it is held loses nothing and doubles nothing`() {
        var bench = bench()
        let ann = bench.add(Self.query)
        bench.run(.hold(["app": ["Event"]]))
        for key in 1...5 as ClosedRange<Int64> { bench.commit(ann, [event(key)]) }
        bench.connect(ann)
        bench.commit(ann, [event(6)])
        expect(keys(bench).isEmpty)
        bench.run(.hold([:]))
        expectEqual(keys(bench), (1...6).map { ObjectName("Event", .int($0)) })
        expect(bench.clients[ann].pending.isEmpty)
        expect(bench.clients[ann].mistakes.isEmpty)
    }

    @Test func `a program that submits such objects gets a transient error`() {
        var bench = bench()
        bench.run(.hold(["app": ["Event"]]))
        bench.run(.submit(1, Submission(stream: ServerBench.stream, user: "ann", changes: [event(1)])))
        bench.run(.submit(2, Submission(stream: ServerBench.stream, user: "ann", changes: [create(thing)])))
        guard case .failed(.transient, _)? = bench.submitted[1], case .done? = bench.submitted[2] else {
            Issue.record("\(bench.submitted)")
            return
        }
        expect(keys(bench).isEmpty)
    }
}
