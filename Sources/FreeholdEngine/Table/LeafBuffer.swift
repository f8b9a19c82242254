/// The values of one column in one cluster (or of one list chunk), decoded for changes.
///
/// Integers and links are stored as 64 bits, Booleans as bytes, and timestamps as two arrays. Strings, data and inline lists are entries that refer
/// to an arena, which only grows until it is compacted. Slots from `count` on have the column's default. The buffer belongs to one write transaction
/// and isn't thread-safe.
///
/// It decodes the changed parts of a split leaf. Values of the other parts are read from their stored blocks (`LeafParts`). Reads never move the
/// arena. Pointers to bytes therefore remain valid until the next change of the buffer or of the part's block.
final class LeafBuffer {
    enum Kind { case ints, bools, floats, doubles, timestamps, fixed12, fixed16, bytes }

    /// The place of a slot's bytes in the arena.
    struct Entry {
        var offset: UInt32
        /// The length. Its top bit indicates that the bytes are a reference to a value that is stored outside.
        var length: UInt32
        static let referenceBit: UInt32 = 1 << 31
        var byteCount: Int { Int(length & ~Entry.referenceBit) }
        var isReference: Bool { length & Entry.referenceBit != 0 }
    }

    let codec: UInt8
    let kind: Kind
    let capacity: Int
    let isOptional: Bool
    @exclusivity(unchecked) private(set) var count: Int = 0
    /// A Boolean value that indicates whether the buffer has changed since it was last encoded.
    @exclusivity(unchecked) var isDirty = true

    private let stride: Int
    private let values: UnsafeMutableRawPointer
    private let nanoseconds: UnsafeMutablePointer<Int32>?
    let nulls: UnsafeMutablePointer<UInt64>?
    @exclusivity(unchecked) private var arena: UnsafeMutableRawPointer?
    @exclusivity(unchecked) private var arenaCount = 0
    @exclusivity(unchecked) private var arenaCapacity = 0
    /// The counter with which the owner measures the memory of its buffers.
    var meter: UnsafeMutablePointer<Int>?
    /// The number of bytes in the arena that no entry uses.
    @exclusivity(unchecked) private var arenaGarbage = 0
    /// The division of the leaf into parts, and the parts that are decoded.
    @exclusivity(unchecked) private(set) var parts = LeafParts()

    /// - Parameter type: the type of the values, or of a list's elements if `isList` is true.
    init(type: ColumnType, isList: Bool, isOptional: Bool, capacity: Int) {
        codec = isList ? type.rawValue | Leaf.listCodec : type.rawValue
        kind = isList ? .bytes : LeafBuffer.kind(of: type)
        self.capacity = max(capacity, 1)
        self.isOptional = isOptional && !isList && type != .link
        switch kind {
        case .ints, .doubles, .timestamps, .bytes: stride = 8
        case .bools: stride = 1
        case .floats: stride = 4
        case .fixed12: stride = 12
        case .fixed16: stride = 16
        }
        let size = (self.capacity * stride + 7) & ~7
        values = .allocate(byteCount: size, alignment: 16)
        values.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        if kind == .timestamps {
            let p = UnsafeMutablePointer<Int32>.allocate(capacity: self.capacity)
            p.initialize(repeating: 0, count: self.capacity)
            nanoseconds = p
        } else {
            nanoseconds = nil
        }
        if self.isOptional {
            let words = LeafEncoder.words(self.capacity)
            let p = UnsafeMutablePointer<UInt64>.allocate(capacity: words)
            p.initialize(repeating: ~0, count: words)
            nulls = p
        } else {
            nulls = nil
        }
    }

    deinit {
        values.deallocate()
        nanoseconds?.deallocate()
        nulls?.deallocate()
        arena?.deallocate()
    }

    static func kind(of type: ColumnType) -> Kind {
        switch type {
        case .bool: .bools
        case .int, .link: .ints
        case .float: .floats
        case .double: .doubles
        case .string, .data, .mixed: .bytes
        case .timestamp: .timestamps
        case .decimal128, .uuid: .fixed16
        case .objectId: .fixed12
        }
    }

    /// The approximate memory use in bytes.
    var footprint: Int { capacity * stride + arenaCapacity + 256 }

    // MARK: Access to plain values

    private var ints: UnsafeMutablePointer<Int64> { values.assumingMemoryBound(to: Int64.self) }
    private var bools: UnsafeMutablePointer<UInt8> { values.assumingMemoryBound(to: UInt8.self) }
    private var floats: UnsafeMutablePointer<Float> { values.assumingMemoryBound(to: Float.self) }
    private var doubles: UnsafeMutablePointer<Double> { values.assumingMemoryBound(to: Double.self) }
    private var entries: UnsafeMutablePointer<Entry> { values.assumingMemoryBound(to: Entry.self) }

