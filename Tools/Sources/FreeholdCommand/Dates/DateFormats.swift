import ArgumentParser
import Foundation
import Freehold

/// The options for the format of dates in imported data.
struct DateOptions: ParsableArguments {
    @Option(
        name: .customLong("date-format"),
        help: ArgumentHelp(
            "How dates are written: 'dd.MM.yyyy HH:mm', seconds or milliseconds since 1970; may be given several times.",
            valueName: "format"
        )
    )
    var formats: [String] = []
    @Option(help: ArgumentHelp("The zone of dates that don't say theirs: Europe/Paris, +02:00.", valueName: "zone"))
    var timeZone: String?

    func validate() throws {
        do {
            let read = try DateFormats(self)
            if timeZone != nil && !read.hasPatterns {
                throw ValidationError("--time-zone goes with a --date-format that is a pattern.")
            }
        } catch let failure as Failure {
            throw ValidationError(failure.message)
        }
    }
}

/// The accepted formats of dates: ISO 8601, and those of the options.
struct DateFormats: Sendable {
    private let patterns: [DatePattern]
    /// The meaning of numbers as dates, or nil if numbers aren't dates.
    let numbers: JSONDateFormat?

    /// ISO 8601 only.
    static let standard = DateFormats(patterns: [], numbers: nil)

    private init(patterns: [DatePattern], numbers: JSONDateFormat?) {
        self.patterns = patterns
        self.numbers = numbers
    }

    init(_ options: DateOptions) throws {
        let zone = try Self.zone(options.timeZone)
        var patterns: [DatePattern] = []
        var numbers: JSONDateFormat?
        for format in options.formats {
            switch format {
            case "seconds", "milliseconds":
                guard numbers == nil else {
                    throw Failure(.usage, "A number can't stand for seconds and for milliseconds: give one format.")
                }
                numbers = format == "seconds" ? .secondsSince1970 : .millisecondsSince1970
            case "iso8601": break
            default: patterns.append(try DatePattern(format, zone: zone))
            }
        }
        self.init(patterns: patterns, numbers: numbers)
    }

    private static func zone(_ name: String?) throws -> TimeZone {
        guard let name else { return TimeZone(secondsFromGMT: 0)! }
        let offset = try? DatePattern("yyyyX", zone: TimeZone(secondsFromGMT: 0)!).moment("1970" + name)
        let zone = offset.map { TimeZone(secondsFromGMT: Int(-$0.seconds)) } ?? TimeZone(identifier: name)
        guard let zone else {
            throw Failure(.usage, "--time-zone: there is no zone '\(name)'. Give one such as Europe/Paris or +02:00.")
        }
        return zone
    }

    var hasPatterns: Bool { !patterns.isEmpty }

    /// Returns the point in time in ISO 8601 for a text that matches a pattern, or nil for other texts. The library can
    /// read it.
    func standardText(_ text: String) -> String? {
        for pattern in patterns {
            if let moment = pattern.moment(text) { return moment.text }
        }
        return nil
    }

    /// Returns a Boolean value that indicates whether a text is a date in one of the formats. ISO 8601 includes a date
    /// alone, and a date with a time and a zone.
    func isDate(_ text: String) -> Bool { Self.isISO8601(text) || standardText(text) != nil }

    private static let isoPatterns: [DatePattern] = [
        "yyyy-MM-dd'T'HH:mm:ssX", "yyyy-MM-dd", "yyyy-MM-dd'T'HH:mm:ss.SX", "yyyy-MM-dd'T'HH:mmX",
        "yyyy-MM-dd HH:mm:ssX", "yyyy-MM-dd HH:mm:ss.SX", "yyyy-MM-dd HH:mmX",
    ].map { try! DatePattern($0, zone: TimeZone(secondsFromGMT: 0)!, isExact: true) }

    static func isISO8601(_ text: String) -> Bool { isoMoment(text) != nil }

    static func isoMoment(_ text: String) -> Moment? {
        // The length and the fifth character exclude most texts.
        let bytes = text.utf8
        guard (10...40).contains(bytes.count), bytes.dropFirst(4).first == UInt8(ascii: "-") else { return nil }
        for pattern in isoPatterns {
            if let moment = pattern.moment(text) { return moment }
        }
        return nil
    }

    /// The description of the expected formats, for texts that aren't dates.
    var expected: String {
        let all = patterns.map { "'\($0.text)'" } + (numbers.map { ["a number of \($0.unit)"] } ?? [])
        return (["a date of ISO 8601, such as 2024-02-29T12:30:00Z"] + all).joined(separator: ", or ")
    }
}

extension JSONDateFormat {
    fileprivate var unit: String { self == .millisecondsSince1970 ? "milliseconds" : "seconds" }
}
