/// Where the elements of an unmanaged set or map stand in their array: a hash table that knows hashes and positions only, so that its code
/// isn't generic in the elements. While there are few they are looked through, which is quicker, and the table is empty.
struct PositionTable {
    private struct Slot {
        var hash = 0
        /// Negative where nothing is.
        var position = -1
    }

    /// As many elements have no table.
    static let few = 8

    /// As many as a power of two says, at least twice as many as elements; or none.
    private var slots: [Slot] = []

    /// - Parameters:
    ///   - count: how many elements there are.
    ///   - hash: of what is sought.
    ///   - isSought: whether an element, by its position, is what is sought.
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

    /// An element came behind the others.
    ///
    /// - Parameters:
    ///   - count: how many there are now.
    ///   - hash: of an element, by its position.
    @inline(__always)
    mutating func append(count: Int, _ hash: (Int) -> Int) {
        if count <= Self.few { return }
        if slots.count >= 2 * count { return place(hash(count - 1), count - 1) }
        slots = Array(repeating: Slot(), count: 1 << (Int.bitWidth - (4 * count - 1).leadingZeroBitCount))
        for position in 0..<count { place(hash(position), position) }
    }

    /// An element has gone, and the last one stands in its place.
    ///
    /// - Parameters:
    ///   - count: how many there are now.
    ///   - hash: of the element that has gone.
    ///   - lastHash: of the one that was the last.
    @inline(__always)
    mutating func remove(_ position: Int, count: Int, hash: @autoclosure () -> Int, lastHash: @autoclosure () -> Int) {
        if count <= Self.few {
            if !slots.isEmpty { slots = [] }
            return
        }
        clear(slot(of: hash(), position))
        if position < count { slots[slot(of: lastHash(), count)].position = position }
    }

    private mutating func place(_ hash: Int, _ position: Int) {
        var i = hash & (slots.count - 1)
        while slots[i].position >= 0 { i = (i + 1) & (slots.count - 1) }
        slots[i] = Slot(hash: hash, position: position)
    }

    private func slot(of hash: Int, _ position: Int) -> Int {
        var i = hash & (slots.count - 1)
        while slots[i].position != position { i = (i + 1) & (slots.count - 1) }
        return i
    }

    /// Those behind it move up, as far as they may, so that no way to one of them breaks off.
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
