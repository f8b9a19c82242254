import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Keys that are longer than new objects may have.
struct LongKeyTests {
    private static let longest = SyncString(String(repeating: "é", count: 512))
    private static let tooLong = SyncString(String(repeating: "é", count: 512) + "x")

    private static func name(_ key: SyncString) -> ObjectName { ObjectName("A", .string(key)) }

    private static func create(_ key: SyncString) -> Change { .create(name(key), [NewField("n", .value(.int(1)))]) }

    @Test func `the length of a key is that of its text in UTF-8`() {
        expect(!PrimaryKey.string(Self.longest).isTooLong)
        expect(PrimaryKey.string(Self.tooLong).isTooLong)
        expectEqual(PrimaryKey.string(Self.tooLong).textBytes, 1_025)
        expect(!PrimaryKey.int(.max).isTooLong && !PrimaryKey.null.isTooLong)
    }

    @Test(arguments: [false, true])
    func `a new object with a longer key is refused, and all other work goes on`(_ refusesWholeCommits: Bool) {
        var bench = ServerBench {
            var rules = MergeRules()
            rules.refusesWholeCommits = refusesWholeCommits
            rules.createOnly = ["Event"]
            $0.apps["app"] = ServerApp(rules: rules)
        }
        let (ann, ben) = (bench.add(), bench.add())
        let long = Self.name(Self.tooLong)
        let event = Change.create(ObjectName("Event", .string(Self.tooLong)), [])
        bench.commit(ann, [Self.create(Self.tooLong), .set(Place(long, "n"), 2, .real), Self.create("short"), event])
        bench.commit(ben, [Self.create(Self.longest)])
        bench.commit(ann, [Self.create("later")])
        let reasons = bench.clients[ann].refusals.map(\.reason)
        expectEqual(
            reasons,
            refusesWholeCommits
                ? [.tooLarge, .tooLarge, .commitRefused, .tooLarge] : [.tooLarge, .tooLarge, .tooLarge]
        )
        let keys = [Self.longest, "later"] + (refusesWholeCommits ? [] : ["short"])
        expectEqual(Set(bench.store.contents(of: ServerBench.stream).keys), Set(keys.map(Self.name)))
        expect(bench.store.ingested(of: ServerBench.stream).isEmpty)
        for client in bench.clients {
            expect(client.pending.isEmpty && client.faults.isEmpty && client.mistakes.isEmpty)
            expectEqual(Set(client.objects.keys), Set(keys.map(Self.name)))
        }
        // Programs are treated alike.
        let submission = Submission(stream: ServerBench.stream, user: "ann", changes: [Self.create(Self.tooLong)])
        bench.run(.submit(1, submission))
        guard case .done(_, let refusals)? = bench.submitted[1] else {
            Issue.record("\(bench.submitted)")
            return
        }
        expectEqual(refusals.map(\.reason), [.tooLarge])
    }

    @Test func `a class or a property with a long name is refused, and all other work goes on`() {
        var bench = ServerBench()
        let ann = bench.add()
        let (longest, long) = (
            SyncString(String(repeating: "n", count: 1_024)), SyncString(String(repeating: "n", count: 1_025))
        )
        bench.commit(
            ann,
            [
                .create(ObjectName(long, 1), []), .create(ObjectName("A", 2), [NewField(long, .value(.int(1)))]),
                .create(ObjectName("A", 3), [NewField(longest, .value(.int(1)))]), .create(ObjectName("A", 4), []),
                .set(Place(ObjectName("A", 4), long), 2, .real), .create(ObjectName(longest, 5), []),
            ]
        )
        expectEqual(Set(bench.clients[ann].refusals.map(\.reason)), [.tooLarge])
        let names: Set = [ObjectName("A", 3), ObjectName(longest, 5)]
        expectEqual(Set(bench.store.contents(of: ServerBench.stream).keys), names)
        // The client subscribes to the class A only.
        expectEqual(Set(bench.clients[ann].objects.keys), [ObjectName("A", 3)])
        expect(bench.clients[ann].pending.isEmpty && bench.clients[ann].mistakes.isEmpty)
    }

    @Test func `an object that has a longer key already can be changed and deleted, and isn't created again`() {
        var bench = ServerBench()
        let long = Self.name(Self.tooLong)
        let author = Author(stamp: Stamp(clock: .zero, ident: FileIdent(rawValue: 1)), version: 1, seen: 0)
        let object = MergedObject([NewField("n", .value(.int(1)))], author)
        let head = bench.store.head(of: ServerBench.stream)
        var commit = StoreCommit(expected: head, head: head)
        (commit.head.version, commit.head.hash) = (1, head.hash.appending([1], salt: 1))
        commit.objects = [(long, object)]
        commit.entries = [
            LogEntry(
                version: 1,
                hash: commit.head.hash,
                clock: .zero,
                time: 0,
                author: PartName(ident: FileIdent(rawValue: 1), commit: 1),
                changes: [BeforeImage(name: long, object: nil)]
            )
        ]
        _ = bench.store.perform(ServerStoreRequest(ServerBench.stream, .commit(commit)))
        let ann = bench.add()
        expectEqual(bench.clients[ann].objects[long]?.version, 1)
        bench.commit(ann, [.set(Place(long, "n"), 2, .real)], [long: 1])
        // What it creates is the object that exists.
        bench.commit(ann, [Self.create(Self.tooLong)])
        expect(bench.clients[ann].refusals.isEmpty)
        let version = bench.clients[ann].objects[long]?.version ?? 0
        bench.commit(ann, [.delete(long, .edit)], [long: version])
        expect(bench.store.contents(of: ServerBench.stream).isEmpty)
        bench.commit(ann, [Self.create(Self.tooLong)])
        expectEqual(bench.clients[ann].refusals.map(\.reason), [.tooLarge])
        expect(bench.clients[ann].pending.isEmpty && bench.clients[ann].mistakes.isEmpty)
    }
}
