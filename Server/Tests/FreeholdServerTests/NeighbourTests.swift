import Dispatch
import Foundation
import FreeholdSync
import FreeholdSyncCore
import NIOEmbedded
import Synchronization
import Testing

@testable import FreeholdServer

/// The work of one user beside the work of others: turns, shares, and cancellation.
@Suite(.timeLimit(.minutes(20))) struct NeighbourTests {
    private static func until(_ isSo: () -> Bool) async throws -> Bool {
        for _ in 0..<1_000 where !isSo() { try await Task.sleep(for: .milliseconds(10)) }
        return isSo()
    }

    // MARK: Work

    /// The events of a test, in their order.
    private final class Events: Sendable {
        private let texts = Mutex<[String]>([])
        var all: [String] { texts.withLock { $0 } }
        func note(_ text: String) { texts.withLock { $0.append(text) } }
    }

    @Test func `a user with much work takes turns with the others`() async throws {
        let queue = WorkQueue(width: 1)
        let (gate, events) = (DispatchSemaphore(value: 0), Events())
        var tasks = [Task { try await queue.run(for: "gate") { gate.wait() } }]
        #expect(try await Self.until { queue.waiting == 1 })
        for _ in 0..<50 { tasks.append(Task { try await queue.run(for: "ann") { events.note("ann") } }) }
        #expect(try await Self.until { queue.waiting == 51 })
        tasks.append(Task { try await queue.run(for: "ben") { events.note("ben") } })
        #expect(try await Self.until { queue.waiting == 52 })
        gate.signal()
        for task in tasks { try await task.value }
        #expect(events.all.firstIndex(of: "ben") == 1)
        #expect(events.all.count == 51)
    }

    @Test func `work whose task is cancelled isn't begun`() async throws {
        let queue = WorkQueue(width: 1)
        let (gate, events) = (DispatchSemaphore(value: 0), Events())
        let first = Task { try await queue.run(for: "gate") { gate.wait() } }
        let task = Task { try await queue.run(for: "ann") { events.note("ann") } }
        #expect(try await Self.until { queue.waiting == 2 })
        task.cancel()
        gate.signal()
        try await first.value
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(events.all.isEmpty)
    }

    @Test func `the cancellation of work that has ended leaves nothing`() {
        let queue = WorkQueue(width: 1)
        for number in 1...100 as ClosedRange<WorkNumber> { queue.cancel(number) }
        #expect(queue.known == 0)
    }

    @Test func `a user has a few reads at a time, and one that is cancelled leaves the line`() async throws {
        let (shares, events) = (UserShares(most: 2), Events())
        let (stream, go) = AsyncStream<Void>.makeStream()
        let tasks = (0..<20).map { _ in
            Task {
                let place = try await shares.enter("ann")
                for await _ in stream { break }
                events.note("done")
                place.leave()
            }
        }
        #expect(try await Self.until { shares.counts(of: "ann") == (2, 18) })
        // The read of another user doesn't wait.
        try await shares.enter("ben").leave()
        for task in tasks[10...] { task.cancel() }
        #expect(try await Self.until { shares.counts(of: "ann").waiting <= 10 })
        #expect(shares.counts(of: "ann").running <= 2)
        go.finish()
        for task in tasks { _ = try? await task.value }
        #expect(events.all.count >= 10)
        #expect(shares.counts(of: "ann") == (0, 0))
    }

    // MARK: Messages

    @Test func `a flood of one user's messages leaves others their turns`() async throws {
        let server = try await TestServer()
        let flooder = try await RawPeer(port: server.port)
        try await flooder.hello(TestServer.token("mallory"))
        _ = try await flooder.next { if case .welcome = $0 { true } else { false } }
        try await flooder.subscribe()
        let ann = try await TestClient(port: server.port)
        try await ann.subscribe()
        let flood = Task {
            while !Task.isCancelled {
                for _ in 0..<500 { try await flooder.send(.credit(1, bytes: 1)) }
            }
        }
        for key in 1...20 {
            try ann.create(.int(Int64(key)))
            try await ann.settle()
        }
        flood.cancel()
        _ = try? await flood.value
        #expect(server.contents.count == 20)
        flooder.close()
        await ann.close()
        await server.stop()
    }

    @Test func `messages of users take turns, each in its order`() async throws {
        let turns = MessageTurns()
        let server = try await TestServer()
        let node = server.running.node
        let channel = NIOAsyncTestingChannel()
        let peer = Peer(node, channel, PeerCircle(channel.eventLoop, NodeLimits()))
        func add(_ number: UInt64, _ user: SyncString) -> Bool {
            turns.add(.message(.credit(1, bytes: number), bytes: 1, peer), of: user)
        }
        func taken(_ user: SyncString) -> UInt64? {
            guard case .message(.credit(_, let bytes), _, _)? = turns.item(of: user) else { return nil }
            return bytes
        }
        #expect(add(1, "ann"))
        for number in 2...3 { #expect(!add(UInt64(number), "ann")) }
        #expect(!add(10, "ben"))
        #expect(turns.next() == "ann")
        #expect(taken("ann") == 1)
        #expect(turns.end("ann", isBusy: false))
        #expect(turns.next() == "ben")
        #expect(taken("ben") == 10)
        // The next messages of this user wait for the store.
        #expect(!add(11, "ben"))
        #expect(turns.end("ben", isBusy: true))
        #expect(turns.parked == ["ben"])
        #expect(turns.next() == "ann")
        #expect(taken("ann") == 2)
        #expect(taken("ann") == 3)
        #expect(taken("ann") == nil)
        #expect(!turns.end("ann", isBusy: false))
        #expect(turns.next() == nil)
        #expect(turns.resume("ben"))
        #expect(!turns.resume("ben"))
        #expect(turns.next() == "ben")
        #expect(taken("ben") == 11)
        #expect(!turns.end("ben", isBusy: false))
        #expect(turns.count == 0)
        await server.stop()
    }

    @Test func `a user whose sessions wait for the store doesn't keep others from binding`() async throws {
        let server = try await TestServer { $0.node.limits.requestsPerUser = 2 }
        let many = try await RawPeer(port: server.port)
        try await many.hello(TestServer.token("mallory"))
        for number in 1...500 {
            let session = SessionNumber(rawValue: UInt32(number))
            try await many.send(.bind(session, Bind(app: "test", schema: SchemaClaim(version: 0, hash: .empty))))
        }
        let ann = try await TestClient(port: server.port)
        try await ann.subscribe()
        try ann.create(1)
        try await ann.settle()
        // The sessions of the other user are bound, too.
        var bound = 0
        while bound < 500, let message = try await many.next() {
            if case .bound = message { bound += 1 }
            #expect(message.fault == nil)
        }
        #expect(bound == 500)
        many.close()
        await ann.close()
        await server.stop()
    }

    // MARK: Expensive conditions

    /// Creates objects with two lists. A comparison of the lists with each other is expensive.
    private static func fill(_ client: TestClient, keys: ClosedRange<Int>, elements: Int) async throws {
        for key in keys {
            let lists = [("l", 0), ("m", 1_000_000)].map { name, start in
                (SyncString(name), MergedContent.list((start..<start + elements).map { .value(.int(Int64($0))) }))
            }
            let contents = Dictionary(uniqueKeysWithValues: lists)
            try client.commit([.create(ObjectName("Thing", .int(Int64(key))), contents, defaults: [])])
        }
        try await client.settle()
    }

    private static let expensive = ClassQuery(className: "Thing", condition: "ANY l == ANY m")

    @Test func `conditions that are expensive to compare don't hold up commits of others`() async throws {
        let server = try await TestServer { $0.node.limits.objectSteps = 100_000 }
        let ann = try await TestClient(port: server.port)
        try await ann.subscribe()
        try await Self.fill(ann, keys: 1...10, elements: 200)
        try await Self.fill(ann, keys: 11...11, elements: 400)
        var peers: [RawPeer] = []
        for number in 0..<4 {
            let peer = try await RawPeer(port: server.port)
            try await peer.hello(TestServer.token("mallory \(number)"))
            #expect(try await peer.bind("test") == nil)
            try await peer.send(.credit(1, bytes: 1 << 30))
            try await peer.send(.queries(1, Queries(version: 1, queries: [Self.expensive])))
            peers.append(peer)
        }
        for key in 100...110 {
            try ann.create(.int(Int64(key)))
            try await ann.settle()
        }
        for peer in peers {
            let end = try await peer.next { if case .bootstrapEnd = $0 { true } else { false } }
            #expect(end != nil)
            peer.close()
        }
        await ann.close()
        await server.stop()
    }

    @Test func `a server that drains while conditions are compared ends in time`() async throws {
        let server = try await TestServer { $0.node.limits.objectSteps = 1_000_000_000 }
        let ann = try await TestClient(port: server.port)
        try await ann.subscribe()
        try await Self.fill(ann, keys: 1...30, elements: 500)
        await ann.close()
        for number in 0..<8 {
            let peer = try await RawPeer(port: server.port)
            try await peer.hello(TestServer.token("mallory \(number)"))
            #expect(try await peer.bind("test") == nil)
            try await peer.send(.credit(1, bytes: 1 << 30))
            try await peer.send(.queries(1, Queries(version: 1, queries: [Self.expensive])))
        }
        #expect(try await Self.until { server.running.node.work.waiting > 0 })
        let start = ContinuousClock.now
        await server.running.stop(after: 100)
        let time = ContinuousClock.now - start
        #expect(time < .seconds(10), "\(time)")
    }
}
