@testable import FreeholdEngine

/// Blocks in memory. A block that is replaced or removed is overwritten, so that stale pointers show.
final class MemoryBlockStore: MutableBlockStore {
    private var blocks: [UnsafeMutableRawBufferPointer?] = [nil]
    private var freed: [UnsafeMutableRawBufferPointer] = []
    private(set) var count = 0
    private(set) var puts = 0

    deinit { for block in blocks { block?.deallocate() } }

    func block(_ segment: UInt32, _ number: UInt64) -> UnsafeRawBufferPointer? {
        number < blocks.count ? blocks[Int(number)].map { UnsafeRawBufferPointer($0) } : nil
    }

    func putBlock(_ segment: UInt32, _ number: UInt64, bytes: UnsafeRawBufferPointer) {
        precondition(number > 0 && number < blocks.count && bytes.count <= BlockLimits.maximumSize)
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        copy.copyMemory(from: bytes)
        puts += 1
        if blocks[Int(number)] != nil { drop(number) }
        blocks[Int(number)] = copy
        count += 1
    }

    func removeBlock(_ segment: UInt32, _ number: UInt64) {
        precondition(blocks[Int(number)] != nil, "removed twice")
        drop(number)
        blocks[Int(number)] = nil
    }

    func allocateBlock(_ segment: UInt32) -> UInt64 {
        blocks.append(nil)
        return UInt64(blocks.count - 1)
    }

    private func drop(_ number: UInt64) {
        let block = blocks[Int(number)]!
        _ = block.initializeMemory(as: UInt8.self, repeating: 0xAA)
        block.deallocate()
        count -= 1
    }
}

func encodedInt(_ value: Int64) -> [UInt8] { OrderedEncoding.withInt(value) { Array($0) } }
func encodedString(_ value: String) -> [UInt8] {
    var value = value
    return value.withUTF8 { OrderedEncoding.withString(UnsafeRawBufferPointer($0)) { Array($0) } }
}

struct IndexTestEntry: Hashable, Comparable, CustomStringConvertible {
    var bytes: [UInt8]
    var key: Int64

    static func < (a: Self, b: Self) -> Bool {
        a.bytes == b.bytes ? a.key < b.key : a.bytes.lexicographicallyPrecedes(b.bytes)
    }
    var description: String { "\(bytes):\(key)" }
}
