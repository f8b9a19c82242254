import Testing

@testable import FreeholdEngine

/// The words of full-text search.
struct TextTokenTests {
    static func tokens(_ text: String, _ matching: TextMatching = .unicode) -> [String] {
        var out: [String] = []
        var text = text
        text.withUTF8 { utf8 in
            TextTokenizer(matching).forEach(UnsafeRawBufferPointer(utf8)) { token in
                out.append(String(decoding: token.bytes.dropFirst(), as: UTF8.self))
                return true
            }
        }
        return out
    }

    @Test(arguments: [
        ("", []),
        (" \t\n.,;!?", []),
        ("The Quick brown-fox", ["the", "quick", "brown", "fox"]),
        ("don't l'école", ["don", "t", "l", "ecole"]),
        ("v2.0 in 2024", ["v2", "0", "in", "2024"]),
        ("snake_case C# c++", ["snake", "case", "c", "c"]),
        // Accents, composed or not.
        ("Café Cafe\u{301} CAFÉ", ["cafe", "cafe", "cafe"]),
        ("Ǻngström Ångström", ["angstrom", "angstrom"]),
        ("Tiếng Việt", ["tieng", "viet"]),
        ("a\u{308}\u{323}b", ["ab"]),
        // Letters of their own.
        ("Straße STRASSE strasse ẞ", ["strasse", "strasse", "strasse", "ss"]),
        ("Æsir Œuvre Łódź Tromsø Đà ħ", ["aesir", "oeuvre", "lodz", "tromso", "da", "h"]),
        ("Iğdır İstanbul ISPARTA", ["igdir", "istanbul", "isparta"]),
        // Forms of letters.
        ("ﬁn ﬀ ＡＢＣ１２ 𝐇𝐞𝐥𝐥𝐨 x² №5", ["fin", "ff", "abc12", "hello", "x2", "no5"]),
        ("soft\u{ad}hyphen zero\u{200b}width join\u{200d}er", ["softhyphen", "zero", "width", "joiner"]),
        // Greek.
        ("ΣΊΣΥΦΟΣ Σίσυφος", ["σισυφοσ", "σισυφοσ"]),
        ("Ἀχιλῆος ΐ", ["αχιληοσ", "ι"]),
        // Cyrillic: ё equals е, and й doesn't equal и, in any composition.
        ("Ёлка ёлка елка", ["елка", "елка", "елка"]),
        ("Йод и\u{306}од мои мой", ["йод", "йод", "мои", "мой"]),
        ("Київ Ўзбек", ["киів", "ўзбек"]),
        // Hebrew and Arabic without points.
        ("שָׁלוֹם שלום", ["שלום", "שלום"]),
        ("مُحَمَّد محمد محـمـد", ["محمد", "محمد", "محمد"]),
        ("أحمد إيران آسيا", ["احمد", "ايران", "اسيا"]),
        ("ایران کتاب می\u{200c}خواهم", ["ايران", "كتاب", "ميخواهم"]),
        ("٣٤ ۳۴ ३४", ["34", "34", "34"]),
        ("ﻫﻼ", ["هلا"]),
        // Indic vowel signs belong to the word.
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("क़लम क\u{93c}लम", ["कलम", "कलम"]),
        // No spaces: pairs, and the last character.
        ("東京都", ["東京", "京都", "都"]),
        ("東", ["東"]),
        ("東京 大阪", ["東京", "京", "大阪", "阪"]),
        ("東京タワー2階", ["東京", "京タ", "タワ", "ワー", "ー", "2", "階"]),
        ("iPhone手机", ["iphone", "手机", "机"]),
        ("がぎ か\u{3099}ｷﾞ ﾊﾟ", ["がぎ", "ぎ", "がギ", "ギ", "パ"]),
        ("かき", ["かき", "き"]),
        ("서울은 \u{1109}\u{1165}\u{110b}\u{116e}\u{11af}", ["서울", "울은", "은", "서울", "울"]),
        ("ไทย", ["ไท", "ทย", "ย"]),
        ("한字あ", ["한字", "字あ", "あ"]),
        // Emoji are words.
        ("pizza🍕🍕 👍🏽", ["pizza", "🍕", "🍕", "👍"]),
        ("👩‍💻 🇩🇪🇫🇷 ❤️", ["👩", "💻", "🇩🇪", "🇫🇷"]),
    ])
    func `words are letters and digits of every script, folded`(text: String, expected: [String]) {
        expectEqual(Self.tokens(text), expected)
    }

    @Test(arguments: [
        ("Café del-Mar 2", ["cafe", "del", "mar", "2"]),
        ("ÅNGSTRÖM Øre þorn ßtraße", ["ångstrom", "øre", "þorn", "ßtraße"]),
        ("aÿb c×d e÷f", ["a", "b", "c", "d", "e", "f"]),
        ("Ελλάδα Москва 東京 🍕", []),
        ("naïveté ŁódŹ", ["naivete", "od"]),
        ("cafe\u{301}s", ["cafe", "s"]),
    ])
    func `the compatible words contain only Latin-1 letters`(text: String, expected: [String]) {
        expectEqual(Self.tokens(text, .latin1), expected)
    }

    @Test func `long words are cut between two characters`() {
        expectEqual(Self.tokens(String(repeating: "x", count: 100)), [String(repeating: "x", count: 64)])
        expectEqual(Self.tokens("a" + String(repeating: "ж", count: 80)), ["a" + String(repeating: "ж", count: 31)])
        expectEqual(Self.tokens(String(repeating: "ж", count: 40) + "b"), [String(repeating: "ж", count: 32)])
    }

    @Test func `bytes that aren't UTF-8 separate words`() {
        for bytes: [UInt8] in [
            [97, 0xff, 98], [97, 0xc3, 98], [97, 0xe4, 0xb8, 98], [97, 0xf0, 98], [97, 0x80, 98],
        ] {
            var out: [[UInt8]] = []
            bytes.withUnsafeBytes { bytes in
                TextTokenizer(.unicode).forEach(bytes) {
                    out.append(Array($0.bytes.dropFirst()))
                    return true
                }
            }
            expectEqual(out, [[97], [98]], "\(bytes)")
        }
    }

    @Test func `tokens have positions and ranges`() {
        var found: [String] = []
        var text = "Zoë läuft, 東京"
        text.withUTF8 { utf8 in
            TextTokenizer(.unicode).forEach(UnsafeRawBufferPointer(utf8)) { token in
                found.append("\(token.position) " + String(decoding: utf8[token.range], as: UTF8.self))
                return true
            }
        }
        expectEqual(found, ["0 Zoë", "1 läuft", "2 東京", "3 京"])
    }

    @Test func `the body can end the reading`() {
        var count = 0
        var text = "one two three"
        text.withUTF8 { utf8 in
            TextTokenizer(.unicode).forEach(UnsafeRawBufferPointer(utf8)) { _ in
                count += 1
                return count < 2
            }
        }
        expectEqual(count, 2)
    }

    @Test func `a set of tokens contains each once, even after it was emptied`() {
        let set = TokenSet()
        for round in 0..<20 {
            set.removeAll()
            let words = (0..<(round * 7)).map { "w\($0 % 40)" }
            for word in words { Array(word.utf8).withUnsafeBytes { set.insert($0) } }
            expectEqual(set.count, Set(words).count)
            for i in 0..<50 {
                let word = "w\(i)"
                expectEqual(Array(word.utf8).withUnsafeBytes { set.contains($0) }, words.contains(word))
            }
        }
    }
}
