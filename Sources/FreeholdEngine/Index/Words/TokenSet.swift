#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// The different words of one text, in their index form. It is created once and used for many texts. It isn't thread-safe.
final class TokenSet {
    private struct Entry {
        /// The end of the token in `bytes`.
        let end: Int
        let hash: UInt64
    }

    private(set) var count = 0
    private var bytes: UnsafeMutablePointer<UInt8>
    private var byteCapacity = 512
    private var entries: UnsafeMutablePointer<Entry>
    private var entryCapacity = 32
    /// A hash table with linear probing. Each slot has the round in its high half and the token plus 1 in its low half. A slot of another round is
    /// free.
    private var slots: UnsafeMutablePointer<UInt64>
    private var slotCount = 64
    private var round: UInt64 = 1

    init() {
        bytes = .allocate(capacity: byteCapacity)
        entries = .allocate(capacity: entryCapacity)
        slots = .allocate(capacity: slotCount)
        slots.initialize(repeating: 0, count: slotCount)
    }

    deinit {
        bytes.deallocate()
        entries.deallocate()
        slots.deallocate()
    }

    /// Removes all words.
    /// - Complexity: O(1).
    func removeAll() {
        count = 0
        round += 1
        if round >> 32 != 0 {
            slots.update(repeating: 0, count: slotCount)
            round = 1
        }
    }

    func insert(_ token: UnsafeRawBufferPointer) {
        let hash = Self.hash(token)
        var slot = Int(truncatingIfNeeded: hash) & (slotCount &- 1)
        while slots[slot] >> 32 == round {
            if isEqual(Int(slots[slot] & 0xffff_ffff) &- 1, to: token, hash: hash) { return }
            slot = (slot &+ 1) & (slotCount &- 1)
        }
        let start = start(count)
        if start &+ token.count > byteCapacity || count == entryCapacity { growTokens(by: token.count) }
        memcpy(bytes + start, token.baseAddress!, token.count)
        entries[count] = Entry(end: start &+ token.count, hash: hash)
        count &+= 1
        slots[slot] = round << 32 | UInt64(count)
        if count &* 2 > slotCount { growSlots() }
    }

    func contains(_ token: UnsafeRawBufferPointer) -> Bool {
        let hash = Self.hash(token)
        var slot = Int(truncatingIfNeeded: hash) & (slotCount &- 1)
        while slots[slot] >> 32 == round {
            if isEqual(Int(slots[slot] & 0xffff_ffff) &- 1, to: token, hash: hash) { return true }
            slot = (slot &+ 1) & (slotCount &- 1)
        }
        return false
    }

    @inline(__always)
    private func start(_ i: Int) -> Int { i == 0 ? 0 : entries[i &- 1].end }

    @inline(__always)
    private func isEqual(_ i: Int, to token: UnsafeRawBufferPointer, hash: UInt64) -> Bool {
        guard entries[i].hash == hash else { return false }
        let start = start(i)
        return entries[i].end &- start == token.count
            && memcmp(bytes + start, token.baseAddress!, token.count) == 0
    }

    /// Returns the hash of a token. Tokens are short, so it reads whole words of memory. The last word may overlap the one before.
    @inline(__always)
    private static func hash(_ token: UnsafeRawBufferPointer) -> UInt64 {
        let n = token.count
        var hash = 0x9e37_79b9_7f4a_7c15 ^ UInt64(n)
        @inline(__always) func mix(_ word: UInt64) {
            hash = (hash ^ word) &* 0xd6e8_feb8_6659_fd93
            hash ^= hash >> 32
        }
        if n >= 8 {
            var i = 0
            while i &+ 8 <= n {
                mix(token.loadUnaligned(fromByteOffset: i, as: UInt64.self))
                i &+= 8
            }
            if i < n { mix(token.loadUnaligned(fromByteOffset: n &- 8, as: UInt64.self)) }
        } else if n >= 4 {
            let low = token.loadUnaligned(as: UInt32.self)
            let high = token.loadUnaligned(fromByteOffset: n &- 4, as: UInt32.self)
            mix(UInt64(low) | UInt64(high) << 32)
        } else if n > 0 {
            mix(UInt64(token[0]) | UInt64(token[n >> 1]) << 8 | UInt64(token[n &- 1]) << 16)
        }
        return hash
    }

    @inline(never)
    private func growTokens(by length: Int) {
        let used = start(count)
        if used + length > byteCapacity {
            byteCapacity = max(byteCapacity * 2, used + length)
            let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: byteCapacity)
            larger.update(from: bytes, count: used)
            bytes.deallocate()
            bytes = larger
        }
        if count == entryCapacity {
            entryCapacity *= 2
            let larger = UnsafeMutablePointer<Entry>.allocate(capacity: entryCapacity)
            larger.update(from: entries, count: count)
            entries.deallocate()
            entries = larger
        }
    }

    @inline(never)
    private func growSlots() {
        slots.deallocate()
        slotCount *= 2
        slots = .allocate(capacity: slotCount)
        slots.initialize(repeating: 0, count: slotCount)
        for i in 0..<count {
            var slot = Int(truncatingIfNeeded: entries[i].hash) & (slotCount - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slotCount - 1) }
            slots[slot] = round << 32 | UInt64(i + 1)
        }
    }

    /// Calls the body with the words in the order of their first occurrence. The bytes are valid during the call.
    func forEach(_ body: (UnsafeRawBufferPointer) -> Void) {
        var start = 0
        for i in 0..<count {
            body(UnsafeRawBufferPointer(start: bytes + start, count: entries[i].end - start))
            start = entries[i].end
        }
    }
}

/// A sink that adds the words of a text to a set.
struct TokenCollector: TokenSink {
    let set: TokenSet

    @inline(__always)
    mutating func take(_ token: TextToken) -> Bool {
        set.insert(token.bytes)
        return true
    }
}
