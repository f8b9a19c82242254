import Foundation
import Testing

@testable import FreeholdEngine

/// Full-text indexes against plain strings, in transactions and snapshots.
@Suite struct FullTextModelTests {
    /// Words of a text by position, found another way: a whole string is folded, then taken apart.
    static func words(_ text: String) -> [String] {
        let folded = text.lowercased().replacingOccurrences(of: "ς", with: "σ").replacingOccurrences(
            of: "ß",
            with: "ss"
        )
        .decomposedStringWithCompatibilityMapping.unicodeScalars.filter { !(0x300..<0x370).contains($0.value) }
        var out: [String] = []
        for part in folded.split(whereSeparator: { !$0.properties.isAlphabetic && $0.properties.numericType == nil }) {
            var run: [Unicode.Scalar] = []
            var word = ""
            func end() {
                if !word.isEmpty { out.append(word) }
                word = ""
                for i in run.indices { out.append(String(String.UnicodeScalarView(run[i..<min(i + 2, run.count)]))) }
                run = []
            }
            for scalar in part {
                if isUnspaced(scalar) != (word.isEmpty && !run.isEmpty) { end() }
                if isUnspaced(scalar) { run.append(scalar) } else { word.unicodeScalars.append(scalar) }
            }
            end()
        }
        return out
    }

    private static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isIdeographic || (0x3041..<0x3100).contains(scalar.value)
    }

    /// A search, with its terms apart.
    struct Search {
        var text = ""
        var terms: [(words: [String], isPrefix: Bool, isExcluded: Bool)] = []

        func matches(_ there: [String]) -> Bool {
            terms.allSatisfy { term in
                let last = term.words.count - 1
                let found = there.indices.contains { start in
                    start + last < there.count
                        && term.words.indices.allSatisfy { i in
                            let (word, found) = (term.words[i], there[start + i])
                            // A single character without spaces begins any pair.
                            let isShort = word.unicodeScalars.count == 1 && isUnspaced(word.unicodeScalars.first!)
                            let isPrefix =
                                isShort || (i == last && term.isPrefix && !isUnspaced(word.unicodeScalars.first!))
                            return isPrefix ? found.hasPrefix(word) : found == word
                        }
                }
                return found != term.isExcluded
            }
        }
    }

    private static let syllables = [
        "ba", "do", "ki", "É", "ö", "ß", "Ω", "σι", "ς", "λό", "жа", "ёл", "Мо", "東", "京", "大", "か", "タ", "7", "42",
        "nu",
    ]
    private static let separators = [" ", " ", " ", ", ", "-", ".", "  ", ""]

    static func text(_ random: inout SeededRandom, words: Int) -> String {
        var out = ""
        for _ in 0..<words {
            for _ in 0..<Int.random(in: 1...2, using: &random) { out += syllables.randomElement(using: &random)! }
            out += separators.randomElement(using: &random)!
        }
        return out
    }

    static func search(_ random: inout SeededRandom) -> Search {
        var search = Search()
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let isExcluded = Int.random(in: 0..<4, using: &random) == 0
            let isPrefix = Int.random(in: 0..<3, using: &random) == 0
            let isPhrase = Int.random(in: 0..<3, using: &random) == 0
            var term = ""
            for i in 0..<(isPhrase ? Int.random(in: 1...3, using: &random) : 1) {
                if i > 0 { term += " " }
                for _ in 0..<Int.random(in: 1...2, using: &random) { term += syllables.randomElement(using: &random)! }
            }
            let written = isPhrase ? "\"\(term)\"\(isPrefix ? "*" : "")" : term + (isPrefix ? "*" : "")
            search.text += " " + (isExcluded ? "-" : "") + written
            search.terms.append((words(term), isPrefix, isExcluded))
        }
        return search
    }

    @Test(arguments: [
        (seed: 1, span: 1, budget: 64 << 20), (seed: 2, span: 3, budget: 64 << 20),
        (seed: 3, span: 16, budget: 4 << 10), (seed: 4, span: 1000, budget: 64 << 20),
    ])
    func `an index finds what the strings have`(shape: (seed: UInt64, span: Int, budget: Int)) throws {
        var random = SeededRandom(shape.seed)
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
        try setup.applySchema(spec(.fullText))
        _ = try setup.commit()
        var model: [ObjectKey: String?] = [:]
        for round in 0..<12 {
            var next = model
            let note = "seed \(shape.seed) round \(round)"
            let write = try database.beginWrite()
            // The index goes and comes back, so that it is built over what is there.
            if round == 6 { try write.applySchema(spec(.none)) }
            if round == 8 { try write.applySchema(spec(.fullText)) }
            let table = write.schema.table(named: "P")!
            let column = table.columns[1]
            for _ in 0..<40 {
                let value: String? =
                    Int.random(in: 0..<8, using: &random) == 0
                    ? nil
                    : Self.text(
                        &random,
                        words: .random(in: 0..<(Int.random(in: 0..<20, using: &random) == 0 ? 400 : 6), using: &random)
                    )
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<4:
                    let key = try write.create(table)
                    try write.set(column, key, value.map { .string($0) } ?? .null)
                    next[key] = .some(value)
                case 4..<7:
                    guard let key = next.keys.sorted().randomElement(using: &random) else { continue }
                    if let value, Bool.random(using: &random) {
                        write.setString(column, key, value)
                    } else {
                        try write.set(column, key, value.map { .string($0) } ?? .null)
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
            try check(write, column, next, &random, searches: 4, "\(note), transaction")
            if round % 4 == 3 {
                write.cancel()
                try check(database.snapshot(), column, model, &random, searches: 4, "\(note), cancelled")
                continue
            }
            model = next
            let snapshot = try write.commit()
            #expect(snapshot.verify().isEmpty, "\(note)")
            try check(snapshot, column, model, &random, searches: 8, note)
        }
        let last = try database.beginWrite()
        let table = last.schema.table(named: "P")!
        last.deleteAll(table)
        let empty = try last.commit()
        #expect(empty.verify().isEmpty)
        #expect(empty.searchTree(table.columns[1])!.isEmpty)
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
        let words = model.mapValues { $0.map { Self.words($0) } ?? [] }
        for _ in 0..<searches {
            let search = Self.search(&random)
            guard let query = try? FullTextQuery(search.text) else { continue }
            let expected = words.filter { search.matches($0.value) }.keys.sorted()
            let predicate = FreeholdEngine.Predicate.fullText(PropertyPath(column), query)
            #expect(Query(table: table, predicate: predicate).keys(in: view) == expected, "\(note): \(search.text)")
            let rest = Query(table: table, predicate: .not(predicate)).count(in: view)
            #expect(rest == model.count - expected.count, "\(note): not \(search.text)")
            if let key = model.keys.randomElement(using: &random) {
                let one = Query(table: table, predicate: predicate).matches(key, in: view)
                #expect(one == expected.contains(key), "\(note): \(search.text) of \(key)")
            }
        }
    }
}
