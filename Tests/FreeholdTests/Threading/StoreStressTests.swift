import Foundation
import Freehold
import TestRandom
import Testing

/// Tasks that write, read, wait, are cancelled and run out of time, compared with the results of their calls: 300 of them,
/// or 3,000 with `FREEHOLD_SOAK`.
@Suite("Threading: a store under stress")
struct StoreStressTests {
    private struct Refused: Error {}

    private static let count = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] == nil ? 300 : 3_000

    private enum Fate: Int, CaseIterable {
        case lives, dies, diesInBlock, isCancelled, runsOutOfTime, adds, reads
    }

    @Test func `the entries of exactly the tasks that succeeded are in the file`() async throws {
        let seed =
            UInt64(ProcessInfo.processInfo.environment["FREEHOLD_SEED"] ?? "") ?? TestSeed.random(in: 1...1_000_000)
        print("StoreStressTests: FREEHOLD_SEED=\(seed), \(Self.count) tasks")
        let done = try await withServerStore(serverConfiguration(inMemory: false)) { store in
            let succeeded = Locked<Set<Int>>([])
            await withTaskGroup(of: Void.self) { group in
                for id in 0..<Self.count {
                    // Each task has the same random numbers in any order.
                    var random = SeededRandom(seed: seed &+ UInt64(id) &* 977)
                    let fate = Fate.allCases[random.below(Fate.allCases.count)]
                    let delay = random.below(4000)
                    group.addTask {
                        if await Self.request(id, fate, delay, store) { succeeded.change { $0.insert(id) } }
                    }
                }
            }
            let expected = succeeded.value
            let (ids, count, problems) = try await store.read { realm in
                (
                    Set(realm.objects(ServerEntry.self).map(\.id)),
                    realm.object(ofType: ServerCounter.self, forPrimaryKey: "all")!.value, realm.verify()
                )
            }
            expectEqual(ids, expected, "seed \(seed)")
            expectEqual(count, expected.count, "seed \(seed)")
            expectEqual(problems, [], "seed \(seed)")
            let statistics = try await store.statistics()
            expectEqual(statistics.waitingWriters, 0)
            return expected.count
        }
        // The tasks that at least weren't disturbed.
        expect(done > Self.count / 10, "seed \(seed)")
    }

    /// - Returns: Whether the call reported that the entry was written.
    private static func request(_ id: Int, _ fate: Fate, _ delay: Int, _ store: Realm.Store) async -> Bool {
        let task = Task {
            if fate == .reads {
                // A whole state: the counter is the number of entries.
                let (entries, count) = try await store.read { realm in
                    (realm.objects(ServerEntry.self).count, realm.objects(ServerCounter.self)[0].value)
                }
                expectEqual(entries, count)
                throw Refused()
            }
            try await store.write(timeout: fate == .runsOutOfTime ? .microseconds(delay) : nil) { realm in
                if fate == .diesInBlock { withUnsafeCurrentTask { $0?.cancel() } }
                realm.add(ServerEntry(id: id))
                realm.object(ofType: ServerCounter.self, forPrimaryKey: "all")!.value += 1
                if fate == .dies { throw Refused() }
                // Makes the transaction longer, and the spells of waiting.
                if fate == .adds {
                    realm.add((0..<300).map { ServerEntry(id: 1_000_000 + $0) })
                    realm.delete(realm.objects(ServerEntry.self).where { $0.id >= 1_000_000 })
                }
            }
        }
        if fate == .isCancelled {
            try? await Task.sleep(for: .microseconds(delay))
            task.cancel()
        }
        switch await task.result {
        case .success: return true
        case .failure(let error):
            switch fate {
            case .lives, .adds: Issue.record("\(id) failed: \(error)")
            case .dies, .reads: expect(error is Refused)
            case .diesInBlock, .isCancelled: expect(error is CancellationError)
            case .runsOutOfTime: expectEqual((error as? Realm.Error)?.code, .timedOut)
            }
            return false
        }
    }
}
