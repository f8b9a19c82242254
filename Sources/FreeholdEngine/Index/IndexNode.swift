#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// A view of one packed block of an index tree. Searches use the packed bytes.
///
/// The layout is little-endian:
/// ```
/// 0 u8 level, 0 = leaf   1 u8 suffix width, 255 = offsets   2 u8 key width   3 u8 child width
/// 4 u16 count            6 u8 prefix length                 7 u8 format, 1   8 i64 key base
/// 16 inner nodes only: u64 child base
/// keys      count × key width (0, 1, 2, 4 or 8): key = base &+ unsigned offset
/// children  inner nodes only, likewise
/// offsets   only if the suffix width is 255: u16 × (count + 1), from the start of the suffixes
/// prefix    the bytes that all entries begin with
/// suffixes  the rest of each entry; 8 zero bytes after them if there are offsets
/// ```
/// Entries are in the order of (bytes, key). The entry `i` of an inner node is a lower bound of the content of child `i`, and an exclusive upper
/// bound of the content of child `i - 1`.
struct IndexNode {
    static let format: UInt8 = 1
    static let offsetsWidth = 255
    static let headerSize = 16
    /// The number of bytes after the last suffix, so that eight bytes can be loaded at each suffix of variable width.
    static let tailPadding = 8

    let start: UnsafeRawPointer
    let count: Int
    let level: Int
    let suffixWidth: Int
    let keyWidth: Int
    let childWidth: Int
    let prefixLength: Int
    let keys: UnsafeRawPointer
    let prefix: UnsafeRawPointer
    let suffixes: UnsafeRawPointer

    @inline(__always)
    init(_ start: UnsafeRawPointer) {
        self.start = start
        let head = UInt64(littleEndian: start.load(as: UInt64.self))
        level = Int(head & 0xFF)
        suffixWidth = Int(head >> 8 & 0xFF)
        keyWidth = Int(head >> 16 & 0xFF)
        childWidth = Int(head >> 24 & 0xFF)
        count = Int(head >> 32 & 0xFFFF)
        prefixLength = Int(head >> 48 & 0xFF)
        keys = start + (level == 0 ? 16 : 24)
        var p = keys + count &* (keyWidth &+ childWidth)
        if suffixWidth == Self.offsetsWidth { p += 2 &* (count &+ 1) }
        prefix = p
        suffixes = p + prefixLength
    }

    // MARK: Entries

    @inline(__always)
    private func packed(_ p: UnsafeRawPointer, width: Int, at i: Int) -> UInt64 {
        switch width {
        case 0: return 0
        case 1: return UInt64(p.load(fromByteOffset: i, as: UInt8.self))
        case 2: return UInt64(UInt16(littleEndian: p.loadUnaligned(fromByteOffset: i &* 2, as: UInt16.self)))
        case 4: return UInt64(UInt32(littleEndian: p.loadUnaligned(fromByteOffset: i &* 4, as: UInt32.self)))
        default: return UInt64(littleEndian: p.loadUnaligned(fromByteOffset: i &* 8, as: UInt64.self))
        }
    }

    @inline(__always)
    func key(_ i: Int) -> Int64 {
        Int64(littleEndian: start.load(fromByteOffset: 8, as: Int64.self))
            &+ Int64(bitPattern: packed(keys, width: keyWidth, at: i))
    }

    @inline(__always)
    func child(_ i: Int) -> UInt64 {
        UInt64(littleEndian: start.load(fromByteOffset: 16, as: UInt64.self))
            &+ packed(keys + count &* keyWidth, width: childWidth, at: i)
    }

    @inline(__always)
    func suffix(_ i: Int) -> UnsafeRawBufferPointer {
        if suffixWidth != Self.offsetsWidth {
            return UnsafeRawBufferPointer(start: suffixes + i &* suffixWidth, count: suffixWidth)
        }
        let offsets = prefix - 2 &* (count &+ 1)
        let from = Int(UInt16(littleEndian: offsets.loadUnaligned(fromByteOffset: 2 &* i, as: UInt16.self)))
        let to = Int(UInt16(littleEndian: offsets.loadUnaligned(fromByteOffset: 2 &* i &+ 2, as: UInt16.self)))
        return UnsafeRawBufferPointer(start: suffixes + from, count: to &- from)
    }

    /// Writes the entry's bytes, at most `IndexTree.maximumLength`, and returns their number.
    @inline(__always)
    func copyBytes(_ i: Int, to out: UnsafeMutableRawPointer) -> Int {
        let rest = suffix(i)
        memcpy(out, prefix, prefixLength)
        memcpy(out + prefixLength, rest.baseAddress!, rest.count)
        return prefixLength &+ rest.count
    }

    // MARK: Searching

    /// Returns the index of the first entry at or above (bytes, key).
    func lowerBound(_ bytes: UnsafeRawBufferPointer, _ key: Int64) -> Int {
        let from = lowerBound(bytes)
        guard key > Int64.min, from < count, isEqual(from, bytes) else { return from }
        return keyLowerBound(key, from: from, to: upperBound(bytes))
    }

    /// Returns the index of the first entry above (bytes, key).
    func upperBound(_ bytes: UnsafeRawBufferPointer, _ key: Int64) -> Int {
        key == Int64.max ? upperBound(bytes) : lowerBound(bytes, key + 1)
    }

    /// Returns the index of the first entry whose bytes are at least these.
    @inline(__always)
    func lowerBound(_ bytes: UnsafeRawBufferPointer) -> Int { search(bytes, orEqual: false) }

    /// Returns the index of the first entry whose bytes are above these.
    @inline(__always)
    func upperBound(_ bytes: UnsafeRawBufferPointer) -> Int { search(bytes, orEqual: true) }

