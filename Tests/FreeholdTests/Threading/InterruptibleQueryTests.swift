import Foundation
import Freehold
import Testing

@Suite("Threading: queries that end early")
struct InterruptibleQueryTests {
    /// The results of queries of every kind.
    private struct Answers: Sendable, Equatable {
        var count = -1
        var scanned = -1
        var first: Int?
        var sorted: [Int] = []
        var distinct = -1
        var sum = -1
        var greatest: Int?
        var groups = -1

        init(_ realm: Realm) {
            let all = realm.objects(ServerEntry.self)
            let some = all.where { $0.amount >= 1000 }
            count = some.count
            scanned = Array(all.where { $0.amount >= 2000 }).count
            first = all.where { $0.amount == 4000 }.first?.id
            sorted = all.where { $0.amount < 5000 }.sorted(byKeyPath: "amount", ascending: false).prefix(2).map(\.id)
            distinct = all.distinct(by: ["city"]).count
            sum = some.sum(of: \.amount)
            greatest = some.max(of: \.amount)
            groups = some.grouped(by: \.city).count
        }
    }

    private static let entries = 6000

    @Test func `queries of a cancelled task stop in the block, which throws, and answer correctly outside of it`()
        async throws
    {
        try await withServerStore(entries: Self.entries) { store in
            let right = try await store.read { Answers($0) }
            expect(right.count == 5000 && right.first == 4000 && right.sorted == [4999, 4998] && right.groups == 7)
            let inside = Locked<Answers?>(nil)
            let outside = Locked<Answers?>(nil)
            let task = Task {
                try await store.read { realm in
                    // Kept over the block, to see that no wrong answer is remembered.
                    let kept = realm.objects(ServerEntry.self).where { $0.amount >= 1000 }
                    let keptSections = kept.sectioned(by: \.city)
                    #expect(throws: CancellationError.self) {
                        try realm.withInterruptibleQueries {
                            withUnsafeCurrentTask { $0?.cancel() }
                            let answers = Answers(realm)
                            inside.change { $0 = answers }
                            expect(kept.count == 0 && Array(kept).isEmpty && keptSections.count == 0)
                        }
                    }
                    let answers = Answers(realm)
                    outside.change { $0 = answers }
                    expect(kept.count == 5000 && Array(kept).count == 5000 && keptSections.count == 7)
                }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            expect(inside.value?.count == 0 && inside.value?.scanned == 0 && inside.value?.first == nil)
            expect(inside.value?.sorted == [] && inside.value?.sum == 0 && inside.value?.greatest == nil)
            expect(inside.value?.distinct == 0 && inside.value?.groups == 0)
            expectEqual(outside.value, right)
        }
    }

    @Test func `a query of a cancelled task outside of the block runs to its end`() async throws {
        try await withServerStore(entries: Self.entries) { store in
            let right = try await store.read { Answers($0) }
            let seen = Locked<Answers?>(nil)
            let task = Task {
                try await store.read { realm in
                    withUnsafeCurrentTask { $0?.cancel() }
                    let answers = Answers(realm)
                    seen.change { $0 = answers }
                }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            expectEqual(seen.value, right)
        }
    }

    @Test func `the time of the block is a limit, in any realm`() async throws {
        try await withServerStore(entries: Self.entries) { store in
            try await store.read { realm in
                let over = #expect(throws: Realm.Error.self) {
                    try realm.withInterruptibleQueries(timeout: .zero) { realm.objects(ServerEntry.self).count }
                }
                expectEqual(over?.code, .timedOut)
                let late = #expect(throws: Realm.Error.self) {
                    try realm.withInterruptibleQueries(timeout: .milliseconds(5)) {
                        while realm.objects(ServerEntry.self).where({ $0.amount >= 0 }).count > 0 {}
                    }
                }
                expectEqual(late?.code, .timedOut)
                let count = try realm.withInterruptibleQueries(timeout: .seconds(600)) { Answers(realm).count }
                expectEqual(count, 5000)
            }
        }
    }

    @Test func `the block's limit includes the time of the whole read`() async throws {
        try await withServerStore(entries: Self.entries) { store in
            let error = await #expect(throws: Realm.Error.self) {
                try await store.read(timeout: .milliseconds(20)) { realm in
                    try realm.withInterruptibleQueries {
                        while realm.objects(ServerEntry.self).where({ $0.amount >= 0 }).count > 0 {}
                    }
                }
            }
            expectEqual(error?.code, .timedOut)
        }
    }

    @Test func `an error that the block throws because of a missing result isn't thrown`() async throws {
        struct NotFound: Error {}
        try await withServerStore(entries: Self.entries) { store in
            let task = Task {
                try await store.read { realm in
                    try realm.withInterruptibleQueries {
                        withUnsafeCurrentTask { $0?.cancel() }
                        guard realm.objects(ServerEntry.self).where({ $0.amount == 5000 }).first != nil else {
                            throw NotFound()
                        }
                    }
                }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test func `an incomplete answer in a frozen realm isn't remembered`() async throws {
        try await withServerStore(entries: Self.entries) { store in
            let frozen = try await store.read { Frozen($0.objects(ServerEntry.self).where { $0.amount >= 1000 }) }
            let task = Task {
                try await store.read { realm in
                    try realm.withInterruptibleQueries {
                        withUnsafeCurrentTask { $0?.cancel() }
                        expectEqual(frozen.value.count, 0)
                    }
                }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            expectEqual(frozen.value.count, 5000)
        }
    }

    @Test func `throwing calls end early: snapshots, exports, imports`() async throws {
        struct Info: Codable { var id: Int }
        try await withServerStore(entries: Self.entries) { store in
            let attempts: [@Sendable (Realm) throws -> Void] = [
                { _ = try $0.objects(ServerEntry.self).where { $0.amount > 5 }.snapshot(as: Info.self) },
                { _ = try $0.objects(ServerEntry.self).jsonData() },
                { realm in
                    let lines = (0..<2000).map { #"{"id": \#($0 + 100_000)}"# }.joined(separator: "\n")
                    _ = try realm.importJSON(from: Data(lines.utf8), into: ServerEntry.self)
                },
            ]
            for attempt in attempts {
                let task = Task {
                    try await store.write { realm in
                        withUnsafeCurrentTask { $0?.cancel() }
                        try attempt(realm)
                        Issue.record("It ran to its end.")
                    }
                }
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            let count = try await store.read { $0.objects(ServerEntry.self).count }
            expectEqual(count, Self.entries)
        }
    }
}
