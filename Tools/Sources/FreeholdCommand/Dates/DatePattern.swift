import Foundation

/// A pattern of Unicode's date fields for dates in data, such as `dd.MM.yyyy HH:mm`.
///
/// Fields are numbers in UTC or another time zone, and English names of months. A field of two letters also accepts one
/// digit, unless the next field follows immediately. Characters that aren't letters, and text in apostrophes, must be
/// present literally.
struct DatePattern: Sendable {
    private enum Piece: Sendable, Equatable {
        case text(String)
        /// A number with a minimum and a maximum number of digits.
        case number(Field, ClosedRange<Int>)
        case monthName
        case halfDay
        case zone
    }

    private enum Field: Sendable {
        case year, shortYear, month, day, hour, halfHour, minute, second, fraction
    }

    /// The text of the pattern.
    let text: String
    private let pieces: [Piece]
    private let zone: TimeZone

    /// Parses a pattern.
    ///
    /// - Parameters:
    ///   - zone: The time zone of dates without one.
    ///   - isExact: A Boolean value that indicates whether a field has exactly as many digits as letters.
    /// - Throws: `Failure` for a letter that isn't a field.
    init(_ text: String, zone: TimeZone, isExact: Bool = false) throws {
        self.text = text
        self.zone = zone
        var pieces: [Piece] = []
        var rest = Array(text)[...]
        while let letter = rest.first {
            if letter == "'" {
                pieces.append(.text(try Self.quoted(&rest, text)))
            } else if letter.isASCII, letter.isLetter {
                let count = rest.prefix { $0 == letter }.count
                rest = rest.dropFirst(count)
                pieces.append(try Self.piece(letter, count, in: text))
            } else {
                rest = rest.dropFirst()
                pieces.append(.text(String(letter)))
            }
        }
        self.pieces = Self.withExactDigits(pieces, all: isExact)
        guard
            pieces.contains(where: { if case .number(.year, _) = $0 { true } else { false } })
                || pieces.contains(where: { if case .number(.shortYear, _) = $0 { true } else { false } })
        else { throw Failure(.usage, "the date format '\(text)' has no year: 'yyyy' or 'yy'") }
    }

    private static func quoted(_ rest: inout ArraySlice<Character>, _ text: String) throws -> String {
        rest = rest.dropFirst()
        if rest.first == "'" {
            rest = rest.dropFirst()
            return "'"
        }
        guard let end = rest.firstIndex(of: "'") else {
            throw Failure(.usage, "an apostrophe isn't closed in the date format '\(text)'")
        }
        defer { rest = rest[(end + 1)...] }
        return String(rest[..<end])
    }

    private static func piece(_ letter: Character, _ count: Int, in text: String) throws -> Piece {
        switch (letter, count) {
        case ("y", 2): return .number(.shortYear, 2...2)
        case ("y", 1), ("y", 4): return .number(.year, count == 4 ? 4...4 : 1...6)
        case ("M", 1), ("M", 2): return .number(.month, 1...2)
        case ("M", 3), ("M", 4): return .monthName
        case ("d", 1), ("d", 2): return .number(.day, 1...2)
        case ("H", 1), ("H", 2): return .number(.hour, 1...2)
        case ("h", 1), ("h", 2): return .number(.halfHour, 1...2)
        case ("m", 1), ("m", 2): return .number(.minute, 1...2)
        case ("s", 1), ("s", 2): return .number(.second, 1...2)
        case ("S", 1...9): return .number(.fraction, 1...9)
        case ("a", 1): return .halfDay
        case ("Z", 1...5), ("X", 1...5), ("x", 1...5): return .zone
        default:
            throw Failure(
                .usage,
                "'\(String(repeating: letter, count: count))' in the date format '\(text)' isn't understood. It has "
                    + "yyyy, yy, MM, MMM, dd, HH, hh with a, mm, ss, SSS and X; other letters stand in apostrophes."
            )
        }
    }

    /// Returns pieces in which adjacent numbers have exact numbers of digits.
    private static func withExactDigits(_ pieces: [Piece], all: Bool) -> [Piece] {
        pieces.enumerated().map { i, piece in
            guard case .number(let field, let range) = piece, field != .fraction else { return piece }
            let isFollowed = if i + 1 < pieces.count, case .number = pieces[i + 1] { true } else { false }
            guard all || isFollowed else { return piece }
            return .number(field, min(range.upperBound, 4)...min(range.upperBound, 4))
        }
    }

