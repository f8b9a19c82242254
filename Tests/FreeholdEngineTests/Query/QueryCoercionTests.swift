import Foundation
import Testing

@testable import FreeholdEngine

/// The constants that can be compared with a column, and their types.
@Suite("Query language: types and coercion") struct QueryCoercionTests {
    let view: DataView
    let compiler: QueryCompiler<StoredNames>

    init() throws { (view, compiler) = try Self.compiler() }

    static func compiler() throws -> (DataView, QueryCompiler<StoredNames>) {
        let database = try Database.inMemory(identifier: "coercion-\(UUID().uuidString)")
        let write = try database.beginWrite()
        let types: [(String, ColumnType)] = [
            ("bool", .bool), ("int", .int), ("float", .float), ("double", .double), ("string", .string),
            ("data", .data), ("date", .timestamp), ("decimal", .decimal128), ("oid", .objectId), ("uuid", .uuid),
        ]
        var columns = types.map { ColumnSpec($0.0, $0.1, optional: true) }
        columns += types.map { ColumnSpec($0.0 + "s", $0.1, collection: .list) }
        columns += [
            ColumnSpec("link", .link, optional: true, target: "T"),
            ColumnSpec("other", .link, optional: true, target: "U"),
            ColumnSpec("links", .link, collection: .list, target: "T"),
            ColumnSpec("linkMap", .link, optional: true, collection: .dictionary, target: "T"),
            ColumnSpec("map", .int, collection: .dictionary), ColumnSpec("mixed", .mixed),
            ColumnSpec("mixeds", .mixed, collection: .list), ColumnSpec("words", .string, index: .fullText),
            ColumnSpec("place", .link, optional: true, target: "Place"),
        ]
        try write.applySchema(
            [
                TableSpec("T", columns: columns),
                TableSpec(
                    "U",
                    columns: [ColumnSpec("id", .int), ColumnSpec("t", .link, optional: true, target: "T")],
                    primaryKey: "id"
                ),
                TableSpec(
                    "Place",
                    columns: [ColumnSpec("type", .string), ColumnSpec("coordinates", .double, collection: .list)],
                    isEmbedded: true
                ),
            ],
            userVersion: 1
        )
        let u = write.schema.table(named: "U")!
        _ = try write.create(u, primaryKey: .int(7))
        _ = try write.create(write.schema.table(named: "T")!)
        _ = try write.commit()
        let view = try database.snapshot()
        return (view, QueryCompiler(StoredNames(view), view.schema.table(named: "T")!))
    }

    private func predicate(_ text: String, _ arguments: [Any] = []) throws -> FreeholdEngine.Predicate {
        try compiler.compile(try QueryParser.parse(text, arguments: arguments)).predicate
    }

    /// The constant of a comparison.
    private func constant(_ text: String, _ arguments: [Any] = []) throws -> Value? {
        switch try predicate(text, arguments) {
        case .comparison(_, _, let value), .text(_, _, let value, _), .operands(_, _, .constant(let value)): value
        case .oneOf(_, let values), .elements(_, _, let values), .operands(_, _, .constants(let values, _)):
            .list(NestedList(values))
        case .between(_, let lower, let upper, _): .list(NestedList([lower, upper]))
        default: nil
        }
    }

