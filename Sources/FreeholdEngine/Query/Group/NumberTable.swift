/// A table that assigns codes to 64-bit words: 0 to the first word, 1 to the next different one, and so on.
struct NumberTable {
    private var words: [UInt64] = []
    private var codes: [Int32]
    private var shift: UInt64
    private(set) var count: Int32 = 0

    init() {
        codes = Array(repeating: -1, count: 64)
        words = Array(repeating: 0, count: 64)
        shift = 58
    }

    /// - Complexity: O(1)
    @inline(__always)
    mutating func code(_ word: UInt64) -> (code: Int32, isNew: Bool) {
        let mask = codes.count &- 1
        var at = Int(truncatingIfNeeded: (word &* 0x9e37_79b9_7f4a_7c15) >> shift)
        while true {
            let code = codes[at]
            if code < 0 { break }
            if words[at] == word { return (code, false) }
            at = (at &+ 1) & mask
        }
        let code = count
        count += 1
        codes[at] = code
        words[at] = word
        if Int(count) * 2 > codes.count { grow() }
        return (code, true)
    }

    private mutating func grow() {
        let (oldWords, oldCodes) = (words, codes)
        let size = oldCodes.count * 4
        words = Array(repeating: 0, count: size)
        codes = Array(repeating: -1, count: size)
        shift -= 2
        for i in oldCodes.indices where oldCodes[i] >= 0 {
            var at = Int(truncatingIfNeeded: (oldWords[i] &* 0x9e37_79b9_7f4a_7c15) >> shift)
            while codes[at] >= 0 { at = (at &+ 1) & (size &- 1) }
            codes[at] = oldCodes[i]
            words[at] = oldWords[i]
        }
    }
}

/// A table that assigns codes to byte strings, like `NumberTable`.
struct BytesTable {
    private var hashes: [UInt64]
    private var codes: [Int32]
    /// The start of the bytes of each code, followed by the end of the last one.
    private var starts: [Int] = [0]
    private var bytes: [UInt8] = []

    var count: Int { starts.count - 1 }

    init() {
        hashes = Array(repeating: 0, count: 64)
        codes = Array(repeating: -1, count: 64)
    }

    /// - Complexity: O(bytes)
    mutating func code(_ value: UnsafeRawBufferPointer) -> (code: Int32, isNew: Bool) {
        let hash = Self.hash(value)
        let mask = codes.count &- 1
        var at = Int(truncatingIfNeeded: hash) & mask
        while codes[at] >= 0 {
            if hashes[at] == hash, isEqual(Int(codes[at]), value) { return (codes[at], false) }
            at = (at &+ 1) & mask
        }
        let code = Int32(count)
        codes[at] = code
        hashes[at] = hash
        bytes.append(contentsOf: value)
        starts.append(bytes.count)
        if count * 2 > codes.count { grow() }
        return (code, true)
    }

    private func isEqual(_ code: Int, _ value: UnsafeRawBufferPointer) -> Bool {
        let start = starts[code]
        let count = starts[code + 1] &- start
        guard count == value.count else { return false }
        return bytes.withUnsafeBytes { all in
            Value.compareBytes(UnsafeRawBufferPointer(rebasing: all[start..<start + count]), with: value) == 0
        }
    }

    private mutating func grow() {
        let (oldHashes, oldCodes) = (hashes, codes)
        let size = oldCodes.count * 4
        hashes = Array(repeating: 0, count: size)
        codes = Array(repeating: -1, count: size)
        for i in oldCodes.indices where oldCodes[i] >= 0 {
            var at = Int(truncatingIfNeeded: oldHashes[i]) & (size &- 1)
            while codes[at] >= 0 { at = (at &+ 1) & (size &- 1) }
            codes[at] = oldCodes[i]
            hashes[at] = oldHashes[i]
        }
    }

    private static func hash(_ value: UnsafeRawBufferPointer) -> UInt64 {
        var hash = UInt64(truncatingIfNeeded: value.count) &* 0xff51_afd7_ed55_8ccd
        var i = 0
        while i &+ 8 <= value.count {
            hash = mix(hash ^ value.loadUnaligned(fromByteOffset: i, as: UInt64.self))
            i &+= 8
        }
        var rest: UInt64 = 0
        while i < value.count {
            rest = rest << 8 | UInt64(value[i])
            i &+= 1
        }
        return mix(hash ^ rest)
    }

    @inline(__always)
    private static func mix(_ word: UInt64) -> UInt64 {
        let product = word.multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
        return product.high ^ product.low
    }
}
