import FreeholdSyncCore
import Testing

@testable import SyncWorlds

/// Scripted sessions against one node.
struct ServerSessionTests {
    let a = ObjectName("A", 1)
    let b = ObjectName("A", 2)

    func create(_ name: ObjectName, _ number: Int64) -> Change { .create(name, [NewField("n", .value(.int(number)))]) }
    func set(_ name: ObjectName, _ number: Int64) -> Change { .set(Place(name, "n"), .int(number), .real) }

    func check(_ bench: ServerBench, _ location: SourceLocation = #_sourceLocation) {
        for index in bench.clients.indices {
            expect(bench.clients[index].mistakes.isEmpty, sourceLocation: location)
            expectEqual(
                bench.clients[index].shown,
                bench.expected(index),
                sourceLocation: location
            )
        }
    }

    @Test func `A commit is answered and reaches the other session`() throws {
        var bench = ServerBench()
        let (first, second) = (bench.add(), bench.add())
        bench.commit(first, [create(a, 1)])
        expectEqual(bench.clients[first].acknowledged, 1)
        expect(bench.clients[second].objects[a] != nil)
        expect(bench.clients[first].identity?.ident != bench.clients[second].identity?.ident)
        check(bench)
    }

    @Test func `a client that was offline catches up by its cursor, without another bootstrap`() {
        var bench = ServerBench()
        let (first, second) = (bench.add(), bench.add())
        bench.commit(first, [create(a, 1), create(b, 2)])
        bench.disconnect(second)
        bench.commit(first, [set(a, 5)])
        bench.commit(first, [.delete(b, .edit)], [b: 1])
        bench.connect(second)
        expectEqual(bench.clients[second].bootstraps, 1)
        check(bench)
    }

    @Test func `Objects enter and leave a view by their values, also while a session is away`() {
        var bench = ServerBench()
        let query = [ClassQuery(className: "A", condition: "n == 1")]
        let (first, second) = (bench.add(), bench.add(query))
        bench.commit(first, [create(a, 1), create(b, 2)])
        check(bench)
        bench.disconnect(second)
        bench.commit(first, [set(a, 2), set(b, 1)])
        bench.connect(second)
        expectEqual(bench.clients[second].objects.keys.sorted(), [b])
        check(bench)
    }

    @Test func `Another query set brings the difference only`() {
        var bench = ServerBench()
        let (first, second) = (bench.add(), bench.add([ClassQuery(className: "A", condition: "n == 1")]))
        bench.commit(first, [create(a, 1), create(b, 2)])
        let queries = [1, 2].map { ClassQuery(className: "A", condition: SyncString("n == \($0)")) }
        bench.clients[second].queries = Queries(version: 2, queries: queries)
        bench.say(second, .queries(1, bench.clients[second].queries))
        expectEqual(bench.clients[second].completed, 2)
        check(bench)
        bench.clients[second].queries = Queries(version: 3, queries: [queries[1]])
        bench.say(second, .queries(1, bench.clients[second].queries))
        expectEqual(bench.clients[second].objects.keys.sorted(), [b])
        check(bench)
    }

    @Test func `A condition that isn't understood doesn't stop the others`() {
        var bench = ServerBench()
        let first = bench.add([
            ClassQuery(className: "B", condition: "nonsense"), ClassQuery(className: "A", condition: "all"),
        ])
        bench.commit(first, [create(a, 1)])
        expectEqual(bench.clients[first].queryErrors.map(\.className), ["B"])
        expect(bench.clients[first].objects[a] != nil)
    }