    @inline(__always)
    func isNull(_ slot: Int) -> Bool {
        guard let nulls else { return false }
        if parts.isUndecoded(slot) { return parts.stored(slot).map { $0.leaf.isNull($0.slot) } ?? true }
        return nulls[slot >> 6] >> UInt64(slot & 63) & 1 != 0
    }

    @inline(__always) func int(_ slot: Int) -> Int64 { ints[slot] }
    @inline(__always) func bool(_ slot: Int) -> Bool { bools[slot] != 0 }
    @inline(__always) func float(_ slot: Int) -> Float { floats[slot] }
    @inline(__always) func double(_ slot: Int) -> Double { doubles[slot] }
    @inline(__always) func fixed(_ slot: Int) -> UnsafeRawPointer { UnsafeRawPointer(values + slot * stride) }

    func timestamp(_ slot: Int) -> (seconds: Int64, nanoseconds: Int32) { (ints[slot], nanoseconds![slot]) }

    func bytes(_ slot: Int) -> UnsafeRawBufferPointer {
        if parts.isUndecoded(slot) {
            return parts.stored(slot).map { $0.leaf.bytes($0.slot) } ?? UnsafeRawBufferPointer(start: nil, count: 0)
        }
        let entry = entries[slot]
        guard let arena else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: arena + Int(entry.offset), count: entry.byteCount)
    }

    @inline(__always)
    func byteCount(_ slot: Int) -> Int { parts.isUndecoded(slot) ? bytes(slot).count : entries[slot].byteCount }

    @inline(__always)
    func isReference(_ slot: Int) -> Bool {
        if parts.isUndecoded(slot) { return parts.stored(slot).map { $0.leaf.isReference($0.slot) } ?? false }
        return entries[slot].isReference
    }

    func reference(_ slot: Int) -> (block: UInt64, length: UInt64) {
        let b = bytes(slot)
        return (b.loadUnaligned(as: UInt64.self), b.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    // MARK: Changes

    @inline(__always)
    private func touch(_ slot: Int) {
        if slot >= count { count = slot + 1 }
        isDirty = true
    }

    @inline(__always)
    private func markPresent(_ slot: Int) {
        touch(slot)
        if let nulls { nulls[slot >> 6] &= ~(1 << UInt64(slot & 63)) }
    }

    /// Decodes the slot's part of a split leaf, and records that it has changed.
    @inline(__always)
    private func openPart(of slot: Int) {
        if parts.span != 0 { openPart(slot / parts.span) }
    }

    @inline(never)
    private func openPart(_ part: Int) {
        decode(part)
        parts.noteChanged(part)
    }

    /// Sets a slot to null if the column is optional, otherwise to zero or empty.
    func setDefault(_ slot: Int) {
        openPart(of: slot)
        touch(slot)
        if let nulls { nulls[slot >> 6] |= 1 << UInt64(slot & 63) }
        if kind == .bytes {
            arenaGarbage += entries[slot].byteCount
            entries[slot] = Entry(offset: 0, length: 0)
        } else {
            (values + slot * stride).initializeMemory(as: UInt8.self, repeating: 0, count: stride)
            nanoseconds?[slot] = 0
        }
    }

    /// Replaces some slots by `new` slots with the default. The slots after them move.
    ///
    /// - Precondition: the slots exist, the capacity is sufficient, and the leaf isn't stored in parts.
    func replaceSlots(_ slots: Range<Int>, withDefaults new: Int) {
        let old = count
        let end = old - slots.count + new
        precondition(slots.upperBound <= old && end <= capacity && parts.span == 0)
        if kind == .bytes { for slot in slots { arenaGarbage += entries[slot].byteCount } }
        let tail = old - slots.upperBound
        let from = slots.upperBound
        let to = slots.lowerBound + new
        if tail > 0, from != to {
            (values + to * stride).copyMemory(from: values + from * stride, byteCount: tail * stride)
            if let nanoseconds {
                UnsafeMutableRawPointer(nanoseconds + to).copyMemory(from: nanoseconds + from, byteCount: tail * 4)
            }
            if let nulls {
                func move(_ i: Int) {
                    let bit = nulls[(from + i) >> 6] >> UInt64((from + i) & 63) & 1
                    let word = (to + i) >> 6
                    nulls[word] = nulls[word] & ~(1 << UInt64((to + i) & 63)) | bit << UInt64((to + i) & 63)
                }
                if to < from { for i in 0..<tail { move(i) } } else { for i in (0..<tail).reversed() { move(i) } }
            }
        }
        count = max(old, end)
        // The old entries have moved or have already been counted as garbage.
        func empty(_ slot: Int) {
            if kind == .bytes { entries[slot] = Entry(offset: 0, length: 0) }
            setDefault(slot)
        }
        for slot in slots.lowerBound..<to { empty(slot) }
        if end < old { for slot in end..<old { empty(slot) } }
        count = end
        isDirty = true
    }

    @inline(__always) func setInt(_ slot: Int, _ v: Int64) {
        markPresent(slot)
        ints[slot] = v
    }

    @inline(__always) func setBool(_ slot: Int, _ v: Bool) {
        markPresent(slot)
        bools[slot] = v ? 1 : 0
    }

    @inline(__always) func setFloat(_ slot: Int, _ v: Float) {
        markPresent(slot)
        floats[slot] = v
    }

    @inline(__always) func setDouble(_ slot: Int, _ v: Double) {
        markPresent(slot)
        doubles[slot] = v
    }

    func setTimestamp(_ slot: Int, seconds: Int64, nanoseconds ns: Int32) {
        markPresent(slot)
        ints[slot] = seconds
        nanoseconds![slot] = ns
    }

    func setFixed(_ slot: Int, _ bytes: UnsafeRawPointer) {
        markPresent(slot)
        (values + slot * stride).copyMemory(from: bytes, byteCount: stride)
    }

    @inline(__always)
    func setBytes(_ slot: Int, _ bytes: UnsafeRawBufferPointer, isReference: Bool = false) {
        openPart(of: slot)
        markPresent(slot)
        let old = entries[slot]
        let flag = isReference ? Entry.referenceBit : 0
        if bytes.count <= old.byteCount {
            // The new value is written in place, because the space of the old value is sufficient. A value may be moved onto itself.
            if bytes.count > 0 { memmoveBytes(arena! + Int(old.offset), bytes) }
            arenaGarbage += old.byteCount - bytes.count
            entries[slot] = Entry(offset: old.offset, length: UInt32(bytes.count) | flag)
            return
        }
        arenaGarbage += old.byteCount
        // The old bytes are garbage from now on, because the arena may be compacted.
        entries[slot] = Entry(offset: 0, length: 0)
        let at = appendToArena(bytes)
        entries[slot] = Entry(offset: UInt32(at), length: UInt32(bytes.count) | flag)
    }

    private func memmoveBytes(_ to: UnsafeMutableRawPointer, _ from: UnsafeRawBufferPointer) {
        to.copyMemory(from: from.baseAddress!, byteCount: from.count)
    }

    private func appendToArena(_ bytes: UnsafeRawBufferPointer) -> Int {
        if arenaCount + bytes.count > arenaCapacity { growArena(bytes.count) }
        let at = arenaCount
        if bytes.count > 0 { (arena! + at).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count) }
        arenaCount += bytes.count
        return at
    }

    /// Enlarges the arena. If more than half of it is unused, the unused bytes are removed. The bytes to be added must not be in the arena.
    private func growArena(_ more: Int) {
        let live = arenaCount - arenaGarbage
        let wanted = max(64, live + more)
        let capacity = max(wanted + wanted / 2, arenaGarbage * 2 > arenaCount ? 64 : arenaCount + arenaCount / 2 + more)
        let fresh = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        var end = 0
        if let old = arena {
            for slot in 0..<count where entries[slot].length & ~Entry.referenceBit > 0 {
                let length = entries[slot].byteCount
                (fresh + end).copyMemory(from: old + Int(entries[slot].offset), byteCount: length)
                entries[slot].offset = UInt32(end)
                end += length
            }
            old.deallocate()
        }
        meter?.pointee += capacity - arenaCapacity
        arena = fresh
        arenaCount = end
        arenaGarbage = 0
        arenaCapacity = capacity
    }

    // MARK: To and from leaves

    /// Takes over the values of a stored leaf. The parts of a split leaf are decoded when they are changed.
    func load(_ leaf: Leaf, parts source: LeafParts.Source? = nil) {
        guard leaf.isSplit else { return load(leaf, at: 0, limit: capacity) }
        guard let source else { return }
        parts = LeafParts(leaf, clusterSpan: capacity, source)
        count = leaf.count
    }

    func decode(_ part: Int) {
        guard let leaf = parts.takeUndecoded(part) else { return }
        let start = part * parts.span
        load(leaf, at: start, limit: min(parts.span, capacity - start))
    }

    func decodeAll() {
        while parts.undecoded != 0 { decode(parts.undecoded.trailingZeroBitCount) }
    }

    /// Records the form in which the leaf is now stored, with the whole content of the buffer.
    func noteStored(in parts: LeafParts) { self.parts = parts }

    /// Records that the changed parts are stored.
    func noteStoredChanges() { parts.noteStored(count: count) }

    /// Returns the slot in the form for `LeafEncoder`. The part of the slot must be decoded.
    @inline(__always)
    func leafEntry(_ slot: Int) -> LeafEntry {
        let entry = entries[slot]
        return LeafEntry(
            arena.map { UnsafeRawPointer($0) + Int(entry.offset) },
            entry.byteCount,
            isReference: entry.isReference
        )
    }

    private func load(_ leaf: Leaf, at start: Int, limit: Int) {
        let n = min(leaf.count, limit)
        guard n > 0 else { return }
        count = max(count, start + n)
        let source = leaf.valuesPointer
        switch kind {
        case .ints, .timestamps:
            loadInts(leaf, at: start, n: n)
            if let nanoseconds, let from = leaf.nanosecondsPointer {
                for i in 0..<n { nanoseconds[start + i] = Int32(bitPattern: from[i]) }
            }
        case .bools:
            for i in 0..<n { bools[start + i] = leaf.bool(i) ? 1 : 0 }
        case .floats, .doubles, .fixed12, .fixed16:
            (values + start * stride).copyMemory(from: source, byteCount: n * stride)
        case .bytes:
            let total = leaf.offset(n)
            let at = appendToArena(UnsafeRawBufferPointer(start: leaf.bytesArea, count: total))
            var from = 0
            for i in 0..<n {
                let to = leaf.offset(i + 1)
                let flag = leaf.isReference(i) ? Entry.referenceBit : 0
                entries[start + i] = Entry(offset: UInt32(at + from), length: UInt32(to - from) | flag)
                from = to
            }
        }
        if let nulls {
            let stored = leaf.nullBitmap
            for i in 0..<n {
                let slot = start + i
                let null = stored.map { $0[i >> 6] >> UInt64(i & 63) & 1 != 0 } ?? false
                if null {
                    nulls[slot >> 6] |= 1 << UInt64(slot & 63)
                } else {
                    nulls[slot >> 6] &= ~(1 << UInt64(slot & 63))
                }
            }
        }
    }

    private func loadInts(_ leaf: Leaf, at start: Int, n: Int) {
        let source = leaf.valuesPointer
        let base = leaf.base
        let out = ints + start
        switch leaf.width {
        case 0: for i in 0..<n { out[i] = base }
        case 1: widen(source.assumingMemoryBound(to: UInt8.self), to: out, count: n, base: base)
        case 2: widen(source.assumingMemoryBound(to: UInt16.self), to: out, count: n, base: base)
        case 4: widen(source.assumingMemoryBound(to: UInt32.self), to: out, count: n, base: base)
        default: UnsafeMutableRawPointer(out).copyMemory(from: source, byteCount: n * 8)
        }
    }

    @inline(__always)
    private func widen<T: FixedWidthInteger>(
        _ from: UnsafePointer<T>,
        to: UnsafeMutablePointer<Int64>,
        count n: Int,
        base: Int64
    ) {
        var i = 0
        while i < n {
            to[i] = base &+ Int64(truncatingIfNeeded: from[i])
            i &+= 1
        }
    }

    /// Returns the leaf's bytes, which the caller deallocates, or `nil` if the leaf has to be split.
    ///
    /// - Precondition: the whole leaf is decoded.
    func encodedWhole() -> UnsafeMutableRawBufferPointer? {
        assert(parts.undecoded == 0)
        switch kind {
        case .ints: return LeafEncoder.encodeInts(values: ints, nulls: nulls, count: count, codec: codec)
        case .bools:
            let words = LeafEncoder.words(max(count, 1))
            return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: words) { bits in
                for w in 0..<words { bits[w] = 0 }
                for i in 0..<count where bools[i] != 0 { bits[i >> 6] |= 1 << UInt64(i & 63) }
                return LeafEncoder.encodeBools(values: bits.baseAddress!, nulls: nulls, count: count)
            }
        case .floats: return LeafEncoder.encodeFloats(values: floats, nulls: nulls, count: count)
        case .doubles: return LeafEncoder.encodeDoubles(values: doubles, nulls: nulls, count: count)
        case .timestamps:
            return LeafEncoder.encodeTimestamps(
                seconds: ints,
                nanoseconds: nanoseconds!,
                nulls: nulls,
                count: count
            )
        case .fixed12, .fixed16:
            return LeafEncoder.encodeFixed(values: values, width: stride, nulls: nulls, count: count, codec: codec)
        case .bytes: return encodedBytes(from: 0, count: count, limit: BlockLimits.maximumSize)
        }
    }
}
