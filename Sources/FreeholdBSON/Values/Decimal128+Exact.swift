import FreeholdEngine

// The text of decimals according to BSON's specification. It keeps trailing zeros and refuses numbers that would be
// rounded.
extension Decimal128 {
    private static var digitLimit: Int { 34 }
    private static var exponents: ClosedRange<Int> { -6176...6111 }

    /// Creates a number of at most 34 digits, with an exponent in the valid range.
    private init(isNegative: Bool, digits: UInt128, power: Int) {
        self.init(
            lo: UInt64(truncatingIfNeeded: digits),
            hi: (isNegative ? 1 << 63 : 0) | UInt64(power - Self.exponents.lowerBound) << 49
                | UInt64(truncatingIfNeeded: digits >> 64)
        )
    }

    /// Creates a number from all digits of a text. Infinities and NaN can have any case.
    ///
    /// Throws if the text has another form, or if the number has to be rounded.
    init(exact text: String) throws(BSONError) {
        var text = text
        let result = text.withUTF8 { bytes in Result { () throws(BSONError) in try Self.parse(bytes) } }
        self = try result.get()
    }

    private static func parse(_ text: UnsafeBufferPointer<UInt8>) throws(BSONError) -> Decimal128 {
        var position = 0
        var isNegative = false
        if let first = text.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
            isNegative = first == UInt8(ascii: "-")
            position = 1
        }
        if let special = special(text[position...], isNegative: isNegative) { return special }

        // The digits without leading zeros, and the power of ten of the last one.
        var digits: UInt128 = 0
        var digitCount = 0
        var power = 0
        // Zeros that are added only if a digit follows.
        var zeros = 0
        var hasDigits = false
        var hasPoint = false
        scan: while position < text.count {
            switch text[position] {
            case let byte where byte &- UInt8(ascii: "0") <= 9:
                hasDigits = true
                if hasPoint { power -= 1 }
                let digit = byte - UInt8(ascii: "0")
                if digitCount == 0 && digit == 0 { break }
                if digit == 0 {
                    zeros += 1
                    break
                }
                digitCount += zeros + 1
                guard digitCount <= digitLimit else { throw rounded }
                for _ in 0..<zeros { digits *= 10 }
                digits = digits * 10 + UInt128(digit)
                zeros = 0
            case UInt8(ascii: ".") where !hasPoint:
                hasPoint = true
            default:
                break scan
            }
            position += 1
        }
        guard hasDigits else { throw malformed }
        power += zeros
        if position < text.count { power += try exponent(text[position...]) }

        if digitCount == 0 {
            return Decimal128(
                isNegative: isNegative,
                digits: 0,
                power: Swift.min(Swift.max(power, exponents.lowerBound), exponents.upperBound)
            )
        }
        // Written zeros are kept if they fit. Further zeros only change the exponent.
        let kept = Swift.min(zeros, digitLimit - digitCount)
        for _ in 0..<kept { digits *= 10 }
        digitCount += kept
        power -= kept
        while power > exponents.upperBound && digitCount < digitLimit {
            digits *= 10
            digitCount += 1
            power -= 1
        }
        while power < exponents.lowerBound && digits % 10 == 0 {
            digits /= 10
            power += 1
        }
        guard power <= exponents.upperBound else {
            throw BSONError(.numberOutOfRange, "The decimal number is too large")
        }
        guard power >= exponents.lowerBound else { throw rounded }
        return Decimal128(isNegative: isNegative, digits: digits, power: power)
    }

    private static func exponent(_ text: Slice<UnsafeBufferPointer<UInt8>>) throws(BSONError) -> Int {
        guard text.first.map({ $0 | 0x20 }) == UInt8(ascii: "e") else { throw malformed }
        var rest = text.dropFirst()
        var isNegative = false
        if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            isNegative = sign == UInt8(ascii: "-")
            rest = rest.dropFirst()
        }
        guard !rest.isEmpty else { throw malformed }
        var value = 0
        for byte in rest {
            guard byte &- UInt8(ascii: "0") <= 9 else { throw malformed }
            // The value is limited to a number that no count of digits could compensate.
            if value < 1 << 50 { value = value * 10 + Int(byte - UInt8(ascii: "0")) }
        }
        return isNegative ? -value : value
    }

    private static func special(_ text: Slice<UnsafeBufferPointer<UInt8>>, isNegative: Bool) -> Decimal128? {
        guard let first = text.first, first | 0x20 == UInt8(ascii: "i") || first | 0x20 == UInt8(ascii: "n"),
            text.count <= 8
        else { return nil }
        switch String(decoding: text.map { $0 | 0x20 }, as: UTF8.self) {
        case "inf", "infinity": return Decimal128(lo: 0, hi: isNegative ? 0xF800 << 48 : 0x7800 << 48)
        case "nan": return .nan
        default: return nil
        }
    }

    private static var malformed: BSONError { BSONError(.invalidWrapper, "The text isn't a decimal number") }
    private static var rounded: BSONError {
        BSONError(.numberOutOfRange, "The decimal number doesn't fit without rounding")
    }

    /// The number with all its digits. Trailing zeros show the exponent. Non-canonical coefficients are zeros, and each
    /// NaN is `NaN`.
    var exactText: String {
        if isNaN { return "NaN" }
        let sign = isSignMinus ? "-" : ""
        if isInfinite { return sign + "Infinity" }
        var digits: UInt128 = 0
        var power: Int
        if hi & 0x6000_0000_0000_0000 == 0x6000_0000_0000_0000 {
            power = Int(hi >> 47 & 0x3FFF) + Self.exponents.lowerBound
        } else {
            power = Int(hi >> 49 & 0x3FFF) + Self.exponents.lowerBound
            digits = UInt128(hi & 0x1_FFFF_FFFF_FFFF) << 64 | UInt128(lo)
            if digits > 9_999_999_999_999_999_999_999_999_999_999_999 { digits = 0 }
        }
        let text = String(digits)
        let count = text.utf8.count
        let leading = power + count - 1
        if power > 0 || leading < -6 {
            let fraction = count > 1 ? "." + text.dropFirst() : ""
            return sign + text.prefix(1) + fraction + "E" + (leading < 0 ? "" : "+") + String(leading)
        }
        if power == 0 { return sign + text }
        if leading < 0 { return sign + "0." + String(repeating: "0", count: -leading - 1) + text }
        return sign + text.prefix(leading + 1) + "." + text.dropFirst(leading + 1)
    }
}
