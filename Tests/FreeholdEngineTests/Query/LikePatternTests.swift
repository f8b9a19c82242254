import Testing

@testable import FreeholdEngine

/// Searches in bytes, against the general version that tries every place.
struct LikePatternTests {
    @Test func `random patterns match the same texts as a search at every place`() {
        var random = SeededRandom(test: "LIKE patterns")
        let budget = TestBudget.range("LikePatternTests", usual: 20_000, soak: 2_000_000)
        for _ in budget {
            let text = Self.bytes(&random, Self.letters, upTo: 24)
            let pattern = Self.bytes(&random, Self.letters + ["*", "*", "?", "?"], upTo: 14)
            let isMatch = text.withUnsafeBytes { LikePattern(bytes: pattern).matches($0) }
            let expected = text.withUnsafeBytes { Self.matchesSlowly($0, pattern) }
            expectEqual(isMatch, expected, "\(pattern) on \(text)")
            if isMatch != expected { return }
        }
    }

    @Test func `random data matches the same patterns as a search at every place`() {
        var random = SeededRandom(test: "LIKE patterns of data")
        let letters: [UInt8] = [0x61, 0x62, 0x80, 0x81, 0xc3, 0xff]
        for _ in TestBudget.range("LikePatternTests.data", usual: 20_000, soak: 2_000_000) {
            let text = (0..<random.number(0..<16)).map { _ in random.pick(letters) }
            let stars = letters + [UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "?")]
            let pattern = (0..<random.number(0..<9)).map { _ in random.pick(stars) }
            let isMatch = text.withUnsafeBytes { LikePattern(bytes: pattern).matches($0) }
            let expected = text.withUnsafeBytes { Self.matchesSlowly($0, pattern) }
            expectEqual(isMatch, expected, "\(pattern) on \(text)")
            if isMatch != expected { return }
        }
    }

    @Test func `segments with a state of several words match, too`() {
        var random = SeededRandom(test: "long LIKE patterns")
        for _ in TestBudget.range("LikePatternTests.long", usual: 300, soak: 30_000) {
            let text = Self.bytes(&random, ["a", "b", "ä"], upTo: 400)
            var pattern = Array(text.dropFirst(random.number(0..<20)).prefix(random.number(1..<300)))
            for _ in 0..<random.number(0..<8) where !pattern.isEmpty {
                let place = random.number(0..<pattern.count)
                if pattern[place] & 0x80 == 0 { pattern[place] = UInt8(ascii: random.chance(80) ? "?" : "*") }
            }
            if random.chance(50) { pattern.insert(UInt8(ascii: "*"), at: 0) }
            if random.chance(50) { pattern.append(UInt8(ascii: "*")) }
            let isMatch = text.withUnsafeBytes { LikePattern(bytes: pattern).matches($0) }
            expectEqual(isMatch, text.withUnsafeBytes { Self.matchesSlowly($0, pattern) }, "\(pattern) on \(text)")
        }
    }

    @Test func `a run of bytes is found at the same place as by a search at every place`() {
        var random = SeededRandom(test: "byte searches")
        for _ in TestBudget.range("LikePatternTests.search", usual: 20_000, soak: 2_000_000) {
            let letters: [UInt8] = random.chance(50) ? [1, 2] : [1, 1, 1, 2, 3]
            let text = (0..<random.number(0..<60)).map { _ in random.pick(letters) }
            let period = (0..<random.number(1..<5)).map { _ in random.pick(letters) }
            let run = (0..<random.number(1..<14)).map {
                random.chance(90) ? period[$0 % period.count] : random.pick(letters)
            }
            let start = random.number(0..<text.count + 2)
            let expected = (start..<max(start, text.count + 1)).first { text.dropFirst($0).starts(with: run) }
            text.withUnsafeBytes { text in
                run.withUnsafeBytes { run in
                    expectEqual(ByteSearch.first(run, in: text, from: start), expected)
                    if start <= text.count {
                        expectEqual(ByteSearch.twoWay(run, in: text, from: start), expected)
                    }
                }
            }
        }
    }

    /// An implementation that backtracks to the last star would compare 10¹² bytes.
    @Test func `a long pattern on a long text takes no more steps than their lengths together`() {
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: 4_000_000)
        let run = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000) + [UInt8(ascii: "b")]
        let star = [UInt8(ascii: "*")]
        text.withUnsafeBytes { text in
            expect(!LikePattern(bytes: star + run + star + [UInt8(ascii: "c")]).matches(text))
            expect(!BytesTest.contains(run).matches(text))
            expect(!BytesTest.contains([UInt8(ascii: "b")] + run).matches(text))
        }
        let many = Array(repeating: star + [UInt8(ascii: "a")], count: 100_000).flatMap { $0 }
        text.withUnsafeBytes { expect(!LikePattern(bytes: many + star + [UInt8(ascii: "b")]).matches($0)) }
    }

    private static let letters = ["a", "b", "ä", "日", "\u{301}"]

    private static func bytes(_ random: inout SeededRandom, _ letters: [String], upTo count: Int) -> [UInt8] {
        (0..<random.number(0..<count + 1)).flatMap { _ in Array(random.pick(letters).utf8) }
    }

    /// Goes back to the last star at each place that doesn't fit.
    private static func matchesSlowly(_ text: UnsafeRawBufferPointer, _ pattern: [UInt8]) -> Bool {
        var (t, p, retryPattern, retryText) = (0, 0, -1, 0)
        while t < text.count {
            if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
                (retryPattern, retryText) = (p + 1, t)
                p += 1
            } else if p < pattern.count, pattern[p] == UInt8(ascii: "?") {
                t = LikePattern.after(t, text)
                p += 1
            } else if p < pattern.count, pattern[p] == text[t] {
                t += 1
                p += 1
            } else if retryPattern >= 0 {
                retryText = LikePattern.after(retryText, text)
                (t, p) = (retryText, retryPattern)
            } else {
                return false
            }
        }
        while p < pattern.count, pattern[p] == UInt8(ascii: "*") { p += 1 }
        return p == pattern.count
    }
}
