import Foundation
import Synchronization
import TestScript
import Testing

@testable import FreeholdEngine

/// The notification of new versions, from commits of the own and of other processes.
struct CommitWatchTests {
    private let folder = Result { try ChildFolder() }

    /// The reported versions, and a way to wait for one.
    private final class Told: @unchecked Sendable {
        // Sendable: `versions` is used under the condition's lock.
        private let condition = NSCondition()
        private var versions: [UInt64] = []

        func add(_ version: UInt64) {
            condition.lock()
            versions.append(version)
            condition.broadcast()
            condition.unlock()
        }

        var all: [UInt64] {
            condition.lock()
            defer { condition.unlock() }
            return versions
        }

        /// - Returns: false after two minutes.
        func wait(for version: UInt64) -> Bool {
            let end = Date(timeIntervalSinceNow: 120)
            condition.lock()
            defer { condition.unlock() }
            while versions.max() ?? 0 < version {
                if !condition.wait(until: end) { return false }
            }
            return true
        }
    }

    private func file(transactions: Int = 1) throws -> String {
        let path = try folder.get().file("watched.realm")
        let child = try ChildProcess(["transactions", path, "1", String(transactions)])
        expectEqual(child.readLines().last, String(transactions))
        expectEqual(child.wait(), 0)
        return path
    }

    private func commit(_ database: Database) throws -> Snapshot {
        let transaction = try database.beginWrite()
        let table = try require(transaction.schema.table(named: Script.tableName))
        let column = try require(table.column(named: "number"))
        let key = try require(transaction.find(primaryKey: .int(0), in: table))
        try transaction.set(column, key, to: .int((transaction.readInt(column, key) ?? 0) + 1))
        return try transaction.commit()
    }

    @Test func `own commits are reported once`() throws {
        let database = try Database.open(at: try file())
        let told = Told()
        let watch = try CommitWatch(database) { told.add($0) }
        for _ in 0..<5 {
            expect(told.wait(for: try commit(database).version))
        }
        expectEqual(Set(told.all).count, told.all.count)
        withExtendedLifetime(watch) {}
    }

    @Test func `an in-memory database reports its own commits`() throws {
        let database = try Database.inMemory(identifier: "commit-watch")
        let told = Told()
        let watch = try CommitWatch(database) { told.add($0) }
        let transaction = try database.beginWrite()
        try transaction.applySchema([TableSpec("A", columns: [ColumnSpec("a", .int)])])
        expectEqual(told.all, [])
        let version = try transaction.commit().version
        expectEqual(told.all, [version])
        withExtendedLifetime(watch) {}
    }

    @Test func `another process's commit wakes the watch, which sees it`() throws {
        let path = try file()
        let database = try Database.open(at: path)
        let told = Told()
        let watch = try CommitWatch(database) { told.add($0) }
        let other = Told()
        let second = try CommitWatch(database) { other.add($0) }
        for _ in 0..<3 {
            let child = try ChildProcess(["increment", path, "1"])
            expectEqual(child.readLines(), ["0"])
            expectEqual(child.wait(), 0)
            expect(told.wait(for: database.lastVersion))
            expect(other.wait(for: database.lastVersion))
            try expectEqual(database.snapshot().version, told.all.last)
        }
        expect(zip(told.all, told.all.dropFirst()).allSatisfy { $0 < $1 })
        withExtendedLifetime((watch, second)) {}
    }

    @Test func `a watch that has ended receives nothing more, and other watches continue`() throws {
        let path = try file()
        let database = try Database.open(at: path)
        let gone = Told()
        let told = Told()
        var first: CommitWatch? = try CommitWatch(database) { gone.add($0) }
        let second = try CommitWatch(database) { told.add($0) }
        _ = try commit(database)
        let before = gone.all
        expectEqual(before.count, 1)
        withExtendedLifetime(first) {}
        first = nil
        let child = try ChildProcess(["increment", path, "2"])
        expectEqual(child.readLines().count, 2)
        expectEqual(child.wait(), 0)
        expect(told.wait(for: database.lastVersion))
        expectEqual(gone.all, before)
        withExtendedLifetime(second) {}
    }

