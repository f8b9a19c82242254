#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// A hash table with open addressing from a value's bytes to its last pending change. The changes of one value are chained.
final class IndexChangesTable {
    /// The index of the value's last change plus 1, or 0 for a free slot. Collisions are resolved by linear probing.
    private var slots: UnsafeMutablePointer<UInt32>
    private var mask: Int
    private var used = 0
    /// For each record, the index of the value's previous change plus 1.
    private var chain: UnsafeMutablePointer<UInt32>
    private var chainCapacity: Int

    init(_ changes: IndexChanges) {
        chainCapacity = max(64, changes.count * 2)
        chain = .allocate(capacity: chainCapacity)
        var size = 128
        while size < changes.count * 2 { size *= 2 }
        slots = .allocate(capacity: size)
        slots.initialize(repeating: 0, count: size)
        mask = size - 1
        for i in 0..<changes.count { add(i, changes) }
    }

    deinit {
        slots.deallocate()
        chain.deallocate()
    }

    var memory: Int { 4 * (mask + 1 + chainCapacity) }

    /// Returns the index of the value's last change.
    func last(_ bytes: UnsafeRawBufferPointer, _ changes: IndexChanges) -> Int? {
        let leading = IndexNode.leading(bytes.baseAddress! + 1, bytes.count &- 1)
        var slot = hash(bytes.baseAddress!, bytes.count, leading: leading) & mask
        while slots[slot] != 0 {
            let i = Int(slots[slot]) &- 1
            let record = changes.records[i]
            if record.leading == leading, record.length == bytes.count,
                memcmp(changes.arena + record.offset, bytes.baseAddress!, bytes.count) == 0
            {
                return i
            }
            slot = (slot &+ 1) & mask
        }
        return nil
    }

    /// Returns the index of the value's previous change.
    func previous(_ i: Int) -> Int? { chain[i] == 0 ? nil : Int(chain[i]) - 1 }

    /// Adds the record, which is the newest one.
    func add(_ i: Int, _ changes: IndexChanges) {
        precondition(i < Int(UInt32.max) - 1, "Over four thousand million pending changes of one index")
        if used &* 2 > mask { grow(changes) }
        if i >= chainCapacity { growChain(i) }
        let record = changes.records[i]
        var slot = self.slot(record, changes)
        while slots[slot] != 0 {
            let other = Int(slots[slot]) &- 1
            if changes.compareBytes(changes.records[other], with: record) == 0 {
                chain[i] = slots[slot]
                slots[slot] = UInt32(i &+ 1)
                return
            }
            slot = (slot &+ 1) & mask
        }
        chain[i] = 0
        slots[slot] = UInt32(i &+ 1)
        used &+= 1
    }

    private func grow(_ changes: IndexChanges) {
        let old = slots
        let oldSize = mask + 1
        slots = .allocate(capacity: oldSize * 2)
        slots.initialize(repeating: 0, count: oldSize * 2)
        mask = oldSize * 2 - 1
        for i in 0..<oldSize where old[i] != 0 {
            var slot = self.slot(changes.records[Int(old[i]) - 1], changes)
            while slots[slot] != 0 { slot = (slot &+ 1) & mask }
            slots[slot] = old[i]
        }
        old.deallocate()
    }

    private func growChain(_ i: Int) {
        let larger = UnsafeMutablePointer<UInt32>.allocate(capacity: chainCapacity * 2)
        larger.moveInitialize(from: chain, count: i)
        chain.deallocate()
        chain = larger
        chainCapacity *= 2
    }

    @inline(__always)
    private func slot(_ record: IndexChanges.Record, _ changes: IndexChanges) -> Int {
        hash(changes.arena + record.offset, record.length, leading: record.leading) & mask
    }

    @inline(__always)
    private func hash(_ p: UnsafeRawPointer, _ count: Int, leading: UInt64) -> Int {
        var h = (leading ^ UInt64(count)) &* 0x9E37_79B9_7F4A_7C15
        h ^= h >> 32
        var i = 9
        while i < count {
            h = (h ^ IndexNode.leading(p + i, count &- i)) &* 0xD6E8_FEB8_6659_FD93
            h ^= h >> 32
            i &+= 8
        }
        return Int(truncatingIfNeeded: h >> 1)
    }
}
