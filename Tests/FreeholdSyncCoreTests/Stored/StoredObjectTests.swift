import Foundation
import FreeholdBSON
import FreeholdEngine
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// An object is restored from its stored form. `FREEHOLD_SEED` repeats a history.
struct StoredObjectTests {
    typealias Options = HistoryGenerator.Options

    static let all = MergeComparisonTests.all

    /// The object, written as bytes and read again.
    static func restored(_ object: MergedObject, _ name: ObjectName) throws -> MergedObject {
        let stored = object.stored(name.key)
        let doc = try BSONDocument(bytes: stored.doc.bytes())
        return try MergedObject(StoredObject(doc: doc, meta: stored.meta))
    }

    /// After each step, merges continue with the restored object, so its inner order must equal that of the object.
    @Test(arguments: all)
    func `every object of random histories is restored equal, and merges continue as before`(options: Options) throws {
        let seeds = CodecSeeds.seeds("StoredObjectTests", count: 2, soak: 500)
        var cases = 0
        for seed in seeds {
            cases += 1
            var generator = HistoryGenerator(seed: seed, options)
            for _ in 0..<(options.trims ? 3 : 1) { generator.run() }
            var (stream, plain) = (MergedStream(generator.history.rules), MergedStream(generator.history.rules))
            stream.store.keeps = { name, object in
                do {
                    let restored = try Self.restored(object, name)
                    if restored != object { Issue.record("seed \(seed), \(options): \(name) differs") }
                    if restored.stored(name.key) != object.stored(name.key) {
                        Issue.record("seed \(seed), \(options): \(name) is written in two ways")
                    }
                    return restored
                } catch {
                    Issue.record("seed \(seed), \(options): \(name): \(error)")
                    return object
                }
            }
            for event in generator.history.events {
                let (answer, expected) = (try stream.apply(event), try plain.apply(event))
                expectEqual(answer, expected, "seed \(seed)")
            }
            expectEqual(stream.stored(), plain.stored(), "seed \(seed)")
            expectEqual(stream.store.objects, plain.store.objects, "seed \(seed)")
        }
        expect(TestBudget.isSpent("StoredObjectTests, \(options)", cases: cases, of: seeds.count))
    }

    private func object(_ fields: [NewField], _ changes: Change...) throws -> MergedObject {
        var stream = MergedStream()
        let create = commit(1, clock: 5, base: 0, .create(thing, fields))
        _ = try stream.apply(.arrival(c1, create, serverNow: 10))
        let edit = Commit(
            number: 2,
            clock: Clock(milliseconds: 6),
            base: 1,
            seen: [thing: 1],
            changes: changes
        )
        _ = try stream.apply(.arrival(c1, edit, serverNow: 10))
        return try require(stream.store.objects[thing])
    }

    @Test func `the document has plain values: keys for links, arrays for lists and sets, documents for the rest`()
        throws
    {
        let address = EmbeddedValue(
            number: 1,
            fields: [NewField("city", .value("Basel")), NewField("zip", .value(.null))]
        )
        let object = try object([
            NewField("name", .value("Rex")), NewField("age", .value(3)),
            NewField("dogs", .list(first: 2, [.link(ObjectName("Dog", 7)), .link(ObjectName("Dog", "x"))])),
            NewField("address", .value(.embedded(address))), NewField("tags", .set(["b", "a"])),
            NewField("map", .dictionary(SyncDictionary([("k", 1), ("l", .link(ObjectName("Dog", 9)))]))),
        ])
        let expected: BSONDocument = [
            "_id": .int64(1), "address": .document(["city": .string("Basel"), "zip": .null]), "age": .int64(3),
            "dogs": .array([.int64(7), .string("x")]), "map": .document(["k": .int64(1), "l": .int64(9)]),
            "name": .string("Rex"), "tags": .array([.string("a"), .string("b")]),
        ]
        expectEqual(object.stored(thing.key).doc, expected)
        try expectEqual(Self.restored(object, thing), object)
    }

