import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Commits of which a node can't read all objects, and commits that are merged again and again.
struct OversizedCommitTests {
    private func name(_ key: Int) -> ObjectName { ObjectName("A", .int(Int64(key))) }

    /// A store that counts its reads.
    private struct CountingStore: WorldStore {
        var memory = MemoryServerStore(epoch: 7)
        var reads = 0
        let problems: [String] = []

        mutating func perform(_ request: ServerStoreRequest) -> ServerStoreAnswer {
            if case .read = request.kind { reads += 1 }
            return memory.perform(request)
        }

        func contents(of stream: StreamName) -> [ObjectName: MergedObject] { memory.contents(of: stream) }
        func head(of stream: StreamName) -> StreamHead { memory.head(of: stream) }
        func files(of stream: StreamName) -> [FileIdent: FileRow] { memory.files(of: stream) }
        func ingested(of stream: StreamName) -> [ObjectName: [NewField]] { memory.ingested(of: stream) }
        func reopen() {}
    }

    private func reads(_ bench: ServerBench) -> Int { (bench.store as? CountingStore)?.reads ?? .max }

    @Test(arguments: [101, 1_000, 100_000])
    func `a commit about many objects that a node can't read together is refused, and its author goes on`(count: Int) {
        var bench = ServerBench(store: CountingStore()) {
            $0.groupBytes = count * 20
            $0.rowBytes = 1_000
        }
        let ann = bench.add([])
        bench.commit(ann, (0..<count).map { .create(name($0), [NewField("n", .value(0))]) })
        let head = bench.store.head(of: ServerBench.stream).version
        let seen = Dictionary(uniqueKeysWithValues: (0..<count).map { (name($0), head) })
        let before = reads(bench)
        let changes = (0..<count).map { key -> Change in
            key % 3 == 0 ? .delete(name(key), .edit) : .set(Place(name(key), "n"), 1, .real)
        }
        bench.commit(ann, changes, seen)
        expect(bench.clients[ann].pending.isEmpty && bench.clients[ann].faults.isEmpty)
        expectEqual(bench.clients[ann].refusals.count, count)
        expect(bench.clients[ann].refusals.allSatisfy { $0.reason == .tooLarge })
        expect(reads(bench) - before <= 3, "\(reads(bench) - before) reads")
        bench.commit(ann, [.set(Place(name(1), "n"), 2, .real)], seen)
        let contents = bench.store.contents(of: ServerBench.stream)
        expectEqual(contents[name(1)]?.contents["n"], .value(2))
        expectEqual(contents.count(where: \.value.isAlive), count)
        expect(bench.clients[ann].mistakes.isEmpty && bench.clients[ann].pending.isEmpty)
    }

    @Test(arguments: [false, true])
    func `refused elements leave places if their lists can be read`(isLarge: Bool) {
        var bench = ServerBench {
            $0.groupBytes = 40_000
            $0.rowBytes = 1_000
        }
        let ann = bench.add([])
        let text = SyncString(String(repeating: "x", count: 30_000))
        for key in 0..<2 {
            let fields = [NewField("l", .list(first: 1, [1, 2])), NewField("t", .value(.string(text)))]
            bench.commit(ann, [.create(name(key), fields)])
        }
        let head = bench.store.head(of: ServerBench.stream).version
        let seen = [name(0): head, name(1): head]
        func insert(_ key: Int, _ first: OwnNumber, after: ElementReference) -> Change {
            .insert(Place(name(key), "l"), Gap(after: after, before: .confirmed(1)), first: first, [.int(Int64(first))])
        }
        let second = isLarge ? insert(1, 11, after: .confirmed(0)) : .set(Place(name(1), "t"), "y", .real)
        bench.commit(ann, [insert(0, 10, after: .confirmed(0)), second], seen)
        expectEqual(bench.clients[ann].refusals.map(\.reason), [.tooLarge, .tooLarge])
        // Later work names a refused element as its neighbour.
        bench.commit(ann, [insert(0, 20, after: .own(10))], seen)
        expect(bench.clients[ann].pending.isEmpty && bench.clients[ann].faults.isEmpty)
        let list = bench.store.contents(of: ServerBench.stream)[name(0)]?.contents["l"]
        if isLarge {
            expectEqual(bench.clients[ann].refusals.last?.reason, .malformed)
            expectEqual(list, .list([.value(1), .value(2)]))
        } else {
            expectEqual(bench.clients[ann].refusals.count, 2)
            expectEqual(list, .list([.value(1), .value(20), .value(2)]))
        }
    }

    // MARK: Constraints