    @Test func `A wrong secret gets a file of its own; a wrong app and a missing token are refused`() {
        var bench = ServerBench()
        let first = bench.add()
        let ident = bench.clients[first].identity!.ident
        bench.clients[first].identity = FileIdentity(ident: ident, secret: FileSecret(high: 1, low: 2))
        bench.connect(first)
        expectEqual(bench.clients[first].faults, [])
        expect(bench.clients[first].identity?.ident != ident)
        bench.run(.opened(90))
        bench.clients[first].connection = 90
        bench.say(first, .hello(Hello(deviceTime: 0, token: AccessToken(""))))
        expectEqual(bench.clients[first].faults, [.auth])
        bench.run(.opened(91))
        bench.clients[first].connection = 91
        bench.say(first, .hello(Hello(deviceTime: 0, token: AccessToken("anna"))))
        bench.say(first, .bind(1, Bind(app: "other", schema: SchemaClaim(version: 0, hash: .empty))))
        expectEqual(bench.clients[first].faults, [.auth, .forbidden])
    }

    @Test func `A gap in the numbers of commits ends the session`() {
        var bench = ServerBench()
        let first = bench.add()
        bench.clients[first].lastCommit = 4
        bench.commit(first, [create(a, 1)])
        expectEqual(bench.clients[first].faults, [.violation])
        expect(bench.store.contents(of: ServerBench.stream).isEmpty)
    }

    @Test func `A file that was copied goes on under another ident, from what both have`() {
        var bench = ServerBench()
        let (first, other) = (bench.add(), bench.add())
        bench.commit(first, [create(a, 1)])
        let copy = bench.clients[first]
        bench.commit(first, [set(a, 2)], [a: 1])
        bench.clients[other] = copy
        bench.clients[other].connection = nil
        bench.commit(other, [create(b, 3)])
        bench.connect(other)
        expectEqual(bench.clients[other].forks.map(\.common), [1])
        expect(bench.clients[other].pending.isEmpty)
        expect(bench.clients[other].identity?.ident != bench.clients[first].identity?.ident)
        check(bench)
    }

    @Test func `A store that was restored from a backup is noticed, also once it has gone on`() {
        var bench = ServerBench()
        let (first, second) = (bench.add(), bench.add())
        bench.commit(first, [create(a, 1)])
        bench.disconnect(second)
        let backup = bench.store
        bench.connect(second)
        bench.commit(second, [set(a, 2)], [a: 1])
        bench.store = backup
        bench.killNode()
        bench.connect(second)
        expectEqual(bench.clients[second].faults, [.storeReplaced])
        let third = bench.add()
        for number in 1...3 { bench.commit(third, [set(a, Int64(number))], [a: 1]) }
        bench.connect(second)
        expectEqual(bench.clients[second].faults, [.storeReplaced, .storeReplaced])
    }

    @Test func `Parts of a commit wait in the store, also for another node`() throws {
        var bench = ServerBench()
        let first = bench.add()
        func part(_ index: UInt32, _ changes: [Change]) -> UploadedCommit {
            let commit = Commit(number: 1, clock: .zero, base: 0, changes: changes)
            let part = UploadedCommit.Part(index: index, isLast: index == 1)
            return UploadedCommit(commit: commit, hash: RunningHash(high: 1, low: 1), part: part)
        }
        let parts = [part(0, [create(a, 1)]), part(1, [create(b, 2)])]
        bench.clients[first].lastCommit = 1
        bench.say(first, .upload(1, Upload(commits: [parts[0]])))
        expectEqual(bench.clients[first].acknowledged, 0)
        bench.killNode()
        bench.clients[first].pending = parts
        bench.connect(first)
        expectEqual(bench.clients[first].acknowledged, 1)
        expectEqual(bench.store.head(of: ServerBench.stream).version, 1)
        check(bench)
    }

    @Test func `A slow receiver gets nothing while it has no credit, and everything afterwards`() {
        var bench = ServerBench { $0.size = { _ in 100 } }
        let (first, second) = (bench.add(), bench.add())
        bench.clients[second].window = 450
        bench.connect(second)
        for number in 1...20 {
            bench.commit(first, [set(a, Int64(number)), create(ObjectName("A", .int(Int64(number))), 0)])
        }
        expect(bench.clients[second].objects.count < 20)
        bench.say(second, .credit(1, bytes: 1 << 30))
        check(bench)
    }

