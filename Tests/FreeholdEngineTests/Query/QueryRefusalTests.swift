import Testing

@testable import FreeholdEngine

/// Strings outside of the language, and the places of their errors.
@Suite("Query language: refused strings") struct QueryRefusalTests {
    struct Refused: Sendable, CustomTestStringConvertible {
        let text: String
        let position: Int
        let code: QueryError.Code
        let arguments: [any Sendable]
        var testDescription: String { text }

        init(_ text: String, _ position: Int, _ code: QueryError.Code = .syntax, _ arguments: [any Sendable] = []) {
            self.text = text
            self.position = position
            self.code = code
            self.arguments = arguments
        }
    }

    static let structure: [Refused] = [
        Refused("", 0), Refused("   ", 3), Refused("a", 1), Refused("a.b", 3), Refused("a ==", 4), Refused("== 1", 0),
        Refused("a == == 1", 5), Refused("a === 1", 4), Refused("a == 1 b", 7), Refused("a == 1 1", 7),
        Refused("a == 1 AND", 10), Refused("AND a == 1", 4), Refused("a == 1 OR OR b == 2", 13),
        Refused("a == 1 && || b == 2", 10), Refused("a == 1 & b == 2", 7), Refused("a == 1 | b == 2", 7),
        Refused("(a == 1", 7), Refused("a == 1)", 6), Refused("()", 1), Refused("(a) AND b == 1", 4),
        Refused("NOT", 3), Refused("!", 1), Refused("NOT a", 5), Refused("a AND b == 1", 2),
        Refused("a == (b == 1)", 12),
        Refused("(a == 1) == 2", 9), Refused("(a == 1) + 2 == 3", 9), Refused("1 < a < 5", 6), Refused("a ~= 1", 2),
        Refused("a ! 1", 2), Refused("a == 1;", 6), Refused("a == 1 // x", 8), Refused("a == ^", 5),
        Refused("a == é!", 6),
        Refused("5", 1), Refused("TRUEPREDICATE == 1 TRUEPREDICATE", 19), Refused("true", 4),
        Refused("TRUEPREDICATE FALSEPREDICATE", 14),
    ]

    static let operators: [Refused] = [
        Refused("a CONTAIN 'x'", 2), Refused("a is 1", 2),
        Refused("a BEGINS 'x'", 2), Refused("a In {1}", 2), Refused("a BETWEEN 5", 10),
        Refused("a BETWEEN {1}", 10, .type),
        Refused("a BETWEEN {1, 2, 3}", 10, .type), Refused("a BETWEEN {1, 2", 15), Refused("a BETWEEN {b, c}", 11),
        Refused("1 BETWEEN {1, 2}", 0, .type), Refused("a BETWEEN b", 10), Refused("a ==[x] 'b'", 5),
        Refused("a ==[cx] 'b'", 5), Refused("a ==[] 'b'", 5), Refused("a ==[c 'b'", 7), Refused("a CONTAINS[c]", 13),
        Refused("a <[c] 'b'", 3, .type), Refused("a >=[d] 'b'", 4, .type), Refused("a IN {1, }", 9),
        Refused("a IN {,}", 6),
        Refused("a IN {1 2}", 8), Refused("a IN {1, 2", 10), Refused("a IN {b}", 6), Refused("a IN {{1}}", 6),
        Refused("a IN", 4), Refused("a TEXT", 6), Refused("1 TEXT 'x'", 0, .type),
        Refused("a.@count TEXT 'x'", 0, .type),
        Refused("a geoWithin", 11), Refused("a.@count IN geoBox([1, 2], [3, 4])", 0, .type),
        Refused("a + 1 geoWithin geoBox([1,2],[3,4])", 0, .type),
        Refused("a == geoBox([1,2],[3,4])", 5, .type), Refused("a +", 3), Refused("a + == 1", 4),
        Refused("a ** 2 == 1", 3),
        Refused("a == -b", 6), Refused("a == - 'x'", 7), Refused("-a == 1", 1),
        Refused("1 == 1", 0, .type), Refused("'a' == 'b'", 0, .type), Refused("true == false", 0, .type),
        Refused("1 + 2 == 3", 0, .type), Refused("{1} == {1}", 0, .type), Refused("$0 == $1", 0, .type, [1, 2]),
        Refused("5 IN {5}", 0, .type), Refused("CAST(a, 'x') == 1", 0), Refused("now() == a", 0),
        Refused("a == lower(b)", 5),
        Refused("FUNCTION(a) == 1", 0),
    ]

