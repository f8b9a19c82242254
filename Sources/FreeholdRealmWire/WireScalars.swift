/// The 12 bytes of an ObjectId, in textual order.
public struct WireObjectID: Hashable, Sendable {
    /// The first eight bytes as a big-endian number.
    public var high: UInt64
    /// The last four bytes as a big-endian number.
    public var low: UInt32

    public init(high: UInt64, low: UInt32) {
        self.high = high
        self.low = low
    }
}

/// The 16 bytes of a UUID, in textual order.
public struct WireUUID: Hashable, Sendable {
    /// The first eight bytes as a big-endian number.
    public var high: UInt64
    /// The last eight bytes as a big-endian number.
    public var low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// A point in time: seconds since 1970 and nanoseconds.
///
/// Both parts have the same sign, and the nanoseconds are below 10⁹. Another form would terminate the official client, so the
/// decoder refuses it.
public struct WireDate: Hashable, Sendable {
    public var seconds: Int64
    public var nanoseconds: Int32

    public init(seconds: Int64, nanoseconds: Int32) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// A Boolean value that indicates whether the official client accepts the date.
    public var isValid: Bool {
        (-999_999_999...999_999_999).contains(nanoseconds)
            && (seconds == 0 || nanoseconds == 0 || (seconds < 0) == (nanoseconds < 0))
    }
}

/// A decimal number in the three parts of the wire format.
///
/// NaN and infinities have an exponent that no finite number has.
public struct WireDecimal: Hashable, Sendable {
    /// The upper 49 bits of the coefficient.
    public var high: UInt64
    /// The lower 64 bits of the coefficient.
    public var low: UInt64
    /// The exponent of ten, without bias.
    public var exponent: Int32
    public var isNegative: Bool

    /// The greatest exponent of a finite number.
    public static let greatestExponent: Int32 = 6111
    /// The least exponent of a number.
    public static let leastExponent: Int32 = -6176

    public init(high: UInt64 = 0, low: UInt64, exponent: Int32, isNegative: Bool) {
        self.high = high
        self.low = low
        self.exponent = exponent
        self.isNegative = isNegative
    }

    var coefficient: UInt128 { UInt128(high) << 64 | UInt128(low) }

    /// A Boolean value that indicates whether the number isn't NaN or an infinity.
    public var isFinite: Bool { exponent <= Self.greatestExponent }

    /// Returns a Boolean value that indicates whether both are the same number, such as 1.0 and 1.00.
    ///
    /// NaN doesn't equal itself, and zeros of both signs are equal.
    public func isSame(as other: WireDecimal) -> Bool {
        guard isFinite, other.isFinite else {
            return isInfinity && other.isInfinity && isNegative == other.isNegative
        }
        let (first, second) = (normalized, other.normalized)
        if first.coefficient == 0 || second.coefficient == 0 { return first.coefficient == second.coefficient }
        return first == second
    }

    /// The exponent of both infinities.
    public static let infinityExponent: Int32 = 9184
    /// The exponent of NaN.
    public static let notANumberExponent: Int32 = 9696

    private var isInfinity: Bool { exponent == Self.infinityExponent }

    private var normalized: WireDecimal {
        var (coefficient, exponent) = (coefficient, exponent)
        while coefficient != 0, coefficient % 10 == 0 {
            coefficient /= 10
            exponent += 1
        }
        return WireDecimal(
            high: UInt64(truncatingIfNeeded: coefficient >> 64),
            low: UInt64(truncatingIfNeeded: coefficient),
            exponent: exponent,
            isNegative: isNegative
        )
    }
}
