import TestRandom
import Testing

@testable import FreeholdEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

private func decimal(_ text: some StringProtocol) throws -> Decimal128 { try require(Decimal128(String(text))) }

private func sameBits(_ a: Decimal128, _ b: Decimal128) -> Bool { a.lo == b.lo && a.hi == b.hi }

/// Any 34-digit number, zeros and special values among them; often few digits, so that equal values meet.
private func anyDecimal(_ generator: inout SeededRandom) -> Decimal128 {
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: return [.nan, .signalingNaN, .infinity, -.infinity, 0, -.zero].randomElement(using: &generator)!
    case 1: return Decimal128(lo: generator.next(), hi: generator.next())
    case 2...5:
        return Decimal128(
            negative: .random(using: &generator),
            coefficient: UInt128(Int.random(in: 0...300, using: &generator)),
            exponent: Int.random(in: -3...3, using: &generator)
        )
    default:
        let digits = Int.random(in: 1...34, using: &generator)
        return Decimal128(
            negative: .random(using: &generator),
            coefficient: UInt128.random(in: 0..<powerOfTen(digits), using: &generator),
            exponent: Int.random(in: -40...40, using: &generator)
        )
    }
}

@Suite("Decimal128") struct Decimal128Tests {
    @Test
    func `arithmetic gives Python's results to the last digit and exponent`() throws {
        for line in DecimalTables.arithmetic.split(separator: "\n") {
            let words = line.split(separator: " ")
            let a = try decimal(words[0])
            let b = try decimal(words[2])
            let expected = try decimal(words[4])
            let result =
                switch words[1] {
                case "+": a + b
                case "-": a - b
                case "*": a * b
                default: a / b
                }
            expect(sameBits(result, expected), "\(line); got \(result)")
        }
    }

    @Test
    func `parsing rounds, overflows and underflows like Python`() throws {
        for line in DecimalTables.parsing.split(separator: "\n") {
            let words = line.split(separator: " ")
            expect(sameBits(try decimal(words[0]), try decimal(words[2])), "\(line)")
        }
    }

    @Test
    func `a comparison with a double uses the exact values`() throws {
        for line in DecimalTables.doubles.split(separator: "\n") {
            let words = line.split(separator: " ")
            let a = try decimal(words[0])
            let b = Double(bitPattern: UInt64(words[1], radix: 16)!)
            expectEqual(Decimal128.compare(a, with: b), Int(words[2])!, "\(line)")
        }
    }

    @Test(
        "Text is written plainly between 10^-6 and 10^33, else with an exponent, with the zeros after the point",
        arguments: [
            ("0", "0"), ("-0.000", "-0.000"), ("1.00", "1.00"), ("1.50", "1.50"), ("120", "120"), ("1.2E+2", "120"),
            ("0E+5", "0"), ("0E-7", "0E-7"), ("1.10E-8", "1.10E-8"), ("1.20E+40", "1.20E+40"),
            ("1E+33", "1000000000000000000000000000000000"), ("1E+34", "1E+34"), ("-12.5E+40", "-1.25E+41"),
            ("0.000001", "0.000001"), ("0.0000001", "1E-7"), ("-0.000000123", "-1.23E-7"), ("123.456", "123.456"),
            ("inf", "Inf"), ("-Infinity", "-Inf"), ("nan", "NaN"), ("sNaN", "sNaN"), ("1E-6176", "1E-6176"),
            ("9999999999999999999999999999999999", "9999999999999999999999999999999999"),
            ("9.999999999999999999999999999999999E+6144", "9.999999999999999999999999999999999E+6144"),
        ]
    )
    func writing(text: String, expected: String) throws {
        try expectEqual(decimal(text).stringValue, expected)
        try expectEqual(decimal(expected), decimal(text))
    }

    @Test(arguments: [
        "", "-", ".", "1..2", "1.2.3", "e5", "1e", "1e+", "1 ", " 1", "0x10", "infin", "--1", "1,5", "é", ".inf",
    ])
    func `text that isn't a number is refused`(text: String) {
        expect(Decimal128(text) == nil)
    }

