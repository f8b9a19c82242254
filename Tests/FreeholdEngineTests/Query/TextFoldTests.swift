import Foundation
import Testing

@testable import FreeholdEngine

/// Folding of case and accents, and LIKE.
struct TextFoldTests {
    private func fold(_ text: String, _ options: TextOptions) -> String {
        let bytes = Array(text.utf8).withUnsafeBytes { TextFold(options)!.folded($0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func areOne(_ a: String, _ b: String, _ options: TextOptions) -> Bool {
        let test = ValueTest(.text(.equal, .string(a), options))
        expectEqual(test.matches(.string(b)), ValueTest(.text(.equal, .string(b), options)).matches(.string(a)))
        expect(ValueTest(.text(.notEqual, .string(a), options)).matches(.string(b)) != test.matches(.string(b)))
        return test.matches(.string(b))
    }

    @Test(
        arguments: [
            ("a", "A", true, true), ("é", "É", true, true), ("þ", "Þ", true, true), ("÷", "×", false, false),
            ("ÿ", "Ÿ", true, false), ("σ", "Σ", true, false), ("ς", "Σ", true, false), ("п", "П", true, false),
            ("ı", "I", false, false), ("i", "I", true, true), ("İ", "i", false, false), ("𐐨", "𐐀", true, false),
            ("k", "\u{212a}", true, false), ("å", "\u{212b}", true, false), ("ß", "SS", false, false),
            ("ß", "ẞ", true, false), ("ſ", "s", true, false), ("µ", "μ", true, false), ("ǅ", "ǆ", true, false),
            ("ა", "Ა", true, false), ("é", "e\u{301}", false, false), ("[", "{", false, false),
            ("@", "`", false, false),
        ] as [(String, String, Bool, Bool)]
    )
    func `case is ignored in every script, or in Latin-1 only`(a: String, b: String, unicode: Bool, latin: Bool) {
        expectEqual(areOne(a, b, .ignoringCase), unicode)
        expectEqual(areOne(a, b, [.ignoringCase, .latinCaseOnly]), latin)
        expect(!areOne(a, b, []))
    }

    @Test(
        arguments: [
            ("é", "e", true), ("é", "e\u{301}", true), ("ắ", "a", true), ("a\u{301}\u{306}", "ắ", true),
            ("ñ", "n", true),
            ("Å", "A", true), ("\u{212b}", "A", true), ("ά", "α", true), ("ΐ", "ι", true), ("й", "и", true),
            ("ё", "е", true), ("ø", "o", false), ("ł", "l", false), ("ß", "s", false), ("æ", "a", false),
            ("한", "\u{1112}\u{1161}\u{11ab}", true), ("한", "하", false), ("が", "か", true), ("ד", "דּ", true),
            ("é", "E", false), ("กา", "ก", false), ("i", "ı", false), ("e", "e\u{200d}", false),
        ]
    )
    func `accents are ignored, composed or not`(a: String, b: String, isOne: Bool) {
        expectEqual(areOne(a, b, .ignoringDiacritics), isOne)
    }

    @Test func `accents and case are ignored together`() {
        expect(areOne("ÉCOLE", "ecole", [.ignoringCase, .ignoringDiacritics]))
        expect(areOne("Ά", "α", [.ignoringCase, .ignoringDiacritics]))
        expect(areOne("İ", "i", [.ignoringCase, .ignoringDiacritics]))
        expect(!areOne("Ά", "α", [.ignoringCase, .ignoringDiacritics, .latinCaseOnly]))
        expect(areOne("É", "e", [.ignoringCase, .ignoringDiacritics, .latinCaseOnly]))
    }

    @Test func `text without accents is Unicode's decomposition without its marks`() {
        let blocks: [ClosedRange<UInt32>] = [
            0x80...0x33ff, 0xac00...0xac80, 0xfb00...0xffff, 0x10400...0x10450, 0x11080...0x11150, 0x1d150...0x1d1d0,
        ]
        for raw in blocks.joined() {
            guard let scalar = Unicode.Scalar(raw) else { continue }
            var expected: [UInt32] = []
            for part in String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars
            where part.properties.canonicalCombiningClass.rawValue == 0 {
                expected.append(part.value)
            }
            var found: [UInt32] = []
            Accents.forEachBase(of: raw) { found.append($0) }
            expectEqual(found, expected, "U+\(String(raw, radix: 16))")
        }
    }

    @Test func `bytes that aren't UTF-8 are kept`() {
        let bytes: [UInt8] = [0x41, 0xff, 0xc3, 0x42, 0xe2, 0x82, 0xf0, 0x90, 0xc3, 0x89]
        let expected: [UInt8] = [0x61, 0xff, 0xc3, 0x62, 0xe2, 0x82, 0xf0, 0x90, 0xc3, 0xa9]
        expectEqual(bytes.withUnsafeBytes { TextFold(.ignoringCase)!.folded($0) }, expected)
    }

    @Test(
        arguments: [
            ("*", "", true), ("?", "", false), ("?", "é", true), ("?", "e\u{301}", false), ("??", "日本", true),
            ("a*", "abc", true), ("*c", "abc", true), ("*b*", "abc", true), ("a?c", "abc", true), ("a?c", "ac", false),
            ("a*b*c", "axxbxxc", true), ("a*b*c", "axxcxxb", false), ("*a*a*", "ba", false), ("**", "x", true),
            ("\\*", "*", false), ("\\*", "\\x", true), ("a", "A", false), ("", "", true), ("?*", "x", true),
            ("*?", "", false), ("*ab", "aab", true), ("a*a", "a", false),
        ]
    )
    func `LIKE matches whole texts by code points, without escapes`(pattern: String, text: String, matches: Bool) {
        expectEqual(ValueTest(.text(.like, .string(pattern), [])).matches(.string(text)), matches)
        expect(
            ValueTest(.text(.like, .string(pattern.uppercased()), .ignoringCase)).matches(.string(text.lowercased()))
                || !matches
        )
    }

    @Test(arguments: StringOperator.allCases)
    func `a string operator accepts null on either side`(op: StringOperator) {
        let isEqual = op == .equal || op == .like || op == .matches
        let ofNull = ValueTest(.text(op, .null, []))
        expectEqual(ofNull.matches(.null), (op != .notEqual))
        expectEqual(ofNull.matches(.string("a")), !isEqual)
        let ofText = ValueTest(.text(op, .string("a"), []))
        expectEqual(ofText.matches(.null), (op == .notEqual))
        expectEqual(ofText.matches(.int(1)), (op == .notEqual))
        // In strings and data, both are text. In mixed values, a string doesn't match data.
        expectEqual(ofText.matches(.data(Data("a".utf8))), (op != .notEqual))
        var mixed = ofText
        mixed.isMixed = true
        expectEqual(mixed.matches(.data(Data("a".utf8))), (op == .notEqual))
        expectEqual(mixed.matches(.string("a")), (op != .notEqual))
        expectEqual(mixed.negated.matches(.string("a")), (op == .notEqual))
    }
}
