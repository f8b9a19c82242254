import TestRandom
import Testing

@testable import FreeholdEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Decimal128: rounding, remainders, conversions") struct DecimalRoundingTests {
    private func decimal(_ text: Substring) throws -> Decimal128 { try require(Decimal128(String(text))) }

    @Test
    func `rounding by each rule gives Python's results`() throws {
        let rules: [Substring: FloatingPointRoundingRule] = [
            "up": .up, "down": .down, "zero": .towardZero, "away": .awayFromZero, "even": .toNearestOrEven,
            "half": .toNearestOrAwayFromZero,
        ]
        for line in DecimalRoundingTables.rounding.split(separator: "\n") {
            let words = line.split(separator: " ")
            let result = try decimal(words[0]).rounded(scale: require(Int(words[1])), require(rules[words[2]]))
            let expected = try decimal(words[4])
            expect(result == expected && result.isSignMinus == expected.isSignMinus, "\(line); got \(result)")
        }
    }

    @Test
    func `remainders are exact and equal Python's`() throws {
        for line in DecimalRoundingTables.remainders.split(separator: "\n") {
            let words = line.split(separator: " ")
            let a = try decimal(words[0])
            let b = try decimal(words[1])
            expectEqual(a.truncatingRemainder(dividingBy: b), (try decimal(words[3])), "\(line)")
            expectEqual(a.remainder(dividingBy: b), (try decimal(words[4])), "\(line)")
            var changed = a
            changed.formTruncatingRemainder(dividingBy: b)
            expectEqual(changed, (try decimal(words[3])))
            changed = a
            changed.formRemainder(dividingBy: b)
            expectEqual(changed, (try decimal(words[4])))
        }
    }

    @Test
    func `infinities, NaN and zero have rounding results and remainders`() {
        expect(Decimal128.infinity.rounded() == .infinity && Decimal128.nan.rounded(scale: 3).isNaN)
        expect(Decimal128("7.5").rounded(scale: .max) == 7.5 && Decimal128("7.5").rounded(scale: .min) == 0)
        expectEqual(Decimal128("1").rounded(scale: -7000, .up), .infinity)
        expect(Decimal128.max.rounded() == .max && Decimal128.leastNonzeroMagnitude.rounded(.up) == 1)
        for zero: Decimal128 in [0, -.zero] {
            expect((1 as Decimal128).truncatingRemainder(dividingBy: zero).isNaN)
            expect((1 as Decimal128).remainder(dividingBy: zero).isNaN)
            expectEqual(zero.remainder(dividingBy: 3), 0)
        }
        expect(Decimal128.infinity.remainder(dividingBy: 2).isNaN && Decimal128.nan.remainder(dividingBy: 2).isNaN)
        expectEqual((5 as Decimal128).remainder(dividingBy: .infinity), 5)
        expectEqual((5 as Decimal128).truncatingRemainder(dividingBy: -.infinity), 5)
        var number: Decimal128 = "-2.5"
        number.round()
        expectEqual(number, -3)
        number.round(.up)
        expectEqual(number, -3)
    }

    @Test
    func `A number is its whole part and its remainder, at any size`() {
        let seed = TestSeed.random(in: 0 ... .max)
        var generator = SeededRandom(seed: seed)
        for _ in 0..<1000 {
            func any() -> Decimal128 {
                Decimal128(
                    negative: .random(using: &generator),
                    coefficient: UInt128.random(in: 1...Decimal128.maximumCoefficient, using: &generator),
                    exponent: Int.random(in: -300...300, using: &generator)
                )
            }
            let a = any()
            let b = any()
            let rest = a.truncatingRemainder(dividingBy: b)
            expect(rest.magnitude < b.magnitude, "seed \(seed): \(a) \(b)")
            expect(rest == 0 || rest.isSignMinus == a.isSignMinus, "seed \(seed): \(a) \(b)")
            let near = a.remainder(dividingBy: b)
            expect(near.magnitude * 2 <= b.magnitude, "seed \(seed): \(a) \(b)")
            let whole = a.rounded(.towardZero)
            expect(whole.magnitude <= a.magnitude && (a - whole).magnitude < 1, "seed \(seed): \(a)")
        }
    }

    @Test
    func `conversions to other numbers are exact or report that they aren't`() throws {
        expect(Int(Decimal128("-3.99")) == -3 && UInt8(Decimal128("255")) == 255)
        expect(Int(exactly: Decimal128("3.00")) == 3 && Int(exactly: Decimal128("3.5")) == nil)
        expect(Int8(exactly: Decimal128("128")) == nil && UInt(exactly: Decimal128("-1")) == nil)
        expectEqual(UInt64(exactly: Decimal128("18446744073709551615")), .max)
        expectEqual(Int128(exactly: Decimal128("1E+37")), 10_000_000_000_000_000_000_000_000_000_000_000_000)
        expect(Int(exactly: Decimal128.nan) == nil && Int(exactly: Decimal128.infinity) == nil)
        expect(Double(Decimal128("0.1")) == 0.1 && Float(Decimal128("0.1")) == 0.1)
        expectEqual(Decimal(Decimal128("12.34")), Decimal(string: "12.34"))
        // The conversions of text still use the same initialisers.
        expect(Int("5") == 5 && Double("1.5") == 1.5 && Int("x") == nil)
    }

    @Test
    func `a decimal out of an integer's range traps with a message`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Int8(Decimal128("128"))
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("128 can't be converted"))
    }

    @Test
    func `a literal that isn't a number traps with a message`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let number: Decimal128 = "twelve"
            _ = number
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("'twelve'"))
    }

    @Test(arguments: [
        ("0.1", "0.1"), ("12345678901234567890", "12345678901234567890"), ("-1.5E+3", "-1500"),
        ("1234567890.123456789012345678", "1234567890.123456789012345678"), ("1e300", "1E+300"), ("5", "5"),
        ("\"1.00\"", "1.00"), ("\"Inf\"", "Inf"), ("\"NaN\"", "NaN"),
    ])
    func `JSON numbers are read digit by digit`(text: String, expected: String) throws {
        let read = try JSONDecoder().decode([Decimal128].self, from: Data("[\(text)]".utf8))
        expectEqual(read.map(\.stringValue), [expected])
        let written = try JSONEncoder().encode(read)
        expectEqual(String(decoding: written, as: UTF8.self), "[\"\(expected)\"]")
    }

    @Test(arguments: ["\"x\"", "true", "null", "[]", "{}"])
    func `JSON without a number is refused`(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Decimal128].self, from: Data("[\(text)]".utf8))
        }
    }
}
