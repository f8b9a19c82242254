/// An IEEE 754-2008 decimal number of 128 bits: 34 digits, exponents from −6176 to 6111, infinities and NaN.
///
/// ```swift
/// let price: Decimal128 = "19.99"
/// let total = price * 3          // 59.97, exactly
/// ```
///
/// Every operation gives the exact result rounded once, half to even. Numbers are compared and hashed by value: `1.0 == 1.00` and `-0 == 0`. `==` and
/// `<` are a *total* order, so that decimals can be sorted, stored in sets and indexed: all NaNs are equal and lower than `-infinity`. Use `isNaN` if
/// NaN should be unequal to everything, as in IEEE 754.
public struct Decimal128: Sendable {
    /// The lower and upper half of the binary integer decimal (BID) encoding.
    public let lo: UInt64
    public let hi: UInt64

    @inlinable public init(lo: UInt64, hi: UInt64) {
        self.lo = lo
        self.hi = hi
    }

    /// Creates zero.
    @inlinable public init() { self.init(lo: 0, hi: 0x3040_0000_0000_0000) }

    @inlinable public var isNaN: Bool { hi & 0x7C00_0000_0000_0000 == 0x7C00_0000_0000_0000 }
    @inlinable public var isInfinite: Bool { hi & 0x7C00_0000_0000_0000 == 0x7800_0000_0000_0000 }
    @inlinable public var isFinite: Bool { hi & 0x7800_0000_0000_0000 != 0x7800_0000_0000_0000 }
    @inlinable public var isSignalingNaN: Bool { hi & 0x7E00_0000_0000_0000 == 0x7E00_0000_0000_0000 }
    @inlinable public var isSignaling: Bool { isSignalingNaN }
    /// The sign bit, which is also set for `-0`.
    @inlinable public var isSignMinus: Bool { hi >> 63 != 0 }
    public var isZero: Bool { isFinite && parts.coefficient == 0 }

    public static let zero = Decimal128()
    public static let nan = Decimal128(lo: 0, hi: 0x7C00_0000_0000_0000)
    public static let signalingNaN = Decimal128(lo: 0, hi: 0x7E00_0000_0000_0000)
    public static let infinity = Decimal128(lo: 0, hi: 0x7800_0000_0000_0000)
    /// 9.999999999999999999999999999999999E+6144.
    public static let greatestFiniteMagnitude = Decimal128(
        negative: false,
        coefficient: maximumCoefficient,
        exponent: maximumExponent
    )
    /// 1E-6176.
    public static let leastNonzeroMagnitude = Decimal128(negative: false, coefficient: 1, exponent: minimumExponent)
    /// The largest finite number.
    public static var max: Decimal128 { greatestFiniteMagnitude }
    /// The smallest finite number.
    public static var min: Decimal128 { -greatestFiniteMagnitude }
}

// MARK: - Encoding

extension Decimal128 {
    static let precision = 34
    static let minimumExponent = -6176
    static let maximumExponent = 6111
    static let maximumCoefficient: UInt128 = 9_999_999_999_999_999_999_999_999_999_999_999

    /// The parts of a finite number: ±coefficient · 10^exponent.
    struct Parts {
        var negative: Bool
        /// The coefficient, at most `maximumCoefficient`.
        var coefficient: UInt128
        var exponent: Int
    }

    /// The parts of a finite number. Encodings with a coefficient of more than 34 digits stand for zero, as the standard requires.
    var parts: Parts {
        let negative = hi >> 63 != 0
        if hi & 0x6000_0000_0000_0000 == 0x6000_0000_0000_0000 {
            return Parts(
                negative: negative,
                coefficient: 0,
                exponent: Int(hi >> 47 & 0x3FFF) + Self.minimumExponent
            )
        }
        let coefficient = UInt128(hi & 0x1_FFFF_FFFF_FFFF) << 64 | UInt128(lo)
        return Parts(
            negative: negative,
            coefficient: coefficient <= Self.maximumCoefficient ? coefficient : 0,
            exponent: Int(hi >> 49 & 0x3FFF) + Self.minimumExponent
        )
    }

