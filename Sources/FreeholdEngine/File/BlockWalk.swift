import CFreeholdLMDB

/// The decision of a walk about an entry. It depends on the key alone, so the values of other entries aren't read.
enum KeyChoice { case take, pass, end }

/// Blocks in ascending order of addresses. Their bytes are in LMDB's map.
typealias BlockRun = [(address: BlockAddress, bytes: UnsafeRawBufferPointer)]

/// The segments of a group that have blocks, in ascending order.
struct KnownSegments {
    let group: UInt64
    let segments: [UInt32]
}

/// A tree of blocks through which a walk is possible. The functions of this protocol work with addresses, whatever the order of the keys.
protocol BlockSource: AnyObject {
    var order: BlockOrder { get }
    /// The segments that were found last, as long as they are valid.
    var knownSegments: KnownSegments? { get set }
    /// Calls `body` with the chosen entries from a key on, in ascending order of keys, until `body` returns false.
    func forEachEntry(
        from key: UInt64,
        _ choice: (UInt64) -> KeyChoice,
        _ body: (UInt64, UnsafeRawBufferPointer) -> Bool
    ) throws(EngineError)
}

extension BlockSource {
    /// Calls `body` with a segment's blocks from a number on, in ascending order of numbers, until `body` returns false.
    ///
    /// - Throws: `.invalidDatabase` if a page is damaged.
    /// - Complexity: O(log n + visited blocks). For an interleaved segment, all keys of its group's leaves are visited.
    func forEach(
        segment: UInt32,
        from number: UInt64 = 0,
        _ body: (UInt64, UnsafeRawBufferPointer) -> Bool
    ) throws(EngineError) {
        let order = order
        var isOver = false
        for keys in order.keys(of: segment, from: number) where !isOver {
            try forEachEntry(from: keys.lowerBound) { key in
                if key > keys.upperBound { return .end }
                return order.address(key).segment == segment ? .take : .pass
            } _: { key, bytes in
                isOver = !body(order.address(key).number, bytes)
                return !isOver
            }
        }
    }

    /// Returns about one megabyte of blocks from an address on, in ascending order of addresses.
    func run(from first: BlockAddress) throws(EngineError) -> BlockRun {
        var out: BlockRun = []
        var size = 0
        var next: UInt32? = first.segment
        while let segment = next {
            try forEach(segment: segment, from: segment == first.segment ? first.number : 0) { number, bytes in
                out.append((BlockAddress(segment: segment, number: number), bytes))
                size += bytes.count + 64
                return size < 1 << 20
            }
            if size >= 1 << 20 { break }
            next = try self.segment(behind: segment)
        }
        return out
    }

    /// Returns the addresses of the blocks of columns (or tables, or compound indexes), in all their segments.
    ///
    /// - Parameter firstSegments: the first segments of the columns.
    func addresses(ofColumns firstSegments: Set<UInt32>) throws(EngineError) -> [BlockAddress] {
        let order = order
        var out: [BlockAddress] = []
        func collect(_ keys: ClosedRange<UInt64>) throws(EngineError) {
            try forEachEntry(from: keys.lowerBound) { key in
                if key > keys.upperBound { return .end }
                let address = order.address(key)
                if firstSegments.contains(address.segment & ~(ColumnSegment.count - 1)) { out.append(address) }
                return .pass
            } _: { _, _ in
                true
            }
        }
        for group in Set(firstSegments.map(BlockOrder.group)).sorted() {
            if let leaves = order.leaves(ofGroup: group) { try collect(leaves) }
        }
        for first in firstSegments.sorted() {
            for segment in first..<first + ColumnSegment.count where !order.isInterleaved(segment) {
                for keys in order.keys(of: segment) { try collect(keys) }
            }
        }
        return out
    }

    // MARK: Segments

    private func firstKey(from key: UInt64) throws(EngineError) -> UInt64? {
        var found: UInt64?
        try forEachEntry(from: key) { key in
            found = key
            return .end
        } _: { _, _ in
            false
        }
        return found
    }

    /// Returns the next segment that has blocks.
    private func segment(behind segment: UInt32) throws(EngineError) -> UInt32? {
        guard segment < BlockAddress.maximumSegment else { return nil }
        var group = BlockOrder.group(of: segment + 1)
        while true {
            if let found = try segments(ofGroup: group).first(where: { $0 > segment }) { return found }
            guard group < BlockOrder.group(of: BlockAddress.maximumSegment),
                let key = try firstKey(from: BlockOrder.start(ofGroup: group + 1))
            else { return nil }
            group = key >> BlockOrder.groupBits
        }
    }

    private func segments(ofGroup group: UInt64) throws(EngineError) -> [UInt32] {
        if let known = knownSegments, known.group == group { return known.segments }
        let order = order
        var found: Set<UInt32> = []
        var next: UInt64? = BlockOrder.start(ofGroup: group)
        if let leaves = order.leaves(ofGroup: group) {
            var last: UInt32?
            try forEachEntry(from: leaves.lowerBound) { key in
                if key > leaves.upperBound { return .end }
                let segment = order.address(key).segment
                if segment != last { found.insert(segment) }
                last = segment
                return .pass
            } _: { _, _ in
                true
            }
            next = leaves.upperBound + 1
        }
        while let from = next, let key = try firstKey(from: from), key >> BlockOrder.groupBits == group {
            let segment = order.address(key).segment
            found.insert(segment)
            let last = order.keys(of: segment).last!.upperBound
            next = last < .max ? last + 1 : nil
        }
        let segments = found.sorted()
        knownSegments = KnownSegments(group: group, segments: segments)
        return segments
    }
}

extension OpaquePointer {
    /// Calls `body` with entries of an `MDB_txn`, like `BlockSource.forEachEntry`.
    func forEachEntry(
        _ environment: StorageEnvironment,
        from first: UInt64,
        _ choice: (UInt64) -> KeyChoice,
        body: (UInt64, UnsafeRawBufferPointer) -> Bool
    ) throws(EngineError) {
        var cursor: OpaquePointer?
        var code = mdb_cursor_open(self, StorageEnvironment.database, &cursor)
        guard code == 0 else { throw environment.error(code, "A block can't be read.") }
        defer { mdb_cursor_close(cursor) }
        var first = first
        withUnsafeMutableBytes(of: &first) { bytes in
            var key = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
            var value = MDB_val()
            code = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
            while code == 0 {
                let number = key.mv_data.loadUnaligned(as: UInt64.self)
                switch choice(number) {
                case .end: return
                case .pass: break
                case .take:
                    let bytes = UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
                    guard body(number, bytes) else { return }
                }
                code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
            }
        }
        guard code == 0 || code == MDB_NOTFOUND else { throw environment.error(code, "A block can't be read.") }
    }

    /// Returns a block of an `MDB_txn`.
    @inline(__always)
    func block(_ key: UInt64, _ environment: StorageEnvironment) -> UnsafeRawBufferPointer? {
        var raw = key
        return withUnsafeMutableBytes(of: &raw) { bytes in
            var key = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
            var value = MDB_val()
            let code = mdb_get(self, StorageEnvironment.database, &key, &value)
            if code == 0 { return UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size) }
            if code != MDB_NOTFOUND { environment.readFailed(code) }
            return nil
        }
    }
}
