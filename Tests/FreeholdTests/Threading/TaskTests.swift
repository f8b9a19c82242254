import Foundation
import Freehold
import Testing

/// Cancellation and task-local values inside of `Realm.read` and `Realm.write`.
@Suite("Threading: the task of a read or write")
struct TaskTests {
    private enum Trace {
        @TaskLocal static var id = "none"
    }

    @Test func `a block sees the task's local values`() async throws {
        try await withServerStore { store in
            let configuration = store.configuration
            try await Trace.$id.withValue("request 7") {
                var seen: [String] = []
                seen.append(try await Realm.read(configuration) { _ in Trace.id })
                seen.append(try await Realm.write(configuration) { _ in Trace.id })
                seen.append(try await store.read { _ in Trace.id })
                seen.append(try await store.write { _ in Trace.id })
                expectEqual(Set(seen), ["request 7"])
            }
            try await expectEqual(store.read { _ in Trace.id }, "none")
        }
    }

    @Test func `blocks that take long leave Swift's threads to other tasks`() async throws {
        try await withServerStore { store in
            let count = ProcessInfo.processInfo.activeProcessorCount + 1
            let letGo = Locked(false)
            let begun = Locked(0)
            let tasks = (0..<count).map { _ in
                Task {
                    try await store.read { _ in
                        begun.change { $0 += 1 }
                        while !letGo.value { usleep(500) }
                    }
                }
            }
            while begun.value == 0 { try await Task.sleep(for: .milliseconds(1)) }
            // Would never run if they blocked all threads of the pool.
            await Task.detached {}.value
            letGo.change { $0 = true }
            for task in tasks { try await task.value }
            expectEqual(begun.value, count)
        }
    }

    @Test(arguments: [true, false])
    func `a task that was cancelled before doesn't run the block`(isWrite: Bool) async throws {
        try await withServerStore { store in
            let ran = Locked(false)
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                if isWrite {
                    try await store.write { _ in ran.change { $0 = true } }
                } else {
                    try await store.read { _ in ran.change { $0 = true } }
                }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            expect(!ran.value)
        }
    }

    @Test(arguments: [true, false])
    func `a block sees the cancellation of its task, and the call throws instead of returning`(isWrite: Bool)
        async throws
    {
        try await withServerStore { store in
            let begun = Locked(false)
            let seen = Locked(false)
            let task = Task {
                let body: @Sendable (Realm) throws -> Int = { realm in
                    begun.change { $0 = true }
                    while !Task.isCancelled { usleep(500) }
                    seen.change { $0 = true }
                    #expect(throws: CancellationError.self) { try Task.checkCancellation() }
                    if isWrite { realm.object(ofType: ServerCounter.self, forPrimaryKey: "all")!.value = 5 }
                    return 1
                }
                return if isWrite { try await store.write(body) } else { try await store.read(body) }
            }
            while !begun.value { try await Task.sleep(for: .milliseconds(1)) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            expect(seen.value)
            try await expectEqual(store.read { $0.objects(ServerCounter.self)[0].value }, 0)
        }
    }

    @Test func `a write that adds objects forever ends when its task is cancelled, and changes nothing`() async throws {
        try await withServerStore(serverConfiguration(inMemory: false)) { store in
            let added = Locked(0)
            let task = Task {
                try await store.write { realm in
                    // The objects are added one by one, until the realm refuses more.
                    for id in 0... {
                        let entry = ServerEntry(id: id)
                        realm.add(entry)
                        added.change { $0 += 1 }
                        if entry.realm == nil { break }
                    }
                    expectEqual(realm.pendingError?.code, .cancelled)
                    // A refused object may be deleted, and created in other ways, without a trap.
                    let refused = realm.create(ServerEntry.self, value: ["id": -1])
                    expect(refused.realm == nil)
                    realm.delete(refused)
                    realm.delete([refused])
                    let dynamic = realm.dynamicCreate("ServerEntry", value: ["id": -2])
                    expect(dynamic.realm == nil)
                }
            }
            while added.value < 3000 { try await Task.sleep(for: .milliseconds(1)) }
            // Another one waits, and isn't touched by it.
            let next = Task {
                try await store.write { realm in
                    realm.add(ServerEntry(id: 1))
                    return realm.objects(ServerEntry.self).count
                }
            }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await expectEqual(next.value, 1)
            try await expectEqual(store.read { $0.verify() }, [])
        }
    }

    @Test func `adding an endless sequence ends when the task is cancelled`() async throws {
        try await withServerStore { store in
            let begun = Locked(false)
            let task = Task {
                try await store.write { realm in
                    realm.add(
                        (0...).lazy.map { id in
                            if id == 2000 { begun.change { $0 = true } }
                            return ServerEntry(id: id)
                        }
                    )
                }
            }
            while !begun.value { try await Task.sleep(for: .milliseconds(1)) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await expectEqual(store.read { $0.objects(ServerEntry.self).count }, 0)
        }
    }

    @Test func `a cancelled task leaves the queue of writers at once, and other tasks keep their places`() async throws
    {
        try await withServerStore { store in
            let holder = try await HeldWriter(store)
            let order = Locked<[Int]>([])
            var tasks: [Task<Void, any Error>] = []
            for i in 0..<6 {
                tasks.append(Task { try await store.write { _ in order.change { $0.append(i) } } })
                while try await store.statistics().waitingWriters <= i { try await Task.sleep(for: .milliseconds(1)) }
            }
            tasks[1].cancel()
            tasks[4].cancel()
            // The writer is held during all of this.
            for i in [1, 4] { await #expect(throws: CancellationError.self) { try await tasks[i].value } }
            try await expectEqual(store.statistics().waitingWriters, 4)
            try await holder.release()
            for i in [0, 2, 3, 5] { try await tasks[i].value }
            expectEqual(order.value, [0, 2, 3, 5])
        }
    }

    @Test func `a commit of the block itself persists`() async throws {
        try await withServerStore { store in
            let task = Task {
                try await store.write { realm in
                    realm.add(ServerEntry(id: 1))
                    try realm.commitWrite()
                    withUnsafeCurrentTask { $0?.cancel() }
                    return "committed"
                }
            }
            let result = try await task.value
            expectEqual(result, "committed")
            try await expectEqual(store.read { $0.objects(ServerEntry.self).count }, 1)
        }
    }

    @Test func `an error of a cancelled block is thrown, if no query was interrupted`() async throws {
        struct OwnError: Error {}
        try await withServerStore { store in
            let task = Task {
                try await store.write { _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                    throw OwnError()
                }
            }
            await #expect(throws: OwnError.self) { try await task.value }
        }
    }
}
