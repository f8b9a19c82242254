import Foundation
import Freehold
import Testing

/// Closures as users write them: RealmSwift's format of them, and the same rows from the closure, from its string and
/// from that format.
@Suite("Query audit: closures")
struct QueryClosureAuditTests {
    typealias Row = Query<QueryAuditRow>

    struct Case {
        let format: String
        let count: Int
        let query: (Row) -> Query<Bool>

        init(_ format: String, _ count: Int, _ query: @escaping (Row) -> Query<Bool>) {
            self.format = format
            self.count = count
            self.query = query
        }
    }

    private func check(_ cases: [Case]) throws {
        let realm = try queryAuditRealm()
        try fillQueryAudit(realm)
        let all = realm.objects(QueryAuditRow.self)
        for test in cases {
            let query = test.query(Row._constructForTesting())
            let (format, arguments) = query._constructPredicate()
            expectEqual(format, test.format)
            let found: [Int] = all.where(test.query).map(\.id)
            expectEqual(found.count, test.count, "\(format): \(found)")
            try expectEqual(all.filter(validating: query.queryString).map(\.id), found, "\(query.queryString)")
            let predicate = NSPredicate(format: format, argumentArray: arguments)
            expectEqual(all.filter(predicate).map(\.id), found, "\(format) \(arguments)")
            expectEqual(all.where { !test.query($0) }.count, 30 - found.count, "\(format)")
        }
    }

    @Test
    func `conditions on single values find their rows`() throws {
        try check([
            Case("(flag == %@)", 10) { $0.flag == true },
            Case("(flag == %@)", 10) { $0.flag == nil },
            Case("(int IN %@)", 6) { $0.int.in([1, 42]) },
            Case("(small IN %@)", 7) { $0.small.in([1, nil]) },
            Case("((small >= %@) && (small < %@))", 6) { $0.small.contains(-3..<4) },
            Case("(small BETWEEN {%@, %@})", 7) { $0.small.contains(-3...4) },
            Case("(text CONTAINS %@)", 28) { $0.text.contains("") },
            Case("(text >= %@)", 20) { $0.text >= "a" },
            Case("(text LIKE[c] %@)", 3) { $0.text.like("*STR*", caseInsensitive: true) },
            Case("(text ==[cd] %@)", 1) {
                $0.text.equals("strasse", options: [.caseInsensitive, .diacriticInsensitive])
            },
            Case("(text CONTAINS named)", 0) { $0.text.contains($0.named) },
            Case("(data BEGINSWITH %@)", 1) { $0.data.starts(with: Data("I".utf8)) },
            Case("(date > %@)", 7) { $0.date > Date(timeIntervalSince1970: 86400 * 20) },
            Case("(decimal BETWEEN {%@, %@})", 15) { $0.decimal.contains(0...1) },
            Case("(double == %@)", 0) { $0.double == .nan },
            Case("(double IN %@)", 2) { $0.double.in([.nan, 1]) },
            Case("(uuid IN %@)", 5) { $0.uuid.in([nil]) },
            Case("(suit IN %@)", 15) { $0.suit.in([.hearts, nil]) },
            Case("(suit BEGINSWITH %@)", 8) { $0.suit.rawValue.starts(with: "h") },
            Case("(level > %@)", 20) { $0.level > .low },
            Case("(mail == %@)", 3) { $0.mail == QueryAuditMail("m1@x.org") },
            Case("(mail CONTAINS %@)", 3) { $0.mail.persistableValue.contains("1") },
            Case("(point == %@)", 20) { $0.point == nil },
            Case("(point.x == %@)", 5) { $0.point.persistableValue.x == 1 },
            Case("(point == %@)", 5) { $0.point == QueryAuditPoint(1, "p") },
            Case("(link.link.id > %@)", 10) { $0.link.link.id > 3 },
            Case("(link.text == %@)", 11) { $0.link.text == nil },
            Case("(any[%@][%@] > %@)", 2) { $0.any["l"][0] > .int(0) },
            Case("(any[%K] == %@)", 4) { $0.any.any == .int(42) },
            Case("(any[%K][%K] == %@)", 2) { $0.any.any.any == .int(1) },
        ])
    }