    /// Creates a number from parts that are in range.
    init(negative: Bool, coefficient: UInt128, exponent: Int) {
        assert(coefficient <= Self.maximumCoefficient)
        assert(exponent >= Self.minimumExponent && exponent <= Self.maximumExponent)
        lo = UInt64(truncatingIfNeeded: coefficient)
        hi =
            (negative ? 1 << 63 : 0) | UInt64(exponent - Self.minimumExponent) << 49
            | UInt64(truncatingIfNeeded: coefficient >> 64)
    }

    static func infinity(negative: Bool) -> Decimal128 {
        negative ? Decimal128(lo: 0, hi: 0xF800_0000_0000_0000) : infinity
    }

    /// Creates the number nearest to ±(high · 2^128 + low + ε) · 10^exponent, with ties to even, where 0 < ε < 1 if `sticky`.
    ///
    /// If `sticky`, the integer must have at least 35 digits. It must be less than 10^68. An overflow gives infinity, and an underflow a subnormal
    /// number or zero.
    init(rounding negative: Bool, high: UInt128 = 0, low: UInt128, exponent: Int, sticky: Bool = false) {
        var coefficient = low
        var exponent = exponent
        var sticky = sticky
        if high != 0 {
            // 36 or 37 digits are kept.
            let drop = decimalDigits(high) + 2
            let (quotient, remainder) = powerOfTen(drop).dividingFullWidth((high, low))
            coefficient = quotient
            exponent += drop
            if remainder != 0 { sticky = true }
        }
        let drop = Swift.max(decimalDigits(coefficient) - Self.precision, Self.minimumExponent - exponent, 0)
        if drop > 0 {
            exponent += drop
            if drop > 38 {
                // The number is less than half of the last digit.
                coefficient = 0
            } else {
                let power = powerOfTen(drop)
                let (quotient, remainder) = coefficient.quotientAndRemainder(dividingBy: power)
                let half = power >> 1
                let up = remainder > half || (remainder == half && (sticky || quotient & 1 == 1))
                coefficient = up ? quotient + 1 : quotient
                if coefficient > Self.maximumCoefficient {
                    coefficient = powerOfTen(Self.precision - 1)
                    exponent += 1
                }
            }
        }
        if exponent > Self.maximumExponent {
            if coefficient != 0 {
                let pad = exponent - Self.maximumExponent
                guard pad <= Self.precision - decimalDigits(coefficient) else {
                    self = Self.infinity(negative: negative)
                    return
                }
                coefficient *= powerOfTen(pad)
            }
            exponent = Self.maximumExponent
        }
        // A zero that results from an underflow may have a much lower exponent.
        exponent = Swift.max(exponent, Self.minimumExponent)
        self.init(negative: negative, coefficient: coefficient, exponent: exponent)
    }
}

// MARK: - Powers of ten

private let powersOfTen: [UInt128] = {
    var powers: [UInt128] = [1]
    while powers.count < 39 { powers.append(powers[powers.count - 1] * 10) }
    return powers
}()

/// Returns 10^n for 0 ≤ n ≤ 38.
func powerOfTen(_ n: Int) -> UInt128 { powersOfTen[n] }

/// Returns the number of decimal digits, or 0 for zero.
func decimalDigits(_ value: UInt128) -> Int {
    let bits = UInt128.bitWidth - value.leadingZeroBitCount
    // log10(2) is slightly greater than 1233 / 4096, so the estimate is correct or one too low.
    let estimate = (bits * 1233) >> 12
    return value >= powersOfTen[estimate] ? estimate + 1 : estimate
}

/// Returns the value without its trailing decimal zeros, of which at most `limit` are removed, and the number of removed zeros.
func strippingZeros(_ value: UInt128, limit: Int = 38) -> (value: UInt128, count: Int) {
    guard value != 0 else { return (0, 0) }
    var value = value
    var count = 0
    for step in [32, 16, 8, 4, 2, 1] where count + step <= limit && value.trailingZeroBitCount >= step {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: powersOfTen[step])
        if remainder == 0 {
            value = quotient
            count += step
        }
    }
    return (value, count)
}
