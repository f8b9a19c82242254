internal import CFreeholdShims

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// The state of one version at the keys that the last commits wrote: a mark of each block, or a note that the block is missing.
///
/// If the write of a page of LMDB's tree was lost, or an older page was restored, the page contains sound blocks of an older version and lacks blocks
/// that were added since. The tree itself doesn't show this. Therefore the writer stores these marks outside the tree, and readers compare them with
/// every leaf of the tree that they read.
///
/// The marks are in the free space of the root page that the commit is about to write, after LMDB's root and the mark of the commit log. LMDB never
/// writes there. They are written before the commit, so they are flushed with its blocks. Marks are used if three conditions hold, and are ignored
/// otherwise: their own checksum is correct, they belong to the version that is read, and they were written with the digest of that version. They
/// therefore don't need a feature: a Freehold version that doesn't know them leaves marks of an older version behind.
///
/// | bytes | |
/// |---|---|
/// | 0 ..< 8 | magic |
/// | 8 ..< 12 | the checksum of all that follows |
/// | 12 ..< 16 | how many bytes there are |
/// | 16 ..< 24 | the version |
/// | 24 ..< 28 | the mark of the version's digest |
/// | 28 ..< 32 | how many entries there are |
/// | then | by rising key: the distance to the key before, the number of versions since the block was written (`varint`s), the mark (32 bits) |
struct RecentBlocks: Sendable, Equatable {
    struct Entry: Sendable, Equatable {
        let key: UInt64
        let mark: BlockMark
        /// The version that wrote or removed the block.
        let version: UInt64
    }

    let version: UInt64
    /// The mark of `FileDigest.address`.
    let digest: BlockMark
    /// The entries in ascending order of keys.
    let entries: [Entry]

    /// The offset of the marks in a root page, after the commit log's mark.
    static let offset = 2112
    static let capacity = 4096 - offset
    private static let headSize = 32
    private static let magic: UInt64 = 0x4345_525F_4B4C_4246  // "FBLK_REC"