    static let converted: [(String, Value)] = [
        ("int == 5", .int(5)), ("int == '5'", .int(5)), ("int == '-0x1F'", .int(-31)), ("int == 5.0", .int(5)),
        ("int == 5e2", .int(500)), ("int > 5.5", .double(5.5)), ("int == null", .null), ("5 == int", .int(5)),
        ("int == 9223372036854775807", .int(.max)), ("int == -9223372036854775808", .int(.min)),
        ("int < 1e300", .double(1e300)), ("int == decimal('7.00')", .int(7)),
        ("int > decimal('7.5')", .decimal128("7.5")),
        ("int IN {1, '2', 3.0, null}", .list(NestedList([.int(1), .int(2), .int(3), .null]))),
        ("int BETWEEN {1, 2.5}", .list(NestedList([.int(1), .double(2.5)]))),
        ("float == 1.1", .float(1.1)), ("float == 1.1f", .float(1.1)), ("float == 5", .float(5)),
        ("float == 'inf'", .float(.infinity)), ("float == -inf", .float(-.infinity)), ("float == nan", .float(.nan)),
        ("float > 1e300", .double(1e300)), ("float == '2.5'", .float(2.5)),
        ("double == 1.1", .double(1.1)), ("double == 5", .int(5)), ("double == '5.5'", .double(5.5)),
        ("double == 1.5f", .float(1.5)), ("double == inf", .double(.infinity)), ("double == 0x10", .int(16)),
        ("double == 12345678901234567890", .double(12345678901234567168)),
        ("decimal == 5", .decimal128("5")), ("decimal == 1.1", .decimal128("1.1")),
        ("decimal == 12345678901234567890.125", .decimal128("12345678901234567890.125")),
        ("decimal == '7.25'", .decimal128("7.25")), ("decimal == inf", .decimal128(.infinity)),
        ("decimal == nan", .decimal128(.nan)), ("decimal == 1.5f", .decimal128("1.5")),
        ("string == 'x'", .string("x")), ("string == null", .null), ("string CONTAINS[c] 'x'", .string("x")),
        ("string CONTAINS B64\"eA==\"", .data(Data([120]))), ("data == 'x'", .data(Data([120]))),
        ("data BEGINSWITH B64\"eA==\"", .data(Data([120]))), ("bool == true", .bool(true)), ("bool == 1", .bool(true)),
        ("bool == 0", .bool(false)), ("date == T5:6", .timestamp(Timestamp(seconds: 5, nanoseconds: 6))),
        ("oid == '0123456789abcdef01234567'", .objectId(ObjectId("0123456789abcdef01234567"))),
        (
            "uuid == '11111111-2222-3333-4444-555555555555'",
            .uuid(UUID(uuidString: "11111111-2222-3333-4444-555555555555")!)
        ),
        ("mixed == 5", .int(5)), ("mixed == 5.0", .double(5)), ("mixed == '5'", .string("5")),
        ("mixed == 5f", .float(5)),
        ("mixed == L1:0", .objectLink(ObjectLink(tableID: 1, key: ObjectKey(0)))),
        ("mixed == {1, 'x'}", .list(NestedList([.int(1), .string("x")]))),
        ("link == O0", .link(ObjectKey(0))), ("link == null", .null), ("other == obj('U', 7)", .link(ObjectKey(0))),
        ("links == O0", .link(ObjectKey(0))), ("linkMap == null", .null), ("ints == 5", .int(5)),
        ("ints == '5'", .int(5)),
        ("ints == {1, '2'}", .list(NestedList([.int(1), .int(2)]))), ("strings == {}", .list(NestedList([]))),
        ("ints.@count == 3.0", .int(3)), ("ints.@sum > 2.5", .double(2.5)), ("ints.@avg == 2.5", .double(2.5)),
        ("decimals.@avg == 2.5", .decimal128("2.5")), ("floats.@min == 1.1", .float(1.1)), ("map['k'] == '5'", .int(5)),
        ("map.@keys == 'k'", .string("k")), ("mixed.@type == 'int'", .string("int")), ("strings.length == 3", .int(3)),
        ("string.@count == 3", .int(3)), ("int + 1 == '5'", .int(5)), ("decimal + int == 1.1", .decimal128("1.1")),
        ("'k' IN strings", .string("k")), ("mixed['a'][0] == 5", .int(5)), ("links.int == '5'", .int(5)),
    ]

    @Test
    func `a constant becomes one of the other side's type`() throws {
        for (text, value) in Self.converted {
            do { try expectEqual(constant(text), value, "\(text)") } catch { Issue.record("\(text): \(error)") }
        }
    }

    @Test
    func `an argument becomes one of the other side's type`() throws {
        try expectEqual(constant("int == $0", [5]), .int(5))
        try expectEqual(constant("int == $0", ["5"]), .int(5))
        try expectEqual(constant("int == $0", [5.0]), .int(5))
        try expectEqual(constant("float == $0", [1.1]), .float(1.1))
        try expectEqual(constant("decimal == $0", [5]), .decimal128("5"))
        try expectEqual(constant("int IN $0", [[1, 2]]), .list(NestedList([.int(1), .int(2)])))
        try expectEqual(constant("int IN $0", [[Value.int(1), .null]]), .list(NestedList([.int(1), .null])))
        try expectEqual(constant("ints == $0", [[1, 2]]), .list(NestedList([.int(1), .int(2)])))
        try expectEqual(constant("link == $0", [ObjectKey(0)]), .link(ObjectKey(0)))
        try expectEqual(constant("mixed == $0", [Value.null]), .null)
    }

