#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import Testing

@testable import FreeholdEngine

struct ComparisonTests {
    @Test(
        arguments: [
            (.null, .null, true, false, true), (.null, .int(0), false, false, false),
            (.int(0), .null, false, false, false),
            (.int(1), .double(1), true, false, true), (.int(1), .double(1.5), false, true, true),
            (.int(1 << 53 + 1), .double(0x1p53), false, false, false), (.float(0.1), .double(0.1), false, false, false),
            (.decimal128(Decimal128("1.00")), .int(1), true, false, true),
            (.double(.nan), .double(.nan), false, false, false), (.double(.nan), .int(1), false, false, false),
            (.null, .double(.nan), false, false, false), (.double(-0.0), .double(0), true, false, true),
            (.string("a"), .int(1), false, false, false), (.string("a"), .string("b"), false, true, true),
            (.string("a"), .data(.init([97])), false, false, false), (.bool(false), .bool(true), false, true, true),
            (.link(ObjectKey(1)), .link(ObjectKey(1)), true, false, true),
            (.link(ObjectKey(1)), .link(ObjectKey(2)), false, false, false),
        ] as [(Value, Value, Bool, Bool, Bool)]
    )
    func `values compare as documented`(a: Value, b: Value, equal: Bool, less: Bool, lessOrEqual: Bool) {
        expectEqual(Comparison.equal.holds(between: a, and: b), equal)
        expectEqual(Comparison.notEqual.holds(between: a, and: b), !equal)
        expectEqual(Comparison.less.holds(between: a, and: b), less)
        expectEqual(Comparison.lessOrEqual.holds(between: a, and: b), lessOrEqual)
        expectEqual(Comparison.greater.holds(between: b, and: a), less)
        expectEqual(Comparison.greaterOrEqual.holds(between: b, and: a), lessOrEqual)
    }

    @Test(arguments: [
        ("ABC", "abc"), ("ZOË", "zoë"), ("ΣΑΣ", "σας"), ("ПРИВЕТ", "привет"), ("\u{212a}", "k"), ("ſ", "S"), ("µ", "Μ"),
    ])
    func `case folding unites texts that differ only in case`(a: String, b: String) {
        let fold = { (s: String) in Array(s.utf8).withUnsafeBytes { CaseFolding.folded($0) } }
        expectEqual(fold(a), fold(b))
        expect(fold(a) != fold(a + "x"))
    }

    @Test(arguments: [("ı", "i"), ("é", "e\u{301}"), ("ß", "ss")])
    func `case folding distinguishes texts that differ otherwise`(a: String, b: String) {
        let fold = { (s: String) in Array(s.utf8).withUnsafeBytes { CaseFolding.folded($0) } }
        expect(fold(a) != fold(b))
    }
}
