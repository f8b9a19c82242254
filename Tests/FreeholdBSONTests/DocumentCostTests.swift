import Testing

@testable import FreeholdBSON

/// Documents as bytes and as text that are damaged.
@Suite(.enabled(if: DecodingCost.isMeasured, "it needs glibc"))
struct DocumentCostTests {
    @Test func `no document of bytes costs more than 200 times its bytes`() throws {
        let costly = try DecodingFuzz.costlyInput(
            "DocumentCostTests.bytes",
            usual: 1_000,
            soak: 1_000_000,
            corpus: { seed in
                var documents = RandomDocuments(random: SeededRandom(seed: seed))
                return try (0..<6).map { _ in try documents.document().bytes() }
                    + [BSONDocument(Self.wide).bytes()]
            },
            decode: { input in
                for policy in [BSONDuplicateKeys.refuse, .keep, .last] {
                    _ = try? BSONDocument(bytes: input, duplicateKeys: policy)
                }
            }
        )
        expect(costly == nil, "\(costly.map(\.description) ?? "")")
    }

    @Test func `no document of text costs more than 200 times its bytes`() throws {
        let costly = try DecodingFuzz.costlyInput(
            "DocumentCostTests.text",
            usual: 1_000,
            soak: 1_000_000,
            corpus: { seed in
                var documents = RandomDocuments(random: SeededRandom(seed: seed))
                let texts = try (0..<6).map { index in
                    try documents.document().extendedJSON(index % 2 == 0 ? .canonical : .relaxed)
                }
                return (texts + [try BSONDocument(Self.wide).extendedJSON()]).map { Array($0.utf8) }
            },
            decode: { input in
                _ = try? BSONDocument(extendedJSON: input)
                _ = try? BSONDocument(extendedJSON: input, options: ExtendedJSONOptions(acceptsLegacy: true))
            }
        )
        expect(costly == nil, "\(costly.map(\.description) ?? "")")
    }

    /// Values that have the fewest bytes.
    private static let wide: [(key: String, value: BSONValue)] = [
        ("a", .array(Array(repeating: .null, count: 300))), ("b", .array(Array(repeating: .array([]), count: 300))),
        ("c", .array(Array(repeating: .document([:]), count: 300))),
    ]

    /// Values that have the fewest bytes, in an array.
    @Test(arguments: ["null", "[]", "{}", "0", "\"\"", "{\"\":0}", "[[]]"])
    func `values that are equal don't cost more either`(_ value: String) throws {
        let count = TestBudget.cases(1_000, soak: 100_000)
        let text = "{\"a\":[\(Array(repeating: value, count: count).joined(separator: ","))]}"
        let input = Array(text.utf8)
        let (document, cost) = DecodingCost.measure { try? BSONDocument(extendedJSON: input) }
        let bytes = try require(document).bytes()
        let (again, binaryCost) = DecodingCost.measure { try? BSONDocument(bytes: bytes) }
        expect(again == document)
        print("\(value): \(cost / input.count) and \(binaryCost / bytes.count) bytes of memory for each byte")
        expect(cost <= DecodingCost.limit(input.count))
        expect(binaryCost <= DecodingCost.limit(bytes.count))
    }
}
