import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// The bytes that a node keeps for the sessions of a user, and what happens when they are too many.
struct SessionLedgerTests {
    private func bench(_ configure: (inout ServerConfiguration) -> Void = { _ in }) -> ServerBench {
        ServerBench {
            $0.commitSize = { $0.estimatedSize }
            configure(&$0)
        }
    }

    private func create(_ className: SyncString, _ key: Int64, text length: Int) -> Change {
        let text = SyncString(String(repeating: "x", count: length))
        return .create(ObjectName(className, .int(key)), [NewField("t", .value(.string(text)))])
    }

    /// Binds the only session of a new connection.
    ///
    /// - Returns: false if the session isn't bound.
    private func bind(_ bench: inout ServerBench, _ user: SyncString, pending bytes: Int, at number: ConnectionNumber)
        -> Bool
    {
        var bind = Bind(app: "app", schema: SchemaClaim(version: 0, hash: .empty))
        bind.journal.pending = Array(repeating: .empty, count: bytes / 16)
        bench.run(.opened(number))
        bench.run(.received(number, .hello(Hello(deviceTime: 0, token: AccessToken(user))), bytes: 100))
        bench.run(.received(number, .bind(1, bind), bytes: 100))
        return bench.machine.sessions[SessionKey(connection: number, number: 1)] != nil
    }

    @Test func `a query set that is too long is refused`() {
        var bench = bench { $0.queryBytes = 1_000 }
        let ann = bench.add()
        let condition = SyncString("x == 1" + String(repeating: " ", count: 1_000))
        bench.say(ann, .queries(1, Queries(version: 2, queries: [ClassQuery(className: "A", condition: condition)])))
        expectEqual(bench.clients[ann].faults, [.query])
        let ben = bench.add(user: "ben")
        expect(bench.clients[ben].faults.isEmpty)
    }

    @Test func `a user's sessions have one share, and the sessions of another user go on`() {
        var bench = bench { $0.userBytes = 30_000 }
        // One piece may exceed the share, and no other one after it.
        expect(bind(&bench, "ann", pending: 20_000, at: 100))
        expect(bind(&bench, "ann", pending: 40_000, at: 101))
        expect(!bind(&bench, "ann", pending: 10, at: 102))
        let ann = bench.add(user: "ann")
        expectEqual(bench.clients[ann].faults, [.transient(after: 10_000)])
        expect(bind(&bench, "ben", pending: 10, at: 103))
        let ben = bench.add(user: "ben")
        bench.commit(ben, [create("A", 1, text: 10)])
        expect(bench.clients[ben].faults.isEmpty && bench.clients[ben].pending.isEmpty)
        bench.run(.closed(101))
        bench.connect(ann)
        expectEqual(bench.clients[ann].faults.count, 1)
        expectEqual(bench.clients[ann].objects.count, 1)
        bench.machine.sessions.checkInvariants()
    }

    @Test func `uploads over the share end, and downloads wait until there is room`() {
        var bench = bench { $0.userBytes = 40_000 }
        let (first, second, third) = (bench.add(user: "ann"), bench.add(user: "ann"), bench.add(user: "ann"))
        let ben = bench.add(user: "ben")
        bench.run(.hold(["app": ["H"]]))
        bench.commit(first, [create("H", 1, text: 50_000)])
        expect(bench.machine.sessionLedger[.uploads] > 50_000)
        bench.commit(third, [create("A", 9, text: 10)])
        expectEqual(bench.clients[third].faults, [.transient(after: 10_000)])
        // Another user's work reaches the other user at once.
        bench.commit(ben, [create("A", 1, text: 10)])
        expectEqual(bench.clients[ben].objects.keys.map(\.key), [1])
        expect(bench.clients[second].objects.isEmpty)
        bench.run(.hold([:]))
        expect(bench.clients[first].pending.isEmpty)
        expectEqual(bench.clients[second].objects.keys.map(\.key), [1])
        expect(bench.clients[second].mistakes.isEmpty && bench.clients[second].faults.isEmpty)
        expectEqual(bench.machine.sessionLedger[.uploads], 0)
        expect(bench.machine.stalled.isEmpty)
    }

