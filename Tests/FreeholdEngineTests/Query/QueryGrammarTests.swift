import Testing

@testable import FreeholdEngine

/// Query strings, and what the parser understands by them: the condition as the printer writes it.
@Suite("Query language: accepted strings") struct QueryGrammarTests {
    struct Accepted: Sendable, CustomTestStringConvertible {
        let text: String
        let meaning: String
        var testDescription: String { text }

        init(_ text: String, _ meaning: String? = nil) {
            self.text = text
            self.meaning = meaning ?? text
        }
    }

    static let comparisons: [Accepted] = [
        Accepted("a = 1", "a == 1"), Accepted("a == 1"), Accepted("a==1", "a == 1"), Accepted("a != 1"),
        Accepted("a <> 1", "a != 1"), Accepted("a < 1"), Accepted("a <= 1"), Accepted("a =< 1", "a <= 1"),
        Accepted("a > 1"), Accepted("a >= 1"), Accepted("a => 1", "a >= 1"), Accepted("1 == a"), Accepted("1 < a.b"),
        Accepted("a == b"), Accepted("a.b != c.d.e"), Accepted("a in {1, 2}", "a IN {1, 2}"),
        Accepted("a IN {}", "a IN {}"), Accepted("a IN b"), Accepted("1 IN a.b"), Accepted("'x' in a", "\"x\" IN a"),
        Accepted("a CONTAINS 'x'", "a CONTAINS \"x\""), Accepted("a contains 'x'", "a CONTAINS \"x\""),
        Accepted("a Contains 'x'", "a CONTAINS \"x\""), Accepted("a BEGINSWITH 'x'", "a BEGINSWITH \"x\""),
        Accepted("a beginswith b", "a BEGINSWITH b"), Accepted("a ENDSWITH \"x\""),
        Accepted("a endsWith 'x'", "a ENDSWITH \"x\""),
        Accepted("a LIKE '*x?'", "a LIKE \"*x?\""), Accepted("a like[c] 'x'", "a LIKE[c] \"x\""),
        Accepted("a ==[c] 'x'", "a ==[c] \"x\""), Accepted("a = [c] 'x'", "a ==[c] \"x\""),
        Accepted("a != [d] 'x'", "a !=[d] \"x\""), Accepted("a CONTAINS[cd] 'x'", "a CONTAINS[cd] \"x\""),
        Accepted("a CONTAINS[dc] 'x'", "a CONTAINS[cd] \"x\""),
        Accepted("a BEGINSWITH[C] 'x'", "a BEGINSWITH[c] \"x\""),
        Accepted("a ENDSWITH [ cd ] 'x'", "a ENDSWITH[cd] \"x\""), Accepted("a IN[c] {'x'}", "a IN[c] {\"x\"}"),
        Accepted("a BETWEEN {1, 2}"), Accepted("a between {-1.5, 2e3}", "a BETWEEN {-1.5, 2e3}"),
        Accepted("a.b BETWEEN {1, 2}"), Accepted("a BETWEEN {1, <2}"),
        Accepted("a TEXT 'x -y z*'", "a TEXT \"x -y z*\""),
        Accepted("a.b text 'x'", "a.b TEXT \"x\""),
    ]

    static let logic: [Accepted] = [
        Accepted("TRUEPREDICATE"), Accepted("truepredicate", "TRUEPREDICATE"), Accepted("FALSEPREDICATE"),
        Accepted("a == 1 AND b == 2", "a == 1 && b == 2"), Accepted("a == 1 and b == 2", "a == 1 && b == 2"),
        Accepted("a == 1 And b == 2", "a == 1 && b == 2"), Accepted("a == 1&&b == 2", "a == 1 && b == 2"),
        Accepted("a == 1 OR b == 2", "a == 1 || b == 2"), Accepted("a == 1 || b == 2"),
        Accepted("a == 1 or b == 2 and c == 3", "a == 1 || (b == 2 && c == 3)"),
        Accepted("a == 1 and b == 2 or c == 3", "(a == 1 && b == 2) || c == 3"),
        Accepted("(a == 1 or b == 2) and c == 3", "(a == 1 || b == 2) && c == 3"),
        Accepted("a == 1 or b == 2 or c == 3", "a == 1 || b == 2 || c == 3"),
        Accepted("NOT a == 1", "NOT (a == 1)"), Accepted("not a == 1", "NOT (a == 1)"),
        Accepted("!a == 1", "NOT (a == 1)"), Accepted("!(a == 1)", "NOT (a == 1)"),
        Accepted("NOT a == 1 AND b == 2", "NOT (a == 1) && b == 2"), Accepted("!!a == 1", "NOT (NOT (a == 1))"),
        Accepted("NOT NOT a == 1", "NOT (NOT (a == 1))"), Accepted("NOT(a == 1)", "NOT (a == 1)"),
        Accepted("((a == 1))", "a == 1"), Accepted("((a)) == (1)", "a == 1"),
        Accepted("TRUEPREDICATE AND NOT FALSEPREDICATE", "TRUEPREDICATE && NOT (FALSEPREDICATE)"),
        Accepted("\t a\n==\r\n1 ", "a == 1"),
    ]