    #if os(Linux)
        @Test func `a forked child with a watch releases its parent's watches`() async {
            await #expect(processExitsWith: .exitCode(0)) {
                let folder = try ChildFolder()
                let path = folder.file("forked.realm")
                let database = try Database.open(at: path)
                let watch = try CommitWatch(database) { _ in }
                guard try Self.watches() == 1 else { exit(1) }
                let found = inChild { Self.watches(path) { (try? Self.watches()) == 1 } }
                withExtendedLifetime(watch) {}
                try? FileManager.default.removeItem(atPath: folder.path)
                exit(found)
            }
        }

        @Test func `files are polled without an instance of inotify`() async {
            await #expect(processExitsWith: .exitCode(0)) {
                FileWatch.lacksInstances.store(true, ordering: .relaxed)
                let folder = try ChildFolder()
                let path = folder.file("polled.realm")
                let database = try Database.open(at: path)
                try Self.addObject(database)
                let told = Told()
                let (first, second) = (
                    try CommitWatch(database) { told.add($0) },
                    try CommitWatch(try Database.open(at: folder.file("other.realm"))) { _ in }
                )
                guard try Self.watches() == 0 else { exit(1) }
                var version = database.lastVersion
                for _ in 0..<3 {
                    version += 1
                    // To this process, the commit is one of another process.
                    let found = inChild { (try? Self.addObject(Database.open(at: path))) == nil ? 2 : 0 }
                    guard found == 0 else { exit(found) }
                    guard told.wait(for: version) else { exit(3) }
                }
                withExtendedLifetime((first, second)) {}
                try? FileManager.default.removeItem(atPath: folder.path)
                exit(0)
            }
        }

        private static func watches() throws -> Int {
            let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            return descriptors.count {
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
                return target?.hasSuffix("inotify") == true
            }
        }

        private static var forkedError: URL {
            FileManager.default.temporaryDirectory.appendingPathComponent("freehold-forked-error.txt")
        }

        /// Returns 0 if a watch reports a commit.
        private static func watches(_ path: String, _ check: () -> Bool) -> Int32 {
            let told = Told()
            let (own, watch): (Database, CommitWatch)
            do {
                own = try Database.open(at: path)
                watch = try CommitWatch(own) { told.add($0) }
            } catch {
                // A failing test doesn't get the output of the process.
                try? Data("\(error)\n".utf8).write(to: forkedError)
                return 2
            }
            return withExtendedLifetime(watch) {
                guard (try? addObject(own)) != nil else { return 4 }
                guard told.wait(for: own.lastVersion) else { return 5 }
                return check() ? 0 : 3
            }
        }

        private static func addObject(_ database: Database) throws {
            let transaction = try database.beginWrite()
            try transaction.applySchema([TableSpec("A", columns: [ColumnSpec("a", .int)])])
            _ = try transaction.create(transaction.schema.table(named: "A")!)
            _ = try transaction.commit()
        }

        /// A lock that another thread holds when the process forks stays locked in the child.
        @Test func `a child that is forked while threads open, watch and write can watch, too`() async {
            await #expect(processExitsWith: .exitCode(0)) {
                let folder = try ChildFolder()
                let path = folder.file("forked.realm")
                let database = try Database.open(at: path)
                // Swift's own caches have locks, too, which are taken at the first use of a function.
                guard Self.watches(path, { true }) == 0 else { exit(6) }
                let isOver = Atomic(false)
                let group = DispatchGroup()
                for i in 0..<3 {
                    group.enter()
                    Thread {
                        while !isOver.load(ordering: .relaxed) {
                            let own = try? Database.open(at: i == 0 ? path + "-other" : path)
                            let watch = own.flatMap { try? CommitWatch($0) { _ in } }
                            if i == 1 { try? Self.addObject(database) }
                            withExtendedLifetime(watch) {}
                        }
                        group.leave()
                    }.start()
                }
                usleep(100_000)
                var found: Int32 = 0
                for _ in 0..<40 where found == 0 {
                    found = inChild { Self.watches(path) { true } }
                    usleep(2000)
                }
                isOver.store(true, ordering: .relaxed)
                group.wait()
                try? FileManager.default.removeItem(atPath: folder.path)
                exit(found)
            }
            if let error = try? String(contentsOf: Self.forkedError, encoding: .utf8) {
                try? FileManager.default.removeItem(at: Self.forkedError)
                Issue.record("\(error)")
            }
        }
    #endif

    /// The observed result equals that of a new query at every reported version. The writer is killed at some point,
    /// and the next one continues.
    @Test func `queries follow other processes that write and are killed`() throws {
        let path = try file(transactions: 2)
        let database = try Database.open(at: path)
        let log = ChangeLog(database)
        let told = Told()
        let watch = try CommitWatch(database) { told.add($0) }
        let snapshot = try database.snapshot()
        let table = try require(snapshot.schema.table(named: Script.tableName))
        let number = try require(table.column(named: "number"))
        let queries = [
            RowQuery(table: table, stages: []), RowQuery(table: table, sort: [SortKey(number, ascending: false)]),
            RowQuery(
                table: table,
                predicate: .comparison(PropertyPath(number), .greater, .int(20)),
                sort: [SortKey(number)]
            ),
        ]
        var observed = queries.map { ObservedQuery($0, in: snapshot) }
        var last = snapshot
        for _ in 0..<2 {
            let writer = try ChildProcess(["writer", path, "1"])
            expectEqual(writer.readLine(), "ready")
            for round in 0..<6 {
                expect(told.wait(for: last.version + 1))
                if round == 5 {
                    writer.kill()
                    writer.wait()
                }
                let next = try database.snapshot()
                let changes = log.changes(from: last, to: next)
                for i in observed.indices {
                    let before = observed[i].keys.array
                    let found = observed[i].advance(to: next, changes) ?? CollectionChanges()
                    let after = queries[i].keys(in: next)
                    expectEqual(observed[i].keys.array, after)
                    expectEqual(found.problems(from: before, to: after) { before[$0] == after[$1] }, [])
                }
                last = next
            }
        }
        // The next commit is reported, although a writer was killed.
        let version = try commit(database).version
        expect(told.wait(for: version))
        withExtendedLifetime(watch) {}
    }
}