    @Test
    func `the bits are those of the standard's binary encoding`() {
        expect(Decimal128() == 0 && sameBits(Decimal128(), 0))
        expect(sameBits(1, Decimal128(lo: 1, hi: 0x3040_0000_0000_0000)))
        expect(sameBits(-1, Decimal128(lo: 1, hi: 0xB040_0000_0000_0000)))
        expect(sameBits("0.1", Decimal128(lo: 1, hi: 0x303E_0000_0000_0000)))
        expect(sameBits(.max, Decimal128(lo: 0x378D_8E63_FFFF_FFFF, hi: 0x5FFF_ED09_BEAD_87C0)))
        expect(sameBits(.leastNonzeroMagnitude, Decimal128(lo: 1, hi: 0)))
        // Coefficients over 34 digits represent zero.
        expect(Decimal128(lo: 0x378D_8E64_0000_0000, hi: 0x3041_ED09_BEAD_87C0).isZero)
        expect(Decimal128(lo: 5, hi: 0x6C10_0000_0000_0000).isZero)
    }

    @Test
    func `Every number survives being written and read`() throws {
        let seed = TestSeed.random(in: 0 ... .max)
        var generator = SeededRandom(seed: seed)
        for _ in 0..<2000 {
            let number = anyDecimal(&generator)
            let again = try decimal(number.stringValue)
            expect(
                again == number && again.isSignMinus == (number.isSignMinus && !number.isNaN),
                "seed \(seed): \(number)"
            )
            // Zeros at the end of a whole number may become digits.
            if number.isFinite, number.parts.exponent <= 0, number.parts.coefficient != 0 {
                expect(sameBits(again, number), "seed \(seed): \(number)")
            }
        }
    }

