#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// An entry that is about to be written into a block: the object key, a pointer to bytes that it doesn't own and, for inner nodes, the child.
struct IndexEntry {
    var bytes: UnsafeRawPointer
    var length: Int
    var key: Int64
    var child: UInt64 = 0

    @inline(__always)
    var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: length) }
}

/// The numbers that determine the size of a packed block, updated with each entry.
struct IndexNodeShape {
    let level: Int
    private(set) var count = 0
    private(set) var prefixLength = 0
    private var shortest = Int.max
    private var longest = 0
    private var total = 0
    private(set) var leastKey = Int64.max
    private var greatestKey = Int64.min
    private(set) var leastChild = UInt64.max
    private var greatestChild: UInt64 = 0

    init(level: Int) { self.level = level }

    /// Creates the shape of at least one entry. The entries are sorted, so their common prefix is that of the first and the last.
    init(level: Int, all entries: UnsafeBufferPointer<IndexEntry>) {
        self.level = level
        count = entries.count
        for i in 0..<entries.count {
            let length = entries[i].length
            let key = entries[i].key
            shortest = min(shortest, length)
            longest = max(longest, length)
            total &+= length
            leastKey = min(leastKey, key)
            greatestKey = max(greatestKey, key)
        }
        if level > 0 {
            for entry in entries {
                leastChild = min(leastChild, entry.child)
                greatestChild = max(greatestChild, entry.child)
            }
        }
        prefixLength = Self.commonPrefix(entries[0].bytes, with: entries[entries.count - 1].bytes, limit: shortest)
    }

    @inline(__always)
    mutating func add(_ entry: IndexEntry, first: IndexEntry) {
        if count == 0 {
            prefixLength = entry.length
        } else {
            prefixLength = Self.commonPrefix(first.bytes, with: entry.bytes, limit: min(prefixLength, entry.length))
        }
        count &+= 1
        shortest = min(shortest, entry.length)
        longest = max(longest, entry.length)
        total &+= entry.length
        leastKey = min(leastKey, entry.key)
        greatestKey = max(greatestKey, entry.key)
        if level > 0 {
            leastChild = min(leastChild, entry.child)
            greatestChild = max(greatestChild, entry.child)
        }
    }

    @inline(__always) var hasOffsets: Bool { shortest != longest }
    @inline(__always) var suffixWidth: Int { hasOffsets ? IndexNode.offsetsWidth : longest &- prefixLength }
    @inline(__always) var keyWidth: Int { Self.width(UInt64(bitPattern: greatestKey &- leastKey)) }
    @inline(__always) var childWidth: Int { level > 0 ? Self.width(greatestChild &- leastChild) : 0 }

    @inline(__always)
    var size: Int {
        var size = IndexNode.headerSize + (level > 0 ? 8 : 0) + prefixLength + count &* (keyWidth &+ childWidth)
        size &+= total &- count &* prefixLength
        if hasOffsets { size &+= 2 &* (count &+ 1) &+ IndexNode.tailPadding }
        return size
    }

    @inline(__always)
    static func width(_ range: UInt64) -> Int {
        if range == 0 { return 0 }
        if range < 1 << 8 { return 1 }
        if range < 1 << 16 { return 2 }
        return range < 1 << 32 ? 4 : 8
    }

    @inline(__always)
    static func commonPrefix(_ a: UnsafeRawPointer, with b: UnsafeRawPointer, limit: Int) -> Int {
        var i = 0
        while i &+ 8 <= limit {
            let x = UInt64(littleEndian: a.loadUnaligned(fromByteOffset: i, as: UInt64.self))
            let y = UInt64(littleEndian: b.loadUnaligned(fromByteOffset: i, as: UInt64.self))
            if x != y { return i &+ (x ^ y).trailingZeroBitCount / 8 }
            i &+= 8
        }
        while i < limit, a.load(fromByteOffset: i, as: UInt8.self) == b.load(fromByteOffset: i, as: UInt8.self) {
            i &+= 1
        }
        return i
    }
}

