import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Sessions of a stream that is always busy with commits.
struct BusyStreamTests {
    private func create(_ key: Int) -> Change {
        .create(ObjectName("A", .int(Int64(key))), [NewField("x", .value(.int(Int64(key))))])
    }

    /// Answers the first request that fulfils a condition.
    ///
    /// - Returns: false if there is none.
    @discardableResult
    private func answer(_ bench: inout ServerBench, _ isWanted: (ServerStoreRequest.Kind) -> Bool) -> Bool {
        guard let index = bench.requests.firstIndex(where: { isWanted($0.request.kind) }) else { return false }
        bench.requests.insert(bench.requests.remove(at: index), at: 0)
        bench.answerRequest()
        return true
    }

    private func isObjects(_ kind: ServerStoreRequest.Kind) -> Bool {
        switch kind {
        case .keys, .page: true
        default: false
        }
    }

    /// Lets everything happen that waits.
    private func finish(_ bench: inout ServerBench) {
        bench.holdsRequests = false
        while !bench.requests.isEmpty { bench.answerRequest() }
    }

    @Test func `objects that a client asks for arrive although each read is overtaken by a commit`() {
        var bench = ServerBench { $0.chunkObjects = 2 }
        let (ann, ben) = (bench.add(user: "ann"), bench.add(user: "ben"))
        bench.commit(ben, (0..<10).map(create))
        let names = (0..<10).map { ObjectName("A", .int($0)) }
        bench.clients[ann].wanted = Set(names)
        bench.holdsRequests = true
        bench.say(ann, .fetch(1, names))
        var rounds = 0
        while !bench.clients[ann].wanted.isEmpty, rounds < 40 {
            rounds += 1
            bench.commit(
                ben,
                [.set(Place(names[rounds % 10], "x"), .int(Int64(rounds)), .real)],
                [names[rounds % 10]: 1]
            )
            while answer(&bench, { !isObjects($0) }) {}
            answer(&bench, isObjects)
            bench.machine.sessions.checkInvariants()
        }
        // Each page is read twice at most.
        expect(rounds <= 12, "\(rounds) rounds")
        finish(&bench)
        expectEqual(bench.machine.sessions.values.map(\.fetches.names), [0, 0])
        for index in [ann, ben] {
            expect(bench.clients[index].mistakes.isEmpty, "\(bench.clients[index].mistakes)")
            expectEqual(bench.clients[index].shown, bench.expected(index))
        }
    }

    @Test func `a client that commits all the time gets what others have committed`() {
        var bench = ServerBench()
        let ben = bench.add(user: "ben")
        bench.commit(ben, (0..<10).map(create))
        bench.holdsRequests = true
        let ann = bench.add(user: "ann")
        while answer(&bench, { !isObjects($0) }) {}
        bench.commit(ann, [create(100)])
        bench.commit(ben, [create(10)])
        while answer(&bench, { !isObjects($0) }) {}
        answer(&bench, isObjects)
        let start = bench.clients[ann].cursor?.version ?? .max
        for round in 0..<40 {
            bench.commit(ann, [create(101 + round)])
            if !bench.requests.isEmpty { bench.answerRequest() }
        }
        let reached = bench.clients[ann].cursor?.version ?? 0
        expect(reached > start + 4, "\(start), then \(reached)")
        expect(bench.clients[ann].objects[ObjectName("A", 10)] != nil)
        finish(&bench)
        for index in [ann, ben] {
            expect(bench.clients[index].mistakes.isEmpty, "\(bench.clients[index].mistakes)")
            expect(bench.clients[index].pending.isEmpty)
            expectEqual(bench.clients[index].shown, bench.expected(index))
        }
    }
}
