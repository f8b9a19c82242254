#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// The strings of a leaf: `count + 1` offsets into an area.
struct BytesColumn<Offset: FixedWidthInteger & UnsignedInteger> {
    let offsets: UnsafePointer<Offset>
    /// The bytes of the strings. At least eight readable bytes precede them.
    let area: UnsafeRawPointer
    /// The number of bytes of the strings. More bytes may be readable.
    let readable: Int
    let count: Int

    @inline(__always) func bytes(_ i: Int) -> UnsafeRawBufferPointer {
        let start = Int(offsets[i])
        return UnsafeRawBufferPointer(start: area + start, count: Int(offsets[i &+ 1]) &- start)
    }
}

/// Kernels over the strings of a leaf that write for each slot whether its bytes pass a test.
enum BytesKernels {
    @inline(__always)
    static func run<O>(_ test: BytesTest, _ column: BytesColumn<O>, count n: Int, into mask: Mask) {
        switch test {
        case .equal(let pattern): fixed(pattern, column, count: n, into: mask, place: .equal)
        case .beginsWith(let pattern): fixed(pattern, column, count: n, into: mask, place: .beginsWith)
        case .endsWith(let pattern): fixed(pattern, column, count: n, into: mask, place: .endsWith)
        case .contains(let pattern): contains(pattern, column, count: n, into: mask)
        default:
            for i in 0..<n { mask[i] = test.matches(column.bytes(i)) ? 1 : 0 }
        }
    }

    enum Place { case equal, beginsWith, endsWith }

    /// Compares the lengths and the first (or last) eight bytes without a branch, and the rest only for slots that match so far.
    @inline(__always)
    private static func fixed<O>(
        _ pattern: [UInt8],
        _ column: BytesColumn<O>,
        count n: Int,
        into mask: Mask,
        place: Place
    ) {
        let length = pattern.count
        let head = min(length, 8)
        var expected: UInt64 = 0
        for k in 0..<head {
            let byte = place == .endsWith ? pattern[length - head + k] : pattern[k]
            // The last bytes are in the highest bytes of the word.
            expected |= UInt64(byte) << UInt64((place == .endsWith ? 8 - head + k : k) * 8)
        }
        let every: UInt64 = head == 0 ? 0 : ~0
        let cut = UInt64((8 - head) * 8) & 63
        let significant = place == .endsWith ? (every >> cut) << cut : (every << cut) >> cut
        let offsets = column.offsets
        let area = column.area
        let wanted = O(truncatingIfNeeded: min(length, Int(O.max)))
        var i = 0
        // Slots for which eight bytes from the start may exceed the area use the plain test.
        var safe = n
        if place != .endsWith {
            while safe > 0, Int(offsets[safe &- 1]) &+ 8 > column.readable { safe &-= 1 }
        }
        while i < safe {
            let start = offsets[i]
            let end = offsets[i &+ 1]
            let at = place == .endsWith ? Int(end) &- 8 : Int(start)
            let word = area.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            let fits = place == .equal ? (end &- start) == wanted : (end &- start) >= wanted
            mask[i] = (fits ? 1 : 0) & ((word & significant) == expected ? 1 : 0)
            i &+= 1
        }
        let test: BytesTest =
            switch place {
            case .equal: .equal(pattern)
            case .beginsWith: .beginsWith(pattern)
            case .endsWith: .endsWith(pattern)
            }
        while i < n {
            mask[i] = test.matches(column.bytes(i)) ? 1 : 0
            i &+= 1
        }
        guard length > 8 || length > Int(O.max) else { return }
        MaskKernels.forEach(mask, count: n) { i in
            if !test.matches(column.bytes(i)) { mask[i] = 0 }
        }
    }

    /// Searches the whole area, eight positions at a time, for the pattern's first and last byte.
    @inline(__always)
    private static func contains<O>(_ pattern: [UInt8], _ column: BytesColumn<O>, count n: Int, into mask: Mask) {
        let length = pattern.count
        if length == 0 { return MaskKernels.set(mask, count: n, to: true) }
        MaskKernels.set(mask, count: n, to: false)
        guard n > 0 else { return }
        let total = Int(column.offsets[n])
        guard total >= length else { return }
        let area = column.area
        let ones: UInt64 = 0x0101_0101_0101_0101
        let first = UInt64(pattern[0]) &* ones
        let last = UInt64(pattern[length - 1]) &* ones
        let lastPlace = total &- length
        var slot = 0
        var i = 0
        pattern.withUnsafeBytes { pattern in
            while i <= lastPlace {
                // Zero bytes of `x` are candidates. A false candidate may follow a true one.
                var candidates: UInt64
                if i &+ length &+ 7 <= total {
                    let x =
                        (area.loadUnaligned(fromByteOffset: i, as: UInt64.self) ^ first)
                        | (area.loadUnaligned(fromByteOffset: i &+ length &- 1, as: UInt64.self) ^ last)
                    candidates = (x &- ones) & ~x & 0x8080_8080_8080_8080
                } else {
                    candidates = 0
                    for k in 0..<min(8, lastPlace &- i &+ 1) { candidates |= 0x80 << UInt64(k &* 8) }
                }
                var next = i &+ 8
                while candidates != 0 {
                    let at = i &+ candidates.trailingZeroBitCount >> 3
                    candidates &= candidates &- 1
                    if memcmp(area + at, pattern.baseAddress!, length) != 0 { continue }
                    slot = column.slot(at, from: slot, n)
                    let end = Int(column.offsets[slot &+ 1])
                    if at &+ length > end { continue }
                    mask[slot] = 1
                    next = end
                    break
                }
                i = next
            }
        }
    }
}

extension BytesColumn {
    /// Returns the slot that the byte at `place` belongs to. The search begins at slot `first`.
    @inline(__always)
    func slot(_ place: Int, from first: Int, _ n: Int) -> Int {
        var low = first
        var step = 1
        while low &+ step < n, Int(offsets[low &+ step]) <= place {
            low &+= step
            step <<= 1
        }
        var high = min(n, low &+ step)
        // offsets[low] <= place < offsets[high]
        while high &- low > 1 {
            let middle = (low &+ high) >> 1
            if Int(offsets[middle]) <= place { low = middle } else { high = middle }
        }
        return low
    }
}
