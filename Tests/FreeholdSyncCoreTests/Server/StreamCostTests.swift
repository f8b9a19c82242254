import TestExpectations
import TestRandom
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// The cost of a commit at a node: it doesn't grow with the sessions and rows that the commit doesn't concern.
@Suite(.serialized) struct StreamCostTests {
    private static let stream = ServerBench.stream

    /// A node with one session that writes, and others that each have a view of a class of their own.
    private struct Node {
        private var machine: ServerMachine
        private var store = MemoryServerStore(epoch: 7)
        private var random = SeededRandom(seed: 1)
        private var committed: UInt64 = 0
        private var hash = RunningHash.empty
        private(set) var answers = 0

        init(sessions: Int) {
            var configuration = ServerConfiguration(apps: ["app": ServerApp()]) { token, _ in token.text }
            (configuration.requestsPerUser, configuration.userBytes) = (1_000_000, 1 << 40)
            machine = ServerMachine(configuration, matcher: SimpleMatcher())
            for number in 1...UInt64(sessions) {
                run(.opened(number))
                receive(.hello(Hello(deviceTime: 0, token: AccessToken("u"))), number)
                receive(.bind(1, Bind(app: "app", schema: SchemaClaim(version: 0, hash: .empty))), number)
                receive(.credit(1, bytes: 1 << 30), number)
                let query = ClassQuery(className: number == 1 ? "A" : SyncString("C\(number)"), condition: "all")
                receive(.queries(1, Queries(version: 1, queries: [query])), number)
            }
        }

        private mutating func receive(_ message: ClientMessage, _ connection: UInt64) {
            run(.received(connection, message, bytes: 100))
        }

        private mutating func run(_ event: ServerEvent) {
            var events = [event]
            while let next = events.popLast() {
                for action in machine.handle(next, now: 1_000_000, random: &random) {
                    switch action {
                    case .send(_, .error(_, let error)): Issue.record("\(error)")
                    case .send(1, .ack): answers += 1
                    case .request(let number, let request):
                        events.insert(.answered(number, store.perform(request)), at: 0)
                    case .work(let number, var work): events.insert(.worked(number, work.finish()), at: 0)
                    case .setTimer(.group(let stream), _): events.insert(.timer(.group(stream)), at: 0)
                    default: break
                    }
                }
            }
        }

        mutating func commit(_ changes: [Change]) {
            committed += 1
            hash = hash.appending([UInt8(truncatingIfNeeded: committed)])
            let commit = Commit(
                number: committed,
                clock: Clock(milliseconds: 1_000_000),
                base: committed - 1,
                seen: [:],
                changes: changes
            )
            let upload = Upload(commits: [UploadedCommit(commit: commit, hash: hash)])
            run(.received(1, .upload(1, upload), bytes: 100))
        }

        /// Returns the least processor time of several commits that set one field.
        mutating func secondsOfCommit() -> Double {
            (0..<12).map { number in
                CPUTime.spent { commit([.set(Place(ObjectName("A", 1), "x"), .int(Int64(number)), .real)]) }.seconds
            }.min() ?? 0
        }
    }

    private static func create(_ keys: Range<Int>) -> [Change] {
        keys.map { .create(ObjectName("A", .int(Int64($0))), [NewField("x", .value(.int(0)))]) }
    }

    @Test func `the cost of a commit doesn't depend on the number of sessions with other views`() {
        var (few, many) = (Node(sessions: 10), Node(sessions: 3_000))
        few.commit(Self.create(0..<4))
        many.commit(Self.create(0..<4))
        let (low, high) = (few.secondsOfCommit(), many.secondsOfCommit())
        print("StreamCostTests: 10 sessions \(low * 1e6) µs, 3,000 sessions \(high * 1e6) µs")
        expectEqual(many.answers, 13)
        expect(high < 3 * low, "\(low) \(high)")
    }

    @Test func `the cost of a commit doesn't depend on the number of rows in memory`() {
        var (few, many) = (Node(sessions: 1), Node(sessions: 1))
        few.commit(Self.create(0..<4))
        for start in stride(from: 0, to: 20_000, by: 500) { many.commit(Self.create(start..<start + 500)) }
        let (low, high) = (few.secondsOfCommit(), many.secondsOfCommit())
        print("StreamCostTests: 4 rows \(low * 1e6) µs, 20,000 rows \(high * 1e6) µs")
        expectEqual(many.answers, 52)
        expect(high < 3 * low, "\(low) \(high)")
    }
}
