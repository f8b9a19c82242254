import Foundation
import Freehold
import Testing

enum QueryAuditSuit: String, PersistableEnum { case hearts, spades, clubs }
enum QueryAuditLevel: Int, PersistableEnum { case low = 1, middle, high }

/// Stored as a string.
struct QueryAuditMail: CustomPersistable, Hashable {
    typealias PersistedType = String
    var text: String
    init(_ text: String) { self.text = text }
    init(persistedValue: String) { text = persistedValue }
    var persistableValue: String { text }
}

class QueryAuditPart: EmbeddedObject {
    @Persisted var x = 0
    @Persisted var note: String?
}

/// Stored as an embedded object.
struct QueryAuditPoint: CustomPersistable, Hashable {
    typealias PersistedType = QueryAuditPart
    var x: Int
    var note: String?
    init(_ x: Int, _ note: String? = nil) { (self.x, self.note) = (x, note) }
    init(persistedValue: QueryAuditPart) { self.init(persistedValue.x, persistedValue.note) }
    var persistableValue: QueryAuditPart {
        let part = QueryAuditPart()
        part.x = x
        part.note = note
        return part
    }
}

class QueryAuditPlace: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>
    convenience init(_ longitude: Double, _ latitude: Double) {
        self.init()
        coordinates.append(objectsIn: [longitude, latitude])
    }
}

class QueryAuditIndexedPlace: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted(geoIndexed: true) var coordinates: List<Double>
    convenience init(_ longitude: Double, _ latitude: Double) {
        self.init()
        coordinates.append(objectsIn: [longitude, latitude])
    }
}

/// A property of each kind, none with an index.
class QueryAuditRow: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var int = 0
    @Persisted var small: Int8?
    @Persisted var float: Float?
    @Persisted var double: Double?
    @Persisted var decimal: Decimal128?
    @Persisted var flag: Bool?
    @Persisted var text: String?
    @Persisted var data: Data?
    @Persisted var date: Date?
    @Persisted var oid: ObjectId?
    @Persisted var uuid: UUID?
    @Persisted var any: AnyRealmValue
    @Persisted var suit: QueryAuditSuit?
    @Persisted var level = QueryAuditLevel.low
    @Persisted var mail: QueryAuditMail?
    @Persisted var point: QueryAuditPoint?
    @Persisted var part: QueryAuditPart?
    @Persisted var place: QueryAuditPlace?
    @Persisted(mapTo: "stored_name") var named = ""
    @Persisted var link: QueryAuditRow?
    @Persisted var ints: List<Int>
    @Persisted var doubles: List<Double?>
    @Persisted var texts: List<String?>
    @Persisted var tags: MutableSet<String>
    @Persisted var counts: Map<String, Int?>
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var rows: List<QueryAuditRow>
    @Persisted var rowSet: MutableSet<QueryAuditRow>
    @Persisted var rowMap: Map<String, QueryAuditRow?>
    @Persisted var parts: List<QueryAuditPart>
    @Persisted var points: List<QueryAuditPoint>
    @Persisted var suits: List<QueryAuditSuit>
    @Persisted(originProperty: "rows") var holders: LinkingObjects<QueryAuditRow>
    @Persisted(originProperty: "link") var linkers: LinkingObjects<QueryAuditRow>
}

/// Like `QueryAuditRow`, with an index on every property that allows one.
class QueryAuditIndexed: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var int = 0
    @Persisted(indexed: true) var small: Int8?
    @Persisted var float: Float?
    @Persisted var double: Double?
    @Persisted var decimal: Decimal128?
    @Persisted(indexed: true) var flag: Bool?
    @Persisted(indexed: true) var text: String?
    @Persisted var data: Data?
    @Persisted(indexed: true) var date: Date?
    @Persisted(indexed: true) var oid: ObjectId?
    @Persisted(indexed: true) var uuid: UUID?
    @Persisted(indexed: true) var any: AnyRealmValue
    @Persisted(indexed: true) var suit: QueryAuditSuit?
    @Persisted(indexed: true) var level = QueryAuditLevel.low
    @Persisted(indexed: true) var mail: QueryAuditMail?
    @Persisted var point: QueryAuditPoint?
    @Persisted var part: QueryAuditPart?
    @Persisted var place: QueryAuditIndexedPlace?
    @Persisted(indexed: true, mapTo: "stored_name") var named = ""
    @Persisted var link: QueryAuditIndexed?
    @Persisted var ints: List<Int>
    @Persisted var doubles: List<Double?>
    @Persisted var texts: List<String?>
    @Persisted var tags: MutableSet<String>
    @Persisted var counts: Map<String, Int?>
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var rows: List<QueryAuditIndexed>
    @Persisted var rowSet: MutableSet<QueryAuditIndexed>
    @Persisted var rowMap: Map<String, QueryAuditIndexed?>
    @Persisted var parts: List<QueryAuditPart>
    @Persisted var points: List<QueryAuditPoint>
    @Persisted var suits: List<QueryAuditSuit>
    @Persisted(originProperty: "rows") var holders: LinkingObjects<QueryAuditIndexed>
    @Persisted(originProperty: "link") var linkers: LinkingObjects<QueryAuditIndexed>
}