    /// Returns the index of the first entry whose key is at least `key`.
    private func lowerBound(_ key: UInt64) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) >> 1
            if entries[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the mark of the version at a key. Returns `nil` if the marks don't include the key.
    func mark(of key: UInt64) -> BlockMark? {
        let i = lowerBound(key)
        return i < entries.count && entries[i].key == key ? entries[i].mark : nil
    }

    /// Returns the entries whose keys belong to a leaf of the tree.
    func entries(of leaf: PageTree.LeafPlace) -> ArraySlice<Entry> {
        let first = lowerBound(leaf.first)
        let end = leaf.end.map(lowerBound) ?? entries.count
        return entries[first..<max(first, end)]
    }

    // MARK: Bytes

    /// Returns the offset of a version's marks in the file.
    private static func place(_ version: UInt64, pageSize: Int) -> off_t {
        off_t(Int(version & 1) * pageSize + offset)
    }

    /// Reads the marks of a version. Returns `nil` if the file doesn't have marks of that version.
    static func read(_ descriptor: Int32, version: UInt64, pageSize: Int) -> RecentBlocks? {
        guard pageSize >= 4096 else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 8) { bytes in
            let count = pread(descriptor, bytes.baseAddress, capacity, place(version, pageSize: pageSize))
            guard count == capacity else { return nil }
            return decode(UnsafeRawBufferPointer(bytes), version: version)
        }
    }

    /// Writes the marks for the next commit to flush. If the write fails, the file has no marks of this version.
    func write(_ descriptor: Int32, pageSize: Int) {
        guard pageSize >= 4096 else { return }
        withEncoded { bytes in
            _ = CommitLogFile.write(bytes, to: descriptor, at: Int(Self.place(version, pageSize: pageSize)))
        }
    }

    /// Invalidates the marks that `write` wrote for a commit that failed.
    func erase(_ descriptor: Int32, pageSize: Int) {
        guard pageSize >= 4096 else { return }
        withUnsafeBytes(of: UInt64(0)) { zeros in
            _ = CommitLogFile.write(zeros, to: descriptor, at: Int(Self.place(version, pageSize: pageSize)))
        }
    }

    static func decode(_ bytes: UnsafeRawBufferPointer, version: UInt64) -> RecentBlocks? {
        func word<T: FixedWidthInteger>(_ offset: Int, _ type: T.Type) -> T {
            T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
        }
        guard bytes.count >= headSize, word(0, UInt64.self) == magic, word(16, UInt64.self) == version else {
            return nil
        }
        let size = Int(word(12, UInt32.self))
        guard size >= headSize, size <= bytes.count,
            fh_checksum(0, bytes.baseAddress! + 12, size - 12) == word(8, UInt32.self)
        else { return nil }
        let count = Int(word(28, UInt32.self))
        guard count <= size else { return nil }
        var entries: [Entry] = []
        entries.reserveCapacity(count)
        var at = headSize
        var key: UInt64 = 0
        func varint() -> UInt64? {
            var result: UInt64 = 0
            var shift: UInt64 = 0
            while at < size, shift < 64 {
                let byte = bytes[at]
                at += 1
                result |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { return result }
                shift += 7
            }
            return nil
        }
        for _ in 0..<count {
            guard let distance = varint(), let age = varint(), age <= version, size - at >= 4 else { return nil }
            key &+= distance
            entries.append(Entry(key: key, mark: BlockMark(rawValue: word(at, UInt32.self)), version: version - age))
            at += 4
        }
        return RecentBlocks(version: version, digest: BlockMark(rawValue: word(24, UInt32.self)), entries: entries)
    }

    /// Calls `body` with the bytes of the marks.
    ///
    /// - Precondition: the size is at most `capacity`.
    func withEncoded<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        withUnsafeTemporaryAllocation(byteCount: Self.capacity, alignment: 8) { out in
            precondition(Self.size(entries, version: version) <= Self.capacity)
            func store<T: FixedWidthInteger>(_ value: T, at offset: Int) {
                out.storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
            }
            var at = Self.headSize
            func varint(_ value: UInt64) {
                var rest = value
                while rest >= 0x80 {
                    out[at] = UInt8(truncatingIfNeeded: rest) | 0x80
                    at += 1
                    rest >>= 7
                }
                out[at] = UInt8(truncatingIfNeeded: rest)
                at += 1
            }
            var last: UInt64 = 0
            for entry in entries {
                varint(entry.key &- last)
                varint(version - entry.version)
                store(entry.mark.rawValue, at: at)
                at += 4
                last = entry.key
            }
            store(Self.magic, at: 0)
            store(UInt32(at), at: 12)
            store(version, at: 16)
            store(digest.rawValue, at: 24)
            store(UInt32(entries.count), at: 28)
            store(fh_checksum(0, out.baseAddress! + 12, at - 12), at: 8)
            return body(UnsafeRawBufferPointer(rebasing: out[..<at]))
        }
    }

    // MARK: The next version

    /// Returns the size of a number as a varint, in bytes.
    @inline(__always)
    private static func size(_ value: UInt64) -> Int { (UInt64.bitWidth - (value | 1).leadingZeroBitCount + 6) / 7 }

    private static func size(_ entries: [Entry], version: UInt64) -> Int {
        var total = headSize
        var last: UInt64 = 0
        for entry in entries {
            total += size(entry.key &- last) + size(version - entry.version) + 4
            last = entry.key
        }
        return total
    }

    /// Returns the marks after a commit: the commit's own marks, and as many of the previous ones as there is space for, newest first.
    ///
    /// - Parameters:
    ///   - before: the marks of the previous version, if the file has them.
    ///   - changes: the blocks that the commit wrote and removed, by key. They include every key of `before` that the commit changed.
    /// - Complexity: O(*n*) in the number of marks.
    static func next(
        _ before: RecentBlocks?,
        _ changes: [UInt64: BlockMark],
        digest: BlockMark,
        version: UInt64
    ) -> RecentBlocks {
        var new = changes.map { Entry(key: $0.key, mark: $0.value, version: version) }
        new.sort { $0.key < $1.key }
        let old = before?.version == version - 1 ? before!.entries : []
        var entries: [Entry] = []
        entries.reserveCapacity(new.count + old.count)
        var at = 0
        for entry in old {
            while at < new.count, new[at].key < entry.key {
                entries.append(new[at])
                at += 1
            }
            // The new entry, which follows, replaces it.
            if at < new.count, new[at].key == entry.key { continue }
            entries.append(entry)
        }
        entries += new[at...]
        shorten(&entries, version: version)
        return RecentBlocks(version: version, digest: digest, entries: entries)
    }

    /// Removes the marks of the oldest versions until the others fit.
    private static func shorten(_ entries: inout [Entry], version: UInt64) {
        /// The sizes of the entries in bytes, by age. The last element is the sum for all older entries.
        var sizes = [Int](repeating: 0, count: 64)
        var total = headSize
        var last: UInt64 = 0
        for entry in entries {
            let size = size(entry.key &- last) + size(version - entry.version) + 4
            sizes[min(Int(truncatingIfNeeded: version - entry.version), 63)] += size
            total += size
            last = entry.key
        }
        var age = 63
        while total > capacity {
            while total > capacity, age > 0 {
                total -= sizes[age]
                age -= 1
            }
            if age == 0 {
                entries.removeAll { $0.version != version }
            } else {
                entries.removeAll { version - $0.version > UInt64(age) }
            }
            // The removal of an entry increases the distance that the next entry stores.
            total = size(entries, version: version)
            if age == 0, total > capacity {
                entries.removeLast(max(1, entries.count / 8))
                total = size(entries, version: version)
            }
        }
    }
}

