import FreeholdServerStore
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Pages and steps end after a number of bytes, in the store in memory and in the one in files.
struct PageBytesTests {
    private static let length = 300_000

    /// Objects with 300,000 letters: rows of a table, and objects whose keys the key column can't store.
    private struct World {
        var driver: StreamDriver
        private var number: UInt64 = 0
        var head: StreamHead { driver.store.head(of: StreamDriver.stream) }

        init() throws {
            var options = TwinStore.small
            (options.mapSize, options.pinnedVersions) = (512 << 20, 0)
            driver = StreamDriver(try TwinStore(options: options))
            for index in 0..<12 as Range<Int64> { create(.int(index), "a") }
            for index in 0..<6 { create(.string(SyncString("key \(index)")), "b") }
        }

        private mutating func commit(_ change: Change) { commit([change]) }

        /// Makes a group of commits with a change each.
        mutating func commit(_ changes: [Change]) {
            let group = changes.map { change in
                number += 1
                let commit = Commit(
                    number: number,
                    clock: Clock(milliseconds: Int64(number) * 1_000),
                    base: head.version,
                    seen: [change.object: head.version],
                    changes: [change]
                )
                return (FileIdent(rawValue: 1), commit, now: Int64(number) * 1_000)
            }
            driver.commit(group)
        }

        mutating func create(_ key: PrimaryKey, _ letter: String, length: Int = PageBytesTests.length) {
            let text = SyncString(String(repeating: letter, count: length))
            commit(.create(ObjectName("Thing", key), [NewField("text", .value(.string(text)))]))
        }

        mutating func set(_ name: ObjectName, _ field: SyncString, _ value: SyncValue) {
            commit(.set(Place(name, field), value, .real))
        }

        mutating func shorten(_ keys: [PrimaryKey]) {
            for key in keys { commit(.set(Place(ObjectName("Thing", key), "text"), .string("short"), .real)) }
        }

        mutating func perform(_ kind: ServerStoreRequest.Kind) -> ServerStoreAnswer {
            driver.store.perform(ServerStoreRequest(StreamDriver.stream, kind))
        }

        /// All keys of the class at a version, and the numbers of objects of the pages.
        mutating func pages(at version: StreamVersion) throws -> (keys: [PrimaryKey], counts: [Int]) {
            var (keys, counts) = ([PrimaryKey](), [Int]())
            while true {
                let kind = ServerStoreRequest.Kind.page(class: "Thing", after: keys.last, at: version, objects: 1_000)
                guard case .page(let answer) = perform(kind) else { throw CodecError(.inconsistent, "No page.") }
                let page = try require(answer)
                keys += page.objects.map(\.name.key)
                counts.append(page.objects.count)
                if page.isLast || page.objects.isEmpty { return (keys, counts) }
            }
        }
    }

    private let keys: [PrimaryKey] =
        (0..<12).map { .int($0) } + (0..<6).map { .string(SyncString("key \($0)")) }

    @Test func `a page ends behind a megabyte, at the newest version and at earlier ones`() throws {
        var world = try World()
        defer { world.driver.store.remove() }
        let version = world.head.version
        let now = try world.pages(at: version)
        expectEqual(now.keys, keys)
        expectEqual(now.counts, [4, 4, 4, 4, 2])
        world.shorten([1, 2, 3, 4, "key 2", "key 3"])
        let past = try world.pages(at: version)
        expectEqual(past.keys, keys)
        expectEqual(past.counts, [4, 4, 4, 4, 2])
        // A page has more of the short objects.
        let today = try world.pages(at: world.head.version)
        expectEqual(today.keys, keys)
        expect(today.counts[0] > 4, "\(today.counts)")
        expectEqual(world.driver.store.problems, [])
    }

    @Test func `a page of keys ends behind a megabyte, and names the last key that was looked at`() throws {
        var world = try World()
        defer { world.driver.store.remove() }
        let version = world.head.version
        world.shorten([1, 2, 3, 4])
        for (at, first) in [(version, 4), (world.head.version, 8)] {
            let kind = ServerStoreRequest.Kind.keys(keys + [77], class: "Thing", at: at)
            guard case .page(let page?) = world.perform(kind) else {
                Issue.record("no page")
                return
            }
            expectEqual(page.objects.map(\.name.key), Array(keys.prefix(first)))
            expectEqual(page.through, keys[first - 1])
        }
        guard case .page(let page?) = world.perform(.keys([0, 5], class: "Thing", at: version)) else {
            Issue.record("no page")
            return
        }
        expect(page.objects.count == 2 && page.through == nil)
        expectEqual(world.driver.store.problems, [])
    }

