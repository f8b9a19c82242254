import Foundation
import TestRandom
import Testing

@testable import FreeholdEngine

/// The keys that blocks have in LMDB's tree.
struct `Keys of blocks` {
    private static let maximum = BlockAddress.maximumNumber

    private func address(_ segment: UInt32, _ number: UInt64) -> BlockAddress {
        BlockAddress(segment: segment, number: number)
    }

    private func key(_ segment: UInt32, _ number: UInt64) -> UInt64 {
        BlockOrder.byCluster.key(address(segment, number))
    }

    @Test func `the format determines the order of keys`() {
        expectEqual(BlockOrder(formatVersion: 4), .bySegment)
        expectEqual(BlockOrder(formatVersion: 5), .byCluster)
        expectEqual(BlockOrder.bySegment.key(address(77, 9)), address(77, 9).raw)
    }

    @Test func `each address has one key, and each key one address`() {
        let order = BlockOrder.byCluster
        let numbers = [0, 1, 2, 63, 64, 1 << 20, Self.maximum - 1, Self.maximum]
        let segments =
            Array(0..<1024 as Range<UInt32>) + [255, 256, 1 << 16].flatMap { [$0 - 1, $0, $0 + 1] }
            + Array(BlockAddress.maximumSegment - 300...BlockAddress.maximumSegment)
        var keys: Set<UInt64> = []
        let addresses = Set(segments.flatMap { segment in numbers.map { address(segment, $0) } })
        for address in addresses {
            let key = order.key(address)
            expectEqual(order.address(key), address)
            expectEqual(key >> BlockOrder.groupBits, BlockOrder.group(of: address.segment))
            keys.insert(key)
        }
        expectEqual(keys.count, addresses.count)
        let seed = Seed.value
        var random = SeededRandom(seed: seed)
        for _ in 0..<200_000 {
            // Few bits set, or many.
            let raw = (random.next() >> (random.next() % 64)) << (random.next() % 64)
            let address = BlockAddress(raw: raw)
            expectEqual(order.address(order.key(address)), address, "seed \(seed)")
            // Each key is one's, too.
            expectEqual(order.key(order.address(raw)), raw, "seed \(seed)")
        }
    }

    @Test func `the header has the same key in every order`() {
        expectEqual(BlockOrder.byCluster.key(DatabaseHeader.address), 0)
        expectEqual(BlockOrder.bySegment.key(DatabaseHeader.address), 0)
    }

    @Test func `the leaves of a cluster have neighbouring keys`() {
        // A table's segments and those of 20 columns.
        let columns = (1...20 as ClosedRange<UInt32>).map { 16 + $0 * ColumnSegment.count }
        for cluster in [1, 2, 1000, 1 << 34 as UInt64] {
            let keys = columns.map { key($0 + ColumnSegment.leaf.rawValue, cluster) }
            expect(keys == keys.sorted() && keys.last! - keys.first! < 32)
            let inverse = columns.map { key($0 + ColumnSegment.backlinkLeaf.rawValue, cluster) }
            expect(inverse == inverse.sorted() && inverse.last! - keys.first! < 64)
            expect(key(columns[0], cluster + 1) > inverse.last!)
        }
    }

    @Test func `the key of a table's state follows its newest cluster, and the history follows the tables`() {
        let state = key(16, 0)
        expect(state > key(24, 1 << 35) && state < key(24, 0))
        expect(key(Catalogue.historySegment, 0) > key(24, 0))
        expect(key(Catalogue.historySegment, 0) < key(16 + 2, 0))
        expect(key(16 + 2, 0) < key(24 + ColumnSegment.index.rawValue, 1))
    }

    @Test(arguments: [BlockOrder.bySegment, .byCluster])
    func `keys show where a segment's blocks are`(order: BlockOrder) {
        for segment in [0, 1, 3, 16, 19, 20, 255, 256, 260, 1 << 20, BlockAddress.maximumSegment] as [UInt32] {
            for first in [0, 1, 2, 1000, Self.maximum - 1, Self.maximum] {
                let ranges = order.keys(of: segment, from: first)
                // The visited numbers, in order.
                var numbers = Set([0, 1, 2, 999, 1000, 1001, Self.maximum - 1, Self.maximum]).sorted()
                numbers.removeAll { $0 < first }
                let keys = numbers.map { order.key(address(segment, $0)) }
                let visited = ranges.flatMap { range in keys.filter(range.contains).sorted() }
                expectEqual(visited, keys)
                let before = (0..<min(first, 5)).map { order.key(address(segment, $0)) }
                let early = before.filter { key in ranges.contains { range in range.contains(key) } }
                expect(early.isEmpty)
                guard !order.isInterleaved(segment) else { continue }
                for range in ranges {
                    expectEqual(order.address(range.lowerBound).segment, segment)
                    expectEqual(order.address(range.upperBound).segment, segment)
                }
            }
        }
    }
}

/// The seed of a random test: FREEHOLD_SEED where it is set.
enum Seed {
    static var value: UInt64 {
        let seed =
            UInt64(ProcessInfo.processInfo.environment["FREEHOLD_SEED"] ?? "") ?? TestSeed.random(in: 0..<1 << 32)
        print("seed \(seed)")
        return seed
    }
}
