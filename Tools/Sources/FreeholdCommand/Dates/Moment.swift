import Foundation

/// A point in time in UTC with nanoseconds, and its text in ISO 8601.
struct Moment: Equatable {
    /// The seconds since 1970.
    let seconds: Int64
    /// The nanoseconds after the seconds, from 0 to below 1,000,000,000.
    let nanoseconds: Int64

    init(seconds: Int64, nanoseconds: Int64 = 0) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Creates a point in time rounded to microseconds, which is the precision of a present `Date`. Returns nil if the
    /// date is out of range.
    init?(_ date: Date) {
        let time = date.timeIntervalSince1970
        guard time.magnitude < 1e14 else { return nil }
        let whole = time.rounded(.down)
        let micros = Int64(((time - whole) * 1e6).rounded())
        self.init(seconds: Int64(whole) + micros / 1_000_000, nanoseconds: micros % 1_000_000 * 1000)
    }

    /// A text such as `2024-02-29T12:30:00.5Z`. Years before 0 or after 9999 have a sign.
    var text: String {
        let day = Day(seconds: seconds)
        let second = Int(seconds - day.number * 86_400)
        var text = "\(day.text)T\(padded(second / 3600)):\(padded(second / 60 % 60)):\(padded(second % 60))"
        if nanoseconds != 0 {
            var fraction = padded(Int(nanoseconds), to: 9)
            while fraction.hasSuffix("0") { fraction.removeLast() }
            text += "." + fraction
        }
        return text + "Z"
    }
}

/// A day of the proleptic Gregorian calendar.
struct Day: Equatable {
    let year: Int
    let month: Int
    let day: Int
    /// The number of the day. 1970-01-01 is 0.
    let number: Int64

    /// - Returns: Nil for a day that doesn't exist.
    init?(year: Int, month: Int, day: Int) {
        guard (1...12).contains(month), (1...Self.length(ofMonth: month, year: year)).contains(day) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
        // A year begins in March in this computation, so that the leap day is its last day. 400 years are an era.
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        number = Int64(era * 146_097 + dayOfEra - 719_468)
    }

    init(seconds: Int64) {
        number = seconds >= 0 ? seconds / 86_400 : (seconds + 1) / 86_400 - 1
        let shifted = Int(number) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
        return [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    var text: String {
        let sign = year < 0 ? "-" : year > 9999 ? "+" : ""
        return "\(sign)\(padded(abs(year), to: 4))-\(padded(month))-\(padded(day))"
    }
}

private func padded(_ number: Int, to width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}
