import CFreeholdShims
import Foundation
import TestRandom
import Testing

@testable import FreeholdEngine

struct `Checksums` {
    private static var seed: UInt64 {
        UInt64(ProcessInfo.processInfo.environment["FREEHOLD_SEED"] ?? "") ?? TestSeed.random(in: 0..<1 << 32)
    }

    /// CRC-32C bit by bit.
    private func naive(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var state = UInt32.max
        for byte in bytes {
            state ^= UInt32(byte)
            for _ in 0..<8 { state = state & 1 == 1 ? state >> 1 ^ 0x82F6_3B78 : state >> 1 }
        }
        return ~state
    }

    @Test func `checksums equal the published vectors`() {
        let digits = Array("123456789".utf8)
        expectEqual(fh_checksum(0, digits, 9), 0xE306_9283)
        expectEqual(fh_checksum_by_tables(0, digits, 9), 0xE306_9283)
        expectEqual(fh_checksum(0, bytes(0, 32), 32), 0x8A91_36AA)
        expectEqual(fh_checksum(0, bytes(0xFF, 32), 32), 0x62A8_AB43)
        expectEqual(fh_checksum(0, nil, 0), 0)
    }

    @Test func `checksums by instruction, by tables and bit by bit are equal, for all lengths and alignments`() {
        let seed = Self.seed
        print("seed \(seed)")
        var generator = SeededRandom(seed: seed)
        let memory = (0..<20_000).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        // The lengths at which runs are joined.
        let edges = [0, 1, 7, 8, 9, 767, 768, 769, 6143, 6144, 6145, 6144 + 768, 12_288, 13_063]
        for length in edges + (0..<150).map({ _ in Int.random(in: 0..<15_000, using: &generator) }) {
            let start = Int.random(in: 0..<64, using: &generator)
            let part = memory[start..<start + length]
            let expected = naive(part)
            part.withUnsafeBytes { raw in
                expectEqual(fh_checksum(0, raw.baseAddress, length), expected, "\(length) from \(start)")
                expectEqual(fh_checksum_by_tables(0, raw.baseAddress, length), expected, "\(length) from \(start)")
                let first = Int.random(in: 0...length, using: &generator)
                let joined = fh_checksum(
                    fh_checksum(0, raw.baseAddress, first),
                    raw.baseAddress.map { $0 + first },
                    length - first
                )
                expectEqual(joined, expected, "\(first) and then \(length - first)")
            }
        }
    }

    @Test func `a block's checksum includes its address`() {
        let block = bytes(7, 100)
        let address = BlockAddress(segment: 0x12_3456, number: 0x7_89AB_CDEF)
        let place = withUnsafeBytes(of: address.raw.littleEndian) { Array($0) }
        expectEqual(fh_block_checksum(address.raw, block, block.count), naive(place + block))
        expectEqual(fh_block_checksum(address.raw, nil, 0), naive(place))
    }

    @Test(arguments: [0, 1, 8, 2047, 2048, 8140, BlockLimits.maximumSize])
    func `a checksum distinguishes a block from every other`(size: Int) {
        let envelope = BlockEnvelope.checksum
        let address = BlockAddress(segment: 17, number: 5)
        let block = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var stored = bytes(0, envelope.storedSize(size, at: address))
        stored.withUnsafeMutableBytes { out in block.withUnsafeBytes { envelope.wrap($0, at: address, into: out) } }
        func opened(_ stored: [UInt8], _ address: BlockAddress) -> [UInt8]? {
            stored.withUnsafeBytes { envelope.bytes($0, at: address) }
        }
        expectEqual(opened(stored, address), block)
        expect(opened(stored, BlockAddress(segment: 17, number: 4)) == nil)
        expect(opened(stored, BlockAddress(segment: 18, number: 5)) == nil)
        expect(opened(Array(stored.dropLast()), address) == nil)
        expect(opened(stored + [0], address) == nil)
        expect(opened(bytes(0, stored.count), address) == nil)
        expect(opened([], address) == nil)
        for i in stride(from: 0, to: stored.count, by: max(1, stored.count / 50)) {
            var damaged = stored
            damaged[i] ^= 1 << UInt8(i % 8)
            expect(opened(damaged, address) == nil, "byte \(i)")
        }
    }
}
