/// The cipher Blowfish with the expensive key schedule of bcrypt.
struct Blowfish {
    /// The 18 words of the permutation, and then the four boxes of 256 words each.
    private var words: [UInt32]

    /// The words before a key is mixed in: the binary digits of π after the point.
    private static let initial = PiDigits.words(18 + 4 * 256)

    /// Returns the hash of a password, which has 23 bytes.
    ///
    /// - Parameters:
    ///   - password: The password without NUL. Bytes after the 72nd don't count.
    ///   - salt: 16 bytes.
    ///   - cost: The logarithm of the number of rounds.
    /// - Complexity: O(2^`cost`)
    static func bcrypt(password: [UInt8], salt: [UInt8], cost: Int) -> [UInt8] {
        precondition(salt.count == 16 && (4...31).contains(cost))
        var cipher = Blowfish(words: initial)
        let (key, salt) = (Array((password + [0]).prefix(72)), salt)
        let (keyWords, saltWords) = (cycled(key), cycled(salt))
        let none = [UInt32](repeating: 0, count: 4)
        let mixed = Array(saltWords.prefix(4))
        cipher.expand(keyWords, mixed)
        for _ in 0..<(1 << cost) {
            cipher.expand(keyWords, none)
            cipher.expand(saltWords, none)
        }
        var text = Array("OrpheanBeholderScryDoubt".utf8)
        cipher.encrypt(&text, times: 64)
        return Array(text.prefix(23))
    }

    /// Returns 18 words of a sequence of bytes that is repeated without end.
    private static func cycled(_ bytes: [UInt8]) -> [UInt32] {
        var place = 0
        return (0..<18).map { _ in
            var word: UInt32 = 0
            for _ in 0..<4 {
                word = word << 8 | UInt32(bytes[place])
                place = (place + 1) % bytes.count
            }
            return word
        }
    }

    /// Mixes a key of 18 words and a salt of four words into the state.
    private mutating func expand(_ key: [UInt32], _ salt: [UInt32]) {
        words.withUnsafeMutableBufferPointer { words in
            for index in 0..<18 { words[index] ^= key[index] }
            var (left, right, half): (UInt32, UInt32, Int) = (0, 0, 0)
            for index in stride(from: 0, to: words.count, by: 2) {
                left ^= salt[half]
                right ^= salt[half + 1]
                half = 2 - half
                Self.encrypt(&left, &right, UnsafeBufferPointer(words))
                (words[index], words[index + 1]) = (left, right)
            }
        }
    }

    /// Encrypts each block of eight bytes.
    private func encrypt(_ text: inout [UInt8], times: Int) {
        words.withUnsafeBufferPointer { words in
            for block in stride(from: 0, to: text.count, by: 8) {
                func word(_ place: Int) -> UInt32 { text[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }
                var (left, right) = (word(block), word(block + 4))
                for _ in 0..<times { Self.encrypt(&left, &right, words) }
                for index in 0..<4 {
                    let shift = UInt32(24 - 8 * index)
                    text[block + index] = UInt8(truncatingIfNeeded: left >> shift)
                    text[block + 4 + index] = UInt8(truncatingIfNeeded: right >> shift)
                }
            }
        }
    }

    private static func encrypt(_ left: inout UInt32, _ right: inout UInt32, _ words: UnsafeBufferPointer<UInt32>) {
        func mixed(_ word: UInt32) -> UInt32 {
            let first = words[18 + Int(word >> 24)] &+ words[274 + Int(word >> 16 & 255)]
            return (first ^ words[530 + Int(word >> 8 & 255)]) &+ words[786 + Int(word & 255)]
        }
        var (a, b) = (left, right)
        for round in stride(from: 0, to: 16, by: 2) {
            a ^= words[round]
            b ^= mixed(a)
            b ^= words[round + 1]
            a ^= mixed(b)
        }
        (left, right) = (b ^ words[17], a ^ words[16])
    }
}

/// The binary digits of π, by Machin's formula: π = 16 arctan(1/5) − 4 arctan(1/239).
enum PiDigits {
    /// Returns the first digits after the point, in words of 32 bits.
    ///
    /// - Complexity: O(*count*²)
    static func words(_ count: Int) -> [UInt32] {
        // The first word is the whole part. The last words take the errors of rounding.
        var sum = [UInt32](repeating: 0, count: count + 5)
        add(16, over: 5, to: &sum, subtracts: false)
        add(4, over: 239, to: &sum, subtracts: true)
        return Array(sum[1...count])
    }

    /// Adds or subtracts a multiple of arctan(1/x).
    private static func add(_ factor: UInt32, over x: UInt32, to sum: inout [UInt32], subtracts: Bool) {
        var power = [UInt32](repeating: 0, count: sum.count)
        power[0] = factor
        var first = divide(&power, by: x, from: 0)
        var (divisor, isNegative) = (UInt32(1), subtracts)
        while first < power.count {
            var term = power
            let start = divide(&term, by: divisor, from: first)
            if start < term.count { accumulate(term, from: start, to: &sum, subtracts: isNegative) }
            first = divide(&power, by: x * x, from: first)
            (divisor, isNegative) = (divisor + 2, !isNegative)
        }
    }

    /// Divides a number in place.
    ///
    /// - Parameter first: The index of the first word that isn't 0.
    /// - Returns: The index of the first word of the quotient that isn't 0.
    private static func divide(_ number: inout [UInt32], by divisor: UInt32, from first: Int) -> Int {
        number.withUnsafeMutableBufferPointer { words in
            var rest: UInt64 = 0
            for index in first..<words.count {
                let value = rest << 32 | UInt64(words[index])
                words[index] = UInt32(truncatingIfNeeded: value / UInt64(divisor))
                rest = value % UInt64(divisor)
            }
            var index = first
            while index < words.count, words[index] == 0 { index += 1 }
            return index
        }
    }

    private static func accumulate(_ term: [UInt32], from first: Int, to sum: inout [UInt32], subtracts: Bool) {
        sum.withUnsafeMutableBufferPointer { sum in
            var (carry, index): (UInt64, Int) = (0, sum.count - 1)
            while index >= first || (carry > 0 && index >= 0) {
                let value = (index >= first ? UInt64(term[index]) : 0) + carry
                if subtracts {
                    let old = UInt64(sum[index])
                    carry = old < value ? 1 : 0
                    sum[index] = UInt32(truncatingIfNeeded: old &- value)
                } else {
                    let new = UInt64(sum[index]) + value
                    carry = new >> 32
                    sum[index] = UInt32(truncatingIfNeeded: new)
                }
                index -= 1
            }
        }
    }
}
