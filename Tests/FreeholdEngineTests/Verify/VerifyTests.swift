import Foundation
import TestRandom
import Testing

@testable import FreeholdEngine

struct VerifyTests {
    /// A file that has every kind of block.
    private func sample(_ path: String) throws -> Database {
        var options = Database.Options()
        options.clusterSpan = 40
        options.mapSize = 1 << 28
        let database = try Database.open(at: path, options: options)
        let t = try database.beginWrite()
        try t.applySchema([
            TableSpec(
                "Person",
                columns: [
                    ColumnSpec("id", .int), ColumnSpec("name", .string, optional: true, indexed: true),
                    ColumnSpec("text", .string), ColumnSpec("best", .link, target: "Dog"),
                    ColumnSpec("dogs", .link, collection: .list, target: "Dog"),
                    ColumnSpec("numbers", .int, collection: .list), ColumnSpec("words", .string, collection: .list),
                    ColumnSpec("when", .timestamp, optional: true), ColumnSpec("any", .mixed, indexed: true),
                    ColumnSpec("anys", .mixed, collection: .list),
                ],
                primaryKey: "id"
            ), TableSpec("Dog", columns: [ColumnSpec("age", .int, indexed: true)]),
        ])
        let person = t.schema.table(named: "Person")!
        let dog = t.schema.table(named: "Dog")!
        let dogs = try (0..<100).map { _ in try t.create(dog) }
        for i in 0..<90 {
            let key = try t.create(person, primaryKey: .int(Int64(i * 7919 % 90)))
            try t.set(person.columns[1], key, to: i % 5 == 0 ? .null : .string("name \(i)"))
            try t.set(person.columns[2], key, to: .string(String(repeating: "t", count: i == 3 ? 20000 : 1500)))
            try t.set(person.columns[3], key, to: .link(dogs[i % 3]))
            try t.listAppend(person.columns[4], key, values: [.link(dogs[i]), .link(dogs[0]), .link(dogs[0])])
            try t.listAppend(person.columns[5], key, values: (0..<(i == 7 ? 3000 : 3)).map { .int(Int64($0) << 20) })
            try t.listAppend(person.columns[6], key, values: (0..<(i == 8 ? 300 : 2)).map { .string("word \($0)") })
            if i == 8 {
                try t.listAppend(person.columns[6], key, values: [.string(String(repeating: "w", count: 3000))])
            }
            let nested = Value.list(
                NestedList([.int(Int64(i)), .objectLink(ObjectLink(tableID: dog.id, key: dogs[40]))])
            )
            let any: [Value] = [.null, .int(7), .string("seven"), nested, .string(String(repeating: "s", count: 5000))]
            try t.set(person.columns[8], key, to: any[i % 5])
            try t.listAppend(
                person.columns[9],
                key,
                values: i == 9 ? (0..<200).map { _ in nested } : i < 10 ? any : any.dropLast()
            )
            try t.set(person.columns[7], key, to: .timestamp(Timestamp(seconds: Int64(i), nanoseconds: 5)))
        }
        _ = try t.commit()
        let u = try database.beginWrite()
        u.delete(person, [ObjectKey(5), ObjectKey(50)])
        u.delete(dog, ObjectKey(2))
        _ = try u.commit()
        return database
    }

    /// Returns all blocks in the soak. The usual run takes one of each segment, the first, the last, and some more.
    private func chosen(
        _ all: [(UInt32, UInt64, [UInt8])],
        _ random: inout RandomEngine
    ) -> [(UInt32, UInt64, [UInt8])] {
        if TestBudget.isSoak { return all }
        var picks = SeededRandom(seed: Self.seed &+ UInt64(random.below(1 << 30)))
        let bySegment = Dictionary(grouping: all.indices) { all[$0].0 }
        let borders = bySegment.keys.sorted().map { picks.pick(bySegment[$0]!) }
        return TestBudget.sample(of: all.count, usual: 8, borders: borders, using: &picks).map { all[$0] }
    }

    /// Returns all blocks except the digest, which covers the other ones.
    private func blocks(_ database: Database) throws -> [(UInt32, UInt64, [UInt8])] {
        let snapshot = try database.snapshot()
        var out: [(UInt32, UInt64, [UInt8])] = []
        for segment in 0..<snapshot.root.nextSegment {
            snapshot.forEachBlock(segment) { number, bytes in
                let address = BlockAddress(segment: segment, number: number)
                if address == FileDigest.address { return true }
                out.append((segment, number, database.core.envelope.bytes(bytes, at: address)!))
                return true
            }
        }
        return out
    }

    private func write(_ database: Database, _ segment: UInt32, _ number: UInt64, _ bytes: [UInt8]?) throws {
        try database.store(segment, number, bytes)
    }

    /// Returns the problems that `verify` reports, or the error of opening a snapshot.
    private func verify(_ database: Database) -> [String] {
        do throws(EngineError) { return try database.snapshot().verify() } catch { return [error.message] }
    }

