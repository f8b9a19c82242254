#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The different words of one text, as they stand in an index. Made once and filled for text after text.
final class TokenSet {
    private var bytes: [UInt8] = []
    /// Where each ends in `bytes`, and its hash.
    private var ends: [(end: Int, hash: UInt64)] = []
    /// Token + 1, by hash; 0 = free. Linear probing.
    private var slots = [Int32](repeating: 0, count: 64)

    var count: Int { ends.count }

    func removeAll() {
        if ends.count * 8 > slots.count {
            for i in slots.indices { slots[i] = 0 }
        } else {
            for entry in ends { clear(entry.hash) }
        }
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }

    /// Every slot of a probe sequence that begins at this hash.
    private func clear(_ hash: UInt64) {
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 {
            slots[slot] = 0
            slot = (slot + 1) & (slots.count - 1)
        }
    }

    func insert(_ token: UnsafeRawBufferPointer) {
        let hash = OrderedEncoding.hash(token)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 {
            if isEqual(Int(slots[slot]) - 1, token, hash) { return }
            slot = (slot + 1) & (slots.count - 1)
        }
        bytes.append(contentsOf: token)
        ends.append((bytes.count, hash))
        slots[slot] = Int32(ends.count)
        if ends.count * 2 > slots.count { grow() }
    }

    func contains(_ token: UnsafeRawBufferPointer) -> Bool {
        let hash = OrderedEncoding.hash(token)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 {
            if isEqual(Int(slots[slot]) - 1, token, hash) { return true }
            slot = (slot + 1) & (slots.count - 1)
        }
        return false
    }

    private func isEqual(_ i: Int, _ token: UnsafeRawBufferPointer, _ hash: UInt64) -> Bool {
        guard ends[i].hash == hash else { return false }
        let start = i == 0 ? 0 : ends[i - 1].end
        guard ends[i].end - start == token.count else { return false }
        return bytes.withUnsafeBytes { memcmp($0.baseAddress! + start, token.baseAddress!, token.count) == 0 }
    }

    private func grow() {
        slots = [Int32](repeating: 0, count: slots.count * 2)
        for (i, entry) in ends.enumerated() {
            var slot = Int(truncatingIfNeeded: entry.hash) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = Int32(i + 1)
        }
    }

    /// In the order of their first appearance. The bytes are valid during the call.
    func forEach(_ body: (UnsafeRawBufferPointer) -> Void) {
        bytes.withUnsafeBytes { all in
            var start = 0
            for entry in ends {
                body(UnsafeRawBufferPointer(rebasing: all[start..<entry.end]))
                start = entry.end
            }
        }
    }
}
