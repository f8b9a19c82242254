/// What a view knows of one table, decoded once: its state, and how many objects live in each cluster.
final class TableCache: @unchecked Sendable {
    // Sendable: nothing changes after init.
    let state: TableState
    /// Live objects by cluster; the top bit says that the cluster has a presence leaf.
    let counts: [UInt16]
    /// The same, to be read without counting references.
    let countsPointer: UnsafePointer<UInt16>
    let clusterCount: Int
    /// The number of objects.
    let count: Int
    /// Live objects before each cluster, and the total.
    let starts: [Int]
    /// The same, to be read without counting references.
    private let startsPointer: UnsafePointer<Int>
    /// What the state has of the columns, by id; of those with higher ids only the state tells.
    private let columnStates: UnsafePointer<TableState.ColumnState>
    private let columnStateCount: Int

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
        countsPointer = Self.copy(counts)
        var starts: [Int] = []
        starts.reserveCapacity(counts.count + 1)
        var total = 0
        for count in counts {
            starts.append(total)
            total += Int(count & ~TableCache.presenceFlag)
        }
        starts.append(total)
        count = total
        self.starts = starts
        startsPointer = Self.copy(starts)
        var states: [TableState.ColumnState] = []
        for (id, columnState) in state.columns where id < Self.columnStatesKept {
            while states.count <= id { states.append(.init()) }
            states[id] = columnState
        }
        columnStates = Self.copy(states)
        columnStateCount = states.count
    }

    /// Ids rise by one with each column that a table ever had.
    private static let columnStatesKept = 1024

    private static func copy<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafePointer<Element> {
        let copy = UnsafeMutableBufferPointer<Element>.allocate(capacity: max(elements.count, 1))
        _ = copy.initialize(from: elements)
        return UnsafePointer(copy.baseAddress!)
    }

    deinit {
        countsPointer.deallocate()
        startsPointer.deallocate()
        columnStates.deallocate()
    }

    /// What the table's state has of a column.
    @inline(__always)
    func columnState(_ id: Int) -> TableState.ColumnState {
        if id < columnStateCount { return columnStates[id] }
        return id < Self.columnStatesKept ? .init() : state.columns[id] ?? .init()
    }

    /// Returns the cluster that holds the i-th live object.
    func cluster(ofIndex i: Int) -> Int {
        var low = 0
        var high = clusterCount
        while high - low > 1 {
            let middle = (low + high) >> 1
            if startsPointer[middle] <= i { low = middle } else { high = middle }
        }
        return low
    }

    /// Live objects before a cluster; of `clusterCount`, all.
    @inline(__always)
    func start(_ cluster: Int) -> Int { startsPointer[cluster] }
}

enum PresenceBits {
    /// Returns the position of the n-th set bit.
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

    /// Returns the number of set bits before a position.
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