    @inline(__always)
    func isEqual(_ i: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
        let rest = suffix(i)
        guard prefixLength &+ rest.count == bytes.count else { return false }
        return memcmp(prefix, bytes.baseAddress!, prefixLength) == 0
            && memcmp(rest.baseAddress!, bytes.baseAddress! + prefixLength, rest.count) == 0
    }

    private func keyLowerBound(_ key: Int64, from: Int, to: Int) -> Int {
        var low = from
        var high = to
        while low < high {
            let middle = (low &+ high) >> 1
            if self.key(middle) < key { low = middle &+ 1 } else { high = middle }
        }
        return low
    }

    /// Returns the number of entries below `bytes`. If `orEqual` is true, equal entries are included.
    private func search(_ bytes: UnsafeRawBufferPointer, orEqual: Bool) -> Int {
        let needle = bytes.baseAddress!
        let order = memcmp(needle, prefix, min(bytes.count, prefixLength))
        if order != 0 { return order < 0 ? 0 : count }
        if bytes.count < prefixLength { return 0 }
        let rest = needle + prefixLength
        let restCount = bytes.count &- prefixLength
        if suffixWidth <= 8 {
            if suffixWidth == 0 { return restCount > 0 || orEqual ? count : 0 }
            // The first bytes of the rest, padded with zeros. A short rest is loaded together with the bytes before it, which are shifted out.
            let first: UInt64
            if restCount >= 8 {
                first = UInt64(bigEndian: rest.loadUnaligned(as: UInt64.self))
            } else if bytes.count >= 8 {
                let word = UInt64(bigEndian: (needle + (bytes.count &- 8)).loadUnaligned(as: UInt64.self))
                first = restCount == 0 ? 0 : word &<< UInt64(64 &- 8 &* restCount)
            } else {
                first = Self.leading(rest, restCount)
            }
            var target = first &>> UInt64(64 &- 8 &* suffixWidth)
            // An entry that equals the first bytes of a longer needle is below the needle. An entry that equals a shorter needle padded with zeros is
            // above it.
            let takeEqual = restCount > suffixWidth || (orEqual && restCount == suffixWidth)
            if takeEqual {
                if target == .max { return count }
                target += 1
            }
            // Eight bytes are loaded that end at the suffix's end. They are inside the block because the header precedes them.
            return countBelow(
                target,
                from: suffixes + (suffixWidth &- 8),
                mask: UInt64.max &>> UInt64(64 &- 8 &* suffixWidth)
            )
        }
        return searchLong(rest, restCount, orEqual: orEqual)
    }

    /// Returns the number of entries below the target. Each entry is a big-endian number, and their distance is the suffix width.
    @inline(__always)
    private func countBelow(_ target: UInt64, from words: UnsafeRawPointer, mask: UInt64) -> Int {
        let width = suffixWidth
        var low = 0
        var size = count
        // The compiler may branch here: speculation that fetches the next line early is faster than a select (measured).
        while size > 1 {
            let half = size >> 1
            let at = (low &+ half &- 1) &* width
            let value = UInt64(bigEndian: words.loadUnaligned(fromByteOffset: at, as: UInt64.self)) & mask
            low = value < target ? low &+ half : low
            size &-= half
        }
        if size == 1 {
            let value = UInt64(bigEndian: words.loadUnaligned(fromByteOffset: low &* width, as: UInt64.self)) & mask
            if value < target { low &+= 1 }
        }
        return low
    }

    private func searchLong(_ rest: UnsafeRawPointer, _ restCount: Int, orEqual: Bool) -> Int {
        let first = Self.leading(rest, restCount)
        var low = 0
        var high = count
        if suffixWidth != Self.offsetsWidth {
            low = countBelow(first, from: suffixes, mask: .max)
            if low == count { return low }
            let found = UInt64(bigEndian: suffixes.loadUnaligned(fromByteOffset: low &* suffixWidth, as: UInt64.self))
            if found != first { return low }
            // In most cases, only this entry has this prefix.
            if low &+ 1 < count {
                let next = (low &+ 1) &* suffixWidth
                if UInt64(bigEndian: suffixes.loadUnaligned(fromByteOffset: next, as: UInt64.self)) != first {
                    high = low &+ 1
                }
            }
        }
        while low < high {
            let middle = (low &+ high) >> 1
            let entry = suffix(middle)
            let p = entry.baseAddress!
            var value = UInt64(bigEndian: p.loadUnaligned(as: UInt64.self))
            if entry.count < 8 { value &= ~(UInt64.max >> UInt64(8 &* entry.count)) }
            let below: Bool
            if value != first {
                below = value < first
            } else {
                var order: Int = 0
                if entry.count > 8 && restCount > 8 {
                    order = Int(memcmp(p + 8, rest + 8, min(entry.count, restCount) &- 8))
                }
                // If the common bytes are equal, the shorter entry is below.
                if order == 0 { order = entry.count &- restCount }
                below = orEqual ? order <= 0 : order < 0
            }
            if below { low = middle &+ 1 } else { high = middle }
        }
        return low
    }

    /// Returns the first eight bytes as a big-endian number, padded with zeros.
    @inline(__always)
    static func leading(_ p: UnsafeRawPointer, _ count: Int) -> UInt64 {
        if count >= 8 { return UInt64(bigEndian: p.loadUnaligned(as: UInt64.self)) }
        var value: UInt64 = 0
        for i in 0..<count { value |= UInt64(p.load(fromByteOffset: i, as: UInt8.self)) << UInt64(56 &- 8 &* i) }
        return value
    }
}