    // MARK: Reading

    /// Returns the point in time of a text, or nil if it doesn't match the pattern or isn't a date.
    func moment(_ text: String) -> Moment? {
        var rest = Substring(text)
        var fields: [Field: Int] = [:]
        var isAfternoon: Bool?
        var offset: Int?
        for piece in pieces {
            switch piece {
            case .text(let expected):
                guard rest.hasPrefix(expected) else { return nil }
                rest = rest.dropFirst(expected.count)
            case .number(let field, let range):
                let digits = rest.prefix(range.upperBound).prefix { $0.isASCII && $0.isNumber }
                guard digits.count >= range.lowerBound, var number = Int(digits) else { return nil }
                if field == .fraction { for _ in digits.count..<9 { number *= 10 } }
                fields[field] = number
                rest = rest.dropFirst(digits.count)
            case .monthName:
                guard let (month, length) = Self.month(rest) else { return nil }
                fields[.month] = month
                rest = rest.dropFirst(length)
            case .halfDay:
                guard ["am", "pm"].contains(rest.prefix(2).lowercased()) else { return nil }
                isAfternoon = rest.prefix(2).lowercased() == "pm"
                rest = rest.dropFirst(2)
            case .zone:
                guard let seconds = Self.offset(&rest) else { return nil }
                offset = seconds
            }
        }
        guard rest.isEmpty else { return nil }
        return moment(fields, isAfternoon, offset: offset)
    }

    private func moment(_ fields: [Field: Int], _ isAfternoon: Bool?, offset: Int?) -> Moment? {
        // Two digits are years from 1969 to 2068, like in POSIX.
        let year = fields[.year] ?? fields[.shortYear].map { $0 < 69 ? 2000 + $0 : 1900 + $0 } ?? 1970
        guard let day = Day(year: year, month: fields[.month] ?? 1, day: fields[.day] ?? 1) else { return nil }
        var hour = fields[.hour] ?? 0
        if let half = fields[.halfHour] {
            guard (1...12).contains(half) else { return nil }
            hour = half % 12 + (isAfternoon == true ? 12 : 0)
        }
        let (minute, second) = (fields[.minute] ?? 0, fields[.second] ?? 0)
        guard hour < 24, minute < 60, second <= 60 else { return nil }
        let local = day.number * 86_400 + Int64(hour * 3600 + minute * 60 + second)
        return Moment(
            seconds: local - Int64(offset ?? Self.offset(of: zone, at: local)),
            nanoseconds: Int64(fields[.fraction] ?? 0)
        )
    }

    /// Returns the offset of a time zone. For a local time that occurs twice, when clocks are set back, it is the first
    /// one.
    private static func offset(of zone: TimeZone, at local: Int64) -> Int {
        let before = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(local) - 86_400))
        let first = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(local - Int64(before))))
        if first == before { return before }
        let second = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(local - Int64(first))))
        return second == first ? first : before
    }

    /// Parses `Z`, `+02`, `+0200` or `+02:00`.
    private static func offset(_ rest: inout Substring) -> Int? {
        guard let sign = rest.popFirst() else { return nil }
        if sign == "Z" || sign == "z" { return 0 }
        guard sign == "+" || sign == "-" else { return nil }
        func two() -> Int? {
            let digits = rest.prefix(2).prefix { $0.isASCII && $0.isNumber }
            guard digits.count == 2 else { return nil }
            rest = rest.dropFirst(2)
            return Int(digits)
        }
        guard let hours = two(), hours < 24 else { return nil }
        var minutes = 0
        if rest.first == ":" {
            rest = rest.dropFirst()
            guard let given = two() else { return nil }
            minutes = given
        } else if let given = two() {
            minutes = given
        }
        guard minutes < 60 else { return nil }
        return (hours * 3600 + minutes * 60) * (sign == "-" ? -1 : 1)
    }

    /// Parses the name of a month or its first three letters. The longer form has precedence.
    private static func month(_ text: Substring) -> (month: Int, length: Int)? {
        let lower = text.prefix(9).lowercased()
        for (i, name) in months.enumerated() {
            if lower.hasPrefix(name) { return (i + 1, name.count) }
        }
        for (i, name) in months.enumerated() where lower.hasPrefix(name.prefix(3)) { return (i + 1, 3) }
        return nil
    }

    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]
}
