/// The decoded state of one table in a view, and the number of live objects in each cluster.
final class TableCache: @unchecked Sendable {
    // It is Sendable because it doesn't change after initialisation.
    let state: TableState
    /// The number of live objects of each cluster. The top bit indicates that the cluster has a presence leaf.
    let counts: [UInt16]
    /// The elements of `counts`, which are read without reference counting.
    let countsPointer: UnsafePointer<UInt16>
    let clusterCount: Int
    /// The number of objects.
    let count: Int
    /// The number of live objects before each cluster, followed by the total.
    let starts: [Int]
    /// The elements of `starts`, which are read without reference counting.
    private let startsPointer: UnsafePointer<Int>
    /// The states of the columns by id. Columns with higher ids are only in `state`.
    private let columnStates: UnsafePointer<TableState.ColumnState>
    private let columnStateCount: Int

    static let presenceFlag: UInt16 = 0x8000
    /// The number of clusters in one block of counts.
    static let clustersPerBlock = 1000

    /// A Boolean value that indicates whether the table is sound. A damaged table appears to be empty.
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

    /// The maximum number of entries in `columnStates`. Ids increase by one with each column that a table ever had.
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

    /// Returns the state of a column, from the table's state.
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

    /// Returns the number of live objects before a cluster. For `clusterCount`, returns the number of all live objects.
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