    /// Texts, and the places of their errors.
    static let refused: [(String, Int)] = [
        ("int == 'x'", 0), ("int == 5.5", 0), ("int == inf", 0), ("int > nan", 0), ("int == true", 0),
        ("int == '5.5'", 0),
        ("int != 1e300", 0), ("int IN {1, 5.5}", 0), ("int == uuid(11111111-2222-3333-4444-555555555555)", 0),
        ("TRUEPREDICATE AND int == 'x'", 18), ("string == 5", 0), ("string == true", 0), ("string == B64\"eA==\"", 0),
        ("int CONTAINS '5'", 0), ("int ==[c] 5", 0), ("date CONTAINS 'x'", 0), ("date == 5", 0), ("date == '2020'", 0),
        ("bool == 2", 0), ("bool == 'true'", 0), ("bool > true", 0), ("bool < false", 0), ("data == 5", 0),
        ("oid == 'x'", 0),
        ("uuid == 'x'", 0), ("decimal == 'x'", 0), ("double == true", 0), ("float == null.a", 9), ("link > O0", 0),
        ("link == 5", 0), ("link CONTAINS 'x'", 0), ("link == obj('U', 7)", 0), ("other == L0:0", 0),
        ("other == obj('U', 'x')", 0), ("other == obj('X', 7)", 0), ("other == obj('T', 7)", 0), ("links == null", 0),
        ("links > 5", 0), ("@links.U.t == null", 0), ("ints > {1, 2}", 0), ("ints CONTAINS 5", 0), ("int == {1}", 0),
        ("int IN 5", 0),
        ("int BETWEEN {1, 'x'}", 0), ("bool BETWEEN {true, false}", 0), ("ints > doubles", 0), ("strings < strings", 0),
        ("int == string", 0), ("link == other", 0), ("link == links.int", 0), ("bool == int", 0),
        ("int LIKE string", 0),
        ("string < link", 0), ("x == 1", 0), ("int == y", 7), ("link.x == 1", 5), ("int.x == 1", 4),
        ("links.int.x == 1", 10),
        ("int[0] == 1", 3), ("map[FIRST] == 1", 3), ("ints['k'] == 1", 4), ("ints[0][1] == 1", 7),
        ("string[0] == 'x'", 6),
        ("ints.@keys == 1", 5), ("int.@count == 1", 0), ("link.@count == 1", 0), ("int.@sum == 1", 0),
        ("strings.@sum == 1", 0),
        ("dates.@avg == 1", 0), ("links.@sum == 1", 0), ("links.string.@max == 1", 0), ("NONE ints.@count == 1", 5),
        ("ints.length == 1", 5), ("int.length == 1", 4), ("string + 1 == 2", 0), ("int + string == 2", 6),
        ("int + 'x' == 2", 0),
        ("int + date == 2", 6), ("link + 1 == 2", 0), ("SUBQUERY(ints, $x, $x == 1).@count == 1", 9),
        ("SUBQUERY(link, $x, $x.int == 1).@count == 1", 9), ("SUBQUERY(links, $x, $x.y == 1).@count == 1", 23),
        ("SUBQUERY(links, $x, $x.int == 'x').@count == 1", 20), ("@links.X.t.id == 1", 0), ("@links.U.x.id == 1", 0),
        ("@links.U.id.id == 1", 0), ("string TEXT 'x'", 0), ("words TEXT 5", 0),
        ("link geoWithin geoBox([0,0],[1,1])", 0), ("int geoWithin geoBox([0,0],[1,1])", 0), ("place geoWithin 5", 0),
        ("mixed.@type == 'number'", 0), ("mixed.@type == 5", 0), ("mixed.@type > 'int'", 0), ("mixed == O5", 0),
        ("TRUEPREDICATE SORT(x ASC)", 19), ("TRUEPREDICATE SORT(ints ASC)", 19),
        ("TRUEPREDICATE SORT(links.int ASC)", 19),
        ("TRUEPREDICATE SORT(link ASC)", 19), ("TRUEPREDICATE SORT(data ASC)", 19),
        ("TRUEPREDICATE DISTINCT(int, link)", 28),
        ("TRUEPREDICATE SORT(ints.@count ASC)", 19), ("TRUEPREDICATE SORT(string.length ASC)", 19), ("SELF == 5", 0),
        ("SELF > 5", 0), ("'x' CONTAINS string", 13), ("int == $0", 0), ("int IN {$0}", 0), ("ANY {1, 'x'} == int", 16),
    ]

