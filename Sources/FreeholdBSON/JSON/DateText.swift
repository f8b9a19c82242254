/// Dates in the format of RFC 3339, in the proleptic Gregorian calendar.
enum DateText {
    /// The dates from 1970 to 9999, which relaxed Extended JSON writes as text.
    static let relaxedRange: ClosedRange<Int64> = 0...253_402_300_799_999

    /// Appends a text like `2012-12-24T12:15:30.501Z`, without a fraction that is zero. The date must be in
    /// `relaxedRange`.
    static func append(_ milliseconds: Int64, to text: inout [UInt8]) {
        let (days, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        let (year, month, day) = date(days: Int(days))
        let time = Int(rest)
        digits(year, count: 4, to: &text)
        text.append(UInt8(ascii: "-"))
        digits(month, count: 2, to: &text)
        text.append(UInt8(ascii: "-"))
        digits(day, count: 2, to: &text)
        text.append(UInt8(ascii: "T"))
        digits(time / 3_600_000, count: 2, to: &text)
        text.append(UInt8(ascii: ":"))
        digits(time / 60_000 % 60, count: 2, to: &text)
        text.append(UInt8(ascii: ":"))
        digits(time / 1000 % 60, count: 2, to: &text)
        if time % 1000 != 0 {
            text.append(UInt8(ascii: "."))
            digits(time % 1000, count: 3, to: &text)
        }
        text.append(UInt8(ascii: "Z"))
    }

    private static func digits(_ value: Int, count: Int, to text: inout [UInt8]) {
        var power = 1
        for _ in 1..<count { power *= 10 }
        while power > 0 {
            text.append(UInt8(ascii: "0") + UInt8(value / power % 10))
            power /= 10
        }
    }

    /// Returns the milliseconds of a date and time with an offset from UTC, or nil for another text, and for a time
    /// with a higher precision than milliseconds.
    static func parse(_ text: String) -> Int64? {
        var scanner = Scanner(text: Array(text.utf8.prefix(64)))
        guard text.utf8.count <= 64,
            let year = scanner.number(4), scanner.take("-"),
            let month = scanner.number(2), scanner.take("-"),
            let day = scanner.number(2), scanner.take("T") || scanner.take("t") || scanner.take(" "),
            let hour = scanner.number(2), scanner.take(":"),
            let minute = scanner.number(2), scanner.take(":"),
            let second = scanner.number(2),
            let fraction = scanner.fraction(),
            let offset = scanner.offset(), scanner.isAtEnd,
            1...12 ~= month, 1...daysOfMonth(month, of: year) ~= day, hour < 24, minute < 60, second < 60
        else { return nil }
        let seconds =
            days(year: year, month: month, day: day) * 86_400 + hour * 3600 + minute * 60 + second - offset * 60
        return Int64(seconds * 1000 + fraction)
    }

    private struct Scanner {
        let text: [UInt8]
        var position = 0

        init(text: [UInt8]) { self.text = text }

        var isAtEnd: Bool { position == text.count }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        mutating func digit() -> Int? {
            guard position < text.count, text[position] &- UInt8(ascii: "0") <= 9 else { return nil }
            position += 1
            return Int(text[position - 1] - UInt8(ascii: "0"))
        }

        mutating func number(_ count: Int) -> Int? {
            var value = 0
            for _ in 0..<count {
                guard let digit = digit() else { return nil }
                value = value * 10 + digit
            }
            return value
        }

        /// Returns the milliseconds after a point, or 0 without a point.
        mutating func fraction() -> Int? {
            guard take(".") else { return 0 }
            guard var value = digit() else { return nil }
            for _ in 1..<3 { value = value * 10 + (digit() ?? 0) }
            while let digit = digit() {
                guard digit == 0 else { return nil }
            }
            return value
        }

        /// Returns the minutes east of Greenwich.
        mutating func offset() -> Int? {
            if take("Z") || take("z") { return 0 }
            let isWest = take("-")
            guard isWest || take("+"), let hours = number(2) else { return nil }
            _ = take(":")
            guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
            return (isWest ? -1 : 1) * (hours * 60 + minutes)
        }
    }

    // A year begins in March in this computation, so that the leap day is its last day. 400 years have 146,097 days,
    // and 719,468 days are between March of the year 0 and 1970.

    private static func days(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Returns the date for days from 1970 on.
    private static func date(days: Int) -> (year: Int, month: Int, day: Int) {
        let day = days + 719_468
        let era = day / 146_097
        let dayOfEra = day % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    private static func daysOfMonth(_ month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