    static let constants: [Refused] = [
        Refused("a == 'x", 5), Refused("a == \"x'", 5), Refused("a == 'x\\y'", 7), Refused("a == '\\u12'", 6),
        Refused("a == '\\ud83d'", 6), Refused("a == '\\ude00x'", 6), Refused("a == 'x\\", 7),
        Refused("a == 5x", 5, .constant),
        Refused("a == 1.5.5", 8), Refused("a == 0x", 5, .constant), Refused("a == 0xg", 5, .constant),
        Refused("a == 1e", 5, .constant), Refused("a == 2020-13-01@00:00:00", 5, .constant),
        Refused("a == 2021-02-29@00:00:00", 5, .constant), Refused("a == 2020-01-01@24:00:00", 5, .constant),
        Refused("a == 2020-01-01@00:60:00", 5, .constant), Refused("a == 2020-01-01@00:00", 5, .constant),
        Refused("a == 2020-01-01T0:0:0:1000000000", 5, .constant), Refused("a == 2020-00-01@00:00:00", 5, .constant),
        Refused("a == T1:1000000000", 5, .constant), Refused("a == T1:-5", 5, .constant),
        Refused("a == T-1:5", 5, .constant),
        Refused("a == T99999999999999999999:0", 5, .constant), Refused("a == uuid(123)", 5, .constant),
        Refused("a == uuid('x')", 5, .constant), Refused("a == uuid(11111111-2222-3333-4444-555555555555", 46),
        Refused("a == oid(12)", 5, .constant), Refused("a == oid('zzzzzzzzzzzzzzzzzzzzzzzz')", 5, .constant),
        Refused("a == B64\"*\"", 5, .constant), Refused("a == B64\"AQID", 8), Refused("a == binary('x'", 15),
        Refused("a == decimal('x')", 5, .constant), Refused("a == L1:99999999999999999999", 5, .constant),
        Refused("a == L-1:5", 5, .constant), Refused("a == obj(Dog, 5)", 9), Refused("a == obj('Dog')", 14),
        Refused("a == obj('Dog', 1.5)", 16, .constant), Refused("a == obj('Dog', {1})", 16, .constant),
        Refused("a geoWithin geoBox([1,2])", 24), Refused("a geoWithin geoBox([1,200],[3,4])", 19, .constant),
        Refused("a geoWithin geoBox([1],[3,4])", 21), Refused("a geoWithin geoCircle([1,2],-1)", 12, .constant),
        Refused("a geoWithin geoCircle([1,2],'x')", 28, .constant),
        Refused("a geoWithin geoPolygon({[0,0],[1,1]})", 12, .constant),
        Refused("a geoWithin geoPolygon({[0,0],[1,0],[1,1],[0,1]})", 12, .constant),
        Refused("a geoWithin geoRing([1,2])", 12),
    ]

    static let paths: [Refused] = [
        Refused("a. == 1", 3), Refused("a..b == 1", 2), Refused(".a == 1", 0), Refused("a.b. == 1", 5),
        Refused("a.'b' == 1", 2),
        Refused("a.1 == 1", 2), Refused("a[] == 1", 2), Refused("a[ == 1", 3), Refused("a[0 == 1", 4),
        Refused("a[-1] == 1", 2),
        Refused("a[1.5] == 1", 2, .constant), Refused("a[b] == 1", 2), Refused("a[true] == 1", 2),
        Refused("[0] == 1", 0),
        Refused("a[99999999999999999999] == 1", 2, .constant), Refused("a.@foo == 1", 2), Refused("a.@ == 1", 2),
        Refused("a.@count.b == 1", 9), Refused("a.@count.@sum == 1", 9), Refused("a.@min.@max == 1", 7),
        Refused("a.@type.b == 1", 8),
        Refused("a.@count[0] == 1", 8), Refused("@count == 1", 0), Refused("@links == 1", 7),
        Refused("@links.Person == 1", 14),
        Refused("@links.@sum == 1", 7), Refused("ANY", 3), Refused("ANY == 1 AND ANY", 16), Refused("ANY 5 == a", 4),
        Refused("ANY (a) == 1", 4), Refused("ANY ANY a == 1", 8), Refused("a#b == 1", 1), Refused("#any == 1", 0),
        Refused("a[#all] == 1", 2), Refused("a\\b == 1", 1),
        Refused("SUBQUERY(a, $x, $x.b == 1)", 26), Refused("SUBQUERY(a, $x, $x.b == 1).@sum == 1", 27),
        Refused("SUBQUERY(a, x, x.b == 1).@count == 1", 12), Refused("SUBQUERY(a, $x, b == 1).@count == 1", 16),
        Refused("SUBQUERY(a, $x).@count == 1", 14), Refused("SUBQUERY(a $x, $x.b == 1).@count == 1", 11),
        Refused("SUBQUERY(5, $x, $x.b == 1).@count == 1", 9),
        Refused("SUBQUERY(a.@count, $x, $x.b == 1).@count == 1", 11, .type),
        Refused("SUBQUERY(a, $x, SUBQUERY($x.b, $y, $x.c == 1).@count > 0).@count == 2", 35),
        Refused("SUBQUERY(a, $x, $x.b).@count == 1", 20), Refused("SUBQUERY(a, $x, $y.b == 1).@count == 1", 16),
    ]