let queryAuditTypes: [ObjectBase.Type] = [
    QueryAuditRow.self, QueryAuditIndexed.self, QueryAuditPart.self, QueryAuditPlace.self, QueryAuditIndexedPlace.self,
]

func queryAuditRealm() throws -> Realm {
    try Realm(
        configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: queryAuditTypes)
    )
}

let queryAuditTexts: [String?] = [
    nil, "", "a", "A", "Istanbul", "istanbul", "İstanbul", "ıstanbul", "straße", "STRASSE", "Straße", "e\u{301}t\u{e9}",
    "\u{e9}te\u{301}", "👩‍👩‍👧‍👦 family", "שלום עולם", "مرحبا", "日本語テキスト", "a\u{0}b", "ΣΊΣΥΦΟΣ", "σίσυφος", "100%_*?\\", "'\"",
    "-5", "null", "\u{feff}bom", "Ǆ", "ǆ", "ﬁn", "fin",
]

/// Thirty rows of each class, with the edges of each type.
func fillQueryAudit(_ realm: Realm) throws {
    func day(_ i: Int) -> Date { Date(timeIntervalSince1970: Double(i) * 86400) }
    let doubles: [Double?] = [
        nil, .nan, 0, -0.0, 1, -1, 0.1, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e15,
        42,
    ]
    let decimals: [Decimal128?] = [nil, "0", "-0", "1.0", "1.00", "0.1", "NaN", "Inf", "-Inf", "1E+6000", "42"]
    let ints = [0, 1, -1, .max, .min, 42, 255, 256, 65536, 1 << 33, 3, 7]
    for kind in [true, false] {
        try realm.write {
            for i in 0..<30 {
                let text = queryAuditTexts[i % queryAuditTexts.count]
                var values: [String: Any] = [:]
                values["id"] = i
                values["int"] = ints[i % ints.count]
                values["small"] = i % 5 == 0 ? nil : i - 15
                values["float"] = doubles[i % doubles.count].map { Float($0) }
                values["double"] = doubles[i % doubles.count]
                values["decimal"] = decimals[i % decimals.count]
                values["flag"] = [true, false, nil][i % 3]
                values["text"] = text
                values["data"] = text.map { Data($0.utf8) }
                values["date"] = i % 4 == 0 ? nil : day(i)
                values["oid"] = i % 6 == 0 ? nil : try ObjectId(string: String(format: "%024x", i))
                values["uuid"] =
                    i % 6 == 1 ? nil : UUID(uuidString: String(format: "00000000-0000-0000-0000-%012x", i))
                values["suit"] = [QueryAuditSuit.hearts, .spades, .clubs, nil][i % 4]
                values["level"] = QueryAuditLevel(rawValue: i % 3 + 1)!
                values["mail"] = i % 2 == 0 ? nil : QueryAuditMail("m\(i % 5)@x.org")
                values["named"] = "n\(i % 3)"
                values["ints"] = (0..<i % 4).map { ints[(i + $0) % ints.count] }
                values["doubles"] = (0..<i % 4).map { doubles[(i + $0) % doubles.count] as Any }
                values["texts"] = (0..<i % 3).map { queryAuditTexts[(i + $0) % queryAuditTexts.count] as Any }
                values["tags"] = (0..<i % 3).map { "tag\((i + $0) % 4)" }
                if kind {
                    fill(realm.create(QueryAuditRow.self, value: values), i)
                } else {
                    fill(realm.create(QueryAuditIndexed.self, value: values), i)
                }
            }
        }
    }
    func any(_ i: Int) -> AnyRealmValue {
        switch i % 15 {
        case 0: .none
        case 1: .int(42)
        case 2: .double(42)
        case 3: .float(42)
        case 4: .decimal128("42")
        case 5: .string("42")
        case 6: .data(Data("42".utf8))
        case 7: .bool(true)
        case 8: .date(day(1))
        case 9: .double(.nan)
        case 10: .uuid(UUID(uuidString: "00000000-0000-0000-0000-000000000001")!)
        case 11: .double(-0.0)
        case 12: .fromArray([.int(42), .string("x"), .none])
        case 13: .fromDictionary(["k": .int(42), "l": .fromArray([.int(1)])])
        default: .string("Straße")
        }
    }
    func fill(_ row: QueryAuditRow, _ i: Int) {
        row.any = any(i)
        row.anys.append(objectsIn: (0..<i % 3).map { any(i + $0) })
        if i % 3 == 0 { row.point = QueryAuditPoint(i % 2, i % 4 == 0 ? nil : "p") }
        row.points.append(objectsIn: (0..<i % 3).map { QueryAuditPoint($0, "p") })
        if i % 4 == 1 {
            row.part = QueryAuditPart()
            row.part!.x = i
        }
        if i % 5 != 0 { row.place = QueryAuditPlace(Double(i * 13 % 361 - 180), Double(i * 7 % 181 - 90)) }
        for (n, key) in ["a", "b", "A"].prefix(i % 4).enumerated() {
            row.counts[key] = .some(n == 1 ? nil : i % 7)
            row.rowMap[key] = .some(n == 1 ? nil : row)
        }
        row.suits.append(objectsIn: [QueryAuditSuit.hearts, .clubs].prefix(i % 3))
        let realm = row.realm!
        func earlier(_ k: Int) -> QueryAuditRow? { realm.object(ofType: QueryAuditRow.self, forPrimaryKey: i - k) }
        row.link = i % 3 == 0 ? nil : i % 7 == 0 ? row : earlier(1)
        for k in 0..<i % 4 { if let other = earlier(k) { row.rows.append(other) } }
        row.rowSet.insert(objectsIn: row.rows)
    }
    func fill(_ row: QueryAuditIndexed, _ i: Int) {
        row.any = any(i)
        row.anys.append(objectsIn: (0..<i % 3).map { any(i + $0) })
        if i % 3 == 0 { row.point = QueryAuditPoint(i % 2, i % 4 == 0 ? nil : "p") }
        row.points.append(objectsIn: (0..<i % 3).map { QueryAuditPoint($0, "p") })
        if i % 4 == 1 {
            row.part = QueryAuditPart()
            row.part!.x = i
        }
        if i % 5 != 0 { row.place = QueryAuditIndexedPlace(Double(i * 13 % 361 - 180), Double(i * 7 % 181 - 90)) }
        for (n, key) in ["a", "b", "A"].prefix(i % 4).enumerated() {
            row.counts[key] = .some(n == 1 ? nil : i % 7)
            row.rowMap[key] = .some(n == 1 ? nil : row)
        }
        row.suits.append(objectsIn: [QueryAuditSuit.hearts, .clubs].prefix(i % 3))
        let realm = row.realm!
        func earlier(_ k: Int) -> QueryAuditIndexed? {
            realm.object(ofType: QueryAuditIndexed.self, forPrimaryKey: i - k)
        }
        row.link = i % 3 == 0 ? nil : i % 7 == 0 ? row : earlier(1)
        for k in 0..<i % 4 { if let other = earlier(k) { row.rows.append(other) } }
        row.rowSet.insert(objectsIn: row.rows)
    }
}