    static let arithmetic: [Accepted] = [
        Accepted("a + 1 == 2", "(a + 1) == 2"), Accepted("a - b > 2", "(a - b) > 2"),
        Accepted("a + b * c == 2", "(a + (b * c)) == 2"), Accepted("(a + b) * c == 2", "((a + b) * c) == 2"),
        Accepted("a / b / c == 2", "((a / b) / c) == 2"), Accepted("a - 1 - 2 < b + 3", "((a - 1) - 2) < (b + 3)"),
        Accepted("a -1 == 2", "(a - 1) == 2"), Accepted("a * -1 == 2", "(a * -1) == 2"),
        Accepted("2 * 3 == a", "(2 * 3) == a"), Accepted("a == 1 + 2", "a == (1 + 2)"),
        Accepted("a.@count + 1 > b.@sum", "(a.@count + 1) > b.@sum"),
        Accepted("a + 1 == 2 && b == 3", "(a + 1) == 2 && b == 3"),
        Accepted("a+1 BETWEEN {1, 2}", "(a + 1) BETWEEN {1, 2}"),
    ]

    static let constants: [Accepted] = [
        Accepted("a == -5"), Accepted("a == +5", "a == 5"), Accepted("a == - 5", "a == -5"), Accepted("a == 0x1F"),
        Accepted("a == -0xff"), Accepted("a == 1.5"), Accepted("a == .5"), Accepted("a == 5."), Accepted("a == 1e5"),
        Accepted("a == 1.5E-7"), Accepted("a == 1.5f"), Accepted("a == 2F"), Accepted("a == inf"),
        Accepted("a == -infinity", "a == -inf"), Accepted("a == +Inf", "a == inf"), Accepted("a == NaN", "a == nan"),
        Accepted("a == -nan"), Accepted("a == 12345678901234567890"), Accepted("a == 'x'", "a == \"x\""),
        Accepted("a == \"\""), Accepted("a == 'it\\'s'", "a == \"it's\""),
        Accepted("a == '\\\"\\/\\b\\f\\n\\r\\t\\0\\\\'", "a == \"\\\"/\\u0008\\u000c\\n\\r\\t\\u0000\\\\\""),
        Accepted("a == '\\u00e9\\ud83d\\ude00'", "a == \"é😀\""), Accepted("a == 'größe 😀'", "a == \"größe 😀\""),
        Accepted("a == B64\"AQID\""), Accepted("a == b64'AQID'", "a == B64\"AQID\""),
        Accepted("a == B64\"\""), Accepted("a == binary(\"abc\")", "a == B64\"YWJj\""), Accepted("a == true"),
        Accepted("a == TRUE", "a == true"), Accepted("a == NO", "a == false"), Accepted("a == YES", "a == true"),
        Accepted("a == null", "a == NULL"), Accepted("a == nil", "a == NULL"), Accepted("a == NIL", "a == NULL"),
        Accepted("a == 1970-01-02@0:0:0", "a == T86400:0"), Accepted("a == 1970-01-01T00:00:01:5", "a == T1:5"),
        Accepted("a == 2000-02-29@12:30:59:999999999", "a == T951827459:999999999"),
        Accepted("a == 1969-12-31@23:59:59", "a == T-1:0"), Accepted("a == T5:7"), Accepted("a == T-5:-7"),
        Accepted("a == T-5:0"), Accepted("a == T0:-7"),
        Accepted("a == uuid(11111111-2222-3333-4444-555555555555)"),
        Accepted(
            "a == uuid('AAAAAAAA-2222-3333-4444-555555555555')",
            "a == uuid(aaaaaaaa-2222-3333-4444-555555555555)"
        ),
        Accepted("a == oid(0123456789abcdef01234567)"),
        Accepted("a == oid( '0123456789ABCDEF01234567' )", "a == oid(0123456789abcdef01234567)"),
        Accepted("a == decimal(\"1.5\")"), Accepted("a == O3"), Accepted("a == L2:3"),
        Accepted("a == obj('Dog', 7)", "a == obj(\"Dog\", 7)"),
        Accepted("a == obj(\"Dog\", 'x')", "a == obj(\"Dog\", \"x\")"), Accepted("a == {1, 2}"),
        Accepted("a == {'x', null, true}", "a == {\"x\", NULL, true}"), Accepted("a IN {O1, O2}"),
        Accepted("ANY {1, 2} == a"), Accepted("ALL {1, 2} != a"), Accepted("a == NONE {1, 2}"),
        Accepted("a geoWithin geoBox([1, 2], [3, 4.5])", "a geoWithin geoBox([1.0, 2.0], [3.0, 4.5])"),
        Accepted("a GEOWITHIN geoCircle([-1, 2, 3], 0.5)", "a geoWithin geoCircle([-1.0, 2.0], 0.5)"),
        Accepted("a IN geoCircle([1, 2], 0)", "a geoWithin geoCircle([1.0, 2.0], 0.0)"),
        Accepted(
            "a.b geowithin geoPolygon({[0, 0], [1, 0], [1, 1], [0, 0]}, {[0, 0], [1, 0], [1, 1], [0, 0]})",
            "a.b geoWithin geoPolygon({[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]}, "
                + "{[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]})"
        ),
    ]

