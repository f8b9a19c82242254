#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// Memory for short byte strings, which never move and are freed together.
final class IndexArena {
    private static let chunkSize = 1 << 16
    private var chunks: [UnsafeMutableRawPointer] = []
    private var current = 0
    private var used = IndexArena.chunkSize

    deinit {
        for chunk in chunks { chunk.deallocate() }
    }

    /// Returns memory for this number of bytes. `commit` then takes the bytes that were used.
    @inline(__always)
    func reserve(_ count: Int) -> UnsafeMutableRawPointer {
        if used &+ count > Self.chunkSize { nextChunk() }
        return chunks[current] + used
    }

    @inline(__always)
    func commit(_ count: Int) { used &+= count }

    func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer {
        let p = reserve(bytes.count)
        memcpy(p, bytes.baseAddress!, bytes.count)
        commit(bytes.count)
        return UnsafeRawPointer(p)
    }

    @inline(never)
    private func nextChunk() {
        if chunks.isEmpty { current = -1 }
        current += 1
        used = 0
        if current == chunks.count { chunks.append(.allocate(byteCount: Self.chunkSize, alignment: 8)) }
    }

    /// Discards all bytes and keeps the chunks for reuse.
    func removeAll() {
        guard !chunks.isEmpty else { return }
        current = 0
        used = 0
    }
}

/// A copy of a block's bytes. The bytes in a store are valid only until its next change.
///
/// Eight bytes after the copy are readable.
final class IndexBlockBuffer {
    private var start: UnsafeMutableRawPointer
    private var capacity: Int

    init() {
        capacity = BlockLimits.twoPages
        start = .allocate(byteCount: capacity + 8, alignment: 8)
    }

    deinit { start.deallocate() }

    func reserve(_ count: Int) -> UnsafeMutableRawPointer {
        if count > capacity {
            start.deallocate()
            capacity = count
            start = .allocate(byteCount: capacity + 8, alignment: 8)
        }
        return start
    }

    func copy(_ block: UnsafeRawBufferPointer) -> UnsafeRawPointer {
        let p = reserve(block.count)
        memcpy(p, block.baseAddress!, block.count)
        return UnsafeRawPointer(p)
    }
}

/// Entries that are about to be written into blocks.
final class IndexEntryBuffer {
    private var start: UnsafeMutablePointer<IndexEntry>
    private(set) var count = 0
    private var capacity = 1024

    init() { start = .allocate(capacity: capacity) }
    deinit { start.deallocate() }

    var buffer: UnsafeBufferPointer<IndexEntry> { UnsafeBufferPointer(start: start, count: count) }

    subscript(i: Int) -> IndexEntry {
        get { start[i] }
        set { start[i] = newValue }
    }

    @inline(__always)
    func append(_ entry: IndexEntry) {
        if count == capacity { grow() }
        start[count] = entry
        count &+= 1
    }

    @inline(never)
    private func grow() {
        let larger = UnsafeMutablePointer<IndexEntry>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: start, count: count)
        start.deallocate()
        start = larger
        capacity *= 2
    }

    func removeAll() { count = 0 }

    func removeFirst(_ n: Int) {
        memmove(start, start + n, (count - n) * MemoryLayout<IndexEntry>.stride)
        count -= n
    }
}

extension UnsafeRawBufferPointer {
    /// Returns whether (self, key) precedes (other, otherKey) in an index.
    func isBelow(_ key: Int64, _ other: UnsafeRawBufferPointer, otherKey: Int64) -> Bool {
        let shared = Swift.min(count, other.count)
        let order = shared == 0 ? 0 : memcmp(baseAddress!, other.baseAddress!, shared)
        if order != 0 { return order < 0 }
        return count == other.count ? key < otherKey : count < other.count
    }
}
