import Foundation
import RealmSwift
import Testing

class LRPerson: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name = ""
    @Persisted var born: Date?
    @Persisted var photo: Data?
    @Persisted var balance: Decimal128
    @Persisted var home: LRAddress?
    @Persisted var friends: List<LRPerson>
    @Persisted var scores: Map<String, Int>
}

class LRAddress: EmbeddedObject {
    @Persisted var city = ""
}

// The program of the article on moving from RealmSwift. It has to run with Realm, so it uses only RealmSwift's API.

struct PersonRecord: Codable {
    struct Home: Codable { var city: String }

    var _id: ObjectId
    var name: String
    var born: Date?
    var photo: Data?
    var balance: Decimal128
    var home: Home?
    var friends: [ObjectId]  // links by primary key
    var scores: [String: Int]

    init(_ person: LRPerson) {
        _id = person._id
        name = person.name
        born = person.born
        photo = person.photo
        balance = person.balance
        home = person.home.map { Home(city: $0.city) }
        friends = person.friends.map { $0._id }
        scores = Dictionary(uniqueKeysWithValues: person.scores.map { ($0.key, $0.value) })
    }
}

func exportPeople(_ realm: Realm, to url: URL) throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    var lines = Data()
    for person in realm.objects(LRPerson.self) {
        lines += try encoder.encode(PersonRecord(person)) + Data("\n".utf8)
    }
    try lines.write(to: url)
}

@Suite("Moving from RealmSwift")
struct LeavingRealmTests {
    private func realm() throws -> Realm {
        var configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
        configuration.objectTypes = [LRPerson.self, LRAddress.self]
        return try Realm(configuration: configuration)
    }

    @Test
    func `the export of the article's program is imported unchanged`() throws {
        let old = try realm()
        try old.write {
            let people = (0..<20).map { i in
                let person = LRPerson()
                person.name = "Zoë \"\(i)\"\n"
                person.born = i % 3 == 0 ? nil : Date(timeIntervalSince1970: Double(i) * 1e8 + 0.25)
                person.photo = i % 2 == 0 ? nil : Data([1, 2, UInt8(i)])
                person.balance = try! Decimal128(string: "12345678901234567890.\(i)")
                person.home = i % 4 == 0 ? nil : LRAddress(value: ["city": "C\(i)"])
                person.scores["a"] = i
                return person
            }
            for (i, person) in people.enumerated() { person.friends.append(objectsIn: people.suffix(i)) }
            old.add(people)
        }
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).jsonl")
        defer { try? FileManager.default.removeItem(at: url) }
        try exportPeople(old, to: url)

        let new = try realm()
        let count = try new.importJSON(from: url, into: LRPerson.self)
        expectEqual(count, 20)
        expectEqual(new.objects(LRPerson.self).count, 20)
        for person in old.objects(LRPerson.self) {
            let found = try require(new.object(ofType: LRPerson.self, forPrimaryKey: person._id))
            expectEqual(found.name, person.name)
            expectEqual(found.born, person.born)
            expectEqual(found.photo, person.photo)
            expectEqual(found.balance, person.balance)
            expectEqual(found.home?.city, person.home?.city)
            expectEqual(found.friends.map { $0._id }, person.friends.map { $0._id })
            expectEqual(found.scores["a"], person.scores["a"])
        }
    }
}
