package import TestRandom

/// Damage of files, by accident or on purpose.
package enum FileMutation {
    /// - Parameter round: which kind of damage.
    package static func random(_ original: [UInt8], _ round: Int, _ random: inout SeededRandom) -> [UInt8] {
        var bytes = original
        /// Behind the header, a multiple of eight, as references are.
        func place(_ random: inout SeededRandom) -> Int { Int.random(in: 3..<(original.count / 8), using: &random) * 8 }
        switch round % 5 {
        case 0:
            for _ in 0...Int.random(in: 0..<8, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
        case 1:
            // Another reference.
            let target = UInt32(place(&random))
            let at = place(&random)
            withUnsafeBytes(of: target.littleEndian) { bytes.replaceSubrange(at..<(at + 4), with: $0) }
        case 2:
            // An array's header: its flags, width and count.
            let at = place(&random)
            for i in 4..<8 where Bool.random(using: &random) {
                bytes[at + i] = UInt8.random(in: 0 ... .max, using: &random)
            }
        case 3:
            // An array of as many elements of another width, or of more of them.
            let at = place(&random)
            if Bool.random(using: &random) {
                bytes[at + 4] = bytes[at + 4] & ~7 | UInt8.random(in: 0..<8, using: &random)
            } else {
                bytes[at + 7] &+= UInt8.random(in: 1...3, using: &random)
            }
        default: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
        }
        return bytes
    }
}
