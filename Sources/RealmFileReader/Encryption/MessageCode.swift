/// HMAC of SHA-224 (FIPS 198-1, FIPS 180-4), which verifies that a page is unchanged.
///
/// Only Realm files need SHA-224, and swift-crypto doesn't have it.
struct MessageCode {
    private let inner: SHA224
    private let outer: SHA224

    /// - Precondition: The key has at most 64 bytes.
    init(key: [UInt8]) {
        precondition(key.count <= 64)
        let padded = key + [UInt8](repeating: 0, count: 64 - key.count)
        var inner = SHA224()
        inner.update(padded.map { $0 ^ 0x36 })
        var outer = SHA224()
        outer.update(padded.map { $0 ^ 0x5c })
        self.inner = inner
        self.outer = outer
    }

    /// Returns the code, which has 28 bytes.
    func code(of bytes: [UInt8]) -> [UInt8] {
        var inner = inner
        inner.update(bytes)
        var outer = outer
        outer.update(inner.finished())
        return outer.finished()
    }
}

struct SHA224 {
    private var state: [UInt32] = [
        0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7, 0xbefa_4fa4,
    ]
    private var pending: [UInt8] = []
    private var length: UInt64 = 0

    mutating func update(_ bytes: [UInt8]) {
        length += UInt64(bytes.count)
        pending += bytes
        let whole = pending.count / 64
        pending.withUnsafeBytes { bytes in
            for i in 0..<whole { Self.compress(&state, bytes.baseAddress! + i * 64) }
        }
        pending.removeFirst(whole * 64)
    }

    func finished() -> [UInt8] {
        var copy = self
        let bits = length &* 8
        let padding = (119 - Int(length % 64)) % 64 + 1
        var end: [UInt8] = [0x80] + [UInt8](repeating: 0, count: padding - 1)
        for i in 0..<8 { end.append(UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * i))) }
        copy.update(end)
        return copy.state[..<7].flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) }
        }
    }

    private static func compress(_ state: inout [UInt32], _ block: UnsafeRawPointer) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { w in
            for i in 0..<16 {
                w[i] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: i * 4, as: UInt32.self))
            }
            for i in 16..<64 {
                let a = w[i - 15]
                let b = w[i - 2]
                let s0 = turn(a, by: 7) ^ turn(a, by: 18) ^ (a >> 3)
                let s1 = turn(b, by: 17) ^ turn(b, by: 19) ^ (b >> 10)
                w[i] = w[i - 16] &+ s0 &+ w[i - 7] &+ s1
            }
            var (a, b, c, d) = (state[0], state[1], state[2], state[3])
            var (e, f, g, h) = (state[4], state[5], state[6], state[7])
            constants.withUnsafeBufferPointer { k in
                for i in 0..<64 {
                    let s1 = turn(e, by: 6) ^ turn(e, by: 11) ^ turn(e, by: 25)
                    let t1 = h &+ s1 &+ ((e & f) ^ (~e & g)) &+ k[i] &+ w[i]
                    let s0 = turn(a, by: 2) ^ turn(a, by: 13) ^ turn(a, by: 22)
                    let t2 = s0 &+ ((a & b) ^ (a & c) ^ (b & c))
                    (h, g, f, e) = (g, f, e, d &+ t1)
                    (d, c, b, a) = (c, b, a, t1 &+ t2)
                }
            }
            for (i, value) in [a, b, c, d, e, f, g, h].enumerated() { state[i] = state[i] &+ value }
        }
    }

    @inline(__always)
    private static func turn(_ x: UInt32, by n: UInt32) -> UInt32 { x >> n | x << (32 - n) }

    /// The first 32 bits of the fractions of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = {
        var primes: [UInt64] = []
        var next: UInt64 = 2
        while primes.count < 64 {
            if !primes.contains(where: { next % $0 == 0 }) { primes.append(next) }
            next += 1
        }
        return primes.map { prime in
            // The greatest x with x³ <= prime · 2⁹⁶, which has 35 bits. Its lower 32 bits are the fraction.
            var (low, high) = (UInt128(0), UInt128(1) << 36)
            let cube = UInt128(prime) << 96
            while high - low > 1 {
                let middle = (low + high) / 2
                if middle * middle * middle <= cube { low = middle } else { high = middle }
            }
            return UInt32(truncatingIfNeeded: low)
        }
    }()
}
