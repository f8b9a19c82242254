/// The SHA-256 hash of a file's secret. The server stores the hash instead of the secret.
public struct SecretHash: Hashable, Sendable {
    public let words: [UInt32]

    /// Creates a hash from its stored form.
    public init(words: [UInt32]) { self.words = words }

    public init(_ secret: FileSecret) {
        var block = [UInt32](repeating: 0, count: 64)
        (block[0], block[1]) = (UInt32(secret.high >> 32), UInt32(truncatingIfNeeded: secret.high))
        (block[2], block[3]) = (UInt32(secret.low >> 32), UInt32(truncatingIfNeeded: secret.low))
        (block[4], block[15]) = (0x8000_0000, 128)
        for index in 16..<64 {
            let (a, b) = (block[index - 15], block[index - 2])
            let s0 = Self.rotated(a, 7) ^ Self.rotated(a, 18) ^ a >> 3
            let s1 = Self.rotated(b, 17) ^ Self.rotated(b, 19) ^ b >> 10
            block[index] = block[index - 16] &+ s0 &+ block[index - 7] &+ s1
        }
        let start: [UInt32] = [
            0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
        ]
        var h = start
        for index in 0..<64 {
            let s1 = Self.rotated(h[4], 6) ^ Self.rotated(h[4], 11) ^ Self.rotated(h[4], 25)
            let choice = h[4] & h[5] ^ ~h[4] & h[6]
            let t1 = h[7] &+ s1 &+ choice &+ Self.constants[index] &+ block[index]
            let s0 = Self.rotated(h[0], 2) ^ Self.rotated(h[0], 13) ^ Self.rotated(h[0], 22)
            let majority = h[0] & h[1] ^ h[0] & h[2] ^ h[1] & h[2]
            h = [t1 &+ s0 &+ majority, h[0], h[1], h[2], h[3] &+ t1, h[4], h[5], h[6]]
        }
        words = zip(start, h).map { $0 &+ $1 }
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = {
        var primes: [UInt64] = []
        var number: UInt64 = 2
        while primes.count < 64 {
            if primes.allSatisfy({ number % $0 != 0 }) { primes.append(number) }
            number += 1
        }
        return primes.map { prime in
            // Computes the greatest root with root³ ≤ prime · 2^96, bit by bit.
            var root: UInt64 = 0
            for bit in (0..<36).reversed() {
                let next = root | 1 << UInt64(bit)
                let square = next.multipliedFullWidth(by: next)
                let low = square.low.multipliedFullWidth(by: next)
                let (high, overflow) = low.high.addingReportingOverflow(square.high &* next)
                if !overflow, high < prime << 32 || (high == prime << 32 && low.low == 0) { root = next }
            }
            return UInt32(truncatingIfNeeded: root)
        }
    }()
}
