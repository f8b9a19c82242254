#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A moment as whole seconds since 1970 (rounded down, so that nanoseconds are never negative) and nanoseconds.
///
/// A `Date` is a `Double` of seconds since 2001. The conversion from a `Date` rounds to the nearest nanosecond, and the conversion to a `Date` to the
/// nearest `Double`. A date in range that is at least 2²³ seconds (97 days) away from the start of 2001 is therefore unchanged after a round trip.
/// For nearer dates, the `Double` is more precise than a nanosecond, and they change by less than a nanosecond. A date that was converted from a
/// timestamp remains unchanged in all further round trips.
public struct Timestamp: Hashable, Comparable, Sendable {
    public let seconds: Int64
    /// The nanoseconds, 0 ..< 1,000,000,000, or a negative number if the value isn't a moment.
    public let nanoseconds: Int32

    @inlinable init(normalizedSeconds seconds: Int64, nanoseconds: Int32) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Creates the moment that is `nanoseconds` (of any sign and size) after the second, limited to `min ... max`.
    public init(seconds: Int64, nanoseconds: Int32) {
        var carry = Int64(nanoseconds / Self.nanosecondsPerSecond)
        var rest = nanoseconds % Self.nanosecondsPerSecond
        if rest < 0 {
            rest += Self.nanosecondsPerSecond
            carry -= 1
        }
        let (sum, overflow) = seconds.addingReportingOverflow(carry)
        if overflow {
            self = carry < 0 ? .min : .max
        } else {
            self.init(normalizedSeconds: sum, nanoseconds: rest)
        }
    }

    /// Creates a timestamp from a date, rounded to the nearest nanosecond. A date that is out of range becomes `min` or `max`. For a date that is NaN
    /// or infinite, the result isn't valid.
    public init(_ date: Date) {
        let interval = date.timeIntervalSinceReferenceDate
        if !interval.isFinite {
            self.init(
                normalizedSeconds: interval.isNaN ? 0 : interval < 0 ? .min : .max,
                nanoseconds: Self.invalidNanoseconds
            )
        } else if interval >= 0x1p63 {
            self = .max
        } else if interval < -0x1p63 {
            self = .min
        } else {
            let whole = interval.rounded(.down)
            // The number can be 1e9 if the fraction of a small negative interval is rounded to one.
            let nanoseconds = Int32(((interval - whole) * Double(Self.nanosecondsPerSecond)).rounded())
            let (seconds, overflow) = Int64(whole).addingReportingOverflow(Self.referenceDate)
            self = overflow ? .max : Timestamp(seconds: seconds, nanoseconds: nanoseconds)
        }
    }

    /// A Boolean value that indicates whether this is a moment. An invalid value results from a date that is NaN or infinite, and can't be stored.
    @inlinable public var isValid: Bool { nanoseconds >= 0 }

    /// The nearest `Date`.
    public var date: Date {
        guard isValid else {
            return Date(timeIntervalSinceReferenceDate: seconds == 0 ? .nan : seconds < 0 ? -.infinity : .infinity)
        }
        let (seconds, overflow) = seconds.subtractingReportingOverflow(Self.referenceDate)
        let whole = overflow ? Double(self.seconds) - Double(Self.referenceDate) : Double(seconds)
        return Date(
            timeIntervalSinceReferenceDate: whole + Double(nanoseconds) / Double(Self.nanosecondsPerSecond)
        )
    }

    @inlinable public static func < (a: Timestamp, b: Timestamp) -> Bool {
        a.seconds == b.seconds ? a.nanoseconds < b.nanoseconds : a.seconds < b.seconds
    }

    public static let min = Timestamp(normalizedSeconds: .min, nanoseconds: 0)
    public static let max = Timestamp(normalizedSeconds: .max, nanoseconds: 999_999_999)

    private static let invalidNanoseconds: Int32 = -1
    private static let nanosecondsPerSecond: Int32 = 1_000_000_000
    /// 2001-01-01 00:00 UTC, in seconds since 1970.
    private static let referenceDate: Int64 = 978_307_200
}

extension Date {
    /// Creates the nearest `Date` to the moment.
    public init(_ timestamp: Timestamp) { self = timestamp.date }
}

extension Timestamp: CustomStringConvertible {
    /// Seconds since 1970 as an exact decimal number, such as `-0.5` or `1700000000.000000001`.
    public var description: String {
        guard isValid else { return seconds == 0 ? "nan" : seconds < 0 ? "-inf" : "inf" }
        var whole = seconds
        var rest = nanoseconds
        var sign = ""
        if whole < 0 && rest > 0 {
            whole += 1
            rest = Self.nanosecondsPerSecond - rest
            if whole == 0 { sign = "-" }
        }
        guard rest != 0 else { return "\(whole)" }
        var fraction = String(rest)
        fraction = String(repeating: "0", count: 9 - fraction.utf8.count) + fraction
        while fraction.last == "0" { fraction.removeLast() }
        return "\(sign)\(whole).\(fraction)"
    }
}

extension Timestamp: Codable {
    /// Decodes the form that `encode(to:)` writes: an array of seconds and nanoseconds.
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        self.init(seconds: try container.decode(Int64.self), nanoseconds: try container.decode(Int32.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(seconds)
        try container.encode(nanoseconds)
    }
}
