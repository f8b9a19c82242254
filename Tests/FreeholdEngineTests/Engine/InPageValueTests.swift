import Foundation
import Testing

@testable import FreeholdEngine

/// Snapshots copy the blocks that LMDB stores inside a page. A change of a neighbouring block moves an unchanged block
/// to another page, and the old page is reused as soon as no reader holds its version.
struct InPageValueTests {
    let folder = TemporaryFolder()

    @Test(arguments: [UInt64(1), 2])
    func `a version keeps blocks of an earlier version whose pages are used again`(
        seed: UInt64
    ) throws {
        var random = SeededRandom(seed: seed)
        var options = Database.Options()
        options.clusterSpan = 4
        let database = try Database.open(at: folder.file(), options: options)
        let first = try database.beginWrite()
        try first.applySchema([TableSpec("Pair", columns: [ColumnSpec("a", .string), ColumnSpec("b", .int)])])
        let table = first.schema.table(named: "Pair")!
        let count = 6000
        for i in 0..<count {
            let key = try first.create(table)
            try first.set(table.columns[0], key, to: .string("text \(i)"))
            try first.set(table.columns[1], key, to: .int(Int64(i * 1_000_003)))
        }
        _ = try first.commit()

        typealias Block = (segment: UInt32, number: UInt64, pointer: UnsafeRawPointer, bytes: [UInt8])
        func blocks(_ snapshot: Snapshot) -> [Block] {
            var out: [Block] = []
            for column in table.columns {
                for number in 0..<UInt64(count / 4) {
                    guard let block = snapshot.block(column.segment(.leaf), number) else { continue }
                    expect(block.count < 2000, "the block isn't inside a page")
                    out.append((column.segment(.leaf), number, block.baseAddress!, Array(block)))
                }
            }
            return out
        }
        func rewrite(_ some: Int) throws -> Snapshot {
            let transaction = try database.beginWrite()
            for _ in 0..<some {
                let key = ObjectKey(Int64.random(in: 0..<Int64(count), using: &random))
                try transaction.set(
                    table.columns[0],
                    key,
                    to: .string("changed \(UInt16.random(in: 0 ... .max, using: &random))")
                )
            }
            return try transaction.commit()
        }

        for _ in 0..<5 {
            var old: Snapshot? = try database.snapshot()
            let before = blocks(try require(old))
            // The new version takes over the blocks that the old one has read, except those that it changes.
            let held = try rewrite(40)
            let taken = blocks(held)
            expect(zip(before, taken).contains { $0.pointer == $1.pointer }, "nothing is shared")
            withExtendedLifetime(old) {}
            old = nil
            // The pages of the old version's are used again.
            for _ in 0..<12 { _ = try rewrite(40) }
            for block in taken {
                let now = UnsafeRawBufferPointer(start: block.pointer, count: block.bytes.count)
                guard Array(now) == block.bytes else {
                    Issue.record("block \(block.segment) \(block.number) has changed, seed \(seed)")
                    return
                }
            }
            expectEqual(blocks(held).map(\.bytes), taken.map(\.bytes))
        }
    }
}