    @Test
    func `The mean of decimals lies between the least and the greatest`() throws {
        var generator = SeededRandom(test: #function)
        for round in 0..<200 {
            let one = Decimal128(
                negative: .random(using: &generator),
                coefficient: .random(in: 1...Decimal128.maximumCoefficient, using: &generator),
                exponent: round % 4 == 0 ? Decimal128.maximumExponent : Int.random(in: -40...40, using: &generator)
            )
            let values = Array(repeating: Value.decimal128(one), count: .random(in: 1...12, using: &generator))
            expectEqual(
                ValueFold.fold(.average, values, of: .decimal128),
                .decimal128(one),
                "\(one) \(values.count) times"
            )
            let other = one.magnitude / 3
            let mixed = values + [.decimal128(other)]
            guard case .decimal128(let mean) = ValueFold.fold(.average, mixed, of: .mixed) else {
                expect(false, "\(mixed)")
                continue
            }
            expect(mean >= min(one, other) && mean <= max(one, other), "\(mean) of \(one) and \(other)")
        }
        expectEqual(
            ValueFold.fold(.average, [.decimal128("1.10"), .decimal128("1.10")], of: .decimal128).description,
            "decimal(1.10)"
        )
        let bothEnds: [Value] = [.decimal128(.infinity), .decimal128(-.infinity)]
        expectEqual(ValueFold.fold(.average, bothEnds, of: .decimal128), .decimal128(.nan))
    }

    @Test
    func `Order is total, hashing follows equality, and both agree with subtraction`() {
        let seed = TestSeed.random(in: 0 ... .max)
        var generator = SeededRandom(seed: seed)
        for _ in 0..<5000 {
            let a = anyDecimal(&generator)
            let b = anyDecimal(&generator)
            let c = anyDecimal(&generator)
            let ab = Decimal128.compare(a, with: b)
            expectEqual(ab, -Decimal128.compare(b, with: a), "seed \(seed)")
            expectEqual(Decimal128.compare(a, with: a), 0, "seed \(seed)")
            if ab <= 0 && Decimal128.compare(b, with: c) <= 0 {
                expect(Decimal128.compare(a, with: c) <= 0, "seed \(seed)")
            }
            if ab == 0 { expectEqual(a.hashValue, b.hashValue, "seed \(seed): \(a) \(b)") }
            let difference = a - b
            if !a.isNaN && !b.isNaN && !difference.isNaN {
                expect((difference == 0) == (ab == 0) && (difference < 0) == (ab < 0), "seed \(seed): \(a) \(b)")
            }
        }
        expectEqual(Decimal128("1.0"), Decimal128("1.00"))
        expectEqual(Set<Decimal128>(["1", "1.0", "1E+0", "0", "-0", .nan, .signalingNaN, -.nan]).count, 3)
        expectEqual([.infinity, 1, .nan, -.infinity].sorted(), [.nan, -.infinity, 1, .infinity] as [Decimal128])
    }

    @Test
    func `Sign changes are exact`() {
        let number: Decimal128 = "1234567890123456789012345678901234"
        expectEqual((-number).stringValue, "-1234567890123456789012345678901234")
        expectEqual((-number).magnitude, number)
        var other = number
        other.negate()
        expectEqual(other, -number)
        expectEqual((-Decimal128.infinity).magnitude, .infinity)
    }

    @Test
    func `Integers convert exactly up to 34 digits`() {
        expectEqual(Decimal128(Int64.min).stringValue, "-9223372036854775808")
        expectEqual(Decimal128(UInt64.max).stringValue, "18446744073709551615")
        expect(Decimal128(exactly: UInt128.max) == nil)
        expectEqual(Decimal128(exactly: UInt128(1) << 100)?.stringValue, "1267650600228229401496703205376")
        expectEqual(Decimal128(exactly: Int128(-5)), -5)
        expectEqual(Decimal128(UInt128.max).stringValue, "3.402823669209384634633746074317682E+38")
        expectEqual(Decimal128("9223372036854775807").intValue, .max)
        expectEqual(Decimal128("-9223372036854775808").intValue, .min)
        expect(Decimal128("9223372036854775808").intValue == nil)
        expectEqual(Decimal128("-3.99").intValue, -3)
        expectEqual(Decimal128("1E+18").intValue, 1_000_000_000_000_000_000)
        expectEqual(Decimal128("1E-6000").intValue, 0)
        expect(Decimal128("1E+6000").intValue == nil)
        expect(Decimal128.nan.intValue == nil)
        expectEqual(Decimal128("3.00").exactInt64, 3)
        expect(Decimal128("3.01").exactInt64 == nil)
    }

    @Test
    func `Doubles convert to their shortest decimal and back to the same double`() {
        let seed = TestSeed.random(in: 0 ... .max)
        var generator = SeededRandom(seed: seed)
        for _ in 0..<1000 {
            let value = Double(bitPattern: generator.next())
            guard value.isFinite else { continue }
            expectEqual(Decimal128(value).doubleValue, value, "seed \(seed): \(value)")
        }
        expectEqual(Decimal128(0.1), "0.1")
        expectEqual(Decimal128(Float(0.1)), "0.1")
        expectEqual((0.1 as Decimal128) + 0.2, 0.3)
        expect(Decimal128(Double.nan).isNaN && Decimal128(-Double.infinity) == -.infinity)
        expectEqual(Decimal128("0.1000000000000000055511151231257827").doubleValue, 0.1)
        expect(Decimal128("1E+400").doubleValue == .infinity && Decimal128("-1E-400").doubleValue == 0)
        expect(Decimal128.nan.doubleValue.isNaN)
        expectEqual(Decimal128("2.5").floatValue, 2.5)
    }

    @Test(arguments: ["0", "1", "-1.5", "123456789012345678901234567890.1234", "1E-128", "-7E+127", "0.00001"])
    func `Foundation's Decimal converts both ways`(text: String) throws {
        let number = try decimal(text)
        expectEqual(Decimal128(number.decimalValue), number, "\(number.decimalValue)")
    }

    @Test
    func `numbers that Foundation's Decimal can't represent become NaN`() throws {
        for text in ["NaN", "Inf", "1E+128", "1E-129"] { expect(try decimal(text).decimalValue.isNaN, "\(text)") }
        expect(Decimal128(Decimal.nan).isNaN)
    }

    @Test
    func `strides take exact steps`() {
        expectEqual(
            Array(stride(from: 0 as Decimal128, to: 0.5, by: 0.1)).map(\.stringValue),
            [
                "0", "0.1", "0.2", "0.3", "0.4",
            ]
        )
        expect((3 as Decimal128).distance(to: 5) == 2 && (3 as Decimal128).advanced(by: -1) == 2)
        expectEqual(([1, 2, 3.5] as [Decimal128]).reduce(0, +), 6.5)
    }

    @Test
    func `Powers of ten and digit counts agree`() {
        expect(decimalDigits(0) == 0 && decimalDigits(.max) == 39)
        for n in 0...38 {
            expectEqual(decimalDigits(powerOfTen(n)), n + 1)
            expectEqual(decimalDigits(powerOfTen(n) - 1), n)
            expect(strippingZeros(powerOfTen(n) * 3, limit: 38).count == n || n == 38)
            expectEqual(strippingZeros(powerOfTen(n), limit: 5).count, min(n, 5))
        }
    }
}
