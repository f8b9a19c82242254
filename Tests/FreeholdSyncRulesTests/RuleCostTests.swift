import FreeholdBSON
import FreeholdEngine
import FreeholdSyncRules
import Testing

/// Rules and schemas as documents, damaged.
@Suite(.enabled(if: DecodingCost.isMeasured, "it needs glibc"))
struct RuleCostTests {
    @Test func `no document of rules costs more than 200 times its bytes`() throws {
        let costly = try DecodingFuzz.costlyInput(
            "RuleCostTests.rules",
            usual: 500,
            soak: 250_000,
            corpus: { seed in
                var rules = RandomRules(random: SeededRandom(seed: seed))
                return try (0..<5).map { _ in
                    let filter = rules.expression()
                    let role: BSONDocument = [
                        "name": "r", "apply_when": rules.expression(ofUser: true),
                        "document_filters": ["read": filter, "write": rules.expression()], "insert": true,
                        "fields": ["a": ["read": true, "write": false]],
                    ]
                    let classes: BSONDocument = ["classes": ["A": ["roles": [.document(role)]]]]
                    return Array(try classes.extendedJSON().utf8)
                }
            },
            decode: { input in _ = try? RuleSet(extendedJSON: String(decoding: input, as: UTF8.self)) }
        )
        expect(costly == nil, "\(costly.map(\.description) ?? "")")
    }

    @Test func `no document of a schema costs more than 200 times its bytes`() throws {
        let costly = try DecodingFuzz.costlyInput(
            "RuleCostTests.schemas",
            usual: 500,
            soak: 250_000,
            corpus: { seed in
                var schemas = RandomSchemas(random: SeededRandom(seed: seed))
                let documents = try SchemaDocument.documents(of: schemas.tables())
                return try documents.map { Array(try $0.schema.extendedJSON().utf8) } + [Array("{}".utf8)]
            },
            decode: { input in
                guard let document = try? BSONDocument(extendedJSON: input) else { return }
                _ = try? SchemaDocument.tables(of: [SchemaDocument(schema: document)])
            }
        )
        expect(costly == nil, "\(costly.map(\.description) ?? "")")
    }
}