    @Test
    func `operands that can't be compared are refused at their place`() throws {
        for (text, position) in Self.refused {
            let given: [Any] = [Data()]
            do {
                let predicate = try predicate(text, given)
                Issue.record("\(text) was accepted: \(predicate)")
            } catch let error as QueryError {
                expectEqual(error.position, position, "\(text): \(error)")
                expectEqual(error.text, text, "\(text)")
            }
        }
    }

    @Test
    func `paths, quantifiers and sides of all kinds are compiled`() throws {
        for text in [
            "ANY {1, 2} == ints", "ALL ints IN {1}", "strings IN[c] {'x'}", "NONE links.int == 5",
            "ints == ANY {1, 2}", "ALL strings == ANY strings", "string CONTAINS link.string", "data == string",
            "int == double", "decimal > float", "mixed == int", "mixed CONTAINS string", "mixed CONTAINS 5",
            "link == links", "links == SELF", "mixed == link", "links.@count == ints.@count + 1", "map.@values > 5",
            "map[7] == 5", "linkMap['k'].int == 5", "linkMap.@values.int == 5", "links[0].links[LAST].int == 1",
            "mixed[0]['k'][*] == 5", "mixeds[0]['k'] == 5", "mixed.@keys == 'x'", "mixed.@count == 3", "ints[*] == 5",
            "@links.U.t.id == 5", "@links.@count == 0", "link.@links.@count == 0", "links.@links.U.t.@count == 0",
            "SUBQUERY(links, $x, $x.int == 1 AND $x.@links.@count == 0).@count > 0",
            "SUBQUERY(linkMap, $x, $x.int == 1).@count > 0", "words TEXT 'x'", "place geoWithin geoBox([0,0],[1,1])",
            "place IN geoCircle([0,0], 1)", "int BETWEEN {1, 5}", "strings BETWEEN {'a', 'b'}",
            "oid > '0123456789abcdef01234567'",
            "other == obj('U', 99)", "other != obj('U', 99)", "links == obj('T', 99)", "link == O99999999999999999",
            "TRUEPREDICATE SORT(int ASC, link.string DESC) DISTINCT(map['k']) LIMIT(1) OFFSET(2)",
        ] where !text.contains("obj('T'") {
            do {
                let query = try compiler.compile(try QueryParser.parse(text))
                let found = FreeholdEngine.RowQuery(
                    table: compiler.cls,
                    stages: [.filter(query.predicate)] + query.stages
                )
                expect(found.count(in: view) <= 1, "\(text)")
            } catch {
                Issue.record("\(text): \(error)")
            }
        }
    }

    @Test
    func `a query that is nested to the limit is compiled and run`() throws {
        let n = Condition.maximumDepth
        for text in [
            String(repeating: "NOT ", count: n - 1) + "int == 1",
            "int" + String(repeating: " + 1", count: n / 2 - 1) + " > 1",
            "SUBQUERY(links, $x, SUBQUERY($x.links, $x, $x.int == 1).@count > 0).@count > 0",
        ] {
            let query = try compiler.compile(try QueryParser.parse(text))
            expect(FreeholdEngine.RowQuery(table: compiler.cls, predicate: query.predicate).count(in: view) <= 1)
        }
    }

    @Test
    func `an unknown name is reported with similar ones`() throws {
        func suggestions(_ text: String) -> [String] {
            do {
                _ = try predicate(text)
                return []
            } catch { return (error as? QueryError)?.suggestions ?? [] }
        }
        expectEqual(suggestions("flaot == 1").first, "float")
        expectEqual(suggestions("link.strng == 'x'").first, "string")
        expectEqual(suggestions("@links.Plcae.x == 1"), ["Place"])
        expectEqual(suggestions("mixed.@type == 'strng'"), ["string"])
        expectEqual(suggestions("mixed.@type == 'integre'").first, "integer")
    }
}
