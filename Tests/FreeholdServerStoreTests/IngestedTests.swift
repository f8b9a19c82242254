import Foundation
import FreeholdBSON
import FreeholdEngine
import FreeholdServerStore
import TestRandom
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Objects of asymmetric classes, read in the order of their arrival.
struct IngestedTests {
    private static let stream = StreamDriver.stream

    private static func random() -> SeededRandom {
        let given = ProcessInfo.processInfo.environment["FREEHOLD_SEED"].flatMap { UInt64($0) }
        let seed = given ?? TestSeed.random(in: 0...1_000_000)
        print("ingested objects: FREEHOLD_SEED=\(seed)")
        return SeededRandom(seed: seed)
    }

    private static func rules() -> MergeRules {
        var rules = MergeRules()
        rules.createOnly = ["Event", "Odd"]
        return rules
    }

    /// Commits with objects of asymmetric classes, and ordinary ones.
    private struct Writer {
        var driver: StreamDriver
        var number: UInt64 = 0
        var expected: [BSONDocument] = []

        mutating func commit(_ className: SyncString, _ keys: [PrimaryKey]) {
            number += 1
            var changes: [Change] = keys.map { key in
                .create(
                    ObjectName(className, key),
                    [
                        NewField("text", .value(.string(SyncString("\(key)")))),
                        NewField("tags", .list(first: 1, ["a", "b"])),
                    ]
                )
            }
            // The head is another object each time.
            changes.append(.create(ObjectName("Thing", .int(Int64(number))), [NewField("n", .value(1))]))
            let commit = Commit(
                number: number,
                clock: Clock(milliseconds: Int64(number)),
                base: driver.store.head(of: StreamDriver.stream).version,
                changes: changes
            )
            driver.commit([(FileIdent(rawValue: 1), commit, now: Int64(number))])
            for key in keys.sorted() {
                let document: BSONDocument = ["_id": BSONValue(key), "tags": ["a", "b"], "text": .string("\(key)")]
                if !expected.contains(where: { $0["_id"] == document["_id"] }) { expected.append(document) }
            }
        }
    }

    private func all(
        _ store: FileServerStore,
        _ className: SyncString,
        _ random: inout SeededRandom,
        from start: IngestPosition = .start
    ) throws -> [BSONDocument] {
        var position = start
        var documents: [BSONDocument] = []
        while true {
            let count = Int.random(in: 1...9, using: &random)
            let page = try require(
                try store.ingested(of: Self.stream, className: className, after: position, count: count)
            )
            expect(page.objects.count <= count)
            // Reads the same page again, up to its end, independent of later objects.
            let again = try store.ingested(
                of: Self.stream,
                className: className,
                after: position,
                upTo: page.position,
                count: .max,
                bytes: .max
            )
            expectEqual(again?.objects.map(\.document), page.objects.map(\.document))
            documents += page.objects.map(\.document)
            position = page.position
            if !page.hasMore { break }
        }
        try expectEqual(store.ingestedCount(of: Self.stream, className: className, after: position), 0)
        return documents
    }

    @Test func `pages contain each object once, in the order of commits, while more are added`() throws {
        var random = Self.random()
        let store = try TwinStore()
        defer { store.remove() }
        var writer = Writer(driver: StreamDriver(store, Self.rules()))
        var position = IngestPosition.start
        var seen: [BSONDocument] = []
        for _ in 0..<40 {
            let keys = Set(
                (0..<Int.random(in: 0...6, using: &random)).map { _ in Int64.random(in: 0...500, using: &random) }
            )
            writer.commit("Event", keys.map { .int($0) })
            if random.chance(50) { continue }
            let count = Int.random(in: 1...10, using: &random)
            let page = try require(
                try writer.driver.store.file.ingested(
                    of: Self.stream,
                    className: "Event",
                    after: position,
                    count: count
                )
            )
            seen += page.objects.map(\.document)
            position = page.position
        }
        seen += try all(writer.driver.store.file, "Event", &random, from: position)
        expectEqual(seen, writer.expected)
        try expectEqual(all(writer.driver.store.file, "Event", &random), writer.expected)
        // Ordinary objects, and objects of an unknown class, aren't included.
        expect(try all(writer.driver.store.file, "Thing", &random).isEmpty)
        expect(try all(writer.driver.store.file, "Nothing", &random).isEmpty)
        expect(
            try writer.driver.store.file.ingested(
                of: StreamName(app: "none"),
                className: "Event",
                after: .start,
                count: 1
            ) == nil
        )
    }

    @Test func `objects that no table can store are included`() throws {
        var random = Self.random()
        // Without a table for the class, and with one whose keys are of another type.
        let schema = [TableSpec("Odd", columns: [ColumnSpec("_id", .string)], primaryKey: "_id")]
        var options = TwinStore.small
        options.mode = .schema
        let store = try TwinStore(schemas: ["app": schema], options: options)
        defer { store.remove() }
        var writer = Writer(driver: StreamDriver(store, Self.rules()))
        for round in 0..<10 {
            writer.commit("Event", [.int(Int64(round)), .string(SyncString("e\(round)"))])
            let other = writer.expected
            writer.commit("Odd", [.int(Int64(round)), .string(SyncString("o\(round)"))])
            writer.expected = other
        }
        try expectEqual(all(writer.driver.store.file, "Event", &random), writer.expected)
        try expectEqual(all(writer.driver.store.file, "Odd", &random).count, 20)
    }

    @Test func `delivered objects can be removed, and positions stay right`() throws {
        var random = Self.random()
        let store = try TwinStore()
        defer { store.remove() }
        var writer = Writer(driver: StreamDriver(store, Self.rules()))
        for key in 0..<30 { writer.commit("Event", [.int(Int64(key))]) }
        let file = writer.driver.store.file
        let page = try require(try file.ingested(of: Self.stream, className: "Event", after: .start, count: 12))
        while try file.removeIngested(of: Self.stream, className: "Event", upTo: page.position, count: 5) {}
        try expectEqual(all(file, "Event", &random).count, 18)
        let rest = try all(file, "Event", &random, from: page.position)
        expectEqual(rest, Array(writer.expected[12...]))
        try file.removeIngested(of: Self.stream, className: "Event", upTo: IngestPosition(row: .max, other: .max))
        expect(try all(file, "Event", &random).isEmpty)
        writer.commit("Event", [.int(100)])
        try expectEqual(all(file, "Event", &random, from: page.position).map { $0["_id"] }, [.int64(100)])
        // Ordinary objects are still there.
        let head = writer.driver.store.head(of: Self.stream).version
        guard
            case .page(let things?) = file.perform(
                .init(Self.stream, .page(class: "Thing", after: nil, at: head, objects: 100))
            )
        else {
            Issue.record("no page")
            return
        }
        expectEqual(things.objects.count, 31)
        try expectEqual(file.hash(of: Self.stream, at: head), writer.driver.store.head(of: Self.stream).hash)
        expect(try file.hash(of: Self.stream, at: head + 1) == nil)
    }
}
