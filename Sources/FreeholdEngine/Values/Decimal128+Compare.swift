extension Decimal128: Hashable, Comparable {
    /// Compares two numbers by value and returns −1, 0 or 1. All NaNs are equal and lower than all other values.
    public static func compare(_ a: Decimal128, with b: Decimal128) -> Int {
        if a.lo == b.lo && a.hi == b.hi { return 0 }
        guard a.isFinite && b.isFinite else { return order(of: a.special, and: b.special) }
        let x = a.parts
        let y = b.parts
        if x.coefficient == 0 || y.coefficient == 0 || x.negative != y.negative {
            return order(of: sign(x), and: sign(y))
        }
        let result = compareMagnitudes(x, with: y)
        return x.negative ? -result : result
    }

    public static func == (a: Decimal128, b: Decimal128) -> Bool { compare(a, with: b) == 0 }
    public static func < (a: Decimal128, b: Decimal128) -> Bool { compare(a, with: b) < 0 }

    public func hash(into hasher: inout Hasher) {
        guard isFinite else {
            hasher.combine(special)
            return
        }
        let number = parts
        let (coefficient, zeros) = strippingZeros(number.coefficient)
        hasher.combine(coefficient)
        if coefficient != 0 {
            hasher.combine(number.exponent + zeros)
            hasher.combine(number.negative)
        }
    }

    /// Compares with an integer by exact value and returns −1, 0 or 1.
    public static func compare(_ a: Decimal128, with b: Int64) -> Int { compare(a, with: Decimal128(b)) }

    /// Compares with a double by exact value and returns −1, 0 or 1. (The double 0.1 is slightly greater than the decimal 0.1.) NaNs are equal and
    /// lower than all other values.
    public static func compare(_ a: Decimal128, with b: Double) -> Int {
        guard a.isFinite && b.isFinite else {
            return order(of: a.special, and: b.isNaN ? -2 : b.isInfinite ? (b < 0 ? -1 : 1) : 0)
        }
        let x = a.parts
        let otherSign = b == 0 ? 0 : b < 0 ? -1 : 1
        guard x.coefficient != 0 && otherSign == sign(x) else { return order(of: sign(x), and: otherSign) }
        let result = compareMagnitudes(x, with: b.magnitude)
        return x.negative ? -result : result
    }

    /// The class of the number: −2 for NaN, ∓1 for infinities, 0 for finite numbers.
    private var special: Int { isFinite ? 0 : isNaN ? -2 : isSignMinus ? -1 : 1 }

    private static func sign(_ parts: Parts) -> Int {
        parts.coefficient == 0 ? 0 : parts.negative ? -1 : 1
    }

    private static func order<T: Comparable>(of a: T, and b: T) -> Int { a < b ? -1 : a == b ? 0 : 1 }

    private static func compareMagnitudes(_ x: Parts, with y: Parts) -> Int {
        if x.exponent == y.exponent { return order(of: x.coefficient, and: y.coefficient) }
        let leading = x.exponent + decimalDigits(x.coefficient)
        let otherLeading = y.exponent + decimalDigits(y.coefficient)
        if leading != otherLeading { return order(of: leading, and: otherLeading) }
        // The first digits of both numbers have the same power of ten, so the scaled numbers have at most 34 digits.
        if x.exponent > y.exponent {
            return order(of: x.coefficient * powerOfTen(x.exponent - y.exponent), and: y.coefficient)
        }
        return order(of: x.coefficient, and: y.coefficient * powerOfTen(y.exponent - x.exponent))
    }

    /// Compares two finite positive numbers.
    private static func compareMagnitudes(_ x: Parts, with y: Double) -> Int {
        if x.coefficient < 1 << 53, let nearest = nearestDouble(UInt64(x.coefficient), x.exponent) {
            // Rounding preserves the order, so if the rounded numbers differ, they have the order of the exact ones.
            if nearest != y { return order(of: nearest, and: y) }
        }
        let leading = x.exponent + decimalDigits(x.coefficient)
        if leading > 310 { return 1 }
        if leading < -330 { return -1 }
        // c · 10^e is compared with m · 2^k, after both were converted to integers.
        let significand = y.significandBitPattern | (y.isNormal ? 1 << 52 : 0)
        let power = Int(y.isNormal ? y.exponentBitPattern : 1) - 1075
        var a = Natural(x.coefficient)
        var b = Natural(UInt128(significand))
        if x.exponent >= 0 { a.multiply(byFiveTo: x.exponent) } else { b.multiply(byFiveTo: -x.exponent) }
        let shift = x.exponent - power
        if shift >= 0 { a.shiftLeft(shift) } else { b.shiftLeft(-shift) }
        return Natural.compare(a, with: b)
    }

    /// Returns c · 10^e, rounded once, or `nil` if that takes more than one operation on exact doubles.
    static func nearestDouble(_ coefficient: UInt64, _ exponent: Int) -> Double? {
        guard coefficient <= 1 << 53 && exponent > -exactPowers.count && exponent < exactPowers.count else {
            return nil
        }
        return exponent < 0
            ? Double(coefficient) / exactPowers[-exponent] : Double(coefficient) * exactPowers[exponent]
    }

    private static let exactPowers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}

/// A natural number of any size, with the operations that an exact comparison of a decimal with a double needs.
private struct Natural {
    /// The words, the least significant first, without leading zeros.
    private var words: [UInt32] = []

    init(_ value: UInt128) {
        var value = value
        while value != 0 {
            words.append(UInt32(truncatingIfNeeded: value))
            value >>= 32
        }
    }

    mutating func multiply(byFiveTo exponent: Int) {
        var left = exponent
        while left > 0 {
            let step = min(left, 13)
            var factor: UInt64 = 1
            for _ in 0..<step { factor *= 5 }
            var carry: UInt64 = 0
            for index in words.indices {
                let product = UInt64(words[index]) * factor + carry
                words[index] = UInt32(truncatingIfNeeded: product)
                carry = product >> 32
            }
            if carry != 0 { words.append(UInt32(carry)) }
            left -= step
        }
    }

    mutating func shiftLeft(_ bits: Int) {
        let small = UInt32(bits & 31)
        if small != 0 {
            var carry: UInt32 = 0
            for index in words.indices {
                let word = words[index]
                words[index] = word << small | carry
                carry = word >> (32 - small)
            }
            if carry != 0 { words.append(carry) }
        }
        words.insert(contentsOf: repeatElement(0, count: bits >> 5), at: 0)
    }

    static func compare(_ a: Natural, with b: Natural) -> Int {
        if a.words.count != b.words.count { return a.words.count < b.words.count ? -1 : 1 }
        for index in a.words.indices.reversed() where a.words[index] != b.words[index] {
            return a.words[index] < b.words[index] ? -1 : 1
        }
        return 0
    }
}
