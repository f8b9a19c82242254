@testable import FreeholdEngine

/// A store in memory that keeps its contract as narrowly as it may: every change moves the blocks that were lent and
/// spoils the bytes at their old addresses, so that a stale pointer shows. Counts what is written.
final class CountedTreeBlockStore: MutableBlockStore {
    private(set) var blocks: [UInt64: UnsafeMutableRawBufferPointer] = [:]
    private var lent: Set<UInt64> = []
    private var spoilt: [UnsafeMutableRawBufferPointer] = []
    private var next: UInt64 = 1
    let segment: UInt32
    var written = 0
    var removed = 0
    var largest = 0

    init(segment: UInt32) { self.segment = segment }

    deinit {
        for block in blocks.values { block.deallocate() }
        for block in spoilt { block.deallocate() }
    }

    func block(_ segment: UInt32, _ number: UInt64) -> UnsafeRawBufferPointer? {
        precondition(segment == self.segment)
        lent.insert(number)
        return blocks[number].map { UnsafeRawBufferPointer($0) }
    }

    func putBlock(_ segment: UInt32, _ number: UInt64, bytes: UnsafeRawBufferPointer) {
        precondition(segment == self.segment && number > 0 && number < next)
        let copy = Self.copy(bytes)
        change(number)
        if let old = blocks[number] { spoil(old) }
        blocks[number] = copy
        written += 1
        largest = max(largest, bytes.count)
    }

    func removeBlock(_ segment: UInt32, _ number: UInt64) {
        precondition(segment == self.segment)
        guard let old = blocks.removeValue(forKey: number) else { preconditionFailure("No block \(number)") }
        spoil(old)
        change(number)
        removed += 1
    }

    func allocateBlock(_ segment: UInt32) -> UInt64 {
        precondition(segment == self.segment)
        defer { next += 1 }
        return next
    }

    private func change(_ number: UInt64) {
        for other in lent where other != number {
            guard let old = blocks[other] else { continue }
            blocks[other] = Self.copy(UnsafeRawBufferPointer(old))
            spoil(old)
        }
        lent.removeAll()
    }

    private func spoil(_ block: UnsafeMutableRawBufferPointer) {
        _ = block.initializeMemory(as: UInt8.self, repeating: 0xEE)
        spoilt.append(block)
        if spoilt.count > 64 { spoilt.removeFirst().deallocate() }
    }

    private static func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawBufferPointer {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        copy.copyMemory(from: bytes)
        return copy
    }
}
