import Foundation
import Testing

@testable import FreeholdEngine

/// Names of cities in all scripts (GeoNames, CC BY 4.0: the data of the example `World`), searched with an index,
/// without one and by a naive matcher. With `FREEHOLD_LONG=1` all cities, and more searches.
struct FullTextWorldTests {
    private static let isLong = ProcessInfo.processInfo.environment["FREEHOLD_LONG"] != nil
    /// The names of each city that has several, joined to one string.
    private static let names: [String] = {
        let file = URL(filePath: #filePath).appending(path: "../../../../Examples/World/Data/cities.jsonl").standardized
        guard let data = try? Data(contentsOf: file) else { return [] }
        var out: [String] = []
        var cities = 0
        for line in String(decoding: data, as: UTF8.self).components(separatedBy: "\n")
        where line.contains("\"alternateNames\"") {
            cities += 1
            guard isLong || cities % 10 == 0,
                let city = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                let name = city["name"] as? String, let others = city["alternateNames"] as? [String]
            else { continue }
            out.append(([name] + others).joined(separator: ", "))
        }
        return out
    }()

    private static func parts(_ text: String) -> [Substring] {
        text.split { $0.isWhitespace }.filter { part in !part.hasPrefix("-") && !part.contains { "\"“”„*".contains($0) }
        }
    }

    /// Returns a search with words of a name, in other letter case, as prefixes and in phrases.
    private static func search(
        _ random: inout SeededRandom,
        _ names: some RandomAccessCollection<String>,
        _ matching: TextMatching
    ) -> NaiveSearch {
        var search = NaiveSearch(matching)
        for _ in 0..<[1, 1, 1, 2, 3].randomElement(using: &random)! {
            let parts = parts(names.randomElement(using: &random)!)
            guard let at = parts.indices.randomElement(using: &random) else { continue }
            let isExcluded = Int.random(in: 0..<5, using: &random) == 0
            var isPrefix = Int.random(in: 0..<4, using: &random) == 0
            let isPhrase = matching == .unicode && Int.random(in: 0..<3, using: &random) == 0
            var term = parts[at...].prefix(isPhrase ? Int.random(in: 2...3, using: &random) : 1).joined(separator: " ")
            if matching == .latin1 {
                guard let word = NaiveText.words(term, .latin1).randomElement(using: &random) else { continue }
                term = word
            }
            if Int.random(in: 0..<4, using: &random) == 0 { term = term.uppercased() }
            if matching == .unicode, Int.random(in: 0..<4, using: &random) == 0 {
                term = term.decomposedStringWithCanonicalMapping
            }
            // In scripts without spaces, any part of a word is found.
            if term.unicodeScalars.count > 2, Int.random(in: 0..<3, using: &random) == 0 {
                term = String(term.dropLast(Int.random(in: 1...max(1, term.count / 2), using: &random)))
                isPrefix = true
            }
            if term.isEmpty || NaiveText.words(term, matching).isEmpty { continue }
            search.add(term, isPhrase: isPhrase, isPrefix: isPrefix, isExcluded: isExcluded)
        }
        return search
    }

    private static func database(_ name: String, _ matching: TextMatching) throws -> Database {
        let index: IndexKind = matching == .unicode ? .fullText : .fullTextLatin1
        let columns = [
            ColumnSpec("indexed", .string, optional: true, index: index), ColumnSpec("plain", .string, optional: true),
        ]
        return try FullTextDatabaseTests.database("world-\(name)-\(matching)", [TableSpec("City", columns: columns)])
    }

    @Test(arguments: [(TextMatching.unicode, 11), (.latin1, 12)] as [(TextMatching, UInt64)])
    func `the index, plain strings and a naive matcher find the same`(matching: TextMatching, seed: UInt64) throws {
        try require(Self.names.count > 230)
        var random = SeededRandom(seed: seed)
        let write = try Self.database("found", matching).beginWrite()
        let table = write.schema.table(named: "City")!
        var model: [ObjectKey: [String]] = [:]
        func set(_ key: ObjectKey, _ name: String?) throws {
            for column in table.columns { try write.set(column, key, to: name.map { .string($0) } ?? .null) }
            model[key] = name.map { NaiveText.words($0, matching) } ?? []
        }
        for name in Self.names { try set(write.create(table), name) }
        try set(write.create(table), nil)
        var hits = try check(write, model, Self.names, &random, searches: 10, "seed \(seed), new")
        let first = try write.commit()
        expect(first.verify().isEmpty)
        hits += try check(first, model, Self.names, &random, searches: Self.isLong ? 1500 : 50, "seed \(seed)")
        expect(hits > 100, "seed \(seed)")
    }

    @Test(arguments: [(TextMatching.unicode, 21), (.latin1, 22)] as [(TextMatching, UInt64)])
    func `searches work inside a write that changes names`(matching: TextMatching, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let database = try Self.database("write", matching)
        let setup = try database.beginWrite()
        let table = setup.schema.table(named: "City")!
        var texts: [ObjectKey: String] = [:]
        let names = Self.names.prefix(120)
        for name in names { texts[try setup.create(table)] = name }
        for (key, name) in texts { for column in table.columns { setup.setString(column, key, to: name) } }
        _ = try setup.commit()
        let write = try database.beginWrite()
        var hits = 0
        for _ in 0..<5 {
            for _ in 0..<30 {
                let keys = texts.keys.sorted()
                let (one, other) = (keys.randomElement(using: &random)!, keys.randomElement(using: &random)!)
                switch Int.random(in: 0..<3, using: &random) {
                case 0:
                    (texts[one], texts[other]) = (texts[other], texts[one])
                    for key in [one, other] {
                        for column in table.columns { write.setString(column, key, to: texts[key]!) }
                    }
                case 1:
                    write.delete(table, one)
                    texts[one] = nil
                default:
                    let key = try write.create(table)
                    texts[key] = names.randomElement(using: &random)!
                    for column in table.columns { write.setString(column, key, to: texts[key]!) }
                }
            }
            let words = texts.mapValues { NaiveText.words($0, matching) }
            hits += try check(
                write,
                words,
                names,
                &random,
                searches: Self.isLong ? 200 : 6,
                "seed \(seed), inside the write"
            )
        }
        let words = texts.mapValues { NaiveText.words($0, matching) }
        hits += try check(write.commit(), words, names, &random, searches: 10, "seed \(seed), after it")
        expect(hits > 20, "seed \(seed)")
    }

    /// - Returns: how many rows the searches find.
    private func check(
        _ view: DataView,
        _ model: [ObjectKey: [String]],
        _ names: some RandomAccessCollection<String>,
        _ random: inout SeededRandom,
        searches: Int,
        _ note: String
    ) throws -> Int {
        let table = view.schema.table(named: "City")!
        let matching = try require(table.columns[0].indexKind.textMatching)
        var done = 0
        var hits = 0
        while done < searches {
            let search = Self.search(&random, names, matching)
            // One without a word, or with one both wanted and excluded.
            guard let query = try? FullTextQuery(search.text, matching: matching) else { continue }
            done += 1
            let expected = model.filter { search.matches($0.value) }.keys.sorted()
            hits += expected.count
            for column in table.columns {
                let found = RowQuery(table: table, predicate: .fullText(PropertyPath(column), query)).keys(in: view)
                expectEqual(found, expected, "\(note), \(column.name):\(search.text)")
            }
            let ranking = try require(FullTextRanking(query, table.columns[0], in: view))
            let best = ranking.best(expected, limit: 3)
            let all = ranking.best(expected)
            expectEqual(best.map(\.key), all.prefix(3).map(\.key), "\(note), ranked:\(search.text)")
            expectEqual(best.map(\.score), all.prefix(3).map(\.score), "\(note), ranked:\(search.text)")
        }
        return hits
    }
}