    static let paths: [Accepted] = [
        Accepted("a.b.c == 1"), Accepted("SELF == O1"), Accepted("self.a == 1", "a == 1"), Accepted("SELF IN {O1, O2}"),
        Accepted("a[0] == 1"), Accepted("a[FIRST] == 1"), Accepted("a[first].b == 1", "a[FIRST].b == 1"),
        Accepted("a[LAST] == 1"), Accepted("a[*] == 1"), Accepted("a[#any] == 1", "a[*] == 1"),
        Accepted("a['k'] == 1", "a[\"k\"] == 1"), Accepted("a[\"k\"][2][*]['l'] == 1", "a[\"k\"][2][*][\"l\"] == 1"),
        Accepted("a[SIZE] == 1", "a.@count == 1"), Accepted("a['k'].b.c == 1", "a[\"k\"].b.c == 1"),
        Accepted("a.@count == 1"), Accepted("a.@size == 1", "a.@count == 1"), Accepted("a.b.@count == 1"),
        Accepted("a.@min == 1"), Accepted("a.@max.b == 1", "a.b.@max == 1"), Accepted("a.b.@sum == 1"),
        Accepted("a.@avg.b.c == 1", "a.b.c.@avg == 1"), Accepted("a.@keys == 'k'", "a.@keys == \"k\""),
        Accepted("a.@allKeys CONTAINS 'k'", "a.@keys CONTAINS \"k\""), Accepted("a.@values > 1", "a[*] > 1"),
        Accepted("ANY a.@allValues > 1", "ANY a[*] > 1"), Accepted("a.@type == 'int'", "a.@type == \"int\""),
        Accepted("a.length > 3"), Accepted("a[0].@type == 'int'", "a[0].@type == \"int\""),
        Accepted("@links.Person.dogs.name == 'x'", "@links.Person.dogs.name == \"x\""),
        Accepted("@links.Person.dogs.@count > 1"), Accepted("@links.@count == 0"),
        Accepted("a.@links.@count == 0"),
        Accepted("a.@links.Person.dogs.@avg.age > 1", "a.@links.Person.dogs.age.@avg > 1"),
        Accepted("ANY a.b == 1"), Accepted("any a.b == 1", "ANY a.b == 1"), Accepted("SOME a.b == 1", "ANY a.b == 1"),
        Accepted("some a == 1", "ANY a == 1"), Accepted("ALL a.b == 1"),
        Accepted("all a BETWEEN {1, 2}", "ALL a BETWEEN {1, 2}"),
        Accepted("NONE a.b IN {1}"), Accepted("none a == 1", "NONE a == 1"),
        Accepted("NOT ANY a == 1", "NOT (ANY a == 1)"),
        Accepted("a == ALL b"), Accepted("1 == ANY a"),
        Accepted("SUBQUERY(a, $x, $x.b > 1).@count > 0"),
        Accepted(
            "subquery(a.b, $x, $x.c == 1 and not $x.d == 2).@size == 3",
            "SUBQUERY(a.b, $x, $x.c == 1 && NOT ($x.d == 2)).@count == 3"
        ),
        Accepted("SUBQUERY(a, $x, SUBQUERY($x.b, $y, $y.c == 1).@count > 0).@count == 2"),
        Accepted("SUBQUERY(a, $x, $x == O5).@count == 2"),
        Accepted("SUBQUERY(a, $x, $x.@links.@count == 1).@count == 2"),
        Accepted("3 < SUBQUERY(a, $d, $d.b == 1).@count"),
        Accepted("SUBQUERY(a, $d, $d.b == 1).@count + 1 > b", "(SUBQUERY(a, $d, $d.b == 1).@count + 1) > b"),
    ]

