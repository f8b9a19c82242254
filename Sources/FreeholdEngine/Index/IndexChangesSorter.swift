/// A stable sorter of pending changes by (value, key). It sorts by the tag, and then by eight bytes of the value at a time. It uses a radix sort of
/// the highest bits that differ, and a comparison sort for small groups.
struct IndexChangesSorter {
    typealias Record = IndexChanges.Record

    private let changes: IndexChanges
    private let records: UnsafeMutablePointer<Record>
    private let scratch: UnsafeMutablePointer<Record>
    /// The number of records up to which a comparison sort is used.
    private static let few = 48

    init(_ changes: IndexChanges) {
        self.changes = changes
        records = changes.records
        scratch = .allocate(capacity: changes.count)
    }

    func sort() {
        defer { scratch.deallocate() }
        splitByTag()
        var from = 0
        while from < changes.count {
            var to = from + 1
            while to < changes.count, records[to].tag == records[from].tag { to += 1 }
            sort(from: from, to: to, depth: 1)
            from = to
        }
    }

    private func splitByTag() {
        let count = changes.count
        let first = records[0].tag
        guard (1..<count).contains(where: { records[$0].tag != first }) else { return }
        pass(records, to: scratch, count: count, shift: 56, byMeta: true)
        records.update(from: scratch, count: count)
    }

    /// Makes one counting pass over eight bits.
    @inline(__always)
    private func pass(
        _ source: UnsafeMutablePointer<Record>,
        to target: UnsafeMutablePointer<Record>,
        count: Int,
        shift: UInt64,
        byMeta: Bool
    ) {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { starts in
            let at = starts.baseAddress!
            at.initialize(repeating: 0, count: 256)
            for i in 0..<count {
                let word = byMeta ? source[i].meta : source[i].leading
                at[Int(word >> shift & 0xFF)] &+= 1
            }
            var sum = 0
            for digit in 0..<256 {
                let n = at[digit]
                at[digit] = sum
                sum &+= n
            }
            for i in 0..<count {
                let word = byMeta ? source[i].meta : source[i].leading
                let digit = Int(word >> shift & 0xFF)
                target[at[digit]] = source[i]
                at[digit] &+= 1
            }
        }
    }

    /// Sorts records whose bytes below `depth` are equal. `leading` contains the following eight bytes.
    private func sort(from: Int, to: Int, depth: Int) {
        let count = to - from
        if count <= Self.few { return insertionSort(from: from, to: to, depth: depth) }
        var differing: UInt64 = 0
        let first = records[from].leading
        for i in from..<to { differing |= records[i].leading ^ first }
        if differing == 0 { return sortEqual(from: from, to: to, depth: depth) }

        let top = 63 - differing.leadingZeroBitCount
        let lowest = differing.trailingZeroBitCount
        // The number of bits is chosen so that few records are equal in them if the values are evenly distributed.
        let wanted = (Int.bitWidth - count.leadingZeroBitCount + 2 + 7) / 8
        let passes = min((top - lowest) / 8 + 1, wanted)
        let bottom = max(0, top + 1 - 8 * passes)
        var source = records + from
        var target = scratch + from
        for i in 0..<passes {
            pass(source, to: target, count: count, shift: UInt64(bottom + 8 * i), byMeta: false)
            swap(&source, &target)
        }
        if source != records + from { (records + from).update(from: source, count: count) }

        var start = from
        while start < to {
            let bits = records[start].leading >> UInt64(bottom)
            var end = start + 1
            while end < to, records[end].leading >> UInt64(bottom) == bits { end += 1 }
            if end - start > 1 { sort(from: start, to: end, depth: depth) }
            start = end
        }
    }

    /// Sorts records that are also equal in `leading`.
    private func sortEqual(from: Int, to: Int, depth: Int) {
        var deeper = false
        var sorted = true
        for i in from..<to where records[i].length > depth + 8 { deeper = true }
        for i in (from + 1)..<to where isBelow(records[i], other: records[i - 1], depth: depth) {
            sorted = false
            break
        }
        if sorted { return }
        guard deeper else {
            return mergeSort(from: from, to: to, depth: depth)
        }
        let leading = records[from].leading
        for i in from..<to {
            let record = records[i]
            records[i].leading = IndexNode.leading(
                changes.arena + min(record.offset + record.length, record.offset + depth + 8),
                max(0, record.length - depth - 8)
            )
        }
        sort(from: from, to: to, depth: depth + 8)
        for i in from..<to { records[i].leading = leading }
    }

    /// Returns whether a precedes b. The bytes below `depth` are equal.
    @inline(__always)
    private func isBelow(_ a: Record, other b: Record, depth: Int) -> Bool {
        if a.leading != b.leading { return a.leading < b.leading }
        var order = a.length &- b.length
        let done = depth &+ 8
        if a.length > done && b.length > done {
            let p = changes.arena + a.offset
            let q = changes.arena + b.offset
            let end = min(a.length, b.length)
            var i = done
            while i < end {
                let x = p.load(fromByteOffset: i, as: UInt8.self)
                let y = q.load(fromByteOffset: i, as: UInt8.self)
                if x != y {
                    order = x < y ? -1 : 1
                    break
                }
                i &+= 1
            }
        }
        return order == 0 ? a.key < b.key : order < 0
    }

    private func insertionSort(from: Int, to: Int, depth: Int) {
        var i = from + 1
        while i < to {
            let record = records[i]
            var at = i
            while at > from, isBelow(record, other: records[at - 1], depth: depth) {
                records[at] = records[at - 1]
                at -= 1
            }
            records[at] = record
            i += 1
        }
    }

    private func mergeSort(from: Int, to: Int, depth: Int) {
        if to - from <= Self.few { return insertionSort(from: from, to: to, depth: depth) }
        let middle = (from + to) / 2
        mergeSort(from: from, to: middle, depth: depth)
        mergeSort(from: middle, to: to, depth: depth)
        if !isBelow(records[middle], other: records[middle - 1], depth: depth) { return }
        (scratch + from).update(from: records + from, count: middle - from)
        var left = from
        var right = middle
        var at = from
        while left < middle {
            if right < to, isBelow(records[right], other: scratch[left], depth: depth) {
                records[at] = records[right]
                right += 1
            } else {
                records[at] = scratch[left]
                left += 1
            }
            at += 1
        }
    }
}
