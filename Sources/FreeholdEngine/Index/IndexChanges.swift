#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// The entries that a write transaction adds to and removes from one index, as long as they aren't in the tree yet.
///
/// While objects are written, changes are only appended. `IndexTree.apply` sorts and merges them. The additions and removals of one (value, key) must
/// alternate. They do if each follows a change of the row. A value may be removed under one key and added under another.
///
/// It isn't thread-safe and belongs to its transaction.
final class IndexChanges {
    /// A change. The encoded bytes are in the arena. The eight bytes after the tag are also in the record, for sorting.
    struct Record {
        /// Bytes 1 ..< 9 as a big-endian number, padded with zeros.
        var leading: UInt64
        var key: Int64
        /// tag << 56 | offset in the arena << 8 | length << 1 | (1 for an insertion)
        var meta: UInt64

        @inline(__always) var tag: UInt8 { UInt8(meta >> 56) }
        @inline(__always) var offset: Int { Int(meta >> 8 & 0xFFFF_FFFF_FFFF) }
        @inline(__always) var length: Int { Int(meta >> 1 & 0x7F) }
        @inline(__always) var isInsert: Bool { meta & 1 == 1 }
    }

    enum State: Equatable {
        /// The value hasn't changed, so the tree has to be searched.
        case unchanged
        /// The last change added the value under this key.
        case inserted(Int64)
        /// The last change removed the value.
        case removed
    }

    private(set) var records: UnsafeMutablePointer<Record>
    private(set) var count = 0
    private var capacity: Int
    private(set) var arena: UnsafeMutableRawPointer
    private var arenaCount = 0
    private var arenaCapacity: Int
    /// A Boolean value that indicates whether the records are in strictly ascending order of (value, key).
    private(set) var isSorted = true
    /// The index of the record with the greatest value.
    private var greatest = 0
    private var table: IndexChangesTable?

    init() {
        capacity = 16
        arenaCapacity = 256
        records = Self.resize(nil, capacity)
        arena = malloc(arenaCapacity)
    }

    deinit {
        free(records)
        free(arena)
    }

    var isEmpty: Bool { count == 0 }

    /// The memory use in bytes.
    var memory: Int { capacity * MemoryLayout<Record>.stride + arenaCapacity + (table?.memory ?? 0) }

    // MARK: Appending

    /// Adds an entry.
    /// - Parameter bytes: the value in the form of `OrderedEncoding`.
    func insert(_ bytes: UnsafeRawBufferPointer, _ key: Int64) { append(bytes, key: key, insert: 1) }
    func remove(_ bytes: UnsafeRawBufferPointer, _ key: Int64) { append(bytes, key: key, insert: 0) }
    @inline(__always) func insertInt(_ value: Int64, key: Int64) { appendInt(value, key: key, insert: 1) }
    @inline(__always) func removeInt(_ value: Int64, key: Int64) { appendInt(value, key: key, insert: 0) }

    private func appendInt(_ value: Int64, key: Int64, insert: UInt64) {
        if arenaCount &+ 9 > arenaCapacity { growArena(9) }
        let leading = OrderedEncoding.orderedBits(value)
        let p = arena + arenaCount
        p.storeBytes(of: OrderedEncoding.Tag.int, as: UInt8.self)
        p.storeBytes(of: leading.bigEndian, toByteOffset: 1, as: UInt64.self)
        let meta = UInt64(OrderedEncoding.Tag.int) << 56 | UInt64(arenaCount) << 8 | 9 << 1 | insert
        arenaCount &+= 9
        append(Record(leading: leading, key: key, meta: meta))
    }

    private func append(_ bytes: UnsafeRawBufferPointer, key: Int64, insert: UInt64) {
        let length = bytes.count
        precondition(length > 0 && length <= IndexTree.maximumLength)
        if arenaCount &+ length > arenaCapacity { growArena(length) }
        memcpy(arena + arenaCount, bytes.baseAddress!, length)
        let meta = UInt64(bytes[0]) << 56 | UInt64(arenaCount) << 8 | UInt64(length) << 1 | insert
        arenaCount &+= length
        append(Record(leading: IndexNode.leading(bytes.baseAddress! + 1, length &- 1), key: key, meta: meta))
    }

    @inline(__always)
    private func append(_ record: Record) {
        if count == capacity { growRecords() }
        let at = count
        records[at] = record
        count &+= 1
        if at > 0 {
            let order = compareBytes(record, with: records[greatest])
            if isSorted, order < 0 || (order == 0 && record.key <= records[at &- 1].key) { isSorted = false }
            if order >= 0 { greatest = at }
        }
        if let table { table.add(at, self) }
    }

