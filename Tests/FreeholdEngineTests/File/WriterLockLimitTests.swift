import Foundation
import Testing

@testable import FreeholdEngine

/// Waits for the writer lock that end before it is free. Two locks on one path contend as two processes do.
struct WriterLockLimitTests {
    let folder = TemporaryFolder()

    private func makeLock() throws -> WriterLock { try WriterLock(path: folder.file("test.realm.writer")) }

    private var soon: ContinuousClock.Instant { .now + .milliseconds(20) }

    /// Returns whether the lock becomes free. A thread may have to release it first.
    private func becomesFree(_ lock: WriterLock) async throws -> Bool {
        for _ in 0..<2000 {
            if try lock.tryAcquire() {
                lock.release()
                return true
            }
            try await Task.sleep(for: .milliseconds(1))
        }
        return false
    }

    @Test(arguments: [true, false])
    func `a thread gives up at its deadline, in its own and in other processes`(isOwnProcess: Bool) async throws {
        let lock = try makeLock()
        let holder = isOwnProcess ? lock : try makeLock()
        try holder.acquire()
        let deadline = soon
        expectEqual(code { () throws(EngineError) in try lock.acquire(until: deadline) }, .busy)
        expectEqual(lock.waitingCount, 0)
        holder.release()
        expect(try await becomesFree(lock))
        expect(try await becomesFree(holder))
    }

    @Test(arguments: [true, false])
    func `a task gives up at its deadline, in its own and in other processes`(isOwnProcess: Bool) async throws {
        let lock = try makeLock()
        let holder = isOwnProcess ? lock : try makeLock()
        try holder.acquire()
        let error = await #expect(throws: EngineError.self) { try await lock.acquireAsync(until: soon) }
        expectEqual(error?.code, .busy)
        expectEqual(lock.waitingCount, 0)
        holder.release()
        expect(try await becomesFree(lock))
        expect(try await becomesFree(holder))
    }

    @Test func `a free lock is acquired even after the deadline`() async throws {
        let lock = try makeLock()
        try lock.acquire(until: .now)
        lock.release()
        try await lock.acquireAsync(until: .now - .seconds(1))
        lock.release()
    }

    @Test func `a cancelled task stops waiting at once while another process has the lock`() async throws {
        let lock = try makeLock()
        let other = try makeLock()
        try other.acquire()
        let head = Task { try await lock.acquireAsync() }
        // The task waits for the other process as soon as the next one has to queue.
        try await Task.sleep(for: .milliseconds(5))
        let next = Task { try await lock.acquireAsync() }
        while lock.waitingCount == 0 { await Task.yield() }
        head.cancel()
        next.cancel()
        for task in [head, next] {
            let error = await #expect(throws: EngineError.self) { try await task.value }
            expectEqual(error?.code, .cancelled)
        }
        // The other process has held the lock all the time. A later task gets it as soon as it is released.
        let later = Task { try await lock.acquireAsync() }
        other.release()
        try await later.value
        lock.release()
        expect(try await becomesFree(other))
    }

    @Test func `a file that is closed during an abandoned wait is released`() async throws {
        let other = try makeLock()
        try other.acquire()
        do {
            let lock = try makeLock()
            let deadline = soon
            expectEqual(code { () throws(EngineError) in try lock.acquire(until: deadline) }, .busy)
            lock.close()
        }
        other.release()
        expect(try await becomesFree(other))
    }

    /// Deadlines, cancellations, threads and tasks on two locks that represent two processes.
    @Test func `a storm of abandoned waits leaves the lock free, and it never has two holders`() async throws {
        let sides = [try makeLock(), try makeLock()]
        let inside = Shared(0)
        let overlaps = Shared(0)
        let got = Shared(0)
        @Sendable func work(_ lock: WriterLock) {
            let many = inside.withLock { count -> Int in
                count += 1
                return count
            }
            if many != 1 { overlaps.withLock { $0 += 1 } }
            got.withLock { $0 += 1 }
            usleep(50)
            inside.withLock { $0 -= 1 }
            lock.release()
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                let lock = sides[number % 2]
                group.addTask {
                    let deadline: ContinuousClock.Instant? =
                        number % 3 == 0 ? .now + .microseconds(number * 37 % 5000) : nil
                    if number % 5 == 0 {
                        await withUnsafeContinuation { (done: UnsafeContinuation<Void, Never>) in
                            Thread.detachNewThread {
                                if (try? lock.acquire(until: deadline)) != nil { work(lock) }
                                done.resume()
                            }
                        }
                        return
                    }
                    let attempt = Task {
                        if (try? await lock.acquireAsync(until: deadline)) != nil { work(lock) }
                    }
                    if number % 4 == 0 {
                        try? await Task.sleep(for: .microseconds(number * 53 % 3000))
                        attempt.cancel()
                    }
                    await attempt.value
                }
            }
        }
        expectEqual(overlaps.withLock { $0 }, 0)
        expect(got.withLock { $0 } > 50)
        for lock in sides { expect(try await becomesFree(lock)) }
    }
}
