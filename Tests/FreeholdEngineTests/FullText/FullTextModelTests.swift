import Foundation
import Testing

@testable import FreeholdEngine

/// Full-text indexes against plain strings, in transactions and snapshots.
struct FullTextModelTests {
    private static let syllables = [
        "ba", "do", "ki", "É", "ö", "ß", "Ω", "σι", "ς", "λό", "жа", "ёл", "Мо", "東", "京", "大", "か", "タ", "7", "42",
        "nu",
    ]
    /// Nearly all of Latin-1: `ÿ`, `×` and `λ` separate words there.
    private static let latinSyllables = [
        "ba", "do", "ki", "É", "ö", "ß", "Å", "å", "æ", "Þ", "ð", "Ø", "ñ", "7", "42", "nu", "Ü", "ç", "ÿ", "×", "λ",
    ]
    private static let separators = [" ", " ", " ", ", ", "-", ".", "  ", ""]

    private static func syllable(_ random: inout SeededRandom, _ matching: TextMatching) -> String {
        (matching == .unicode ? syllables : latinSyllables).randomElement(using: &random)!
    }

    static func text(_ random: inout SeededRandom, words: Int, _ matching: TextMatching) -> String {
        var out = ""
        for _ in 0..<words {
            for _ in 0..<Int.random(in: 1...2, using: &random) { out += syllable(&random, matching) }
            out += separators.randomElement(using: &random)!
        }
        return out
    }

    static func search(_ random: inout SeededRandom, _ matching: TextMatching) -> NaiveSearch {
        var search = NaiveSearch(matching)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let isExcluded = Int.random(in: 0..<4, using: &random) == 0
            let isPrefix = Int.random(in: 0..<3, using: &random) == 0
            let isPhrase = matching == .unicode && Int.random(in: 0..<3, using: &random) == 0
            var term = ""
            for i in 0..<(isPhrase ? Int.random(in: 1...3, using: &random) : 1) {
                if i > 0 { term += " " }
                for _ in 0..<Int.random(in: 1...2, using: &random) { term += syllable(&random, matching) }
            }
            search.add(term, isPhrase: isPhrase, isPrefix: isPrefix, isExcluded: isExcluded)
        }
        return search
    }

    @Test(
        arguments: [
            (seed: 1, span: 1, budget: 64 << 20, .unicode), (seed: 2, span: 3, budget: 64 << 20, .unicode),
            (seed: 3, span: 16, budget: 4 << 10, .unicode), (seed: 4, span: 1000, budget: 64 << 20, .unicode),
            (seed: 5, span: 1, budget: 64 << 20, .latin1), (seed: 6, span: 16, budget: 4 << 10, .latin1),
            (seed: 7, span: 1000, budget: 64 << 20, .latin1),
        ] as [(seed: UInt64, span: Int, budget: Int, matching: TextMatching)]
    )
    func `an index finds the words of the strings`(
        shape: (seed: UInt64, span: Int, budget: Int, matching: TextMatching)
    ) throws {
        let matching = shape.matching
        let kind: IndexKind = matching == .unicode ? .fullText : .fullTextLatin1
        var random = SeededRandom(seed: shape.seed)
        var options = Database.Options()
        options.mapSize = 1 << 30
        options.clusterSpan = shape.span
        options.memoryBudget = shape.budget
        let database = try Database.inMemory(identifier: "text-\(shape.seed)", options: options)
        let setup = try database.beginWrite()
        func spec(_ index: IndexKind) -> [TableSpec] {
            [
                TableSpec(
                    "P",
                    columns: [ColumnSpec("n", .int), ColumnSpec("t", .string, optional: true, index: index)]
                )
            ]
        }
        try setup.applySchema(spec(kind))
        _ = try setup.commit()
        var model: [ObjectKey: String?] = [:]
        for round in 0..<12 {
            var next = model
            let note = "seed \(shape.seed) round \(round)"
            let write = try database.beginWrite()
            // The index is removed and added again, so that it is built from existing objects.
            if round == 6 { try write.applySchema(spec(.none)) }
            if round == 8 { try write.applySchema(spec(kind)) }
            let table = write.schema.table(named: "P")!
            let column = table.columns[1]
            for _ in 0..<40 {
                let value: String? =
                    Int.random(in: 0..<8, using: &random) == 0
                    ? nil
                    : Self.text(
                        &random,
                        words: .random(in: 0..<(Int.random(in: 0..<20, using: &random) == 0 ? 400 : 6), using: &random),
                        matching
                    )
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<4:
                    let key = try write.create(table)
                    try write.set(column, key, to: value.map { .string($0) } ?? .null)
                    next[key] = .some(value)
                case 4..<7:
                    guard let key = next.keys.sorted().randomElement(using: &random) else { continue }
                    if let value, Bool.random(using: &random) {
                        write.setString(column, key, to: value)
                    } else {
                        try write.set(column, key, to: value.map { .string($0) } ?? .null)
                    }
                    next[key] = .some(value)
                case 7..<9:
                    guard let key = next.keys.sorted().randomElement(using: &random) else { continue }
                    write.delete(table, key)
                    next[key] = nil
                default:
                    try check(write, column, next, &random, searches: 1, "\(note), transaction")
                }
            }
            try check(write, column, next, &random, searches: TestBudget.cases(2, soak: 4), "\(note), transaction")
            if round % 4 == 3 {
                write.cancel()
                try check(database.snapshot(), column, model, &random, searches: 4, "\(note), cancelled")
                continue
            }
            model = next
            let snapshot = try write.commit()
            expect(snapshot.verify().isEmpty, "\(note)")
            try check(snapshot, column, model, &random, searches: TestBudget.cases(4, soak: 8), note)
        }
        let last = try database.beginWrite()
        let table = last.schema.table(named: "P")!
        last.deleteAll(table)
        let empty = try last.commit()
        expect(empty.verify().isEmpty)
        expect(empty.searchTree(table.columns[1])!.isEmpty)
    }

    private func check(
        _ view: DataView,
        _ column: Column,
        _ model: [ObjectKey: String?],
        _ random: inout SeededRandom,
        searches: Int,
        _ note: String
    ) throws {
        let table = view.schema.table(named: "P")!
        let column = table.columns[1]
        // Without an index, both kinds of words are allowed.
        let matching = column.indexKind.textMatching ?? .unicode
        let words = model.mapValues { $0.map { NaiveText.words($0, matching) } ?? [] }
        for _ in 0..<searches {
            let search = Self.search(&random, matching)
            guard let query = try? FullTextQuery(search.text, matching: matching) else { continue }
            let expected = words.filter { search.matches($0.value) }.keys.sorted()
            let predicate = FreeholdEngine.Predicate.fullText(PropertyPath(column), query)
            expectEqual(
                RowQuery(table: table, predicate: predicate).keys(in: view),
                expected,
                "\(note): \(search.text)"
            )
            let rest = RowQuery(table: table, predicate: .not(predicate)).count(in: view)
            expectEqual(rest, model.count - expected.count, "\(note): not \(search.text)")
            if let key = model.keys.randomElement(using: &random) {
                let one = RowQuery(table: table, predicate: predicate).matches(key, in: view)
                expectEqual(one, expected.contains(key), "\(note): \(search.text) of \(key)")
            }
        }
    }
}