    /// A bench with a unique property, and a store that counts its reads.
    private func uniqueBench(_ properties: [[SyncString]] = [["mail"]]) -> ServerBench {
        ServerBench(store: CountingStore()) {
            var rules = MergeRules()
            rules.unique = properties.map { MergeRules.Unique(className: "A", properties: $0) }
            $0.apps = ["app": ServerApp(rules: rules)]
        }
    }

    private func create(_ key: Int, _ mail: Int, _ phone: Int = 0) -> Change {
        .create(
            name(key),
            [NewField("mail", .value(.int(Int64(mail)))), NewField("phone", .value(.int(Int64(phone))))]
        )
    }

    @Test func `the holders of all unique values of a commit are read together`() {
        var bench = uniqueBench()
        let ann = bench.add([])
        bench.commit(ann, (0..<300).map { create($0, $0) })
        expect(bench.clients[ann].pending.isEmpty && bench.clients[ann].refusals.isEmpty)
        bench.killNode()
        bench.connect(ann)
        let before = reads(bench)
        // Every second one has the value of a stored object.
        bench.commit(ann, (0..<300).map { create(1_000 + $0, $0 % 2 == 0 ? $0 : 1_000 + $0) })
        expect(bench.clients[ann].pending.isEmpty && bench.clients[ann].faults.isEmpty)
        expectEqual(bench.clients[ann].refusals.map(\.reason), Array(repeating: .notUnique, count: 150))
        expect(bench.clients[ann].refusals.allSatisfy { $0.index % 2 == 0 })
        expect(reads(bench) - before <= 4, "\(reads(bench) - before) reads")
    }

    @Test(arguments: [1, 2])
    func `of many new objects with one unique value the first stays`(constraints: Int) {
        var bench = uniqueBench(Array([["mail"], ["phone"]].prefix(constraints)))
        let ann = bench.add([])
        bench.commit(ann, (0..<500).map { create($0, 7, $0) })
        expect(bench.clients[ann].pending.isEmpty && bench.clients[ann].faults.isEmpty)
        expectEqual(bench.clients[ann].refusals.map(\.index), Array(1..<500))
        expectEqual(bench.store.contents(of: ServerBench.stream).keys.sorted(), [name(0)])
    }

    @Test(arguments: [10, 100])
    func `refusals that lead to each other end`(count: Int) {
        // Each object takes the value of the one before it, and the first one takes a value that is taken.
        var bench = uniqueBench()
        bench.configuration.apps["app"]?.merge.mostSteps = 2_000
        bench.killNode()
        let ann = bench.add([])
        bench.commit(ann, (0...count).map { create($0, $0) })
        let head = bench.store.head(of: ServerBench.stream).version
        let seen = Dictionary(uniqueKeysWithValues: (0...count).map { (name($0), head) })
        bench.commit(ann, (1...count).map { .set(Place(name($0), "mail"), .int(Int64($0 - 1)), .real) }, seen)
        expect(bench.clients[ann].pending.isEmpty && bench.clients[ann].faults.isEmpty)
        let contents = bench.store.contents(of: ServerBench.stream)
        for key in 0...count { expectEqual(contents[name(key)]?.contents["mail"], .value(.int(Int64(key)))) }
        // A small commit has as many attempts as it needs. The rest of a large one is refused.
        expectEqual(bench.clients[ann].refusals.count, count)
        expectEqual(bench.clients[ann].refusals.contains { $0.reason == .commitRefused }, count == 100)
    }

    @Test func `all deletions that a rule denies are refused`() {
        var rules = MergeRules()
        rules.denying = [MergeRules.Property(className: "B", property: "link")]
        var bench = ServerBench(store: CountingStore()) { $0.apps = ["app": ServerApp(rules: rules)] }
        let ann = bench.add([])
        let count = 200
        bench.commit(ann, (0..<count).map { .create(name($0), []) })
        bench.commit(
            ann,
            (0..<count / 2).map { key in
                .create(ObjectName("B", .int(Int64(key))), [NewField("link", .value(.link(name(key * 2))))])
            }
        )
        let head = bench.store.head(of: ServerBench.stream).version
        let seen = Dictionary(uniqueKeysWithValues: (0..<count).map { (name($0), head) })
        bench.killNode()
        bench.connect(ann)
        let before = reads(bench)
        bench.commit(ann, (0..<count).map { .delete(name($0), .edit) }, seen)
        expect(bench.clients[ann].pending.isEmpty && bench.clients[ann].faults.isEmpty)
        expectEqual(bench.clients[ann].refusals.map(\.index), Array(stride(from: 0, to: count, by: 2)))
        expect(bench.clients[ann].refusals.allSatisfy { $0.reason == .denied })
        expect(reads(bench) - before <= 4, "\(reads(bench) - before) reads")
    }
}