    private static let seed: UInt64 = {
        let seed =
            ProcessInfo.processInfo.environment["FREEHOLD_SEED"].flatMap { UInt64($0) }
            ?? TestSeed.random(in: 0..<1 << 32)
        print("seed \(seed)")
        return seed
    }()

    /// Returns whether blocks of the segment may be missing. A leaf that isn't stored has defaults, and is only noticed
    /// as missing if another block has its values.
    private static func isFree(_ segment: UInt32, _ schema: DatabaseSchema) -> Bool {
        guard case .column(_, let column, .leaf)? = schema.owner(of: segment) else { return false }
        return column.type != .link && !column.isIndexed && !column.isPrimaryKey
    }

    @Test func `a sound file has no problems`() throws {
        let folder = TemporaryFolder()
        try expectEqual(sample(folder.file()).snapshot().verify(), [])
    }

    @Test func `every lost, cut or doubled block is reported`() throws {
        let folder = TemporaryFolder()
        let database = try sample(folder.file())
        let all = try blocks(database)
        let schema = try database.snapshot().schema
        expect(all.count > 50)
        var random = RandomEngine(seed: Self.seed)
        // All combinations take minutes.
        let chosen = chosen(all, &random)
        expect(Set(chosen.map(\.0)) == Set(all.map(\.0)), "each segment has a case")
        expect(TestBudget.isSpent("VerifyTests.blocks", cases: chosen.count, of: 15))
        for (segment, number, bytes) in chosen {
            let isHistory = segment == Catalogue.historySegment
            if !isHistory, !Self.isFree(segment, schema) {
                try write(database, segment, number, nil)
                expect(!verify(database).isEmpty, "block \(number) of \(segment) removed")
            }
            try write(database, segment, number, Array(bytes.dropLast()))
            expect(!verify(database).isEmpty, "block \(number) of \(segment) cut")
            try write(database, segment, number, bytes + [0])
            expect(!verify(database).isEmpty, "block \(number) of \(segment) longer")
            try write(database, segment, number, bytes)
            if !isHistory {
                try write(database, segment, number + 5000, bytes)
                expect(!verify(database).isEmpty, "block \(number) of \(segment) doubled")
                try write(database, segment, number + 5000, nil)
            }
        }
        expectEqual(verify(database), [])
    }

    @Test(arguments: 1...UInt64(EngineModelTests.isSoak ? 40 : 2)) func `no damage makes verify trap`(_ seed: UInt64)
        throws
    {
        let folder = TemporaryFolder()
        let database = try sample(folder.file())
        var random = RandomEngine(seed: seed)
        var silent: [String] = []
        let chosen = try chosen(blocks(database).filter { !$0.2.isEmpty }, &random)
        expect(TestBudget.isSpent("VerifyTests.damage, seed \(seed)", cases: chosen.count, of: 15))
        for (segment, number, bytes) in chosen {
            var damaged = bytes
            for _ in 0...random.below(3) {
                // Damage in headers leads to wrong places.
                let at = random.chance(70) ? random.below(min(24, bytes.count)) : random.below(bytes.count)
                damaged[at] = random.chance(50) ? damaged[at] ^ UInt8(1 << random.below(8)) : UInt8(random.below(256))
            }
            try write(database, segment, number, damaged)
            if damaged != bytes, verify(database).isEmpty { silent.append("\(segment)/\(number)") }
            try write(database, segment, number, bytes)
        }
        expectEqual(verify(database), [])
        print("seed \(seed): damage that no invariant shows: \(silent.count) blocks")
    }

    @Test func `wrong counts, links and keys are named`() throws {
        let folder = TemporaryFolder()
        let database = try sample(folder.file())
        let schema = try database.snapshot().schema
        let person = schema.table(named: "Person")!
        func damage(_ segment: UInt32, _ number: UInt64, _ change: (inout [UInt8]) -> Void) throws -> [String] {
            let original = try database.snapshot().block(segment, number).map(Array.init)!
            var bytes = original
            change(&bytes)
            try write(database, segment, number, bytes)
            let problems = verify(database)
            try write(database, segment, number, original)
            return problems
        }
        let count = try damage(person.firstSegment + 2, 0) { $0[2] -= 1 }
        expect(count.contains { $0.contains("its state says") })
        // The last slot's primary key becomes the one before's.
        let leaf = person.columns[0].segment(.leaf)
        let keys = try damage(leaf, 0) { $0[$0.count - 1] = $0[$0.count - 2] }
        expect(keys.contains { $0.contains("both have the primary key") })
        expect(keys.contains { $0.contains("an entry for") })
        let link = try damage(person.columns[3].segment(.leaf), 0) { $0[$0.count - 1] ^= 3 }
        expect(link.contains { $0.contains("origins") || $0.contains("doesn't exist") })
        let utf8 = try damage(person.columns[2].segment(.blobs), 1) { $0[9] = 0xFF }
        expect(utf8.contains { $0.contains("UTF-8") })
    }
}
