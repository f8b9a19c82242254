import Foundation
import Freehold
import Testing

class QueryAuditArticle: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(fullText: true) var body: String?
}

class QueryAuditSpot: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var plain: QueryAuditPlace?
    @Persisted var indexed: QueryAuditIndexedPlace?
}

/// Properties with names that are words of the language.
class QueryAuditKeywords: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var link: QueryAuditKeywords?
    @Persisted var links: List<QueryAuditKeywords>
    @Persisted var `in` = 0
    @Persisted var contains = 0
    @Persisted var like = 0
    @Persisted var text = 0
    @Persisted var between = 0
    @Persisted var sort = 0
    @Persisted var limit = 0
    @Persisted var distinct = 0
    @Persisted var any = 0
    @Persisted var all = 0
    @Persisted var some = 0
    @Persisted var none = 0
    @Persisted var not = 0
    @Persisted var and = 0
    @Persisted var or = 0
    @Persisted var count = 0
    @Persisted var length = 0
    @Persisted var first = 0
    @Persisted var asc = 0
    @Persisted var SUBQUERY = 0
    @Persisted var uuid = 0
    @Persisted var T1 = 0
    @Persisted var B64 = 0
    @Persisted var größe = 0
    @Persisted var 名前 = 0
    @Persisted var `true` = 0
    @Persisted var `nil` = 0
    @Persisted var nan = 0
}

