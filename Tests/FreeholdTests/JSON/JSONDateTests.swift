import Foundation
import FreeholdEngine
import TestRandom
import Testing

@testable import Freehold

@Suite("JSON: dates")
struct JSONDateTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0, 0), ("1970-01-01", 0, 0), ("2000-02-29T23:59:59z", 951_868_799, 0),
            ("1969-12-31T23:59:59.5Z", -1, 500_000_000), ("2024-02-29 12:30:00.000000001+05:30", 1_709_190_000, 1),
            ("2024-02-29T12:30-0800", 1_709_238_600, 0), ("2024-02-29T12:30:00+01", 1_709_206_200, 0),
            ("0000-01-01T00:00:00Z", -62_167_219_200, 0), ("-0001-12-31T00:00:00Z", -62_167_305_600, 0),
            ("2016-12-31T23:59:60Z", 1_483_228_800, 0), ("1970-01-01T00:00:00,123456789999Z", 0, 123_456_789),
            ("+12345-01-01T00:00:00Z", 327_403_382_400, 0), ("12345-01-01T00:00:00Z", 327_403_382_400, 0),
        ] as [(String, Int64, Int32)]
    )
    func `text of ISO 8601 is read`(text: String, seconds: Int64, nanoseconds: Int32) {
        expectEqual(ISO8601.parse(text), Timestamp(seconds: seconds, nanoseconds: nanoseconds))
    }

    @Test(arguments: [
        "", "2024", "2024-13-01", "2024-00-01", "2024-02-30", "2023-02-29", "1900-02-29", "2024-1-1", "24-01-01",
        "2024-01-01T", "2024-01-01T24:00:00Z", "2024-01-01T10:60:00Z", "2024-01-01T10:00:61Z",
        "2024-01-01T10:00:00", "2024-01-01T10:00:00.Z", "2024-01-01T10:00:00+", "2024-01-01T10:00:00+25:00",
        "2024-01-01T10:00:00+01:", "2024-01-01T10:00:00Zx", " 2024-01-01", "2024-01-01x", "9999999999999-01-01",
        "999999999999-01-01", "漢",
    ])
    func `other text is refused`(text: String) { expect(ISO8601.parse(text) == nil) }

    @Test(arguments: JSONDateFormat.allCases)
    func `Every moment is written so that it is read as the same one, in each format`(format: JSONDateFormat) throws {
        var moments: [Timestamp] = [
            .min, .max, Timestamp(seconds: 0, nanoseconds: 0), Timestamp(seconds: -1, nanoseconds: 999_999_999),
            Timestamp(seconds: -1, nanoseconds: 1), Timestamp(seconds: -62_167_219_201, nanoseconds: 0),
            Timestamp(seconds: 253_402_300_800, nanoseconds: 5),
        ]
        let seed = TestSeed.random(in: 0 ... .max)
        var generator = SystemRandomNumberGenerator()
        for bits in 1...63 {
            let size = Int64(1) << (bits - 1)
            moments.append(
                Timestamp(
                    seconds: .random(in: -size...size, using: &generator),
                    nanoseconds: .random(in: 0..<1_000_000_000, using: &generator)
                )
            )
        }
        for moment in moments {
            let text = format.text(moment)
            let read: Timestamp? =
                text.hasPrefix("\"")
                ? ISO8601.parse(String(text.dropFirst().dropLast()))
                : format.moment(number: try require(Decimal128(text)))
            expectEqual(read, moment, "\(text) (\(seed))")
        }
    }

    @Test
    func `text agrees with Foundation's calendar`() throws {
        let formatter = ISO8601DateFormatter()
        for day in stride(from: -20_000, to: 40_000, by: 97) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 45_296)
            expectEqual(ISO8601.text(Timestamp(date)), formatter.string(from: date))
        }
    }

    @Test(arguments: ["1E+19", "-1E+19", "NaN", "Inf", "1E+6000"])
    func `numbers out of range are refused`(text: String) throws {
        let number = try require(Decimal128(text))
        expect(JSONDateFormat.secondsSince1970.moment(number: number) == nil)
        expect(JSONDateFormat.millisecondsSince1970.moment(number: number * 1000) == nil)
    }
}
