extension Decimal128: LosslessStringConvertible {
    /// Creates a decimal from the text `[+-]digits[.digits][E[+-]digits]`, `Inf`, `Infinity`, `NaN` or `sNaN` in any case. More than 34 digits are
    /// rounded half to even. Returns `nil` for any other text.
    public init?(_ description: String) {
        self.init(parsing: description)
    }

    init?(parsing text: String) {
        var text = text
        guard let number = text.withUTF8({ Decimal128.parse($0) }) else { return nil }
        self = number
    }

    /// The number of digits that are read exactly. For later digits, it matters only whether any isn't zero.
    private static let digitsKept = 38
    /// The limit of exponents. It is so large that the count of digits can't bring the sum back into range.
    private static let exponentLimit = 1 << 60

    private static func parse(_ text: UnsafeBufferPointer<UInt8>) -> Decimal128? {
        var position = 0
        var negative = false
        if let first = text.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
            negative = first == UInt8(ascii: "-")
            position = 1
        }
        var coefficient: UInt128 = 0
        var digits = 0
        var kept = 0
        var exponent = 0
        var sticky = false
        var seenPoint = false
        scan: while position < text.count {
            let byte = text[position]
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits += 1
                if kept == digitsKept {
                    if byte != UInt8(ascii: "0") { sticky = true }
                    if !seenPoint { exponent += 1 }
                } else {
                    coefficient = coefficient * 10 + UInt128(byte - UInt8(ascii: "0"))
                    if coefficient != 0 { kept += 1 }
                    if seenPoint { exponent -= 1 }
                }
            case UInt8(ascii: ".") where !seenPoint:
                seenPoint = true
            default:
                break scan
            }
            position += 1
        }
        if digits == 0 {
            return seenPoint ? nil : parseSpecial(text[position...], negative: negative)
        }
        if position < text.count {
            guard let explicit = parseExponent(text[position...]) else { return nil }
            exponent += explicit
        }
        if coefficient == 0 { exponent = Swift.min(Swift.max(exponent, minimumExponent), maximumExponent) }
        return Decimal128(rounding: negative, low: coefficient, exponent: exponent, sticky: sticky)
    }

    private static func parseExponent(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        guard text.first.map({ $0 | 0x20 }) == UInt8(ascii: "e") else { return nil }
        var rest = text.dropFirst()
        var negative = false
        if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            negative = sign == UInt8(ascii: "-")
            rest = rest.dropFirst()
        }
        guard !rest.isEmpty else { return nil }
        var value = 0
        for byte in rest {
            guard byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") else { return nil }
            if value < exponentLimit / 10 { value = value * 10 + Int(byte - UInt8(ascii: "0")) }
        }
        return negative ? -value : value
    }

    private static func parseSpecial(_ text: Slice<UnsafeBufferPointer<UInt8>>, negative: Bool) -> Decimal128? {
        guard text.count <= 8 else { return nil }
        switch String(decoding: text.map { $0 | 0x20 }, as: UTF8.self) {
        case "inf", "infinity": return infinity(negative: negative)
        case "nan": return nan
        case "snan": return signalingNaN
        default: return nil
        }
    }
}

extension Decimal128: CustomStringConvertible {
    /// The number with all of its digits, including trailing zeros after the point (`1.10`). It is plain (`120`, `-0.000001`) if the first digit is
    /// between 10^33 and 10^-6, and has an exponent otherwise (`1.2E+40`). The special values are `Inf`, `-Inf` and `NaN`. `-0` keeps its sign.
    ///
    /// Equal numbers may have different texts: `1.1` and `1.10`.
    public var stringValue: String {
        if isNaN { return isSignalingNaN ? "sNaN" : "NaN" }
        if isInfinite { return isSignMinus ? "-Inf" : "Inf" }
        let number = parts
        let sign = number.negative ? "-" : ""
        if number.coefficient == 0, number.exponent >= 0 { return sign + "0" }
        let exponent = number.exponent
        let digits = String(number.coefficient)
        let count = digits.utf8.count
        /// The power of ten of the first digit.
        let leading = exponent + count - 1
        guard leading >= -6 && leading < Self.precision else {
            let fraction = count > 1 ? "." + digits.dropFirst() : ""
            return sign + digits.prefix(1) + fraction + (leading < 0 ? "E\(leading)" : "E+\(leading)")
        }
        if exponent >= 0 { return sign + digits + String(repeating: "0", count: exponent) }
        if leading < 0 { return sign + "0." + String(repeating: "0", count: -leading - 1) + digits }
        return sign + digits.prefix(leading + 1) + "." + digits.dropFirst(leading + 1)
    }

    public var description: String { stringValue }
}
