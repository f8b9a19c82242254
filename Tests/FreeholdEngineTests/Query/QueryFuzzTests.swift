import Foundation
import TestRandom
import Testing

@testable import FreeholdEngine

/// For any text, the parser and the compiler return a query or an error.
@Suite("Query language: random texts") struct QueryFuzzTests {
    static let isSoak = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] != nil
    static let rounds = isSoak ? 50_000 : 300

    static let arguments: [any Sendable] = [5, "a.b", [1, 2], 1.5, Value.null]

    private func check(_ text: String, _ seed: UInt64, _ compiler: QueryCompiler<StoredNames>? = nil) {
        do throws(QueryError) {
            let query = try QueryParser.parse(text, arguments: Self.arguments)
            _ = try compiler?.compile(query)
            let printed = QueryPrinter.text(query, constant: QueryGrammarTests.constant)
            if printed.contains("<") && printed.contains(">") { return }
            do throws(QueryError) {
                let again = try QueryParser.parse(printed, arguments: Self.arguments)
                let twice = QueryPrinter.text(again, constant: QueryGrammarTests.constant)
                expectEqual(twice, printed, "seed \(seed): \(text.debugDescription)")
            } catch {
                Issue.record(
                    "seed \(seed): \(text.debugDescription) is printed as \(printed.debugDescription): \(error)"
                )
            }
        } catch {
            expect(!error.message.isEmpty && !error.description.isEmpty)
            if let position = error.position {
                expect(position >= 0 && position <= text.count, "seed \(seed): \(text.debugDescription)")
            }
        }
    }

    @Test(arguments: [TestSeed.random(in: 0 ... .max), 1])
    func `random bytes never trap`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<Self.rounds {
            let count = Int.random(in: 0..<40, using: &random)
            let bytes = (0..<count).map { _ in
                Bool.random(using: &random)
                    ? UInt8.random(in: 32..<127, using: &random) : UInt8.random(in: 0...255, using: &random)
            }
            check(String(decoding: bytes, as: UTF8.self), seed)
        }
    }

    static let pieces = [
        "a", "b", "a.b", "größe", "$x", "$x.a", "SELF", "any", "in", "ANY", "ALL", "NONE", "NOT", "!", "AND", "OR",
        "&&", "||", "==",
        "!=", "<", "<=", "=>", "IN", "CONTAINS", "[c]", "[cd]", "LIKE", "BETWEEN", "TEXT", "geoWithin", "{", "}",
        "{1, 2}", "(", ")",
        "(", ")", "[", "]", "[0]", "[FIRST]", "[*]", "['k']", "[$0]", ".", ".@count", ".@sum", ".@keys", ".@type",
        "@links.T.a",
        "@links.@count", "+", "-", "*", "/", "1", "-5", "0x1F", "1.5", "1e5f", "inf", "nan", "'x'", "\"y\\n\"",
        "B64\"AQID\"", "true", "null",
        "2020-01-01@00:00:00", "T1:2", "uuid(11111111-2222-3333-4444-555555555555)", "oid(0123456789abcdef01234567)",
        "O1", "L1:2",
        "obj('T', 1)", "$0", "$2", "%@", "%K", "%d", "$K1", "SUBQUERY(a, $x, ", ").@count", "SUBQUERY", ",",
        "TRUEPREDICATE",
        "SORT(a ASC)", "SORT(", "DISTINCT(a)", "LIMIT(1)", "OFFSET(2)", "geoBox([1, 2], [3, 4])", "geoCircle(", "'",
        "\"", "\\", "#any", "@", "MATCHES",
    ]

    @Test(arguments: [TestSeed.random(in: 0 ... .max), 2])
    func `random tokens never trap, and what is accepted is printed and read again`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<Self.rounds {
            let count = Int.random(in: 1..<14, using: &random)
            let words = (0..<count).map { _ in Self.pieces.randomElement(using: &random)! }
            check(words.joined(separator: Bool.random(using: &random) ? " " : ""), seed)
        }
    }

    @Test(arguments: [TestSeed.random(in: 0 ... .max), 3])
    func `changed queries never trap, and what is accepted is printed and read again`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let (_, compiler) = try QueryCoercionTests.compiler()
        let texts =
            QueryGrammarTests.all.map(\.text) + QueryRefusalTests.all.map(\.text)
            + QueryCoercionTests.converted.map(\.0)
            + QueryCoercionTests.refused.map(\.0)
        for _ in 0..<Self.rounds {
            var letters = Array(texts.randomElement(using: &random)!)
            for _ in 0..<Int.random(in: 1..<4, using: &random) {
                let i = Int.random(in: 0...letters.count, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0 where i < letters.count: letters.remove(at: i)
                case 1: letters.insert(contentsOf: Self.pieces.randomElement(using: &random)!, at: i)
                case 2 where i < letters.count: letters.removeSubrange(i...)
                case 3 where i < letters.count: letters.swapAt(i, Int.random(in: 0..<letters.count, using: &random))
                default:
                    let other = Array(texts.randomElement(using: &random)!)
                    letters.insert(contentsOf: other.suffix(Int.random(in: 0...other.count, using: &random)), at: i)
                }
            }
            check(String(letters), seed, compiler)
        }
    }
}
