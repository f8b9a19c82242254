/// What a view knows of one table, decoded once: its state, and how many objects live in each cluster.
final class TableCache: @unchecked Sendable {
    // Sendable: nothing changes after init.
    let state: TableState
    /// Live objects by cluster; the top bit says that the cluster has a presence leaf.
    let counts: [UInt16]
    /// The same, to be read without counting references.
    let countsPointer: UnsafePointer<UInt16>
    let clusterCount: Int
    /// Live objects before each cluster, and the total.
    let starts: [Int]

    static let presenceFlag: UInt16 = 0x8000
    /// Clusters in one block of counts.
    static let clustersPerBlock = 1000

    /// False of a damaged table's, which says that it is empty.
    let isSound: Bool

    init(state: TableState, counts: [UInt16], isSound: Bool = true) {
        self.isSound = isSound
        self.state = state
        self.counts = counts
        clusterCount = counts.count
        let copy = UnsafeMutablePointer<UInt16>.allocate(capacity: max(counts.count, 1))
        for i in counts.indices { copy[i] = counts[i] }
        countsPointer = UnsafePointer(copy)
        var starts: [Int] = []
        starts.reserveCapacity(counts.count + 1)
        var total = 0
        for count in counts {
            starts.append(total)
            total += Int(count & ~TableCache.presenceFlag)
        }
        starts.append(total)
        self.starts = starts
    }

    deinit { UnsafeMutablePointer(mutating: countsPointer).deallocate() }

    /// The cluster that holds the i-th live object.
    func cluster(ofIndex i: Int) -> Int {
        var low = 0
        var high = counts.count
        while high - low > 1 {
            let middle = (low + high) >> 1
            if starts[middle] <= i { low = middle } else { high = middle }
        }
        return low
    }
}

enum PresenceBits {
    /// The position of the n-th set bit.
    static func select(_ words: UnsafePointer<UInt64>, _ n: Int) -> Int {
        var left = n
        var w = 0
        while true {
            let bits = words[w].nonzeroBitCount
            if left < bits { break }
            left -= bits
            w += 1
        }
        var word = words[w]
        for _ in 0..<left { word &= word - 1 }
        return (w << 6) + word.trailingZeroBitCount
    }

    /// The number of set bits before a position.
    static func rank(_ words: UnsafePointer<UInt64>, _ position: Int) -> Int {
        var total = 0
        for w in 0..<(position >> 6) { total += words[w].nonzeroBitCount }
        let rest = position & 63
        if rest > 0 { total += (words[position >> 6] & ((1 << UInt64(rest)) - 1)).nonzeroBitCount }
        return total
    }

    @inline(__always)
    static func test(_ words: UnsafePointer<UInt64>, _ slot: Int) -> Bool {
        words[slot >> 6] >> UInt64(slot & 63) & 1 != 0
    }
}
