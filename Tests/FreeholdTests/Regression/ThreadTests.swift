import Dispatch
import Foundation
import Freehold
import Testing

@Suite("Threads that end, tasks that are cancelled")
struct ThreadEndTests {
    /// A later thread may have the ended one's address.
    @Test
    func `an ended thread doesn't keep later threads at its version`() throws {
        try withNewFile { configuration in
            let realm = try Realm(configuration: configuration)
            let kept = Kept()
            for i in 0..<20 {
                try realm.write { realm.add(RTDog(id: i)) }
                let done = DispatchSemaphore(value: 0)
                let thread = Thread {
                    do {
                        let dogs = try Realm(configuration: configuration).objects(RTDog.self)
                        kept.append(dogs, count: dogs.count)
                    } catch {
                        Issue.record(error)
                    }
                    done.signal()
                }
                thread.start()
                done.wait()
            }
            expectEqual(kept.counts, Array(1...20))
        }
    }

    /// Sendable because one thread uses it after the other, and no thread reads the results.
    private final class Kept: @unchecked Sendable {
        private var results: [Any] = []
        private(set) var counts: [Int] = []

        func append(_ dogs: Results<RTDog>, count: Int) {
            results.append(dogs)
            counts.append(count)
        }
    }

    @Test
    func `a write that is cancelled while it waits throws CancellationError`() async throws {
        let configuration = newConfiguration(inMemory: false)
        defer { try? FileManager.default.removeItem(at: configuration.fileURL!) }
        try await Realm.write(configuration) { $0.add(RTDog(id: 1)) }
        let cancelled = Task {
            while !Task.isCancelled { await Task.yield() }
            try await Realm.write(configuration) { $0.add(RTDog(id: 2)) }
        }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        try await expectEqual(Realm.read(configuration) { $0.objects(RTDog.self).count }, 1)
    }
}
