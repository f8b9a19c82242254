import Foundation
import Testing

@testable import Freehold

class DocDog: Object {
    @Persisted var name = ""
    @Persisted var age: Int
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<DocPerson>
}

class DocPlace: EmbeddedObject {
    @Persisted var type: String = "Point"
    @Persisted var coordinates: List<Double>
}

class DocHome: EmbeddedObject {
    @Persisted var city = ""
    @Persisted var place: DocPlace?
}

class DocPerson: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted var age: Int
    @Persisted var height: Double?
    @Persisted var active: Bool
    @Persisted var tags: MutableSet<String>
    @Persisted var scores: List<Int>
    @Persisted var phones: Map<String, String>
    @Persisted var anything: AnyRealmValue
    @Persisted var dogs: List<DocDog>
    @Persisted var best: DocDog?
    @Persisted var home: DocHome?
    @Persisted(fullText: true) var notes = ""
}

/// Runs the examples of the article on the query language unchanged.
@Suite("Query: the article's examples")
struct QueryLanguageDocTests {
    private typealias Closure = (Query<DocPerson>) -> Query<Bool>

    private static let box = GeoBox(
        bottomLeft: GeoPoint(latitude: 50, longitude: -10)!,
        topRight: GeoPoint(latitude: 60, longitude: 3)!
    )
    private static let circle = GeoCircle(center: GeoPoint(latitude: 48.85, longitude: 2.35)!, radiusInRadians: 0.01)!

