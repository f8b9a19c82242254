import Testing

@testable import FreeholdEngine

/// Entries of a journal, and texts of the query language, that are damaged.
@Suite(.enabled(if: DecodingCost.isMeasured, "it needs glibc"))
struct JournalCostTests {
    @Test func `no entry of a journal costs more than 200 times its bytes`() throws {
        let entry = try JournalTests().richEntry()
        let costly = DecodingFuzz.costlyInput(
            "JournalCostTests",
            usual: 1_500,
            soak: 500_000,
            corpus: { _ in [entry.log, entry.state].map { Array($0) } },
            decode: { input in
                input.withUnsafeBytes { bytes in
                    _ = JournalDecoder.log(bytes) { _ in }
                    _ = JournalDecoder.state(bytes) { _ in }
                }
            }
        )
        expect(costly == nil, "\(costly.map(\.description) ?? "")")
    }

    @Test func `no text of a query costs more than 200 times its bytes`() {
        let costly = DecodingFuzz.costlyInput(
            "JournalCostTests.queries",
            usual: 1_500,
            soak: 1_000_000,
            corpus: { seed in
                var random = SeededRandom(seed: seed)
                let short = (0..<6).map { _ in
                    (0..<random.number(1..<30)).map { _ in random.pick(QueryFuzzTests.pieces) }.joined(separator: " ")
                }
                let patterns = ["a*b?c*", "(a|b)*c{2,30}[x-z]+", "\\\\p{L}+"].map { "a MATCHES \"\($0)\"" }
                return (short + patterns).map { Array($0.utf8) }
            },
            decode: { input in
                _ = try? QueryParser.parse(String(decoding: input, as: UTF8.self), arguments: QueryFuzzTests.arguments)
            }
        )
        expect(costly == nil, "\(costly.map(\.description) ?? "")")
    }
}
