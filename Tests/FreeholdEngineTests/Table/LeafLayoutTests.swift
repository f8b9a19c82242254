import Foundation
import Testing

@testable import FreeholdEngine

/// The number of parts of stored leaves, and the changes of parts that grow, shrink or were stored by an earlier
/// version.
struct LeafLayoutTests {
    private let folder = TemporaryFolder()

    private func buffer(slots: Int, bytes: Int, isReference: Bool = false) -> LeafBuffer {
        let buffer = LeafBuffer(type: .string, isList: false, isOptional: false, capacity: 1_000)
        let value = [UInt8](repeating: 97, count: isReference ? 16 : bytes)
        for slot in 0..<slots { value.withUnsafeBytes { buffer.setBytes(slot, $0, isReference: isReference) } }
        return buffer
    }

    @Test(arguments: [
        // Narrow values stay whole up to eight pages.
        (slots: 1_000, bytes: 0, log2: 0), (1_000, 20, 0), (1_000, 30, 0), (500, 60, 0),
        // Wide ones up to two.
        (125, 62, 0), (8, 1_000, 0), (4, 2_000, 0),
        // Then each part fits a page, if 64 parts are enough for that.
        (1_000, 33, 4), (1_000, 60, 4), (1_000, 100, 5), (1_000, 120, 5), (1_000, 200, 6), (1_000, 1_000, 6),
        (1_000, 2_000, 6),
        (100, 100, 5), (9, 1_000, 6), (5, 2_000, 6),
    ])
    func `narrow values are stored whole and wide ones in parts of a page`(slots: Int, bytes: Int, log2: Int) {
        let buffer = buffer(slots: slots, bytes: bytes)
        expectEqual(LeafLayout.partsLog2(of: buffer), log2)
        guard let encoded = buffer.encodedParts() else { return expectEqual(log2, 0) }
        expectEqual(encoded.log2, log2)
        let span = Leaf.partSpan(clusterSpan: 1_000, partsLog2: log2)
        expectEqual(encoded.parts.map(\.number), Array(0..<(slots + span - 1) / span))
        let limit = log2 < 6 ? LeafLayout.partSize : BlockLimits.maximumSize
        expect(encoded.parts.allSatisfy { $0.bytes.count <= limit })
        encoded.parts.deallocate()
    }

    @Test(arguments: [(slots: 400, log2: 0), (1_000, 3)])
    func `references to long values are divided as soon as they take more than two pages`(slots: Int, log2: Int) {
        expectEqual(LeafLayout.partsLog2(of: buffer(slots: slots, bytes: 0, isReference: true)), log2)
    }

    // MARK: In a file

    private func database(span: Int = 1_000) throws -> Database {
        var options = Database.Options()
        options.clusterSpan = span
        let database = try Database.open(at: folder.file("\(UUID()).realm"), options: options)
        try database.write { try $0.applySchema([TableSpec("Note", columns: [ColumnSpec("text", .string)])]) }
        return database
    }

    private func text(_ count: Int, at i: Int = 0) -> String {
        String(repeating: Character(UnicodeScalar(UInt8(97 + i % 26))), count: count)
    }

    private func partsLog2(_ snapshot: Snapshot) -> Int {
        snapshot.leaf(snapshot.schema.tables[0].columns[0], cluster: 0).map { Leaf($0).partsLog2 } ?? -1
    }

    /// The parts that are stored, and where they are in memory.
    private func parts(_ snapshot: Snapshot) -> [Int: UnsafeRawPointer] {
        let column = snapshot.schema.tables[0].columns[0]
        return (0..<64).reduce(into: [:]) { $0[$1] = snapshot.leafPart(column, cluster: 0, part: $1) }
    }

    @Test func `parts without changes keep their blocks, and so does the head`() throws {
        let database = try database()
        let first = try database.write { transaction in
            let table = transaction.schema.tables[0]
            for i in 0..<200 {
                transaction.setString(table.columns[0], try transaction.create(table), to: text(1_000, at: i))
            }
        }
        let column = first.schema.tables[0].columns[0]
        expectEqual(partsLog2(first), 6)
        let second = try database.write { transaction in
            transaction.setString(column, ObjectKey(40), to: "short")
            transaction.setString(column, ObjectKey(33), to: text(1_500))
            // Reading doesn't decode the leaf.
            for key in 0..<200 as Range<Int64> { expect(transaction.readString(column, ObjectKey(key)) != nil) }
        }
        let (before, after) = (parts(first), parts(second))
        expectEqual(Set(before.keys), Set(after.keys))
        expectEqual(before.keys.filter { before[$0] != after[$0] }, [2])
        expect(first.leaf(column, cluster: 0) == second.leaf(column, cluster: 0))
        // A slot behind the end fills the parts before it.
        let third = try database.write { transaction in
            let table = transaction.schema.tables[0]
            for _ in 0..<100 { _ = try transaction.create(table) }
            transaction.setString(column, ObjectKey(290), to: "last")
        }
        expectEqual(parts(third).keys.filter { parts(third)[$0] != after[$0] }.sorted(), Array(12...18))
        for (key, value) in [
            (40, "short"), (33, text(1_500)), (199, text(1_000, at: 199)), (250, ""), (290, "last"), (299, ""),
        ] {
            expectEqual(third.readString(column, ObjectKey(Int64(key))), value)
        }
        expectEqual(first.readString(column, ObjectKey(40)), text(1_000, at: 40))
    }