    @Test func `what is reserved for answers of the store ends no session, and the sessions read in turns`() {
        var bench = bench { $0.userBytes = 3 * ObjectPage.mostBytes }
        let author = bench.add(user: "ben")
        for key in 1...3 as ClosedRange<Int64> { bench.commit(author, [create("A", key, text: 10)]) }
        bench.holdsRequests = true
        // Each new session binds and subscribes while the pages of the sessions before it are reserved.
        var (readers, mostReserved) = ([Int](), 0)
        for _ in 0..<40 {
            readers.append(bench.add(user: "ann"))
            bench.answerRequest()
            mostReserved = max(mostReserved, bench.machine.sessionLedger[.pages])
            bench.machine.sessions.checkInvariants()
        }
        while !bench.requests.isEmpty {
            bench.answerRequest()
            mostReserved = max(mostReserved, bench.machine.sessionLedger[.pages])
            bench.machine.sessions.checkInvariants()
        }
        expect(mostReserved > 2 * ObjectPage.mostBytes && mostReserved <= 4 * ObjectPage.mostBytes)
        for reader in readers {
            expect(bench.clients[reader].faults.isEmpty && bench.clients[reader].mistakes.isEmpty)
            expectEqual(bench.clients[reader].objects.count, 3)
        }
        expect(bench.machine.stalled.isEmpty)
    }

    @Test func `while a node is full, each user has a part of it`() {
        var bench = bench {
            $0.userBytes = 10 << 20
            $0.nodeBytes = 600_000
        }
        expect(bind(&bench, "ann", pending: 700_000, at: 100))
        expect(!bind(&bench, "ann", pending: 10, at: 101))
        expect(bind(&bench, "ben", pending: 200_000, at: 102))
        expect(bind(&bench, "ben", pending: 200_000, at: 103))
        expect(!bind(&bench, "ben", pending: 10, at: 104))
        bench.run(.closed(100))
        expect(bind(&bench, "ann", pending: 10, at: 105))
        expect(bind(&bench, "ben", pending: 10, at: 106))
    }

    @Test func `sessions that wait while a node is full continue after its clock was set back`() {
        var bench = bench {
            $0.userBytes = 10 << 20
            $0.nodeBytes = 600_000
        }
        let (first, second) = (bench.add(user: "ann"), bench.add(user: "ann"))
        let ben = bench.add(user: "ben")
        expect(bind(&bench, "cleo", pending: 700_000, at: 100))
        bench.run(.hold(["app": ["H"]]))
        bench.commit(first, [create("H", 1, text: 400_000)])
        bench.commit(ben, [create("A", 1, text: 10)])
        expect(bench.clients[second].objects.isEmpty)
        bench.now -= 3_600_000
        bench.disconnect(first)
        for _ in 0..<3 { bench.tick() }
        expectEqual(bench.clients[second].objects.keys.map(\.key), [1])
    }

    @Test func `objects that are asked for by name come page by page, as credit allows`() {
        var bench = bench { $0.chunkObjects = 3 }
        let author = bench.add(user: "ben")
        for key in 1...10 as ClosedRange<Int64> { bench.commit(author, [create("A", key, text: 1_000)]) }
        let ann = bench.add(user: "ann", isRecording: true)
        bench.clients[ann].received = []
        let names = (1...12).map { ObjectName("A", .int($0)) }
        bench.say(ann, .fetch(1, names + [ObjectName("B", 1)]))
        let updates = bench.clients[ann].received.flatMap { message -> [ObjectUpdate] in
            if case .changes(_, let changes) = message { changes.classes.flatMap(\.objects) } else { [] }
        }
        expectEqual(updates.count, 13)
        expectEqual(updates.count { $0.content == .erased }, 3)
        expect(bench.clients[ann].mistakes.isEmpty)
        // A session that may not be sent anything isn't read for.
        bench.say(ann, .queries(1, Queries(version: 2, queries: [])))
        bench.disconnect(ann)
        bench.clients[ann].window = 1
        bench.connect(ann)
        bench.clients[ann].received = []
        bench.say(ann, .fetch(1, names))
        bench.say(ann, .fetch(1, names))
        expect(bench.clients[ann].received.count <= 1)
        expect(bench.machine.sessionLedger[.binds] >= names.count * 64)
        bench.say(ann, .credit(1, bytes: 1 << 20))
        expectEqual(bench.machine.sessionLedger[.pages], 0)
        bench.machine.sessions.checkInvariants()
    }

    @Test func `nothing is counted once all sessions have ended`() {
        var bench = bench()
        let clients = (0..<5).map { bench.add(user: SyncString("user \($0 % 2)")) }
        for (index, client) in clients.enumerated() {
            bench.commit(client, [create("A", Int64(index), text: 100 * index)])
            expect(bind(&bench, "user 0", pending: 100, at: ConnectionNumber(100 + index)))
            bench.machine.sessions.checkInvariants()
        }
        expectEqual(bench.machine.sessionLedger.users.count, 2)
        expect(bench.machine.sessionLedger[.queries] > 0)
        for client in clients { bench.disconnect(client) }
        for number in 100..<105 as Range<ConnectionNumber> { bench.run(.closed(number)) }
        expectEqual(bench.machine.sessionLedger.bytes, 0)
        expect(bench.machine.sessionLedger.users.isEmpty && bench.machine.sessionLedger.apps.isEmpty)
        bench.machine.sessions.checkInvariants()
    }
}
