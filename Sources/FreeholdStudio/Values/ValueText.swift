import Foundation
import FreeholdEngine

/// Values as text without quotation marks, for titles, CSV and Markdown.
enum ValueText {
    /// Returns the text of a single value. Null is an empty text.
    static func plain(_ value: Value) -> String {
        switch value {
        case .null: ""
        case .bool(let value): value ? "true" : "false"
        case .int(let value): String(value)
        case .float(let value): number(value)
        case .double(let value): number(value)
        case .string(let value): value
        case .data(let value): value.base64EncodedString()
        case .timestamp(let value): date(value)
        case .decimal128(let value): value.description
        case .objectId(let value): value.stringValue
        case .uuid(let value): value.uuidString
        case .link(let key): String(key.raw)
        case .objectLink(let link): String(link.key.raw)
        case .list(let list): "[" + list.values.map(plain).joined(separator: ", ") + "]"
        case .dictionary(let map):
            "{" + map.entries.map { "\($0.key): \(plain($0.value))" }.joined(separator: ", ") + "}"
        }
    }

    /// Returns the shortest digits that read back as the same number.
    static func number(_ value: some BinaryFloatingPoint & LosslessStringConvertible) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
        if value.isZero { return value.sign == .minus ? "-0" : "0" }
        let text = String(value)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Returns a moment in the form of ISO 8601 in UTC, with as many digits of the second as it has. Years beyond four digits have a sign.
    static func date(_ value: Timestamp) -> String {
        let (days, second) = value.seconds.quotientAndRemainder(dividingBy: 86_400)
        let (day, rest) = second < 0 ? (days - 1, second + 86_400) : (days, second)
        let date = CivilDate(day: day)
        let year = date.year
        let years =
            (0...9_999).contains(year) ? padded(year, 4) : (year < 0 ? "-" : "+") + padded(abs(year), 6)
        var text =
            "\(years)-\(padded(date.month, 2))-\(padded(date.day, 2))T\(padded(rest / 3_600, 2)):"
            + "\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))"
        if value.nanoseconds > 0 {
            var digits = padded(Int64(value.nanoseconds), 9)
            while digits.hasSuffix("0") { digits.removeLast() }
            text += "." + digits
        }
        return text + "Z"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}

/// A day of the Gregorian calendar, which is used for all years.
struct CivilDate: Equatable {
    let year: Int64
    let month: Int64
    let day: Int64

    /// - Parameter day: The number of days since 1 January 1970.
    init(day: Int64) {
        // Years begin in March, so that the day that leap years add is the last one.
        let (z, shift) = (day + 719_468, Int64(146_097))
        let era = (z >= 0 ? z : z - shift + 1) / shift
        let ofEra = z - era * shift
        let ofYear = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofMarch = ofEra - (365 * ofYear + ofYear / 4 - ofYear / 100)
        let march = (5 * ofMarch + 2) / 153
        self.day = ofMarch - (153 * march + 2) / 5 + 1
        month = march < 10 ? march + 3 : march - 9
        year = ofYear + era * 400 + (month <= 2 ? 1 : 0)
    }

    init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The number of days since 1 January 1970.
    var dayNumber: Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let ofEra = year - era * 400
        let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
    }
}