/// A number of 32 bits that differs between a stored block and the blocks that were stored at its address before.
struct BlockMark: Equatable, Sendable {
    let rawValue: UInt32

    /// The mark of an address without a block.
    static let absent = BlockMark(rawValue: 0)

    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// - Parameter bits: a number that differs between blocks.
    init(of bits: UInt32) { rawValue = max(bits, 1) }
}

extension BlockEnvelope {
    /// Returns the mark of a block in its stored form. For `nil`, returns the mark of a missing block. Returns `nil` if the block is too short to
    /// have one.
    func mark(_ stored: UnsafeRawBufferPointer?) -> BlockMark? {
        guard let stored else { return .absent }
        switch self {
        case .bare: return nil
        case .checksum: return Self.checksum(of: stored).map(BlockMark.init(of:))
        case .sealed: return BlockIdentity(stored).map { BlockMark(of: $0.mark) }
        }
    }
}

extension BlockIdentity {
    /// A number of 32 bits, calculated from the identity. The identity is random except for the number in a transaction.
    fileprivate var mark: UInt32 {
        var x = low ^ (high &* 0x9E37_79B9_7F4A_7C15)
        x ^= x >> 32
        x &*= 0xD6E8_FEB8_6659_FD93
        return UInt32(truncatingIfNeeded: x >> 32)
    }
}

/// The blocks that a write transaction changes, by key, as needed for `RecentBlocks`.
struct RecentChanges {
    /// The number of keys after which a key is recorded only if the previous version has a mark of it.
    private static let limit = 512

    /// The marks of the version on which the transaction began.
    let before: RecentBlocks?
    private(set) var marks: [UInt64: BlockMark] = [:]

    init(_ before: RecentBlocks?) { self.before = before }

    mutating func note(_ key: UInt64, _ mark: BlockMark) {
        if marks.count < Self.limit || marks[key] != nil || before?.mark(of: key) != nil { marks[key] = mark }
    }
}
