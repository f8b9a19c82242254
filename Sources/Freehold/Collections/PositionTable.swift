/// A hash table with the positions of the elements of an unmanaged set or map in their array. It contains only hashes
/// and positions, so its code isn't generic in the elements. A small number of elements is searched linearly, which is
/// faster, and the table is then empty.
struct PositionTable {
    private struct Slot {
        var hash = 0
        /// The position of the element, or a negative number for an empty slot.
        var position = -1
    }

    /// The largest number of elements without a table.
    static let few = 8

    /// The slots. Their number is a power of two and at least twice the number of elements, or zero.
    private var slots: [Slot] = []

    /// Returns the position of an element.
    ///
    /// - Parameters:
    ///   - count: The number of elements.
    ///   - hash: The hash of the sought element.
    ///   - isSought: Returns whether the element at a position is the sought one.
    @inline(__always)
    func position(count: Int, hash: @autoclosure () -> Int, _ isSought: (Int) -> Bool) -> Int? {
        if count > Self.few { return find(hash(), isSought) }
        for position in 0..<count where isSought(position) { return position }
        return nil
    }

    private func find(_ hash: Int, _ isSought: (Int) -> Bool) -> Int? {
        var i = hash & (slots.count - 1)
        while slots[i].position >= 0 {
            if slots[i].hash == hash, isSought(slots[i].position) { return slots[i].position }
            i = (i + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Updates the table after an element was appended.
    ///
    /// - Parameters:
    ///   - count: The new number of elements.
    ///   - hash: Returns the hash of the element at a position.
    @inline(__always)
    mutating func append(count: Int, _ hash: (Int) -> Int) {
        if count <= Self.few { return }
        if slots.count >= 2 * count { return place(hash(count - 1), at: count - 1) }
        slots = Array(repeating: Slot(), count: 1 << (Int.bitWidth - (4 * count - 1).leadingZeroBitCount))
        for position in 0..<count { place(hash(position), at: position) }
    }

    /// Updates the table after an element was removed and the last element was moved to its position.
    ///
    /// - Parameters:
    ///   - count: The new number of elements.
    ///   - hash: The hash of the removed element.
    ///   - lastHash: The hash of the element that was the last.
    @inline(__always)
    mutating func remove(_ position: Int, count: Int, hash: @autoclosure () -> Int, lastHash: @autoclosure () -> Int) {
        if count <= Self.few {
            if !slots.isEmpty { slots = [] }
            return
        }
        clear(slot(of: hash(), position))
        if position < count { slots[slot(of: lastHash(), count)].position = position }
    }

    private mutating func place(_ hash: Int, at position: Int) {
        var i = hash & (slots.count - 1)
        while slots[i].position >= 0 { i = (i + 1) & (slots.count - 1) }
        slots[i] = Slot(hash: hash, position: position)
    }

    private func slot(of hash: Int, _ position: Int) -> Int {
        var i = hash & (slots.count - 1)
        while slots[i].position != position { i = (i + 1) & (slots.count - 1) }
        return i
    }

    /// Clears a slot. The entries after it are moved up if possible, so that their probe sequences have no gap.
    private mutating func clear(_ slot: Int) {
        let mask = slots.count - 1
        var gap = slot
        var i = (gap + 1) & mask
        while slots[i].position >= 0 {
            let home = slots[i].hash & mask
            if (i - home) & mask >= (i - gap) & mask {
                slots[gap] = slots[i]
                gap = i
            }
            i = (i + 1) & mask
        }
        slots[gap] = Slot()
    }
}