    // For large areas, `realloc` moves pages instead of bytes.
    @inline(never)
    private func growRecords() {
        capacity *= 2
        records = Self.resize(records, capacity)
    }

    @inline(never)
    private func growArena(_ more: Int) {
        arenaCapacity = max(arenaCapacity * 2, arenaCount + more)
        guard let larger = realloc(arena, arenaCapacity) else { Self.outOfMemory() }
        arena = larger
    }

    private static func resize(
        _ records: UnsafeMutablePointer<Record>?,
        _ capacity: Int
    ) -> UnsafeMutablePointer<Record> {
        guard let area = realloc(records, capacity * MemoryLayout<Record>.stride) else { outOfMemory() }
        return area.assumingMemoryBound(to: Record.self)
    }

    private static func outOfMemory() -> Never { fatalError("No memory for the pending changes of an index") }

    /// Removes all changes and frees the memory.
    func removeAll() {
        table = nil
        count = 0
        arenaCount = 0
        greatest = 0
        isSorted = true
        guard capacity > 16 || arenaCapacity > 256 else { return }
        capacity = 16
        arenaCapacity = 256
        records = Self.resize(records, capacity)
        free(arena)
        arena = malloc(arenaCapacity)
    }

    // MARK: Records

    @inline(__always)
    func bytes(_ record: Record) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: arena + record.offset, count: record.length)
    }

    /// Returns a number below, equal to or above 0 for the order of the values. Keys aren't compared.
    @inline(__always)
    func compareBytes(_ a: Record, with b: Record) -> Int {
        if a.meta >> 56 != b.meta >> 56 { return a.meta < b.meta ? -1 : 1 }
        if a.leading != b.leading { return a.leading < b.leading ? -1 : 1 }
        if a.length > 9 && b.length > 9 {
            let order = memcmp(arena + (a.offset &+ 9), arena + (b.offset &+ 9), min(a.length, b.length) &- 9)
            if order != 0 { return Int(order) }
        }
        return a.length &- b.length
    }

    @inline(__always)
    func isBelow(_ a: Record, other b: Record) -> Bool {
        let order = compareBytes(a, with: b)
        return order == 0 ? a.key < b.key : order < 0
    }

    // MARK: Look-ups

    /// Returns the state of a value in this transaction, for indexes that contain each value once.
    ///
    /// For a value above all pending values, this takes one comparison. The first other call creates a hash table.
    /// - Complexity: O(1).
    func find(_ bytes: UnsafeRawBufferPointer) -> State {
        guard count > 0, !isAboveAll(bytes) else { return .unchanged }
        guard let record = lookupTable().last(bytes, self).map({ records[$0] }) else { return .unchanged }
        return record.isInsert ? .inserted(record.key) : .removed
    }

    /// Calls the body with the changes of one value, the last change first. The arguments are the key and whether it was added.
    func forEach(_ bytes: UnsafeRawBufferPointer, _ body: (Int64, Bool) -> Void) {
        guard count > 0, !isAboveAll(bytes) else { return }
        let table = lookupTable()
        var at = table.last(bytes, self)
        while let i = at {
            body(records[i].key, records[i].isInsert)
            at = table.previous(i)
        }
    }

    @inline(__always)
    private func isAboveAll(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let last = records[greatest]
        if bytes[0] != last.tag { return bytes[0] > last.tag }
        let leading = IndexNode.leading(bytes.baseAddress! + 1, bytes.count &- 1)
        if leading != last.leading { return leading > last.leading }
        let order = memcmp(bytes.baseAddress!, arena + last.offset, min(bytes.count, last.length))
        return order == 0 ? bytes.count > last.length : order > 0
    }

    private func lookupTable() -> IndexChangesTable {
        if let table { return table }
        let table = IndexChangesTable(self)
        self.table = table
        return table
    }

    // MARK: Sorting

    /// Sorts the changes by (value, key) and keeps one effective change for each. An addition and a removal of the same entry cancel out. Look-ups
    /// aren't possible afterwards. The caller applies the changes and calls `removeAll`.
    func sort() {
        table = nil
        guard !isSorted else { return }
        IndexChangesSorter(self).sort()
        cancelPairs()
        isSorted = true
        greatest = max(0, count - 1)
    }

    private func cancelPairs() {
        var kept = 0
        var i = 0
        while i < count {
            var last = i
            while last + 1 < count, records[last + 1].key == records[i].key,
                compareBytes(records[last + 1], with: records[i]) == 0
            {
                last += 1
            }
            // The sort is stable. The states before the first and after the last change determine the result.
            if records[i].isInsert == records[last].isInsert {
                records[kept] = records[last]
                kept += 1
            }
            i = last + 1
        }
        count = kept
    }
}