    static let names: [Accepted] = [
        Accepted("größe == 1"), Accepted("名前 == 'x'", "名前 == \"x\""), Accepted("_a == 1"), Accepted("a-b == 1"),
        Accepted("a$b == 1"), Accepted("$a == 1"), Accepted("a\\ b == 1"), Accepted("a1.b2 == 1"),
        Accepted("sort == 1"), Accepted("distinct == 1"), Accepted("limit > 2 LIMIT(1)"), Accepted("in == 1"),
        Accepted("in IN {1}"), Accepted("contains CONTAINS 'x'", "contains CONTAINS \"x\""),
        Accepted("like LIKE 'x'", "like LIKE \"x\""), Accepted("between BETWEEN {1, 2}"),
        Accepted("text TEXT 'x'", "text TEXT \"x\""),
        Accepted("and == 1 and or == 2", "and == 1 && or == 2"), Accepted("any == 1", "SELF.any == 1"),
        Accepted("any IN {1}", "SELF.any IN {1}"), Accepted("ANY in == 1"),
        Accepted("any LIKE[c] 'x'", "SELF.any LIKE[c] \"x\""), Accepted("ANY like[0] == 1"),
        Accepted("(ANY in + 1) > (ANY like)", "(ANY in + 1) > ANY like"), Accepted("ANY in IN {1}"),
        Accepted("any.b == 1", "any.b == 1"), Accepted("not == 1", "SELF.not == 1"),
        Accepted("NOT in == 1", "NOT (in == 1)"),
        Accepted("none contains 'x'", "SELF.none CONTAINS \"x\""), Accepted("all.@count == 1", "all.@count == 1"),
        Accepted("O2 > 5", "SELF.O2 > 5"), Accepted("NO == 5", "SELF.NO == 5"),
        Accepted("inf.a == 1", "inf.a == 1"),
        Accepted("nan == 5", "SELF.nan == 5"), Accepted("5 == NO", "5 == SELF.NO"), Accepted("SELF.true == 1"),
        Accepted("uuid == 1"), Accepted("obj == 1"), Accepted("subquery == 1"),
        Accepted("truepredicate == 1", "SELF.truepredicate == 1"),
        Accepted("T == 1"), Accepted("L1 == 1"), Accepted("B64 == 1"), Accepted("asc == 1 SORT(asc ASC)"),
    ]

    static let stages: [Accepted] = [
        Accepted("TRUEPREDICATE SORT(a ASC)"), Accepted("TRUEPREDICATE SORT(a)", "TRUEPREDICATE SORT(a ASC)"),
        Accepted("a == 1 SORT(a ASCENDING, b.c descending)", "a == 1 SORT(a ASC, b.c DESC)"),
        Accepted("a == 1 sort(a desc) Distinct(a, b.c) LIMIT(3)", "a == 1 SORT(a DESC) DISTINCT(a, b.c) LIMIT(3)"),
        Accepted("a == 1 LIMIT(3) OFFSET(2) SORT(a['k'] ASC)", "a == 1 LIMIT(3) OFFSET(2) SORT(a[\"k\"] ASC)"),
        Accepted("a == 1 LIMIT(0)"), Accepted("a == 1 DISTINCT(a) DISTINCT(b)"),
        Accepted("a == 1 offset(4)", "a == 1 OFFSET(4)"),
        Accepted("a == 1 SORT (a ASC)", "a == 1 SORT(a ASC)"),
    ]

    static let all = comparisons + logic + arithmetic + constants + paths + names + stages

    @Test(arguments: all)
    func `a string of the language is parsed, and so is its printed form`(_ accepted: Accepted) throws {
        let query = try QueryParser.parse(accepted.text)
        let printed = QueryPrinter.text(query) { _ in nil }
        expectEqual(printed, accepted.meaning)
        let again = try QueryParser.parse(printed)
        expectEqual(QueryPrinter.text(again) { _ in nil }, printed)
    }

