/// The state of a table: the next key, the count, and the state of each column's trees. It is block 0 of the table's first segment, which every
/// commit that changes the table rewrites.
struct TableState: Equatable {
    struct ColumnState: Equatable {
        /// The number of the next free block in each of the column's numbered segments.
        var nextBlob: UInt64 = 1
        var nextIndex: UInt64 = 1
        var nextBacklinkBlob: UInt64 = 1
        var indexRoot: UInt64 = 0
        var indexHeight: Int = 0
        var indexCount: Int = 0
    }

    var nextKey: Int64 = 0
    var count: Int = 0
    /// The states of the columns by id.
    var columns: [Int: ColumnState] = [:]

    func encoded() -> [UInt8] {
        var w = ByteWriter()
        w.signed(nextKey)
        w.varint(UInt64(count))
        let used = columns.filter { $0.value != ColumnState() }.sorted { $0.key < $1.key }
        w.varint(UInt64(used.count))
        for (id, c) in used {
            w.varint(UInt64(id))
            w.varint(c.nextBlob)
            w.varint(c.nextIndex)
            w.varint(c.nextBacklinkBlob)
            w.varint(c.indexRoot)
            w.varint(UInt64(c.indexHeight))
            w.varint(UInt64(c.indexCount))
        }
        return w.bytes
    }

    static func decode(_ bytes: UnsafeRawBufferPointer) -> TableState? {
        var r = ByteReader(bytes)
        var state = TableState()
        guard let next = r.signed(), let count = r.number(), let used = r.number() else { return nil }
        state.nextKey = next
        state.count = count
        for _ in 0..<used {
            guard let id = r.number(), let blob = r.varint(), let index = r.varint(), let backlink = r.varint(),
                let root = r.varint(), let height = r.number(), let entries = r.number()
            else { return nil }
            state.columns[id] = ColumnState(
                nextBlob: blob,
                nextIndex: index,
                nextBacklinkBlob: backlink,
                indexRoot: root,
                indexHeight: height,
                indexCount: entries
            )
        }
        return state
    }
}
