/// An array with one byte for each slot: 1 if a condition holds, otherwise 0. The size of its memory is a multiple of eight bytes.
typealias Mask = UnsafeMutablePointer<UInt8>

enum MaskKernels {
    private static let ones: UInt64 = 0x0101_0101_0101_0101

    @inline(__always)
    static func word(_ mask: Mask, _ i: Int) -> UInt64 { UnsafeRawPointer(mask + i).loadUnaligned(as: UInt64.self) }

    @inline(__always)
    static func setWord(_ mask: Mask, at i: Int, to word: UInt64) {
        UnsafeMutableRawPointer(mask + i).storeBytes(of: word, as: UInt64.self)
    }

    static func set(_ mask: Mask, count n: Int, to value: Bool) { mask.update(repeating: value ? 1 : 0, count: n) }

    static func and(_ mask: Mask, with other: Mask, count n: Int) {
        var i = 0
        while i < n {
            mask[i] &= other[i]
            i &+= 1
        }
    }

    static func or(_ mask: Mask, with other: Mask, count n: Int) {
        var i = 0
        while i < n {
            mask[i] |= other[i]
            i &+= 1
        }
    }

    static func complement(_ mask: Mask, _ n: Int) {
        var i = 0
        while i < n {
            mask[i] ^= 1
            i &+= 1
        }
    }

    static func count(_ mask: Mask, _ n: Int) -> Int {
        var total = 0
        var i = 0
        while i &+ 8 <= n {
            // With at most 255 words, each byte of the sum stays below 256.
            let end = min(n &- 7, i &+ 8 * 255)
            var sum: UInt64 = 0
            while i < end {
                sum &+= word(mask, i)
                i &+= 8
            }
            let pairs = (sum & 0x00ff_00ff_00ff_00ff) &+ ((sum >> 8) & 0x00ff_00ff_00ff_00ff)
            total &+= Int(truncatingIfNeeded: (pairs &* 0x0001_0001_0001_0001) >> 48)
        }
        while i < n {
            total &+= Int(mask[i])
            i &+= 1
        }
        return total
    }

    static func isEmpty(_ mask: Mask, _ n: Int) -> Bool {
        var i = 0
        while i &+ 8 <= n {
            if word(mask, i) != 0 { return false }
            i &+= 8
        }
        while i < n {
            if mask[i] != 0 { return false }
            i &+= 1
        }
        return true
    }

    /// Calls `body` with each slot whose byte is set, in ascending order.
    @inline(__always)
    static func forEach(_ mask: Mask, count n: Int, body: (Int) -> Void) {
        var i = 0
        while i &+ 8 <= n {
            var bits = word(mask, i)
            while bits != 0 {
                body(i &+ bits.trailingZeroBitCount >> 3)
                bits &= bits &- 1
            }
            i &+= 8
        }
        while i < n {
            if mask[i] != 0 { body(i) }
            i &+= 1
        }
    }

    /// Returns eight bits as eight bytes of 0 or 1.
    @inline(__always)
    static func expand(_ bits: UInt64) -> UInt64 {
        let spread = (bits &* ones) & 0x8040_2010_0804_0201
        return ((spread &+ 0x7f7f_7f7f_7f7f_7f7f) >> 7) & ones
    }

    /// Clears the bytes whose bit is clear. Writes groups of eight bytes.
    static func and(_ mask: Mask, bits: UnsafePointer<UInt64>, _ n: Int) {
        var i = 0
        while i < n {
            let byte = (bits[i >> 6] >> UInt64(i & 63)) & 0xff
            setWord(mask, at: i, to: word(mask, i) & expand(byte))
            i &+= 8
        }
    }

    /// Sets the bytes whose bit is set to the value. Writes groups of eight bytes.
    static func set(_ mask: Mask, where bits: UnsafePointer<UInt64>, count n: Int, to value: Bool) {
        var i = 0
        while i < n {
            let byte = (bits[i >> 6] >> UInt64(i & 63)) & 0xff
            if byte != 0 {
                let bytes = expand(byte)
                setWord(mask, at: i, to: value ? word(mask, i) | bytes : word(mask, i) & ~bytes)
            }
            i &+= 8
        }
    }

    /// Writes one of two values for each bit. Writes groups of eight bytes.
    static func fill(_ mask: Mask, from bits: UnsafePointer<UInt64>, _ n: Int, ifSet: Bool, ifClear: Bool) {
        if ifSet == ifClear { return set(mask, count: n, to: ifSet) }
        let flip = ifSet ? 0 : ones
        var i = 0
        while i < n {
            let byte = (bits[i >> 6] >> UInt64(i & 63)) & 0xff
            setWord(mask, at: i, to: expand(byte) ^ flip)
            i &+= 8
        }
    }
}