    @Test func `objects for a merge are read up to a number of bytes`() throws {
        var world = try World()
        defer { world.driver.store.remove() }
        var query = RowQuery()
        query.objects = Set(keys.map { ObjectName("Thing", $0) })
        query.mostBytes = 18 * Self.length / 2
        guard case .failed(.limit) = world.perform(.read(query)) else {
            Issue.record("too much is read")
            return
        }
        query.objects = Set(query.objects.sorted().prefix(8))
        if case .rows(let rows) = world.perform(.read(query)) { expectEqual(rows.objects.count, 8) }
        expectEqual(world.driver.store.problems, [])
    }

    @Test func `a step of several commits ends behind some megabytes`() throws {
        var world = try World()
        defer { world.driver.store.remove() }
        world.shorten(keys)
        let start = StreamVersion(keys.count)
        guard case .bind(let answer) = world.perform(.bind(FileQuery(ident: nil, acknowledged: 0, cursor: start))),
            let hash = answer.cursor
        else {
            Issue.record("no cursor")
            return
        }
        var cursor = Cursor(epoch: world.head.epoch, version: start, hash: hash)
        var steps: [Int] = []
        while cursor.version < world.head.version {
            guard case .step(let step?) = world.perform(.step(after: cursor, objects: 1_000)) else {
                Issue.record("no step")
                return
            }
            steps.append(step.objects.count)
            cursor = step.to
        }
        expectEqual(steps, [14, 4])
        expectEqual(world.driver.store.problems, [])
    }

    @Test func `a step with a large object takes further commits on it, and none on others`() throws {
        var world = try World()
        defer { world.driver.store.remove() }
        let large = ObjectName("Thing", 100)
        world.create(large.key, "c", length: 5 << 20)
        let start = StreamVersion(keys.count + 1)
        for number in 0..<70 { world.set(large, "number", .int(Int64(number))) }
        world.shorten([keys[2]])
        guard case .bind(let answer) = world.perform(.bind(FileQuery(ident: nil, acknowledged: 0, cursor: start))),
            let hash = answer.cursor
        else {
            Issue.record("no cursor")
            return
        }
        var cursor = Cursor(epoch: world.head.epoch, version: start, hash: hash)
        var steps: [[Int]] = []
        while cursor.version < world.head.version {
            guard case .step(let step?) = world.perform(.step(after: cursor, objects: 1_000)) else {
                Issue.record("no step")
                return
            }
            steps.append([step.objects.count, Int(step.to.version - step.from.version)])
            cursor = step.to
        }
        expectEqual(steps, [[1, 1 + 64], [1, 5], [1, 1]])
        // A reader that takes the objects one by one receives each commit.
        cursor = Cursor(epoch: world.head.epoch, version: start, hash: hash)
        guard case .step(let step?) = world.perform(.step(after: cursor, objects: 1)) else {
            Issue.record("no step")
            return
        }
        expectEqual(step.to.version, start + 1)
        expectEqual(world.driver.store.problems, [])
    }

    @Test func `a step with a long list takes more further commits on it`() throws {
        var world = try World()
        defer { world.driver.store.remove() }
        let large = ObjectName("Thing", 100)
        let texts = Array(repeating: SyncValue.string(SyncString(String(repeating: "c", count: 5_000))), count: 1_100)
        world.commit([.create(large, [NewField("list", .list(first: 1, texts))])])
        let start = world.head.version - 1
        for first in [2_000, 3_000] as [OwnNumber] {
            let gap = Gap(after: nil, before: nil)
            world.commit((0..<100).map { .insert(Place(large, "list"), gap, first: first + $0, ["new"]) })
        }
        guard case .bind(let answer) = world.perform(.bind(FileQuery(ident: nil, acknowledged: 0, cursor: start))),
            let hash = answer.cursor
        else {
            Issue.record("no cursor")
            return
        }
        let cursor = Cursor(epoch: world.head.epoch, version: start, hash: hash)
        guard case .step(let step?) = world.perform(.step(after: cursor, objects: 1_000)) else {
            Issue.record("no step")
            return
        }
        // The object doesn't exist before the first of them.
        expectEqual(step.to.version, start + 1 + 64)
        guard case .step(let next?) = world.perform(.step(after: step.to, objects: 1_000)) else {
            Issue.record("no step")
            return
        }
        expectEqual(next.to.version, world.head.version)
        expectEqual(world.driver.store.problems, [])
    }
}
