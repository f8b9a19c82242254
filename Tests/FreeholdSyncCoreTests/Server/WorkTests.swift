import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// The work that users cause: what it may cost, where it is done, and in which order.
struct WorkTests {
    private static let all = ClassQuery(className: "A", condition: "TRUEPREDICATE")

    private static let expensive = [
        ClassQuery(className: "A", condition: "x < 0"), ClassQuery(className: "A", condition: "ANY l == ANY m"),
    ]

    private static func bench(_ configure: (inout ServerConfiguration) -> Void = { _ in }) -> ServerBench {
        ServerBench(matcher: QueryMatcher(), configure: configure)
    }

    private static func create(_ key: Int64, _ fields: [NewField] = []) -> Change {
        .create(ObjectName("A", .int(key)), [NewField("x", .value(.int(key)))] + fields)
    }

    private static func list(_ name: SyncString, _ numbers: Range<Int64>) -> NewField {
        NewField(name, .list(first: 1, numbers.map { .int($0) }))
    }

    // MARK: Budgets

    @Test func `a budget that is exceeded stays exceeded`() {
        var budget = WorkBudget(steps: 10)
        expect(budget.charge(10))
        expect(!budget.isOver)
        expect(!budget.charge(1))
        expect(budget.isOver)
        expect(!budget.charge(0))
        var other = WorkBudget(steps: 5)
        expect(!other.charge(.max))
        expect(!other.charge(.max))
        expect(other.isOver)
    }