    struct Given: Sendable, CustomTestStringConvertible {
        let text: String
        let arguments: [any Sendable]
        let meaning: String
        var testDescription: String { text }

        init(_ text: String, _ arguments: [any Sendable], _ meaning: String) {
            self.text = text
            self.arguments = arguments
            self.meaning = meaning
        }
    }

    static let given: [Given] = [
        Given("a == $0", [5], "a == 5"), Given("a == $1 OR a == $0", [5, 6], "a == 6 || a == 5"),
        Given("a == $0 OR b == $0", [5], "a == 5 || b == 5"),
        Given("a == %@ AND b == %@", [5, "x"], "a == 5 && b == \"x\""),
        Given("%K == %@", ["a.b", 5], "a.b == 5"), Given("$K0 == $1", ["a.b", 5], "a.b == 5"),
        Given("ANY a.%K == %@", ["b", 5], "ANY a.b == 5"), Given("%K.%K == 1", ["a", "b.c"], "a.b.c == 1"),
        Given("%K > 1", ["a.@count"], "a.@count > 1"), Given("ANY %K == 1", ["a"], "ANY a == 1"),
        Given("%K.@sum.b == 1", ["a"], "a.b.@sum == 1"),
        Given("a == %d AND b == %i AND c == %ld AND d == %lld", [1, 2, 3, 4], "a == 1 && b == 2 && c == 3 && d == 4"),
        Given("a == %u AND b == %lu AND c == %llu AND d == %zd", [1, 2, 3, 4], "a == 1 && b == 2 && c == 3 && d == 4"),
        Given(
            "a == %f AND b == %lf AND c == %g AND d == %s",
            [1.5, 2.5, 3.5, "x"],
            "a == 1.5 && b == 2.5 && c == 3.5 && d == \"x\""
        ),
        Given("a BETWEEN %@", [[1, 2]], "a BETWEEN {1, 2}"), Given("a BETWEEN {%@, $1}", [1, 2], "a BETWEEN {1, 2}"),
        Given("a IN %@", [[1, 2]], "a IN {1, 2}"), Given("a IN {%@, %@}", [1, 2], "a IN {1, 2}"),
        Given("%@ IN a", [1], "1 IN a"), Given("ANY $0 == a", [[1, 2]], "ANY {1, 2} == a"),
        Given("NONE %@ == a", [[1]], "NONE {1} == a"), Given("a[$0] == 1", [2], "a[2] == 1"),
        Given("a[%@] == 1", ["k"], "a[\"k\"] == 1"), Given("a[%K][%@] == 1", ["k", 3], "a[\"k\"][3] == 1"),
        Given("a == obj('Dog', $0)", [3], "a == obj(\"Dog\", 3)"),
        Given("a == obj('Dog', %@)", ["x"], "a == obj(\"Dog\", \"x\")"),
        Given("a geoWithin geoCircle([$0, $1], $2)", [1, 2.5, 0.5], "a geoWithin geoCircle([1.0, 2.5], 0.5)"),
        Given("a == 1 LIMIT(%d) OFFSET($1)", [3, 4], "a == 1 LIMIT(3) OFFSET(4)"),
        Given("a == 1 SORT(%K DESC) DISTINCT($K1)", ["b", "c"], "a == 1 SORT(b DESC) DISTINCT(c)"),
        Given("a == '%@' AND b == %@", [1], "a == \"%@\" && b == 1"), Given("a == $0", [1, 2, 3], "a == 1"),
        Given(
            "SUBQUERY(a, $x, $x.b == %@ AND $x.%K == %@).@count == 1",
            [1, "c", 2],
            "SUBQUERY(a, $x, $x.b == 1 && $x.c == 2).@count == 1"
        ),
        Given("SUBQUERY(a, $x, %K == 1).@count == 1", ["$x.b"], "SUBQUERY(a, $x, $x.b == 1).@count == 1"),
        Given("a[0] == $0", [Value.null], "a[0] == NULL"), Given("a TEXT %@", ["x"], "a TEXT \"x\""),
        Given("a ==[c] %@", ["x"], "a ==[c] \"x\""), Given("a + %@ > $1", [1, 2], "(a + 1) > 2"),
    ]

    @Test(arguments: given)
    func `arguments replace constants, paths and keys`(_ given: Given) throws {
        let query = try QueryParser.parse(given.text, arguments: given.arguments)
        expectEqual(QueryPrinter.text(query, constant: Self.constant), given.meaning)
    }

