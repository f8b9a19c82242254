extension Decimal128 {
    /// Returns the number rounded to an integer. `5.2` becomes `5`. By default, halves are rounded away from zero, like those of `Double`.
    public func rounded(_ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero) -> Decimal128 {
        rounded(scale: 0, rule)
    }

    /// Rounds the number to an integer: see ``rounded(_:)``.
    public mutating func round(_ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero) {
        self = rounded(rule)
    }

    /// Returns the number rounded to at most `scale` digits after the point. A negative scale rounds to this number of zeros before the point.
    ///
    /// ```swift
    /// let net: Decimal128 = "19.995"
    /// net.rounded(scale: 2)                      // 20.00
    /// net.rounded(scale: 2, .toNearestOrEven)    // 20.00
    /// net.rounded(scale: -1)                     // 20
    /// ```
    ///
    /// NaN and infinities are returned unchanged.
    public func rounded(
        scale: Int,
        _ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero
    ) -> Decimal128 {
        guard isFinite else { return self }
        let number = parts
        // Beyond the range of exponents, a further scale has no effect.
        let target = -Swift.min(Swift.max(scale, -20_000), 20_000)
        let drop = target - number.exponent
        guard drop > 0 else { return self }
        var whole: UInt128 = 0
        /// The dropped digits compared with half of the last digit: less, equal or more.
        var place = -1
        var isExact = number.coefficient == 0
        if drop <= 38 {
            let power = powerOfTen(drop)
            let (quotient, remainder) = number.coefficient.quotientAndRemainder(dividingBy: power)
            whole = quotient
            let half = power >> 1
            place = remainder < half ? -1 : remainder == half ? 0 : 1
            isExact = remainder == 0
        }
        let up: Bool =
            switch rule {
            case _ where isExact: false
            case .up: !number.negative
            case .down: number.negative
            case .towardZero: false
            case .awayFromZero: true
            case .toNearestOrEven: place > 0 || (place == 0 && whole & 1 == 1)
            case .toNearestOrAwayFromZero: place >= 0
            @unknown default: place > 0 || (place == 0 && whole & 1 == 1)
            }
        if up { whole += 1 }
        return Decimal128(rounding: number.negative, low: whole, exponent: target)
    }

    /// Returns the remainder of a division whose quotient is rounded toward zero. It is exact and has this number's sign. The result is NaN if
    /// `other` is zero or this number is infinite.
    public func truncatingRemainder(dividingBy other: Decimal128) -> Decimal128 {
        guard let (x, y) = remainderOperands(other) else { return remainderOfSpecial(other) }
        guard let exponent = commonExponent(x, and: y) else { return self }
        return Decimal128(
            rounding: x.negative,
            low: residue(x, exponent, divisor: scaled(y, to: exponent)),
            exponent: exponent
        )
    }

    /// Returns IEEE's remainder, for which the quotient is rounded to the nearest integer (to an even one if two are equally near). Its absolute
    /// value is at most half of `other`. The result is exact. It is NaN if `other` is zero or this number is infinite.
    public func remainder(dividingBy other: Decimal128) -> Decimal128 {
        guard let (x, y) = remainderOperands(other) else { return remainderOfSpecial(other) }
        guard let exponent = commonExponent(x, and: y) else { return self }
        // The remainder modulo 2y also determines the parity of the quotient: 0 … y/2 remains, y is subtracted from y/2 … 3y/2, and 2y from the rest.
        let divisor = scaled(y, to: exponent)
        let rest = residue(x, exponent, divisor: 2 * divisor)
        if 2 * rest <= divisor { return Decimal128(rounding: x.negative, low: rest, exponent: exponent) }
        if 2 * rest < 3 * divisor {
            let over = rest >= divisor
            return Decimal128(
                rounding: over == x.negative,
                low: over ? rest - divisor : divisor - rest,
                exponent: exponent
            )
        }
        return Decimal128(rounding: !x.negative, low: 2 * divisor - rest, exponent: exponent)
    }

    public mutating func formTruncatingRemainder(dividingBy other: Decimal128) {
        self = truncatingRemainder(dividingBy: other)
    }

    public mutating func formRemainder(dividingBy other: Decimal128) { self = remainder(dividingBy: other) }

    // MARK: -

    private func remainderOperands(_ other: Decimal128) -> (Parts, Parts)? {
        guard isFinite && other.isFinite && !other.isZero else { return nil }
        return (parts, other.parts)
    }

    private func remainderOfSpecial(_ other: Decimal128) -> Decimal128 {
        isFinite && other.isInfinite ? self : .nan
    }

    /// Returns the exponent to which `y` is scaled, or `nil` if `y` is so large that the remainder is this number.
    private func commonExponent(_ x: Parts, and y: Parts) -> Int? {
        let gap = y.exponent - x.exponent
        guard gap > 0 else { return y.exponent }
        // If `y` has more than 37 digits at this exponent, half of it exceeds every `x`.
        return decimalDigits(y.coefficient) + gap > 37 ? nil : x.exponent
    }

    private func scaled(_ y: Parts, to exponent: Int) -> UInt128 {
        y.coefficient * powerOfTen(y.exponent - exponent)
    }

    /// Returns `x` modulo `divisor`, both in units of 10^exponent.
    private func residue(_ x: Parts, _ exponent: Int, divisor: UInt128) -> UInt128 {
        var rest = x.coefficient % divisor
        var left = x.exponent - exponent
        while left > 0 && rest != 0 {
            let step = Swift.min(left, 38)
            let product = rest.multipliedFullWidth(by: powerOfTen(step))
            rest = divisor.dividingFullWidth(product).remainder
            left -= step
        }
        return rest
    }
}
