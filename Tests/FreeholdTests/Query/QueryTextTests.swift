import Foundation
import Testing

@testable import Freehold

/// The text of closures. The other suites check for every closure that the text finds the same objects.
@Suite("Query: closures as text")
struct QueryTextTests {
    struct Case {
        let query: (Query<QueryKeeper>) -> Query<Bool>
        let text: String
        let format: String
        let count: Int

        init(_ text: String, _ format: String, _ count: Int, _ query: @escaping (Query<QueryKeeper>) -> Query<Bool>) {
            self.query = query
            self.text = text
            self.format = format
            self.count = count
        }
    }

    static var cases: [Case] {
        [
            Case("id == 5", "(id == %@)", 1) { $0.id == 5 },
            Case("id == 5 && name == \"x\"", "((id == %@) && (name == %@))", 2) { $0.id == 5 && $0.name == "x" },
            Case(
                "id == 5 || (id > 7 && name != \"x\")",
                "((id == %@) || ((id > %@) && (name != %@)))",
                3
            ) { $0.id == 5 || $0.id > 7 && $0.name != "x" },
            Case(
                "id > 1 && id > 2 && id > 3",
                "(((id > %@) && (id > %@)) && (id > %@))",
                3
            ) { $0.id > 1 && $0.id > 2 && $0.id > 3 },
            Case("NOT (id == 5)", "(NOT id == %@)", 1) { !($0.id == 5) },
            Case("name CONTAINS[c] \"x\"", "(name CONTAINS[c] %@)", 1) {
                $0.name.contains("x", options: .caseInsensitive)
            },
            Case("name BEGINSWITH[cd] \"x\"", "(name BEGINSWITH[cd] %@)", 1) {
                $0.name.starts(with: "x", options: [.caseInsensitive, .diacriticInsensitive])
            },
            Case("name ENDSWITH \"x\"", "(name ENDSWITH %@)", 1) { $0.name.ends(with: "x") },
            Case("name LIKE \"x*\"", "(name LIKE %@)", 1) { $0.name.like("x*") },
            Case("id BETWEEN {1, 3}", "(id BETWEEN {%@, %@})", 2) { $0.id.contains(1...3) },
            Case("id BETWEEN {1, <3}", "((id >= %@) && (id < %@))", 2) { $0.id.contains(1..<3) },
            Case("id IN {1, 3}", "(id IN %@)", 1) { $0.id.in([1, 3]) },
            Case("best.age > 3", "(best.age > %@)", 1) { $0.best.age > 3 },
            Case("best == NULL", "(best == %@)", 1) { $0.best == nil },
            Case("pets.@count > 3", "(pets.@count > %@)", 1) { $0.pets.count > 3 },
            Case("pets.age > 3", "(ANY pets.age > %@)", 1) { $0.pets.age > 3 },
            Case(
                "SUBQUERY(pets, $col1, $col1.age > 3 && $col1.name == \"x\").@count > 1",
                "(SUBQUERY(pets, $col1, (($col1.age > %@) && ($col1.name == %@))).@count > %@)",
                3
            ) { ($0.pets.age > 3 && $0.pets.name == "x").count > 1 },
            Case("any[\"k\"][0] == 5", "(any[%@][%@] == %@)", 3) { $0.any["k"][0] == .int(5) },
            Case("suit == \"hearts\"", "(suit == %@)", 1) { $0.suit == .hearts },
        ]
    }

    @Test
    func `a closure is written as a query string and as a format`() {
        for test in Self.cases {
            let query = test.query(Query<QueryKeeper>._constructForTesting())
            expectEqual(query.queryString, test.text)
            expectEqual("\(query)", test.text)
            let (format, arguments) = query._constructPredicate()
            expectEqual(format, test.format)
            expectEqual(arguments.count, test.count, "\(format)")
        }
    }
}
