import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

class DeepNode: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var text: String?
    @Persisted var best: DeepNode?
    @Persisted var fans: List<DeepNode>
    @Persisted var map: Map<String, DeepNode?>
    @Persisted var any: AnyRealmValue
    @Persisted(originProperty: "best") var admirers: LinkingObjects<DeepNode>
}

/// The stack size of secondary threads on Darwin, in a debug build, too.
enum SmallStack {
    static func run(_ body: @escaping @Sendable () throws -> Void) throws {
        nonisolated(unsafe) var failure: (any Error)?
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            do { try body() } catch { failure = error }
            done.signal()
        }
        thread.stackSize = 512 * 1024
        thread.start()
        done.wait()
        if let failure { throw failure }
    }

    struct Mistake: Error, CustomStringConvertible {
        let description: String
    }

    static func require(_ holds: Bool, _ what: @autoclosure () -> String) throws {
        if !holds { throw Mistake(description: String(what().prefix(200))) }
    }
}

@Suite("Query: depth and length, on a stack of 512 KiB")
struct QueryDepthTests {
    static func realm() throws -> Realm {
        var configuration = Realm.Configuration(inMemoryIdentifier: "deep-\(UUID())")
        configuration.objectTypes = [DeepNode.self]
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for number in 0..<20 {
                let node = realm.create(DeepNode.self, value: ["number": number])
                // Paths may contain cycles of any length.
                node.best = node
                node.fans.append(node)
                node.map["k"] = node
                node.text = "a"
                node.any = .int(number)
            }
        }
        return realm
    }

    static func times(_ piece: String, _ count: Int) -> String { String(repeating: piece, count: count) }

    /// Each production, so deep.
    static func deep(_ n: Int) -> [String] {
        let half = n / 2
        let subqueries = (n - 1) / (Condition.subqueryWeight + 1)
        return [
            times("NOT ", n - 1) + "number == 1",
            times("!(", n - 1) + "number == 1" + times(")", n - 1),
            (0..<n - 2).reduce("number == 1") { "(\($0) \($1 % 2 == 0 ? "OR" : "AND") text == 'a')" },
            (0..<n - 2).reduce("number == 1") { "(text == 'a' \($1 % 2 == 0 ? "OR" : "AND") \($0))" },
            times("best.", n - 1) + "number == 1", times("fans.", n - 1) + "number == 1",
            "ALL " + times("fans.", n - 1) + "number == 1", "NONE " + times("fans.", n - 1) + "number == 1",
            times("fans[0].", half - 1) + "number == 1", times("fans[*].", half - 1) + "number == 1",
            times("map['k'].", half - 1) + "number == 1", times("best.fans.", half - 1) + "number == 1",
            times("@links.DeepNode.best.", n - 1) + "number == 1", times("admirers.", n - 1) + "number == 1",
            times("best.", n - 1) + "text LIKE '*a?'", times("best.", n - 1) + "text MATCHES '[ab]'",
            times("best.", n - 1) + "number IN {1, 2}", times("fans.", n - 1) + "@count > 0",
            times("fans.", n - 2) + "number.@sum > 0", times("fans.", n - 1) + "number == number",
            times("fans.", n - 1) + "number BETWEEN {1, 3}", "any" + times("[0]", n - 2) + " == 1",
            "any" + times("['k']", n - 2) + " == 1", "any" + times("[*]", n - 2) + " == 1",
            "number" + times(" + number", half - 1) + " > 1", "number" + times(" * 2 - 1", half / 2 - 1) + " > 1",
            times("number + (", half - 2) + "number" + times(")", half - 2) + " > 1",
            "fans.number" + times(" + fans.number", half - 2) + " > 1",
            (0..<subqueries).reduce("$x.number >= 0") { inner, i in
                "SUBQUERY(\(i == subqueries - 1 ? "" : "$x.")fans, $x, \(inner)).@count > 0"
            },
            "SUBQUERY(" + times("fans.", n - Condition.subqueryWeight - 4) + "fans, $x, $x.number == 1).@count > 0",
            "TRUEPREDICATE SORT(" + times("best.", n - 1) + "number ASC)",
            "TRUEPREDICATE DISTINCT(" + times("best.", n - 1) + "number)",
        ]
    }

    /// Returns long queries without nesting.
    static func long(_ n: Int) -> [String] {
        [
            times("(", n) + "number == 1" + times(")", n),
            Array(repeating: "number == 1", count: n).joined(separator: " OR "),
            Array(repeating: "number != 1", count: n).joined(separator: " AND "),
            times("(", n) + "number != 1" + times(" AND number != 2)", n),
            times("(number != 2 AND ", n) + "number != 1" + times(")", n),
            "number IN {" + times("1, ", n) + "2}", "ANY {" + times("1, ", n) + "2} == number",
            "TRUEPREDICATE SORT(" + times("number ASC, ", n) + "text DESC)",
            "TRUEPREDICATE" + times(" SORT(number ASC)", n), "TRUEPREDICATE" + times(" LIMIT(5) OFFSET(0)", n),
            "TRUEPREDICATE DISTINCT(" + times("number, ", n) + "text)",
            "text == '" + times("a", n) + "'", "text LIKE '" + times("*a", n) + "'",
            "text CONTAINS[cd] '" + times("é", n) + "'",
            "number == " + times("1", n % 15 + 1),
        ]
    }

    @Test
    func `a query that is nested to the limit is read, compiled, planned, run and explained`() async {
        await #expect(processExitsWith: .success) {
            try SmallStack.run {
                let realm = try QueryDepthTests.realm()
                let all = realm.objects(DeepNode.self)
                func use(_ text: String) throws {
                    do {
                        let found = try all.filter(validating: text)
                        let count = found.count
                        try SmallStack.require(Array(found).count == count, "other rows: \(text)")
                        try SmallStack.require((found.first != nil) == (count > 0), "another first: \(text)")
                        _ = found.explain().description
                        _ = all[0].fans.filter(text).count
                        _ = NSPredicate(format: text).evaluate(with: all[0])
                    } catch let error as QueryError {
                        throw SmallStack.Mistake(description: "\(text.prefix(60))…: \(error.message)")
                    }
                }
                for text in QueryDepthTests.deep(Condition.maximumDepth) { try use(text) }
                realm.beginWrite()
                for text in QueryDepthTests.deep(Condition.maximumDepth) { try use(text) }
                realm.cancelWrite()
            }
        }
    }

    @Test
    func `a long query without nesting is read, compiled and run`() async {
        await #expect(processExitsWith: .success) {
            try SmallStack.run {
                let all = try QueryDepthTests.realm().objects(DeepNode.self)
                for text in QueryDepthTests.long(3_500) { _ = try all.filter(validating: text).count }
            }
        }
    }

    @Test
    func `a query that is too deep is an error at any depth`() async {
        await #expect(processExitsWith: .success) {
            try SmallStack.run {
                let all = try QueryDepthTests.realm().objects(DeepNode.self)
                for n in [Condition.maximumDepth * 2 + 30, 2_000] {
                    for text in QueryDepthTests.deep(n) {
                        do throws(QueryError) {
                            _ = try all.filter(validating: text)
                            throw QueryError(.syntax, "was taken")
                        } catch {
                            try SmallStack.require(error.message != "was taken", "\(n): \(text.prefix(80))")
                            try SmallStack.require(
                                error.description.utf8.count < 2_000,
                                "a long error: \(error.message)"
                            )
                            try SmallStack.require(
                                (error as any Error).localizedDescription == error.description,
                                "not localized"
                            )
                        }
                    }
                }
            }
        }
    }

    @Test
    func `a query that is far too deep is an error, too`() async {
        await #expect(processExitsWith: .success) {
            try SmallStack.run {
                let all = try QueryDepthTests.realm().objects(DeepNode.self)
                // The stack has 26 bytes for each level, which is less than a frame needs.
                let n = 20_000
                let texts = [
                    QueryDepthTests.times("NOT ", n) + "number == 1",
                    QueryDepthTests.times("NOT (", n) + "number == 1" + QueryDepthTests.times(")", n),
                    QueryDepthTests.times("best.", n) + "number == 1",
                    QueryDepthTests.times("fans.", n) + "number == 1",
                    "any" + QueryDepthTests.times("[0]", n) + " == 1",
                    "number" + QueryDepthTests.times(" + number", n) + " > 1",
                    QueryDepthTests.times("SUBQUERY(fans, $x, ", n) + "number == 1",
                    "TRUEPREDICATE SORT(" + QueryDepthTests.times("best.", n) + "number ASC)",
                    QueryDepthTests.times("{", n), QueryDepthTests.times("[", n), QueryDepthTests.times("'a' IN (", n),
                ]
                for text in texts {
                    do throws(QueryError) {
                        _ = try all.filter(validating: text)
                        throw QueryError(.syntax, "was taken")
                    } catch {
                        try SmallStack.require(error.message != "was taken", "\(text.prefix(80))")
                        try SmallStack.require(error.description.utf8.count < 2_000, "a long error: \(error.message)")
                    }
                }
            }
        }
    }

    @Test
    func `closures may have the same depth, and chains any length`() async {
        await #expect(processExitsWith: .success) {
            try SmallStack.run {
                let all = try QueryDepthTests.realm().objects(DeepNode.self)
                let n = Condition.maximumDepth
                let chains = [
                    all.where { row in (0..<3_000).reduce(row.number == -1) { $0 || row.number == $1 } },
                    all.where { row in (0..<3_000).reduce(row.number == -1) { row.number == $1 || $0 } },
                    all.where { row in
                        (0..<3_000).reduce(row.number != -1) { (chain, i) -> Freehold.Query<Bool> in
                            row.number != i + 100 && chain
                        }
                    },
                ]
                for found in chains { try SmallStack.require(found.count == 20, "\(found.count)") }
                let deep = [
                    all.where { row in (0..<n - 1).reduce(row.number == 1) { inner, _ in !inner } },
                    all.where { row in
                        let (isA, isB) = (row.text == "a", row.text == "b")
                        return (0..<n - 2).reduce(row.number == 1) { chain, i -> Freehold.Query<Bool> in
                            i % 2 == 0 ? chain || isB : chain && isA
                        }
                    },
                ]
                for found in deep { try SmallStack.require(found.count == (found.first?.number == 1 ? 1 : 19), "deep") }
                let text = all.where { row in (0..<3_000).reduce(row.number == -1) { row.number == $1 || $0 } }
                _ = text.count
                let query = (0..<3_000).reduce(Freehold.Query<DeepNode>._constructForTesting().number == -1) {
                    chain,
                    i in
                    Freehold.Query<DeepNode>._constructForTesting().number == i || chain
                }
                let (format, arguments) = query._constructPredicate()
                try SmallStack.require(
                    all.filter(NSPredicate(format: format, argumentArray: arguments)).count == 20,
                    "format"
                )
                try SmallStack.require(try all.filter(validating: query.queryString).count == 20, "text")
            }
        }
    }

    @Test
    func `closures and predicates that are nested deeper trap or throw`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let all = try QueryDepthTests.realm().objects(DeepNode.self)
            _ = all.where { row in (0..<5_000).reduce(row.number == 1) { inner, _ in !inner } }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("nests deeper than 64 levels"), "\(message)")
        let all = try Self.realm().objects(DeepNode.self)
        let tower = (0..<1_000).reduce(NSPredicate(format: "number == 1")) { inner, _ in
            NSCompoundPredicate(notPredicateWithSubpredicate: inner)
        }
        #expect(throws: QueryError.self) { try all.filter(validating: tower) }
        let chain = (0..<60).reduce(NSPredicate(format: "number == 1")) { inner, _ in
            NSCompoundPredicate(andPredicateWithSubpredicates: [inner, NSPredicate(format: "number < 5")])
        }
        expectEqual(all.filter(chain).map(\.number), [1])
    }

    @Test
    func `a long text's error shows the surroundings of its place`() throws {
        let text = Self.times("number == 1 AND ", 1_000) + "nmber == 1"
        let error = #expect(throws: QueryError.self) {
            try Self.realm().objects(DeepNode.self).filter(validating: text)
        }
        let lines = error!.description.split(separator: "\n")
        expect(lines.count == 3 && lines[1].count < 250)
        expect(lines[1].dropFirst(lines[2].prefix { $0 == " " }.count).hasPrefix("nmber == 1"))
        expect(lines[2].hasSuffix("^ at character \(16_001)"))
    }
}
