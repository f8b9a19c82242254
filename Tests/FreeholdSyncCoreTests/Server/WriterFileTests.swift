import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// The file under which submissions are written, which all nodes and imports of a store share.
struct WriterFileTests {
    private static let stream = ServerBench.stream
    private static let secret = FileSecret(high: 5, low: 6)
    private static let list = ObjectName("Thing", "list")

    /// Several nodes on one store.
    private struct Nodes {
        var store = MemoryServerStore(epoch: 7)
        var machines: [ServerMachine] = []
        /// Requests that the store hasn't executed, by node.
        var requests: [[(number: RequestNumber, request: ServerStoreRequest)]]
        /// Requests that were answered by `unknown` and that the store executes later.
        var late: [ServerStoreRequest] = []
        var outcomes: [SubmissionNumber: SubmissionOutcome] = [:]
        var random: SeededRandom
        var now: Int64 = 1_000_000

        init(_ count: Int, _ random: SeededRandom = SeededRandom(seed: 1)) {
            self.random = random
            requests = Array(repeating: [], count: count)
            machines = (0..<count).map { _ in Self.machine() }
        }

        static func machine() -> ServerMachine {
            var configuration = ServerConfiguration(apps: ["app": ServerApp()]) { _, _ in nil }
            configuration.writerSecret = { _ in WriterFileTests.secret }
            return ServerMachine(configuration, matcher: SimpleMatcher())
        }

        /// A new node takes the place of one that has ended.
        mutating func restart(_ node: Int) {
            machines[node] = Self.machine()
            requests[node] = []
        }

        mutating func run(_ event: ServerEvent, _ node: Int) {
            var events = [event]
            while !events.isEmpty {
                for action in machines[node].handle(events.removeFirst(), now: now, random: &random) {
                    switch action {
                    case .request(let number, let request): requests[node].append((number, request))
                    case .submitted(let number, let outcome):
                        expect(outcomes[number] == nil, "\(number) is answered twice")
                        outcomes[number] = outcome
                    case .work(let number, var work): events.append(.worked(number, work.finish()))
                    case .setTimer(.group(let stream), _): events.append(.timer(.group(stream)))
                    default: break
                    }
                }
            }
        }

        /// Executes the oldest request of a node.
        mutating func answer(_ node: Int) {
            guard !requests[node].isEmpty else { return }
            let (number, request) = requests[node].removeFirst()
            run(.answered(number, store.perform(request)), node)
        }

        /// Executes the oldest request of a node, now, later or never, and loses its answer.
        mutating func lose(_ node: Int) {
            guard !requests[node].isEmpty else { return }
            let (number, request) = requests[node].removeFirst()
            switch Int.random(in: 0..<3, using: &random) {
            case 0: _ = store.perform(request)
            case 1: late.append(request)
            default: break
            }
            run(.answered(number, .failed(.unknown)), node)
        }

        mutating func tick() {
            now += 1_000
            for node in machines.indices { run(.timer(.look(stream)), node) }
        }

        /// Lets all nodes finish their work.
        mutating func settle() {
            for _ in 0..<40 {
                for node in machines.indices { while !requests[node].isEmpty { answer(node) } }
                tick()
            }
        }

        mutating func submit(_ number: SubmissionNumber, _ node: Int) {
            let changes: [Change] = [
                .increment(Place(list, "count"), 1),
                .insert(Place(list, "list"), Gap(after: nil, before: nil), first: 1, [.int(Int64(number))]),
            ]
            run(.submit(number, Submission(stream: stream, user: "ann", changes: changes)), node)
        }

        /// The numbers of the submissions that were executed, as often as they were.
        var executed: [UInt64] {
            guard case .list(let values)? = store.contents(of: stream)[list]?.contents["list"] else { return [] }
            return values.compactMap { if case .value(.int(let number)) = $0 { UInt64(number) } else { nil } }
        }

        var writers: [FileRow] { store.files(of: stream).values.filter { $0.user == "" } }
    }

    private static func nodes(_ count: Int, _ random: SeededRandom = SeededRandom(seed: 1)) -> Nodes {
        var nodes = Nodes(count, random)
        let fields = [
            NewField("count", .value(.int(0))), NewField("list", .list(first: 1, [])),
        ]
        nodes.run(.submit(1, Submission(stream: stream, user: "ann", changes: [.create(list, fields)])), 0)
        nodes.settle()
        return nodes
    }

    @Test func `each life of a node continues the file, and its elements have numbers of their own`() {
        var nodes = Self.nodes(1)
        for life in 0..<5 as Range<UInt64> {
            for number in 0..<3 as Range<UInt64> {
                nodes.submit(10 + life * 3 + number, 0)
                nodes.settle()
            }
            nodes.restart(0)
        }
        expectEqual(nodes.executed.sorted(), Array(10..<25))
        expectEqual(nodes.writers.map(\.last), [16])
        expectEqual(nodes.store.files(of: Self.stream).count, 1)
        for (number, outcome) in nodes.outcomes {
            guard case .done(_, let refusals) = outcome, refusals.isEmpty else {
                Issue.record("\(number): \(outcome)")
                continue
            }
        }
    }