/// Asks each query of both classes: as they are filled, after edits inside a transaction, and after that is rolled back.
///
/// - Parameter rows: queries with the rows found: `"0 3-5"`.
func checkQueryAudit(_ rows: [(String, String)], _ location: SourceLocation = #_sourceLocation) throws {
    let realm = try queryAuditRealm()
    try fillQueryAudit(realm)
    func plain(_ text: String) throws -> [Int] {
        try realm.objects(QueryAuditRow.self).filter(validating: text).map(\.id)
    }
    func indexed(_ text: String) throws -> [Int] {
        try realm.objects(QueryAuditIndexed.self).filter(validating: text).map(\.id)
    }
    func expectAll(_ comment: Comment) throws {
        for (text, expected) in rows {
            try expectEqual(summary(plain(text)), expected, "\(comment): \(text)", sourceLocation: location)
            try expectEqual(summary(indexed(text)), expected, "\(comment), indexed: \(text)", sourceLocation: location)
        }
    }
    try expectAll("filled")
    realm.beginWrite()
    let (a, b) = (realm.objects(QueryAuditRow.self), realm.objects(QueryAuditIndexed.self))
    let moved: [String] = [
        "int", "small", "flag", "text", "date", "oid", "uuid", "any", "suit", "level", "mail", "named",
    ]
    // Each property gets the value of another one, which is restored when the rotation is undone.
    for property in moved {
        for (rows, count) in [(Array(a) as [Object], a.count), (Array(b) as [Object], b.count)] {
            let values = rows.map { $0[property] }
            for (i, row) in rows.enumerated() { row[property] = values[(i + 7) % count] }
        }
    }
    for id in [2, 11, 24] {
        realm.delete(a.filter("id == %@", id))
        realm.delete(b.filter("id == %@", id))
    }
    for (text, _) in rows {
        try expectEqual(plain(text), indexed(text), "edited: \(text)", sourceLocation: location)
    }
    realm.cancelWrite()
    try expectAll("rolled back")
}

/// Rows in order, runs of three and more as `3-5`.
private func summary(_ ids: [Int]) -> String {
    guard ids == ids.sorted() else { return ids.map(String.init).joined(separator: " ") }
    var parts: [String] = []
    var i = 0
    while i < ids.count {
        var end = i
        while end + 1 < ids.count, ids[end + 1] == ids[end] + 1 { end += 1 }
        if end > i + 1 {
            parts.append("\(ids[i])-\(ids[end])")
        } else {
            parts += ids[i...end].map(String.init)
        }
        i = end + 1
    }
    return parts.joined(separator: " ")
}
