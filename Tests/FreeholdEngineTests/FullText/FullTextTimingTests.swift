import Foundation
import Testing

@testable import FreeholdEngine

/// Prints what building a full-text index and searching cost. Run in release with `FREEHOLD_LONG=1`;
/// `FREEHOLD_TEXT` may name a file, each line of which becomes a string.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["FREEHOLD_LONG"] != nil))
struct FullTextTimingTests {
    static func texts(_ count: Int) throws -> [String] {
        if let path = ProcessInfo.processInfo.environment["FREEHOLD_TEXT"] {
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
            return (0..<count).map { lines[$0 % lines.count] }
        }
        var random = SeededRandom(seed: 5)
        // Few words are common, many are rare.
        return (0..<count).map { _ in
            (0..<Int.random(in: 6..<18, using: &random)).map { _ in
                let rank = Int(pow(20_000, Double.random(in: 0..<1, using: &random)))
                return "w\(rank * 7919 % 99_991)"
            }.joined(separator: " ")
        }
    }

    @Test func `building and searching`() throws {
        let count = 200_000
        let texts = try Self.texts(count)
        let clock = ContinuousClock()
        func perRow(_ duration: Duration, _ rows: Int) -> Double {
            Double(duration.components.attoseconds) / 1e9 / Double(rows) + Double(duration.components.seconds) * 1e9
                / Double(rows)
        }
        func database(_ index: IndexKind, _ name: String) throws -> Database {
            var options = Database.Options()
            options.mapSize = 4 << 30
            let database = try Database.inMemory(identifier: "text-timing-\(name)", options: options)
            let write = try database.beginWrite()
            try write.applySchema([TableSpec("T", columns: [ColumnSpec("s", .string, index: index)])])
            _ = try write.commit()
            return database
        }
        func fill(_ database: Database) throws -> Snapshot {
            let write = try database.beginWrite()
            let table = write.schema.table(named: "T")!
            for text in texts { write.setString(table.columns[0], try write.create(table), to: text) }
            return try write.commit()
        }
        var snapshot: Snapshot!
        let plain = try database(.none, "plain")
        let plainTime = try clock.measure { snapshot = try fill(plain) }
        let indexed = try database(.fullText, "indexed")
        let time = try clock.measure { snapshot = try fill(indexed) }
        let built = try clock.measure {
            let write = try plain.beginWrite()
            try write.applySchema([TableSpec("T", columns: [ColumnSpec("s", .string, index: .fullText)])])
            _ = try write.commit()
        }
        let table = snapshot.schema.table(named: "T")!
        let column = table.columns[0]
        let entries = snapshot.searchTree(column)!.count
        print("rows: \(count), entries a row: \(Double(entries) / Double(count))")
        print("insert, plain: \(perRow(plainTime, count)) ns a row; with the index: \(perRow(time, count))")
        print("index built over them: \(perRow(built, count)) ns a row")
        let tokenizer = TextTokenizer(.unicode)
        var words = 0
        let tokens = clock.measure {
            for var text in texts {
                text.withUTF8 {
                    tokenizer.forEach(UnsafeRawBufferPointer($0)) { _ in
                        words += 1
                        return true
                    }
                }
            }
        }
        print("words: \(perRow(tokens, words)) ns each, \(perRow(tokens, count)) a row")
        let common = TextTokenTests.tokens(texts[0])
        for search in [
            common[0], common[0] + " " + common[1], "\"\(common[0]) \(common[1])\"", common[0].prefix(2) + "*",
            "-" + common[0],
        ] {
            let query = try FullTextQuery(String(search), for: column)
            var found: [ObjectKey] = []
            let time = clock.measure {
                found = RowQuery(table: table, predicate: .fullText(PropertyPath(column), query)).keys(in: snapshot)
            }
            let ranked = clock.measure { _ = FullTextRanking(query, column, in: snapshot)!.best(found, limit: 20) }
            print("\(search): \(found.count) in \(time), ranked in \(ranked)")
        }
    }
}
