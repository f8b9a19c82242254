import Testing

@testable import FreeholdServerStore
@testable import FreeholdSyncCore
@testable import SyncWorlds

/// The content of the server's hidden rows, damaged.
@Suite(.enabled(if: DecodingCost.isMeasured, "it needs glibc"))
struct StoredFormCostTests {
    @Test func `nothing that hidden rows hold costs more than 200 times its bytes`() throws {
        let costly = try DecodingFuzz.costlyInput(
            "StoredFormCostTests",
            usual: 1_000,
            soak: 500_000,
            corpus: { seed in
                var generator = HistoryGenerator(seed: seed, HistoryGenerator.Options(name: "forms", steps: 20))
                generator.run()
                var random = SeededRandom(seed: seed)
                var forms: [[UInt8]] = []
                for case .arrival(_, let commit, _) in generator.history.events.prefix(6) {
                    let part = UploadedCommit(commit: commit, hash: RunningHash(high: random.next(), low: 1))
                    forms.append(try StoredMessage.bytes(part))
                }
                let parents = (0..<20).map { FileParent(ident: FileIdent(rawValue: $0), version: random.next()) }
                forms.append(StoredParents.bytes(parents))
                let queries = (0..<50).map { ClassQuery(className: "A", condition: SyncString("n == \($0)")) }
                forms.append(try StoredMessage.bytes(Queries(version: 1, queries: queries)))
                forms.append(StreamName(app: "app", value: .string("user")).bytes)
                return forms
            },
            decode: { input in
                _ = try? StoredMessage.part(input)
                _ = try? StoredMessage.queries(input)
                _ = try? StoredMessage.answer(input)
                _ = try? StoredParents.parents(input)
                _ = try? StreamName(input)
                _ = try? StoredImages([0] + input, nil)
            }
        )
        expect(costly == nil, "\(costly.map(\.description) ?? "")")
    }
}
