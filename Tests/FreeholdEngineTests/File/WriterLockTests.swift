import Foundation
import Testing

@testable import FreeholdEngine

/// Open-file-description locks belong to the open, not to the process: two `WriterLock`s on one path contend as two
/// processes do.
struct WriterLockTests {
    let folder = TemporaryFolder()

    private func makeLock() throws -> WriterLock { try WriterLock(path: folder.file("test.realm.writer")) }

    private func enter(_ inside: Shared<Int>) -> Int {
        inside.withLock {
            $0 += 1
            return $0
        }
    }

    @Test func `the lock has one holder at a time`() throws {
        let one = try makeLock()
        let other = try makeLock()
        try one.acquire()
        expect(try !one.tryAcquire())
        expect(try !other.tryAcquire())
        one.release()
        expect(try other.tryAcquire())
        expect(try !one.tryAcquire())
        other.release()
        try one.acquire()
        one.release()
    }

    @Test func `closing releases the lock`() throws {
        let one = try makeLock()
        let other = try makeLock()
        try one.acquire()
        one.close()
        expect(try other.tryAcquire())
        expectEqual(code { () throws(EngineError) in try makeClosed().acquire() }, .environmentClosed)
    }

    private func makeClosed() throws(EngineError) -> WriterLock {
        let lock = try WriterLock(path: folder.file("closed"))
        lock.close()
        return lock
    }

    @Test func `a deleted lock file is created again`() throws {
        let one = try makeLock()
        try FileManager.default.removeItem(atPath: folder.file("test.realm.writer"))
        let other = try makeLock()
        try one.acquire()
        expect(try !other.tryAcquire())
        one.release()
    }

    @Test func `a lock file that couldn't be created again is created when the lock is next acquired`() throws {
        let path = folder.file("test.realm.writer")
        let one = try makeLock()
        try FileManager.default.removeItem(atPath: path)
        // The folder prevents a file of this name, like a lack of descriptors.
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        for _ in 0..<2 {
            expect(error { () throws(EngineError) in try one.acquire() }?.code != .environmentClosed)
            expect(code { () throws(EngineError) in _ = try one.tryAcquire() } != nil)
        }
        try FileManager.default.removeItem(atPath: path)
        let other = try makeLock()
        try one.acquire()
        expect(try !other.tryAcquire())
        one.release()
        one.close()
        expectEqual(code { () throws(EngineError) in try one.acquire() }, .environmentClosed)
    }

    @Test func `a lock without a file works inside the process`() async throws {
        let lock = try WriterLock(path: nil)
        try lock.acquire()
        expect(try !lock.tryAcquire())
        let task = Task { try await lock.acquireAsync() }
        lock.release()
        try await task.value
        lock.release()
    }

    @Test func `threads and tasks are served in the order of their arrival`() async throws {
        let lock = try makeLock()
        let order = Shared<[Int]>([])
        try lock.acquire()
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<12 {
            let before = lock.waitingCount
            if number % 2 == 0 {
                tasks.append(
                    Task {
                        try await lock.acquireAsync()
                        order.withLock { $0.append(number) }
                        lock.release()
                    }
                )
            } else {
                Thread.detachNewThread {
                    try! lock.acquire()
                    order.withLock { $0.append(number) }
                    lock.release()
                }
            }
            while lock.waitingCount == before { try await Task.sleep(for: .microseconds(200)) }
        }
        lock.release()
        for task in tasks { try await task.value }
        while order.withLock({ $0.count }) < 12 { try await Task.sleep(for: .milliseconds(1)) }
        expectEqual(order.withLock { $0 }, Array(0..<12))
    }

    @Test func `waiting tasks block no thread`() async throws {
        let lock = try makeLock()
        let other = try makeLock()
        for holder in [lock, other] {
            try holder.acquire()
            let tasks = (0..<100).map { _ in
                Task {
                    try await lock.acquireAsync()
                    lock.release()
                }
            }
            // With every thread of the pool blocked this would never run.
            await Task.detached {}.value
            while lock.waitingCount < 99 { await Task.yield() }
            holder.release()
            for task in tasks { try await task.value }
        }
        expect(try lock.tryAcquire())
    }

    @Test func `neither side starves`() throws {
        let sides = [try makeLock(), try makeLock()]
        let counts = Shared([0, 0])
        let longestRun = Shared((side: 0, length: 0, worst: 0))
        let inside = Shared(0)
        let overlaps = Shared(0)
        let group = DispatchGroup()
        let end = Date().addingTimeInterval(0.3)
        for (index, lock) in sides.enumerated() {
            for _ in 0..<2 {
                group.enter()
                Thread.detachNewThread {
                    while Date() < end {
                        try! lock.acquire()
                        if enter(inside) != 1 { overlaps.withLock { $0 += 1 } }
                        counts.withLock { $0[index] += 1 }
                        longestRun.withLock {
                            $0.length = $0.side == index ? $0.length + 1 : 1
                            $0.side = index
                            $0.worst = max($0.worst, $0.length)
                        }
                        usleep(100)
                        inside.withLock { $0 -= 1 }
                        lock.release()
                    }
                    group.leave()
                }
            }
        }
        group.wait()
        let (one, other) = counts.withLock { ($0[0], $0[1]) }
        expectEqual(overlaps.withLock { $0 }, 0)
        expect(min(one, other) * 3 > max(one, other), "\(one) against \(other)")
        expect(min(one, other) > 20)
    }

    @Test func `a cancelled task leaves the queue`() async throws {
        let lock = try makeLock()
        try lock.acquire()
        let waiting = Task { () -> Int32? in
            do throws(EngineError) {
                try await lock.acquireAsync()
                return nil
            } catch { return error.underlying }
        }
        while lock.waitingCount == 0 { await Task.yield() }
        waiting.cancel()
        await expectEqual(waiting.value, ECANCELED)
        let early = Task { () -> Int32? in
            while !Task.isCancelled { await Task.yield() }
            do throws(EngineError) {
                try await lock.acquireAsync()
                return nil
            } catch { return error.underlying }
        }
        early.cancel()
        await expectEqual(early.value, ECANCELED)
        expectEqual(lock.waitingCount, 0)
        lock.release()
        expect(try lock.tryAcquire())
        lock.release()
    }

    /// Threads, tasks and cancellations on two locks that represent two processes.
    @Test func `a storm leaves the lock free`() async throws {
        let sides = [try makeLock(), try makeLock()]
        let inside = Shared(0)
        let counter = Shared(0)
        await withTaskGroup(of: Int.self) { group in
            for number in 0..<60 {
                let lock = sides[number % 2]
                group.addTask {
                    var done = 0
                    for round in 0..<5 {
                        let attempt = Task {
                            guard (try? await lock.acquireAsync()) != nil else { return 0 }
                            precondition(enter(inside) == 1)
                            counter.withLock { $0 += 1 }
                            inside.withLock { $0 -= 1 }
                            lock.release()
                            return 1
                        }
                        if (number + round) % 3 == 0 { attempt.cancel() }
                        done += await attempt.value
                    }
                    return done
                }
            }
            var total = 0
            for await done in group { total += done }
            expectEqual(total, counter.withLock { $0 })
            expect(total >= 200)
        }
        for lock in sides {
            expect(try lock.tryAcquire())
            lock.release()
        }
    }
}
