import Dispatch
import Foundation
import TestScript
import Testing

@testable import FreeholdEngine

/// Requests for the writer lock by places that do other work in the meantime.
struct WriteTurnTests {
    let folder = TemporaryFolder()

    private func open() throws -> Database { try Database.open(at: folder.file("turns.realm")) }

    /// A turn that records when it is offered the lock.
    private final class Asked: Sendable {
        let isReady = DispatchSemaphore(value: 0)
        let readyCount = Shared(0)
        let turn: WriteTurn

        init(
            _ database: Database,
            _ place: WritePlace,
            ticket: UInt64? = nil,
            until deadline: ContinuousClock.Instant? = nil
        ) {
            turn = WriteTurn(database, place, ticket: ticket, until: deadline) { [isReady, readyCount] in
                readyCount.withLock { $0 += 1 }
                isReady.signal()
            }
        }
    }

    @Test func `a free lock is offered to a turn, which begins a transaction`() throws {
        let database = try open()
        let asked = Asked(database, WritePlace())
        asked.isReady.wait()
        if let transaction = try asked.turn.take() {
            expect(try database.beginWriteNow() == nil)
            transaction.cancel()
        }
        expect(try asked.turn.take() == nil)
        try database.beginWrite().cancel()
        expectEqual(asked.readyCount.withLock { $0 }, 1)
    }

    @Test func `an offer expires, and the other turns of the place leave the queue`() throws {
        let database = try open()
        let (busy, other) = (WritePlace(), WritePlace())
        let held = try database.beginWrite()
        let turns = (0..<1000).map { _ in Asked(database, busy) }
        let last = Asked(database, other)
        expectEqual(database.waitingWriterCount, 1001)
        held.cancel()
        // One offer of the busy place lapses, not a thousand.
        last.isReady.wait()
        for asked in turns {
            asked.isReady.wait()
            expect(try asked.turn.take() == nil)
        }
        if let transaction = try last.turn.take() { transaction.cancel() }
        try database.beginWrite().cancel()
        expectEqual(database.waitingWriterCount, 0)
    }

    @Test func `a place that requests again is before later requests`() throws {
        let database = try open()
        let place = WritePlace()
        let held = try database.beginWrite()
        let first = Asked(database, place)
        let second = Asked(database, WritePlace())
        expect(try first.turn.overtake() == nil)
        first.isReady.wait()
        expect(try first.turn.take() == nil)
        let again = Asked(database, place, ticket: first.turn.ticket)
        expectEqual(database.waitingWriterCount, 2)
        held.cancel()
        again.isReady.wait()
        // The offer may have lapsed by now, if this thread was late.
        if let transaction = try again.turn.take() {
            expectEqual(second.readyCount.withLock { $0 }, 0)
            transaction.cancel()
        }
        second.isReady.wait()
        try second.turn.take()?.cancel()
        try database.beginWrite().cancel()
    }

    @Test func `a turn ends at its deadline, by a cancellation, or with the reason of the failure`() throws {
        let database = try open()
        let held = try database.beginWrite()
        let late = Asked(database, WritePlace(), until: .now + .milliseconds(5))
        let cancelled = Asked(database, WritePlace())
        cancelled.turn.cancel()
        for (asked, expected) in [(late, EngineError.Code.busy), (cancelled, .cancelled)] {
            asked.isReady.wait()
            expectEqual(code { () throws(EngineError) in _ = try asked.turn.take() }, expected)
        }
        expectEqual(database.waitingWriterCount, 0)
        held.cancel()
        var options = Database.Options()
        options.readOnly = true
        let other = folder.file("other.realm")
        do { _ = try Database.open(at: other) }
        let readOnly = try Database.open(at: other, options: options)
        let refused = Asked(readOnly, WritePlace())
        refused.isReady.wait()
        expectEqual(code { () throws(EngineError) in _ = try refused.turn.take() }, .readOnly)
    }

    /// Places that answer at once, late and never, beside threads.
    @Test func `a storm of turns leaves the lock free, and one transaction at a time has it`() async throws {
        let database = try open()
        let inside = Shared(0)
        let overlaps = Shared(0)
        let written = Shared(0)
        @Sendable func work(_ transaction: WriteTransaction) {
            let many = inside.withLock { count -> Int in
                count += 1
                return count
            }
            if many != 1 { overlaps.withLock { $0 += 1 } }
            inside.withLock { $0 -= 1 }
            written.withLock { $0 += 1 }
            transaction.cancel()
        }
        let group = DispatchGroup()
        for number in 0..<12 {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                let place = WritePlace()
                for round in 0..<20 {
                    if number % 3 == 0 {
                        if let transaction = try? database.beginWrite() { work(transaction) }
                        continue
                    }
                    let asked = Asked(database, place)
                    if number % 3 == 1, round % 5 == 0 {
                        if let transaction = try? asked.turn.overtake() { work(transaction) }
                        continue
                    }
                    asked.isReady.wait()
                    // Now and then the place is busy for longer than an offer lasts.
                    if (number + round) % 7 == 0 { usleep(15_000) }
                    if let transaction = try? asked.turn.take() { work(transaction) }
                }
            }
        }
        await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
        expectEqual(overlaps.withLock { $0 }, 0)
        expect(written.withLock { $0 } >= 80)
        try database.beginWrite().cancel()
        expectEqual(database.waitingWriterCount, 0)
    }

    @Test func `alarms fire in the order of their times, and a cancelled one never fires`() async {
        let clock = AlarmClock.current
        let rung = Shared<[Int]>([])
        let now = ContinuousClock.now
        await withCheckedContinuation { done in
            var alarms: [AlarmClock.Alarm] = []
            for i in [5, 1, 3, 2, 4] {
                alarms.append(clock.set(now + .milliseconds(20 * i)) { rung.withLock { $0.append(i) } })
            }
            alarms[2].cancel()
            _ = clock.set(now + .milliseconds(101)) { done.resume() }
        }
        expectEqual(rung.withLock { $0 }, [1, 2, 4, 5])
    }
}