    @Test func `A mark is answered once all is sent that the stream held`() {
        var bench = ServerBench()
        let (first, second) = (bench.add(), bench.add([ClassQuery(className: "B", condition: "all")]))
        bench.commit(first, [create(a, 1)])
        bench.say(second, .mark(1, 5))
        expectEqual(bench.clients[second].marks, [5])
        expectEqual(bench.clients[second].cursor?.version, 1)
    }

    @Test func `Past the start of the log a file is brought up to date by its keys`() {
        var bench = ServerBench { $0.logAge = 10_000 }
        let (first, second) = (bench.add(), bench.add())
        bench.commit(first, [create(a, 1), create(b, 1)])
        bench.disconnect(second)
        bench.commit(first, [.delete(a, .edit)], [a: 1])
        bench.now += 100_000
        bench.commit(first, [create(ObjectName("A", 3), 1)])
        bench.run(.timer(.trim))
        expectEqual(bench.store.head(of: ServerBench.stream).logStart, 2)
        bench.connect(second)
        expectEqual(bench.clients[second].bootstraps, 2)
        check(bench)
    }

    @Test func `Sums that differ are healed by keys`() {
        var bench = ServerBench()
        let (first, second) = (bench.add(), bench.add())
        bench.commit(first, [create(a, 1), create(b, 2)])
        bench.clients[second].objects[a] = nil
        bench.clients[second].objects[ObjectName("A", 9)] = (1, [])
        bench.say(second, .resume(1, Resume(cursor: bench.clients[second].cursor, compare: ["A"])))
        check(bench)
    }

    @Test func `Large bootstraps come in chunks and go on where they were, also at another node`() {
        var bench = ServerBench { ($0.chunkObjects, $0.size) = (7, { _ in 100 }) }
        let first = bench.add()
        for number in 0..<100 { bench.commit(first, [create(ObjectName("A", .int(Int64(number))), 1)]) }
        let second = bench.add([])
        bench.clients[second].queries = Queries(version: 2, queries: [ClassQuery(className: "A", condition: "all")])
        bench.disconnect(second)
        bench.clients[second].window = 1_000
        bench.connect(second)
        bench.say(second, .queries(1, bench.clients[second].queries))
        expect(bench.clients[second].position != nil)
        let half = bench.clients[second].objects.count
        expect((1..<100).contains(half))
        bench.killNode()
        bench.connect(first)
        bench.commit(
            first,
            [.delete(ObjectName("A", 0), .edit), create(ObjectName("A", 200), 1)],
            [ObjectName("A", 0): 1]
        )
        bench.clients[second].window = 1 << 40
        bench.connect(second)
        check(bench)
    }

    @Test func `A commit whose outcome is unknown counts once, whether it was done or not`() {
        for lost in [0, 100] {
            var bench = ServerBench()
            let (first, second) = (bench.add(), bench.add())
            bench.commit(first, [create(a, 1)])
            (bench.failures, bench.lostAnswers) = (100, lost)
            bench.commit(first, [.increment(Place(a, "n"), 1)], [a: 1])
            expectEqual(bench.clients[first].acknowledged, 1)
            bench.failures = 0
            bench.tick()
            expectEqual(bench.clients[first].acknowledged, 2)
            expectEqual(bench.clients[second].objects[a]?.fields, [ConfirmedField("n", .value(.int(2)))])
            check(bench)
        }
    }

    @Test func `A secret's hash is SHA-256`() {
        // The hash of the bytes 0 to 15.
        let hash = SecretHash(FileSecret(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F))
        let words: [UInt32] = [
            0xBE45_CB26, 0x05BF_36BE, 0xBDE6_8484, 0x1A28_F0FD, 0x43C6_9850, 0xA3DC_E5FE, 0xDBA6_9928, 0xEE3A_8991,
        ]
        expectEqual(hash.words, words)
    }
}
