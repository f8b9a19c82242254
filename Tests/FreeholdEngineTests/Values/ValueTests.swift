import TestRandom
import Testing

@testable import FreeholdEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Value") struct ValueTests {
    private static let uuid = UUID(uuidString: "00000000-0000-0000-0000-0000000000FF")!

    /// In order; values of one row are equal in the order.
    private static let ladder: [[Value]] = [
        [.null],
        [.bool(false)], [.bool(true)],
        [.double(.nan), .float(.nan), .decimal128(.nan)],
        [.double(-.infinity), .float(-.infinity), .decimal128(-.infinity)],
        [.decimal128("-1E+400")],
        [.double(-0x1p63 * 2)],
        [.int(.min), .double(-0x1p63), .decimal128("-9223372036854775808")],
        [.decimal128("-1.5"), .double(-1.5), .float(-1.5)],
        [.int(-1), .double(-1), .float(-1)],
        [.int(0), .double(0), .double(-0.0), .float(-0.0), .decimal128("-0.00")],
        [.decimal128("1E-400")],
        [.double(.leastNonzeroMagnitude)],
        [.decimal128("0.1")],
        [.double(0.1)],
        [.float(0.1)],
        [.int(1), .double(1), .decimal128("1.000")],
        [.double(1.5)],
        [.int(9_007_199_254_740_992), .double(9_007_199_254_740_992)],
        [.int(9_007_199_254_740_993), .decimal128("9007199254740993")],
        [.int(.max - 1)],
        [.int(.max)],
        [.double(0x1p63), .decimal128("9223372036854775808")],
        [.double(.greatestFiniteMagnitude)],
        [.decimal128("1E+400")],
        [.double(.infinity), .float(.infinity), .decimal128(.infinity)],
        [.string("")], [.string("A")], [.string("a")], [.string("a\0")], [.string("ab")],
        [.string("e\u{301}")], [.string("z")], [.string("\u{E9}")], [.string("\u{FFFF}")], [.string("\u{1F600}")],
        [.data(Data())], [.data(Data([0]))], [.data(Data([0, 0]))], [.data(Data([0x7F]))], [.data(Data([0x80]))],
        [.timestamp(.min)], [.timestamp(Timestamp(seconds: 0, nanoseconds: 1))], [.timestamp(.max)],
        [.objectId(ObjectId())], [.objectId(ObjectId("ffffffffffffffffffffffff"))],
        [.uuid(uuid)], [.uuid(UUID(uuidString: "80000000-0000-0000-0000-000000000000")!)],
        [.link(ObjectKey(-1))], [.link(ObjectKey(0))], [.link(ObjectKey(7))],
    ]

    @Test
    func `values of all types have one order, numbers by exact value`() {
        for (i, row) in Self.ladder.enumerated() {
            for (j, other) in Self.ladder.enumerated() {
                for a in row {
                    for b in other {
                        expectEqual(Value.compare(a, with: b), (i < j ? -1 : i == j ? 0 : 1), "\(a) \(b)")
                    }
                }
            }
        }
    }

    @Test
    func `equality depends on case and payload, and hashing follows it`() {
        let all = Self.ladder.flatMap { $0 }
        for a in all {
            for b in all {
                if a == b {
                    expect(a.hashValue == b.hashValue && Value.compare(a, with: b) == 0, "\(a) \(b)")
                } else {
                    expect(a.type != b.type || Value.compare(a, with: b) != 0, "\(a) \(b)")
                }
            }
        }
        expect(Value.int(1) != .double(1))
        expect(Value.double(.nan) == .double(-.nan) && Value.double(0) == .double(-0.0))
        expect(Value.string("e\u{301}") != .string("\u{E9}"))
        expectEqual(Value.decimal128("1.0"), .decimal128("1"))
    }

    @Test
    func `Mixed numbers are ordered transitively`() {
        let seed = TestSeed.random(in: 0 ... .max)
        var generator = SeededRandom(seed: seed)
        func number() -> Value {
            let whole = Int64.random(in: -4...4, using: &generator)
            let big = Int64(bitPattern: generator.next()) >> Int64.random(in: 0..<64, using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: return .int(whole)
            case 1: return .int(big)
            case 2: return .double(Double(whole) / 2)
            case 3: return .double(Double(big))
            case 4: return .float(Float(whole) / 4)
            case 5: return .decimal128(Decimal128(whole) / 10)
            case 6: return .decimal128(Decimal128(big))
            default: return .decimal128(Decimal128(Double(big) / 1000))
            }
        }
        for _ in 0..<5000 {
            let (a, b, c) = (number(), number(), number())
            expectEqual(Value.compare(a, with: b), -Value.compare(b, with: a), "seed \(seed): \(a) \(b)")
            if Value.compare(a, with: b) <= 0 && Value.compare(b, with: c) <= 0 {
                expect(Value.compare(a, with: c) <= 0, "seed \(seed): \(a) \(b) \(c)")
            }
        }
    }

    @Test
    func `A value knows its column type and describes itself`() {
        expect(Value.null.type == nil && Value.null.isNull && !Value.int(0).isNull)
        expect(
            Value.int(1).type == .int && Value.link(ObjectKey(1)).type == .link && Value.uuid(Self.uuid).type == .uuid
        )
        expectEqual(Value.string("a\"b").description, "\"a\\\"b\"")
        expectEqual(Value.data(Data([1, 255])).description, "data(01ff)")
        expectEqual(Value.link(ObjectKey(7)).description, "O7")
        expectEqual(Value.decimal128("1.50").description, "decimal(1.50)")
    }

    @Test
    func `JSON of decimals is a string, and numbers are read too`() throws {
        let data = try JSONEncoder().encode(["1.10", -5, .infinity] as [Decimal128])
        expectEqual(String(decoding: data, as: UTF8.self), "[\"1.10\",\"-5\",\"Inf\"]")
        try expectEqual(JSONDecoder().decode([Decimal128].self, from: data), ["1.1", -5, .infinity])
        let mixed = Data("[\"2.50\", 9223372036854775807, 0.1]".utf8)
        try expectEqual(JSONDecoder().decode([Decimal128].self, from: mixed), ["2.5", "9223372036854775807", 0.1])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Decimal128].self, from: Data("[\"x\"]".utf8)) }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Decimal128].self, from: Data("[true]".utf8)) }
    }
}