    static let stages: [Refused] = [
        Refused("SORT(a ASC)", 0), Refused("LIMIT(1)", 0), Refused("a == 1 SORT", 7), Refused("a == 1 SORT()", 12),
        Refused("a == 1 SORT(a ASC", 17), Refused("a == 1 SORT(a UP)", 14), Refused("a == 1 SORT(a ASC b)", 18),
        Refused("a == 1 SORT(a ASC,)", 18), Refused("a == 1 SORT(5 ASC)", 12), Refused("a == 1 DISTINCT()", 16),
        Refused("a == 1 DISTINCT(a ASC)", 18), Refused("a == 1 LIMIT()", 13),
        Refused("a == 1 LIMIT(-1)", 13, .constant),
        Refused("a == 1 LIMIT(1.5)", 13, .constant), Refused("a == 1 LIMIT(a)", 13), Refused("a == 1 LIMIT(1", 14),
        Refused("a == 1 LIMIT(1, 2)", 14), Refused("a == 1 LIMIT('1')", 13, .constant),
        Refused("a == 1 LIMIT(0x1)", 13, .constant),
        Refused("a == 1 LIMIT(99999999999999999999)", 13, .constant), Refused("a == 1 OFFSET(-1)", 14, .constant),
        Refused("a == 1 AND SORT(a ASC)", 11), Refused("a == 1 LIMIT(1) AND b == 2", 16),
        Refused("(a == 1 LIMIT(1))", 8),
    ]

    static let arguments: [Refused] = [
        Refused("a == $0", 5, .argument), Refused("a == %@", 5, .argument), Refused("a == $1", 5, .argument, [1]),
        Refused("a == %@ AND b == %@", 17, .argument, [1]), Refused("a == $99999999999999999999", 5, .argument, [1]),
        Refused("%K == 1", 0, .argument, [5]), Refused("%K == 1", 0, .argument, ["a b"]),
        Refused("%K == 1", 0, .argument, [""]),
        Refused("%K == 1", 0, .argument, ["a == 1"]), Refused("a.%K == 1", 2, .argument, ["["]),
        Refused("a[%@] == 1", 2, .argument, [1.5]),
        Refused("a[$0] == 1", 2, .argument, [-1]), Refused("a[%K] == 1", 2, .argument, [1]),
        Refused("a BETWEEN %@", 10, .argument, [1]), Refused("a BETWEEN %@", 10, .type, [[1]]),
        Refused("ANY %@ == a", 4, .argument, [1]), Refused("a == % 1", 5), Refused("a == %", 5), Refused("a == %y", 5),
        Refused("a == $K0", 5, .argument), Refused("a == 1 LIMIT(%@)", 13, .constant, ["x"]),
        Refused("a == 1 LIMIT(%@)", 13, .constant, [-1]), Refused("a == obj('Dog', %@)", 16, .argument, [1.5]),
        Refused("a.@sum.%K == 1", 7, .argument, ["b.@min"]),
    ]

    static let all = structure + operators + constants + paths + stages + arguments

    @Test(arguments: all)
    func `a string outside of the language is refused at its mistake`(_ refused: Refused) throws {
        let error = #expect(throws: QueryError.self) {
            try QueryParser.parse(refused.text, arguments: refused.arguments)
        }
        expectEqual(error?.position, refused.position, "\(error?.description ?? "")")
        expectEqual(error?.code, refused.code, "\(error?.description ?? "")")
        expectEqual(error?.text, refused.text)
        expectEqual(error?.message.hasSuffix("."), true)
    }

    @Test
    func `an error shows its place and the possible tokens`() throws {
        let error = try #require(throws: QueryError.self) { try QueryParser.parse("größe = = 5") }
        expectEqual(
            error.description,
            """
            A constant is missing. Expected: a property, a constant.
              größe = = 5
                      ^ at character 9
            """
        )
    }

    @Test
    func `a similar operator is suggested`() {
        let error = #expect(throws: QueryError.self) { try QueryParser.parse("a BEGINWITH 'x'") }
        expectEqual(error?.suggestions, ["BEGINSWITH"])
        let operation = #expect(throws: QueryError.self) { try QueryParser.parse("a.@avrg == 1") }
        expectEqual(operation?.suggestions.first, "@avg")
    }

    @Test
    func `few similar names are suggested, the nearest first`() {
        expectEqual(NearNames.of("nmae", ["name", "age", "game", "names"]), ["name"])
        expectEqual(NearNames.of("Name", ["name", "nam"]), ["name", "nam"])
        expectEqual(NearNames.of("x", ["name", "age"]), [])
        expectEqual(NearNames.of("", ["a"]), [])
        expectEqual(NearNames.of(String(repeating: "a", count: 200), ["a"]), [])
        expectEqual(NearNames.of("abcdef", ["abcdeg", "abcdeh", "abcdei", "abcdej"]).count, 3)
        expectEqual(NearNames.of("größse", ["größe"]), ["größe"])
    }
}
