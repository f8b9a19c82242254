import TestRandom
import Testing

@testable import FreeholdEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Timestamp") struct TimestampTests {
    @Test(
        arguments: [
            (0, 0, 0, 0), (1, -1, 0, 999_999_999), (0, -1, -1, 999_999_999), (-1, 1_000_000_000, 0, 0),
            (5, 2_147_483_647, 7, 147_483_647), (5, -2_147_483_648, 2, 852_516_352),
            (5, -2_000_000_000, 3, 0),
            (.max, 999_999_999, .max, 999_999_999), (.max, 1_000_000_000, .max, 999_999_999),
            (.min, 0, .min, 0), (.min, -1, .min, 0), (.min, 1, .min, 1),
        ] as [(Int64, Int32, Int64, Int32)]
    )
    func `Nanoseconds are normalised by flooring and clamped at the ends`(
        seconds: Int64,
        nanoseconds: Int32,
        expectedSeconds: Int64,
        expectedNanoseconds: Int32
    ) {
        let timestamp = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
        expect(timestamp.seconds == expectedSeconds && timestamp.nanoseconds == expectedNanoseconds)
    }

    @Test
    func `NaN and infinities aren't dates, and dates out of range are clamped`() {
        func from(_ interval: Double) -> Timestamp { Timestamp(Date(timeIntervalSinceReferenceDate: interval)) }
        for odd in [Double.nan, .infinity, -.infinity] {
            expect(!from(odd).isValid)
            let back = from(odd).date.timeIntervalSinceReferenceDate
            expect(back == odd || back.isNaN && odd.isNaN)
        }
        expectEqual([from(.nan), from(.infinity), from(-.infinity)].map(\.description), ["nan", "inf", "-inf"])
        expect(from(1e19) == .max && from(0x1p63) == .max && from(1e19).isValid)
        expectEqual(from(-1e19), .min)
        expectEqual(from(-0x1p63), Timestamp(seconds: .min + 978_307_200, nanoseconds: 0))
        expectEqual(from(-1e-20), Timestamp(seconds: 978_307_200, nanoseconds: 0))
        expectEqual(from(0.25), Timestamp(seconds: 978_307_200, nanoseconds: 250_000_000))
        expectEqual(from(-0.25), Timestamp(seconds: 978_307_199, nanoseconds: 750_000_000))
        expectEqual(Timestamp(Date(timeIntervalSince1970: -0.5)), Timestamp(seconds: -1, nanoseconds: 500_000_000))
        expect(Timestamp.max.date > .distantFuture && Timestamp.min.date < .distantPast)
        expectEqual(Timestamp(Timestamp.min.date), .min)
    }

    @Test
    func `Dates 97 days or more from 2001 survive unchanged, nearer ones to under a nanosecond`() {
        let seed = TestSeed.random(in: 0 ... .max)
        var generator = SeededRandom(seed: seed)
        for exponent in -40...61 {
            for _ in 0..<50 {
                let magnitude =
                    Double.random(in: 1..<2, using: &generator)
                    * Double(sign: .plus, exponent: exponent, significand: 1)
                let date = Date(timeIntervalSinceReferenceDate: Bool.random(using: &generator) ? magnitude : -magnitude)
                let again = Timestamp(date).date
                if exponent >= 23 {
                    expectEqual(again, date, "seed \(seed)")
                } else {
                    expect(abs(again.timeIntervalSince(date)) < 1e-9, "seed \(seed)")
                }
                expectEqual(Timestamp(again).date, again, "seed \(seed)")
            }
        }
        let now = Date()
        expectEqual(Timestamp(now).date, now)
        expectEqual(Date(Timestamp(.distantFuture)), .distantFuture)
    }

    @Test
    func `the order is that of time`() {
        let sorted = [
            Timestamp.min, Timestamp(seconds: -1, nanoseconds: 0), Timestamp(seconds: -1, nanoseconds: 999_999_999),
            Timestamp(seconds: 0, nanoseconds: 0), Timestamp(seconds: 0, nanoseconds: 1), .max,
        ]
        expectEqual(sorted.shuffled().sorted(), sorted)
    }

    @Test(
        arguments: [
            (0, 0, "0"), (-1, 500_000_000, "-0.5"), (-2, 500_000_000, "-1.5"), (1, 1, "1.000000001"), (-3, 0, "-3"),
        ] as [(Int64, Int32, String)]
    )
    func `text is exact`(seconds: Int64, nanoseconds: Int32, expected: String) {
        expectEqual(Timestamp(seconds: seconds, nanoseconds: nanoseconds).description, expected)
    }

    @Test
    func `JSON is an array of seconds and nanoseconds`() throws {
        let timestamp = Timestamp(seconds: -5, nanoseconds: 7)
        let data = try JSONEncoder().encode(timestamp)
        expectEqual(String(decoding: data, as: UTF8.self), "[-5,7]")
        try expectEqual(JSONDecoder().decode(Timestamp.self, from: data), timestamp)
    }
}
