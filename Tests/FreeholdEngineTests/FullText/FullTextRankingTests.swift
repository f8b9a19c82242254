import Foundation
import Testing

@testable import FreeholdEngine

/// BM25 against the formula worked out on plain strings.
struct FullTextRankingTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `scores follow the formula`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let database = try FullTextDatabaseTests.database(
            "ranking-\(seed)",
            [TableSpec("T", columns: [ColumnSpec("s", .string, optional: true, index: .fullText)])]
        )
        let write = try database.beginWrite()
        let table = write.schema.table(named: "T")!
        let column = table.columns[0]
        var texts: [[String]] = []
        let vocabulary = ["swift", "swiftly", "data", "database", "object", "bird", "東京"]
        for _ in 0..<200 {
            let words = (0..<Int.random(in: 0..<12, using: &random)).map { _ in
                vocabulary[min(Int.random(in: 0..<7, using: &random), Int.random(in: 0..<7, using: &random))]
            }
            let key = try write.create(table)
            if !words.isEmpty { try write.set(column, key, to: .string(words.joined(separator: " "))) }
            texts.append(words)
        }
        let snapshot = try write.commit()
        func distinct(_ words: [String]) -> Int { Set(words).count + (words.contains("東京") ? 1 : 0) }
        let mean = Double(texts.reduce(0) { $0 + distinct($1) }) / 200
        let searches: [(String, [(df: [String], isPrefix: Bool, count: ([String]) -> Int)])] = [
            ("swift", [(["swift"], false, { $0.count { $0 == "swift" } })]),
            (
                "swift data -bird",
                [(["swift"], false, { $0.count { $0 == "swift" } }), (["data"], false, { $0.count { $0 == "data" } })]
            ),
            ("dat*", [(["dat"], true, { $0.count { $0.hasPrefix("dat") } })]),
            ("東京", [(["東京"], false, { $0.count { $0 == "東京" } })]),
            (
                "\"swift data\"",
                [(["swift", "data"], false, { zip($0, $0.dropFirst()).count { $0 == ("swift", "data") } })]
            ),
        ]
        for (search, terms) in searches {
            let query = try FullTextQuery(search, for: column)
            let keys = RowQuery(table: table, predicate: .fullText(PropertyPath(column), query)).keys(in: snapshot)
            let ranking = try require(FullTextRanking(query, column, in: snapshot))
            var expected: [(ObjectKey, Double)] = []
            for key in keys {
                let words = texts[Int(key.raw)]
                var score = 0.0
                for term in terms {
                    let df = term.df.map { word in
                        min(
                            200,
                            texts.reduce(0) { sum, text in
                                sum
                                    + (term.isPrefix
                                        ? Set(text.filter { $0.hasPrefix(word) }).count : text.contains(word) ? 1 : 0)
                            }
                        )
                    }.min()!
                    let tf = Double(term.count(words))
                    let idf = log(1 + (200 - Double(df) + 0.5) / (Double(df) + 0.5))
                    score += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * Double(distinct(words)) / mean))
                }
                expect(abs(ranking.score(of: key) - score) < 1e-9, "seed \(seed): \(search) of \(key)")
                expected.append((key, score))
            }
            let order = keys.sorted { ranking.score(of: $0) > ranking.score(of: $1) }
            let all = ranking.best(keys)
            expectEqual(all.map(\.key), order, "seed \(seed): \(search)")
            for limit in [0, 1, 3, 50, 1000] {
                expectEqual(
                    ranking.best(keys, limit: limit).map(\.key),
                    Array(order.prefix(limit)),
                    "\(search) \(limit)"
                )
            }
        }
    }

    @Test func `a column without an index has no ranking`() throws {
        let database = try FullTextDatabaseTests.database(
            "ranking-none",
            [TableSpec("T", columns: [ColumnSpec("s", .string), ColumnSpec("l", .string, index: .fullTextLatin1)])]
        )
        let snapshot = try database.snapshot()
        let table = snapshot.schema.table(named: "T")!
        let query = try FullTextQuery("x")
        expect(FullTextRanking(query, table.columns[0], in: snapshot) == nil)
        expect(FullTextRanking(query, table.columns[1], in: snapshot) == nil)
        let latin = try FullTextQuery("x", matching: .latin1)
        expectEqual(FullTextRanking(latin, table.columns[1], in: snapshot)?.best([]).isEmpty, true)
    }
}
