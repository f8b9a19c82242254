internal import CFreeholdShims
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import FreeholdEngine

struct WriterThreadTests {
    @Test func `jobs run in order on one other thread`() throws {
        let thread = WriterThread()
        let seen = Mutex<[Int]>([])
        expect(!thread.isCurrent)
        for number in 0..<100 { thread.async { seen.withLock { $0.append(number) } } }
        let count = try thread.sync { () throws(EngineError) in
            expect(thread.isCurrent)
            return seen.withLock { $0.count }
        }
        expectEqual(count, 100)
        expectEqual(seen.withLock { $0 }, Array(0..<100))
    }

    @Test func `results, errors and nested calls are returned`() throws {
        let thread = WriterThread()
        var local = [1]
        let nested = try thread.sync { () throws(EngineError) in
            local.append(2)
            return try thread.sync { () throws(EngineError) in 3 }
        }
        expectEqual(nested, 3)
        expectEqual(local, [1, 2])
        let failure = EngineError(.mapFull, "full")
        expectEqual(
            error { () throws(EngineError) in try thread.sync { () throws(EngineError) in throw failure } },
            failure
        )
    }

    @Test func `many threads may call at once`() async throws {
        let thread = WriterThread()
        nonisolated(unsafe) var total = 0
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<200 { try? thread.sync { () throws(EngineError) in total += 1 } }
                }
            }
        }
        expectEqual(total, 1600)
    }

    @Test func `the end of a transaction runs on the caller's thread, one at a time, and blocks no job`() async throws {
        let thread = WriterThread()
        let mine = fh_thread_id()
        let (identifier, wasCurrent) = try thread.syncInPlace { () throws(EngineError) in
            (fh_thread_id(), thread.isCurrent)
        }
        expectEqual(identifier, mine)
        expect(wasCurrent)
        expect(!thread.isCurrent)
        nonisolated(unsafe) var total = 0
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for _ in 0..<200 {
                        switch worker % 4 {
                        case 0: try? thread.sync { () throws(EngineError) in total += 1 }
                        case 1: thread.async { total += 1 }
                        default: try? thread.syncInPlace { () throws(EngineError) in total += 1 }
                        }
                    }
                }
            }
        }
        thread.stop()
        expectEqual(total, 1600)
    }

    @Test func `jobs that arrive during a job run afterwards`() throws {
        let thread = WriterThread()
        let seen = Mutex<[UInt]>([])
        let early = try thread.syncInPlace { () throws(EngineError) in
            thread.async { seen.withLock { $0.append(fh_thread_id()) } }
            return seen.withLock { $0.count }
        }
        expectEqual(early, 0)
        try thread.sync { () throws(EngineError) in }
        expectEqual(seen.withLock { $0.count }, 1)
        expect(seen.withLock { $0.first } != fh_thread_id())
    }

    @Test func `a job runs on the thread with the open transaction`() throws {
        let thread = WriterThread()
        let other = try thread.sync { () throws(EngineError) in
            thread.hold()
            return fh_thread_id()
        }
        try expectEqual(thread.syncInPlace { () throws(EngineError) in fh_thread_id() }, other)
        try thread.sync { () throws(EngineError) in thread.letGo() }
    }

    @Test func `stopping runs the queued jobs`() {
        let count = Atomic<Int>(0)
        let thread = WriterThread()
        for _ in 0..<50 { thread.async { _ = count.add(1, ordering: .relaxed) } }
        thread.stop()
        expectEqual(count.load(ordering: .relaxed), 50)
        thread.stop()
    }

    @Test func `a thread may stop itself`() async {
        await withCheckedContinuation { continuation in
            let thread = WriterThread()
            thread.async {
                thread.stop()
                continuation.resume()
            }
        }
    }

    /// A write over the file-size limit must be an error, not the end of the process.
    @Test func `signals of the program are not delivered there`() throws {
        let thread = WriterThread()
        let blocked = try thread.sync { () throws(EngineError) in
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            return [SIGXFSZ, SIGTERM, SIGINT, SIGUSR1].allSatisfy { sigismember(&mask, $0) == 1 }
        }
        expect(blocked)
    }

    @Test func `a started transaction continues on its thread`() throws {
        let thread = WriterThread()
        let first = try thread.sync { () throws(EngineError) in
            thread.hold()
            return fh_thread_id()
        }
        // Other jobs run in the meantime.
        for _ in 0..<20 {
            let other = WriterThread()
            expect(try other.sync { () throws(EngineError) in fh_thread_id() } != first)
            try expectEqual(thread.sync { () throws(EngineError) in fh_thread_id() }, first)
        }
        expect(!thread.isCurrent)
        try thread.sync { () throws(EngineError) in thread.letGo() }
    }

    @Test func `idle tasks share a thread`() throws {
        let pool = WorkerPool(patience: .milliseconds(1))
        final class Task: WorkerTask {
            let done = DispatchSemaphore(value: 0)
            func run() { done.signal() }
        }
        for _ in 0..<100 {
            let task = Task()
            pool.run(task)
            task.done.wait()
            // Until one waits for more, the next finds it at work.
            expect(pool.threadCount < 20)
        }
        let deadline = ContinuousClock.now + .seconds(20)
        while pool.threadCount > 0, .now < deadline { usleep(1000) }
        expectEqual(pool.threadCount, 0)
    }
}
