import Foundation
import Synchronization
import Testing

@testable import FreeholdEngine

/// Compaction of files while other threads open and close them, and other files.
struct ExchangeTests {
    let folder = TemporaryFolder()

    private func make(_ name: String) throws -> String {
        let path = folder.file(name)
        let database = try Database.open(at: path)
        let transaction = try database.beginWrite()
        try transaction.applySchema([TableSpec("Counter", columns: [ColumnSpec("number", .int)])])
        for _ in 0..<100 { _ = try transaction.create(transaction.schema.table(named: "Counter")!) }
        _ = try transaction.commit()
        return path
    }

    private func open(_ path: String) throws {
        let snapshot = try Database.open(at: path).snapshot()
        let count = snapshot.count(snapshot.schema.table(named: "Counter")!)
        expectEqual(count, 100)
    }

    private func opens(_ path: String) -> Bool { (try? open(path)) != nil }

    /// Each on a thread of its own, because all of them may block.
    private func onThreads(_ bodies: [@Sendable () throws -> Void]) {
        let group = DispatchGroup()
        for body in bodies {
            group.enter()
            Thread {
                #expect(throws: Never.self) { try body() }
                group.leave()
            }.start()
        }
        group.wait()
    }

    @Test func `a compaction whose closure uses another file continues during openings and closings`() throws {
        let path = try make("compacted.realm")
        let other = try make("other.realm")
        let isOver = Atomic(false)
        let compactions = Atomic(0)
        let opener: @Sendable () throws -> Void = {
            while !isOver.load(ordering: .relaxed) {
                try open(path)
                usleep(.random(in: 0..<300))
            }
        }
        let compactor: @Sendable () throws -> Void = {
            while compactions.load(ordering: .relaxed) < 60 {
                do throws(EngineError) {
                    let done = try Database.compact(at: path) { _ in
                        expect(opens(other))
                        return true
                    }
                    if done != nil { compactions.add(1, ordering: .relaxed) }
                } catch {
                    guard error.code == .fileInUse else { throw error }
                }
            }
            isOver.store(true, ordering: .relaxed)
        }
        let neighbour: @Sendable () throws -> Void = {
            while !isOver.load(ordering: .relaxed) { try open(other) }
        }
        onThreads([opener, opener, opener, compactor, neighbour])
        try expectEqual(Database.open(at: path).snapshot().verify(), [])
    }

    @Test func `other files are opened, written and closed while one is compacted and others wait for it`() throws {
        let path = try make("compacted.realm")
        let other = try make("other.realm")
        let isWaiting = Atomic(false)
        let waited = DispatchSemaphore(value: 0)
        _ = try Database.compact(at: path) { _ in
            Thread {
                isWaiting.store(true, ordering: .relaxed)
                expect(opens(path))
                waited.signal()
            }.start()
            while !isWaiting.load(ordering: .relaxed) { usleep(100) }
            onThreads(
                (0..<4).map { _ in
                    { for _ in 0..<20 { try open(other) } }
                }
            )
            expect((try? make("third.realm")) != nil)
            return true
        }
        waited.wait()
    }

    @Test func `opening a file without its lock file waits for a compaction`() throws {
        let path = try make("compacted.realm")
        for _ in 0..<40 {
            unlink(path + ".writer")
            unlink(path + "-lock")
            onThreads([
                { try open(path) },
                {
                    do throws(EngineError) {
                        _ = try Database.compact(at: path) { _ in
                            expect((try? make("another.realm")) != nil)
                            unlink(folder.file("another.realm"))
                            return true
                        }
                    } catch { expectEqual(error.code, .fileInUse) }
                },
            ])
        }
        try open(path)
    }

    @Test func `the closure that decides about a compaction can't open its file`() throws {
        let path = try make("compacted.realm")
        let found = Mutex<EngineError?>(nil)
        let done = try Database.compact(at: path) { _ in
            do throws(EngineError) { _ = try Database.open(at: path) } catch {
                let caught = error
                found.withLock { $0 = caught }
            }
            return true
        }
        expect(done != nil)
        expectEqual(found.withLock { $0?.code }, .fileInUse)
        let message = found.withLock { $0?.message } ?? ""
        expect(message.contains("compacted by this very thread"))
        try open(path)
    }
}
