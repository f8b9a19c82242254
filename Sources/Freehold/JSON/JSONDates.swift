import FreeholdEngine

/// Points in time in the format of ISO 8601 (RFC 3339, with years of any length), with a precision of nanoseconds.
enum ISO8601 {
    /// Returns the text, such as `2024-02-29T12:30:00.5Z`. Years before 0 or after 9999 have a sign, like the standard
    /// requires.
    static func text(_ timestamp: Timestamp) -> String {
        let days = floored(timestamp.seconds, by: 86_400)
        // The start of the day may be before the smallest second.
        let second = Int(timestamp.seconds &- days &* 86_400)
        let (year, month, day) = date(ofDay: days)
        var text =
            year < 0
            ? "-" + padded(Int(-year), to: 4) : (year > 9999 ? "+" : "") + padded(Int(year), to: 4)
        text += "-\(padded(month, to: 2))-\(padded(day, to: 2))T"
        text += "\(padded(second / 3600, to: 2)):\(padded(second / 60 % 60, to: 2)):\(padded(second % 60, to: 2))"
        if timestamp.nanoseconds != 0 {
            var fraction = padded(Int(timestamp.nanoseconds), to: 9)
            while fraction.utf8.last == UInt8(ascii: "0") { fraction.removeLast() }
            text += "." + fraction
        }
        return text + "Z"
    }

    /// Parses a date (midnight in UTC) or a date and time with a zone. Returns nil for other texts.
    ///
    /// A fraction is cut after nine digits. A second 60 is the first second of the next minute.
    static func parse(_ text: String) -> Timestamp? {
        var rest = Scanner(text)
        let negative = rest.skip("-")
        if !negative { _ = rest.skip("+") }
        guard let year = rest.number(4...12), rest.skip("-"), let month = rest.number(2...2), rest.skip("-"),
            let day = rest.number(2...2), (1...12).contains(month), day >= 1,
            day <= length(ofMonth: month, year: negative ? -year : year)
        else { return nil }
        var seconds = Int128(self.day(year: negative ? -year : year, month: month, day: day)) * 86_400
        var nanoseconds: Int32 = 0
        if !rest.isAtEnd {
            guard rest.skip("T") || rest.skip("t") || rest.skip(" "), let hour = rest.number(2...2), hour < 24,
                rest.skip(":"), let minute = rest.number(2...2), minute < 60
            else { return nil }
            seconds += Int128(hour * 3600 + minute * 60)
            if rest.skip(":") {
                guard let second = rest.number(2...2), second <= 60 else { return nil }
                seconds += Int128(second)
                if rest.skip(".") || rest.skip(",") {
                    guard let fraction = rest.fraction() else { return nil }
                    nanoseconds = fraction
                }
            }
            guard let offset = zone(&rest), rest.isAtEnd else { return nil }
            seconds -= Int128(offset)
        }
        return Int64(exactly: seconds).map { Timestamp(seconds: $0, nanoseconds: nanoseconds) }
    }

    /// Parses a zone. Returns the seconds east of Greenwich.
    private static func zone(_ rest: inout Scanner) -> Int64? {
        if rest.skip("Z") || rest.skip("z") { return 0 }
        let west = rest.skip("-")
        guard west || rest.skip("+"), let hours = rest.number(2...2), hours < 24 else { return nil }
        let colon = rest.skip(":")
        let minutes = rest.number(2...2) ?? (colon ? -1 : 0)
        guard minutes >= 0 && minutes < 60 else { return nil }
        return (hours * 3600 + minutes * 60) * (west ? -1 : 1)
    }

    // MARK: The proleptic Gregorian calendar

    private static func floored(_ a: Int64, by b: Int64) -> Int64 { a >= 0 ? a / b : (a + 1) / b - 1 }

    private static func length(ofMonth month: Int64, year: Int64) -> Int64 {
        if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
        return [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// Returns the number of days since 1970. The computation uses eras of 400 years that begin in March.
    private static func day(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = floored(shifted, by: 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func date(ofDay days: Int64) -> (year: Int64, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = floored(shifted, by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let calendarMonth = month < 10 ? month + 3 : month - 9
        return (yearOfEra + era * 400 + (calendarMonth <= 2 ? 1 : 0), Int(calendarMonth), Int(day))
    }

    static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    private struct Scanner {
        private let bytes: [UInt8]
        private var position = 0

        init(_ text: String) { bytes = Array(text.utf8) }

        var isAtEnd: Bool { position == bytes.count }

        mutating func skip(_ mark: Unicode.Scalar) -> Bool {
            guard position < bytes.count, bytes[position] == UInt8(ascii: mark) else { return false }
            position += 1
            return true
        }

        private mutating func digit() -> Int64? {
            guard position < bytes.count, bytes[position] >= 0x30, bytes[position] <= 0x39 else { return nil }
            position += 1
            return Int64(bytes[position - 1] - 0x30)
        }

        /// Parses a number with the given number of digits.
        mutating func number(_ width: ClosedRange<Int>) -> Int64? {
            let start = position
            var value: Int64 = 0
            while position - start < width.upperBound, let digit = digit() { value = value * 10 + digit }
            return position - start >= width.lowerBound ? value : nil
        }

        mutating func fraction() -> Int32? {
            var value: Int32 = 0
            var count = 0
            while let digit = digit() {
                if count < 9 { value = value * 10 + Int32(digit) }
                count += 1
            }
            guard count > 0 else { return nil }
            for _ in min(count, 9)..<9 { value *= 10 }
            return value
        }
    }
}

/// The format of dates in written JSON, and the meaning of numbers that are read as dates. Strings are always read as
/// ISO 8601.
public enum JSONDateFormat: String, Sendable, CaseIterable {
    /// A string: `2024-02-29T12:30:00.5Z`. A number that is read is the number of seconds since 1970.
    case iso8601
    /// The number of seconds since 1970, with all decimals.
    case secondsSince1970
    /// The number of milliseconds since 1970, with all decimals.
    case millisecondsSince1970
}

extension JSONDateFormat {
    /// Returns the point in time of a number, rounded to nanoseconds, or nil if it is out of range.
    func moment(number: Decimal128) -> Timestamp? {
        let unit: Decimal128 = self == .millisecondsSince1970 ? 1_000_000 : 1_000_000_000
        guard let total = Int128(exactly: (number * unit).rounded()) else { return nil }
        let (quotient, remainder) = total.quotientAndRemainder(dividingBy: 1_000_000_000)
        guard let seconds = Int64(exactly: quotient) else { return nil }
        return Timestamp(seconds: seconds, nanoseconds: Int32(remainder))
    }

    /// Returns the JSON of a point in time.
    func text(_ timestamp: Timestamp) -> String {
        switch self {
        case .iso8601: return "\"\(ISO8601.text(timestamp))\""
        case .secondsSince1970: return timestamp.description
        case .millisecondsSince1970:
            let total = Int128(timestamp.seconds) * 1000 * 1_000_000 + Int128(timestamp.nanoseconds)
            let (whole, rest) = total.quotientAndRemainder(dividingBy: 1_000_000)
            if rest == 0 { return "\(whole)" }
            var fraction = ISO8601.padded(Int(rest.magnitude), to: 6)
            while fraction.utf8.last == UInt8(ascii: "0") { fraction.removeLast() }
            return "\(total < 0 ? "-" : "")\(whole.magnitude).\(fraction)"
        }
    }
}