    @Test func `values without a BSON type are restored to the bit`() throws {
        let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        let dictionary = SyncDictionary([("a\0b", 1), ("n", .list([.float(1.5), .null]))])
        let values: [SyncValue] = [
            .float(0.1), .float(-.zero), .float(Float(bitPattern: 0x7FA0_0001)), .double(.nan), .double(-.zero),
            .date(Timestamp(seconds: 1, nanoseconds: 1)), .date(Timestamp(seconds: -1, nanoseconds: 999_999_999)),
            .date(Timestamp(seconds: -1, nanoseconds: 5_000_000)), .date(.min), .date(.max), .uuid(uuid),
            .data(Data([1])),
            .data(Data(repeating: 1, count: 16)), .decimal128(Decimal128(lo: 5, hi: 0x7C00_0000_0000_0001)),
            .string("a\0"),
            .link(ObjectName("Dog", .null)), .link(ObjectName("Dog", .uuid(uuid))), .dictionary(dictionary),
            .list([.dictionary(SyncDictionary([("x", .link(thing))])), .bool(true)]), .list([]),
            .list([.embedded(EmbeddedValue(number: 3, fields: [NewField("f", .list(first: 1, [1]))]))]),
        ]
        var fields = values.enumerated().map { NewField(SyncString("f\($0.offset)"), .value($0.element)) }
        fields.append(
            NewField("all", .list(first: 1, values.filter { if case .embedded = $0 { false } else { true } }))
        )
        fields.append(NewField("set", .set(values.filter { SetElement($0) != nil })))
        fields.append(NewField("_id", .value("another")))
        fields.append(NewField("nul\0", .value(1)))
        fields.append(NewField("nul\0list", .list(first: 100, [1, .float(2)])))
        fields.append(NewField("e\u{301}", .value(1)))
        fields.append(NewField("é", .value(2)))
        let object = try object(
            fields,
            .set(Place(thing, "f17").nested("n"), 5, .real),
            .increment(Place(thing, "nul\0"), 3),
            .removeFromSet(Place(thing, "set"), [.link(ObjectName("Dog", .null)), "never there"]),
            .remove(Place(thing, "nul\0list"), [.own(100)])
        )
        let restored = try Self.restored(object, thing)
        expectEqual(restored, object)
        expectEqual(restored.contents, object.contents)
    }

    private static let dates: [(Timestamp, milliseconds: Int64)] = [
        (Timestamp(seconds: 0, nanoseconds: 0), 0), (Timestamp(seconds: 0, nanoseconds: 499_999), 0),
        (Timestamp(seconds: 0, nanoseconds: 500_000), 1), (Timestamp(seconds: 0, nanoseconds: 999_999_999), 1_000),
        (Timestamp(seconds: -1, nanoseconds: 999_000_000), -1), (Timestamp(seconds: -1, nanoseconds: 998_999_953), -1),
        (Timestamp(seconds: -1, nanoseconds: 999_000_047), -1), (Timestamp(seconds: -1, nanoseconds: 999_499_999), -1),
        (Timestamp(seconds: -1, nanoseconds: 999_500_000), -1), (Timestamp(seconds: -1, nanoseconds: 999_500_001), 0),
        (Timestamp(seconds: 253_402_300_799, nanoseconds: 998_999_999), 253_402_300_799_999),
        (.min, .min), (.max, .max),
    ]

    @Test func `a document shows the nearest millisecond of a date, and the date is restored`() throws {
        var fields: [NewField] = []
        for (index, (date, milliseconds)) in Self.dates.enumerated() {
            expectEqual(BSONValue(SyncValue.date(date)), .datetime(BSONDateTime(milliseconds: milliseconds)), "\(date)")
            fields.append(NewField(SyncString("d\(index)"), .value(.date(date))))
        }
        let all = Self.dates.map { SyncValue.date($0.0) }
        fields += [NewField("list", .list(first: 1, all)), NewField("set", .set(all))]
        fields.append(
            NewField(
                "map",
                .dictionary(SyncDictionary(all.enumerated().map { (SyncString("k\($0.offset)"), $0.element) }))
            )
        )
        let object = try object(fields)
        let restored = try Self.restored(object, thing)
        expectEqual(restored, object)
        expectEqual(restored.contents, object.contents)
        // A program's milliseconds are read as the same ones, although a double rarely represents them exactly.
        var random = SeededRandom(test: "milliseconds of dates")
        for _ in 0..<1_000 {
            let milliseconds = Int64.random(in: -62_135_596_800_000...253_402_300_799_999, using: &random)
            let date = Timestamp(BSONDateTime(milliseconds: milliseconds).date)
            expectEqual(BSONValue(SyncValue.date(date)), .datetime(BSONDateTime(milliseconds: milliseconds)))
        }
    }

    @Test func `dates of objects that were stored with milliseconds rounded down are restored`() throws {
        let (early, late) = (
            Timestamp(seconds: 10, nanoseconds: 5_000_047), Timestamp(seconds: 10, nanoseconds: 5_999_953)
        )
        func object(_ date: Timestamp) throws -> MergedObject {
            try self.object([NewField("when", .value(.date(date))), NewField("list", .list(first: 1, [.date(date)]))])
        }
        // The earlier stored form: the document has the milliseconds rounded down, and the metadata the remaining
        // nanoseconds.
        var stored = try object(early).stored(thing.key)
        var rest: [UInt8] = []
        rest.appendVarint(999_953)
        let places = stored.meta.indices.filter { stored.meta[$0] == 47 }
        expectEqual(places.count, 2)
        for place in places.reversed() { stored.meta.replaceSubrange(place...place, with: rest) }
        try expectEqual(MergedObject(stored).contents, object(late).contents)
    }

