extension Decimal128: SignedNumeric, Strideable {
    public typealias Magnitude = Decimal128
    public typealias Stride = Decimal128

    /// The absolute value, which is exact.
    public var magnitude: Decimal128 { Decimal128(lo: lo, hi: hi & ~(1 << 63)) }

    public static prefix func - (a: Decimal128) -> Decimal128 { Decimal128(lo: a.lo, hi: a.hi ^ 1 << 63) }

    public mutating func negate() { self = -self }

    public static func + (a: Decimal128, b: Decimal128) -> Decimal128 {
        guard a.isFinite && b.isFinite else {
            if a.isNaN || b.isNaN { return .nan }
            if a.isInfinite && b.isInfinite && a.isSignMinus != b.isSignMinus { return .nan }
            return a.isInfinite ? a : b
        }
        return sum(a.parts, b.parts)
    }

    public static func - (a: Decimal128, b: Decimal128) -> Decimal128 { a + -b }

    private static func sum(_ a: Parts, _ b: Parts) -> Decimal128 {
        // `coarse` has the higher exponent and is scaled up to 37 digits at most. If that isn't enough to reach `fine`'s exponent, `fine` is scaled
        // down, and `sticky` indicates that its lost digits weren't zero.
        let coarse = a.exponent >= b.exponent ? a : b
        let fine = a.exponent >= b.exponent ? b : a
        var exponent = fine.exponent
        var x = coarse.coefficient
        var y = fine.coefficient
        var sticky = false
        let gap = coarse.exponent - fine.exponent
        if x != 0 && gap > 0 {
            let room = (y == 0 ? precision : 37) - decimalDigits(x)
            let up = Swift.min(gap, room)
            x *= powerOfTen(up)
            let down = gap - up
            if down > 0 {
                exponent += down
                if down > 38 {
                    sticky = y != 0
                    y = 0
                } else {
                    let (quotient, remainder) = y.quotientAndRemainder(dividingBy: powerOfTen(down))
                    y = quotient
                    sticky = remainder != 0
                }
            }
        }
        if coarse.negative == fine.negative {
            return Decimal128(rounding: coarse.negative, low: x + y, exponent: exponent, sticky: sticky)
        }
        if x == y && !sticky {
            return Decimal128(rounding: false, low: 0, exponent: exponent)
        }
        if x > y {
            // x − (y + ε) = (x − y − 1) + (1 − ε)
            return Decimal128(
                rounding: coarse.negative,
                low: x - y - (sticky ? 1 : 0),
                exponent: exponent,
                sticky: sticky
            )
        }
        return Decimal128(rounding: fine.negative, low: y - x, exponent: exponent)
    }

    public static func * (a: Decimal128, b: Decimal128) -> Decimal128 {
        let negative = a.isSignMinus != b.isSignMinus
        guard a.isFinite && b.isFinite else {
            if a.isNaN || b.isNaN || a.isZero || b.isZero { return .nan }
            return infinity(negative: negative)
        }
        let x = a.parts
        let y = b.parts
        let product = x.coefficient.multipliedFullWidth(by: y.coefficient)
        return Decimal128(
            rounding: negative,
            high: product.high,
            low: product.low,
            exponent: x.exponent + y.exponent
        )
    }

    /// Returns the quotient. The division by zero gives infinity, or NaN for 0 / 0.
    public static func / (a: Decimal128, b: Decimal128) -> Decimal128 { a.divided(by: b) }

    /// Returns the quotient, like `/`.
    public func divided(by b: Decimal128) -> Decimal128 {
        let a = self
        let negative = a.isSignMinus != b.isSignMinus
        guard a.isFinite && b.isFinite else {
            if a.isNaN || b.isNaN || (a.isInfinite && b.isInfinite) { return .nan }
            if a.isInfinite { return Self.infinity(negative: negative) }
            return Decimal128(negative: negative, coefficient: 0, exponent: Self.minimumExponent)
        }
        let x = a.parts
        let y = b.parts
        if y.coefficient == 0 { return x.coefficient == 0 ? .nan : Self.infinity(negative: negative) }
        let ideal = x.exponent - y.exponent
        if x.coefficient == 0 { return Decimal128(rounding: negative, low: 0, exponent: ideal) }
        // The dividend is scaled so that the quotient has 36 or 37 digits.
        let lift = Self.precision - decimalDigits(x.coefficient)
        let scale = decimalDigits(y.coefficient) + 2
        let dividend = (x.coefficient * powerOfTen(lift)).multipliedFullWidth(by: powerOfTen(scale))
        var (quotient, remainder) = y.coefficient.dividingFullWidth(dividend)
        var exponent = ideal - lift - scale
        if remainder == 0 {
            let stripped = strippingZeros(quotient, limit: ideal - exponent)
            quotient = stripped.value
            exponent += stripped.count
        }
        return Decimal128(rounding: negative, low: quotient, exponent: exponent, sticky: remainder != 0)
    }

    public static func += (a: inout Decimal128, b: Decimal128) { a = a + b }
    public static func -= (a: inout Decimal128, b: Decimal128) { a = a - b }
    public static func *= (a: inout Decimal128, b: Decimal128) { a = a * b }
    public static func /= (a: inout Decimal128, b: Decimal128) { a = a / b }

    /// `other - self`.
    public func distance(to other: Decimal128) -> Decimal128 { other - self }
    /// `self + n`.
    public func advanced(by n: Decimal128) -> Decimal128 { self + n }
}