@Suite("Query audit: words, places and names")
struct QueryWordAuditTests {
    @Test
    func `full-text searches find all kinds of text`() throws {
        let realm = try Realm(
            configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [QueryAuditArticle.self])
        )
        let texts: [String?] = [
            nil, "", "object-oriented database", "Swift data, fast!", "日本語の全文検索", "東京都", "👩‍👩‍👧‍👦 family 🎉",
            "naïve café", "STRASSE straße", "C++ and C#", "don't stop", "foo_bar 3.14", "a b c", "שלום עולם",
            "e\u{301}te", "İstanbul",
        ]
        try realm.write {
            for (i, text) in texts.enumerated() {
                realm.create(QueryAuditArticle.self, value: ["id": i, "body": text as Any])
            }
        }
        let all = realm.objects(QueryAuditArticle.self)
        let searches: [(String, [Int])] = [
            ("object", [2]), ("object-oriented", [2]), ("oriented-object", []), ("swift data", [3]),
            ("\"swift data\"", [3]), ("\"data swift\"", []), ("\"swift", [3]), ("swift\"", [3]), ("a*", [9, 12]),
            ("+swift", [3]), ("日本語", [4]), ("語の", [4]), ("京", [5]), ("🎉", [6]), ("👩‍👩‍👧‍👦", [6]), ("naive cafe", [7]),
            ("strasse", [8]), ("c++", [9, 12]), ("don't", [10]), ("dont", []), ("foo_bar", [11]), ("3.14", [11]),
            ("עולם", [13]), ("été", [14]), ("istanbul", [15]), ("\"a b\" c", [12]), ("swift -\"swift data\"", []),
            ("\n\tswift\n", [3]), ("-object -swift", [0, 1] + Array(4..<16)),
            (String(repeating: "x", count: 100_000), []),
        ]
        for (search, found) in searches {
            expectEqual(all.filter("body TEXT %@", search).map(\.id), found, "\(search.prefix(40))")
            expectEqual(all.where { $0.body.matches(search) }.map(\.id), found, "\(search.prefix(40))")
        }
        for search in ["", "  ", "\"\"", "-", "*", "\u{0}", "swift -swift"] {
            #expect(throws: QueryError.self, "\(search)") { try all.filter(validating: "body TEXT %@", search) }
        }
        realm.beginWrite()
        all[2].body = "swift object"
        realm.delete(all[3])
        expectEqual(all.filter("body TEXT 'swift'").map(\.id), [2])
        realm.cancelWrite()
        expectEqual(all.filter("body TEXT 'swift'").map(\.id), [3])
    }

    @Test
    func `invalid places are nowhere, and a pole or the antimeridian is one place`() throws {
        let realm = try Realm(
            configuration: .init(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [QueryAuditSpot.self, QueryAuditPlace.self, QueryAuditIndexedPlace.self]
            )
        )
        let spots: [(String, [Double])?] = [
            nil, ("Point", []), ("Point", [1]), ("Point", [.nan, 0]), ("Point", [0, .nan]), ("Point", [0, .infinity]),
            ("Point", [181, 0]), ("Point", [0, 91]), ("point", [0, 0]), ("Polygon", [0, 0]), ("Point", [0, 0]),
            ("Point", [0, 0, 500]), ("Point", [0, 90]), ("Point", [77, 90]), ("Point", [0, -90]), ("Point", [180, 0]),
            ("Point", [-180, 0]), ("Point", [179.99, 10]), ("Point", [-0.0, -0.0]), ("Point", [0, 0, 1, 2, 3]),
        ]
        try realm.write {
            for (i, spot) in spots.enumerated() {
                let object = realm.create(QueryAuditSpot.self, value: ["id": i])
                guard let (type, coordinates) = spot else { continue }
                object.plain = QueryAuditPlace(value: ["type": type, "coordinates": coordinates])
                object.indexed = QueryAuditIndexedPlace(value: ["type": type, "coordinates": coordinates])
            }
        }
        let all = realm.objects(QueryAuditSpot.self)
        let shapes: [(String, [Int])] = [
            ("geoBox([-180,-90],[180,90])", Array(10..<20)), ("geoCircle([0,0],0)", [10, 11, 18, 19]),
            ("geoCircle([0,90],0.001)", [12, 13]), ("geoCircle([123,-90],0.2)", [14]),
            ("geoCircle([180,0],0.2)", [15, 16, 17]), ("geoCircle([0,0],1e300)", Array(10..<20)),
            ("geoBox([179,-1],[-179,11])", [15, 16, 17]), ("geoBox([0,0],[0,0])", [10, 11, 18, 19]),
            ("geoBox([180,-5],[180,5])", [15, 16]), ("geoBox([0,89],[0,90])", [12, 13]),
            ("geoPolygon({[-1,-1],[1,-1],[1,1],[-1,1],[-1,-1]})", [10, 11, 18, 19]),
            ("geoPolygon({[-9,-9],[9,-9],[9,9],[-9,9],[-9,-9]},{[-1,-1],[1,-1],[1,1],[-1,1],[-1,-1]})", []),
            ("geoPolygon({[0,80],[90,80],[180,80],[-90,80],[0,80]})", [12, 13]),
        ]
        for (shape, found) in shapes {
            expectEqual(all.filter("plain geoWithin \(shape)").map(\.id), found, "\(shape)")
            expectEqual(all.filter("indexed geoWithin \(shape)").map(\.id), found, "\(shape)")
            expectEqual(all.filter("NOT indexed geoWithin \(shape)").count, 20 - found.count, "\(shape)")
        }
    }

    @Test
    func `words of the language can be names of properties`() throws {
        let realm = try Realm(
            configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [QueryAuditKeywords.self])
        )
        let names = [
            "in", "contains", "like", "text", "between", "sort", "limit", "distinct", "any", "all", "some", "none",
            "not", "and", "or", "count", "length", "first", "asc", "SUBQUERY", "uuid", "T1", "B64", "größe", "名前",
        ]
        let constants = ["true", "nil", "nan"]
        try realm.write {
            let object = realm.create(QueryAuditKeywords.self)
            for name in names + constants { object[name] = 1 }
            object.link = object
            object.links.append(object)
            let other = realm.create(QueryAuditKeywords.self, value: ["id": 1])
            other.link = other
        }
        let all = realm.objects(QueryAuditKeywords.self)
        let anywhere = [
            "link.X == 1", "ANY links.X == 1", "NONE links.X == 0 AND links.@count > 0", "links.@max.X == 1",
            "links.X.@max == 1", "SUBQUERY(links, $x, $x.X == 1).@count == 1", "SELF.X == 1",
        ]
        let forms =
            anywhere + [
                "X == 1", "X==1&&X==1", "X IN {1}", "X in {1}", "X BETWEEN {1, 2}", "NOT X == 0", "!(X == 0)",
                "1 == X", "X == X AND X > 0", "X == 1 SORT(X ASC) DISTINCT(X)", "X >= 1 LIMIT(1)", "1 + X == 2",
                "X * X == 1", "(X) == 1", "id == 0 OR X == 1", "ANY {1, 3} == X", "X == ANY {1, 3}", "id < X", "X > id",
            ]
        func check(_ form: String, _ name: String) throws {
            let text = form.replacing("X", with: name)
            try expectEqual(all.filter(validating: text).map(\.id), [0], "\(text)")
        }
        for name in names { for form in forms { try check(form, name) } }
        for name in constants { for form in anywhere { try check(form, name) } }
    }
}