    @Test(arguments: [
        (#"t LIKE "*a*b*""#, 10_000), (#"t CONTAINS "ab""#, 10_000), (#"t CONTAINS[c] "ab""#, 80_000),
        (#"t LIKE "*a?b*""#, 80_000), (#"t == t"#, 10_000), (#"ANY l == ANY m"#, 90_000),
        (#"l.@sum + m.@sum > 0"#, 500), (#"t IN[c] {"a", "b", "c", "d"}"#, 320_000), (#"l[*] == 5000"#, 500),
    ])
    func `a condition is charged what it looks at`(condition: SyncString, steps: Int) throws {
        let text = String(repeating: "a", count: 640_000)
        let compiled = try QueryMatcher().compile("A", condition)
        let numbers = (0..<Int64(300)).map { MergedContent.value(.int($0)) }
        let contents: [SyncString: MergedContent] = [
            "t": .value(.string(SyncString(text))), "l": .list(numbers),
            "m": .list(numbers.map { if case .value(.int(let n)) = $0 { .value(.int(n + 1_000)) } else { $0 } }),
        ]
        var budget = WorkBudget(steps: 10_000_000)
        _ = compiled.matches(ObjectName("A", .int(1)), contents, budget: &budget)
        let used = 10_000_000 - budget.left
        expect(used >= steps, "\(used) steps")
        expect(used <= 4 * steps + 2_000, "\(used) steps")
    }

    @Test func `an object that costs a condition too much isn't shown, and the client gets an error`() {
        var bench = Self.bench { $0.objectSteps = 20_000 }
        let writer = bench.add([Self.all], user: "ann")
        bench.commit(writer, [Self.create(1, [Self.list("l", 0..<300), Self.list("m", 1_000..<1_300)])])
        let lists = [Self.list("l", 0..<10), Self.list("m", 0..<10)]
        bench.commit(writer, [Self.create(2, lists)])
        let asker = bench.add(Self.expensive, user: "ben")
        expectEqual(bench.clients[asker].queryErrors.map(\.text), [ConditionError.tooExpensive.text])
        expectEqual(bench.clients[asker].queryErrors.map(\.index), [1])
        expectEqual(bench.clients[asker].objects.keys.sorted(), [ObjectName("A", .int(2))])
        bench.commit(writer, [Self.create(3, lists)])
        expectEqual(bench.clients[asker].objects.count, 2)
        expectEqual(bench.clients[writer].objects.count, 3)
        expect(bench.clients.allSatisfy { $0.pending.isEmpty && $0.faults.isEmpty && $0.mistakes.isEmpty })
    }

    @Test func `an object that grows expensive leaves the views of conditions that can't be compared with it`() {
        var bench = Self.bench { $0.objectSteps = 20_000 }
        let writer = bench.add([Self.all], user: "ann")
        let asker = bench.add([ClassQuery(className: "A", condition: #"t CONTAINS[c] "zz""#)], user: "ben")
        bench.commit(writer, [Self.create(1, [NewField("t", .value(.string("zz")))])])
        expectEqual(bench.clients[asker].objects.count, 1)
        let text = String(repeating: "a", count: 200_000) + "zz"
        bench.commit(
            writer,
            [.set(Place(ObjectName("A", .int(1)), "t"), .string(SyncString(text)), .real)],
            [ObjectName("A", .int(1)): bench.clients[writer].cursor?.version ?? 0]
        )
        expect(bench.clients[asker].objects.isEmpty)
        expectEqual(bench.clients[asker].queryErrors.count, 1)
        expectEqual(bench.clients[writer].objects.count, 1)
        expect(bench.clients.allSatisfy { $0.pending.isEmpty })
        expectEqual(bench.clients.map(\.faults), [[], []])
        expectEqual(bench.clients.map(\.mistakes), [[], []])
        expectEqual(bench.clients[writer].refusals, [])
    }

    @Test func `a query set with too much text is refused`() {
        var bench = Self.bench { $0.queryBytes = 1_000 }
        let text = "x IN {" + (0..<1_000).map { "\($0)" }.joined(separator: ", ") + "}"
        let asker = bench.add([ClassQuery(className: "A", condition: SyncString(text))])
        expectEqual(bench.clients[asker].faults, [.query])
    }

    @Test func `a schema whose documents are too long is refused before they are read`() {
        var bench = Self.bench { $0.schemaBytes = 1_000 }
        let document = SchemaDocument(className: "A", json: SyncString(String(repeating: " ", count: 2_000)))
        let client = bench.add(claim: SchemaClaim(version: 1, hash: .empty, documents: [document]))
        expectEqual(bench.clients[client].faults, [.schema])
    }

    // MARK: Slices

    @Test func `commits of others don't wait for the work of a bootstrap`() {
        var bench = Self.bench { $0.inlineSteps = 100 }
        let writer = bench.add([], user: "ann")
        bench.commit(writer, (0..<200).map { Self.create($0) })
        bench.holdsWork = true
        let asker = bench.add([Self.all], user: "ben")
        expectEqual(bench.works.map(\.work.user), ["ben"])
        expectEqual(bench.clients[asker].completed, 0)
        bench.commit(writer, [Self.create(1_000)])
        expect(bench.clients[writer].pending.isEmpty)
        bench.holdsWork = false
        bench.finishWork()
        expectEqual(bench.clients[asker].objects.count, 201)
        expect(bench.clients[asker].mistakes.isEmpty && bench.clients[asker].faults.isEmpty)
    }

    @Test func `work ends in the same way in slices and at once`() throws {
        var bench = Self.bench { $0.inlineSteps = 0 }
        bench.holdsWork = true
        let writer = bench.add([], user: "ann")
        bench.finishWork()
        bench.commit(writer, (0..<50_000).map { Self.create($0) })
        var (slices, results) = (0, [Int]())
        while !bench.works.isEmpty {
            var (number, work) = bench.works.removeFirst()
            while true {
                slices += 1
                guard let result = work.runSlice() else { continue }
                if case .group(let group) = result { results.append(group.results.count) }
                bench.run(.worked(number, result))
                break
            }
        }
        expect(bench.clients[writer].pending.isEmpty)
        expectEqual(bench.store.contents(of: ServerBench.stream).count, 50_000)
        expectEqual(results.last, 1)
        expect(slices > 3)
    }

    @Test func `a large commit is merged beside the machine, and other streams go on meanwhile`() {
        var bench = Self.bench()
        let writer = bench.add([Self.all], user: "ann")
        bench.holdsWork = true
        bench.commit(writer, (0..<5_000).map { Self.create($0) })
        expect(!bench.works.isEmpty)
        var other = bench.machine
        var random = SeededRandom(seed: 1)
        let actions = other.handle(
            .submit(1, Submission(stream: StreamName(app: "app", value: "b"), user: "ben", changes: [Self.create(1)])),
            now: bench.now,
            random: &random
        )
        expect(actions.contains { if case .request = $0 { true } else { false } })
        // The stream's own commits wait for their turn.
        let second = bench.add([Self.all], user: "ben")
        bench.commit(second, [Self.create(9_000)])
        expectEqual(bench.clients[second].pending.count, 1)
        bench.holdsWork = false
        bench.finishWork()
        for client in [writer, second] {
            expect(bench.clients[client].pending.isEmpty && bench.clients[client].mistakes.isEmpty)
            expectEqual(bench.clients[client].objects.count, 5_001)
        }
    }

    @Test func `sessions that come while a step is compared get it, too`() {
        var bench = Self.bench { $0.inlineSteps = 200 }
        let writer = bench.add([Self.all], user: "ann")
        let other = bench.add([ClassQuery(className: "A", condition: "x > 10")], user: "ben")
        bench.holdsWork = true
        bench.commit(writer, (0..<100).map { Self.create($0) })
        // The group is merged and stored; then its step is compared.
        while bench.store.contents(of: ServerBench.stream).isEmpty, !bench.works.isEmpty {
            var (number, work) = bench.works.removeFirst()
            bench.run(.worked(number, work.finish()))
        }
        let late = bench.add([ClassQuery(className: "A", condition: "x < 20")], user: "cleo")
        let gone = bench.add([ClassQuery(className: "A", condition: "x < 50")], user: "dan")
        bench.disconnect(gone)
        bench.holdsWork = false
        bench.finishWork()
        expectEqual(bench.clients[writer].objects.count, 100)
        expectEqual(bench.clients[other].objects.count, 89)
        expectEqual(bench.clients[late].objects.count, 20)
        expect(bench.clients.allSatisfy { $0.mistakes.isEmpty && $0.faults.isEmpty })
        bench.commit(writer, [Self.create(15, [NewField("y", .value(.int(1)))]), Self.create(500)])
        expectEqual(bench.clients[other].objects.count, 90)
        expect(bench.clients.allSatisfy { $0.mistakes.isEmpty && $0.faults.isEmpty })
    }

    @Test func `work ends with the session that it is for`() {
        var bench = Self.bench { $0.inlineSteps = 100 }
        let writer = bench.add([], user: "ann")
        bench.commit(writer, (0..<200).map { Self.create($0) })
        bench.holdsWork = true
        let asker = bench.add([Self.all], user: "ben")
        expectEqual(bench.works.count, 1)
        bench.disconnect(asker)
        expect(bench.works.isEmpty)
        expect(!bench.machine.isBusy("ben"))
    }

    @Test func `the newest of several query sets counts, in whichever order they are understood`() {
        var bench = Self.bench { $0.inlineSteps = 0 }
        let writer = bench.add([], user: "ann")
        bench.commit(writer, (0..<20).map { Self.create($0) })
        bench.holdsWork = true
        let asker = bench.add([Self.all], user: "ben")
        bench.finishWork()
        for version in 2...4 {
            let condition = SyncString("x < \(version)")
            bench.clients[asker].queries = Queries(
                version: UInt64(version),
                queries: [ClassQuery(className: "A", condition: condition)]
            )
            bench.say(asker, .queries(1, bench.clients[asker].queries))
        }
        bench.works.reverse()
        bench.finishWork()
        expectEqual(bench.clients[asker].objects.count, 4)
        expect(bench.clients[asker].mistakes.isEmpty && bench.clients[asker].faults.isEmpty)
    }

    /// Finishes work that is handed out until a step was compared, whose result is kept back.
    private func nextStep(_ bench: inout ServerBench) -> (number: WorkNumber, result: ServerWorkResult)? {
        while !bench.works.isEmpty {
            var (number, work) = bench.works.removeFirst()
            let result = work.finish()
            if case .step = result { return (number, result) }
            bench.run(.worked(number, result))
        }
        return nil
    }

    private func subscribe(_ client: Int, to condition: SyncString, version: UInt64, _ bench: inout ServerBench) {
        bench.clients[client].queries = Queries(
            version: version,
            queries: [ClassQuery(className: "A", condition: condition)]
        )
        bench.say(client, .queries(1, bench.clients[client].queries))
    }

    @Test func `a step that was compared with an earlier view isn't sent`() throws {
        var bench = Self.bench { $0.inlineSteps = 0 }
        let writer = bench.add([], user: "ann")
        bench.commit(writer, (0..<20).map { Self.create($0) })
        let reader = bench.add([ClassQuery(className: "A", condition: "x < 5")], user: "ben")
        bench.disconnect(reader)
        bench.commit(writer, [Self.create(100)])
        bench.holdsWork = true
        bench.connect(reader)
        let old = try require(nextStep(&bench))
        subscribe(reader, to: "x >= 5", version: 2, &bench)
        let new = nextStep(&bench)
        bench.run(.worked(old.number, old.result))
        if let new { bench.run(.worked(new.number, new.result)) }
        bench.holdsWork = false
        bench.finishWork()
        expectEqual(bench.clients[reader].objects.count, 16)
        expect(bench.clients[reader].mistakes.isEmpty && bench.clients[reader].faults.isEmpty)
    }

    @Test func `objects that were compared with an earlier view aren't sent`() throws {
        var bench = Self.bench { $0.inlineSteps = 0 }
        let writer = bench.add([], user: "ann")
        bench.commit(writer, (0..<20).map { Self.create($0) })
        let reader = bench.add([ClassQuery(className: "A", condition: "x < 5")], user: "ben")
        expectEqual(bench.clients[reader].objects.count, 5)
        bench.holdsWork = true
        bench.say(reader, .fetch(1, [ObjectName("A", 7)]))
        var (number, work) = bench.works.removeFirst()
        subscribe(reader, to: "x >= 5", version: 2, &bench)
        bench.finishWork()
        expectEqual(bench.clients[reader].objects.count, 15)
        bench.run(.worked(number, work.finish()))
        bench.holdsWork = false
        bench.finishWork()
        expectEqual(bench.clients[reader].objects.count, 15)
        expect(bench.clients[reader].mistakes.isEmpty && bench.clients[reader].faults.isEmpty)
    }

    // MARK: Shares

    @Test func `a user's requests wait for each other, and for no other user's`() {
        var bench = Self.bench { $0.requestsPerUser = 3 }
        bench.holdsRequests = true
        let clients = (0..<40).map { _ in bench.add([Self.all], user: "ann") }
        expectEqual(bench.requests.count, 3)
        expect(bench.machine.isBusy("ann"))
        _ = bench.add([Self.all], user: "ben")
        expectEqual(bench.requests.count, 4)
        expect(!bench.machine.isBusy("ben"))
        // Requests of sessions that have ended aren't made.
        for client in clients[5...] { bench.disconnect(client) }
        while !bench.requests.isEmpty {
            expect(bench.requests.count <= 6)
            bench.answerRequest()
        }
        expect(!bench.machine.isBusy("ann"))
        expect(bench.clients[..<5].allSatisfy { $0.faults.isEmpty && $0.completed == 1 })
        expectEqual(bench.store.files(of: ServerBench.stream).count, 6)
    }

    @Test func `a user with many commits leaves others room in the next group, and keeps its order`() {
        var bench = Self.bench { $0.groupChanges = 20 }
        let many = bench.add([], user: "ann")
        let one = bench.add([], user: "ben")
        bench.holdsRequests = true
        for key in 0..<100 { bench.commit(many, [Self.create(Int64(key))]) }
        bench.commit(one, [Self.create(1_000)])
        while !bench.clients[one].pending.isEmpty, !bench.requests.isEmpty { bench.answerRequest() }
        expect(bench.clients[one].pending.isEmpty)
        expect(bench.clients[many].pending.count >= 50)
        bench.holdsRequests = false
        while !bench.requests.isEmpty { bench.answerRequest() }
        expect(bench.clients.allSatisfy { $0.pending.isEmpty && $0.faults.isEmpty && $0.mistakes.isEmpty })
        expectEqual(bench.clients[many].versions, bench.clients[many].versions.sorted())
        expectEqual(bench.store.contents(of: ServerBench.stream).count, 101)
    }
}
