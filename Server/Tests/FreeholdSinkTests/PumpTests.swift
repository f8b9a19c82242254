import Foundation
import FreeholdBSON
import FreeholdServerStore
import FreeholdSyncCore
import ServerTestRandom
import Synchronization
import Testing

@testable import FreeholdServer

/// A sink in memory that fails when a test says so.
final class MemorySink: IngestSink, Sendable {
    struct State {
        var keys: [Int64] = []
        var batches: [(key: String, count: Int)] = []
        var failures = 0
        var notes: BSONDocument?
    }

    let state = Mutex(State())
    let needsSameBatches: Bool
    private let fails: @Sendable (Int) -> Bool

    init(needsSameBatches: Bool = false, fails: @escaping @Sendable (Int) -> Bool = { _ in false }) {
        self.needsSameBatches = needsSameBatches
        self.fails = fails
    }

    struct Refused: Error {}

    func resume(_ notes: BSONDocument) { state.withLock { $0.notes = notes } }

    func deliver(_ batch: IngestBatch) throws -> BSONDocument {
        try state.withLock { state in
            if fails(state.batches.count + state.failures) {
                state.failures += 1
                throw Refused()
            }
            state.batches.append((batch.key, batch.objects.count))
            state.keys += batch.objects.compactMap { $0.document["_id"]?.asInt64() }
            return ["batches": .int64(Int64(state.batches.count))]
        }
    }
}

@Suite("Pumps of ingested objects", .timeLimit(.minutes(20)))
struct PumpTests {
    private func pump(
        _ source: MemorySource,
        _ sink: MemorySink,
        _ folder: SinkFolder,
        _ options: IngestPump.Options = .init(batchObjects: 5, idle: .milliseconds(5), backoff: .quick)
    ) -> IngestPump {
        IngestPump(source, to: sink, ledger: folder.path + "/ledger", options: options)
    }

    @Test
    func `objects that come while it runs are delivered in their order, also between failures`() async throws {
        var random = SeededRandom(test: "pump")
        for _ in 0..<5 {
            let (folder, source) = (try SinkFolder(), MemorySource())
            let seed = random.next()
            let sink = MemorySink { ($0 &* 0x9E37 ^ Int(truncatingIfNeeded: seed)) % 3 == 0 }
            let pump = pump(source, sink, folder)
            let task = Task { try await pump.run() }
            var next: Int64 = 0
            for _ in 0..<30 {
                let count = Int64.random(in: 0...12, using: &random)
                source.add(next..<next + count)
                next += count
                if random.chance(50) { pump.wake() }
                if random.chance(50) {
                    try await Task.sleep(for: .microseconds(Int.random(in: 0...2_000, using: &random)))
                }
            }
            while await pump.status.delivered < next { try await Task.sleep(for: .milliseconds(2)) }
            task.cancel()
            try await task.value
            #expect(sink.state.withLock { $0.keys } == Array(0..<next))
            #expect(await pump.status.delivered == next)
        }
    }

    @Test
    func `waking it doesn't wait for the idle time`() async throws {
        let (folder, source, sink) = (try SinkFolder(), MemorySource(), MemorySink())
        let pump = pump(source, sink, folder, .init(idle: .seconds(600)))
        let task = Task { try await pump.run() }
        for round in 1...20 {
            source.add([Int64(round)])
            pump.wake()
            while sink.state.withLock({ $0.keys.count }) < round { try await Task.sleep(for: .milliseconds(1)) }
        }
        task.cancel()
        try await task.value
    }

    @Test
    func `notes come back after a restart; a batch that was noted keeps its bounds and its key`() async throws {
        let (folder, source) = (try SinkFolder(), MemorySource())
        source.add(0..<5)
        let first = MemorySink(needsSameBatches: true)
        try await pump(source, first, folder).drain()
        source.add(5..<8)
        // The sink takes the batch, and the disk fails before the pump records that. The pump first writes the bounds
        // of the batch, then that it was delivered.
        let disk = FaultyDisk(.init(death: 2, share: 0))
        let second = MemorySink(needsSameBatches: true)
        let dying = IngestPump(
            source,
            to: second,
            ledger: folder.path + "/ledger",
            options: .init(batchObjects: 5, backoff: .quick),
            calls: disk.calls,
            now: { 1_000 }
        )
        await #expect(throws: IngestFailure.self) { try await dying.drain() }
        #expect(second.state.withLock { $0.notes } == ["batches": 1])
        #expect(second.state.withLock { $0.keys } == [5, 6, 7])
        // More objects were added in the meantime.
        source.add(8..<30)
        let third = MemorySink(needsSameBatches: true)
        try await pump(source, third, folder).drain()
        let (before, after) = (second.state.withLock { $0.batches }, third.state.withLock { $0.batches })
        #expect(after[0].key == before[0].key && after[0].count == 3)
        #expect(third.state.withLock { $0.keys } == Array(5..<30))
        #expect(Set(after.map(\.key)).count == after.count)
    }

    @Test
    func `delivered objects leave the store, if that is asked for; how many wait is said`() async throws {
        let (folder, source, sink) = (try SinkFolder(), MemorySource(), MemorySink())
        source.add(0..<23)
        let pump = pump(source, sink, folder, .init(batchObjects: 5, removesDelivered: true))
        #expect(try await pump.deliverBatch())
        #expect(await pump.status.waiting == 18)
        try await pump.drain()
        #expect(source.removed == 23)
        #expect(await pump.status.waiting == 0)
        source.add(23..<25)
        try await self.pump(source, sink, folder).drain()
        #expect(sink.state.withLock { $0.keys } == Array(0..<25))
    }

    @Test
    func `two pumps with one ledger: the second ends at once`() async throws {
        let (folder, source, sink) = (try SinkFolder(), MemorySource(), MemorySink())
        let first = pump(source, sink, folder)
        _ = try await first.deliverBatch()
        let second = pump(source, sink, folder)
        await #expect(throws: IngestFailure.self) { try await second.run() }
        await first.close()
        try await second.drain()
    }

    @Test
    func `pauses grow, have chance in them, and heed the receiver within bounds`() {
        let backoff = IngestBackoff(first: .milliseconds(100), greatest: .seconds(10), greatestAsked: .seconds(60))
        var random = SeededRandom(test: "backoff")
        for failures in 1...200 {
            let full = min(Duration.milliseconds(100) * Double(1 << min(failures - 1, 20)), .seconds(10))
            let pause = backoff.pause(after: failures, asked: nil, using: &random)
            #expect(pause >= full * 0.5 && pause <= full)
        }
        #expect(backoff.pause(after: 1, asked: .seconds(30), using: &random) == .seconds(30))
        #expect(backoff.pause(after: 1, asked: .seconds(3_600), using: &random) == .seconds(60))
        #expect(backoff.pause(after: 50, asked: .zero, using: &random) >= .seconds(5))
        #expect(Set((0..<20).map { _ in backoff.pause(after: 3, asked: nil, using: &random) }).count > 10)
    }
}