    @Test
    func `conditions on collections find their rows`() throws {
        let mean = 5
        try check([
            Case("(%@ IN ints)", 6) { $0.ints.contains(42) },
            Case("(ANY ints == %@)", 6) { $0.ints == 42 },
            Case("(ANY ints != %@)", 19) { $0.ints != 42 },
            Case("(ANY ints > %@)", 12) { $0.ints > 42 },
            Case("(ANY ints IN %@)", 10) { $0.ints.containsAny(in: [42, 7]) },
            Case("((ints.@min >= %@) && (ints.@max <= %@))", 12) { $0.ints.contains(0...300) },
            Case("((doubles.@min >= %@) && (doubles.@max <= %@))", 10) { $0.doubles.contains(-1.0...1.0) },
            Case("((counts.@min >= %@) && (counts.@max < %@))", 10) { $0.counts.contains(1..<4) },
            Case("(ints.@count == %@)", 7) { $0.ints.count == 2 },
            Case("(ints.@sum == %@)", 8) { $0.ints.sum == 0 },
            // The mean is compared with numbers of the elements' type and with those that it can be.
            Case("(ints.@avg > %@)", 15) { $0.ints.avg > mean },
            Case("(ints.@avg > %@)", 15) { $0.ints.avg > 5.5 },
            Case("(ints.@avg == %@)", 8) { $0.ints.avg == nil },
            Case("(rows.@avg.id > %@)", 18) { $0.rows.id.avg > mean },
            Case("(rows.@avg.id > %@)", 19) { $0.rows.id.avg > 2.5 },
            Case("(counts.@avg > %@)", 12) { $0.counts.avg > 2.5 },
            Case("(%@ IN doubles)", 3) { $0.doubles.contains(nil) },
            Case("(%@ IN tags)", 8) { $0.tags.contains("tag1") },
            Case("(counts[%@] == %@)", 3) { $0.counts["a"] == 3 },
            Case("(%@ IN counts)", 3) { $0.counts.contains(3) },
            Case("(ANY counts.@allKeys LIKE[c] %@)", 22) { $0.counts.keys.like("A", caseInsensitive: true) },
            Case("(ANY counts.@allValues > %@)", 9) { $0.counts.values > 3 },
            Case("(ANY rowMap.@allValues.id == %@)", 1) { $0.rowMap.values.id == 5 },
            Case("(rowMap[%@].id == %@)", 1) { $0.rowMap["a"].id == 5 },
            Case("(%@ IN suits)", 10) { $0.suits.contains(.clubs) },
            Case("(ANY suits == %@)", 10) { $0.suits.rawValue == "clubs" },
            Case("(%@ IN rows.ints)", 10) { $0.rows.ints.contains(42) },
            Case("(ANY rows.text CONTAINS[c] %@)", 3) { $0.rows.text.contains("str", options: .caseInsensitive) },
            Case("(rows.@count == ints.@count)", 30) { $0.rows.count == $0.ints.count },
            Case("(ANY holders.id == %@)", 3) { $0.holders.id == 7 },
        ])
    }

    @Test
    func subqueries() throws {
        try check([
            Case("(SUBQUERY(rows, $col1, ($col1.id > %@)).@count > %@)", 11) { ($0.rows.id > 5).count > 1 },
            Case(
                "(SUBQUERY(rows, $col1, (SUBQUERY(rows, $col2, ($col2.id > %@)).@count > %@)).@count > %@)",
                12
            ) { (($0.rows.rows.id > 3).count > 1).count > 0 },
            Case("(SUBQUERY(holders, $col1, ($col1.id > %@)).@count == %@)", 6) { ($0.holders.id > 9).count == 1 },
            Case("(SUBQUERY(link.rows, $col1, ($col1.id > %@)).@count > %@)", 11) { ($0.link.rows.id > 3).count > 0 },
            Case("(SUBQUERY(rowMap.@allValues, $col1, ($col1.id > %@)).@count == %@)", 10) {
                ($0.rowMap.values.id > 9).count == 1
            },
            Case(
                "(SUBQUERY(rows, $col1, (($col1.flag == %@) || (NOT $col1.id > %@))).@count >= %@)",
                2
            ) { ($0.rows.flag == true || !($0.rows.id > 3)).count >= 2 },
        ])
    }

    @Test
    func `a condition of many parts compiles quickly and finds its rows`() throws {
        let realm = try queryAuditRealm()
        try fillQueryAudit(realm)
        let found = realm.objects(QueryAuditRow.self).where {
            $0.id > 3 && $0.int != 7 && $0.text != nil && ($0.flag == true || $0.suit == .hearts)
                && !$0.tags.contains("tag1") && $0.rows.count >= 0 && $0.link.id > 0 && $0.double.contains(-5...5)
        }
        expectEqual(found.map(\.id), [4, 16, 28])
    }

    @Test
    func `a value that can't be written in a query is shown by its type`() {
        let query = Row._constructForTesting().any == .fromDictionary(["k": .int(1)])
        expectEqual(query.queryString, "SELF.any == <AnyRealmValue>")
    }
}
