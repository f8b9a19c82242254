import Foundation
import FreeholdEngine
import FreeholdServerStore
import Synchronization
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// The growth of a stream's file with its commits, and the operations that shrink it.
@Suite(.serialized) struct GrowthTests {
    /// A file with 100 objects, of which each commit changes one.
    private struct Growing {
        var driver: StreamDriver
        private var number: UInt64 = 0
        private let text = SyncString(String(repeating: "text ", count: 40))

        var store: FileServerStore { driver.store.file }
        var path: String { store.path(of: StreamDriver.stream) }
        var head: StreamHead { driver.store.head(of: StreamDriver.stream) }

        init(_ change: (inout FileServerStore.Options) -> Void = { _ in }) throws {
            var options = FileServerStore.Options()
            options.mapSize = 1 << 30
            change(&options)
            driver = StreamDriver(try TwinStore(options: options))
            number += 1
            let changes = (0..<100).map { key in
                Change.create(Self.name(key), [NewField("n", .value(0)), NewField("text", .value(.string(text)))])
            }
            commit(changes)
        }

        private static func name(_ key: Int) -> ObjectName { ObjectName("Thing", .int(Int64(key))) }

        private mutating func commit(_ changes: [Change]) {
            let base = head.version
            let seen = Dictionary(changes.map { ($0.object, base) }) { first, _ in first }
            let isNew = number == 1
            let commit = Commit(
                number: number,
                clock: Clock(milliseconds: Int64(number) * 60_000),
                base: base,
                seen: isNew ? [:] : seen,
                changes: changes
            )
            driver.commit([(FileIdent(rawValue: 1), commit, now: Int64(number) * 60_000)])
        }

        mutating func commit(count: Int) {
            for _ in 0..<count {
                number += 1
                commit([.set(Place(Self.name(Int(number % 100)), "n"), .int(Int64(number)), .real)])
            }
        }

        func page(at version: StreamVersion) -> ServerStoreAnswer {
            let kind = ServerStoreRequest.Kind.page(class: "Thing", after: nil, at: version, objects: 1_000)
            return store.perform(ServerStoreRequest(StreamDriver.stream, kind))
        }

        func trim() -> StreamHead? {
            let answer = store.perform(ServerStoreRequest(StreamDriver.stream, .trim(log: 0, horizon: 0)))
            if case .head(let head) = answer { return head }
            return nil
        }

        var bytes: Int {
            (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
        }

        func remove() { driver.store.remove() }
    }

    private final class Sum: Sendable {
        private let sum = Mutex(0)
        var value: Int { sum.withLock { $0 } }
        func add(_ number: Int) { sum.withLock { $0 += number } }
    }

    @Test func `a commit writes the same number of bytes after many commits as after few`() throws {
        var growing = try Growing()
        defer { growing.remove() }
        let (path, sum) = (growing.path, Sum())
        let id = Diagnostics.listen(to: .writes) { event in
            if case .wrote(let write) = event, write.path.hasSuffix(path.suffix(40)) { sum.add(write.bytes) }
        }
        defer { Diagnostics.stop(id) }
        var means: [Int] = []
        var done = 0
        let steps = TestBudget.isSoak ? [100, 1_000, 10_000] : [100, 1_000]
        // The last leaf of a column is written whole while it fills. The commits that fill one are a period.
        let period = FileServerStore.Options().clusterSpan
        var greatest = 0
        for step in steps {
            growing.commit(count: step - done)
            let before = sum.value
            for _ in 0..<period {
                let before = sum.value
                growing.commit(count: 1)
                greatest = max(greatest, sum.value - before)
            }
            means.append((sum.value - before) / period)
            done = step + period
        }
        print("bytes a commit after \(steps) commits: \(means), at most \(greatest)")
        expect(means[0] > 0)
        for mean in means { expect(Double(mean) <= Double(means[0]) * Self.greatestRatio, "\(means)") }
        // The full leaf of a period isn't much more than an empty one.
        expect(greatest < means[0] * 2, "\(means), \(greatest)")
    }

    private static let greatestRatio = 1.1

    @Test func `a bootstrap that was read a minute ago doesn't make the file grow`() throws {
        let clock = Mutex(ContinuousClock.now)
        var plain = try Growing { $0.pinnedVersions = 0 }
        var aged = try Growing { $0.clock = { clock.withLock { $0 } } }
        var bounded = try Growing { $0.pinGrowth = 1 << 20 }
        var trimmed = try Growing()
        defer { for growing in [plain, aged, bounded, trimmed] { growing.remove() } }
        plain.commit(count: 400)
        for index in 0..<4 {
            let version = aged.head.version
            guard case .page(let page?) = aged.page(at: version),
                case .page(let same?) = bounded.page(at: bounded.head.version)
            else {
                Issue.record("no page")
                return
            }
            _ = trimmed.page(at: trimmed.head.version)
            expectEqual(page.objects.count, 100)
            expectEqual(same.objects.count, 100)
            clock.withLock { $0 += .seconds(61) }
            aged.commit(count: 100)
            bounded.commit(count: 100)
            expect(trimmed.trim() != nil)
            trimmed.commit(count: 100)
            // The page of then, of today's rows and the log.
            guard case .page(let again?) = aged.page(at: version) else {
                Issue.record("no page of version \(version)")
                return
            }
            expectEqual(again.objects.map(\.name), page.objects.map(\.name), "\(index)")
        }
        print("bytes: \(plain.bytes) without bootstraps, \(aged.bytes), \(bounded.bytes), \(trimmed.bytes) with four")
        expect(aged.bytes <= plain.bytes * 3 / 2)
        expect(trimmed.bytes <= plain.bytes * 3 / 2)
        expect(bounded.bytes <= plain.bytes * 3 / 2 + 8 << 20)
    }

    @Test func `the log is trimmed to a size, except the last hour`() throws {
        var growing = try Growing { $0.logBytes = 20_000 }
        defer { growing.remove() }
        growing.commit(count: 300)
        let before = growing.head
        let head = try require(growing.trim())
        expectEqual(head.version, before.version)
        expect(head.logStart > 0 && head.logStart + 60 <= head.version, "\(head)")
        expectEqual(growing.trim()?.logStart, head.logStart)
        // One commit a minute: the log keeps those of the last hour.
        var hour = try Growing { $0.logBytes = 1 }
        defer { hour.remove() }
        hour.commit(count: 300)
        let start = try require(hour.trim()).logStart
        expectEqual(start, hour.head.version - 61)
        guard case .page(let page?) = hour.page(at: start) else {
            Issue.record("no page of the log's first version")
            return
        }
        expectEqual(page.objects.count, 100)
        if case .page(.some) = hour.page(at: start - 1) { Issue.record("a page from before the log") }
    }

    @Test func `a file of mostly free pages is rewritten when it is opened`() throws {
        var growing = try Growing { options in
            options.shrinkBytes = 1 << 20
            options.pinGrowth = .max
        }
        defer { growing.remove() }
        _ = growing.page(at: growing.head.version)
        growing.commit(count: 300)
        let (before, head) = (growing.bytes, growing.head)
        try growing.driver.store.reopen(options: growing.driver.store.options)
        guard case .page(let page?) = growing.page(at: head.version) else {
            Issue.record("no page")
            return
        }
        expectEqual(page.objects.count, 100)
        let after = growing.bytes
        print("bytes: \(before), after opening: \(after)")
        expect(before > 2 << 20, "\(before)")
        expect(after * 3 < before, "\(after) of \(before)")
        growing.commit(count: 10)
        expectEqual(growing.head.version, head.version + 10)
        expectEqual(growing.driver.store.problems, [])
    }
}
