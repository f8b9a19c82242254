/// The decryption of AES-256 in chains of blocks (FIPS 197, SP 800-38A).
///
/// It is used to read the user's own old files. An attacker can't measure its time remotely, so tables are acceptable.
struct BlockDecryption {
    /// Fifteen keys of four words, in the order of their use.
    private let roundKeys: [UInt32]
    private static let rounds = 14

    /// - Precondition: The key has 32 bytes.
    init(key: [UInt8]) {
        precondition(key.count == 32)
        let tables = Tables.shared
        var words = (0..<8).map { i in (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(key[4 * i + $1]) } }
        var constant: UInt8 = 1
        for i in 8..<(4 * (Self.rounds + 1)) {
            var word = words[i - 1]
            if i % 8 == 0 {
                word = tables.substituted(word << 8 | word >> 24) ^ UInt32(constant) << 24
                constant = Tables.double(constant)
            } else if i % 8 == 4 {
                word = tables.substituted(word)
            }
            words.append(words[i - 8] ^ word)
        }
        // The keys are in reverse order, and mixed in advance except for the first and the last.
        var keys: [UInt32] = []
        for round in stride(from: Self.rounds, through: 0, by: -1) {
            for column in 0..<4 {
                let word = words[4 * round + column]
                keys.append(round == 0 || round == Self.rounds ? word : tables.mixed(word))
            }
        }
        roundKeys = keys
    }

    /// - Precondition: The number of bytes is a multiple of 16, and `target` has space for them.
    func decrypt(_ sealed: [UInt8], vector: [UInt8], to target: UnsafeMutableRawPointer) {
        let tables = Tables.shared
        func words(_ bytes: UnsafeRawPointer) -> (UInt32, UInt32, UInt32, UInt32) {
            func word(_ i: Int) -> UInt32 {
                UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4 * i, as: UInt32.self))
            }
            return (word(0), word(1), word(2), word(3))
        }
        var last = vector.withUnsafeBytes { words($0.baseAddress!) }
        sealed.withUnsafeBytes { sealed in
            tables.inverse.withUnsafeBufferPointer { inverse in
                tables.columns.withUnsafeBufferPointer { columns in
                    roundKeys.withUnsafeBufferPointer { keys in
                        for start in stride(from: 0, to: sealed.count - 15, by: 16) {
                            let block = words(sealed.baseAddress! + start)
                            let plain = Self.decrypt(block, keys, columns: columns, inverse: inverse)
                            func store(_ i: Int, _ word: UInt32) {
                                target.storeBytes(of: word.bigEndian, toByteOffset: start + 4 * i, as: UInt32.self)
                            }
                            store(0, plain.0 ^ last.0)
                            store(1, plain.1 ^ last.1)
                            store(2, plain.2 ^ last.2)
                            store(3, plain.3 ^ last.3)
                            last = block
                        }
                    }
                }
            }
        }
    }

    @inline(__always)
    private static func decrypt(
        _ block: (UInt32, UInt32, UInt32, UInt32),
        _ keys: UnsafeBufferPointer<UInt32>,
        columns: UnsafeBufferPointer<UInt32>,
        inverse: UnsafeBufferPointer<UInt8>
    ) -> (UInt32, UInt32, UInt32, UInt32) {
        var (a, b, c, d) = (block.0 ^ keys[0], block.1 ^ keys[1], block.2 ^ keys[2], block.3 ^ keys[3])
        @inline(__always) func mix(p: UInt32, q: UInt32, r: UInt32, s: UInt32, key: UInt32) -> UInt32 {
            let first = columns[Int(p >> 24)]
            let second = columns[Int(q >> 16 & 255)]
            let third = columns[Int(r >> 8 & 255)]
            let fourth = columns[Int(s & 255)]
            return first ^ (second >> 8 | second << 24) ^ (third >> 16 | third << 16) ^ (fourth >> 24 | fourth << 8)
                ^ key
        }
        @inline(__always) func end(p: UInt32, q: UInt32, r: UInt32, s: UInt32, key: UInt32) -> UInt32 {
            let upper = UInt32(inverse[Int(p >> 24)]) << 24 | UInt32(inverse[Int(q >> 16 & 255)]) << 16
            let lower = UInt32(inverse[Int(r >> 8 & 255)]) << 8 | UInt32(inverse[Int(s & 255)])
            return (upper | lower) ^ key
        }
        for round in 1..<rounds {
            let k = 4 * round
            (a, b, c, d) = (
                mix(p: a, q: d, r: c, s: b, key: keys[k]), mix(p: b, q: a, r: d, s: c, key: keys[k + 1]),
                mix(p: c, q: b, r: a, s: d, key: keys[k + 2]),
                mix(p: d, q: c, r: b, s: a, key: keys[k + 3])
            )
        }
        let k = 4 * rounds
        return (
            end(p: a, q: d, r: c, s: b, key: keys[k]), end(p: b, q: a, r: d, s: c, key: keys[k + 1]),
            end(p: c, q: b, r: a, s: d, key: keys[k + 2]),
            end(p: d, q: c, r: b, s: a, key: keys[k + 3])
        )
    }
}

extension BlockDecryption {
    /// The substitution of bytes, its inverse, and the inverse operation on a column.
    struct Tables: Sendable {
        let forward: [UInt8]
        let inverse: [UInt8]
        let columns: [UInt32]

        static let shared = Tables()

        static func double(_ x: UInt8) -> UInt8 { x << 1 ^ (x & 0x80 != 0 ? 0x1b : 0) }

        static func product(_ x: UInt8, by y: UInt8) -> UInt8 {
            var (x, y, sum) = (x, y, UInt8(0))
            while y != 0 {
                if y & 1 != 0 { sum ^= x }
                x = double(x)
                y >>= 1
            }
            return sum
        }

        private init() {
            var forward = [UInt8](repeating: 0, count: 256)
            var inverse = [UInt8](repeating: 0, count: 256)
            for i in 0..<256 {
                let x = UInt8(i)
                let reciprocal = x == 0 ? 0 : (1...255).map { UInt8($0) }.first { Self.product(x, by: $0) == 1 }!
                var (turned, sum) = (reciprocal, reciprocal)
                for _ in 0..<4 {
                    turned = turned << 1 | turned >> 7
                    sum ^= turned
                }
                forward[i] = sum ^ 0x63
                inverse[Int(sum ^ 0x63)] = x
            }
            self.forward = forward
            self.inverse = inverse
            columns = inverse.map { Self.column($0) }
        }

        private static func column(_ x: UInt8) -> UInt32 {
            let upper = UInt32(product(x, by: 14)) << 24 | UInt32(product(x, by: 9)) << 16
            return upper | UInt32(product(x, by: 13)) << 8 | UInt32(product(x, by: 11))
        }

        func substituted(_ word: UInt32) -> UInt32 {
            (0..<4).reduce(0) { $0 | UInt32(forward[Int(word >> UInt32(8 * $1) & 255)]) << UInt32(8 * $1) }
        }

        /// Returns a word after the inverse mixing of columns.
        func mixed(_ word: UInt32) -> UInt32 {
            (0..<4).reduce(0) { sum, i in
                let column = Self.column(UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * i)))
                return sum ^ (i == 0 ? column : column >> UInt32(8 * i) | column << UInt32(32 - 8 * i))
            }
        }
    }
}
