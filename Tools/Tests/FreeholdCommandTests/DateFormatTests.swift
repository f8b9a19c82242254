import Foundation
import Testing

@testable import FreeholdCommand

struct DateFormatTests {
    private static let utc = TimeZone(secondsFromGMT: 0)!

    @Test(
        arguments: [
            ("dd.MM.yyyy", "29.02.2024", "2024-02-29T00:00:00Z"), ("dd.MM.yyyy", "1.3.1999", "1999-03-01T00:00:00Z"),
            ("dd.MM.yyyy", "29.02.2023", nil), ("dd.MM.yyyy", "01.13.2023", nil), ("dd.MM.yyyy", "01.01.2023 ", nil),
            ("yyyyMMdd", "20240531", "2024-05-31T00:00:00Z"), ("yyyyMMdd", "2024531", nil),
            ("yyyyMMddHHmmss", "20240531235959", "2024-05-31T23:59:59Z"),
            ("M/d/yy h:mm a", "12/31/68 12:05 AM", "2068-12-31T00:05:00Z"),
            ("M/d/yy h:mm a", "7/4/76 1:30 pm", "1976-07-04T13:30:00Z"),
            ("d MMM yyyy", "5 Sep 1977", "1977-09-05T00:00:00Z"),
            ("d MMMM yyyy", "5 september 1977", "1977-09-05T00:00:00Z"),
            ("d MMM yyyy", "5 Sex 1977", nil),
            ("yyyy-MM-dd HH:mm:ss.SSS", "2024-01-01 00:00:00.25", "2024-01-01T00:00:00.25Z"),
            ("yyyy-MM-dd'T'HH:mm:ssX", "2024-01-01T00:30:00+02:00", "2023-12-31T22:30:00Z"),
            ("yyyy-MM-dd HH:mm X", "2024-01-01 00:30 -0530", "2024-01-01T06:00:00Z"),
            ("yyyy-MM-dd HH:mm X", "2024-01-01 00:30 -05:3", nil),
            ("'on' dd.MM.yyyy", "on 01.02.2003", "2003-02-01T00:00:00Z"), ("yyyy", "0004", "0004-01-01T00:00:00Z"),
            ("yyyy-MM-dd", "٢٠٢٤-01-01", nil),
            ("yyyy-MM-dd HH:mm", "2024-01-01 24:00", nil), ("yyyy-MM-dd", "", nil),
        ] as [(String, String, String?)]
    )
    func `a pattern reads what is written so, and nothing else`(pattern: String, text: String, expected: String?) throws
    {
        try expectEqual(DatePattern(pattern, zone: Self.utc).moment(text)?.text, expected)
    }

    @Test(arguments: ["qq", "dd.MM", "'yyyy", "yyyyy", "EEE yyyy", ""])
    func `a pattern that isn't understood is refused`(pattern: String) {
        #expect(throws: Failure.self) { try DatePattern(pattern, zone: Self.utc) }
    }

    @Test func `a zone holds for dates that don't say theirs, in summer and winter`() throws {
        let paris = try require(TimeZone(identifier: "Europe/Paris"))
        let pattern = try DatePattern("yyyy-MM-dd HH:mm", zone: paris)
        expectEqual(pattern.moment("2024-07-01 12:00")?.text, "2024-07-01T10:00:00Z")
        expectEqual(pattern.moment("2024-01-01 12:00")?.text, "2024-01-01T11:00:00Z")
        // This time of day occurs twice on that day. The first one is used.
        expectEqual(pattern.moment("2024-10-27 02:30")?.text, "2024-10-27T00:30:00Z")
        expectEqual(pattern.moment("2024-10-27 03:30")?.text, "2024-10-27T02:30:00Z")
        expectEqual(pattern.moment("2024-03-31 03:30")?.text, "2024-03-31T01:30:00Z")
    }

    @Test func `days are counted as Foundation counts them`() throws {
        var random = SeededRandom(test: "days")
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = Self.utc
        for _ in 0..<500 {
            // From 1600 to 2400. Foundation uses the same calendar in these years.
            let seconds = Int64.random(in: -11_676_096_000...13_569_465_600, using: &random)
            let day = Day(seconds: seconds)
            let parts = calendar.dateComponents(
                [.year, .month, .day],
                from: Date(timeIntervalSince1970: Double(seconds))
            )
            expect(
                parts.year == day.year && parts.month == day.month && parts.day == day.day,
                "\(seconds)"
            )
            expectEqual(Day(year: day.year, month: day.month, day: day.day)?.number, day.number)
        }
        expectEqual(Moment(seconds: -62_167_219_201).text, "-0001-12-31T23:59:59Z")
        expectEqual(Moment(seconds: 253_402_300_800).text, "+10000-01-01T00:00:00Z")
    }

    @Test(
        arguments: [
            ("2024-05-31", true), ("2024-05-31T10:00:00Z", true), ("2024-05-31 10:00:00.123456+02:00", true),
            ("2024-05-31T10:00Z", true),
            ("2024-05-31T10:00:00", false), ("2024-5-31", false), ("2024-02-30", false), ("20240531", false),
            ("2024-05-31x", false),
        ]
    )
    func `dates of ISO 8601 are known`(text: String, isDate: Bool) {
        expectEqual(DateFormats.isISO8601(text), isDate)
    }
}
