import Testing

@testable import FreeholdEngine

/// Searches for terms by their bytes, compared with the naive matcher and with texts that are split into words.
struct PlainTermTests {
    private static func text(_ random: inout SeededRandom, _ alphabet: [String], _ length: Int) -> String {
        (0..<length).map { _ in alphabet.randomElement(using: &random)! }.joined()
    }

    private static func counts(_ query: FullTextQuery, _ text: String) -> [Int] {
        let matcher = FullTextMatcher(query)
        Value.string(text).withText { matcher.count($0, distinct: nil) }
        return matcher.counts
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `terms are found in short and long texts of few letters`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        // Those that differ by one bit from letters and digits are among them.
        let plain = ["a", "a", "b", "A", "B", "1", " ", " ", "-", "\u{11}", "!", "@", "`", "[", "{"]
        let mixed = plain + ["é", "\u{301}", "ж", "東", "\u{ad}", "…", "ª"]
        let long = String(repeating: "ab", count: 32)
        var found = 0
        for round in TestBudget.range("PlainTermTests", usual: 1_500, soak: 15_000) {
            var search = NaiveSearch(.unicode)
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                var term = Self.text(&random, ["a", "b", "A", "1", " "], Int.random(in: 1...4, using: &random))
                if Int.random(in: 0..<8, using: &random) == 0 { term = long + (Bool.random(using: &random) ? "a" : "") }
                let isExcluded = Int.random(in: 0..<4, using: &random) == 0
                search.add(term, isPhrase: true, isPrefix: Bool.random(using: &random), isExcluded: isExcluded)
            }
            guard let query = try? FullTextQuery(search.text) else { continue }
            let alphabet = round % 2 == 0 ? plain : mixed
            var text = Self.text(&random, alphabet, Int.random(in: 0...40, using: &random))
            if Int.random(in: 0..<8, using: &random) == 0 { text += " " + long + Self.text(&random, plain, 9) }
            let note = "seed \(seed) round \(round): \(search.text) in \(text.debugDescription)"
            let isThere = try FullTextQueryTests.matches(search.text, text)
            // Words are compared up to their first 64 bytes.
            if !search.text.contains(long) {
                let expected = search.matches(NaiveText.words(text))
                if expected { found += 1 }
                expectEqual(isThere, expected, "\(note)")
            }
            // A letter of another script behind the text makes the engine split it into words.
            expectEqual(Self.counts(query, text), Self.counts(query, text + " ж"), "\(note)")
            try expectEqual(FullTextQueryTests.matches(search.text, text + " ж"), isThere, "\(note)")
        }
        expect(found > 100, "seed \(seed)")
    }

    @Test(arguments: [
        ("san", "San Jose, san-san", 3), ("san", "sansan sano xsan", 0), ("sa*", "sansan sano xsan", 2),
        ("\"a b a\"", "a b a b a", 2), ("\"san jos*\"", "San  José, San, Jos; san.joseph", 3), ("a", "a", 1),
        ("a", "", 0),
        ("san", "sa\u{301}n sán s\u{ad}an", 3), ("san", "санsan жsan san", 1),
    ])
    func `the occurrences of a term are counted`(search: String, text: String, count: Int) throws {
        expectEqual(Self.counts(try FullTextQuery(search), text), [count])
    }
}
