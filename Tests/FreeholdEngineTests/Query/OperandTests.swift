import Foundation
import Testing

@testable import FreeholdEngine

/// Arithmetic, names of types and sets of constants.
struct OperandTests {
    private static let nan = Value.double(.nan)

    @Test(
        arguments: [
            (.int(7), .add, .int(2), .int(9)), (.int(.max), .add, .int(1), .int(.min)),
            (.int(7), .divide, .int(2), .int(3)), (.int(-7), .divide, .int(2), .int(-3)),
            (.int(7), .divide, .int(0), .null), (.int(.min), .divide, .int(-1), .int(.min)),
            (.int(7), .divide, .double(2), .double(3.5)), (.double(1), .divide, .int(0), .double(.infinity)),
            (.float(0.5), .multiply, .int(3), .double(1.5)), (.float(0.5), .subtract, .float(2), .double(-1.5)),
            (.int(1), .divide, .decimal128(Decimal128("8")), .decimal128(Decimal128("0.125"))),
            (.double(0.1), .add, .decimal128(Decimal128("0.2")), .decimal128(Decimal128("0.3"))),
            (.null, .add, .int(1), .null), (.int(1), .add, .null, .null), (.string("1"), .add, .int(1), .null),
            (.bool(true), .add, .int(1), .null), (.decimal128(Decimal128("1")), .add, .string("1"), .null),
        ] as [(Value, ArithmeticOperator, Value, Value)]
    )
    func `arithmetic has the right results`(a: Value, op: ArithmeticOperator, b: Value, result: Value) {
        expectEqual(op.apply(to: a, and: b), result)
    }

    @Test func `a type can be called by several names, in any letter case`() {
        for name in ["int", "Integer", "LONG", "numeric"] {
            expect(ValueTypeName.isKnown(name))
            expect(ValueTypeName.areOne(.string("int"), .string(name)))
        }
        expect(!ValueTypeName.areOne(.string("int"), .string("double")))
        expect(ValueTypeName.areOne(.string("numeric"), .string("decimal128")))
        expect(ValueTypeName.areOne(.string("collection"), .string("array")))
        expect(!ValueTypeName.areOne(.string("list"), .string("dictionary")))
        expect(!ValueTypeName.isKnown("number"))
        expectEqual(ValueTypeName.all.count, 36)
        for name in ValueTypeName.all { expect(ValueTypeName.areOne(.string(name), .string(name))) }
    }

    @Test func `a set of many constants contains every equal value`() {
        let constants: [Value] = [
            .null, .int(1), .double(2), .string("a"), .data(.init([98])), .bool(true), Self.nan,
            .decimal128(Decimal128("3.50")), .list(NestedList([.int(1), .string("x")])), .link(ObjectKey(4)),
        ]
        let set = ValueSet(constants)
        for value in constants { expectEqual(set.contains(value), !value.isNaN) }
        expect(set.contains(.double(1)) && set.contains(.int(2)) && set.contains(.float(3.5)))
        expect(set.contains(.list(NestedList([.double(1), .string("x")]))))
        expect(!set.contains(.string("b")) && !set.contains(.data(.init([97]))) && !set.contains(.int(3)))
        expect(!set.contains(.bool(false)) && !set.contains(.link(ObjectKey(1))) && !set.contains(Self.nan))
    }

    @Test(arguments: [1, 2, 3, 4])
    func `integers, bytes and words are found in their sets`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let range: ClosedRange<Int64> = seed == 1 ? .min ... .max : seed == 2 ? -2000...2000 : -9...100_000_000
        let all = Set((0..<300).map { _ in Int64.random(in: range, using: &random) })
        let ints = IntSet(all.sorted())
        let bytes = BytesSet(all.map { Array("\($0 % 1000)".utf8) })
        let texts = Set(all.map { "\($0 % 1000)" })
        let words = WordsSet(all.map { (UInt64(bitPattern: $0), 7) })
        let asked = Array(all) + (0..<300).map { _ in Int64.random(in: range, using: &random) } + [.min, .max, 0, -1]
        let mask = MaskBuffer(span: asked.count)
        for isNegated in [false, true] {
            ints.fill(mask.mask, asked.count, isNegated: isNegated) { asked[$0] }
            for (i, x) in asked.enumerated() {
                expectEqual((mask.mask[i] == 1), (all.contains(x) != isNegated), "seed \(seed) \(x)")
            }
        }
        for x in asked {
            let text = Array("\(x % 1000)".utf8)
            expectEqual(text.withUnsafeBytes { bytes.contains($0) }, texts.contains("\(x % 1000)"), "seed \(seed) \(x)")
            expectEqual(words.contains(UInt64(bitPattern: x), and: 7), all.contains(x), "seed \(seed) \(x)")
            expect(!words.contains(UInt64(bitPattern: x), and: 8))
        }
    }
}