    /// The closures as the article spells them.
    private static var closures: [String: Closure] {
        [
            #"$0.age == 36"#: { $0.age == 36 },
            #"$0.age != 36"#: { $0.age != 36 },
            #"$0.age > 36"#: { $0.age > 36 },
            #"$0.age >= 36"#: { $0.age >= 36 },
            #"$0.age < 36"#: { $0.age < 36 },
            #"$0.age <= 36"#: { $0.age <= 36 },
            #"$0.age.contains(17...40)"#: { $0.age.contains(17...40) },
            #"$0.age.contains(17..<36)"#: { $0.age.contains(17..<36) },
            #"$0.age.in([17, 52])"#: { $0.age.in([17, 52]) },
            #"$0.active"#: { $0.active },
            #"$0.name < "C""#: { $0.name < "C" },
            #"$0.height == nil"#: { $0.height == nil },
            #"$0.height != nil"#: { $0.height != nil },
            #"$0.height > 1.7"#: { $0.height > 1.7 },
            #"!($0.height > 1.7)"#: { !($0.height > 1.7) },
            #"$0.best.name == nil"#: { $0.best.name == nil },
            #"$0.name.matches(regularExpression: "[A-C]\\w{2}")"#: {
                $0.name.matches(regularExpression: "[A-C]\\w{2}")
            },
            #"$0.name.matches(regularExpression: "Z.E|bob", options: [.caseInsensitive, .diacriticInsensitive])"#: {
                $0.name.matches(regularExpression: "Z.E|bob", options: [.caseInsensitive, .diacriticInsensitive])
            },
            #"$0.name.contains("o")"#: { $0.name.contains("o") },
            #"$0.name.starts(with: "C")"#: { $0.name.starts(with: "C") },
            #"$0.name.ends(with: "b")"#: { $0.name.ends(with: "b") },
            #"$0.name.like("?o*")"#: { $0.name.like("?o*") },
            #"$0.name.contains("B", options: .caseInsensitive)"#: { $0.name.contains("B", options: .caseInsensitive) },
            #"$0.name.equals("zoe", options: [.caseInsensitive, .diacriticInsensitive])"#: {
                $0.name.equals("zoe", options: [.caseInsensitive, .diacriticInsensitive])
            },
            #"$0.name.like("a*", caseInsensitive: true)"#: { $0.name.like("a*", caseInsensitive: true) },
            #"$0.age == 36 && $0.active"#: { $0.age == 36 && $0.active },
            #"$0.age == 17 || $0.age == 52"#: { $0.age == 17 || $0.age == 52 },
            #"!($0.age == 36)"#: { !($0.age == 36) },
            #"$0.best.age > 5"#: { $0.best.age > 5 },
            #"$0.home.city == "Paris""#: { $0.home.city == "Paris" },
            #"$0.best == nil"#: { $0.best == nil },
            #"$0.dogs.name == "Tom""#: { $0.dogs.name == "Tom" },
            #"$0.scores > 4"#: { $0.scores > 4 },
            #"!($0.scores > 4)"#: { !($0.scores > 4) },
            #"$0.tags.contains("tea")"#: { $0.tags.contains("tea") },
            #"$0.tags.containsAny(in: ["tea", "music"])"#: { $0.tags.containsAny(in: ["tea", "music"]) },
            #"$0.dogs.count > 1"#: { $0.dogs.count > 1 },
            #"$0.scores.count == 0"#: { $0.scores.count == 0 },
            #"$0.scores.sum == 16"#: { $0.scores.sum == 16 },
            #"$0.scores.min >= 3"#: { $0.scores.min >= 3 },
            #"$0.scores.max == 8"#: { $0.scores.max == 8 },
            #"$0.scores.avg < 2"#: { $0.scores.avg < 2 },
            #"$0.dogs.age.max == 5"#: { $0.dogs.age.max == 5 },
            #"$0.dogs.age.sum == 7"#: { $0.dogs.age.sum == 7 },
            #"$0.scores.contains(3...8)"#: { $0.scores.contains(3...8) },
            #"($0.dogs.age > 3 && $0.dogs.name == "Rex").count > 0"#: {
                ($0.dogs.age > 3 && $0.dogs.name == "Rex").count > 0
            },
            #"($0.dogs.age < 3).count == 1"#: { ($0.dogs.age < 3).count == 1 },
            #"$0.phones["home"] == "56""#: { $0.phones["home"] == "56" },
            #"$0.phones.keys == "work""#: { $0.phones.keys == "work" },
            #"$0.phones.values.starts(with: "7")"#: { $0.phones.values.starts(with: "7") },
            #"$0.phones.contains("12")"#: { $0.phones.contains("12") },
            #"$0.phones.count == 2"#: { $0.phones.count == 2 },
            #"$0.anything == .int(42)"#: { $0.anything == .int(42) },
            #"$0.anything > .int(40)"#: { $0.anything > .int(40) },
            #"$0.anything["k"] == .int(1)"#: { $0.anything["k"] == .int(1) },
            #"$0.anything["list"][1] == .int(2)"#: { $0.anything["list"][1] == .int(2) },
            #"$0.anything.any == .string("x")"#: { $0.anything.any == .string("x") },
            #"$0.name == $0.dogs.owners.name"#: { $0.name == $0.dogs.owners.name },
            #"$0.dogs.owners.count >= 3"#: { $0.dogs.owners.count >= 3 },
            #"$0.notes.matches("engine")"#: { $0.notes.matches("engine") },
            #"$0.notes.matches("alg* -cat")"#: { $0.notes.matches("alg* -cat") },
            #"$0.notes.matches("\"of the\"")"#: { $0.notes.matches("\"of the\"") },
            #"$0.home.place.geoWithin(box)"#: { $0.home.place.geoWithin(box) },
            #"$0.home.place.geoWithin(circle)"#: { $0.home.place.geoWithin(circle) },
        ]
    }

    private static func people() throws -> Results<DocPerson> {
        var configuration = newConfiguration()
        configuration.objectTypes = [DocDog.self, DocPlace.self, DocHome.self, DocPerson.self]
        let realm = try Realm(configuration: configuration)
        func home(_ city: String, _ longitude: Double, _ latitude: Double) -> [String: Any] {
            ["city": city, "place": ["coordinates": [longitude, latitude]]]
        }
        try realm.write {
            let (rex, tom, max) = (
                DocDog(value: ["name": "Rex", "age": 5]), DocDog(value: ["name": "Tom", "age": 2]),
                DocDog(value: ["name": "Max", "age": 11])
            )
            realm.add([rex, tom, max])
            realm.create(
                DocPerson.self,
                value: [
                    "name": "Ada", "age": 36, "height": 1.64, "active": true, "tags": ["math", "tea"],
                    "scores": [3, 5, 8], "phones": ["home": "12", "work": "34"], "anything": 42, "dogs": [rex, tom],
                    "best": rex, "home": home("London", -0.12, 51.5),
                    "notes": "The analytical engine weaves algebraic patterns",
                ] as [String: Any]
            )
            realm.create(
                DocPerson.self,
                value: [
                    "name": "Bob", "age": 17, "tags": ["tea"], "anything": "text", "notes": "A cat out of the bag",
                ] as [String: Any]
            )
            realm.create(
                DocPerson.self,
                value: [
                    "name": "Cleo", "age": 52, "height": 1.71, "active": true, "scores": [8],
                    "phones": ["home": "56"], "anything": ["k": 1, "list": [1, 2]] as [String: Any], "dogs": [max],
                    "best": max, "home": home("Paris", 2.35, 48.86),
                    "notes": "Η βιβλιοθήκη της Αλεξάνδρειας",
                ] as [String: Any]
            )
            realm.create(
                DocPerson.self,
                value: [
                    "name": "Zoë", "age": 36, "height": 1.8, "tags": ["math", "music"], "scores": [1, 1],
                    "phones": ["work": "78"], "anything": [1, "x"] as [Any], "dogs": [rex], "best": rex,
                    "notes": "東京の図書館",
                ] as [String: Any]
            )
        }
        return realm.objects(DocPerson.self)
    }

    /// The rows of the article's tables: cells between bars.
    private static func rows() throws -> [[String]] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let article = root.appendingPathComponent("Sources/Freehold/Freehold.docc/QueryLanguage.md")
        return try String(contentsOf: article, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("| `") }
            .map { line in
                line.dropFirst(2).dropLast(2).replacing("\\|", with: "\u{0}")
                    .split(separator: " | ", omittingEmptySubsequences: false)
                    .map { $0.replacing("\u{0}", with: "|").trimmingCharacters(in: CharacterSet(charactersIn: " |`")) }
            }
    }

    @Test
    func `strings and closures find what the article says, and closures print as equivalent strings`() throws {
        let people = try Self.people()
        let closures = Self.closures
        let rows = try Self.rows()
        expect(rows.count > 80)
        var used: Set<String> = []
        for row in rows {
            let (text, expected) = (row[0], row.last!.split(separator: ", ").map(String.init))
            let found = try people.filter(validating: text)
            let isOrdered = row.count == 2
            let names = Array(found).map(\.name)
            expectEqual((isOrdered ? names : names.sorted()), expected, "\(text)")
            guard row.count == 3, !row[1].isEmpty else { continue }
            used.insert(row[1])
            guard let closure = closures[row[1]] else {
                Issue.record("The article has \(row[1]), which the test hasn't")
                continue
            }
            expectEqual(Array(people.where(closure)).map(\.name).sorted(), expected, "\(row[1])")
            let printed = closure(Query<DocPerson>()).queryString
            try expectEqual(Array(people.filter(validating: printed)).map(\.name).sorted(), expected, "\(printed)")
        }
        expect(Set(closures.keys).subtracting(used).isEmpty, "closures that the article hasn't")
    }
}
