import Foundation
import Synchronization
import TestScript
import Testing

@testable import FreeholdEngine

/// The changes that a feed delivers to the users of a database.
struct ChangeFeedTests {
    private let folder = Result { try ChildFolder() }

    private func database() throws -> Database {
        let database = try Database.open(at: try folder.get().file("fed.realm"))
        let transaction = try database.beginWrite()
        try transaction.applySchema([
            TableSpec("Dog", columns: [ColumnSpec("name", .string), ColumnSpec("age", .int)], primaryKey: "name")
        ])
        _ = try transaction.commit()
        return database
    }

    @discardableResult
    private static func add(_ name: String, to database: Database, origin: CommitOrigin = .local) throws -> Snapshot {
        let transaction = try database.beginWrite()
        transaction.origin = origin
        let table = try require(transaction.schema.table(named: "Dog"))
        _ = try transaction.create(table, primaryKey: .string(name))
        return try transaction.commit()
    }

    private func inserted(_ changes: VersionChanges, _ snapshot: Snapshot) -> [Value] {
        guard let table = snapshot.schema.table(named: "Dog") else { return [] }
        return (changes.tables[table.id]?.inserted ?? []).map { snapshot.value(table.columns[0], $0) }
    }

    @Test func `the changes and origins of several commits are reported between any two versions`() throws {
        let database = try database()
        let feed = ChangeFeed(database)
        var snapshots = [try database.snapshot()]
        let origins: [CommitOrigin] = [.local, .applier(7), .local, .applier(0)]
        for (i, origin) in origins.enumerated() {
            snapshots.append(try Self.add("\(i)", to: database, origin: origin))
        }
        for i in snapshots.indices {
            for j in i..<snapshots.count {
                let changes = feed.changes(from: snapshots[i], to: snapshots[j])
                expectEqual(inserted(changes, snapshots[j]), (i..<j).map { .string("\($0)") })
                expectEqual(changes.isCompared, false)
                expectEqual(feed.records(from: snapshots[i], to: snapshots[j])?.map(\.origin), Array(origins[i..<j]))
            }
        }
        // A feed that is created later reads them from the file.
        let later = ChangeFeed(database)
        expectEqual(inserted(later.changes(from: snapshots[0], to: snapshots[4]), snapshots[4]).count, 4)
    }

    @Test func `versions whose records are missing are compared`() throws {
        let database = try database()
        let first = try database.snapshot()
        var last = first
        for i in 0...Int(History.maximumVersions) + 16 {
            last = try Self.add("\(i)", to: database)
        }
        let feed = ChangeFeed(database)
        expect(feed.records(from: first, to: last) == nil || feed.records(from: first, to: last)?.isEmpty == false)
        expectEqual(inserted(feed.changes(from: first, to: last), last).count, Int(History.maximumVersions) + 17)
    }

    @Test func `waiting ends with the next commit, or at once if a newer version exists`() async throws {
        let database = try database()
        let feed = ChangeFeed(database)
        let before = try database.snapshot()
        let waiting = Task { try await feed.snapshot(after: before.version).version }
        let made = try Self.add("a", to: database)
        try await expectEqual(waiting.value, made.version)
        try await expectEqual(feed.snapshot(after: before.version).version, made.version)
    }

    @Test func `many tasks wait for different versions`() async throws {
        let database = try database()
        let feed = ChangeFeed(database)
        let first = try database.snapshot().version
        let tasks = (0..<100).map { i in
            Task { try await feed.snapshot(after: first + UInt64(i % 10)).version }
        }
        for i in 0..<10 { try Self.add("\(i)", to: database) }
        for (i, task) in tasks.enumerated() { expect(try await task.value > first + UInt64(i % 10)) }
    }

    @Test func `a cancelled task stops waiting`() async throws {
        let database = try database()
        let feed = ChangeFeed(database)
        let version = try database.snapshot().version
        for round in 0..<50 {
            let task = Task { try await feed.snapshot(after: version) }
            if round % 2 == 0 { await Task.yield() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test func `updates follow each other without a gap, even if their reader is slow`() async throws {
        let database = try database()
        let feed = ChangeFeed(database)
        let begin = try database.snapshot()
        let writer = Task.detached {
            for i in 0..<200 { try Self.add("\(i)", to: database, origin: i % 3 == 0 ? .applier(1) : .local) }
        }
        var seen: [Value] = []
        var origins: [CommitOrigin] = []
        var last = begin.version
        for try await update in feed.updates(after: begin) {
            expectEqual(update.old.version, last)
            last = update.new.version
            seen += inserted(update.changes, update.new)
            origins += try require(update.origins)
            if seen.count == 200 { break }
            if seen.count % 7 == 0 { try await Task.sleep(for: .milliseconds(2)) }
        }
        try await writer.value
        expectEqual(seen, (0..<200).map { .string("\($0)") })
        expectEqual(origins, (0..<200).map { $0 % 3 == 0 ? .applier(1) : .local })
    }

    @Test func `a feed delivers the commits of another process, and a task can wait for them`() async throws {
        let path = try folder.get().file("shared.realm")
        let setUp = try ChildProcess(["transactions", path, "1", "1"])
        _ = setUp.readLines()
        expectEqual(setUp.wait(), 0)
        let database = try Database.open(at: path)
        let feed = ChangeFeed(database)
        let before = try database.snapshot()
        let told = Mutex<UInt64>(0)
        let observation = try feed.observe { version in told.withLock { $0 = max($0, version) } }
        let own = Mutex(0)
        let ownCommits = feed.observeCommits { _, _ in own.withLock { $0 += 1 } }
        let waiting = Task { try await feed.snapshot(after: before.version) }
        let child = try ChildProcess(["transactions", path, "2", "3"])
        _ = child.readLines()
        expectEqual(child.wait(), 0)
        let new = try await waiting.value
        expect(new.version > before.version)
        let newest = try database.snapshot()
        expect(!feed.changes(from: before, to: newest).isEmpty)
        for _ in 0..<6000 where told.withLock({ $0 }) < newest.version { try await Task.sleep(for: .milliseconds(20)) }
        expectEqual(told.withLock { $0 }, newest.version)
        expectEqual(own.withLock { $0 }, 0)
        observation.cancel()
        ownCommits.cancel()
    }

    @Test func `a cancelled or released observation receives no more commits`() throws {
        let database = try database()
        let feed = ChangeFeed(database)
        let count = Mutex(0)
        let observation = feed.observeCommits { _, _ in count.withLock { $0 += 1 } }
        var other: ChangeFeed.Observation? = try feed.observe { _ in count.withLock { $0 += 1 } }
        try Self.add("a", to: database)
        expectEqual(count.withLock { $0 }, 2)
        observation.cancel()
        observation.cancel()
        withExtendedLifetime(other) {}
        other = nil
        try Self.add("b", to: database)
        expectEqual(count.withLock { $0 }, 2)
    }
}