    @Test func `a number that another process has taken is given up`() {
        var nodes = Self.nodes(2)
        // The first node has merged its submission when the second one commits.
        nodes.submit(10, 0)
        while let request = nodes.requests[0].first?.request {
            if case .commit = request.kind { break }
            nodes.answer(0)
        }
        nodes.submit(11, 1)
        while !nodes.requests[1].isEmpty { nodes.answer(1) }
        nodes.submit(12, 0)
        nodes.settle()
        expectEqual(nodes.executed.sorted(), [10, 11, 12])
        expectEqual(nodes.writers.map(\.last), [4])
        expectEqual(nodes.outcomes.count, 4)
    }

    @Test func `a commit whose answer was lost isn't executed twice, whichever node commits next`() {
        for isExecuted in [true, false] {
            var nodes = Self.nodes(2)
            nodes.submit(10, 0)
            while let request = nodes.requests[0].first?.request {
                if case .commit = request.kind { break }
                nodes.answer(0)
            }
            let lost = nodes.requests[0].removeFirst()
            if isExecuted { _ = nodes.store.perform(lost.request) }
            nodes.run(.answered(lost.number, .failed(.unknown)), 0)
            nodes.submit(11, 1)
            while !nodes.requests[1].isEmpty { nodes.answer(1) }
            // It reaches the store now, behind the other node's commit.
            if !isExecuted { _ = nodes.store.perform(lost.request) }
            nodes.settle()
            expectEqual(nodes.executed.sorted(), [10, 11])
            expectEqual(nodes.outcomes.count, 3)
        }
    }

    @Test func `several nodes write under one file exactly once, whatever the store does`() {
        var random = SeededRandom(test: "several nodes write under one file exactly once, whatever the store does")
        for _ in TestBudget.range("WriterFileTests.nodes", usual: 40, soak: 20_000) {
            var nodes = Self.nodes(3, SeededRandom(seed: random.next()))
            var next: SubmissionNumber = 10
            var isLost: Set<SubmissionNumber> = []
            var asked: [SubmissionNumber: Int] = [:]
            for _ in 0..<200 {
                let node = Int.random(in: 0..<3, using: &random)
                switch Int.random(in: 0..<100, using: &random) {
                case 0..<25:
                    asked[next] = node
                    nodes.submit(next, node)
                    next += 1
                case 25..<75: nodes.answer(node)
                case 75..<85: nodes.lose(node)
                case 85..<92: if !nodes.late.isEmpty { _ = nodes.store.perform(nodes.late.removeFirst()) }
                case 92..<98: nodes.tick()
                default:
                    for (number, owner) in asked where owner == node && nodes.outcomes[number] == nil {
                        isLost.insert(number)
                    }
                    nodes.restart(node)
                }
            }
            nodes.settle()
            for request in nodes.late { _ = nodes.store.perform(request) }
            let counts = Dictionary(nodes.executed.map { ($0, 1) }, uniquingKeysWith: +)
            for number in 10..<next {
                switch nodes.outcomes[number] {
                case .done(_, let refusals)?:
                    expectEqual(counts[number], 1, "\(number)")
                    expect(refusals.isEmpty, "\(refusals)")
                case .failed(.transient, _)?: expect(counts[number] ?? 0 <= 1, "\(number)")
                case nil: expect(isLost.contains(number) && counts[number] ?? 0 <= 1, "\(number)")
                case let outcome?: Issue.record("\(number): \(outcome)")
                }
            }
            let head = nodes.store.head(of: Self.stream)
            expectEqual(nodes.writers.count, 1)
            expectEqual(nodes.writers.first?.last, head.version)
            let count = nodes.store.contents(of: Self.stream)[Self.list]?.contents["count"]
            expectEqual(count, .value(.int(Int64(nodes.executed.count))))
        }
    }

    @Test func `old files of submissions are removed behind the horizon, and their numbers aren't given again`() {
        var bench = ServerBench { ($0.logAge, $0.horizonAge) = (1_000_000, 1_000_000) }
        func submit(_ number: SubmissionNumber) {
            let name = ObjectName("Thing", .int(Int64(number)))
            bench.run(.submit(number, Submission(stream: Self.stream, user: "ann", changes: [.create(name, [])])))
        }
        // Lives of a server of an earlier version.
        for number in 1...4 as ClosedRange<UInt64> {
            submit(number)
            bench.killNode()
        }
        expectEqual(bench.store.files(of: Self.stream).count, 4)
        bench.configuration.writerSecret = { _ in Self.secret }
        bench.killNode()
        submit(5)
        bench.now += 500_000
        bench.run(.timer(.trim))
        // Answers that aren't behind the horizon may still be needed.
        expectEqual(bench.store.files(of: Self.stream).count, 5)
        bench.now += 600_000
        submit(6)
        for _ in 0..<2 { bench.run(.timer(.trim)) }
        bench.now += 600_000
        submit(7)
        for _ in 0..<2 { bench.run(.timer(.trim)) }
        expectEqual(Array(bench.store.files(of: Self.stream).keys), [FileIdent(rawValue: 5)])
        expectEqual(bench.store.files(of: Self.stream)[FileIdent(rawValue: 5)]?.last, 3)
        let client = bench.add()
        expectEqual(bench.clients[client].identity?.ident, FileIdent(rawValue: 6))
    }
}
