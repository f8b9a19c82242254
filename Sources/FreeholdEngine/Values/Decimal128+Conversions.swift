#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Decimal128 {
    /// Creates a decimal from an integer. More than 34 digits are rounded half to even.
    public init<T: BinaryInteger>(_ value: T) {
        if let small = Int64(exactly: value) {
            self.init(negative: small < 0, coefficient: UInt128(small.magnitude), exponent: 0)
        } else if let magnitude = UInt128(exactly: value.magnitude) {
            self.init(rounding: value < 0, low: magnitude, exponent: 0)
        } else {
            self = Decimal128(parsing: String(value)) ?? .nan
        }
    }

    /// Creates a decimal from an integer, or returns `nil` if the value isn't exactly representable.
    public init?<T: BinaryInteger>(exactly value: T) {
        self.init(value)
        guard stringInteger == String(value) else { return nil }
    }

    private var stringInteger: String? {
        let number = parts
        guard isFinite && number.exponent >= 0 else { return nil }
        let digits = String(number.coefficient) + String(repeating: "0", count: number.exponent)
        return number.negative ? "-" + digits : digits
    }

    /// Creates the shortest decimal to which only this double is nearest. 0.1 becomes 0.1.
    public init(_ value: Double) { self = Decimal128(parsing: value.description) ?? .nan }

    /// Creates the shortest decimal to which only this float is nearest. 0.1 becomes 0.1.
    public init(_ value: Float) { self = Decimal128(parsing: value.description) ?? .nan }

    /// Creates a decimal from Foundation's decimal. More than 34 digits are rounded half to even.
    public init(_ value: Decimal) { self = Decimal128(parsing: value.description) ?? .nan }

    /// The nearest `Double`.
    public var doubleValue: Double {
        if isNaN { return .nan }
        if isInfinite { return isSignMinus ? -.infinity : .infinity }
        let number = parts
        if number.coefficient <= 1 << 53, let value = Self.nearestDouble(UInt64(number.coefficient), number.exponent) {
            return number.negative ? -value : value
        }
        return Double("\(number.negative ? "-" : "")\(number.coefficient)e\(number.exponent)") ?? .nan
    }

    /// The nearest `Float`, by way of the nearest `Double`.
    public var floatValue: Float { Float(doubleValue) }

    /// The number as Foundation's `Decimal`. The result is NaN for NaN, infinities, and numbers that its exponents from −128 to 127 can't represent
    /// exactly.
    public var decimalValue: Decimal {
        guard isFinite else { return .nan }
        let number = parts
        let (coefficient, zeros) = strippingZeros(number.coefficient)
        let exponent = number.exponent + zeros
        guard coefficient != 0 else { return 0 }
        guard exponent >= -128 && exponent <= 127 else { return .nan }
        let split: UInt64 = 1_000_000_000_000_000_000
        let (upper, lower) = coefficient.quotientAndRemainder(dividingBy: UInt128(split))
        let (top, middle) = upper.quotientAndRemainder(dividingBy: UInt128(split))
        let significand =
            (Decimal(UInt64(top)) * Decimal(split) + Decimal(UInt64(middle))) * Decimal(split)
            + Decimal(UInt64(lower))
        return Decimal(sign: number.negative ? .minus : .plus, exponent: exponent, significand: significand)
    }

    /// The integer part, or `nil` for NaN and for numbers out of the range of `Int`.
    public var intValue: Int? { wholePart.flatMap { Int(exactly: $0) } }

    /// The number as an integer, or `nil` if it has a fraction, isn't finite or is out of range.
    public var exactInt64: Int64? { Int64(exactly: self) }

    /// The number without its fraction, or `nil` if it isn't finite or has more than 38 digits.
    fileprivate var wholePart: Int128? {
        guard isFinite else { return nil }
        let number = parts
        var whole = number.coefficient
        if number.exponent < 0 {
            whole = number.exponent < -38 ? 0 : whole / powerOfTen(-number.exponent)
        } else if whole != 0 && number.exponent > 0 {
            guard decimalDigits(whole) + number.exponent <= 38 else { return nil }
            whole *= powerOfTen(number.exponent)
        }
        return number.negative ? -Int128(whole) : Int128(whole)
    }
}

// With `@_disfavoredOverload`, `Int("5")` and `Double("1.5")` still parse text, although a string literal can also be a decimal.

extension BinaryInteger {
    /// Creates an integer from the integer part of the decimal.
    ///
    /// - Precondition: the decimal is finite and in range.
    @_disfavoredOverload public init(_ value: Decimal128) {
        guard let whole = value.wholePart.flatMap({ Self(exactly: $0) }) else {
            fatalError("Freehold: \(value) can't be converted to \(Self.self): it isn't finite or is out of range")
        }
        self = whole
    }

    /// Creates an integer from the decimal, or returns `nil` if it has a fraction, isn't finite or is out of range.
    @_disfavoredOverload public init?(exactly value: Decimal128) {
        guard let whole = value.wholePart, Decimal128(whole) == value, let integer = Self(exactly: whole) else {
            return nil
        }
        self = integer
    }
}

extension Double {
    /// Creates the `Double` nearest to the decimal.
    @_disfavoredOverload public init(_ value: Decimal128) { self = value.doubleValue }
}

extension Float {
    /// Creates the `Float` nearest to the nearest `Double` of the decimal.
    @_disfavoredOverload public init(_ value: Decimal128) { self = value.floatValue }
}

extension Decimal {
    /// Creates Foundation's `Decimal` from the decimal. The result is NaN for NaN, infinities, and numbers that its exponents from −128 to 127 can't
    /// represent exactly.
    @_disfavoredOverload public init(_ value: Decimal128) { self = value.decimalValue }
}

extension Decimal128: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral {
    public init(integerLiteral value: Int64) { self.init(value) }

    /// Creates a decimal from a literal, which is a `Double` in its shortest form. Write a string literal for more than 15 digits.
    public init(floatLiteral value: Double) { self.init(value) }

    /// Creates a decimal from a literal, like `init(_:)`. A literal that isn't a number is a programmer error and traps.
    public init(stringLiteral value: String) {
        guard let number = Decimal128(parsing: value) else { fatalError("Freehold: '\(value)' isn't a decimal number") }
        self = number
    }
}

extension Decimal128: Codable {
    /// Decodes a string, an integer or a floating-point number.
    ///
    /// A number in JSON is read digit by digit, up to the 38 digits that Foundation's `Decimal` keeps. Other decoders provide an integer or a
    /// `Double`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            guard let number = Decimal128(parsing: text) else {
                throw DecodingError.dataCorruptedError(
                    in: container,
                    debugDescription: "'\(text)' isn't a decimal number"
                )
            }
            self = number
        } else if let integer = try? container.decode(Int64.self) {
            self.init(integer)
        } else if let number = try? container.decode(Decimal.self), !number.isNaN {
            self.init(number)
        } else {
            self.init(try container.decode(Double.self))
        }
    }

    /// Encodes `stringValue`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stringValue)
    }
}
