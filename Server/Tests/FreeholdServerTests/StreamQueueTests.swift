import Dispatch
import FreeholdSyncCore
import Synchronization
import Testing

@testable import FreeholdServer

/// The work of streams on a few threads.
@Suite(.timeLimit(.minutes(20))) struct StreamQueueTests {
    private static func stream(_ number: Int) -> StreamName { StreamName(app: "app", value: .int(Int64(number))) }

    @Test func `the work of each stream runs in its order, and never twice at the same time`() async {
        let queue = StreamQueue(width: 3)
        let seen = Mutex<[Int: [Int]]>([:])
        let running = Mutex<Set<Int>>([])
        let overlaps = Atomic(0)
        let group = DispatchGroup()
        for number in 0..<4_000 {
            let stream = number * 7 % 11
            group.enter()
            queue.add(Self.stream(stream)) {
                if !running.withLock({ $0.insert(stream).inserted }) { overlaps.add(1, ordering: .relaxed) }
                seen.withLock { $0[stream, default: []].append(number) }
                running.withLock { _ = $0.remove(stream) }
                group.leave()
            }
        }
        await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
        #expect(overlaps.load(ordering: .relaxed) == 0)
        let orders = seen.withLock { $0 }
        #expect(orders.values.reduce(0) { $0 + $1.count } == 4_000)
        #expect(orders.values.allSatisfy { $0 == $0.sorted() })
    }

    @Test func `a stream whose work doesn't end delays no other`() async {
        let queue = StreamQueue(width: 2)
        let gate = DispatchSemaphore(value: 0)
        queue.add(Self.stream(0)) { gate.wait() }
        for _ in 0..<100 { queue.add(Self.stream(0)) {} }
        for number in 1...20 {
            await withCheckedContinuation { done in queue.add(Self.stream(number)) { done.resume() } }
        }
        gate.signal()
        await withCheckedContinuation { done in queue.add(Self.stream(0)) { done.resume() } }
    }

    @Test func `a stream with much work takes turns with the others`() async {
        let queue = StreamQueue(width: 1)
        let gate = DispatchSemaphore(value: 0)
        let order = Mutex<[Int]>([])
        queue.add(Self.stream(0)) { gate.wait() }
        for _ in 0..<50 { queue.add(Self.stream(1)) { order.withLock { $0.append(1) } } }
        queue.add(Self.stream(2)) { order.withLock { $0.append(2) } }
        gate.signal()
        await withCheckedContinuation { done in queue.add(Self.stream(1)) { done.resume() } }
        // The one piece of work of the second stream ran after the first piece of the first stream.
        #expect(order.withLock { $0.firstIndex(of: 2) } == 1)
    }
}