extension IndexNode {
    /// Packs the entries, which have this shape, into `out` and returns the size.
    static func encode(
        _ entries: UnsafeBufferPointer<IndexEntry>,
        _ shape: IndexNodeShape,
        to out: UnsafeMutableRawPointer
    ) -> Int {
        let count = entries.count
        out.storeBytes(of: UInt8(shape.level), as: UInt8.self)
        out.storeBytes(of: UInt8(shape.suffixWidth), toByteOffset: 1, as: UInt8.self)
        out.storeBytes(of: UInt8(shape.keyWidth), toByteOffset: 2, as: UInt8.self)
        out.storeBytes(of: UInt8(shape.childWidth), toByteOffset: 3, as: UInt8.self)
        out.storeBytes(of: UInt16(count).littleEndian, toByteOffset: 4, as: UInt16.self)
        out.storeBytes(of: UInt8(shape.prefixLength), toByteOffset: 6, as: UInt8.self)
        out.storeBytes(of: format, toByteOffset: 7, as: UInt8.self)
        out.storeBytes(of: shape.leastKey.littleEndian, toByteOffset: 8, as: Int64.self)
        var p = out + headerSize
        if shape.level > 0 {
            p.storeBytes(of: shape.leastChild.littleEndian, as: UInt64.self)
            p += 8
        }
        let leastKey = shape.leastKey
        pack(width: shape.keyWidth, count: count, to: &p) { UInt64(bitPattern: entries[$0].key &- leastKey) }
        if shape.level > 0 {
            let leastChild = shape.leastChild
            pack(width: shape.childWidth, count: count, to: &p) { entries[$0].child &- leastChild }
        }
        if shape.hasOffsets {
            var offset = 0
            for i in 0...count {
                p.storeBytes(of: UInt16(offset).littleEndian, as: UInt16.self)
                p += 2
                if i < count { offset &+= entries[i].length &- shape.prefixLength }
            }
        }
        let prefixLength = shape.prefixLength
        memcpy(p, entries[0].bytes, prefixLength)
        p += prefixLength
        switch shape.suffixWidth {
        case 1: copySuffixes(entries, prefixLength, to: &p, as: UInt8.self)
        case 2: copySuffixes(entries, prefixLength, to: &p, as: UInt16.self)
        case 4: copySuffixes(entries, prefixLength, to: &p, as: UInt32.self)
        case 8: copySuffixes(entries, prefixLength, to: &p, as: UInt64.self)
        default:
            for entry in entries {
                let length = entry.length &- prefixLength
                memcpy(p, entry.bytes + prefixLength, length)
                p += length
            }
        }
        if shape.hasOffsets {
            p.storeBytes(of: 0, as: UInt64.self)
            p += tailPadding
        }
        return p - out
    }

    @inline(__always)
    private static func copySuffixes<T: FixedWidthInteger & BitwiseCopyable>(
        _ entries: UnsafeBufferPointer<IndexEntry>,
        _ prefixLength: Int,
        to p: inout UnsafeMutableRawPointer,
        as type: T.Type
    ) {
        for i in 0..<entries.count {
            let suffix = (entries[i].bytes + prefixLength).loadUnaligned(as: T.self)
            p.storeBytes(of: suffix, as: T.self)
            p += MemoryLayout<T>.size
        }
    }

    @inline(__always)
    private static func pack(
        width: Int,
        count: Int,
        to p: inout UnsafeMutableRawPointer,
        value: (Int) -> UInt64
    ) {
        switch width {
        case 0: break
        case 1:
            for i in 0..<count {
                p.storeBytes(of: UInt8(truncatingIfNeeded: value(i)), toByteOffset: i, as: UInt8.self)
            }
        case 2:
            for i in 0..<count {
                p.storeBytes(
                    of: UInt16(truncatingIfNeeded: value(i)).littleEndian,
                    toByteOffset: 2 &* i,
                    as: UInt16.self
                )
            }
        case 4:
            for i in 0..<count {
                p.storeBytes(
                    of: UInt32(truncatingIfNeeded: value(i)).littleEndian,
                    toByteOffset: 4 &* i,
                    as: UInt32.self
                )
            }
        default:
            for i in 0..<count { p.storeBytes(of: value(i).littleEndian, toByteOffset: 8 &* i, as: UInt64.self) }
        }
        p += count &* width
    }
}