    @Test func `a leaf is divided again when a part outgrows its bound, and is whole again when it is small`()
        throws
    {
        let database = try database()
        var snapshot = try database.write { transaction in
            let table = transaction.schema.tables[0]
            for i in 0..<1_000 {
                transaction.setString(table.columns[0], try transaction.create(table), to: text(60, at: i))
            }
        }
        let column = snapshot.schema.tables[0].columns[0]
        expectEqual(partsLog2(snapshot), 4)
        // One part may grow to two pages.
        snapshot = try database.write { transaction in
            for key in 0..<30 as Range<Int64> { transaction.setString(column, ObjectKey(key), to: text(200)) }
        }
        expectEqual(partsLog2(snapshot), 4)
        snapshot = try database.write { transaction in
            for key in 0..<6 as Range<Int64> { transaction.setString(column, ObjectKey(key), to: text(2_000)) }
        }
        expectEqual(partsLog2(snapshot), 6)
        for step in 0..<10 as Range<Int64> {
            snapshot = try database.write { transaction in
                for key in step * 100..<step * 100 + 100 {
                    transaction.setString(column, ObjectKey(key), to: key == 7 ? "seven" : "")
                }
            }
        }
        expectEqual(partsLog2(snapshot), 0)
        expectEqual(parts(snapshot), [:])
        expectEqual(snapshot.readString(column, ObjectKey(7)), "seven")
    }

    /// Stores a cluster's leaf in the fewest parts that fit blocks, as earlier versions do.
    private func divide(_ transaction: WriteTransaction, log2: Int) {
        let column = transaction.schema.tables[0].columns[0]
        let source = LeafParts.Source(store: transaction, segment: column.segment(.parts), cluster: 0)
        let buffer = LeafBuffer(type: .string, isList: false, isOptional: false, capacity: transaction.clusterSpan)
        buffer.load(Leaf(transaction.leaf(column, cluster: 0)!), parts: source)
        buffer.decodeAll()
        let span = Leaf.partSpan(clusterSpan: transaction.clusterSpan, partsLog2: log2)
        for part in 0..<64 {
            transaction.removeBlock(column.segment(.parts), UInt64(part))
            let (start, limit) = (part * span, BlockLimits.maximumSize)
            guard start < buffer.count else { continue }
            let bytes = buffer.encodedBytes(from: start, count: min(span, buffer.count - start), limit: limit)!
            transaction.putBlock(column.segment(.parts), UInt64(part), owned: bytes)
        }
        let head = LeafEncoder.encodeSplitHead(codec: buffer.codec, count: buffer.count, partsLog2: log2)
        transaction.putBlock(column.segment(.leaf), 0, owned: head)
    }

    @Test func `large parts of an earlier version are read, and are divided at the first change`() throws {
        let database = try database()
        try database.write { transaction in
            let table = transaction.schema.tables[0]
            for i in 0..<1_000 {
                transaction.setString(table.columns[0], try transaction.create(table), to: text(1_000, at: i))
            }
        }
        var snapshot = try database.write { divide($0, log2: 5) }
        let column = snapshot.schema.tables[0].columns[0]
        expectEqual(partsLog2(snapshot), 5)
        func check(_ changed: [Int64: String]) {
            for key in 0..<1_000 as Range<Int64> {
                expectEqual(snapshot.readString(column, ObjectKey(key)), changed[key] ?? text(1_000, at: Int(key)))
            }
        }
        check([:])
        snapshot = try database.write { $0.setString(column, ObjectKey(500), to: "changed") }
        expectEqual(partsLog2(snapshot), 6)
        check([500: "changed"])
        snapshot = try database.write { $0.setString(column, ObjectKey(17), to: "too") }
        check([500: "changed", 17: "too"])
    }

    @Test func `a long value that needs as many blocks as the one before is stored in them`() throws {
        let database = try database(span: 16)
        let first = try database.write { transaction in
            let table = transaction.schema.tables[0]
            for i in 0..<20 {
                transaction.setString(table.columns[0], try transaction.create(table), to: text(8_000, at: i))
            }
        }
        let table = first.schema.tables[0]
        let column = table.columns[0]
        var values = (0..<20).map { text(8_000, at: $0) }
        let block = BlockLimits.twoPages
        for (i, count) in [8_000, 5_000, block, block + 1, 20_000, 18_000, 2_001, 2_000, 2_001].enumerated() {
            values[3] = text(count, at: 5 + i)
            let before = try database.snapshot().tableState(table)
            let snapshot = try database.write { try $0.set(column, ObjectKey(3), to: .string(values[3])) }
            expectEqual(snapshot.tableState(table) == before, [0, 1, 2, 5, 7].contains(i), "step \(i)")
            for key in 0..<20 { expectEqual(snapshot.readString(column, ObjectKey(Int64(key))), values[key]) }
        }
        // In one transaction, and cancelled.
        let transaction = try database.beginWrite()
        for i in 0..<5 {
            try transaction.set(column, ObjectKey(3), to: .string(text(9_000, at: i)))
            expectEqual(transaction.readString(column, ObjectKey(3)), text(9_000, at: i))
        }
        transaction.cancel()
        try expectEqual(database.snapshot().readString(column, ObjectKey(3)), values[3])
        expectEqual(first.readString(column, ObjectKey(3)), text(8_000, at: 3))
    }
}