    @Test func `damaged parts are an error or another object, and never trap`() throws {
        for seed in CodecSeeds.seeds("StoredObjectTests", count: 4, soak: 1_000) {
            var generator = HistoryGenerator(seed: seed, Options(name: "everything", trims: true, mergesAdds: true))
            generator.run()
            var stream = MergedStream(generator.history.rules)
            for event in generator.history.events { _ = try stream.apply(event) }
            var random = SeededRandom(seed: seed)
            let objects = stream.store.objects.sorted { $0.key < $1.key }
            for (name, object) in objects {
                let stored = object.stored(name.key)
                for _ in 0..<200 {
                    var meta = stored.meta
                    for _ in 0..<Int.random(in: 1...3, using: &random) where !meta.isEmpty {
                        let place = Int.random(in: meta.indices, using: &random)
                        switch Int.random(in: 0..<4, using: &random) {
                        case 0: meta[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                        case 1: meta.removeSubrange(place...)
                        case 2: meta.remove(at: place)
                        default: meta.insert(UInt8.random(in: 0...255, using: &random), at: place)
                        }
                    }
                    guard let other = try? MergedObject(StoredObject(doc: stored.doc, meta: meta)) else { continue }
                    _ = other.contents
                }
                // The document of another object.
                for (_, other) in objects {
                    _ = try? MergedObject(StoredObject(doc: other.stored(name.key).doc, meta: stored.meta))
                }
            }
        }
    }

    @Test func `an object that was written once has hardly any metadata`() throws {
        var stream = MergedStream()
        let fields = [NewField("a", .value(1)), NewField("b", .value("text")), NewField("c", .value(.null))]
        let create = commit(1, clock: 375_000_000_000, base: 0, .create(thing, fields))
        _ = try stream.apply(.arrival(c1, create, serverNow: 375_000_000_000))
        expect(try require(stream.store.objects[thing]).stored(thing.key).meta.count <= 14)
    }

    /// The figures of docs/sync-protocol.md.
    @Test func `the metadata of lists is small`() throws {
        let count = 2_000
        func meta(_ gap: (Int) -> Gap, run: Int, perCommit: Int) throws -> Double {
            var stream = MergedStream()
            let fields = [NewField("list", .list(first: 1, []))]
            _ = try stream.apply(.arrival(c1, commit(1, clock: 5, base: 0, .create(thing, fields)), serverNow: 10))
            let empty = try require(stream.store.objects[thing]).stored(thing.key).meta.count
            var number: UInt64 = 2
            for start in stride(from: 0, to: count, by: run * perCommit) {
                let changes = stride(from: start, to: min(start + run * perCommit, count), by: run).map { first in
                    let values = (first..<first + run).map { SyncValue.int(Int64($0)) }
                    return Change.insert(list, gap(first), first: OwnNumber(first + 1), values)
                }
                let time = Clock(milliseconds: Int64(number) * 700)
                let work = Commit(number: number, clock: time, base: 1, seen: [thing: 1], changes: changes)
                let answer = try stream.apply(.arrival(c1, work, serverNow: 1 << 40))
                expectEqual(answer?.refusals, [])
                number += 1
            }
            let object = try require(stream.store.objects[thing])
            try expectEqual(Self.restored(object, thing), object)
            return Double(object.stored(thing.key).meta.count - empty) / Double(count)
        }
        var random = SeededRandom(seed: 1)
        let append = { (index: Int) in Gap(after: index == 0 ? nil : .own(OwnNumber(index)), before: nil) }
        let front = { (index: Int) in Gap(after: nil, before: index == 0 ? nil : .own(OwnNumber(index))) }
        let anywhere = { (index: Int) in
            Gap(after: index == 0 ? nil : .own(OwnNumber.random(in: 1...OwnNumber(index), using: &random)), before: nil)
        }
        let typing = { (index: Int) in
            index % 20 == 0 && index > 0
                ? Gap(after: .own(OwnNumber.random(in: 1...OwnNumber(index), using: &random)), before: nil)
                : append(index)
        }
        for perCommit in [1, 200] {
            let figures = [
                try meta(append, run: 1, perCommit: perCommit), try meta(front, run: 1, perCommit: perCommit),
                try meta(anywhere, run: 1, perCommit: perCommit), try meta(typing, run: 1, perCommit: perCommit),
            ]
            print("meta a list element, \(perCommit) a commit: append, front, random, typing runs:", figures)
            expect(figures.allSatisfy { $0 < (perCommit == 1 ? 16 : 10) })
        }
        expect(try meta(append, run: 1_000, perCommit: 1) < 0.1)
    }
}