    static func constant(_ argument: Any) -> Constant? {
        if let value = ArgumentValue.value(argument) { return .value(value) }
        if let number = argument as? Double { return .value(.double(number)) }
        return ArgumentValue.elements(argument).map { .list($0.map { .argument($0) }) }
    }

    @Test
    func `a separate path is read like one in a query`() throws {
        try expectEqual(QueryParser.path("a.b['k'].c").text, "a.b[\"k\"].c")
        #expect(throws: QueryError.self) { try QueryParser.path("a.b ==") }
        #expect(throws: QueryError.self) { try QueryParser.path("") }
    }

    @Test
    func `positions of names count characters, not bytes`() throws {
        let query = try QueryParser.parse("größe == '😀e\u{301}' AND b.c == 1")
        guard case .and(let all, _) = query.condition, case .compare(.path(let path), _, _, _) = all[1] else {
            Issue.record("not a conjunction")
            return
        }
        expectEqual(path.position, 18)
        expectEqual(path.stepPositions, [18, 20])
    }

    @Test(arguments: [
        ("a == 1", " OR "), ("a == 1", " AND "), ("(a == 1)", " AND "), ("NOT a == 1", " OR "),
        ("a IN {1, 2}", " AND "),
        ("SUBQUERY(a, $x, $x.b == 1).@count > 0", " OR "), ("a.b.c == 'größe'", " AND "),
    ])
    func `a long chain takes a proportional number of steps`(piece: String, operation: String) throws {
        func steps(_ count: Int) throws -> Int {
            var parser = QueryParser(Array(repeating: piece, count: count).joined(separator: operation), [])
            _ = try parser.query()
            return parser.steps
        }
        let count = TestBudget.cases(600, soak: 2_000)
        expect(try steps(2 * count) <= 2 * steps(count) + 10)
    }

    @Test(arguments: ["a == 1 SORT(", "a == 1 DISTINCT("])
    func `long lists of stages take a proportional number of steps`(start: String) throws {
        func steps(_ count: Int) throws -> Int {
            var parser = QueryParser(start + Array(repeating: "a.b", count: count).joined(separator: ", ") + ")", [])
            _ = try parser.query()
            return parser.steps
        }
        expect(try steps(4_000) <= 2 * steps(2_000) + 10)
    }

    @Test
    func `a chain is one list with any parentheses`() throws {
        for text in [
            String(repeating: "(", count: 3_000) + "a == 0" + String(repeating: " AND a == 1)", count: 3_000),
            String(repeating: "(a == 1 AND ", count: 3_000) + "a == 0" + String(repeating: ")", count: 3_000),
            String(repeating: "(", count: 3_000) + "a == 0" + String(repeating: ")", count: 3_000),
        ] {
            let condition = try QueryParser.parse(text).condition
            guard case .and(let all, _) = condition else { continue }
            expectEqual(all.count, 3_001)
        }
        let mixed = try QueryParser.parse("(a == 1 OR (b == 2 OR c == 3)) AND ((d == 4 AND e == 5) AND f == 6)")
        expectEqual(
            QueryPrinter.text(mixed) { _ in nil },
            "(a == 1 || b == 2 || c == 3) && d == 4 && e == 5 && f == 6"
        )
    }

    @Test(arguments: ["(", "NOT (", "!", "a + (", "SUBQUERY(a, $x, $x.b == (", "a == {"])
    func `a query that is nested too deeply is an error at any depth`(piece: String) {
        for count in [Condition.maximumDepth + 1, TestBudget.cases(20_000, soak: 100_000)] {
            #expect(throws: QueryError.self) { try QueryParser.parse(String(repeating: piece, count: count) + "a") }
        }
    }

    @Test
    func `a query that is nested to the limit is read`() throws {
        let n = Condition.maximumDepth
        _ = try QueryParser.parse(String(repeating: "NOT ", count: n - 1) + "a == 1")
        _ = try QueryParser.parse("a" + String(repeating: " + 1", count: n / 2 - 1) + " > 1")
        _ = try QueryParser.parse(String(repeating: "a.", count: n - 1) + "a > 1")
        for text in [
            String(repeating: "NOT ", count: n) + "a == 1", "a" + String(repeating: " + 1", count: n) + " > 1",
            String(repeating: "a.", count: n) + "a > 1",
        ] {
            #expect(throws: QueryError.self) { try QueryParser.parse(text) }
        }
    }
}
